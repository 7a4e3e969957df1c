"""Bad input: each gives one clear error, or a row that says so; none a wrong number."""

import contextlib
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
import torch
import yaml
from tests.conftest import mostly_nightly
from tests.hub import serve
from tests.metrics.test_contract import METRICS, is_of_others
from tests.patience import until
from tests.refusals import tells
from tests.users import AS_ANYONE, AS_NOBODY, NOBODY
from tests.workflow.conftest import HERB, STUDY, copy_project, text_of

from herbarium.core import store
from herbarium.models import folders
from herbarium.study import wanted
from herbarium.study.without import models_in

pytestmark = pytest.mark.slow  # each starts snakemake (seconds), some run a few jobs


def hub_of(study, folder):
    """The repositories of the hub that a study takes models and data from."""
    values = yaml.safe_load(Path(study).read_text())
    parts = [*wanted.of_models(models_in(values)), *wanted.elsewhere(values)]
    return {
        f"{part.kind}s/{part.data['hub']}" + f"@{part.data['revision']}" * (part.data["revision"] is not None): folder
        for part in parts
        if isinstance(part, wanted.FromHub)
    }


def test_a_dry_run_and_a_run_leave_out_the_same(project, tmp_path, snapshot):
    home = {"HF_HOME": str(tmp_path / "empty"), "HF_HUB_DISABLE_XET": "1"}
    with serve(hub_of("config/core.yaml", project.folder / "tiny")) as address:
        output = project.run("-n", config="config/core.yaml", HF_ENDPOINT=address, **home)
    assert sorted(project.stats(output)) == snapshot
    for arguments in (["-n"], []):
        output = project.fails(*arguments, config="config/core.yaml", HF_HUB_OFFLINE="1", **home)
        (line,) = [line for line in output.splitlines() if "models.albert-base-v2" in line]
        assert "HF_HUB_OFFLINE" in line
        assert "Nothing is left to measure" in output
        assert "make demo" in output
        assert len(output.splitlines()) < 40
        assert "Traceback" not in output
    assert not (project.folder / "results").exists() or not list((project.folder / "results").rglob("*.parquet"))


@pytest.mark.parametrize("arguments", [[], ["-n"], ["pin_models"]], ids=" ".join)
def test_without_a_network_a_model_without_a_commit_is_left_out(project, arguments):
    project.configure(models={"m": {"hub": "org/name", "kind": "masked"}})
    output = project.fails(*arguments, HF_HUB_OFFLINE="1")
    assert tells(output, "models.m", "'org/name'", "pinned", "HF_HUB_OFFLINE")
    assert "Traceback" not in output


TWO_CONTINENTS = "region,parent,level,name\ne,,earth,E\na,e,land,A\nb,e,land,B\nx,a,country,X\nx,b,country,X\n"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("words/mind.txt", "weak\nwise\nweak\n", "words/mind.txt, line 3: 'weak' is already in line 1"),
        ("regions.csv", TWO_CONTINENTS, "region 'x' is already in row 4, inside 'a'"),
        (
            "resources/herb/templates/published.txt",
            "People in [region] are nice.\n",
            "the slot [description] or [plural] or [singular] or [released] must occur once",
        ),
    ],
    ids=["duplicate", "two continents", "no slot"],
)
def test_faulty_files_stop_before_the_first_job(project, file, text, message):
    project.write(file, text)
    output = project.fails()
    assert message in output
    assert "Traceback" not in output
    assert not (project.folder / "results").exists()


def bin_only(folder):
    from safetensors.torch import load_file

    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def test_weights_that_are_not_read_stop_a_run(project):
    bin_only(project.folder / "tiny")
    output = project.fails()
    assert "convert_bin: true" in output
    assert "Traceback" not in output


def test_damaged_files_of_a_model_are_named_by_a_dry_run(project):
    """What is said of each damage: tests/models/test_folders.py."""
    weights = project.folder / "tiny/model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    output = project.fails("-n")
    assert "Error: models.tiny: tiny" in output
    assert "model.safetensors is damaged" in output
    assert "Traceback" not in output


def test_a_file_of_a_model_is_no_part_of_a_command(project):
    """Who made the folder chose the names of its files."""
    weights, name = project.folder / "tiny/model.safetensors", "model-'$(touch ran).safetensors"
    index = {"metadata": {}, "weight_map": dict.fromkeys(folders.tensors(weights), name)}
    weights.with_name("model.safetensors.index.json").write_text(json.dumps(index))
    weights.rename(weights.with_name(name))
    output = project.fails("-n")
    assert "could be read as a pattern or a command" in output
    assert f"tiny/{name}" in output
    assert not (project.folder / "ran").exists()


def test_a_tokenizer_that_no_library_reads_is_named_before_anything_is_planned(project):
    project.edit("tiny/tokenizer.json", '"WordPiece"', '"Word"')
    output = project.fails("results/work/models/tiny.json")
    assert "models.tiny: tiny has no tokenizer that transformers can read" in output
    assert "Traceback" not in output


def test_only_files_that_are_read_make_a_model_another(project):
    record = "results/work/models/tiny.json"
    project.run(record)
    for note in ("notes.txt", "notes.json", ".DS_Store"):
        project.write(f"tiny/{note}", "mine")
    assert project.jobs(record) == {}
    project.edit("tiny/config.json", '"gelu"', '"relu"')
    assert project.jobs(record) == {"resolve_model": 1}


def test_the_library_of_another_clone_is_not_used(project, tmp_path):
    """Neither by the workflow, nor by its jobs: whatever Python would find first."""
    for module in ("", "core", "study", "models"):
        (tmp_path / "herbarium" / module).mkdir(exist_ok=True, parents=True)
        (tmp_path / "herbarium" / module / "__init__.py").write_text("raise RuntimeError('another clone')")
    project.run("results/work/models/tiny.json", PYTHONPATH=str(tmp_path))


# --- what the workflow wrote itself ---

PLANTED = ["results/work/models/none.json", "results/work/models/strong.json"]


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Two models that the workflow has trained and recorded."""
    made = copy_project(tmp_path_factory.mktemp("planted"))
    models = {"none": {"planted": 0.0, "kind": "masked"}, "strong": {"planted": 2.0, "kind": "masked"}}
    made.configure(models=models, herb=HERB, testbed={"steps": 10})
    made.run(*PLANTED)
    return made


def flip(folder):
    file = folder / "none/model.safetensors"
    content = bytearray(file.read_bytes())
    content[-99] ^= 1
    file.write_bytes(content)
    return ["none/model.safetensors"]


def swap(folder):
    for source, target in (("none", "aside"), ("strong", "none"), ("aside", "strong")):
        (folder / source).rename(folder / target)
    for file in [*folder.glob("none/*"), *folder.glob("strong/*")]:
        file.touch()
    return ["none/config.json", "strong/config.json"]


def edit(folder):
    file = folder / "strong/config.json"
    file.write_text(file.read_text().replace('"gelu"', '"relu"'))
    return ["strong/config.json"]


@pytest.mark.parametrize("spoil", mostly_nightly([flip, swap, edit], flip))
def test_what_the_workflow_wrote_is_used_as_it_was_written_or_not_at_all(planted, spoil):
    folder = planted.folder / "results/work/testbed"
    before = {name: store.read_record(folder / f"{name}.json")["files"] for name in ("none", "strong")}
    for file in spoil(folder):
        name = file.partition("/")[0]
        output = planted.fails(f"results/work/models/{name}.json")
        assert re.search(rf"results/work/testbed/{name}/\S+ is not the file that '{name}' was recorded with", output)
        assert f"delete results/work/testbed/{name} and run snakemake again" in output
        assert "Traceback" not in output
        shutil.rmtree(folder / name)  # as it says
    planted.run(*PLANTED)
    assert {name: store.read_record(folder / f"{name}.json")["files"] for name in before} == before
    for name, path in zip(before, PLANTED, strict=True):
        assert store.read_record(planted.folder / path)["files"] == before[name]
    assert planted.jobs(*PLANTED) == {}


def test_a_study_without_a_metric_says_which_there_are(project):
    project.write("study.yaml", "models:\n  tiny: {path: tiny, kind: masked}\n")
    output = project.fails("-n")
    assert "no metric is configured" in output
    for metric in METRICS:
        assert (f"`{metric}`" in output) != is_of_others(metric)
    assert "Traceback" not in output


def test_a_planted_model_without_a_text(project):
    project.configure(
        models={**STUDY["models"], "bare": {"planted": 1.0, "kind": "masked"}},
        corpora={"own": {"path": "words/mind.txt"}},
        herb={**HERB, "models": ["tiny"]},
        perplexity={"models": ["bare"], "texts": ["own"]},
    )
    message = project.fails("results/work/models/bare.json")
    assert "models.bare.planted: there is no text for it to learn" in message
    planted = (
        "herb, categorical_bias, mixed_effects, sentence_sets, interventions, likelihood_bias, sofa, matched_guise, "
        "discrimination_scores, honest"
    )
    assert f"one of {planted}." in message


def test_bin_weights_are_converted_when_asked(project):
    bin_only(project.folder / "tiny")
    project.configure(models={"tiny": {"path": "tiny", "kind": "masked", "convert_bin": True}})
    project.run("results/work/plans/tiny/herb/sentences-0.parquet")
    assert (project.folder / "results/work/converted/tiny/model.safetensors").exists()
    assert project.jobs("results/work/plans/tiny/herb/sentences-0.parquet") == {}


@pytest.mark.nightly
def test_refused_words_and_regions_are_rows_that_say_so(project):
    # 弱 is no token of the tiny vocabulary; a region name longer than the model takes
    project.write("words/body.txt", "weak\n弱\nloud\n")
    project.edit("regions.csv", "New Zealand", ("Zealand " * 70).strip())
    project.configure(shards=1, herb={**HERB, "control": None, "bootstrap": {"replicates": 0}})  # no intervals
    project.run()
    scores = store.read_frame(project.folder / "results/work/scores/tiny/herb.parquet", "scores")
    refused = scores[scores["value"].isna()]
    assert refused["note"].notna().all()
    assert scores.loc[scores["value"].notna(), "note"].isna().all()
    reasons = set(refused["note"].str.replace(r"\d+", "N", regex=True))
    assert reasons == {
        "refused: the tokenizer knows no part of the description, only [UNK]",
        "refused: N tokens, the model takes N",
    }
    summary = store.read_frame(project.folder / "results/summary.parquet", "tidy")
    assert summary[["std_error", "ci_low", "ci_high"]].isna().all(axis=None)
    published = (summary["metric"] == "herb") & (summary["definition"] == "paper") & (summary["variant"] == "C_w")
    summary = summary[published].set_index("group")
    assert summary.loc["nz", "estimate"] != summary.loc["nz", "estimate"]  # null
    assert "not measured" in summary.loc["nz", "note"]
    assert "without the descriptions that the tokenizer does not know: 弱" in summary.loc["fj", "note"]
    assert summary["estimate"].notna().sum() == len(summary) - 1


def test_a_damaged_cache_is_refused_by_name(project):
    project.configure(herb=HERB)
    project.run("results/work/likelihoods/tiny.parquet")
    path = project.folder / "results/work/scores/tiny/herb.parquet"
    path.write_bytes(path.read_bytes()[:-50])
    output = project.fails("results/work/likelihoods/tiny.parquet", "--forcerun", "assemble_herb")
    assert "results/work/scores/tiny/herb.parquet is damaged" in output


def says(fragment, output):
    """What people see is in the page that says what to do."""
    assert fragment in output
    assert fragment in text_of("docs/faq.md")
    assert "Traceback" not in output
    return True


SHARDS = [f"results/work/stimuli/herb/{shard}.parquet" for shard in (0, 1)]


@pytest.fixture(scope="module")
def started(tmp_path_factory, model_folder):
    """A study of which one shard of the stimuli is made; in a path that is not plain."""
    made = copy_project(tmp_path_factory.mktemp("begun") / "Übung – 书")
    shutil.copytree(model_folder("bert"), made.folder / "tiny")
    made.run(SHARDS[0])
    return made


@pytest.mark.parametrize("where", mostly_nightly([".", "work/stimuli/herb"], "."))
def test_results_that_one_may_not_write(started, where):
    if AS_ANYONE and not shutil.which("setpriv"):
        pytest.skip("root may write anywhere, and setpriv, which takes that away, is not here")
    folder = started.folder / "results" / where
    lock = started.folder / "results/.snakemake"
    lock.rename(lock.with_name("aside"))  # it too would be new
    folder.chmod(0o555)
    try:
        output = started.fails(SHARDS[1], before=AS_ANYONE)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(lock, ignore_errors=True)
        lock.with_name("aside").rename(lock)
    assert says("Permission denied", output)
    assert f"results/{where}".removesuffix("/.") in output
    assert (started.folder / SHARDS[0]).exists()
    assert not (started.folder / SHARDS[1]).exists()


def test_a_full_disk_loses_nothing(started):
    results = started.folder / "results"
    aside = results.rename(started.folder / "aside")
    results.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(results)]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True)
        if mounted.returncode:
            pytest.skip(f"no disk to fill here: {mounted.stderr.strip()}")
        shutil.copytree(aside, results, dirs_exist_ok=True)
        before = (results / "work/stimuli/herb/0.parquet").read_bytes()
        fill(results / "filler")
        assert says("No space left on device", started.fails(SHARDS[1]))
        (results / "filler").unlink()
        assert not list(results.rglob(".*.partial"))
        assert started.jobs(*SHARDS) == {"instantiate_herb": 1}
        started.run(*SHARDS)
        assert (results / "work/stimuli/herb/0.parquet").read_bytes() == before
    finally:
        subprocess.run(["umount", str(results)], capture_output=True)
        results.rmdir()
        aside.rename(results)


def fill(path):
    """Write until the disk takes no more."""
    with open(path, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def test_a_second_run_waits_for_the_first(started, tmp_path):
    """In the same folder, which Snakemake locks; and from another clone, into the same results."""
    clone = copy_project(tmp_path / "clone")
    for name in ("results", "tiny"):
        (clone.folder / name).symlink_to(started.folder / name)
    command = ["snakemake", SHARDS[1], "--cores", "1", "--configfile", "study.yaml"]
    first = subprocess.Popen(
        command, cwd=started.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        until(lambda: first.poll() is not None or is_claimed(started.folder / "results/.snakemake/lock"))
        os.killpg(first.pid, signal.SIGSTOP)
        assert says("Directory cannot be locked", started.fails(SHARDS[1]))
        assert says("Another run is writing into results", clone.fails(SHARDS[1], "--force"))
    finally:
        os.killpg(first.pid, signal.SIGCONT)
    assert first.wait() == 0
    assert not is_claimed(started.folder / "results/.snakemake/lock")
    assert clone.jobs(*SHARDS) == {}


def is_claimed(lock):
    """Whether a process holds a lock on a file. (Trying to take it could keep it from that process.)"""
    return f":{lock.stat().st_ino} " in Path("/proc/locks").read_text()


# Read by Python as it starts: what a file system without locks answers.
WITHOUT_LOCKS = """
import errno, fcntl, os
def flock(file, operation):
    number = getattr(errno, os.environ["FLOCK_GIVES"])
    raise OSError(number, os.strerror(number))
fcntl.flock = flock
"""


@pytest.mark.parametrize("number", mostly_nightly(["ENOSYS", "EINVAL", "EIO", "ENOLCK"], "ENOLCK"))
def test_a_file_system_without_locks_is_warned_of_once(started, tmp_path, number):
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_LOCKS)
    output = started.run(SHARDS[0], "--force", PYTHONPATH=str(tmp_path), FLOCK_GIVES=number)
    assert output.count("its file system has no locks") == 1
    assert says("its file system has no locks", output)


@pytest.mark.nightly
def test_a_user_without_a_home_and_without_a_name(tmp_path, model_folder):
    if os.geteuid():
        pytest.skip("only root can become another user")
    if not shutil.which("setpriv"):
        pytest.skip("setpriv, which makes another user of root, is not here")
    project = copy_project(tmp_path / "theirs")
    shutil.copytree(model_folder("bert"), project.folder / "tiny")
    for path in (project.folder, *project.folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    nameless = dict.fromkeys(("LOGNAME", "USER", "LNAME", "USERNAME", "XDG_CACHE_HOME"), "")
    targets = ("results/work/models/tiny.json", SHARDS[0])
    output = project.run(*targets, before=AS_NOBODY, HOME="/nonexistent", **nameless)
    assert "not writable" not in output
    assert (project.folder / targets[0]).stat().st_uid == NOBODY
    assert (project.folder / ".snakemake/caches/snakemake").is_dir()


@pytest.mark.nightly
def test_words_that_a_spreadsheet_would_run(project):
    project.write("words/mind.txt", "weak\n=wise\n")
    project.edit("regions.csv", "Peru", "@Peru")
    project.configure(shards=1, herb={**HERB, "bootstrap": {"replicates": 2}})
    project.run()
    results = project.folder / "results"
    tables = {path: path.read_text() for path in results.rglob("*.csv")}
    cells = [cell for text in tables.values() for row in csv.reader(io.StringIO(text)) for cell in row]
    assert {"'=wise", "'@Peru"} <= set(cells)
    assert [cell for cell in cells if re.match(r"[=@\t\r]|[+-][^\d.]", cell)] == []
    page = (results / "report/index.html").read_text()
    assert "@Peru" in page
    assert not re.search(r"('|&#39;|&#x27;|\\\\u0027)(=wise|@Peru)", page)
    assert "is as its record says" in project.run("verify")
    project.configure(shards=1, herb={**HERB, "bootstrap": {"replicates": 2}}, spreadsheet_safe=False)
    assert {"write_summary", "draw_herb", "table_herb"} <= set(project.jobs())
    assert not {"instantiate_herb", "score_shard", "measure_herb"} & set(project.jobs())
