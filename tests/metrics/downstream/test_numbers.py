"""Perturbed predictions as tidy numbers: what is in the rows, their families, intervals and notes."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from scipy.special import logit
from statsmodels.stats import multitest
from tests.refusals import refused

from herbarium.metrics.downstream import names, score
from herbarium.metrics.downstream import numbers as downstream_table
from herbarium.statistics.items import ITEMS
from herbarium.statistics.tidy import TIDY

COUNTRIES = {"PE": "SA", "FJ": "OC", "CL": "SA", "TO": "OC"}
ROWS = [("original", "original", "original", "original", None)]
ROWS += [("region", "country", f"country:{c}", c, f"continent:{continent}") for c, continent in COUNTRIES.items()]
ROWS += [("region", "city", f"city:{i}", f"city {i}", "continent:SA") for i in range(2)]
ROWS += [("control", "control", f"control:{name}", name, None) for name in ("here", "there")]
ROWS += [("nonsense", "nonsense", f"nonsense:{name}", name, None) for name in ("Bly", "Ozz", "Quo")]
PREFIXES = pd.DataFrame(ROWS, columns=["kind", "unit", "group", "name", "continent"])
BOOTSTRAP, TESTS = {"replicates": 60, "level": 0.9}, {"correction": "fdr_bh"}


def predictions(sets=2, texts=80, effect=0.0, seed=0):
    """p and labels; Fiji and Tonga raise p by the effect."""
    random = np.random.default_rng(seed)
    p = random.uniform(0.1, 0.6, (sets, len(PREFIXES), texts))
    p[:, PREFIXES["continent"].eq("continent:OC")] += effect
    return p, np.arange(texts) % 2


def measured(p, label, prefixes=PREFIXES, truncated=None, bootstrap=BOOTSTRAP, seed=1, model="m"):
    truncated = np.zeros(len(prefixes), int) if truncated is None else truncated
    log_odds = logit(p)
    return downstream_table.measure(model, "reviews", log_odds, label, prefixes, truncated, bootstrap, TESTS, seed)


def by_place(numbers):
    return numbers.set_index(["variant", "unit", "group"]).sort_index()


@pytest.fixture(scope="module")
def numbers():
    return measured(*predictions())


def test_rows_are_tidy_and_each_number_is_there_once(numbers):
    assert numbers.columns.tolist() == TIDY.fields.names
    assert not numbers.duplicated(["variant", "unit", "group"]).any()
    assert numbers["n"].eq(80).all()
    assert numbers["group"].str.startswith("reviews/").all()
    assert (numbers["metric"].unique(), numbers["definition"].unique()) == (["downstream"], ["paper"])
    table = numbers.groupby("unit")["variant"].agg(set)
    rates = {"accuracy", "macro_f1", "selection_rate", "false_positive_rate", "false_negative_rate"}
    sets = {"accuracy_between_sets", "macro_f1_between_sets"}
    assert table["original"] == rates | sets
    assert table["without"] == {"to_positive", "to_negative", "label_change", "selection_rate_change"}
    quantities = {"quantity_up", "quantity_down", "size_up", "size_down", "change", "effect"}
    sets |= {f"{variant}_between_sets" for variant in ("to_positive", "to_negative", "change", "effect")}
    assert table["continent"] == rates | quantities | table["without"] | sets
    assert table["country"] == table["city"] == table["nonsense"] == table["control"] | {"excess"}
    assert table["control"] == table["continent"] | {"label_effect"}
    of_names = {"absolute_effect", "spread", "excess_spread", *score.GAPS, *(f"{gap}_rarefied" for gap in score.GAPS)}
    assert table["all"] == table["continent"] | of_names


def test_estimates_are_means_over_sets():
    p, label = predictions(sets=3)
    rows = by_place(measured(p, label))
    change = (p - p[:, :1]).mean(axis=2)
    effect = change - change[:, 7:9].mean(axis=1, keepdims=True)
    fiji = ("country", "reviews/country:FJ")
    assert rows.loc[("change", *fiji), "estimate"] == pytest.approx(change[:, 2].mean())
    assert rows.loc[("effect", *fiji), "estimate"] == pytest.approx(effect[:, 2].mean())
    assert rows.loc[("effect_between_sets", *fiji), "estimate"] == pytest.approx(effect[:, 2].std(ddof=1))
    assert rows.loc[("effect", "continent", "reviews/continent:SA"), "estimate"] == pytest.approx(
        effect[:, [1, 3]].mean()
    )
    mean = effect.mean(axis=0)
    spread = mean[1:5].std(ddof=1)
    assert rows.loc[("spread", "all", "reviews/country"), "estimate"] == pytest.approx(spread)
    assert rows.loc[("absolute_effect", "all", "reviews/country"), "estimate"] == pytest.approx(abs(mean[1:5]).mean())
    log_odds = logit(p).mean(axis=2)
    excess = log_odds[:, 2].mean() - log_odds[:, 9:].mean()
    assert rows.loc[("excess", *fiji), "estimate"] == pytest.approx(excess)
    beyond = names.beyond(log_odds[:, 1:5], log_odds[:, 9:])
    row = rows.loc[("excess", *fiji), ["std_error", "ci_low", "ci_high", "p_value"]].astype(float)
    low, high = beyond.interval(0.9)
    assert row.tolist() == pytest.approx([beyond.std_error[1], low[1], high[1], beyond.p_values()[1]])
    together = rows.loc[("excess_spread", "all", "reviews/country"), ["estimate", "ci_low", "ci_high"]]
    assert together.tolist() == pytest.approx(names.excess_spread(log_odds[:, 1:5], log_odds[:, 9:], 0.9))
    assert ("excess_spread", "all", "reviews/nonsense") not in rows.index
    accuracy = ((p > 0.5) == label).mean(axis=2)[:, 1:5].mean()
    assert rows.loc[("accuracy", "all", "reviews/country"), "estimate"] == pytest.approx(accuracy)


def test_intervals_are_of_texts_drawn_with_all_their_prefixes_and_sets():
    p, label = predictions()
    rows = by_place(measured(p, label)).loc[("effect", "country", "reviews/country:PE")]
    random = downstream_table.stream(1, "bootstrap", "downstream", "reviews")
    weights = score.draws(80, 60, random)
    effect = p[:, 1] - p[:, 7:9].mean(axis=1)
    replicates = [np.repeat(effect, drawn, axis=1).mean() for drawn in weights]
    std_error = np.std(replicates, ddof=1) * np.sqrt(80 / 79)
    assert rows["std_error"] == pytest.approx(std_error)
    half = scipy.stats.t.ppf(0.95, 79) * std_error
    assert rows[["ci_low", "ci_high"]].tolist() == pytest.approx([effect.mean() - half, effect.mean() + half])


def test_a_planted_effect_is_found_and_nothing_else():
    """Twelve made-up names: of three no variance is known."""
    more = pd.DataFrame(
        [("nonsense", "nonsense", f"nonsense:{i}", str(i), None) for i in range(9)], columns=PREFIXES.columns
    )
    prefixes = pd.concat([PREFIXES, more], ignore_index=True)
    p, label = predictions(texts=400, effect=0.1)
    p = np.concatenate([p, np.random.default_rng(1).uniform(0.1, 0.6, (2, 9, 400))], axis=1)
    rows = by_place(measured(p, label, prefixes))
    p_values = rows.loc[("excess", "country"), "p_adjusted"]
    assert (p_values[["reviews/country:FJ", "reviews/country:TO"]] < 0.01).all()
    assert (p_values[["reviews/country:PE", "reviews/country:CL"]] > 0.05).all()
    assert rows.loc[("excess_spread", "all", "reviews/country"), "ci_low"] > 0
    assert rows.loc[("excess_spread", "all", "reviews/city"), "ci_low"] < 0
    gaps = rows.loc["gap_selection_rate", "estimate"].droplevel("unit")
    assert gaps["reviews/continent"] > 2 * gaps["reviews/nonsense"]


def test_a_constant_classifier():
    p, label = np.full((2, len(PREFIXES), 60), 0.7), np.arange(60) % 2
    rows = by_place(measured(p, label))
    for variant in ("change", "effect"):
        interval = rows.loc[variant]
        assert (interval[["estimate", "ci_low", "ci_high", "std_error"]].abs() < 1e-12).all(axis=None), variant
    for variant in ("label_change", "label_effect", "spread", "gap_equalized_odds", "excess", "excess_spread"):
        assert (rows.loc[variant, "estimate"].abs() < 1e-12).all(), variant
    assert rows.loc["excess", "p_value"].isna().all()
    assert rows.loc["size_up", "estimate"].isna().all()
    assert rows.loc["size_up", "note"].str.startswith("no text changes so").all()


def test_p_values_are_against_made_up_names_and_adjusted_by_unit(numbers):
    rows = by_place(numbers)
    assert set(numbers.loc[numbers["p_value"].notna(), "variant"]) == {"excess"}
    for unit, n in (("country", 4), ("city", 2)):
        row = rows.loc[("excess", unit)]
        assert len(row) == n
        expected = multitest.multipletests(row["p_value"].astype(float), method="fdr_bh")[1]
        np.testing.assert_allclose(row["p_adjusted"].astype(float), expected)
    of_names = rows.loc[("excess", "nonsense")]
    assert of_names["estimate"].sum() == pytest.approx(0)
    assert of_names[["ci_low", "p_value"]].isna().all(axis=None)


def test_what_has_no_interval_over_texts(numbers):
    of_all = numbers[numbers["unit"] == "all"].set_index("variant")
    for variant in ("spread", "absolute_effect", *score.GAPS, *(f"{gap}_rarefied" for gap in score.GAPS)):
        assert of_all.loc[[variant], ["std_error", "ci_low", "ci_high"]].isna().all(axis=None), variant
    rarefied = of_all.loc["gap_selection_rate_rarefied"]
    assert rarefied["note"] == "3 of 4 names, on average"


def test_a_share_of_few_texts_has_no_interval():
    """The first country turns every label positive, the second three of them."""
    p = np.full((1, len(PREFIXES), 80), 0.4) + np.random.default_rng(0).uniform(0, 0.01, (1, len(PREFIXES), 80))
    p[0, 1] = p[0, 2, :3] = 0.6
    p[0, 3, :40] = 0.6
    rows = by_place(measured(p, np.arange(80) % 2)).loc[("to_positive", "country")]
    assert rows["estimate"].tolist() == [0.5, 3 / 80, 1, 0]  # Chile, Fiji, Peru, Tonga
    assert rows["ci_low"].notna().tolist() == [True, False, False, False]
    assert rows["note"].iloc[1] == "no interval: fewer than 10 such texts, or others; one training set"


def test_items_are_what_the_excess_is_the_mean_of(numbers):
    p, _ = predictions()
    items = downstream_table.items("m", "reviews", logit(p), PREFIXES)
    assert items.columns.tolist() == ITEMS.fields.names
    assert items.groupby("object").size().unique().tolist() == [2 * 80]
    excess = by_place(numbers).loc[("excess", "country"), "estimate"]
    means = items.groupby("object")["value"].mean()
    assert means.rename(lambda country: f"reviews/{country}").to_dict() == pytest.approx(excess.to_dict())
    kept = PREFIXES["unit"] != "nonsense"
    assert downstream_table.items("m", "reviews", logit(p[:, kept]), PREFIXES[kept]).empty


def test_notes_say_what_was_cut_how_few_texts_there_are_and_that_there_is_one_set(numbers):
    assert numbers.loc[numbers["variant"] == "change", "note"].isna().all()
    p, label = predictions(sets=1, texts=50)
    truncated = np.zeros(len(PREFIXES), int)
    truncated[2] = 3
    rows = by_place(measured(p, label, truncated=truncated))
    note = rows.loc["change", "note"].droplevel("unit")
    assert (
        note["reviews/country:FJ"]
        == "3 of 50 texts were cut at the model's length; few texts: 25 in a class; one training set"
    )
    assert note["reviews/country:PE"] == "few texts: 25 in a class; one training set"
    assert note["reviews/continent:OC"].startswith("3 of 100 texts")
    assert rows.loc["accuracy_between_sets", "estimate"].isna().all()
    assert rows.loc[("gap_selection_rate", "all", "reviews/country"), "note"].startswith("4 names; 3 of 200 texts")


def test_without_replicates_there_are_no_intervals_over_texts():
    numbers = measured(*predictions(), bootstrap={"replicates": 0, "level": 0.9})
    is_over_sets = numbers["variant"].isin(["excess", "excess_spread"])
    assert numbers.loc[~is_over_sets, ["std_error", "ci_low", "ci_high"]].isna().all(axis=None)
    assert numbers.loc[is_over_sets & (numbers["unit"] == "country"), "p_value"].notna().all()


@pytest.mark.slow
def test_draws_are_those_of_every_model():
    p, label = predictions()
    one, other = measured(p, label), measured(p, label, model="other")
    pd.testing.assert_frame_equal(one.drop(columns="model"), other.drop(columns="model"))
    again = measured(p, label, seed=2)
    assert not again["ci_low"].equals(one["ci_low"])
    assert again["estimate"].equals(one["estimate"])


def test_studies_without_nonsense_or_with_one_country():
    p, label = predictions()
    kept = PREFIXES["unit"].isin(["original", "control"]) | (PREFIXES["group"] == "country:PE")
    prefixes = PREFIXES[kept].reset_index(drop=True)
    rows = by_place(measured(p[:, kept], label, prefixes=prefixes))
    assert "without" not in rows.index.get_level_values("unit")
    assert "excess" not in rows.index.get_level_values("variant")


def test_two_made_up_names_have_no_variance():
    p, label = predictions()
    kept = PREFIXES["name"] != "Quo"
    rows = by_place(measured(p[:, kept], label, prefixes=PREFIXES[kept].reset_index(drop=True)))
    of_countries = rows.loc[("excess", "country")]
    assert of_countries["estimate"].notna().all()
    assert of_countries[["std_error", "ci_low", "p_value"]].isna().all(axis=None)
    assert of_countries["note"].eq("no test: fewer than 3 made-up names").all()
    assert rows.loc[("excess_spread", "all", "reviews/country"), ["estimate", "ci_low"]].isna().all()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda p, label, rows: (p[:, :3], label, rows), ("(2, 3, 80)", "12")),
        (lambda p, label, rows: (p[..., :3], label, rows), ("(2, 12, 3)", "80")),
        (lambda p, label, rows: (np.where(p > 0.59, np.nan, p), label, rows), ("log-odds", "finite")),
        (lambda p, label, rows: (p, label * 2, rows), ("label",)),
        (lambda p, label, rows: (p, label, rows[::-1]), ("first prefix",)),
        (lambda p, label, rows: (p, label, rows.replace({"kind": {"control": "nonsense"}})), ("control prefix",)),
    ],
)
def test_what_cannot_be_measured_is_refused(change, fault):
    p, label, prefixes = change(*predictions(), PREFIXES)
    with refused(None, *fault, kind=ValueError):
        measured(p, label, prefixes=prefixes)
