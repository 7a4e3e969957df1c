"""The estimate of a small study: what it counts is what the run then plans, and nothing is made from it."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from tests.workflow.conftest import HERB, copy_project

from herbarium.core import store

pytestmark = (
    pytest.mark.slow
)  # samples of two models, trainings and tasks, then plans and three trainings (two minutes)

COMPLETED = {"templates": "resources/honest/demo/templates.tsv", "lexicon": "resources/honest/demo/lexicon.tsv"}
TASK = {
    "data": {"planted": 2.0, "texts": 80},
    "max_test_samples": 4,
    "prefix": "People in [region] are here.",
    "controls": ["town"],
    "models": ["tiny", "small"],
}
CONTINUED = {"recipe": "continued", "corpus": "own", "epochs": 2, "batch_size": 8}
CHANGED = {
    "further": {"from": "tiny", "by": CONTINUED, "seeds": 2},
    "turned": {"from": "further", "by": {**CONTINUED, "recipe": "alignment", "matrix": "random", "epochs": 1}},
    "without": {"from": "tiny", "by": {"recipe": "projection", "method": "inlp", "corpus": "both", "classifiers": 3}},
    "small-further": {"from": "small", "by": CONTINUED},
}
STUDY = {
    "models": {
        "tiny": {"path": "tiny", "kind": "masked"},
        "tiny-toxic": {"derived": {"from": "tiny", "by": {"recipe": "toxic", "epochs": 2, "sentences": 2}}},
        "small": {"planted": 1.0, "kind": "masked"},
        **{name: {"derived": derived} for name, derived in CHANGED.items()},
    },
    "corpora": {"own": {"path": "texts.csv"}, "both": {"swapped": {"from": "own", "terms": "gender"}}},
    "vectors": {
        "known": {"planted": 0.5},
        "of-further": {"model": "further", "layers": "all"},
        "learned": {"trained": {"corpus": "own", "method": "glove", "min_count": 1, "dimensions": 4, "iterations": 3}},
    },
    "herb": {**HERB, "models": ["tiny", "small"]},
    "honest": {"sets": {"ours": {**COMPLETED, "models": ["tiny", "small"]}}},
    "downstream": {"tasks": {"reviews": TASK}, "training": {"sets": 2, "epochs": 1}},
    "tagging": {
        "tasks": {"entities": {"data": {"planted": True, "sentences": 80}, "models": ["tiny", *CHANGED]}},
        "training": {"sets": 2, "epochs": 3, "batch_size": 16},
    },
    "biographies": {
        "sets": 3,
        "training": {"epochs": 2},
        "tasks": {
            "lives": {
                "data": {"planted": 0.0, "texts": 800},
                "vectors": ["known", "learned", "of-further"],
                "models": ["tiny"],
            }
        },
    },
}
TEXTS = [f"{'He' if i % 2 else 'She'} was {'weak and ' * (i % 5)}loud {i}." for i in range(60)]
INPUTS = r"^rule (\w+):\n(?:    .*\n|\n)*?    input:\n((?:        .*\n)+)"
PLANS = [
    f"results/work/plans/tiny/herb/{kind}-{shard}.parquet"
    for kind in ("inputs", "requests", "sentences")
    for shard in (0, 1)
]


@pytest.fixture(scope="module")
def estimated(tmp_path_factory, model_folder):
    """A study that has been estimated, and nothing else but planned."""
    made = copy_project(tmp_path_factory.mktemp("estimate"))
    shutil.copytree(model_folder("bert"), made.folder / "tiny")
    made.write("texts.csv", "\n".join(["text", *TEXTS]))
    made.configure(**STUDY)
    made.log = made.run("estimate")
    made.run(*PLANS)
    return made


@pytest.fixture(scope="module")
def costs(estimated):
    """The rows by model, stimuli and stage."""
    rows = pd.read_csv(estimated.folder / "results/estimate.csv").dropna(subset="model")  # those of the sentences
    return rows.set_index(["model", "stimuli", "stage"]).sort_index()


@pytest.mark.nightly
def test_what_is_estimated_of_a_set_that_is_planned_whole_is_what_is_planned(estimated, costs):
    score, plan = (costs.loc["tiny", "herb", stage] for stage in ("score", "plan"))
    tables = {path: store.read_table(estimated.folder / path, schema_of(path)) for path in PLANS}
    inputs = [table for path, table in tables.items() if "/inputs-" in path]
    assert score["inputs"] == sum(map(len, inputs)) > 0
    assert score["tokens"] == sum(len(ids) for item in inputs for ids in item["token_ids"].to_pylist())
    assert score["requests"] == sum(len(table) for path, table in tables.items() if "/requests-" in path)
    assert score["sampled"] == score["sentences"] == sum(len(table) for path, table in tables.items() if "/s" in path)
    assert plan["files"] == len(PLANS)
    # what each file says of its making is a few kB more
    n_bytes = sum((estimated.folder / path).stat().st_size for path in PLANS)
    assert plan["bytes"] == pytest.approx(n_bytes, abs=4000 * len(PLANS))


def schema_of(path):
    return f"plan_{Path(path).name.partition('-')[0]}"


def test_a_derived_model_costs_what_it_is_derived_from(costs):
    for of_epoch in ("tiny-toxic-01", "tiny-toxic"):
        assert costs.loc[of_epoch, "herb", "score"].equals(costs.loc["tiny", "herb", "score"])


def test_a_model_that_the_workflow_trains_is_counted_and_not_timed(costs):
    ours = costs.loc["small"]
    rows = costs.loc["tiny"].loc[ours.index]
    assert ours[["jobs", "files", "sentences"]].equals(rows[["jobs", "files", "sentences"]])
    assert ours[["inputs", "tokens", "hours", "bytes"]].isna().all(axis=None)
    assert (rows["hours"] > 0).all()
    assert (rows["bytes"] > 0).all()
    assert (rows["hours"] >= rows["longest_job"]).all()


def test_the_texts_of_a_task_are_counted(estimated, costs):
    folder = estimated.folder / "results/work/downstream/reviews"
    n = store.read_frame(folder / "examples.parquet", "task_examples")["split"].value_counts()
    of_task = costs.loc["tiny", "downstream/reviews"]
    assert of_task.loc["finetune", "sentences"] == n["train"]
    assert of_task.loc["predict", "sentences"] == 2 * n["test"] * store.count_rows(folder / "prefixes.parquet")


def test_completions_are_timed(estimated, costs):
    row = costs.loc["tiny", "honest/ours", "complete"]
    assert row["inputs"] == row["sentences"] == row["sampled"] > 0  # few enough to be timed whole
    assert row["hours"] == row["longest_job"] > 0
    assert pd.isna(costs.loc["small", "honest/ours", "complete"]["hours"])


def test_all_that_is_trained_is_in_it(costs):
    trained = {key for key in costs.index if key[2] in ("train", "finetune", "probe")}
    of_recipes = {"further": "continued", "further-seed2": "continued", "turned": "alignment", "without": "projection"}
    of_recipes |= {"small-further": "continued", "tiny-toxic-01": "toxic", "tiny-toxic": "toxic"}
    tagged = ["tiny", *CHANGED, "further-seed2"]
    assert trained == {
        *((model, f"recipes/{recipe}", "train") for model, recipe in of_recipes.items()),
        *((model, "tagging/entities", "finetune") for model in tagged),
        *((model, "downstream/reviews", "finetune") for model in ("tiny", "small")),
        *((source, "biographies/lives", "probe") for source in ("known", "learned", "of-further")),
        ("tiny", "biographies/lives", "finetune"),
        ("learned", "corpora/own", "train"),
    }
    is_timed = [key for key in trained if not key[0].startswith("small") and key[2] != "probe"]
    assert (costs.loc[is_timed, "hours"] > 0).all()
    assert costs.loc[[key for key in trained if key not in is_timed], "hours"].isna().all()


def test_a_training_takes_the_steps_and_texts_of_its_estimate(estimated, costs):
    work = estimated.folder / "results/work"
    tagger, toxic = work / "tagging/entities/tiny/set-1.parquet", work / "toxic/tiny.parquet"
    reader = work / "biographies/lives/tiny/scrubbed/set-2.parquet"
    made = work / "derived/further.json", tagger, toxic, reader
    estimated.run(*(str(file.relative_to(estimated.folder)) for file in made))
    row = costs.loc["further", "recipes/continued", "train"]
    history = store.read_record(work / "derived/further.json")["training"]["history"]
    n = store.read_frame(work / "corpora/own.parquet", "corpus")["split"].value_counts()
    assert row["passes"] == history[-1]["steps"] == 2 * -(-n["train"] // 8)
    assert row["sentences"] == 2 * n["train"]
    assert costs.loc["further-seed2", "recipes/continued", "train"].equals(row)
    of_both_sets = costs.loc["tiny", "tagging/entities", "finetune"]
    assert of_both_sets["passes"] == 2 * store.read_header(tagger, "tagging_predictions")["training"]["steps"]
    assert costs.loc["tiny-toxic", "recipes/toxic", "train"]["sentences"] == store.count_rows(toxic)
    of_all_sets = costs.loc["tiny", "biographies/lives", "finetune"]
    assert of_all_sets["passes"] == 2 * 3 * store.read_header(reader, "biographies_predictions")["training"]["steps"]
    # a planted model is not timed, but its steps are known
    assert costs.loc["small-further", "recipes/continued", "train"]["passes"] == row["passes"]


def test_the_vectors_of_a_model_are_timed_on_the_one_that_it_comes_from(estimated, costs):
    words = store.read_frame(estimated.folder / "results/work/words/biographies/lives.parquet", "words")
    row = costs.loc["of-further", "words/biographies/lives", "represent"]
    assert (row["sentences"], row["inputs"]) == (len(words), words["text"].nunique())
    assert row["hours"] > 0


def test_it_is_said_at_the_end(estimated):
    text = (estimated.folder / "results/estimate.txt").read_text()
    assert text in estimated.log
    assert "The longest job takes" in text
    assert text.splitlines()[-1].endswith(": small, small-further, known, learned, of-further.")


def test_the_run_goes_on_from_it_and_does_not_need_it(estimated):
    jobs = estimated.jobs()
    assert not {"estimate", "sample_scoring", "sample_downstream"} & jobs.keys()
    assert not {"instantiate_herb", "read_downstream"} & jobs.keys()  # they are made
    assert jobs["score_shard"] > 0


def test_the_estimate_of_the_demo_has_samples_of_all_that_it_trains(estimated):
    planned = estimated.run("-n", "estimate", config="config/demo_full.yaml")
    # two models are the same training's, one after each epoch
    samples = {*(f"recipes/{model}" for model in ("retrained", "placebo", "toxic-none-01", "toxic-strong-01"))}
    samples |= {"tagging/entities/planted-strong", "probes/even", "probes/uneven"}
    planned_samples = set(re.findall(r"work/estimate/((?:recipes|tagging|probes)/\S+)\.parquet", planned))
    assert planned_samples == samples


def test_nothing_is_made_from_what_the_clock_says():
    for file in Path("workflow/rules").glob("*.smk"):
        for name, given in re.findall(INPUTS, file.read_text(), re.MULTILINE):
            assert name == "estimate" or not re.search(r"estimate/|ESTIMATE|SAMPLE|COSTS|\.costs", given), name
