"""Languages as a workflow: files of word vectors, a dictionary, and the same numbers by hand."""

import numpy as np
import pandas as pd
import pytest
from tests.measured.study import vectors
from tests.metrics.languages.toy import LISTS

from herbarium.core import store
from herbarium.metrics.languages import score
from herbarium.metrics.languages.spaces import ALIGNED

pytestmark = pytest.mark.slow


def test_files_of_word_vectors(results):
    table = pd.read_csv(results / "tables/languages_numbers.csv")
    rows = table[(table["unit"] == "files") & (table["group"] == "spanish") & (table["definition"] == "paper")]
    rows = rows.set_index("variant")
    spanish = vectors()["spanish"]
    pairs, seeds = LISTS["spanish"].occupations[1:], LISTS["spanish"].seeds
    forms = [
        np.array([spanish[word] for word in words[gender]])
        for words in (pairs, seeds)
        for gender in ("masculine", "feminine")
    ]
    assert rows.loc["inbias", "estimate"] == pytest.approx(score.in_bias(score.gaps(*forms)).mean(), rel=1e-5)
    missing = pd.read_csv(results / "tables/languages_missing.csv")
    assert {"doctor", "médico"} <= set(missing["word"])
    header = store.read_header(results / "work/aligned/languages/files/spanish-english.parquet", ALIGNED.name)
    assert header["n_train"] == 114
    assert header["losses"] == sorted(header["losses"], reverse=True)


def test_a_model_whose_space_two_languages_share(results):
    table = pd.read_csv(results / "tables/languages_numbers.csv")
    table = table[table["unit"] == "shared"]
    assert set(table["model"]) == {"bert-last"}
    assert set(table["group"]) == set(LISTS)


def test_a_pivot_that_is_hard_debiased(results):
    """ENDEB: English without its gender, by itself and as the pivot of Spanish."""
    tables = results / "tables"
    table = pd.read_csv(tables / "languages_numbers.csv")
    table = table[table["unit"] == "both"]
    lean = table[table["variant"] == "lean"].set_index("group")
    assert lean.loc["english", "ci_high"] < 0
    assert lean.loc["endeb", "model"] == "hard"

    # all seeds are pairs that were equalised, and an occupation with one form is equally near to both words of each
    pairs = pd.read_csv(tables / "languages_pairs.csv")
    of_one_form = pairs[(pairs["group"] == "endeb") & ~pairs["is_strong"]]
    assert len(of_one_form) > 80
    assert of_one_form["inbias"].max() < 1e-6

    # both pivots have a translation of Spanish each, and numbers of their own
    aligned = [f"spanish → {pivot}" for pivot in ("english", "endeb")]
    assert lean.loc[aligned, "n"].tolist() == [len(LISTS["spanish"].occupations)] * 2
    translations = pd.read_csv(tables / "languages_translations.csv")
    translations = translations[translations["space"] == "both"]
    assert translations.groupby("alignment")["rcsls"].mean().to_dict() == {"spanish-endeb": 1.0, "spanish-english": 1.0}

    # what hard debiasing changed, of the same words
    frame = store.read_frame(results / "work/changes/languages/both.parquet", "changes").set_index("measure")
    assert frame.index.tolist() == ["Languages, both: english", "Languages, both: spanish in the space of english"]
    for measure, (before, after) in zip(frame.index, (("english", "endeb"), aligned), strict=True):
        difference = lean.loc[after, "estimate"] - lean.loc[before, "estimate"]
        assert frame.loc[measure, "estimate"] == pytest.approx(difference, abs=1e-6)
    drawn = pd.read_csv(results / "figures/changes.csv").set_index("measure")
    assert drawn.loc["Languages, both: english", "p_adjusted"] < 0.01
    assert drawn.loc["Languages, both: english", "first"] == "strong"

    # what is planted says what is expected of a pivot that is planted, and nothing of one that was changed
    calibration = store.read_frame(results / "work/calibration/languages.parquet", "calibration").set_index("series")
    assert calibration.index.tolist() == ["english", "spanish", "spanish → english"]
    assert calibration["expected"].between(calibration["ci_low"], calibration["ci_high"]).all()
    reliability = pd.read_csv(tables / "reliability.csv").set_index(["metric", "model"])
    assert reliability.loc[("languages", "both"), ["measure", "n_objects"]].tolist() == ["lean", 5]
