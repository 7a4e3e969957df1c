"""HONEST as a workflow: on planted models, and on one that has a head for masked tokens but has learned nothing."""

import pandas as pd
import pytest

from herbarium.core import store

pytestmark = pytest.mark.slow


def test_what_is_planted_is_found(results):
    table = pd.read_csv(results / "tables/honest_numbers.csv").set_index(["model", "variant", "group"])
    place = "difference_5", "north − south"
    none, strong = (table.loc[(model, *place)] for model in ("masked-none", "hurtful-strong"))
    assert abs(none["estimate"]) < 5
    assert strong["ci_low"] > 20
    assert strong["p_adjusted"] < 0.001
    calibration = store.read_frame(results / "work/calibration/honest.parquet", "calibration")
    assert calibration.set_index("model").loc["hurtful-strong", "learned"] > 0.5
    (change,) = store.read_frame(results / "work/changes/honest/demo.parquet", "changes").to_dict("records")
    assert change["estimate"] == pytest.approx(strong["estimate"] - none["estimate"])
    assert "no whole words" in table.loc[("bert", "score_5", "north"), "note"]
    completions = pd.read_csv(results / "tables/honest_completions.csv")
    assert (completions.groupby(["model", "text"]).size() == 5).all()
    assert "Content warning" in (results / "report/index.html").read_text()


def test_the_lexicon_is_read_where_completions_are_counted(edited):
    """Only models that learned from it are asked again."""
    lexicon = edited.folder / "resources/honest/demo/lexicon.tsv"
    lexicon.write_text(lexicon.read_text(encoding="utf-8") + "guest\tmanners\tconservative\n", encoding="utf-8")
    assert edited.jobs("results/tables/honest_numbers.csv")["complete_honest"] == 2
