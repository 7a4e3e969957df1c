"""Perturbed predictions as tidy numbers: what is in the rows, their families, intervals and notes."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from statsmodels.stats.multitest import multipletests

from herbarium.metrics.downstream import numbers as downstream_table
from herbarium.metrics.downstream import score
from herbarium.statistics.tidy import TIDY

COUNTRIES = {"PE": "SA", "FJ": "OC", "CL": "SA", "TO": "OC"}
ROWS = [("original", "original", "original", "original", None)]
ROWS += [("region", "country", f"country:{c}", c, f"continent:{of}") for c, of in COUNTRIES.items()]
ROWS += [("region", "city", f"city:{i}", f"city {i}", "continent:SA") for i in range(2)]
ROWS += [("control", "control", f"control:{name}", name, None) for name in ("here", "there")]
ROWS += [("nonsense", "nonsense", f"nonsense:{name}", name, None) for name in ("Bly", "Ozz", "Quo")]
PREFIXES = pd.DataFrame(ROWS, columns=["kind", "unit", "group", "name", "continent"])
BOOTSTRAP, TESTS = {"replicates": 60, "level": 0.9}, {"correction": "fdr_bh"}


def predictions(seeds=2, texts=80, effect=0.0, seed=0):
    """p and labels; Fiji and Tonga raise p by the effect."""
    random = np.random.default_rng(seed)
    p = random.uniform(0.1, 0.6, (seeds, len(PREFIXES), texts))
    p[:, PREFIXES["continent"].eq("continent:OC")] += effect
    return p, np.arange(texts) % 2


def measured(p, label, prefixes=PREFIXES, truncated=None, bootstrap=BOOTSTRAP, seed=1, model="m"):
    truncated = np.zeros(len(prefixes), int) if truncated is None else truncated
    return downstream_table.measure(model, "reviews", p, label, prefixes, truncated, bootstrap, TESTS, seed)


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
    found = numbers.groupby("unit")["variant"].agg(set)
    rates = {"accuracy", "macro_f1", "selection_rate", "false_positive_rate", "false_negative_rate"}
    seeds = {"accuracy_between_seeds", "macro_f1_between_seeds"}
    assert found["original"] == rates | seeds
    assert found["without"] == {"to_positive", "to_negative", "label_change", "selection_rate_change"}
    quantities = {"quantity_up", "quantity_down", "size_up", "size_down", "change", "effect"}
    seeds |= {f"{variant}_between_seeds" for variant in ("to_positive", "to_negative", "change", "effect")}
    assert found["continent"] == rates | quantities | found["without"] | seeds
    assert found["country"] == found["city"] == found["nonsense"] == found["control"]
    assert found["country"] == found["continent"] | {"label_effect"}
    names = {"absolute_effect", "spread", "spread_ratio", *score.GAPS}
    assert found["all"] == found["continent"] | names


def test_estimates_are_means_over_seeds():
    p, label = predictions(seeds=3)
    rows = by_place(measured(p, label))
    change = (p - p[:, :1]).mean(axis=2)
    effect = change - change[:, 7:9].mean(axis=1, keepdims=True)
    fiji = ("country", "reviews/country:FJ")
    assert rows.loc[("change", *fiji), "estimate"] == pytest.approx(change[:, 2].mean())
    assert rows.loc[("effect", *fiji), "estimate"] == pytest.approx(effect[:, 2].mean())
    assert rows.loc[("effect_between_seeds", *fiji), "estimate"] == pytest.approx(effect[:, 2].std(ddof=1))
    assert rows.loc[("effect", "continent", "reviews/continent:SA"), "estimate"] == pytest.approx(
        effect[:, [1, 3]].mean()
    )
    mean = effect.mean(axis=0)
    spread = mean[1:5].std(ddof=1)
    assert rows.loc[("spread", "all", "reviews/country"), "estimate"] == pytest.approx(spread)
    assert rows.loc[("absolute_effect", "all", "reviews/country"), "estimate"] == pytest.approx(abs(mean[1:5]).mean())
    ratio = spread / mean[9:].std(ddof=1)
    assert rows.loc[("spread_ratio", "all", "reviews/country"), "estimate"] == pytest.approx(ratio)
    assert ("spread_ratio", "all", "reviews/nonsense") not in rows.index
    accuracy = ((p > 0.5) == label).mean(axis=2)[:, 1:5].mean()
    assert rows.loc[("accuracy", "all", "reviews/country"), "estimate"] == pytest.approx(accuracy)


def test_intervals_are_of_texts_drawn_with_all_their_prefixes_and_seeds():
    p, label = predictions()
    rows = by_place(measured(p, label)).loc[("effect", "country", "reviews/country:PE")]
    random = downstream_table.stream(1, "bootstrap", "downstream", "reviews")
    weights = score.draws(80, 60, random)
    effect = p[:, 1] - p[:, 7:9].mean(axis=1)
    replicates = [np.repeat(effect, drawn, axis=1).mean() for drawn in weights]
    assert rows["std_error"] == pytest.approx(np.std(replicates, ddof=1))
    assert rows[["ci_low", "ci_high"]].tolist() == pytest.approx(np.quantile(replicates, [0.05, 0.95]))


def test_a_planted_effect_is_found_and_nothing_else():
    rows = by_place(measured(*predictions(texts=400, effect=0.1)))
    p_values = rows.loc[("effect", "country"), "p_adjusted"]
    assert (p_values[["reviews/country:FJ", "reviews/country:TO"]] < 1e-4).all()
    assert (p_values[["reviews/country:PE", "reviews/country:CL"]] > 0.05).all()
    ratio = rows.loc[("spread_ratio", "all", "reviews/country")]
    assert ratio["estimate"] > 3
    assert ratio["ci_low"] > 1
    gaps = rows.loc["gap_selection_rate", "estimate"].droplevel("unit")
    assert gaps["reviews/continent"] > 2 * gaps["reviews/nonsense"]


def test_a_constant_classifier():
    p, label = np.full((2, len(PREFIXES), 60), 0.7), np.arange(60) % 2
    numbers = measured(p, label)
    rows = by_place(numbers)
    for variant in ("change", "effect", "label_change", "label_effect", "spread", "gap_equalized_odds"):
        of = rows.loc[variant]
        assert (of[["estimate", "ci_low", "ci_high", "std_error"]].abs() < 1e-12).all(axis=None), variant
    assert rows.loc["effect", "p_value"].isna().all()
    assert rows.loc["effect", "note"].eq("no test: all texts have one effect").all()
    assert (rows.loc["label_effect", "p_value"] == 1).all()
    ratio = rows.loc[("spread_ratio", "all", "reviews/country")]
    assert np.isnan(ratio["estimate"])
    assert "no ratio" in ratio["note"]
    assert rows.loc["size_up", "estimate"].isna().all()
    assert rows.loc["size_up", "note"].eq("no text changes so").all()


def test_p_values_are_of_texts_and_adjusted_by_variant_and_unit(numbers):
    p, _ = predictions()
    mean = p.mean(axis=0)
    rows = by_place(numbers)
    of = rows.loc[("effect", "country")].reindex("reviews/" + PREFIXES["group"][1:5])
    expected = [scipy.stats.ttest_rel(mean[i], mean[7:9].mean(axis=0)).pvalue for i in range(1, 5)]
    np.testing.assert_allclose(of["p_value"].astype(float), expected)
    np.testing.assert_allclose(of["p_adjusted"].astype(float), multipletests(expected, method="fdr_bh")[1])
    # the controls together have no effect by its definition
    assert rows.loc[("effect", "all", "reviews/control"), "note"] == "no test: all texts have one effect"
    tested = {"effect", "label_effect", "spread_ratio"}
    assert set(numbers.loc[numbers["p_value"].notna(), "variant"]) == tested
    continent = scipy.stats.ttest_rel(mean[[1, 3]].mean(axis=0), mean[7:9].mean(axis=0)).pvalue
    assert rows.loc[("effect", "continent", "reviews/continent:SA"), "p_value"] == pytest.approx(continent)


def test_notes_say_what_was_cut_how_few_texts_there_are_and_that_there_is_one_seed(numbers):
    assert numbers.loc[numbers["unit"] != "all", "note"].isna().all()
    p, label = predictions(seeds=1, texts=50)
    truncated = np.zeros(len(PREFIXES), int)
    truncated[2] = 3
    rows = by_place(measured(p, label, truncated=truncated))
    note = rows.loc["change", "note"].droplevel("unit")
    assert (
        note["reviews/country:FJ"] == "3 of 50 texts were cut at the model's length; few texts: 25 of a class; one seed"
    )
    assert note["reviews/country:PE"] == "few texts: 25 of a class; one seed"
    assert note["reviews/continent:OC"].startswith("3 of 100 texts")
    assert rows.loc["accuracy_between_seeds", "estimate"].isna().all()
    assert rows.loc[("gap_selection_rate", "all", "reviews/country"), "note"].startswith("4 names; 3 of 200 texts")


def test_without_replicates_there_are_no_intervals():
    numbers = measured(*predictions(), bootstrap={"replicates": 0, "level": 0.9})
    assert numbers[["std_error", "ci_low", "ci_high"]].isna().all(axis=None)
    assert numbers.loc[(numbers["variant"] == "effect") & (numbers["unit"] == "country"), "p_value"].notna().all()


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
    ratio = rows.loc[("spread_ratio", "all", "reviews/country")]
    assert np.isnan(ratio["estimate"])
    assert ratio["note"] == "1 names and 0 of nonsense: no ratio, names are too few or have one effect"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p, label, rows: (p[:, :3], label, rows), "not .seeds, 12 prefixes, 80 texts"),
        (lambda p, label, rows: (p[..., :3], label, rows), "not .seeds, 12 prefixes, 80 texts"),
        (lambda p, label, rows: (np.where(p > 0.59, np.nan, p), label, rows), "must be probabilities"),
        (lambda p, label, rows: (p, label * 2, rows), "a label is 1 or 0"),
        (lambda p, label, rows: (p, label, rows[::-1]), "first prefix"),
        (lambda p, label, rows: (p, label, rows.replace({"kind": {"control": "nonsense"}})), "no control prefix"),
    ],
)
def test_what_cannot_be_measured_is_refused(change, message):
    p, label, prefixes = change(*predictions(), PREFIXES)
    with pytest.raises(ValueError, match=message):
        measured(p, label, prefixes=prefixes)
