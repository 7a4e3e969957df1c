"""Effect sizes of mixed models: by hand, by literal formulas, and against what R computed."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from herbarium.statistics import crossed, effect_sizes, fits, lme4
from herbarium.statistics import fits_overview as overview

CHOSEN = fits.Settings(
    level=0.95, replicates=200, weighted=True, alpha=0.05, power=0.8, equivalence_bound=np.log(1.25), seed=1
)


@pytest.mark.parametrize(
    ("r2", "band", "symbol"),
    [
        (0, "very small", ""),
        (0.0099, "very small", ""),
        (0.01, "small", "▽"),
        (0.03, "small", "△"),
        (0.06, "small", "▲"),
        (0.09, "medium", "*"),
        (0.25, "large", "*"),
        (0.64, "very large", "*"),
        (1, "very large", "*"),
    ],
)
def test_bands_and_symbols_of_the_paper(r2, band, symbol):
    assert (effect_sizes.band(r2), effect_sizes.symbol(r2)) == (band, symbol)


@pytest.mark.parametrize(("p", "r2", "biased"), [(0.049, 0.01, True), (0.05, 0.5, False), (0.001, 0.0099, False)])
def test_a_bias_is_significant_and_not_very_small(p, r2, biased):
    assert effect_sizes.is_biased(p, r2) == biased


@pytest.mark.parametrize("df", [2.5, 11, 300])
def test_the_minimum_detectable_effect_has_the_power(df):
    effect = effect_sizes.minimum_detectable_effect(0.2, df, 0.05, 0.8)
    critical, shift = stats.t.ppf(0.975, df), effect / 0.2
    assert stats.nct.sf(critical, df, shift) + stats.nct.cdf(-critical, df, shift) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("df", [0.3, 0.8, 1.5, 4000])
def test_the_minimum_detectable_effect_is_found_so_often(df):
    """Where the distribution function of scipy cannot be asked: t statistics that are drawn, within four errors."""
    effect, n, random = effect_sizes.minimum_detectable_effect(0.2, df, 0.05, 0.8), 100_000, np.random.default_rng(1)
    t = (random.standard_normal(n) + effect / 0.2) / np.sqrt(random.chisquare(df, n) / df)
    result = (np.abs(t) > stats.t.isf(0.025, df)).mean()
    assert abs(result - 0.8) < 4 * np.sqrt(0.8 * 0.2 / n)


@pytest.mark.parametrize("df", [0.099, 1e-9, 0, -2, np.nan])
def test_without_degrees_of_freedom_no_effect_can_be_detected(df):
    assert np.isnan(effect_sizes.minimum_detectable_effect(0.2, df, 0.05, 0.8))


def test_intra_class_correlations_are_shares():
    result = effect_sizes.intra_class_correlations({"template": 1.0, "target": 2.0}, 5.0)
    assert result == {"template": 0.125, "target": 0.25}


def golden(shared):
    data = pd.read_csv(shared / "golden/mixed_model/data.csv")
    return pd.DataFrame(
        {
            "association": data["association"],
            "group": (data["gender"] == "male").astype(float),
            "template": data["template"],
            "target": data["trait"],
            "pair": data["pair"].astype(str),
            "word": data["pair"].astype(str) + data["gender"],
            "weight": 1 / data["pppl"],
        }
    )


KEYS = dict(zip(fits.KEYS, ["m", "traits", "paper", "all", "intercepts", "d", "male-female"], strict=True))


def test_an_answer_is_what_lme4_and_partr2_give(shared):
    expected = pd.read_csv(shared / "golden/mixed_model/lme4_partR2.csv", index_col="weights")
    row, levels = fits.answer(KEYS, golden(shared), 0, lme4.fit, CHOSEN)
    mean1, raw = expected.loc["mean1"], expected.loc["raw"]
    ours = [row[name] for name in ("estimate", "std_error", "df", "p_value", "n")]
    np.testing.assert_allclose(ours, mean1[["beta", "se", "df", "p", "n"]].astype(float), rtol=1e-5)
    spread = [row[name] for name in ("sd_template", "sd_target", "sd_residual", "r2")]
    np.testing.assert_allclose(
        spread, mean1[["sd_template", "sd_trait", "sigma", "r2_marginal"]].astype(float), rtol=1e-5
    )
    assert row["r2_raw"] == pytest.approx(raw["r2_marginal"], rel=1e-5)
    assert row["r2_low"] < row["r2"] < row["r2_high"]
    assert row["r2_raw_low"] < row["r2_raw"] < row["r2_raw_high"]
    assert row["converged"]
    assert not row["singular"]
    assert levels.groupby("group").size().to_dict() == {"template": 6, "target": data_levels(shared)}


def data_levels(shared):
    return golden(shared)["target"].nunique()


def test_intervals_that_ignore_the_weights_are_those_of_partr2(shared):
    """Within what 1,000 replicates of either leave open."""
    expected = pd.read_csv(shared / "golden/mixed_model/lme4_partR2.csv", index_col="weights")
    ignoring = fits.Settings(**{**vars(CHOSEN), "weighted": False, "replicates": 1000})
    row, _ = fits.answer(KEYS, golden(shared), 0, lme4.fit, ignoring)
    for scale, column in (("mean1", "r2"), ("raw", "r2_raw")):
        for bound, theirs in (("low", "r2_lower"), ("high", "r2_upper")):
            assert row[f"{column}_{bound}"] == pytest.approx(expected.loc[scale, theirs], rel=0.15)


def simulated(slope=0.3, seed=5, n_pairs=12, sd_word=0.0):
    rng = np.random.default_rng(seed)
    rows = pd.MultiIndex.from_product(
        [[f"t{i}" for i in range(5)], [f"x{i}" for i in range(6)], [f"p{i}" for i in range(n_pairs)], [0.0, 1.0]],
        names=["template", "target", "pair", "group"],
    ).to_frame(index=False)
    rows["word"] = rows["pair"] + rows["group"].astype(str)
    effect = {key: rng.normal(0, 0.5) for key in {*rows["template"], *rows["target"]}}
    of_word = {word: rng.normal(0, sd_word) if sd_word else 0 for word in sorted(set(rows["word"]))}
    rows["weight"] = rng.uniform(0.1, 1, len(rows))
    noise = rng.normal(size=len(rows)) * 0.4 / np.sqrt(rows["weight"])
    levels = rows["template"].map(effect) + rows["target"].map(effect) + rows["word"].map(of_word)
    return rows.assign(association=slope * rows["group"] + levels + noise)


def test_a_group_of_one_level_has_no_random_effect_and_the_row_says_so():
    data = simulated().assign(target="only")
    row, _ = fits.answer(KEYS, data, 0, lme4.fit, CHOSEN)
    assert "one target only" in row["note"]
    assert "sd_target" not in row
    assert row["estimate"] == pytest.approx(0.3, abs=0.2)


@pytest.mark.parametrize("fault", ["nothing", "one group", "no levels"])
def test_a_question_without_data_has_a_row_that_says_so(fault):
    data = simulated()
    data = {"nothing": data.head(0), "one group": data[data["group"] == 1], "no levels": data.head(2)}[fault]
    row, levels = fits.answer(KEYS, data, 7, lme4.fit, CHOSEN)
    assert row["note"].startswith("not fitted: ")
    assert (row["n"], row["n_refused"], row["converged"]) == (len(data), 7, False)
    assert "estimate" not in row
    assert levels.empty


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda table: table.assign(association=-3.1), "all sentences of a group have the same score"),
        (lambda table: table.assign(association=0.0), "all sentences of a group have the same score"),
        (
            lambda table: table.assign(association=0.1 + table["group"] / 3),
            "all sentences of a group have the same score",
        ),
        (lambda table: table.head(0), "all 7 sentences were refused"),
    ],
    ids=["constant", "zero", "groups alone", "refused"],
)
@pytest.mark.parametrize("structure", fits.FORMULAS)
def test_scores_that_do_not_vary_have_a_row_that_says_so(spoil, message, structure):
    row, levels = fits.answer(KEYS | {"structure": structure}, spoil(simulated()), 7, lme4.fit, CHOSEN)
    assert row["note"] == f"not fitted: {message}"
    assert "estimate" not in row
    assert levels.empty
    table = pd.DataFrame([row]).reindex(columns=fits.FITS.fields.names)
    (of_bias,) = overview.overview(overview.adjusted(table, "holm")).to_dict("records")
    assert (of_bias["variant"], of_bias["note"]) == ("bias", row["note"])


def test_what_lme4_refuses_is_a_row_with_its_words():
    def refusing(data, formula, weights):
        return lme4.fit(data.assign(template="only"), formula, weights)

    row, _ = fits.answer(KEYS, simulated(), 0, refusing, CHOSEN)
    assert row["note"].startswith("not fitted: lme4 refuses the model association ~ group")
    assert "estimate" not in row


def test_as_many_levels_as_sentences_are_no_random_effect():
    data = simulated()
    row, _ = fits.answer(KEYS, data.assign(target=[str(at) for at in data.index]), 0, lme4.fit, CHOSEN)
    assert "each sentence has its own target: no random effect for it" in row["note"]
    assert row["estimate"] == pytest.approx(0.3, abs=0.2)


def test_words_as_a_random_effect_make_the_error_honest():
    """Words that lean this way and that: without them in the model the error is that of many sentences of few words."""
    data = simulated(slope=0.0, sd_word=0.5)
    plain, _ = fits.answer(KEYS, data, 0, lme4.fit, CHOSEN)
    of_words, _ = fits.answer(KEYS | {"structure": "words"}, data, 0, lme4.fit, CHOSEN)
    maximal, _ = fits.answer(KEYS | {"structure": "slopes"}, data, 0, lme4.fit, CHOSEN)
    assert of_words["std_error"] > 2.5 * plain["std_error"]
    assert of_words["df"] < 24 < plain["df"]
    assert maximal["std_error"] > 2.5 * plain["std_error"]
    assert "r2" not in of_words
    assert of_words["sd_word"] == pytest.approx(0.5, abs=0.2)


def test_the_seed_alone_decides_the_interval():
    data = simulated()
    one, _ = fits.answer(KEYS, data, 0, lme4.fit, CHOSEN)
    same, _ = fits.answer(KEYS, data, 0, lme4.fit, CHOSEN)
    other, _ = fits.answer(KEYS | {"dimension": "e"}, data, 0, lme4.fit, CHOSEN)
    assert one == same
    assert one["r2_low"] != other["r2_low"]


def test_p_values_are_adjusted_within_their_family():
    table = pd.DataFrame(
        [
            (*keys, p)
            for keys, p in (
                (("m", "traits", "paper", "all", "intercepts", "a", "male-female"), 0.01),
                (("n", "traits", "paper", "all", "intercepts", "a", "male-female"), 0.04),
                (("m", "traits", "paper", "all", "intercepts", "a", "male-neo"), 0.04),
                (("m", "traits", "paper", "all", "slopes", "a", "male-female"), 0.03),
            )
        ],
        columns=[*fits.KEYS, "p_value"],
    ).reindex(columns=fits.FITS.fields.names)
    table["p_equivalence"] = [0.02, 0.01, 0.5, np.nan]
    result = overview.adjusted(table, "holm")
    assert result["p_adjusted"].tolist() == [0.02, 0.04, 0.04, 0.03]
    assert result["p_equivalence_adjusted"].tolist()[:3] == [0.02, 0.02, 0.5]


def test_tidy_numbers_hold_every_estimate_with_its_interval(shared):
    row, _ = fits.answer(KEYS, golden(shared), 3, lme4.fit, CHOSEN)
    table = overview.adjusted(pd.DataFrame([row]).reindex(columns=fits.FITS.fields.names), "holm")
    numbers = overview.overview(table).set_index("variant")
    assert set(numbers["group"]) == {"traits/d/male-female/intercepts"}
    assert numbers.loc["bias", "estimate"] == row["estimate"]
    assert numbers.loc["r2", ["estimate", "ci_low", "ci_high"]].tolist() == [row["r2"], row["r2_low"], row["r2_high"]]
    # whose error is too small for either
    assert {"bias", "r2", "r2_raw", "icc_template", "icc_target"} == set(numbers.index)


CROSSED = KEYS | {"structure": fits.CROSSED}


def test_crossed_words_have_a_test_an_equivalence_and_a_least_bound():
    row, levels = fits.answer(CROSSED, simulated(sd_word=0.1), 0, lme4.fit, CHOSEN)
    result = crossed.difference(crossed.words(simulated(sd_word=0.1)))
    assert (row["estimate"], row["std_error"], row["df"]) == (result.estimate, result.std_error, result.df)
    assert (row["n"], row["converged"], row["note"]) == (24 * 5 * 6, True, None)
    assert levels.empty
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(row["t"]), result.df))
    assert row["equivalence_bound"] == max(abs(row["equivalence_low"]), abs(row["equivalence_high"]))
    table = overview.adjusted(pd.DataFrame([row]).reindex(columns=fits.FITS.fields.names), "holm")
    numbers = overview.overview(table).set_index("variant")
    assert set(numbers.index) == {"bias", "equivalent", "equivalence_bound", "mde"}
    assert set(numbers["group"]) == {"traits/d/male-female"}
    assert numbers.loc["equivalent", "ci_high"] == row["equivalence_high"]


def test_crossed_words_agree_with_the_maximal_model():
    """Balanced, without weights: the same estimate, and about the same error; where the maximal fit is singular, lme4
    does not end at the same error in every process."""
    data = simulated(sd_word=0.3).assign(weight=1.0)
    row, _ = fits.answer(CROSSED, data, 0, lme4.fit, CHOSEN)
    maximal, _ = fits.answer(KEYS | {"structure": "slopes"}, data, 0, lme4.fit, CHOSEN)
    assert row["estimate"] == pytest.approx(maximal["estimate"], abs=1e-6)
    assert row["std_error"] == pytest.approx(maximal["std_error"], rel=0.2)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda table: table[table["template"].isin(["t0", "t1"])], "2 templates"),
        (lambda table: table[(table["group"] == 1) | (table["pair"] <= "p10")], "3 words of a group"),
        (lambda table: table.assign(association=table["group"]), "all words of a group have the same score"),
    ],
)
def test_too_few_words_or_templates_have_an_estimate_and_no_test(spoil, message):
    row, _ = fits.answer(CROSSED, spoil(simulated()), 0, lme4.fit, CHOSEN)
    assert np.isfinite(row["estimate"])
    assert "p_value" not in row
    assert message in row["note"]


@pytest.mark.parametrize("fault", ["nothing", "one group", "all refused"])
def test_crossed_words_without_data_have_a_row_that_says_so(fault):
    data = simulated()
    data = {"nothing": data.head(0), "one group": data[data["group"] == 1]}.get(fault, data.head(0))
    row, _ = fits.answer(CROSSED, data, 7, lme4.fit, CHOSEN)
    assert row["note"].startswith("not measured: ")
    assert "estimate" not in row


def test_p_values_of_withdrawn_models_say_why_not_to_use_them():
    columns = (
        dict.fromkeys(fits.FITS.fields.names) | KEYS | {"n": 9, "converged": True, "estimate": 0.1, "p_value": 1e-9}
    )
    rows = [
        columns | {"structure": structure} for structure in (fits.CROSSED, fits.INTERCEPTS, fits.WORDS, fits.SLOPES)
    ]
    rows += [columns | {"structure": fits.INTERCEPTS, "data": "pairs alone"}]
    rows += [columns | {"structure": fits.WORDS, "p_value": np.nan, "estimate": np.nan, "note": "not fitted: why"}]
    numbers = pd.DataFrame(rows).astype(dict.fromkeys(fits._NUMBERS, float))
    result = overview.overview(overview.adjusted(numbers, "holm"))
    notes = result.loc[result["variant"] == "bias", "note"].tolist()
    assert [note.split(":")[0] if isinstance(note, str) else None for note in notes] == [
        *(None, "do not use this p-value", "do not use this p-value", None, None, "not fitted")
    ]
