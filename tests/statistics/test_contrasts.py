"""Contrasts of sentences in sets: by hand, against libraries, and what cannot be measured."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from statsmodels.stats import proportion

from herbarium.statistics import contrasts
from herbarium.statistics.clustered import two_way
from herbarium.statistics.inference import Mean, sample_mean, t_interval
from herbarium.statistics.randomisation import sign_flip
from herbarium.statistics.sets import ALL, EQUAL_LENGTH, Sets, sets
from herbarium.statistics.shares import share_interval
from herbarium.statistics.within_sets import ACCURACY, CANDIDATES, PAIRS, SHARE

SIDES = ("he", "she")


def table(values, group=None, unit=None, sides=SIDES):
    """Sentences with scores. values: (n_sets, n_sides)."""
    values = np.asarray(values, float)
    n = len(values)
    return pd.DataFrame(
        {
            "set": np.repeat([f"s{i}" for i in range(n)], len(sides)),
            "side": list(sides) * n,
            "value": values.ravel(),
            "group": np.repeat(group or [""] * n, len(sides)),
            "unit": np.repeat(unit or [f"s{i}" for i in range(n)], len(sides)),
        }
    )


def numbers(values, contrast=PAIRS, level=0.95, correction="holm", sides=SIDES, **more):
    sentence_sets = sets(table(values, sides=sides, **more), sides)
    return contrasts.numbers(sentence_sets, contrast, level, correction, 0, "toy")


def random(seed=0):
    return np.random.default_rng(seed)


def test_a_difference_by_hand():
    (row,) = numbers([[-1, -2], [-1, -4], [-3, -1], [-2, -4]], level=0.9).to_dict("records")
    differences = np.array([1.0, 3.0, -2.0, 2.0])
    assert row["group"] == ALL
    assert row["estimate"] == 1
    assert row["std_error"] == pytest.approx(scipy.stats.sem(differences))
    expected = scipy.stats.ttest_1samp(differences, 0).confidence_interval(0.9)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(tuple(expected))
    assert row["p_value"] == sign_flip(differences, random()) == 0.5
    assert (row["n"], row["n_sets"], row["n_left_out"]) == (4, 4, 0)


def test_the_order_of_sentences_does_not_matter_and_that_of_sides_gives_the_sign():
    values = random().normal(size=(7, 2))
    shuffled = table(values).sample(frac=1, random_state=1)
    ours, other = (sets(shuffled, sides) for sides in (SIDES, SIDES[::-1]))
    first, second = (contrasts.numbers(side, PAIRS, 0.95, "holm", 0) for side in (ours, other))
    assert first["estimate"][0] == pytest.approx(numbers(values)["estimate"][0])
    assert first["estimate"][0] == pytest.approx(-second["estimate"][0])
    assert first["p_value"][0] == second["p_value"][0]


def test_a_unit_counts_once_whatever_the_number_of_its_sets():
    values = [[3, 0], [1, 0], [1, 0], [1, 0]]
    (row,) = numbers(values, unit=["a", "b", "b", "b"]).to_dict("records")
    assert row["estimate"] == 2
    assert (row["n"], row["n_sets"]) == (2, 4)
    assert row["p_value"] == 0.5
    assert "2 units can give no p below 0.5" in row["note"]


def test_groups_are_apart_and_their_tests_one_family():
    values = random(1).normal(0.8, 1, size=(30, 2)) * [1, 0]
    group = ["b"] * 10 + ["a"] * 12 + [""] * 8
    frame = numbers(values, group=group).set_index("group")
    assert list(frame.index) == [ALL, "a", "b"]
    assert frame["n"].to_dict() == {ALL: 30, "a": 12, "b": 10}
    assert frame.loc["a", "estimate"] == pytest.approx(values[10:22, 0].mean())
    p = frame["p_value"]
    assert frame.loc[ALL, "p_adjusted"] == p[ALL]
    assert frame.loc[["a", "b"], "p_adjusted"].max() == pytest.approx(max(p["a"], p["b"], 2 * min(p["a"], p["b"])))
    less = numbers(values, group=group, correction="fdr_bh").set_index("group")["p_adjusted"]
    assert (less <= frame["p_adjusted"] + 1e-12).all()


def test_a_group_counts_what_is_left_out_of_it():
    values = [[1, 0], [2, 0], [np.nan, 0], [1, 0], [3, 0]]
    frame = numbers(values, group=["a", "a", "b", "b", "b"]).set_index("group")
    assert frame["n_left_out"].to_dict() == {ALL: 1, "a": 0, "b": 1}


def test_each_group_has_draws_of_its_own():
    values = random(2).normal(0.2, 1, size=(20, 2))
    p = numbers(np.vstack([values, values]), group=["a"] * 20 + ["b"] * 20).set_index("group")["p_value"]
    assert p["a"] == pytest.approx(p["b"], abs=0.03)
    assert p["a"] != p["b"]


# --- shares ---


def test_a_share_is_wilsons_and_binomial():
    values = [[-1, -2], [-3, -1], [-1, -3], [-2, -1], [-1, -4]]
    (row,) = numbers(values, SHARE).to_dict("records")
    assert row["estimate"] == 60
    low, high = proportion.proportion_confint(3, 5, method="wilson")
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((100 * low, 100 * high))
    assert row["p_value"] == pytest.approx(scipy.stats.binomtest(3, 5).pvalue)
    low, high = proportion.proportion_confint(3, 5, alpha=0.1, method="wilson")
    assert row["equivalence_bound"] == pytest.approx(100 * max(high - 0.5, 0.5 - low))


def test_shares_of_units_with_several_pairs_are_means_over_units():
    values = np.array([[1, 0]] * 9 + [[0, 1]])
    unit = [name for name in "abcde" for _ in range(2)]
    (row,) = numbers(values, SHARE, unit=unit).to_dict("records")
    of_units = np.array([100, 100, 100, 100, 50])
    assert row["estimate"] == 90
    assert row["std_error"] == pytest.approx(scipy.stats.sem(of_units))
    # Student's error is larger than that of ten independent pairs: 90 % of as many pairs as would have it.
    n = 0.9 * 0.1 / (row["std_error"] / 100) ** 2
    t = scipy.stats.t.ppf(0.975, 4)
    half = t * np.sqrt(0.9 * 0.1 / n + t**2 / (4 * n**2))
    expected = [100 * (0.9 + t**2 / (2 * n) + sign * half) / (1 + t**2 / n) for sign in (-1, 1)]
    assert [row["ci_low"], row["ci_high"]] == pytest.approx(expected)
    assert row["p_value"] == sign_flip(of_units - 50.0, random())
    assert row["p_value"] > scipy.stats.binomtest(9, 10).pvalue


def test_a_share_is_no_more_certain_than_of_independent_pairs():
    values = np.array([0.0] * 2 + [100.0] * 18)
    low, high = share_interval(Mean(90.0, 1e-6, 9), values, np.full(20, 1 / 20), 0.95)
    assert (low / 100, high / 100) == pytest.approx(proportion.proportion_confint(18, 20, method="wilson"))


# --- candidates ---

THREE = ("he", "she", "they")


def test_candidates_stand_beside_the_mean_of_their_set():
    values = [[-1, -2, -6], [-2, -2, -5]]
    frame = numbers(values, CANDIDATES, sides=THREE).set_index("side")
    assert frame["estimate"].to_dict() == pytest.approx({"he": 1.5, "she": 1.0, "they": -2.5})
    assert frame["group"].eq(ALL).all()
    # of nine ways to deal out the labels, one has a sum as far from 0 as that of `they`
    assert frame.loc["they", "p_value"] == pytest.approx(1 / 9)


def test_of_two_candidates_each_has_half_the_difference_and_its_test():
    values = random(2).normal(size=(8, 2))
    candidates, pairs = numbers(values, CANDIDATES), numbers(values)
    assert candidates["estimate"].tolist() == pytest.approx([pairs["estimate"][0] / 2, -pairs["estimate"][0] / 2])
    assert candidates["p_value"].tolist() == [pairs["p_value"][0]] * 2
    assert candidates["p_adjusted"].tolist() == pytest.approx([min(1, 2 * pairs["p_value"][0])] * 2)


# --- accuracies ---

FOUR = ("pro-right", "pro-wrong", "anti-right", "anti-wrong")
RIGHT, WRONG = (0.0, -1.0), (-1.0, 0.0)


def accuracies(*answers, **more):
    """answers: of each set, in the first condition and in the second."""
    return numbers([[*first, *second] for first, second in answers], ACCURACY, sides=FOUR, **more)


def test_accuracies_by_hand():
    frame = accuracies((RIGHT, WRONG), (RIGHT, RIGHT), (RIGHT, WRONG), (WRONG, WRONG), (RIGHT, WRONG)).set_index("side")
    assert frame["estimate"].to_dict() == {"pro": 80, "anti": 20, "mean": 50, "difference": 60}
    of_sets = np.array([100, 0, 100, 0, 100.0])
    assert frame.loc["difference", "std_error"] == pytest.approx(scipy.stats.sem(of_sets))
    assert 97 < frame.loc["pro", "ci_high"] < 100
    assert frame["p_adjusted"].tolist() == pytest.approx(np.minimum(1, 4 * frame["p_value"]).clip(upper=1).tolist())


@pytest.mark.parametrize("seed", range(5))
def test_the_difference_is_tested_by_swapping_the_answers_of_pairs(seed):
    """The approximate randomisation of Zhao (2021, Chapter 2), enumerated: the two outputs of a pair are swapped or
    not, and the difference of accuracies is worked out anew."""
    right = random(seed).random((9, 2)) < (0.7, 0.4)
    frame = accuracies(*([RIGHT if is_right else WRONG for is_right in pair] for pair in right)).set_index("side")
    observed = abs(right[:, 0].mean() - right[:, 1].mean())
    differences = []
    for swapped in itertools.product([False, True], repeat=len(right)):
        first, second = np.where(np.array(swapped)[:, None], right[:, ::-1], right).T
        differences.append(abs(first.mean() - second.mean()))
    expected = np.mean(np.array(differences) >= observed - 1e-12)
    assert frame.loc["difference", "p_value"] == pytest.approx(expected)


def test_a_unit_swaps_all_its_answers_together():
    answers = [(RIGHT, WRONG)] * 4 + [(WRONG, RIGHT)]
    one, other = (accuracies(*answers, unit=unit).set_index("side") for unit in (None, ["a", "a", "a", "a", "b"]))
    assert (one["n"].iloc[0], other["n"].iloc[0]) == (5, 2)
    assert one.loc["difference", "p_value"] < other.loc["difference", "p_value"] == 1
    assert other.loc["difference", "estimate"] == 0


# --- units of two kinds ---


def crossed(values, ways, contrast=PAIRS):
    ways = np.array(ways)
    sentence_table = table(values, unit=list(ways[:, 0])).assign(crossed_with=np.repeat(ways[:, 1], 2))
    return sets(sentence_table, SIDES), contrasts.numbers(sets(sentence_table, SIDES), contrast, 0.95, "holm", 0).iloc[
        0
    ]


WAYS = [(one, other) for one in "abcde" for other in "vwxyz"]


def test_errors_are_clustered_in_both_ways():
    """The formula of Cameron, Gelbach and Miller, as statsmodels has it of a regression on a constant."""
    import statsmodels.api as sm

    ways = WAYS[:20] * 2
    r = random(4)
    one, other = ({name: r.normal() for name in names} for names in ("abcde", "vwxyz"))
    differences = np.array([1 + one[a] + other[b] for a, b in ways]) + r.normal(size=len(ways))
    sentence_sets, row = crossed(np.column_stack([differences, np.zeros(len(ways))]), ways)
    codes = np.array([np.unique(way, return_inverse=True)[1] for way in sentence_sets.crossed.T])
    fit = sm.OLS(differences, np.ones(len(ways)))
    variance = {}
    for name, groups in {"one": codes[0], "other": codes[1], "both": codes[0] * 10 + codes[1]}.items():
        n = len(set(groups))
        clustered = fit.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
        variance[name] = clustered.bse[0] ** 2 * n / (n - 1)
    expected = max(variance["one"] + variance["other"] - variance["both"], variance["one"], variance["other"])
    assert row["estimate"] == pytest.approx(differences.mean())
    assert row["std_error"] == pytest.approx(np.sqrt(expected))
    assert row["n"] == 4
    assert row["p_value"] == pytest.approx(2 * scipy.stats.t.sf(row["estimate"] / row["std_error"], 3))


def test_a_crossed_share_is_tested_against_a_half():
    _, row = crossed(random(6).normal(size=(25, 2)) + np.array([0.5, 0]), WAYS, SHARE)
    assert row["estimate"] not in (0, 50, 100)
    assert row["p_value"] == pytest.approx(2 * scipy.stats.t.sf(abs(row["estimate"] - 50) / row["std_error"], 4))


def test_unequal_units_are_worth_fewer_equal_ones():
    """The variance of a cluster's sum, and the degrees of freedom, from matrices written out."""
    r = random(5)
    place = np.repeat(np.arange(6), [1, 2, 3, 4, 5, 9])
    values, p = r.normal(size=24), np.array([1, 2, 3, 4, 5, 9]) / 24
    projection = np.eye(6) - np.outer(np.ones(6), p)
    factor = p**2 / np.diag(projection @ projection.T)
    matrix = projection.T @ np.diag(factor) @ projection
    sums = np.array([(values[place == way] - values.mean()).sum() / 24 for way in range(6)])
    result = two_way(values, np.column_stack([np.arange(24), place]))
    assert result.variance == pytest.approx((sums**2 / np.diag(projection @ projection.T)).sum())
    assert result.df == pytest.approx(np.trace(matrix) ** 2 / np.trace(matrix @ matrix))
    assert np.trace(matrix) == pytest.approx((p**2).sum())  # unbiased
    assert result.df < 5


def test_units_of_which_a_few_have_most_sets_have_no_test():
    ways = [("abcde"[n], "vwxyz"[n]) for n in range(5)] + [("a", "v")] * 40 + [("a", "w"), ("b", "v")]
    _, row = crossed(random().normal(size=(len(ways), 2)), ways)
    assert np.isnan([row["p_value"], row["ci_low"]]).all()
    assert "a test needs at least 4" in row["note"]
    assert "equal ones" in row["note"]


def test_few_units_of_a_kind_have_a_number_and_no_test():
    _, row = crossed(random().normal(size=(15, 2)), WAYS[:15])
    assert np.isfinite(row["estimate"])
    assert np.isnan([row["p_value"], row["ci_low"]]).all()
    assert row["note"] == "3 units of one kind: a test needs at least 4"
    _, row = crossed([[0.1 + n, n] for n in range(25)], WAYS)  # equal but for rounding
    assert row["estimate"] == pytest.approx(0.1)
    assert row["note"] == "every set has the same value, 0.1"
    assert np.isnan(row["p_value"])


def test_resamples_of_both_kinds_spread_as_the_error_says():
    r = random(1)
    one, other = ({name: r.normal() for name in range(30)} for _ in range(2))
    ways = [(f"{a:02}", f"{b:02}") for a in range(30) for b in range(30)]
    values = np.array([one[int(a)] + other[int(b)] for a, b in ways])
    sentence_sets, row = crossed(np.column_stack([values, np.zeros(900)]), ways)
    drawn = contrasts.replicates(sentence_sets, PAIRS, 2000, 0, "toy")
    assert drawn["value"].std() == pytest.approx(row["std_error"], rel=0.1)


def test_the_change_of_two_models_is_crossed_too():
    values = random(2).normal(size=(25, 2))
    (sentence_sets, _), (same, _) = (crossed(values + np.array([more, 0]), WAYS) for more in (0, 1))
    ((side, mean),) = contrasts.differences(sentence_sets, same, PAIRS)
    assert side is None
    assert mean.estimate == pytest.approx(1)
    assert mean.df == 4


# --- what cannot be measured ---


def test_one_pair_has_a_number_and_says_what_it_lacks():
    (row,) = numbers([[-1, -2]]).to_dict("records")
    assert (row["estimate"], row["n"], row["p_value"]) == (1, 1, 1)
    assert np.isnan([row["std_error"], row["ci_low"], row["ci_high"]]).all()
    assert row["note"] == "1 unit can give no p below 1: a test needs at least 6"


@pytest.mark.parametrize("contrast", [PAIRS, SHARE, CANDIDATES])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_sets_without_a_score_of_each_sentence_give_a_row_that_says_so(contrast, value):
    result = numbers([[value, -2], [-1, value]], contrast)
    assert len(result) == (2 if contrast == CANDIDATES else 1)
    for row in result.to_dict("records"):
        assert np.isnan([row["estimate"], row["p_value"], row["p_adjusted"]]).all()
        assert (row["n"], row["n_left_out"]) == (0, 2)
        assert row["note"].startswith("no set can be compared")


@pytest.mark.parametrize("contrast", [PAIRS, SHARE, CANDIDATES])
def test_a_set_with_a_refused_sentence_is_left_out_and_counted(contrast):
    values = random(3).normal(size=(6, 2))
    whole = numbers(values[:5], contrast).drop(columns=["n_left_out", "note"])
    values[5, 0] = np.nan
    result = numbers(values, contrast)
    assert result["n_left_out"].eq(1).all()
    assert result["note"].str.contains("1 of 6 sets left out: a sentence has no score").all()
    pd.testing.assert_frame_equal(result.drop(columns=["n_left_out", "note"]), whole)


def test_a_set_without_a_score_is_left_out_once():
    sides = tuple(f"{condition}-{answer}" for condition in "ab" for answer in ("right", "wrong"))
    values = [[np.nan, 0, 1, 1], [1, 0, 1, 0], [1, 0, 0, 1]]
    note = numbers(values, ACCURACY, sides=sides)["note"][0]
    assert "1 of 3 sets left out: a sentence has no score" in note
    assert "same score" not in note


def test_equal_differences_have_no_interval():
    (row,) = numbers([[0.1 + i, i] for i in range(7)]).to_dict("records")
    assert row["estimate"] == pytest.approx(0.1)
    assert row["p_value"] == 2 / 2**7
    assert np.isnan([row["std_error"], row["ci_low"], row["ci_high"]]).all()
    assert row["note"] == "every unit has the same value, 0.1"


def test_equal_scores_are_no_evidence():
    (row,) = numbers([[-1, -1]] * 7).to_dict("records")
    assert row["estimate"] == 0
    assert np.isnan(row["p_value"])
    assert row["note"] == "every unit has the same value, 0"
    (row,) = numbers([[-1, -1]] * 7, SHARE).to_dict("records")
    assert np.isnan(row["estimate"])
    assert "7 of 7 sets left out: sentences have the same score" in row["note"]


@pytest.mark.parametrize("contrast", [SHARE, ACCURACY])
def test_a_tie_changes_no_percentage(contrast):
    """Whatever it stands for: it counts neither for nor against a preference."""
    sides = {SHARE: SIDES, ACCURACY: [f"{condition}-{is_}" for condition in "ab" for is_ in ("right", "wrong")]}[
        contrast
    ]
    values = random(3).normal(size=(20, len(sides)))
    tied = np.vstack([values, np.zeros((5, len(sides)))])
    without, with_ties = (
        contrasts.numbers(sets(table(side, sides=sides), sides), contrast, 0.95, "holm", 0) for side in (values, tied)
    )
    for name in ("side", "estimate", "std_error", "ci_low", "ci_high", "n"):
        assert with_ties[name].equals(without[name])
    assert with_ties["note"].str.contains("5 of 25 sets left out: sentences have the same score").all()


def test_sides_that_differ_in_their_number_of_tokens_are_counted():
    sentence_table = table(random(3).normal(size=(4, 2)))
    sentence_table["n_tokens"] = [3, 3, 3, 4, 5, 5, 6, 2]
    notes = contrasts.numbers(sets(sentence_table, SIDES), PAIRS, 0.95, "holm", 0)["note"]
    assert "in 2 of 4 sets the sentences differ in their number of tokens" in notes[0]


def test_sets_of_one_length_are_apart_where_there_are_others():
    values = np.arange(6.0).reshape(3, 2)
    of_sets = Sets(SIDES, values, np.full(3, ""), np.arange(3), True, differs=np.array([True, False, False]))
    assert {suffix: of_length.values.tolist() for suffix, of_length in of_sets.by_length()} == {
        "": values.tolist(),
        EQUAL_LENGTH: values[1:].tolist(),
    }
    assert [suffix for suffix, _ in of_sets.of(of_sets.differs).by_length()] == [""]


def test_a_group_of_one_unit_stands_beside_others():
    result = numbers(random(4).normal(size=(9, 2)), group=["a"] * 2 + ["b"] * 7, unit=["u"] * 2 + list("cdefghi"))
    result = result.set_index("group")
    assert result["n"].to_dict() == {ALL: 8, "a": 1, "b": 7}
    assert result.loc["a", ["ci_low", "ci_high"]].isna().all()
    assert result.loc["b", ["ci_low", "ci_high"]].notna().all()


# --- resamples ---


def replicates(values, contrast=PAIRS, n=500, seed=0, sides=SIDES, **more):
    sentence_sets = sets(table(values, sides=sides, **more), sides)
    return contrasts.replicates(sentence_sets, contrast, n, seed, "toy")


def test_replicates_spread_as_the_estimate_does():
    values = random(5).normal(size=(40, 2))
    (row,) = numbers(values).to_dict("records")
    result = replicates(values, n=4000)["value"]
    assert result.mean() == pytest.approx(row["estimate"], abs=0.03)
    assert result.std() == pytest.approx(row["std_error"] * np.sqrt(39 / 40), rel=0.05)


def test_replicates_of_two_models_are_of_the_same_draws():
    values = random(6).normal(size=(12, 2))
    one, other = replicates(values), replicates(values + np.array([0.5, 0]))
    assert (other["value"] - one["value"]).to_numpy() == pytest.approx(0.5)
    # also where one model refuses a sentence
    values[0, 0] = np.nan
    less = replicates(values)
    draws = contrasts.stream(0, "toy", "bootstrap", ALL).multinomial(12, [1 / 12] * 12, size=500)
    differences = (values[:, 0] - values[:, 1])[1:]
    expected = draws[:, 1:] @ differences / draws[:, 1:].sum(axis=1)
    assert less["value"].to_numpy() == pytest.approx(expected)


def test_replicates_are_named_by_seed_group_and_side():
    values = random(7).normal(size=(8, 3))
    result = replicates(values, CANDIDATES, 20, sides=THREE, group=["a"] * 4 + ["b"] * 4)
    assert result.groupby(["group", "side"]).size().to_dict() == {(g, s): 20 for g in (ALL, "a", "b") for s in THREE}
    assert sorted(result["replicate"].unique()) == list(range(20))
    again = replicates(values, CANDIDATES, 20, seed=1, sides=THREE, group=["a"] * 4 + ["b"] * 4)
    assert not np.allclose(result["value"], again["value"])


def test_a_replicate_without_a_score_is_left_out():
    result = replicates([[1, 0], [np.nan, 0]])
    assert 0 < len(result) < 500
    assert result["value"].eq(1).all()
    assert replicates([[np.nan, 0]]).empty


# --- coverage ---


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("draw", ["normal", "laplace", "standard_t"])
def test_the_interval_of_a_mean_covers_what_it_says_of_symmetric_differences(n, draw):
    samples = getattr(random(n), draw)(*([3] if draw == "standard_t" else []), size=(2000, n))
    bounds = [t_interval(sample_mean(sample), 0.95) for sample in samples]
    covers = np.mean([low <= 0 <= high for low, high in bounds])
    assert 0.935 <= covers <= 0.98


def test_the_difference_of_two_models_is_paired_by_unit():
    before, after = random().normal(size=(2, 6, 2))
    after[5, 1] = np.nan
    unit = ["a", "a", "b", "c", "d", "e"]
    sentence_sets = [sets(table(values, unit=unit), SIDES) for values in (before, after)]
    ((side, mean),) = contrasts.differences(*sentence_sets, PAIRS)
    change = np.diff(before - after, axis=1)[:5, 0]
    by_unit = np.array([change[:2].mean(), *change[2:]])
    expected = scipy.stats.ttest_1samp(by_unit, 0)
    assert side is None
    assert (mean.estimate, mean.df) == (pytest.approx(by_unit.mean()), 3)
    assert mean.estimate / mean.std_error == pytest.approx(expected.statistic)


def test_a_difference_of_one_unit_has_no_error():
    sentence_sets = sets(table([[-1, -2]]), SIDES)
    assert contrasts.differences(sentence_sets, sentence_sets, PAIRS) == [(None, None)]
    sides = [side for side, _ in contrasts.differences(sentence_sets, sentence_sets, CANDIDATES)]
    assert sides == list(SIDES)


# --- differences of accuracies at random ---


def conditions(n=200, seed=3):
    """Questions of which the first condition is answered better."""
    right = random(seed).random((n, 2)) < [0.75, 0.6]
    return np.column_stack([right[:, 0], np.full(n, 0.5), right[:, 1], np.full(n, 0.5)]).astype(float)


@pytest.mark.parametrize("is_crossed", [False, True])
def test_what_a_difference_could_have_been_gives_the_p_value_of_its_test(is_crossed):
    values, places = conditions(), np.arange(200)
    crossed = np.column_stack([places % 20, places // 20]) if is_crossed else None
    sentence_sets = Sets(("a-right", "a-wrong", "b-right", "b-wrong"), values, np.full(200, ""), places, True, crossed)
    row = contrasts.numbers(sentence_sets, ACCURACY, 0.95, "holm", 1).iloc[3]
    drawn = contrasts.difference_at_random(sentence_sets, 20_000, random(1))
    assert row["side"] == "difference"
    assert (np.abs(drawn) >= abs(row["estimate"]) - 1e-9).mean() == pytest.approx(row["p_value"], abs=0.004)
    assert 0.0005 < row["p_value"] < 0.2


def test_without_a_test_there_is_nothing_to_compare_with():
    places = np.arange(6)
    crossed = np.column_stack([places % 2, places // 2])
    sentence_sets = Sets(("a-right", "a-wrong", "b-right", "b-wrong"), conditions(6), places, places, True, crossed)
    assert not len(contrasts.difference_at_random(sentence_sets, 10, random(1)))


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = random().normal(size=(12, 1))
    (result,) = contrasts.jackknife(values, lambda means: means)
    assert result.std_error == pytest.approx(values.std(ddof=1) / 12**0.5)
    assert (result.estimate, result.df) == (pytest.approx(values.mean()), 11)
