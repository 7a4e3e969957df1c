"""Numbers of languages, and what is planted in them."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.languages.toy import LISTS, measured, row, space

from herbarium.metrics.languages import calibration, known, numbers, published, score
from herbarium.metrics.languages.lists import Lists
from herbarium.metrics.languages.spaces import Space
from herbarium.statistics.inference import adjust
from herbarium.statistics.tidy import TIDY

ALIGNED = f"spanish{numbers.ARROW}english"


@pytest.fixture(scope="module")
def none():
    return measured(0.0)


@pytest.fixture(scope="module")
def strong():
    return measured(2.0)


def test_a_row_for_each_language_and_pivot(strong):
    tidy, pairs, *_ = strong
    assert list(tidy.columns) == TIDY.fields.names
    assert tidy["group"].unique().tolist() == ["english", "spanish", ALIGNED]
    assert set(tidy["unit"]) == {"toy"}
    assert tidy.loc[tidy["group"] == ALIGNED, "model"].unique().tolist() == ["spanish-2"]
    assert set(tidy.loc[tidy["p_value"].notna(), "variant"]) == set(numbers.TESTED)
    assert len(pairs) == len(LISTS["english"].occupations) + 2 * len(LISTS["spanish"].occupations)


def test_what_is_planted_is_found(none, strong):
    for group in ("english", "spanish"):
        lean = row(strong[0], "lean", group)
        expected = known.expected(2.0, strong[1].query("group == @group")["is_strong"].to_numpy())
        assert lean["ci_low"] < expected < lean["ci_high"] < 0
        assert lean["p_adjusted"] < 1e-4
        assert row(none[0], "lean", group)["p_adjusted"] > 0.05
        assert row(none[0], "lean", group)["ci_low"] < 0 < row(none[0], "lean", group)["ci_high"]
    assert known.expected(0.0, np.array([True, False])) == 0


def test_numbers_are_those_of_the_pairs(strong):
    tidy, pairs, *_ = strong
    rows = pairs[pairs["group"] == "spanish"]
    assert row(tidy, "lean", "spanish")["estimate"] == pytest.approx(rows["gap"].mean())
    assert row(tidy, "inbias", "spanish", "paper")["estimate"] == pytest.approx(rows["inbias"].mean())
    assert row(tidy, "shared", "spanish")["estimate"] == pytest.approx(score.root(rows["shared"].mean()))
    strong_ones = rows[rows["is_strong"]]
    result = row(tidy, "inbias_strong", "spanish", "paper")
    assert (result["estimate"], result["n"]) == (pytest.approx(strong_ones["inbias"].mean()), len(strong_ones))
    change = row(tidy, "inbias_change", ALIGNED, "paper")
    after = row(tidy, "inbias", ALIGNED, "paper")["estimate"]
    assert change["estimate"] == pytest.approx(after - rows["inbias"].mean())


def test_a_pivot_that_is_a_turned_copy_does_no_more_than_the_controls(none, strong):
    for tidy in (none[0], strong[0]):
        change, excess = (row(tidy, variant, ALIGNED, "paper") for variant in ("inbias_change", "inbias_excess"))
        assert np.isnan(change["p_value"])
        assert np.isfinite(excess["p_adjusted"])
        assert max(abs(change["estimate"]), abs(excess["estimate"])) < 0.01


def test_words_without_a_vector_are_counted_and_named():
    gone = ["médica", "abogado", "mujer"]
    tidy, pairs, spaces, _ = measured(1.0, without=gone)
    number_row = row(tidy, "lean", "spanish")
    assert number_row["n"] == len(LISTS["spanish"].occupations) - 2
    assert "no vector for 2 words of occupations: abogado, médica" in number_row["note"]
    assert "no vector for 1 words of seeds: mujer" in number_row["note"]
    assert numbers.missing("toy", LISTS, spaces)["word"].tolist() == ["abogado", "médica", "mujer"]
    assert not pairs.query("group == 'spanish'")["concept"].isin(["doctor", "lawyer"]).any()
    many, *_ = measured(1.0, without=LISTS["spanish"].occupations["feminine"][:20])
    note = row(many, "lean", "spanish")["note"]  # which does not name them all
    assert note.count(",") == 5
    assert "…" in note


@pytest.mark.parametrize("n_pairs", [0, 1, 2])
def test_too_few_pairs_are_said_with_their_number_and_repeated_ones(n_pairs):
    known, rows = {"english": space("english", 1.0)}, LISTS["english"]

    def of_lists(lists):
        return numbers.measure("toy", {"english": "e"}, {"english": lists}, known, {}, {}, {}, 0.95, "holm", 0)

    tidy, pairs = of_lists(Lists(rows.occupations[:n_pairs], rows.seeds))
    (only,) = tidy.to_dict("records")
    assert np.isnan(only["estimate"])
    assert only["note"] == f"{n_pairs} pairs of occupations and 12 of seeds have vectors; at least 3 of each are needed"
    assert len(pairs) == n_pairs
    assert "3 pairs are repeated in the lists" in row(of_lists(rows._replace(n_repeated=3))[0], "lean")["note"]


def test_calibration(none, strong):
    tidy, pairs = (pd.concat([side[place].assign(**{key: f"s{n}"}) for n, side in enumerate((none, strong))])
                   for place, key in ((0, "unit"), (1, "space")))  # fmt: skip
    strengths = {f"{language}-{side}": float(side) for language in LISTS for side in (0, 2)}
    rows = calibration.rows(tidy, pairs, strengths)
    assert rows["series"].tolist() == [group for group in ("english", "spanish", ALIGNED) for _ in range(2)]
    assert rows["planted"].tolist() == [0, 2] * 3
    assert ((rows["ci_low"] < rows["expected"]) & (rows["expected"] < rows["ci_high"])).all()
    # turned into the space of a pivot, a language has the mean gap that it has by itself
    by_series = rows.groupby("series")["expected"].agg(list)
    assert by_series[ALIGNED] == by_series["spanish"] != by_series["english"]
    # which vectors a pivot has that nobody planted, no equation says
    without = {name: strength for name, strength in strengths.items() if not name.startswith("english")}
    assert calibration.rows(tidy, pairs, without)["series"].unique().tolist() == ["spanish"]


def test_published_figures_beside_ours(strong):
    figures = pd.read_csv("resources/languages/published.csv", comment="#", dtype=str, keep_default_na=False)
    tidy = strong[0].replace({"group": {"english": "en", "spanish": "es", ALIGNED: f"es{numbers.ARROW}en"}})
    rows = published.beside(tidy, figures)
    assert len(rows) == len(figures)
    subset = rows.set_index(["table", "row", "column"])
    estimate = row(strong[0], "inbias", "spanish", "paper")["estimate"]
    for name in ("Table 3.6", "Table 3.8"):
        assert subset.loc[(name, "ES", "ES"), "paper"] == pytest.approx(estimate)
    released = row(strong[0], "inbias", ALIGNED, "released")["estimate"]
    assert subset.loc[("Table 3.6", "ES", "EN"), "released"] == pytest.approx(released)
    assert subset.loc[("Table 3.7", "ES", "EN"), "paper"] == 100
    assert subset.loc[("Table 3.6", "DE", "EN"), "agreement"] == "not measured"
    assert subset.loc[("Table 3.6", "ES", "EN"), "agreement"] == "not comparable"


def test_each_tested_variant_is_a_family_over_the_languages_of_a_space(strong):
    tidy = strong[0]
    for variant, n in (("lean", 3), ("shared", 3), ("inbias_excess", 1)):
        family = tidy[tidy["variant"] == variant]
        assert len(family) == n
        p = family["p_value"].to_numpy(float)
        assert family["p_adjusted"].tolist() == pytest.approx(adjust(p, "holm").tolist())


def test_both_definitions_of_the_published_number_and_where_notes_stand(strong):
    tidy, _, spaces, _ = strong
    gaps = numbers.gaps(LISTS["spanish"], spaces["spanish"]).gaps
    assert row(tidy, "inbias", "spanish", "paper")["estimate"] == pytest.approx(np.abs(gaps.mean(axis=1)).mean())
    assert row(tidy, "inbias", "spanish", "released")["estimate"] == pytest.approx(np.abs(gaps).mean())
    found = {definition: row(tidy, "found", ALIGNED, definition)["note"] for definition in ("procrustes", "rcsls")}
    assert pd.isna(found["procrustes"])
    assert found["rcsls"].startswith("fitted to ")


def test_an_excess_is_over_what_maps_of_controls_do():
    """Maps that turn nothing, and one that keeps a single dimension: by hand, over the gaps in each."""
    own, key = {language: space(language, 1.0) for language in LISTS}, ("spanish", "english")
    flat = np.zeros((own["spanish"].vectors.shape[1],) * 2)
    flat[0, 0] = 1
    maps = [np.eye(len(flat)), flat, np.eye(len(flat))[::-1]]
    tables = pd.DataFrame({"procrustes": [True, False], "rcsls": [True, True]})
    fit = {"n_train": 9, "n_asked": 9, "n_unknown": 0, "dimensions": 5}
    tidy, _ = numbers.measure(
        *("toy", {language: language for language in LISTS}, LISTS, own, {key: own["spanish"]}),
        *({key: maps}, {key: (tables, fit)}, 0.95, "holm", 3),
    )
    gaps = numbers.gaps(LISTS["spanish"], own["spanish"]).gaps
    one_dimension = Space(own["spanish"].words, own["spanish"].vectors @ flat.T)
    of_flat = np.abs(numbers.gaps(LISTS["spanish"], one_dimension).gaps.mean(axis=1)).mean()
    inbias = np.abs(gaps.mean(axis=1)).mean()
    expected = inbias - np.mean([inbias, of_flat, inbias])
    assert abs(expected) > 0.01
    assert row(tidy, "inbias_excess", ALIGNED, "paper")["estimate"] == pytest.approx(expected)
    assert row(tidy, "inbias_change", ALIGNED, "paper")["estimate"] == pytest.approx(0, abs=1e-12)
