"""Table 5.2 from tables of rates: a small planted one, by hand; faults by row; and calibration by hand."""

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.core import resources
from herbarium.metrics.amplification import calibration, published

HEADER = ",verb,training_ratio,gender_ratio_before_RBA,gender_ratio_after_RBA\n"
# differences before: +.20, −.10 (the other way: amplified by .10), .04, a tie
ROWS = "0,a,0.70,0.90,0.74\n1,b,0.30,0.20,0.28\n2,c,0.60,0.64,0.66\n3,d,0.5,0.9,0.5\n"


def write(folder, rows):
    path = folder / "ratios.csv"
    path.write_text(HEADER + rows)
    return path


def test_violations_and_amplification_by_hand(tmp_path):
    rates = published.read_rates(write(tmp_path, ROWS))
    printed_values = {(row["row"], row["column"]): row["paper"] for row in published.rows("vsrl-dev", rates)}
    assert printed_values["vsrl-dev, CRF", "violations"] == 3
    assert printed_values["vsrl-dev, CRF", "amplification"] == pytest.approx((0.2 + 0.1 + 0.04 + 0) / 4)
    assert printed_values["vsrl-dev, CRF + RBA", "violations"] == 1
    assert printed_values["vsrl-dev, CRF + RBA", "amplification"] == pytest.approx((0.04 + 0.02 + 0.06) / 4)


def test_beside_the_published_figures(tmp_path):
    figures = resources.read_text_table(
        "resources/amplification/published.csv", ["table", "row", "column", "value", "doubt"]
    )
    rates = {name: published.read_rates(write(tmp_path, ROWS)) for name in ("vsrl-dev", "mlc-test")}
    structured = pd.DataFrame(
        [
            {"name": name, "method": method, "expected_violations": 7.0, "violations": 9.0}
            | {"expected_amplification": 0.01, "amplification": 0.02, "accuracy": 0.3}
            for name in ("vsrl", "field")
            for method in ("as_it_is", "rba", "posterior")
        ]
    )
    table = published.beside(figures, rates, {"vsrl-dev": "", "mlc-test": "another file"}, structured)
    known = table.set_index(["row", "column"])
    assert known.loc[("vsrl-dev, CRF", "violations"), "agreement"] == "differs"
    other = known.loc[("mlc-test, CRF", "violations")]
    assert (other["agreement"], other["note"], other["paper"]) == ("not comparable", "not comparable: another file", 3)
    assert known.loc[("mlc-dev, CRF", "violations"), "agreement"] == "not measured"
    of_distribution = known.loc[("vsrl, CRF + PR", "expected_violations")]
    assert (of_distribution["agreement"], of_distribution["published"]) == ("not comparable", "5")
    assert of_distribution["paper"] == 7
    assert known.loc[("vsrl, CRF", "amplification"), "paper"] == 0.02
    # another measure than ours
    assert known.loc[("vsrl, CRF", "accuracy"), "agreement"] == "not measured"
    assert len(table) == len(figures) == 33
    without = published.beside(figures, rates, {"vsrl-dev": "", "mlc-test": ""}, structured.iloc[:0])
    assert (without.loc[without["table"] == "Section 5.2", "agreement"] == "not measured").all()


def test_figures_are_those_of_the_thesis(shared):
    text = (shared / "papers/zhao_thesis_2021.txt").read_text()
    start = text.index("Method\tViol.\tAmp. bias")
    cells = [cell for line in text[start:].splitlines()[1:13] for cell in line.split("\t")[1:] if cell]
    figures = resources.read_text_table("resources/amplification/published.csv", ["table", "value"])
    assert figures.loc[figures["table"] == "Table 5.2", "value"].tolist() == cells
    sentences = " ".join(text.split())
    for words in (
        "109 and 173 constraints are violated",
        "only 5 constraints are violated",
        r"0.032 to $-0.005$",
        "0.097 to 0.067",
        "23.2% to 23.1%",
    ):
        assert words in sentences
    values = ["109", "173", "0.032", "0.097", "23.2", "5", "-0.005", "0.067", "23.1"]
    assert figures.loc[figures["table"] == "Section 5.2", "value"].tolist() == values


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ("0,a,0.7,1.2,0.7\n", ("ratios.csv, row 1, column 'gender_ratio_before_RBA'", "'1.2'", "0 to 1")),
        ("0,a,0.7,0.7,0.7\n1,b,x,0.7,0.7\n", ("ratios.csv, row 2, column 'training_ratio'", "'x'")),
    ],
)
def test_what_is_no_rate_is_named(tmp_path, rows, fault):
    with refused(*fault):
        published.read_rates(write(tmp_path, rows))


def test_the_expected_amplification_by_hand():
    # two countries, of a group each, lean by ±1; words say nothing: decisions are all or none, labels σ(±2)
    wanted = 1 - (1 / (1 + np.exp(-2)) - 0.5) * 2
    assert calibration.expected(np.zeros(3), np.array([1.0, -1.0]), np.array([0, 1]), 2.0) == pytest.approx(wanted / 2)
    assert calibration.expected(np.zeros(3), np.array([1.0, -1.0]), np.array([0, 1]), 0.0) == 0


def test_words_of_planted_texts_are_whole():
    assert calibration.words_of(
        "People are shy and hard-working and wise.", ["shy", "hard", "hard-working", "wise"]
    ) == ["shy", "hard-working", "wise"]


def test_calibration_has_the_leading_number_alone():
    numbers = pd.DataFrame(
        [
            {"model": "m", "definition": definition, "variant": variant, "group": "reviews", "estimate": 0.1, "n": 9}
            for definition, variant in (("own", "amplification"), ("own", "slope"), ("paper", "amplification"))
        ]
    ).assign(ci_low=0.0, ci_high=0.2)
    (row,) = calibration.rows(numbers, {"reviews": 2.0}, {"reviews": 0.03}).to_dict("records")
    assert (row["planted"], row["expected"], row["estimate"]) == (2.0, 0.03, 0.1)
