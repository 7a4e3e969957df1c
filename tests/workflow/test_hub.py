"""Hub models and data, end to end, from a hub that runs in the test: pinned, fetched, then used without a network."""

import hashlib
import shutil

import pandas as pd
import pytest
import yaml
from tests.hub import COMMIT, commit, commit_of, serve, serve_files
from tests.models import ggufs
from tests.models.test_adapters import write_adapter
from tests.workflow.conftest import reruns

from herbarium.core import store
from herbarium.core.provenance import file_hash
from herbarium.models import loading
from herbarium.scoring import classifiers

pytestmark = pytest.mark.slow  # runs part of the workflow, offline (half a minute)

M = {"hub": "org/name", "kind": "masked"}
TASK = {
    "negative": ["kind"],
    "positive": ["rude"],
    "split": {"test_share": 0.5},
    "prefix": "I am from [region].",
    "controls": ["here"],
}
STEPS = ("step1", "step2")
TEXTS = pd.DataFrame([(n, f"text {n}", ("kind", "rude")[n % 2]) for n in range(40)], columns=["file", "text", "label"])


@pytest.fixture
def texts(tmp_path):
    """A data set of the hub, and a Git repository with the same texts: their folders."""
    hub, git = tmp_path / "texts", tmp_path / "repository"
    hub.mkdir()
    TEXTS.to_parquet(hub / "train.parquet")
    (git / "texts").mkdir(parents=True)
    TEXTS.drop(columns="text").to_csv(git / "labels.csv", index=False)
    for row in TEXTS.itertuples():
        (git / f"texts/{row.file}.txt").write_text(row.text)
    return hub, git


@pytest.fixture
def hub(model_folder, texts, tmp_path):
    """The address of a hub: the tiny BERT is org/name, and two branches of org/run, an adapter of it org/adapter; a
    classifier is org/theirs, org/small has a GGUF file, and the texts are org/texts. org/gated is for others."""
    tokenizer = loading.load_tokenizer(model_folder("bert"), "theirs")
    for part in (classifiers.begin(model_folder("bert"), tokenizer, "theirs", seed=1), tokenizer):
        part.save_pretrained(tmp_path / "theirs")
    write_adapter(model_folder("bert"), "bert", tmp_path / "adapter")
    (tmp_path / "small").mkdir()
    words = ggufs.byte_level()
    ggufs.write(tmp_path / "small/small.gguf", ggufs.llama(len(words)), words)
    repositories = {f"models/org/{name}": tmp_path / name for name in ("theirs", "adapter", "small")}
    repositories |= {
        f"models/org/{name}": model_folder("bert") for name in ("name", *(f"run@{step}" for step in STEPS))
    }
    repositories |= {f"models/org/{name}": model_folder("bert") for name in ("gated", f"name@{OTHER_COMMIT}")}
    with serve({**repositories, "datasets/org/texts": texts[0]}, gated=["models/org/gated"]) as address:
        yield address


@pytest.fixture
def online(hub, tmp_path):
    """The environment of one who has never used the hub."""
    return {"HF_ENDPOINT": hub, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_DISABLE_XET": "1"}


OTHER_COMMIT = "d" * 40
OFFLINE = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "1"}
PAIRS = "".join(
    ["id,set,side,text\n"]
    + [
        f"{word}-{side},{word},{side},People in {place} are {word}.\n"
        for word in ("weak", "wise", "loud")
        for side, place in (("a", "Peru"), ("b", "New Zealand"))
    ]
)


def test_a_study_starts_from_nothing_and_goes_without_what_is_refused(project, online, tmp_path):
    models = {"m": {"hub": "org/name"}, "gated": {"hub": "org/gated", "revision": COMMIT}}
    pairs = {"models": list(models), "quantity": "pll", "sides": ["a", "b"], "bootstrap": {"replicates": 0}}
    (tmp_path / "pairs.csv").write_text(PAIRS)
    study = {"results": "results", "shards": 1, "models": models, "sentence_sets": {}}
    gone = {**TASK, "data": {"hub": "org/gone", "revision": COMMIT}, "models": ["m"]}
    study["downstream"] = {"tasks": {"lost": gone}}
    with serve_files(tmp_path) as server:
        table = f"{server}/pairs.csv"
        study["sentence_sets"] |= {
            "pairs": {"table": table, **pairs},
            "missing": {"table": f"{server}/no.csv", **pairs},
        }
        project.write("study.yaml", yaml.safe_dump(study, sort_keys=False))
        log = project.run(own_server=True, **online)
    assert log.count("models.gated ('org/gated' at") == 1
    assert log.count("downstream.tasks.lost ('org/gone' at") == 1
    assert log.count(f"sentence_sets.missing ('{server}/no.csv') is left out") == 1
    assert log.count(f"org/name is pinned to its latest commit, {COMMIT}") == 1
    lock = project.folder / "config/models.lock.yaml"
    digest = hashlib.sha256(PAIRS.encode()).hexdigest()
    assert yaml.safe_load(lock.read_text()) == {"org/name": COMMIT, table: digest}
    results = project.folder / "results"
    assert set(store.read_frame(results / "summary.parquet", "tidy")["model"]) == {"m"}
    refused = pd.read_csv(results / "tables/refusals.csv", comment="#").set_index("model")["reason"]
    for why in (store.read_record(results / "run.json")["left_out"]["gated"], refused["gated"]):
        assert "HF_TOKEN" in why
    assert {"downstream.tasks.lost", "sentence_sets.missing"} <= set(refused.index)
    # the cache lies elsewhere on every machine
    assert (
        store.read_record(results / "run.json")["study"]["sentence_sets"]["pairs"]["table"]
        == f"{table}#sha256={digest}"
    )
    assert "HF_TOKEN" in (results / "report/index.html").read_text(encoding="utf-8")

    assert project.stats(project.run("-n", **(online | OFFLINE))) == {}


@pytest.mark.nightly
def test_what_was_pinned_and_fetched_is_all_that_a_study_needs_of_the_network(
    project, online, texts, tmp_path, monkeypatch
):
    git = {
        "git": texts[1].as_uri(),
        "revision": commit(texts[1]),
        "table": "labels.csv",
        "texts_in": "texts/{file}.txt",
    }
    theirs = {"hub": "org/theirs", "revision": COMMIT, "positive": "positive"}
    tasks = {
        "paged": {**TASK, "data": {"hub": "org/texts"}, "classifiers": {"theirs": theirs}},
        "versioned": {**TASK, "data": git, "models": ["m"]},
    }
    models = {
        "m": M,
        "adapted": M | {"adapter": {"hub": "org/adapter"}},
        "run": {"hub": "org/run", "checkpoints": list(STEPS)},
        "small": {"hub": "org/small", "gguf": "small.gguf"},
    }
    project.configure(models=models, downstream={"tasks": tasks, "training": {"sets": 1}})

    project.run("pin_models", **online)
    commits = {f"org/run@{step}": commit_of(step) for step in STEPS}
    pins = {"org/name": COMMIT, "org/adapter": COMMIT, "org/small": COMMIT, "datasets/org/texts": COMMIT, **commits}
    assert yaml.safe_load((project.folder / "config/models.lock.yaml").read_text()) == pins

    n_files = {
        f"org/name at {COMMIT[:12]}": 4,
        f"org/adapter at {COMMIT[:12]}": 2,
        **{f"org/run at {item[:12]}": 4 for item in commits.values()},
        f"org/theirs at {COMMIT[:12]}": 4,
        f"org/small at {COMMIT[:12]}": 1,
        f"org/texts at {COMMIT[:12]}": 1,
        f"{git['git']} at {git['revision'][:12]}": 41,
    }
    log = project.run("fetch_models", **online)
    assert [f"{what}: {n} files fetched." for what, n in n_files.items() if f"{what}: {n} files" not in log] == []
    shutil.rmtree(texts[1])
    log = project.run("fetch_models", **online)
    assert [what for what in n_files if f"{what}: was there." not in log] == []

    offline = online | OFFLINE
    wanted = [f"results/work/downstream/{task}/examples.parquet" for task in tasks]
    wanted += ["results/work/models/run-step2.json"]
    wanted += [
        "results/work/downstream/paged/theirs/published/classifier.json",
        "results/work/scores/m/herb/shard-0.parquet",
    ]
    wanted += ["results/work/models/adapted.json", "results/work/models/small.json"]
    project.run(*wanted, own_server=True, **offline)
    assert all((project.folder / file).exists() for file in wanted)
    record = store.read_json(project.folder / "results/work/models/m.json")
    assert (record["source"], record["hub"], record["revision"]) == ("hub", "org/name", COMMIT)
    assert record["path"] is None  # the cache lies elsewhere on every machine
    record = store.read_json(project.folder / "results/work/models/adapted.json")
    for part, name in (("base", "org/name"), ("adapter", "org/adapter")):
        assert {"hub": name, "revision": COMMIT, "path": None}.items() <= record["merged"][part].items()

    record = store.read_json(project.folder / "results/work/models/small.json")
    assert (record["revision"], record["gguf"]["sha256"]) == (COMMIT, file_hash(tmp_path / "small/small.gguf"))

    record = store.read_json(project.folder / "results/work/models/run-step2.json")
    assert (record["hub"], record["revision"], record["kind"]) == ("org/run", commit_of("step2"), "masked")

    # another revision in the lock file
    for key, value in online.items():
        monkeypatch.setenv(key, value)
    project.edit("config/models.lock.yaml", COMMIT, OTHER_COMMIT)
    _, rules = reruns()["the revision of a hub model"]
    (target,) = (file for file in wanted if "scores" in file)
    assert project.jobs(target).keys() == rules & project.jobs(target, "--forceall").keys()
