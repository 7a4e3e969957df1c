"""Every published figure beside ours: agreement by hand, on toys that go through the tables of each metric."""

import io
import math

import pandas as pd
import pytest
from tests.metrics.mixed_effects import test_published as of_fits

from herbarium.core.resources import read_table
from herbarium.metrics.herb import published as herb_published
from herbarium.metrics.mixed_effects import published as mixed_effects_published
from herbarium.statistics.tidy import TIDY
from herbarium.study import refusals, reproduction

PUBLISHED = {
    name: read_table(f"resources/published/{name}.csv", ["value"])
    for name in ("herb", "mixed_effects")
}
BERT = "bert-base-cased"


def as_read(table):
    """As the rule reads what another has written."""
    text = io.StringIO(table.to_csv(index=False))
    return pd.read_csv(text, keep_default_na=False, na_values=[""], dtype={"model": str, "table": str})


def found(ours, **where):
    """What is said of some figures, by row and column."""
    table = reproduction.table(PUBLISHED, ours)
    for key, value in where.items():
        table = table[table[key] == value]
    return table.set_index(["row", "column"])


# --- when two figures agree ---


@pytest.mark.parametrize(
    ("printed", "ours", "interval", "difference", "tolerance"),
    [
        ("0.41", 0.405, (math.nan, math.nan), -0.005, 0.005),
        ("0.41", 0.5, (0.45, 0.9), 0.09, 0.055),  # the end on the side of the printed figure is what counts
        ("0.41", 0.3, (0.1, 0.35), -0.11, 0.055),
        ("0.41", 0.5, (0.6, 0.9), 0.09, 0.005),  # an interval to one side of its estimate
        ("4.1E-2", 0.04, (math.nan, math.nan), -0.001, 0.0005),
        (".9280", 0.928, (math.nan, math.nan), 0, 0.00005),
        ("516", 516, (math.nan, math.nan), 0, 0.5),
        ("-0.36", -0.4, (-0.5, -0.38), -0.04, 0.025),
    ],
)
def test_tolerance_is_the_rounding_and_our_interval(printed, ours, interval, difference, tolerance):
    assert reproduction.tolerance(printed, ours, *interval) == pytest.approx((difference, tolerance))


def herb(*rows):
    """Table 1 of a study with these C_w × 10³ of BERT: region, definition, and the number, with its interval."""
    regions = ["earth", "continent:AF", "continent:AS", "continent:EU", "continent:NA"]
    table = pd.DataFrame({"region": regions, "parent": [None, *["earth"] * 4], "name": regions, "level": "l"})
    names = ["group", "definition", "estimate", "ci_low", "ci_high"]
    numbers = pd.DataFrame(rows, columns=names).assign(model=BERT, variant="C_w", metric="herb")
    numbers[names[2:]] *= 1e-3
    numbers = pd.concat([pd.DataFrame(columns=TIDY.fields.names), numbers])
    beside = herb_published.beside(numbers, table, read_table("resources/published/herb.csv"), 1, [])
    return {"herb": {"1": as_read(beside.assign(cities="top 3"))}}


NONE = (math.nan, math.nan)


def test_each_agreement_of_herb_by_hand():
    ours = herb(
        ("continent:AF", "paper", 0.0230, 0.0220, 0.0240),  # printed 0.0227
        ("continent:EU", "paper", 0.0300, 0.0290, 0.0310),  # printed 0.0245
        ("continent:EU", "released", 0.02452, *NONE),
        ("continent:AS", "paper", 0.0284, *NONE),  # printed 0.0283: a unit of the last digit apart
        ("continent:NA", "paper", 0.0445, 0.0440, 0.0450),  # printed 0.0445, under the header OC
    )
    table = found(ours, metric="herb", table="1")
    rows = {column: table.loc[(f"{BERT}, C_w", column)] for column in ("AF", "EU", "AS", "NA", "OC", "overall")}
    assert [row["agreement"] for row in rows.values()] == [
        *("agrees", "agrees as released", "differs", "doubtful", "not measured", "not measured")
    ]
    assert rows["AF"]["published"] == "0.0227"
    assert rows["AF"][["difference", "tolerance"]].tolist() == pytest.approx([0.0003, 0.00105])
    assert rows["EU"][["paper", "released"]].tolist() == pytest.approx([0.03, 0.02452])
    assert rows["EU"][["difference", "tolerance"]].tolist() == pytest.approx([0.00002, 0.00005])
    assert rows["AS"][["difference", "tolerance"]].tolist() == pytest.approx([0.0001, 0.00005])
    assert rows["NA"]["note"] == "the released code prints AF AS EU NA OC SA; ours agrees; cities: top 3"
    assert math.isnan(rows["overall"]["difference"])
    # the same model's C_z, and other models, are not of this study
    assert set(table.drop(index=f"{BERT}, C_w", level=0)["agreement"]) == {"not measured"}
    (counts,) = reproduction.counts(reproduction.table(PUBLISHED, ours)).query("agrees > 0").to_dict("records")
    assert counts == {
        **{"metric": "herb", "table": "1", "n": 56, "agrees": 1, "agrees as released": 1, "differs": 1},
        **{"doubtful": 1, "not measured": 52, "exact": 1},
    }


def test_released_alone_is_compared_where_nothing_else_is_there():
    row = found(herb(("continent:AF", "paper", 0.02, *NONE), ("earth", "released", 9.0, 8.0, 9.5)), metric="herb")
    overall = row.loc[(f"{BERT}, C_w", "overall")]
    assert overall["agreement"] == "differs"
    assert overall[["difference", "tolerance"]].tolist() == pytest.approx([9 - 2.3223, 1.00005])


def test_nothing_measured_has_every_figure_once():
    table = reproduction.table(PUBLISHED, {})
    assert len(table) == sum(map(len, PUBLISHED.values())) == 296 + 574
    assert not table.duplicated(["metric", "table", "row", "column"]).any()
    assert (table[["row", "column", "published"]] != "").all(axis=None)
    assert set(table["agreement"]) == {"not measured"}
    assert table[["paper", "released", "difference", "tolerance"]].isna().all(axis=None)
    counts = reproduction.counts(table)
    assert counts["n"].sum() == counts["not measured"].sum() == len(table)
    # a study that measured other models writes tables without a published figure
    no_fits = as_read(pd.DataFrame(columns=mixed_effects_published.COLUMNS))
    ours = {
        "mixed_effects": {"3": no_fits, "": no_fits},
    }
    pd.testing.assert_frame_equal(reproduction.table(PUBLISHED, ours), table)


# --- the other metrics ---


def test_a_fit_that_did_not_converge_measures_nothing():
    fits = [
        of_fits.fit("roberta-large", "serenity", -1.0, converged=True),  # printed -1.08
        of_fits.fit("bert-large-uncased", "order", 0.7, converged=False, note="it went astray"),
    ]
    table = found({"mixed_effects": {"3": as_read(of_fits.beside("table3", fits=fits))}}, table="3")
    good = table.loc[("roberta-large, traits, serenity, male-female", "bias")]
    assert good["agreement"] == "agrees"
    assert good[["difference", "tolerance"]].tolist() == pytest.approx([0.08, 0.105])
    lost = table.loc[("bert-large-uncased, traits, order, male-female", "bias")]
    assert lost["agreement"] == "not measured"
    assert math.isnan(lost["paper"])
    assert lost["note"] == "it went astray; the fit did not converge"


# --- refused sentences ---


def test_refused_sentences_are_counted_once_by_reason():
    partly = "the tokenizer knows only a part of the region, the rest is [UNK]"
    rows = [
        (1, "refused: 70 tokens, the model takes 64"),
        (1, "refused: 70 tokens, the model takes 64"),  # another quantity of the same sentence
        (2, "refused: 90 tokens, the model takes 64"),
        (3, "refused: the tokenizer knows no part of the region, only [UNK]"),
        (4, partly),
        (5, None),
    ]
    scores = pd.DataFrame(rows, columns=["sentence_id", "note"])
    scores["value"] = scores["sentence_id"].where(scores["sentence_id"] > 3)
    counts = refusals.count(scores).set_index("reason")
    assert counts["n"].to_dict() == {
        "more tokens than the 64 that the model takes": 2,
        "the tokenizer knows no part of the region, only [UNK]": 1,
        partly: 1,
    }
    assert counts["refused"].to_dict()[partly] is False
    assert counts["refused"].sum() == 2
    assert set(counts["of"]) == {5}
    nothing = refusals.count(scores[scores["note"].isna()])
    assert nothing[["n", "of"]].to_numpy().tolist() == [[0, 1]]
