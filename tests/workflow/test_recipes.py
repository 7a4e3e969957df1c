"""Recipes in the workflow: a model goes on learning from a corpus, and is measured like any other."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors import torch as safetensors_torch
from tests.workflow.conftest import HERB, REGIONS, STUDY

import herbarium
from herbarium.core import store

pytestmark = pytest.mark.slow  # runs and dry runs of the workflow

SETTINGS = {"recipe": "continued", "schedule": "ahn_oh", "batch_size": 8, "warm_up": 4, "learning_rate": 5e-3}
DROPOUT = {"hidden_dropout": 0.2, "attention_dropout": 0.15}
TARGETS = ("results/work/metrics/herb/after.parquet", "results/work/metrics/herb/after-seed2.parquet")


def learns(corpus, **changes):
    return {"derived": {"from": "tiny", "by": {**SETTINGS, "corpus": corpus}} | changes}


def dropout(folder):
    content = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return content["hidden_dropout_prob"], content["attention_probs_dropout_prob"]


def configure(project, after):
    models = {**STUDY["models"], "after": after}
    corpora = {"own": {"path": "own.txt"}}
    if after["derived"]["by"].get("corpus") == "swapped":
        corpora["swapped"] = {"swapped": {"from": "own", "terms": "gender", "sides": "two", "names": "names.txt"}}
    herb = {**HERB, "models": ["tiny", "after"]}
    project.configure(shards=1, models=models, corpora=corpora, herb=herb)
    project.write("names.txt", "Ann\n")
    people = ("He", "Ann said she", "My uncle", "The queen", "It")
    project.write("own.txt", "\n".join(f"{who} is weak in {n}." for who in people for n in range(40)) + "\n")


def test_what_runs(project):
    """Two models of two seeds, which share what they learn from, and the plans of the one that they come from."""
    configure(project, learns("swapped", seeds=2))
    jobs = project.jobs(*TARGETS)
    expected = {"read_corpus": 1, "swap_corpus": 1, "train_continued": 2, "resolve_model": 3, "plan_scoring": 2}
    assert {rule: jobs[rule] for rule in expected} == expected
    configure(project, learns("own"))
    jobs = project.jobs(TARGETS[0])
    assert (jobs["read_corpus"], jobs["train_continued"], jobs.get("swap_corpus")) == (1, 1, None)


def test_a_model_learns_and_is_measured(project):
    after = learns("swapped", seeds=2)
    after["derived"]["by"] |= DROPOUT
    configure(project, after)
    project.run(*TARGETS)
    results = project.folder / "results"
    texts = store.read_frame(results / "work/corpora/swapped.parquet", "corpus")
    assert texts["side"].value_counts().to_dict() == {"original": 200, "swapped": 160}
    assert texts[texts["side"] == "swapped"]["text"].str.match("She|E1 said he|My aunt|The king").all()
    readable = pd.read_csv(results / "work/corpora/swapped.csv")
    assert readable["text"].tolist() == texts["text"].tolist()
    records = [store.read_record(results / f"work/derived/{name}.json") for name in ("after", "after-seed2")]
    for record in records:
        losses = [row["held_out_loss"] for row in record["training"]["history"]]
        assert len(losses) == 3
        assert losses[-1] < losses[0]
        assert record["training"]["settings"].items() >= DROPOUT.items()
    assert dropout(results / "work/derived/after") == dropout(
        project.folder / "tiny"
    )  # that of the training is none of it
    weights = [(results / f"work/derived/{name}/model.safetensors").read_bytes() for name in ("after", "after-seed2")]
    assert weights[0] != weights[1]
    numbers = [store.read_frame(target, "tidy")["estimate"] for target in map(project.folder.joinpath, TARGETS)]
    assert not np.allclose(*numbers, equal_nan=True)
    assert project.jobs(*TARGETS) == {}
    # another text reruns what learns from it
    project.edit("own.txt", "It is weak in 3.", "It is weak in 300.")
    assert project.jobs(*TARGETS)["train_continued"] == 2


def test_a_corpus_without_a_term_is_an_error_before_the_first_job(project):
    configure(project, learns("swapped"))
    project.write("own.txt", "\n".join(f"It is weak in {n}." for n in range(40)) + "\n")
    message = project.fails("results/work/corpora/swapped.parquet")
    assert "none of the 40 texts has a term of this list" in message
    assert not (project.folder / "results/work/corpora").exists()


def test_a_head_that_cannot_be_turned_is_an_error_before_the_first_job(project, model_folder):
    configure_alignment(project, model_folder)
    shutil.rmtree(project.folder / "tiny")
    shutil.copytree(model_folder("electra"), project.folder / "tiny")
    message = project.fails(*ALIGNED)
    for name in ("after", "turned"):
        assert f"models.{name}.derived.by: ElectraForMaskedLM: the first layer of this family's head" in message
    assert not (project.folder / "results/work/models").exists()


def configure_alignment(project, model_folder):
    """The tiny model is aligned to another, by texts that are half the same in both languages."""
    aligned = {"recipe": "alignment", "to": "other", "parallel": "two", "languages": ["one", "another"]}
    random = {"recipe": "alignment", "matrix": "random"}
    models = {**STUDY["models"], "other": {"path": "other", "kind": "masked"}}
    models |= {"after": learns("own", by={**SETTINGS, **aligned, "corpus": "own"})}
    models |= {"turned": learns("own", by={**SETTINGS, **random, "corpus": "own"})}
    texts = {"one": {"path": "own.txt"}, "another": {"path": "other.txt"}}
    configure(project, models["after"])
    project.configure(
        shards=1,
        models=models,
        corpora={"own": {"path": "own.txt"}},
        parallel={"two": {"texts": texts, "max_texts": 150}},
        herb={**HERB, "models": ["tiny", "after", "turned"]},
    )
    shutil.copytree(model_folder("bert"), project.folder / "other")
    text = (project.folder / "own.txt").read_text()
    project.write("other.txt", text.replace("weak", "loud"))


ALIGNED = ("results/work/metrics/herb/after.parquet", "results/work/metrics/herb/turned.parquet")


def test_what_runs_for_an_aligned_model(project, model_folder):
    configure_alignment(project, model_folder)
    jobs = project.jobs(*ALIGNED)
    expected = {"read_parallel": 2, "align_words": 1, "fit_rotation": 1, "train_continued": 2, "read_corpus": 1}
    assert {rule: jobs[rule] for rule in expected} == expected


@pytest.mark.nightly
def test_a_model_is_aligned_and_measured(project, model_folder):
    configure_alignment(project, model_folder)
    lines = (project.folder / "other.txt").read_text()
    project.write("other.txt", lines + "One more.\n")
    assert "parallel.two: there are 200 of one, 201 of another" in project.fails(*ALIGNED)
    assert not (project.folder / "results/work/parallel").exists()  # before the first job
    project.write("other.txt", lines)
    project.run(*ALIGNED)
    results = project.folder / "results"
    words = store.read_frame(results / "work/parallel/two/words/one/another.parquet", "alignments")
    assert len(words["row"].unique()) <= 150
    assert (words["from_text"].str.lower() == words["to_text"].str.lower().replace("loud", "weak")).mean() > 0.9
    header = store.read_header(results / "work/rotations/tiny/other/two/one/another.parquet", "rotation")
    assert header["held_out_cosine"] >= header["held_out_cosine_before"]
    base = safetensors_torch.load_file(project.folder / "tiny/model.safetensors")
    for name in ("after", "turned"):
        made = safetensors_torch.load_file(results / f"work/derived/{name}/model.safetensors")
        changed = {key for key, tensor in made.items() if not torch.equal(tensor, base[key])}
        assert "cls.predictions.transform.dense.weight" in changed
        assert all(key.startswith("cls.") for key in changed)
    numbers = [store.read_frame(project.folder / target, "tidy")["estimate"] for target in ALIGNED]
    assert not np.allclose(*numbers, equal_nan=True)
    assert project.jobs(*ALIGNED) == {}


NEUTRAL = {"derived": {"from": "tiny", "by": {"recipe": "neutralised", "terms": "gender"}}}
NEUTRALISED, NEUTRAL_SCORES = "results/work/metrics/herb/neutral.parquet", "results/work/scores/neutral/herb.parquet"


def configure_neutralised(project, words="weak\nuncle\nqueen\nmale\n", models=("tiny", "neutral")):
    """HERB of a model and of its neutralised form, with descriptions of which some are gendered words."""
    herb = {**HERB, "models": list(models)}
    project.configure(shards=2, models={**STUDY["models"], "neutral": NEUTRAL}, herb=herb)
    project.write("words/mind.txt", words)
    project.write("regions.csv", REGIONS.replace("Fiji", "Isle of Man"))


def test_what_runs_for_a_neutralised_model(project):
    """The base alone is resolved, planned and run: on the sentences as they are, and on those with words swapped."""
    configure_neutralised(project, models=["neutral"])
    jobs = project.jobs(NEUTRALISED)
    expected = {"record_neutralised": 1, "resolve_model": 1, "swap_stimuli": 4, "neutralise_scores": 2}
    expected |= {"plan_scoring": 8, "score_shard": 8, "gather_scores": 4}
    assert {rule: jobs[rule] for rule in expected} == expected
    # a base that is itself measured adds no scores
    configure_neutralised(project)
    both = project.jobs(NEUTRALISED, "results/work/metrics/herb/tiny.parquet")
    assert {rule: both[rule] for rule in expected} == expected


def test_a_neutralised_model_scores_the_mean_of_a_text_and_its_swap(project):
    configure_neutralised(project)
    project.run(NEUTRAL_SCORES)
    results = project.folder / "results"
    scores, base = (
        store.read_frame(results / f"work/scores/{name}/herb.parquet", "scores") for name in ("neutral", "tiny")
    )
    shards = [store.read_frame(results / f"work/stimuli/herb/{n}.parquet", "herb_stimuli") for n in range(2)]
    texts = pd.concat(shards).set_index("sentence_id")["text"][scores["sentence_id"]]
    assert texts.str.contains("Isle of Man").any()  # a name, which stays
    others = texts.replace({"uncle": "aunt", "queen": "king", "male": "female"}, regex=True)
    by_hand = [herbarium.score(side.tolist(), project.folder / "tiny").to_numpy() for side in (texts, others)]
    # the tokenizer has no f
    is_known, is_refused = base["value"].notna(), others.str.contains("female").to_numpy()
    expected = np.where(is_known & ~is_refused, np.mean(by_hand, axis=0), np.nan)
    np.testing.assert_allclose(scores["value"], expected, rtol=1e-5)
    is_swapped = is_known & ~is_refused & (texts != others).to_numpy()
    assert (scores["value"] - base["value"])[is_swapped].abs().max() > 1e-3
    note = "refused: the tokenizer knows no part of the description, only [UNK] (with gendered words swapped)"
    assert set(scores["note"][is_refused & is_known]) == {note}
    refusals = store.read_frame(results / "work/refusals/neutral/herb.parquet", "refusals")
    counts = refusals.set_index("reason")["n"]
    assert counts[note.removeprefix("refused: ")] == (is_refused & is_known).sum() > 0
    records = [store.read_record(results / f"work/models/{name}.json") for name in ("neutral", "tiny")]
    assert {key for key, value in records[0].items() if records[1][key] != value} == {"name", "source", "derived"}
    assert records[0]["derived"]["by"]["recipe"] == "neutralised"
    text = store.read_header(results / NEUTRAL_SCORES.removeprefix("results/"))
    assert (text["model"]["name"], text["model"]["derived"]) == ("neutral", records[0]["derived"])
    assert text["models"].keys() == {"tiny", "neutral"}
    assert project.jobs(NEUTRAL_SCORES) == {}


@pytest.mark.nightly
def test_without_a_gendered_word_a_neutralised_model_is_the_one_that_it_comes_from(project):
    configure_neutralised(project, "weak\nwise\n")
    output = project.run(NEUTRAL_SCORES)
    assert "no sentence of herb has a word to swap" in output
    scores, base = (
        store.read_frame(project.folder / f"results/work/scores/{name}/herb.parquet", "scores")
        for name in ("neutral", "tiny")
    )
    pd.testing.assert_frame_equal(scores, base)
