"""Tasks through the workflow: from a table of texts to measures, what a change runs again, and a kill."""

import os
import shutil
import signal
import subprocess
import time

import pandas as pd
import pytest
import torch
import yaml
from tests.measured.study import FILES, tables

from herbarium.core import store
from herbarium.models import loading
from herbarium.scoring import classifiers

pytestmark = pytest.mark.slow

PLANTED = {
    "prefix": "I am from [region].",
    "controls": ["here", "home"],
    "models": ["tiny"],
    "data": {"planted": 1.0, "texts": 80},
}


def test_from_a_table_of_texts_to_measures(measured, results):
    examples = store.read_frame(results / "work/downstream/talk/examples.parquet", "task_examples")
    texts = examples.loc[examples["split"] == "test", "text"].tolist()
    prefixes = store.read_frame(results / "work/downstream/talk/prefixes.parquet", "task_prefixes")
    assert prefixes["text"].tolist()[:2] == ["", "I am from Peru."]
    assert {"I am from Lima.", "I am from Lima, Peru.", "I am from here."} <= set(prefixes["text"])

    # each prediction is that of the classifier for the text by itself
    for run in ("bert/set-1", "bert/set-2", "theirs/published"):
        table = store.read_frame(results / f"work/downstream/talk/{run}/predictions-0.parquet", "predictions")
        assert len(table) == len(texts) * len(prefixes)
        folder = measured.folder / "theirs" if "theirs" in run else results / f"work/downstream/talk/{run}/classifier"
        model, tokenizer = classifiers.load(folder, "m", "float32"), loading.load_tokenizer(folder, "m")
        for row in table.sample(20, random_state=1).itertuples():
            text = f"{prefixes['text'][row.prefix]} {texts[row.example]}".strip()
            shown = tokenizer(text, return_tensors="pt", truncation=True, max_length=40)
            with torch.no_grad():
                logits = model(**shown).logits[0]
            assert row.log_odds == pytest.approx(float(logits[1] - logits[0]), abs=1e-5)
            assert row.n_tokens == shown["input_ids"].shape[1]

    for model in ("bert", "theirs"):
        numbers = store.read_frame(results / f"work/metrics/downstream/talk/{model}.parquet", "tidy")
        countries = numbers[(numbers["unit"] == "country") & (numbers["variant"] == "excess")]
        assert set(countries["group"]) == {f"talk/{country}" for country in ("pe", "ca", "bo", "cl", "nz", "fj")}
        # a classifier that is given has one training, which says nothing of others
        assert (countries[["ci_low", "ci_high", "p_adjusted"]].notna() == (model == "bert")).all(axis=None)
        local = store.read_frame(results / f"work/metrics/local_group_bias/talk/{model}.parquet", "tidy")
        assert set(local["group"]) == {"talk/pe against nz", "talk/a against the rest", "talk/gender: female, male"}
    assert (results / "work/metrics/propagation/talk/bert.parquet").exists()
    assert (results / "tables/downstream_table5.csv").exists()
    clusters = pd.read_csv(results / "tables/local_group_bias_clusters.csv")
    assert set(clusters["model"]) <= {"bert", "theirs", "careful"}
    published = store.read_frame(results / "work/published/local_group_bias.parquet", "published")
    assert set(published["agreement"]) <= {"not measured", "not comparable"}
    for model in ("bert", "theirs"):
        numbers = store.read_frame(results / f"work/metrics/downstream/talk/{model}.parquet", "tidy")
        rows = numbers[numbers["unit"] == "text_groups"].set_index("variant")
        assert set(rows["group"]) == {"talk/gender: female, male"}
        assert rows.loc["accuracy_difference", "n"] == len(texts)


TABLES = [f"results/tables/{name}.csv" for name in ("downstream_table5", "local_group_bias_clusters")]


def test_what_a_prefix_and_training_sets_run_again(edited):
    edited.edit("study.yaml", "I am from [region].", "We are from [region].")
    jobs = edited.jobs(*TABLES)
    assert {"instantiate_downstream": 2, "choose_local_group_bias": 2, "predict_downstream": 6}.items() <= jobs.items()
    assert not {"read_downstream", "finetune_downstream"} & jobs.keys()
    edited.edit("study.yaml", "training: {sets: 2,", "training: {sets: 1,")  # all texts in one
    assert {"read_downstream": 2, "finetune_downstream": 2}.items() <= edited.jobs(*TABLES).items()


def test_planted_texts_need_no_other_metric(project):
    project.configure(shards=1, herb={"models": []}, downstream={"tasks": {"talk": PLANTED}, "training": {"sets": 2}})
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


@pytest.mark.nightly
def test_killed_while_fine_tuning_and_while_predicting_the_rerun_ends_alike(project):
    downstream = yaml.safe_load(FILES["study.yaml"])["downstream"]
    task = downstream["tasks"]["talk"] | {"models": ["tiny"], "classifiers": {}}
    training = downstream["training"] | {"epochs": 12}
    project.write("talk.csv", tables()["talk.csv"].to_csv(index=False))
    project.configure(shards=2, herb={"models": []}, downstream={"tasks": {"talk": task}, "training": training})
    record, shards = f"{FOLDER}/classifier.json", [f"{FOLDER}/predictions-{shard}.parquet" for shard in (0, 1)]

    def figures():
        text = store.read_json(project.folder / record)
        return (
            text["files"],
            text["training"],
            [store.read_frame(project.folder / path, "predictions") for path in shards],
        )

    killed_once(project, f"{FOLDER}/.checkpoints-*/checkpoint-*/trainer_state.json", record)
    assert not (project.folder / record).exists()
    assert "continues from step" in project.run(record, "--rerun-incomplete")
    assert not list((project.folder / FOLDER).glob(".checkpoints-*"))

    killed_once(project, f"{FOLDER}/predictions-*.parquet", *shards)  # one shard is done
    assert project.jobs(*shards, "--rerun-incomplete").get("predict_downstream") in (1, 2)
    project.run(*shards, "--rerun-incomplete")
    files, training, predictions = figures()

    shutil.rmtree(project.folder / FOLDER)
    assert "continues from step" not in project.run(*shards)
    again = figures()
    assert (files, training) == again[:2]
    assert len(training["history"]) > 3
    for one, other in zip(predictions, again[2], strict=True):
        pd.testing.assert_frame_equal(one, other)


@pytest.mark.nightly
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
