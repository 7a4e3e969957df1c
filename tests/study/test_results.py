"""The results of a study as a notebook reads them."""

import pandas as pd
import pytest

import herbarium
from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.report import answers
from herbarium.statistics.tidy import TIDY, tidy

PLANTED = {"none": 0.0, "strong": 2.0}
ROWS = pd.DataFrame(
    [("none", 0.0, -0.1, 0.1), ("strong", 2.0, 1.8, 2.2), ("1e5", 0.5, 0.4, 0.6)],
    columns=["model", "estimate", "ci_low", "ci_high"],
)


def test_the_headline_is_read_as_it_was_written(tmp_path):
    table = answers.headline(answers.table([answers.answer("Lean", "", "nats", "lean", ROWS, PLANTED)]))
    store.write_csv(tmp_path / "headline.csv", table, {"step": "draw_answers"})
    read = herbarium.results(tmp_path).headline()
    assert read["model"].tolist() == ["none", "strong", "1e5"]  # a name that looks like a number stays a name
    assert read["percent_of_planted"].tolist() == pytest.approx([0.0, 100.0, 25.0])
    assert read["verdict"].tolist() == ["open", "different", "different"]


def test_the_summary_says_which_numbers_are_primary(tmp_path):
    key = {"metric": "leaning", "definition": "own", "variant": None, "unit": "word", "group": "all"}
    given = answers.answer("Lean", "", "nats", "lean", ROWS.assign(**key), PLANTED)
    store.write_csv(tmp_path / "headline.csv", answers.headline(answers.table([given])), {"step": "draw_answers"})
    numbers = tidy(pd.concat([ROWS.assign(**key), ROWS.assign(**key | {"group": "some"})], ignore_index=True))
    store.write_table(tmp_path / "summary.parquet", TIDY, numbers, {"step": "summarize"})
    summary = herbarium.results(tmp_path).summary()
    assert summary["is_primary"].tolist() == [True] * 3 + [False] * 3


def test_a_study_that_has_not_ended_is_told(tmp_path):
    with pytest.raises(HerbariumError) as refusal:
        herbarium.results(tmp_path).summary()
    assert str(tmp_path / "summary.parquet") in str(refusal.value)
