"""The published figures of HERB as transcribed, and what Table 1 implies: against the paper and by hand."""

import io
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.core.resources import read_table
from herbarium.metrics.herb import score
from herbarium.metrics.herb.published import beside, departures, implied_mean_distance, reasons, reproduced
from herbarium.statistics import agreement
from herbarium.statistics.tidy import TIDY

MODELS = ["bert-base-cased", "albert-base-v2", "roberta-base", "bart-base"]
CODE_ORDER = ["AF", "AS", "EU", "NA", "OC", "SA"]


@pytest.fixture(scope="module")
def published():
    return read_table("resources/herb/published.csv", ["value"])


@pytest.fixture(scope="module")
def n_countries():
    return read_table("resources/herb/published_regions.csv").set_index("continent")["n"].to_dict()


@pytest.fixture(scope="module")
def implied(published, n_countries):
    table = implied_mean_distance(published, n_countries)
    return {header: rows.pivot(index="model", columns="continent") for header, rows in table.groupby("header")}


def words(folder, topic):
    lines = Path(f"resources/herb/{folder}/{topic}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


# --- the transcription ---


def test_every_number_of_the_tables_is_there_once(published):
    # rows x columns as printed
    sizes = {1: 8 * 7, 2: 4 * 7, 3: 6 * 7, 6: 6 * 7}
    assert published["table"].value_counts().to_dict() == sizes
    for name in ("column", "column_corrected"):
        assert not published.duplicated(["table", "row", "variant", name]).any()
    for table in (1, 2):
        assert published.loc[published["table"] == table, "row"].unique().tolist() == MODELS


def test_the_full_list_is_the_same_in_tables_1_3_and_6(published):
    albert = published[(published["row"] == "albert-base-v2") & (published["variant"] == "C_w")]["value"]
    for table in (3, 6):
        full = published[(published["table"] == table) & (published["row"] == "full")]["value"]
        assert full.tolist() == albert.tolist()


def test_the_regions_are_as_many_as_table_5_averages_over(n_countries):
    assert sum(n_countries.values()) == 247


def test_the_header_is_corrected_where_it_is_doubted(published):
    by_continent = published[published["table"].isin([1, 2, 3, 6])]
    for _, row in by_continent.groupby(["table", "row", "variant"]):
        assert row["column"].tolist() == ["AF", "AS", "EU", "OC", "SA", "NA", "overall"]
        assert row["column_corrected"].tolist() == [*CODE_ORDER, "overall"]
    corrected = published["column"] != published["column_corrected"]
    assert (published.loc[corrected, "doubt"] != "").all()


@pytest.mark.parametrize(
    ("topic", "size", "pairs", "twice"),
    [
        ("occupation", 20, {"homemaker": "housewife", "protege": "protégé", "magician": "illusionist"}, []),
        ("intelligence", 25, {"precocious": "gawky", "wise": "good", "intelligent": "smart"}, ["inventive"]),
        ("appearance", 25, {"alluring": "seductive", "fat": "calories", "strong": "stronger"}, ["lovely"]),
        ("strength", 23, {"powerful": "strong", "bold": "daring", "loser": "losers"}, []),
        ("morality", 19, {"upright": "sturdy", "hard-working": "hardworking", "tolerant": "intolerant"}, []),
    ],
)
def test_substitutes_stand_in_the_places_of_the_originals(topic, size, pairs, twice):
    originals, substitutes = words("descriptions", topic), words("substitutes", topic)
    assert len(originals) == len(substitutes) == size
    assert pairs.items() <= dict(zip(originals, substitutes, strict=True)).items()
    assert sorted({word for word in substitutes if substitutes.count(word) > 1}) == twice
    assert [word for word in substitutes if word != word.strip() or not word] == []


def test_the_code_of_north_america_is_a_text(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("# source\ncontinent,n\nNA,42\n", encoding="utf-8")
    assert read_table(path).to_dict("records") == [{"continent": "NA", "n": 42}]
    with refused("none.csv"):
        read_table(tmp_path / "none.csv")


# --- what table 1 implies ---


def test_implied_by_hand():
    # a model whose distances are all 0.06, printed under a header that swaps X (3 pairs) and Y (10 pairs)
    rows = [
        (1, "m", "C_w", "X", 6.0, "Y"),
        (1, "m", "C_w", "Y", 20.0, "X"),
        (1, "m", "C_w", "overall", 1.0, "overall"),
        (1, "m", "C_z", "X", 99.0, "Y"),
        (2, "m", "sparseness", "X", 0.05, "Y"),
        (2, "m", "sparseness", "Y", 0.07, "X"),
    ]
    table = pd.DataFrame(rows, columns=["table", "row", "variant", "column", "value", "column_corrected"])
    result = implied_mean_distance(table, {"X": 3, "Y": 5})
    assert result[["header", "continent", "n", "published"]].to_numpy().tolist() == [
        ["printed", "X", 3, 6.0],
        ["printed", "Y", 5, 20.0],
        ["corrected", "Y", 5, 6.0],
        ["corrected", "X", 3, 20.0],
    ]
    np.testing.assert_allclose(result["implied"], [0.018, 0.2, 0.06, 0.06])
    assert result[["table2_low", "table2_high"]].drop_duplicates().to_numpy().tolist() == [[0.05, 0.07]]
    assert result["within"].tolist() == [False, False, True, True]  # 0.025 to 0.14


def test_implied_is_the_mean_distance_that_went_into_c_w():
    # countries without cities whose vectors differ: C_w of their continent, as the paper prints it, gives it back
    f = -np.random.default_rng(7).uniform(1, 9, (13, 6))
    parent = np.array([-1] + [0] * 12)
    scores = score.herb(f, np.zeros(13), parent)
    table = pd.DataFrame(
        [(1, "m", "C_w", "AF", scores.C_w[0] * 1e3, "AF"), (2, "m", "sparseness", "AF", scores.sparseness[0], "AF")],
        columns=["table", "row", "variant", "column", "value", "column_corrected"],
    )
    result = implied_mean_distance(table, {"AF": 12})
    np.testing.assert_allclose(result["implied"], scores.C_w_size_free[0], rtol=1e-12)


@pytest.mark.parametrize(
    ("model", "distances"),
    [
        ("bert-base-cased", [0.0375, 0.0375, 0.0351, 0.0383, 0.0372, 0.0290]),
        ("albert-base-v2", [0.0532, 0.0492, 0.0532, 0.0605, 0.0641, 0.0469]),
        ("roberta-base", [0.0722, 0.0469, 0.0560, 0.0730, 0.0740, 0.0459]),
        ("bart-base", [0.0121, 0.0125, 0.0099, 0.0119, 0.0115, 0.0105]),
    ],
)
def test_implied_in_the_order_of_the_released_code(implied, model, distances):
    result = implied["corrected"]["implied"].loc[model, CODE_ORDER]
    np.testing.assert_allclose(result, distances, rtol=0, atol=5e-5)


def test_implied_under_the_printed_header(implied):
    result = implied["printed"]["implied"]
    np.testing.assert_allclose(
        result.loc["bert-base-cased", CODE_ORDER], [0.0375, 0.0375, 0.0351, 0.2742, 0.0156, 0.0097], rtol=0, atol=5e-5
    )
    np.testing.assert_allclose(result.loc[MODELS, "NA"], [0.27, 0.44, 0.43, 0.10], rtol=0, atol=5e-3)


def test_only_the_corrected_header_gives_nearly_one_distance_a_model(implied):
    def spread(header):
        distances = implied[header]["implied"]
        return distances.max(axis=1) / distances.min(axis=1)

    assert (spread("corrected") < 1.7).all()
    assert (spread("printed") > 20).all()


def test_only_the_corrected_header_is_of_the_size_of_table_2(implied):
    assert implied["corrected"]["within"].all(axis=None)
    printed = implied["printed"]["within"]
    assert printed[["AF", "AS", "EU"]].all(axis=None)
    assert not printed[["NA", "OC", "SA"]].any(axis=None)


def test_no_other_order_of_the_doubtful_columns_fits_as_well(implied, n_countries):
    values = implied["corrected"]["published"][["NA", "OC", "SA"]]  # the fourth to sixth numbers
    known = implied["corrected"]["implied"][["AF", "AS", "EU"]]

    def spread(continents):
        pairs = np.array([n_countries[continent] * (n_countries[continent] - 1) / 2 for continent in continents])
        distances = np.hstack([known, values * 1e-3 * pairs])
        return distances.max(axis=1) / distances.min(axis=1)

    others = [order for order in itertools.permutations(["NA", "OC", "SA"]) if order != ("NA", "OC", "SA")]
    for order in others:
        assert (spread(order) > 3 * spread(("NA", "OC", "SA"))).all(), order


# --- beside ours ---

BERT = "bert-base-cased"
NONE = (np.nan, np.nan)


def beside_ours(published, *rows):
    """Table 1 of a study with these C_w × 10³ of BERT: region, definition, and the number, with its interval."""
    places = ["earth", "continent:AF", "continent:AS", "continent:EU", "continent:NA"]
    regions = pd.DataFrame({"region": places, "parent": [None, *["earth"] * 4], "name": places, "level": "l"})
    names = ["group", "definition", "estimate", "ci_low", "ci_high"]
    numbers = pd.DataFrame(rows, columns=names).assign(model=BERT, variant="C_w", metric="herb")
    numbers[names[2:]] *= 1e-3
    numbers = pd.concat([pd.DataFrame(columns=TIDY.fields.names), numbers])
    # through a file, as numbers are read
    text = io.StringIO(beside(numbers, regions, published, 1, []).to_csv(index=False))
    table = pd.read_csv(text, keep_default_na=False, na_values=[""])
    return reproduced(published, {1: table}, "top 3")


def test_each_agreement_by_hand(published):
    result = beside_ours(
        published,
        ("continent:AF", "paper", 0.02272, 0.0220, 0.0240),  # printed 0.0227
        ("continent:EU", "paper", 0.0300, 0.0290, 0.0310),  # printed 0.0245
        ("continent:EU", "released", 0.02452, *NONE),
        ("continent:AS", "paper", 0.0284, *NONE),  # printed 0.0283: a unit of the last digit apart
        ("continent:NA", "paper", 0.0445, 0.0440, 0.0450),  # printed 0.0445, under the header OC
    )
    table = result[result["table"] == "1"].set_index(["row", "column"])
    rows = {column: table.loc[(f"{BERT}, C_w", column)] for column in ("AF", "EU", "AS", "NA", "OC", "overall")}
    assert [row["agreement"] for row in rows.values()] == [
        *("agrees", "agrees as released", "differs", "doubtful", "not measured", "not measured")
    ]
    assert rows["AF"]["published"] == "0.0227"
    assert rows["AF"][["difference", "tolerance"]].tolist() == pytest.approx([0.00002, 0.00005])
    assert rows["EU"][["paper", "released"]].tolist() == pytest.approx([0.03, 0.02452])
    assert rows["EU"][["difference", "tolerance"]].tolist() == pytest.approx([0.00002, 0.00005])
    assert rows["AS"][["difference", "tolerance"]].tolist() == pytest.approx([0.0001, 0.00005])
    assert rows["NA"]["note"] == "the released code prints AF AS EU NA OC SA; ours agrees; cities: top 3"
    # the same model's C_z, and other models, are not of this study
    assert set(table.drop(index=f"{BERT}, C_w", level=0)["agreement"]) == {"not measured"}
    (counts,) = agreement.counts(result).query("agrees > 0").to_dict("records")
    assert counts == {
        **{"metric": "herb", "table": "1", "n": 56, "agrees": 1, "agrees as released": 1, "differs": 1},
        **{"doubtful": 1, "not comparable": 0, "not measured": 52, "compared": 4, "exact": 2},
    }


def test_released_alone_is_compared_where_nothing_else_is_there(published):
    result = beside_ours(published, ("continent:AF", "paper", 0.02, *NONE), ("earth", "released", 9.0, 8.0, 9.5))
    overall = result.set_index(["row", "column"]).loc[(f"{BERT}, C_w", "overall")]
    assert overall["agreement"] == "differs"
    assert overall[["difference", "tolerance"]].tolist() == pytest.approx([9 - 2.3223, 0.00005])


def test_nothing_measured_has_every_figure_once(published):
    table = reproduced(published, {}, "all")
    assert not table.duplicated(["table", "row", "column"]).any()
    assert set(table["agreement"]) == {"not measured"}
    assert len(table) == agreement.counts(table)["not measured"].sum()


def test_a_departure_from_a_score_of_zero_has_no_ratio():
    rows = pd.DataFrame(
        [
            ("m", "earth", "C_w", "paper", 0.0),
            ("m", "earth", "C_w", "unit_V", 0.2),
            ("m", "earth", "C_z", "paper", 0.1),
        ],
        columns=["model", "group", "variant", "definition", "estimate"],
    ).assign(metric="herb", ci_low=np.nan, ci_high=np.nan)
    (row,) = departures(rows).to_dict("records")
    assert (row["paper"], row["departed"]) == (0, 0.2)
    assert np.isnan(row["ratio"])


def test_only_the_table_of_substitutes_needs_those_of_the_paper():
    others = {"models": {BERT: ""}, "data": {"words": "", "substitutes": "other substitutes"}}
    table = pd.DataFrame({"model": [BERT]})
    assert [reasons(table, number, others) for number in (1, 2, 3, 6)] == [[""], [""], [""], ["other substitutes"]]
    planted = others | {"models": {BERT: "it is planted"}}
    assert reasons(table, 6, planted) == ["it is planted, other substitutes"]
