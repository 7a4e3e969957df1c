"""Tasks through the workflow: from a table of texts to measures, what a change runs again, and a kill."""

import os
import shutil
import signal
import subprocess
import time

import numpy as np
import pandas as pd
import pytest
import torch

from herbarium.core import store
from herbarium.models import loading
from herbarium.scoring import classifiers

pytestmark = pytest.mark.slow  # runs workflows (two minutes together)

PLACES = ["Lima", "Cusco", "Ottawa", "the town", "our street"]
WORDS = {"kind": ["wise", "loud", "hard-working"], "rude": ["weak", "shy", "late"]}
TALK = [
    (f"{where}-{label}-{word}-{n}", f"People of {where} are {word}, {n} of them.", label)
    for where in PLACES
    for label, words in WORDS.items()
    for word in words
    for n in ("two", "ten")
]
TASK = {
    "data": {"path": "talk.csv"},
    "id": "id",
    "source": "^(.+)-",
    "negative": ["kind"],
    "positive": ["rude"],
    "split": {"test_share": 0.4},
    "prefix": "I am from [region].",
    "controls": ["here", "home"],
    "groups": {"gender": {"column": "gender", "values": ["female", "male"]}},
    "models": ["tiny"],
    "classifiers": {"theirs": {"path": "theirs", "positive": "positive"}},
}
TRAINING = {"sets": 2, "epochs": 2, "learning_rate": 1e-3, "batch_size": 4, "max_tokens": 40, "validation_share": 0.4}
DOWNSTREAM = {
    "tasks": {"talk": TASK},
    "regions": {"cities": ["Lima"]},
    "training": TRAINING,
    "bootstrap": {"replicates": 30},
}
OF_TASKS = {
    "downstream": DOWNSTREAM,
    "propagation": {"bootstrap": {"replicates": 30}},
    "local_group_bias": {
        **{"clusters": 2, "permutations": 20, "restarts": 1},
        **{"pairs": [["pe", "nz"]], "continents": ["a"]},
    },
}


def with_genders(talk):
    """Rows as a table: women speak of ten people, men of two."""
    table = pd.DataFrame(talk, columns=["id", "text", "label"])
    return table.assign(gender=np.where(table["text"].str.contains(r"\bten\b"), "female", "male"))


def save_classifier(folder, base):
    """A classifier that nobody has trained, as others give it away. base: the folder of a language model."""
    tokenizer = loading.load_tokenizer(base, "theirs")
    for part in (classifiers.begin(base, tokenizer, "theirs", seed=1), tokenizer):
        part.save_pretrained(folder)


@pytest.fixture
def study(project, model_folder):
    project.write("talk.csv", with_genders(TALK).to_csv(index=False))
    save_classifier(project.folder / "theirs", model_folder("bert"))
    return project


def configured(project, task=None, shards=1, **changes):
    downstream = {**DOWNSTREAM, "tasks": {"talk": {**TASK, **(task or {})}}, **changes}
    project.configure(shards=shards, **OF_TASKS | {"downstream": downstream})


def test_from_a_table_of_texts_to_measures_and_what_a_change_runs_again(study):
    wanted = ["downstream", "propagation", "local_group_bias"]
    configured(study)
    study.run(*wanted, "results/work/published/local_group_bias.parquet")
    results = study.folder / "results"
    examples = store.read_frame(results / "work/downstream/talk/examples.parquet", "task_examples")
    texts = examples.loc[examples["split"] == "test", "text"].tolist()
    prefixes = store.read_frame(results / "work/downstream/talk/prefixes.parquet", "task_prefixes")
    assert prefixes["text"].tolist()[:2] == ["", "I am from Peru."]
    assert {"I am from Lima.", "I am from Lima, Peru.", "I am from here."} <= set(prefixes["text"])

    # each prediction is that of the classifier for the text by itself
    for run in ("tiny/set-1", "tiny/set-2", "theirs/published"):
        table = store.read_frame(results / f"work/downstream/talk/{run}/predictions-0.parquet", "predictions")
        assert len(table) == len(texts) * len(prefixes)
        folder = study.folder / "theirs" if "theirs" in run else results / f"work/downstream/talk/{run}/classifier"
        model, tokenizer = classifiers.load(folder, "m", "float32"), loading.load_tokenizer(folder, "m")
        for row in table.sample(20, random_state=1).itertuples():
            text = f"{prefixes['text'][row.prefix]} {texts[row.example]}".strip()
            shown = tokenizer(text, return_tensors="pt", truncation=True, max_length=40)
            with torch.no_grad():
                logits = model(**shown).logits[0]
            assert row.log_odds == pytest.approx(float(logits[1] - logits[0]), abs=1e-5)
            assert row.n_tokens == shown["input_ids"].shape[1]

    for model in ("tiny", "theirs"):
        numbers = store.read_frame(results / f"work/metrics/downstream/talk/{model}.parquet", "tidy")
        countries = numbers[(numbers["unit"] == "country") & (numbers["variant"] == "excess")]
        assert set(countries["group"]) == {f"talk/{country}" for country in ("pe", "ca", "nz", "fj")}
        # a classifier that is given has one training, which says nothing of others
        assert (countries[["ci_low", "ci_high", "p_adjusted"]].notna() == (model == "tiny")).all(axis=None)
        local = store.read_frame(results / f"work/metrics/local_group_bias/talk/{model}.parquet", "tidy")
        assert set(local["group"]) == {"talk/pe against nz", "talk/a against the rest", "talk/gender: female, male"}
    assert (results / "work/metrics/propagation/talk/tiny.parquet").exists()
    assert (results / "tables/downstream_table5.csv").exists()
    clusters = pd.read_csv(results / "tables/local_group_bias_clusters.csv")
    assert set(clusters["model"]) <= {"tiny", "theirs"}
    published = store.read_frame(results / "work/published/local_group_bias.parquet", "published")
    assert set(published["agreement"]) <= {"not measured", "not comparable"}
    for model in ("tiny", "theirs"):
        numbers = store.read_frame(results / f"work/metrics/downstream/talk/{model}.parquet", "tidy")
        rows = numbers[numbers["unit"] == "text_groups"].set_index("variant")
        assert set(rows["group"]) == {"talk/gender: female, male"}
        assert rows.loc["accuracy_difference", "n"] == len(texts)

    assert study.jobs(*wanted) == {}
    measured = {"measure_downstream": 2, "table_downstream": 1, "downstream": 1}
    measured |= {"measure_propagation": 1, "compare_propagation": 1, "propagation": 1}
    local = {"measure_local_group_bias": 2, "table_local_group_bias": 1, "local_group_bias": 1}
    asked = {"predict_downstream": 3, "embed_local_group_bias": 2} | local | measured

    study.edit("workflow/scripts/herbarium/metrics/downstream/names.py", "FEWEST = 3", "FEWEST = 4")
    assert study.jobs(*wanted) == measured
    study.edit("workflow/scripts/herbarium/metrics/downstream/names.py", "FEWEST = 4", "FEWEST = 3")
    configured(study, {"prefix": "We are from [region]."})
    assert study.jobs(*wanted) == asked | {"instantiate_downstream": 1, "choose_local_group_bias": 1}
    configured(study, training={**TRAINING, "sets": 1})  # all texts in one
    assert {"read_downstream": 1, "finetune_downstream": 1}.items() <= study.jobs(*wanted).items()
    configured(study, {"controls": ["here", "Peru"]})
    assert "'Peru' is among the control names, but it is the name of a region" in study.fails(*wanted)


def test_planted_texts_need_no_other_metric(project):
    task = {key: TASK[key] for key in ("prefix", "controls", "models")} | {"data": {"planted": 1.0, "texts": 80}}
    project.configure(shards=1, herb={"models": []}, downstream={**DOWNSTREAM, "tasks": {"talk": task}})
    assert project.jobs("downstream") == {
        **dict.fromkeys(("list_regions", "resolve_model", "read_downstream", "instantiate_downstream"), 1),
        **{
            "finetune_downstream": 2,
            "predict_downstream": 2,
            "measure_downstream": 1,
            "table_downstream": 1,
            "downstream": 1,
        },
    }


FOLDER = "results/work/downstream/talk/tiny/set-1"


def killed_once(project, seen, *targets):
    """Start a run, and kill all its processes when a file of the pattern is there."""
    command = ["snakemake", *targets, "--cores", "1", "--resources", "gpu=1", "--configfile", "study.yaml"]
    running = subprocess.Popen(
        command,
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": ""},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.time() + 120
    while not list(project.folder.glob(seen)):
        assert time.time() < until
        assert running.poll() is None
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    project.run("--unlock")


def test_killed_while_fine_tuning_and_while_predicting_the_rerun_ends_alike(study):
    configured(study, shards=2, training={**TRAINING, "epochs": 12})
    record, shards = f"{FOLDER}/classifier.json", [f"{FOLDER}/predictions-{shard}.parquet" for shard in (0, 1)]

    def figures():
        text = store.read_json(study.folder / record)
        return (
            text["files"],
            text["training"],
            [store.read_frame(study.folder / path, "predictions") for path in shards],
        )

    killed_once(study, f"{FOLDER}/.checkpoints-*/checkpoint-*/trainer_state.json", record)
    assert not (study.folder / record).exists()
    assert "continues from step" in study.run(record, "--rerun-incomplete")
    assert not list((study.folder / FOLDER).glob(".checkpoints-*"))

    killed_once(study, f"{FOLDER}/predictions-*.parquet", *shards)  # one shard is done
    assert study.jobs(*shards, "--rerun-incomplete").get("predict_downstream") in (1, 2)
    study.run(*shards, "--rerun-incomplete")
    files, training, predictions = figures()

    shutil.rmtree(study.folder / FOLDER)
    assert "continues from step" not in study.run(*shards)
    again = figures()
    assert (files, training) == again[:2]
    assert len(training["history"]) > 3
    for one, other in zip(predictions, again[2], strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_bad_data_are_told_with_their_place(study):
    study.write("talk.csv", "id,text,label\n1,a,kind\n2,b,odd\n")
    configured(study, {"source": None, "groups": {}})
    log = study.fails("results/work/downstream/talk/examples.parquet")
    assert "talk.csv, row 2, column 'label': 'odd' is not one of the labels kind, rude" in log


def test_hatespeech18_end_to_end_with_a_small_encoder(project, shared):
    """The authors' sample, as in HERB's Table 4, with two layers of random weights and a real vocabulary."""
    data = {"path": str(shared / "data/hatespeech18/hatespeech18.csv")}
    split = {"column": "sampled_split", "train": ["train"], "test": ["test"]}
    task = {"data": data, "id": "file_id", "source": r"^(\d+)_", "split": split}
    task |= {"negative": ["noHate"], "positive": ["hate"], "ignored": ["relation", "idk/skip"]}
    task |= {"prefix": "I am from [region].", "controls": ["here", "there", "home"], "models": ["bert-base-cased"]}
    downstream = {
        "tasks": {"hatespeech18": task},
        "regions": {"countries": ["IE", "MX", "UG", "SY"], "cities": ["Tapachula"]},
        "training": {"sets": 1, "epochs": 2, "learning_rate": 5e-4, "max_tokens": 48},
        "bootstrap": {"replicates": 200},
    }
    cities = {"countries": ["MX"], "min_population": 300_000}
    project.configure(
        shards=1,
        models={"bert-base-cased": {"path": str(shared / "golden/bert_random/model"), "kind": "masked"}},
        herb={"models": []},
        regions={"cities": cities},
        downstream=downstream,
    )
    project.run("downstream")
    results = project.folder / "results"
    header = store.read_header(results / "work/downstream/hatespeech18/examples.parquet", "task_examples")
    counts = header["summary"]["counts"]
    assert counts["test"] == {"negative": 239, "positive": 239}
    assert sum(counts["train"].values()) + sum(counts["validation"].values()) == 1914
    assert header["summary"]["sources_in_train_and_test"] == 124

    table4 = pd.read_csv(results / "tables/downstream_table4.csv").set_index(["line", "measure"])
    assert table4.loc[("original", "Acc."), "published"] == 0.8808
    assert table4.loc[("original", "Acc."), "paper_low"] > 0.5  # it has learned something
    up, down = (table4.loc[("Ireland", f"Quantity{way}")] for way in "↑↓")
    assert up["published"] + down["published"] == 478
    assert up["paper"] + down["paper"] == 478
    assert ("Tapachula, Mexico", "Quantity↑") in table4.index
    table5 = pd.read_csv(results / "tables/downstream_table5.csv")
    assert set(table5["line"]) == {"all countries", "without Ireland", "without Mexico"}
    assert table5["published"].notna().all()
