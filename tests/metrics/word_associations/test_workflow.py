"""Word associations as a workflow: planted vectors, a file of vectors, and a model's layers."""

import numpy as np
import pandas as pd
import pytest
from tests.measured.study import FEW

from herbarium.core import store
from herbarium.vectors import debiased, files, tables

pytestmark = pytest.mark.slow


def test_every_kind_of_source(results):
    numbers = pd.read_csv(results / "tables/word_associations_numbers.csv", dtype={"variant": str})
    strong = numbers[(numbers["model"] == "strong") & (numbers["metric"] == "projection_women")].iloc[0]
    assert strong["ci_high"] < 0
    assert strong["p_adjusted"] < 0.05
    few = numbers[(numbers["model"] == "few") & (numbers["metric"] == "projection_women")].iloc[0]
    assert few["n"] == 4
    assert "36 of 40 occupations left out, without vectors: carpenter" in few["note"]
    other = numbers[numbers["model"] == "other"]
    assert other["estimate"].isna().all()
    assert other["note"].notna().all()
    layers = numbers[numbers["model"] == "bert"]
    assert set(layers["variant"]) == {"0", "1", "2"}
    assert set(layers.loc[layers["unit"] == "seat", "metric"]) == {"seat", "rnd", "rnsb"}
    analogies = numbers[numbers["metric"] == "analogy"].set_index(["model", "definition"])
    assert set(analogies.xs("paper", level="definition").index) == {"few", "few-hard", "other"}
    assert (
        "1 of 3 questions left out: no vector for king, queen; among 12 words" in analogies.loc["few", "paper"]["note"]
    )
    assert analogies.loc["few", "own"]["note"].endswith("; among 4 words")
    _assert_answered_among_debiased_words(results, FEW)
    assert np.isnan(analogies.loc["other", "paper"]["estimate"])
    listed = pd.read_csv(results / "tables/word_associations_words.csv")
    assert listed.loc[listed["source"] == "few", "note"].notna().sum() == listed["word"].nunique() - len(FEW)
    calibration = store.read_frame(results / "work/calibration/word_associations.parquet", "calibration")
    assert calibration["expected"].notna().all()
    changes = pd.read_csv(results / "figures/changes.csv").set_index("measure")
    changes = changes[changes.index.str.startswith("Word associations")]
    assert set(changes["first"] + " to " + changes["second"]) == {"strong to hard", "few to few-hard"}
    changes = changes[changes["second"] == "hard"]
    lean = changes.loc["Word associations, own, he-she: lean of stereotype pairs"]
    assert abs(lean["value_after"]) < 1e-6 < lean["value_before"] == pytest.approx(-lean["estimate"], abs=1e-6)
    assert lean["p_adjusted"] < 1e-4
    reliability = pd.read_csv(results / "tables/reliability.csv").set_index("measure")
    assert reliability.loc["stereotype_lean", "over"] == "models"
    page = (results / "report/index.html").read_text()
    assert "Projections and share of women" in page


def _assert_answered_among_debiased_words(results, words):
    vocabulary = files.read(results.parent / "few.vec", None).vectors
    listed = store.read_frame(results / "work/words/debiased/few-hard.parquet", "words")["text"].tolist()
    of_pairs = debiased.halves(listed, tables.read(results / "work/vectors/few/debiased/few-hard.parquet").of("input"))
    hard = dict(zip(words, debiased.vectors(words, np.stack(list(vocabulary.values())), *of_pairs, "pca"), strict=True))
    table = store.read_frame(results / "work/analogies/word_associations/few-hard.parquet", "word_analogies")
    for row in table.head(2).itertuples():
        a, b, c, answer = row.question.split()
        wanted = hard[b] - hard[a] + hard[c]
        cosines = {word: hard[word] @ wanted / np.linalg.norm(wanted) for word in words if word not in (a, b, c)}
        assert row.answer == pytest.approx(cosines.pop(answer), abs=1e-6)
        assert row.other == max(cosines, key=cosines.get)
        assert row.cosine == pytest.approx(max(cosines.values()), abs=1e-6)
