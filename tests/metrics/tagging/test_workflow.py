"""The whole way of named entities: planted sentences, taggers of two planted models, numbers, changes, and the page."""

import pandas as pd
import pytest

from herbarium.core import store

pytestmark = pytest.mark.slow


def test_it_finds_what_is_planted_and_compares(results):
    numbers = store.read_frame(results / "summary.parquet", "tidy")
    of_all = numbers[(numbers["metric"] == "tagging") & (numbers["unit"] == "all")].set_index(["model", "group"])
    # one that finds every name and guesses which type of the two of its sentence it is of has 1/2
    assert of_all.loc[("masked-none", "entities/all"), "ci_low"] > 0.5
    table = pd.read_csv(results / "figures/changes.csv").set_index("measure")
    row = table.loc["Task german, entity F1"]
    # what was changed is in the head, which a tagger does not have
    assert (row["kind"], row["estimate"]) == ("cost", 0)
    published = store.read_frame(results / "work/published/tagging.parquet", "published")
    of_german = published[published["row"] == "german"].set_index("column")
    assert pd.notna(of_german.loc["not aligned, not frozen", "paper"])
    assert (of_german.loc["aligned, frozen", "agreement"]) == "not measured"
    assert 'id="table-tagging-entities"' in (results / "report/index.html").read_text(encoding="utf-8")
