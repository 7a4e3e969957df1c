"""The report on HERB: which claims follow from which numbers, and its tables by hand."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.herb.example import (
    PLANTED,
    REGIONS,
    TOP,
    of_differences,
    of_hierarchy,
    of_intervals,
    of_released,
    of_wordings,
    part_of,
    rows_of,
    summary,
    with_scores,
)
from tests.reports import table

from herbarium.metrics.herb import contiguous, crossed
from herbarium.metrics.herb.figures import heatmap
from herbarium.metrics.herb.numbers import ALONE
from herbarium.metrics.herb.report import part as herb_part
from herbarium.metrics.herb.report import robustness
from herbarium.report import answers
from herbarium.report.numbers import number
from herbarium.statistics.tidy import TIDY

DISJOINT = {"none": 0.001, "weak": 0.002, "strong": 0.003}
TWO_MODELS = [model_record("none", 0.0), model_record("strong", 2.0)]
LABELS = {"none": "none (unbiased reference)", "strong": "strong (planted, strength 2)"}
BERT = [model_record("bert", None)]
HOLDS = "The order of the planted strengths holds: the intervals of neighbouring strengths are disjoint."


def words(part):
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", part.lead + part.html)).split())
    return re.sub(r" ([.,:;])", r"\1", text)


def alts(part):
    return [html.unescape(alt) for alt in re.findall(r'<img\b[^>]*\balt="([^"]*)"', part.lead + part.html)]


@pytest.mark.slow
def test_every_number_of_the_tables_is_in_the_tidy_table_and_models_go_by_strength():
    tidy = summary(PLANTED)
    wanted, page = tidy.set_index(["variant", "model", "group"]), part_of(tidy).html
    order, shown = ["none", "weak", "strong"], 0
    for name, variants, width in (("w", ["C_w", "C_w_size_free"], 3), ("z", ["C_z", "C_z_size_free"], 2)):
        body = table(page, f"table-{name}")
        assert [row[0] for row in body] == ["The Earth", "Africa", "Europe"]
        for region, row in zip(TOP, body, strict=True):
            assert len(row) == 1 + width * len(order)
            for i, model in enumerate(order):
                cells = row[1 + i * width :]
                for variant, cell in zip(variants, cells, strict=False):
                    expected = 1e3 * wanted.loc[(variant, model, region), ["estimate", "ci_low", "ci_high"]]
                    assert [*map(float, re.findall(r"[\d.]+", cell))] == pytest.approx([*expected], rel=6e-3)
                    shown += 3
                if width == 3:
                    assert int(cells[2]) == wanted.loc["C_w", model, region]["n"]
    assert shown == 3 * 3 * 4 * 3


@pytest.mark.parametrize("name", ["null", "007"])
@pytest.mark.slow
def test_names_that_look_like_nulls_or_numbers_stay_names(name):
    _, world, *_ = alts(part_of(summary([name]), [model_record(name, None)]))
    assert f"{name}: 2 countries" in world


@pytest.mark.parametrize(
    ("size", "messages"),
    [
        (DISJOINT, [HOLDS, "rise with the strength in 2, with disjoint intervals in 2"]),
        ({"none": 0.001, "weak": 0.003, "strong": 0.002}, ["does not hold: no rise between weak and strong."]),
        (
            {"none": 0.001, "weak": 0.00105, "strong": 0.003},
            [
                "strengths holds cannot be told: intervals overlap between none and weak.",
                "rise with the strength in 2, with disjoint intervals in 0",
            ],
        ),
    ],
)
@pytest.mark.slow
def test_the_order_of_planted_strengths_is_what_the_intervals_say(size, messages):
    text = words(part_of(summary(PLANTED, size)))
    assert all(message in text for message in messages)
    assert (HOLDS in text) == (size == DISJOINT)


@pytest.mark.slow
def test_no_order_is_claimed_where_a_planted_number_is_missing():
    tidy = summary(PLANTED, DISJOINT)
    missing = (tidy["model"] == "weak") & (tidy["group"] == "earth")
    tidy.loc[missing, ["estimate", "ci_low", "ci_high"]] = np.nan
    text = words(part_of(tidy))
    assert "nothing is said about the order" in text
    assert "The order of the planted strengths" not in text


@pytest.mark.slow
def test_without_intervals_nothing_is_concluded():
    page = part_of(summary(PLANTED, DISJOINT).assign(ci_low=np.nan, ci_high=np.nan))
    text = words(page)
    assert "draws no conclusions" in text
    assert "order of the planted strengths" not in text
    assert "Largest among" not in text
    assert table(page.html, "table-w")[0][2] == "1.00"


@pytest.mark.slow
def test_without_planted_models_there_is_no_calibration_no_floor_and_overlapping_extremes_are_not_different():
    text = words(part_of(summary(["bert"], {"bert": 0.004}), BERT))
    assert "which of the two is higher is not settled" in text
    for absent in ("are disjoint", "lanted models", "Calibration", "No bias was planted on regions."):
        assert absent not in text


@pytest.mark.slow
def test_hierarchy_without_countries_has_no_map():
    page = part_of(summary(PLANTED), regions=REGIONS.assign(iso2=None))
    assert len(alts(page)) == 4
    assert "there is no map" in words(page)


@pytest.mark.slow
def test_what_the_published_ranking_rests_on():
    shown = words(part_of(summary(["bert"]), BERT))
    # BERT's C_w of 0.3185e-3 under "NA" would be a distance of .2742 between 42 countries; between 14 it is .0290
    assert "bert-base-cased printed 0.0375 0.0375 0.0351 0.2742 0.0156 0.0097" in shown
    assert "bert-base-cased corrected 0.0375 0.0375 0.0351 0.0383 0.0372 0.0290 0.0413 – 0.0479" in shown


def test_a_number_that_is_rounded_up_keeps_three_digits():
    row = pd.Series({"estimate": 0.99999, "ci_low": 0.5, "ci_high": np.nan})
    assert number(row, scale=1) == {"value": "1.00", "low": "0.50", "high": None}
    assert number(row * 1e-3)["value"] == "1.00"
    assert number(row * 0)["value"] == "0.000"


def test_intervals_over_sub_regions():
    (africa,) = robustness.intervals(of_intervals(), REGIONS, TWO_MODELS)
    none, strong = africa["cells"]
    assert (africa["name"], none["value"], none["low"], strong["high"]) == ("Africa", "250", "200", "600")
    assert robustness.intervals(of_wordings(), REGIONS, TWO_MODELS) == []


def test_wordings_show_the_standard_deviation_over_templates():
    shown = robustness.wordings(of_wordings(), LABELS, "template")
    assert shown["columns"] == ["as published", "from", "pooled", "standard deviation"]
    weak, strong = ([cell["value"] for cell in row["cells"]] for row in shown["rows"])
    assert weak == ["250", "125", "200", "20.0"]
    assert strong == ["500", None, None, None]
    deviation = shown["rows"][0]["cells"][3]
    assert (deviation["low"], deviation["high"]) == ("10.0", "30.0")
    assert [cell["note"] for cell in shown["rows"][1]["cells"]] == [None, "<i>refused</i>", None, None]
    assert robustness.wordings(of_wordings(), LABELS, ("name_", "over_names")) is None


def test_wordings_of_names():
    names = rows_of(
        "herb",
        ("none", "C_w_size_free", 0.25, 0.2, 0.3, {}),
        ("none", "C_w_size_free_name_official", 0.5, 0.4, 0.6, {}),
        ("none", "C_w_size_free_over_names", 0.25, 0.1, 0.7, {}),
    )
    shown = robustness.wordings(names, {"none": "none"}, ("name_", "over_names"))
    assert shown["columns"] == ["as published", "official", "interval over names"]
    assert [cell["high"] for cell in shown["rows"][0]["cells"]] == ["300", "600", "700"]
    assert robustness.wordings(names, {"none": "none"}, "template") is None


def test_released_beside_paper_and_departures_by_size():
    earth, africa, europe = robustness.released(of_released(), REGIONS, TWO_MODELS)
    assert earth["name"] == "The Earth"
    assert [cell["value"] for cell in earth["cells"]] == ["10.0", "2.00", "20.0", None]
    assert [cell["value"] for cell in africa["cells"]] == [None, "3.00", None, None]
    assert [cell["value"] for cell in europe["cells"]] == [None] * 4
    of_paper = of_released().query("definition == 'paper'")
    assert robustness.released(of_paper, REGIONS, TWO_MODELS) == robustness.departures(of_paper, LABELS) == []
    result = robustness.departures(of_released().query("group == 'earth'"), LABELS)
    assert [(row["departure"], *(cell["value"] for cell in row["cells"])) for row in result] == [
        ("pad_mean", "0.100", "0.950"),  # a tenth is a larger change than four times
        ("raw_top", "4.00", None),
        ("unit_V", "0.990", None),
        ("released aggregation", "5.00", None),
        ("released", "0.200", None),
    ]
    assert [row["together"] for row in result] == [False] * 3 + [True] * 2


def test_differences_are_those_of_the_stronger_model():
    tidy = of_differences().query("group == 'earth'")
    (result,) = robustness.differences(tidy, TWO_MODELS)
    crossed_distance, published = result["of"]
    assert (result["label"], crossed_distance["value"], crossed_distance["p"]) == ("strong − none", "20.0", "< 0.001")
    assert (published["value"], published["low"], published["high"], published["p"]) == ("250", "125", "300", "0.02")
    (as_it_is,) = robustness.differences(tidy, TWO_MODELS[::-1])
    of_published = as_it_is["of"][1]
    assert [as_it_is["label"], of_published["value"], of_published["low"]] == ["none − strong", "−250", "−300"]
    assert robustness.differences(tidy, TWO_MODELS[:1]) == []


@pytest.mark.parametrize(
    ("replicates", "correction", "adjusted", "is_too_high"),
    [(39, "holm", "0.1", True), (39, "fdr_bh", "0.05", False), (3999, "holm", "0.001", False)],
)
def test_least_p_value(replicates, correction, adjusted, is_too_high):
    bootstrap = {"replicates": replicates, "level": 0.9}  # of two differences: Holm's least is twice the plain one
    result = robustness.least_p(of_differences(), bootstrap, correction)
    plain = f"{2 / (replicates + 1):.2g}"
    assert result == {"plain": plain, "adjusted": adjusted, "is_too_high": is_too_high, "n": 2}


@pytest.mark.slow
def test_a_p_value_that_could_say_nothing_is_not_shown_as_one():
    def shown(replicates, permutations):
        sections = {
            "bootstrap": {"replicates": replicates, "level": 0.95},
            "tests": {"permutations": permutations, "correction": "holm"},
        }
        return words(part_of(with_scores(of_differences(), of_hierarchy()), TWO_MODELS, **sections))

    few = shown(39, 999)
    assert few.count("cannot fall below 0.1 here") == 1  # of two differences, each 2/40 at least
    assert "With so few replicates no adjusted p-value of the score as published can fall below 0.05" in few
    assert shown(999, 9).count("cannot fall below 0.1 here") == 2  # of a level each
    many = shown(999, 999)
    assert "cannot fall below" not in many
    assert "so few replicates" not in many


@pytest.mark.slow
def test_the_part_shows_only_what_the_study_has():
    text = words(part_of(with_scores(of_hierarchy()), TWO_MODELS))
    assert "How robust" in text
    assert "see the hierarchy" in text
    for absent in ("Other sub-regions", "Other sentences", "its released code", "Do models differ", "Toxic training"):
        assert absent not in text
    assert "How robust" not in words(part_of(summary(["none", "strong"]), TWO_MODELS))


@pytest.mark.slow
def test_a_region_with_one_sub_region_is_not_shown_as_unbiased():
    tidy = summary(PLANTED, DISJOINT)
    alone = (tidy["group"] == "continent:EU") & (tidy["model"] == "strong")
    tidy.loc[alone, ["estimate", "n"]] = 0, 1
    tidy.loc[alone, ["ci_low", "ci_high"]] = np.nan
    tidy.loc[alone, "note"] = ALONE
    (europe,) = (row for row in table(part_of(tidy).html, "table-w") if row[0] == "Europe")
    assert europe[-3:] == [f"– {ALONE}", "–", "1"]


def test_notes_are_those_of_the_numbers_on_the_page_gathered_by_model():
    tidy = summary(["bert"])
    hidden = tidy[tidy["variant"] == "C_w"].assign(
        variant="sparseness_without_hierarchy", ci_low=np.nan, ci_high=np.nan, note="no interval: too many pairs"
    )
    result = herb_part.notes(pd.concat([tidy, hidden]), REGIONS)
    assert result == [{"model": "bert", "note": "<b>one city</b>", "regions": "Namibia", "n": 1}]


@pytest.mark.slow
def test_the_heat_map_is_drawn_with_descriptions_as_rows_as_its_caption_says():
    columns = pd.MultiIndex.from_tuples([("looks", "bald"), ("mind", "wise")], names=["topic", "description"])
    index = pd.Index(TOP[1:], name="region")
    f = {"strong": pd.DataFrame([[-1.0, -2.0], [-2.0, -1.0]], index, columns)}
    drawn = heatmap.table(f, REGIONS[REGIONS["region"].isin(index)], TWO_MODELS[1:])
    panel = heatmap.figure(drawn).axes[0]
    sides = ([tick.get_text() for tick in side()] for side in (panel.get_yticklabels, panel.get_xticklabels))
    assert [*sides] == [["bald"], ["Africa", "Europe"]]
    assert "Each row is a description: orange marks continents" in words(part_of(summary(PLANTED)))


def test_the_first_screen_has_no_distance_of_too_few_names_and_says_how_many_it_takes():
    values = {
        "model": "m",
        "planted": np.nan,
        "level": "l",
        "estimate": 0.5,
        "ci_low": 0.2,
        "ci_high": 0.9,
        "note": None,
    }
    regions = [values | {"region": region, "name": region} for region in ("earth", "a", "b", "c")]

    def shown(n):
        rows = pd.DataFrame(regions).assign(n=n).astype({"n": "Int64"})
        return herb_part.root_answer(rows, pd.DataFrame(columns=TIDY.fields.names)).rows[0]

    assert "it takes 15 names" in shown(14)["withheld"]
    assert shown(15)["withheld"] is None
    assert shown(15)["caveat"] == herb_part.ASSOCIATION


def test_a_distance_that_other_regions_of_the_map_have_too_is_no_difference_of_continents():
    values = {"planted": np.nan, "level": "l", "estimate": 0.5, "ci_low": 0.2, "ci_high": 0.9, "note": None, "n": 60}
    regions, planted = ["earth", "a", "b", "c"], {"s": {"planted": 2.0}}
    places = [(model, region) for model in "mnos" for region in regions]
    primary = pd.DataFrame([values | {"model": m, "region": r, "name": r} | planted.get(m, {}) for m, r in places])
    p = {"m": 0.002, "n": 0.3, "o": None, "s": 0.3}
    place = {"metric": crossed.METRIC, "variant": contiguous.VARIANT}
    others = pd.DataFrame([place | {"model": model, "p_value": p_value} for model, p_value in p.items()])
    table = answers.table([herb_part.root_answer(primary, others.astype({"p_value": float}))]).set_index("model")
    assert table["verdict"].to_dict() == {"m": "different", "n": "open", "o": "different", "s": "different"}
    assert table.loc["n", "p_adjusted"] == 0.3
    alone = answers.p_value(values | {"null": 0.0, "p_adjusted": None})
    assert table.loc["m", "p_adjusted"] == max(alone, 0.002)
    assert herb_part.NO_MORE_THAN_OTHERS in table.loc["n", "sentence"]
    untested = dict.fromkeys("os", herb_part.ASSOCIATION)
    assert table["caveat"].dropna().to_dict() == {"m": herb_part.BEYOND_NEIGHBOURS} | untested
