"""The mixed-effects metric through the workflow: what is observed, fitted and written, and what a change runs again."""

import numpy as np
import pandas as pd
import pytest
from tests.measured.study import MIXED_EFFECTS
from tests.reports import assert_numbers_are_in

import herbarium
from herbarium.core import store

pytestmark = pytest.mark.slow


def observations(results, model):
    path = results / f"work/observations/{model}/mixed_effects/mine.parquet"
    return store.read_frame(path, "mixed_effects_observations")


def test_each_word_has_its_least_perplexing_sentence_with_the_librarys_association(measured, results):
    seen = observations(results, "roberta-large")
    rows = seen[(seen["definition"] == "paper") & (seen["template"] == "t2") & (seen["target"] == "clean")]
    texts = {word: [f"{d} {word} is clean." for d in ("the", "my")] for word in ("woman", "man")}
    folder = measured.folder / "roberta"
    chosen = {}
    for word, candidates in texts.items():
        pppl = herbarium.score(candidates, folder, "pppl")
        chosen[word] = ("the", "my")[int(np.argmin(pppl))]
        text = candidates[int(np.argmin(pppl))]
        spans = {
            "asked": [(text.index(word), text.index(word) + len(word))],
            "condition": [(len(text) - 6, len(text) - 1)],
        }
        expected = (
            herbarium.score([text], folder, "slot", spans=spans).iloc[0]
            - herbarium.score([text], folder, "slot_prior", spans=spans).iloc[0]
        )
        row = rows[(rows["word"] == word) & (rows["determiner"] == chosen[word])].iloc[0]
        assert row["association"] == pytest.approx(expected, abs=1e-5)
        assert row["pppl"] == pytest.approx(pppl.min(), rel=1e-5)
    pair = rows[rows["pair"] == "woman-man"]
    assert set(pair["determiner"]) == set(chosen.values())
    causal = observations(results, "gpt2")
    row = causal[(causal["word"] == "he") & (causal["template"] == "t2") & (causal["target"] == "tidy")].iloc[0]
    loss = herbarium.score(["he is tidy."], measured.folder / "gpt2", "loss", kind="causal").iloc[0]
    assert row["association"] == pytest.approx(-loss, abs=1e-5)


def test_the_fits_that_are_asked_for_are_in_the_tables_and_the_report(results):
    fits = store.read_frame(results / "work/metrics/fits.parquet", "adjusted_fits")
    asked = fits.groupby(["model", "data", "definition"]).size()
    # three contrasts, shared, with negative, common, two kinds, crossed and of equal length; words and three templates
    # left out
    assert (asked["roberta-large", "mine", "paper"], asked["roberta-large", "mine", "released"]) == (16, 16)
    assert asked["gpt2", "mine", "paper"] == 15  # too few of its pairs are of equal length
    assert asked["roberta-large", "crows_pairs", "paper"] == 2
    assert ("gpt2", "mine", "released") not in asked
    fits = fits[fits["data"] == "mine"]
    main = fits[fits["structure"] == "intercepts"]
    assert (main["r2_low"] <= main["r2_high"]).all()
    untested = fits["p_value"].isna()
    assert set(fits.loc[untested, "structure"]) == {"crossed"}  # of which three templates are too few
    assert fits.loc[untested, "note"].str.contains("templates").all()
    assert fits["p_adjusted"].ge(fits["p_value"])[~untested].all()
    summary = pd.read_csv(results / "summary.csv")
    scores = pd.read_csv(results / "tables/mixed_effects_scores.csv")
    assert len(scores) == len(fits)
    page = (results / "report/index.html").read_text(encoding="utf-8")
    section, after = (f'<section aria-labelledby="{name}"' for name in ("mixed", "crows-pairs"))
    assert_numbers_are_in(summary, page.partition(section)[2].partition(after)[0])


def test_what_a_change_runs_again(edited):
    """How many replicates concerns no score."""
    edited.edit("study.yaml", "{replicates: 10}", "{replicates: 11}")
    jobs = edited.jobs("results/work/metrics/fits.parquet")
    assert jobs["measure_mixed_effects"] == 2
    assert not [rule for rule in jobs if rule.startswith(("score", "observe", "plan"))]


def test_a_machine_without_r_gets_one_clear_sentence(project):
    for name, text in MIXED_EFFECTS.items():
        project.write(f"lists/{name}.csv", text)
    stimuli = {"mine": {"lists": "lists", "models": ["tiny"], "determiners": ["the", "my"]}}
    project.configure(shards=1, herb={"models": []}, mixed_effects={"stimuli": stimuli})
    project.write("no r/rpy2/__init__.py", "raise ImportError('no R here')")
    log = project.fails("mixed_effects", "--keep-going", PYTHONPATH=str(project.folder / "no r"))
    (settings,) = {line.partition("Error: ")[2] for line in log.splitlines() if "Error: Mixed-effects" in line}
    assert "no R here" in settings
    assert "`mixed_models: engine: none`" in settings
    assert "Traceback" not in log.partition("Error: Mixed-effects")[2]
    assert (project.folder / "results/work/observations/tiny/mixed_effects/mine.parquet").exists()
