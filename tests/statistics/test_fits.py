"""Effect sizes of mixed models: by hand, by literal formulas, and against what R computed."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from herbarium.metrics.mixed_effects import bins
from herbarium.metrics.mixed_effects import stimuli as probe
from herbarium.metrics.mixed_effects.questions import (
    Question,
    ask,
    ask_crows_pairs,
    further_questions,
    questions,
    select,
)
from herbarium.statistics import effect_sizes, grouped, lme4
from herbarium.statistics import fits as mixed_effects_fits
from herbarium.statistics import fits_overview as overview

CHOSEN = mixed_effects_fits.Settings(
    level=0.95, replicates=200, weighted=True, alpha=0.05, power=0.8, equivalence_bound=np.log(1.25), seed=1
)
TRAITS = probe.read("resources/mixed_effects/traits")


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


def test_the_interval_is_what_the_t_test_does_not_reject():
    low, high = effect_sizes.interval(0.4, 0.1, 12, 0.95)
    for bound in (low, high):
        assert 2 * stats.t.sf(abs(0.4 - bound) / 0.1, 12) == pytest.approx(0.05)


def test_equivalence_is_the_larger_of_two_one_sided_tests():
    rng = np.random.default_rng(3)
    sample = rng.normal(0.1, 1, 40)
    bound = 0.5
    p = effect_sizes.equivalence_p_value(sample.mean(), stats.sem(sample), 39, bound)
    above = stats.ttest_1samp(sample, -bound, alternative="greater").pvalue
    below = stats.ttest_1samp(sample, bound, alternative="less").pvalue
    assert p == pytest.approx(max(above, below))
    assert effect_sizes.equivalence_p_value(0.5, 0.1, 39, 0.5) == pytest.approx(0.5)


@pytest.mark.parametrize("df", [2.5, 11, 4000])
def test_the_minimum_detectable_effect_has_the_power(df):
    effect = effect_sizes.minimum_detectable_effect(0.2, df, 0.05, 0.8)
    critical, shift = stats.t.ppf(0.975, df), effect / 0.2
    assert stats.nct.sf(critical, df, shift) + stats.nct.cdf(-critical, df, shift) == pytest.approx(0.8, abs=1e-4)


def test_intra_class_correlations_are_shares():
    found = effect_sizes.intra_class_correlations({"template": 1.0, "target": 2.0}, 5.0)
    assert found == {"template": 0.125, "target": 0.25}


def observations(lists, seed=0):
    """Random observations of one dimension, with every word of the lists."""
    rng = np.random.default_rng(seed)
    rows = []
    words = probe.gendered_words(lists, ["the"])
    pairs = lists.pairs.assign(pair=lists.pairs["female"] + "-" + lists.pairs["male"])
    for template in lists.templates.to_dict("records"):
        for target in probe.fitting(lists.targets[lists.targets["dimension"] == "serenity"], template):
            for word in words:
                of_word = pairs.loc[pairs[word.gender] == word.word, "pair"] if word.gender != "neo" else [None]
                for pair in of_word:
                    rows.append((template["key"], target["target"], pair, word.gender, word.word))
    table = pd.DataFrame(rows, columns=["template", "target", "pair", "gender", "word"])
    return table.assign(
        definition="paper",
        determiner="the",
        association=rng.normal(size=len(table)),
        pppl=rng.uniform(2, 150, len(table)),
        n_tokens=1,
        note=None,
    )


@pytest.fixture(scope="module")
def of_traits():
    return observations(TRAITS)


def test_the_paper_asks_72_questions_of_its_traits():
    asked = questions(TRAITS)
    assert len(asked) == 9 * (3 + 2 + 1 + 2)
    contrasts = [question for question in asked if question.subset == "all"]
    assert len(contrasts) == 27  # 63 with the seven models are those of Tables 3 and 4 in each contrast
    assert {question.subset for question in asked} == {"all", "shared", "with_negative", "common", "indirect", "direct"}


def test_other_probes_are_asked_what_they_have():
    asked = questions(probe.read("resources/mixed_effects/professions"))
    assert [(q.dimension, q.subset, q.first, q.second) for q in asked] == [
        (dimension, "all", "male", "female") for dimension in ("female", "male", "balanced")
    ]


def test_further_questions_are_those_asked_for():
    keys = {(q.structure, q.subset) for q in further_questions(TRAITS, ["slopes", "templates"])}
    assert keys == {("slopes", "all"), *(("intercepts", f"without t{i}") for i in range(1, 7))}
    assert further_questions(TRAITS, []) == []


def test_a_question_selects_its_sentences(of_traits):
    def of(**changed):
        return select(
            of_traits, TRAITS, Question(**{"dimension": "serenity", "first": "male", "second": "female"} | changed)
        )

    main, refused = of()
    assert refused == 0
    assert len(main) == 188 * 7 * 6
    assert set(main["group"]) == {0.0, 1.0}
    positive = {"forbearing", "forgiving", "meek", "merciful", "patient", "peaceful", "serene"}
    assert set(main["target"]) == positive
    assert len(of(subset="common")[0]) == 14 * 7 * 6
    assert set(of(subset="indirect")[0]["template"]) == {"t1", "t2"}
    assert set(of(subset="direct")[0]["template"]) == {"t3", "t4", "t5", "t6"}
    assert set(of(subset="without t4")[0]["template"]) == {"t1", "t2", "t3", "t5", "t6"}
    assert set(of(subset="shared")[0]["template"]) == {"t1", "t2", "t3", "t4"}
    neo, _ = of(second="neo")
    assert len(neo) == (94 + 5) * 7 * 6
    assert set(neo.loc[neo["group"] == 0, "pair"]) == {"ey", "ze", "xe", "vi", "ae"}
    np.testing.assert_allclose(
        1 / main["weight"], of_traits.loc[of_traits["target"].isin(positive) & (of_traits["gender"] != "neo"), "pppl"]
    )


def test_negative_targets_count_reversed(of_traits):
    question = Question("serenity", "male", "female", "with_negative")
    data, _ = select(of_traits, TRAITS, question)
    negative = {"agitated", "assertive", "disturbed", "impatient", "merciless", "unforgiving"}
    assert len(data) == 188 * (7 + 6) * 4  # impatient stands there twice
    reversed_ = data[data["target"].isin(negative)]
    theirs = of_traits[of_traits["target"].isin(negative) & of_traits["gender"].isin(["male", "female"])]
    assert reversed_["association"].sum() == pytest.approx(-theirs["association"].sum())


def test_refused_sentences_are_counted_and_left_out(of_traits):
    table = of_traits.copy()
    rows = table.index[(table["word"] == "aunt") & (table["target"] == "meek")]
    table.loc[rows, "association"] = np.nan
    data, refused = select(table, TRAITS, Question("serenity", "male", "female"))
    assert refused == len(rows) == 6
    assert len(data) == 188 * 7 * 6 - 6


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


KEYS = dict(
    zip(mixed_effects_fits.KEYS, ["m", "traits", "paper", "all", "intercepts", "d", "male-female"], strict=True)
)


def test_an_answer_is_what_lme4_and_partr2_give(shared):
    expected = pd.read_csv(shared / "golden/mixed_model/lme4_partR2.csv", index_col="weights")
    row, levels = mixed_effects_fits.answer(KEYS, golden(shared), 0, lme4.fit, CHOSEN)
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
    ignoring = mixed_effects_fits.Settings(**{**vars(CHOSEN), "weighted": False, "replicates": 1000})
    row, _ = mixed_effects_fits.answer(KEYS, golden(shared), 0, lme4.fit, ignoring)
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
    row, _ = mixed_effects_fits.answer(KEYS, data, 0, lme4.fit, CHOSEN)
    assert "one target only" in row["note"]
    assert "sd_target" not in row
    assert row["estimate"] == pytest.approx(0.3, abs=0.2)


@pytest.mark.parametrize("fault", ["nothing", "one group", "no levels"])
def test_a_question_without_data_has_a_row_that_says_so(fault):
    data = simulated()
    data = {"nothing": data.head(0), "one group": data[data["group"] == 1], "no levels": data.head(2)}[fault]
    row, levels = mixed_effects_fits.answer(KEYS, data, 7, lme4.fit, CHOSEN)
    assert row["note"].startswith("not fitted: ")
    assert (row["n"], row["n_refused"], row["converged"]) == (len(data), 7, False)
    assert "estimate" not in row
    assert levels.empty


def test_words_as_a_random_effect_make_the_error_honest():
    """Words that lean this way and that: without them in the model the error is that of many sentences of few words."""
    data = simulated(slope=0.0, sd_word=0.5)
    plain, _ = mixed_effects_fits.answer(KEYS, data, 0, lme4.fit, CHOSEN)
    of_words, _ = mixed_effects_fits.answer(KEYS | {"structure": "words"}, data, 0, lme4.fit, CHOSEN)
    maximal, _ = mixed_effects_fits.answer(KEYS | {"structure": "slopes"}, data, 0, lme4.fit, CHOSEN)
    assert of_words["std_error"] > 2.5 * plain["std_error"]
    assert of_words["df"] < 24 < plain["df"]
    assert maximal["std_error"] > 2.5 * plain["std_error"]
    assert "r2" not in of_words
    assert of_words["sd_word"] == pytest.approx(0.5, abs=0.2)


def test_several_groups_have_one_test_and_one_effect_size():
    data = simulated()
    data["group"] = pd.Categorical(data["pair"].str[1:].astype(int).mod(3).map({0: "a", 1: "b", 2: "c"}))
    row, _ = mixed_effects_fits.answer(KEYS, data, 0, lme4.fit, CHOSEN)
    assert "estimate" not in row
    assert row["p_value"] > 0.001  # pairs lean nowhere
    assert 0 <= row["r2_low"] <= row["r2_high"] < 0.05


def test_the_seed_alone_decides_the_interval():
    data = simulated()
    one, _ = mixed_effects_fits.answer(KEYS, data, 0, lme4.fit, CHOSEN)
    same, _ = mixed_effects_fits.answer(KEYS, data, 0, lme4.fit, CHOSEN)
    other, _ = mixed_effects_fits.answer(KEYS | {"dimension": "e"}, data, 0, lme4.fit, CHOSEN)
    assert one == same
    assert one["r2_low"] != other["r2_low"]


def test_bins_are_of_their_sentences(of_traits):
    table = bins.bins({"model": "m", "probe": "traits"}, TRAITS, of_traits)
    of = table[table["dimension"] == "serenity"]
    whole = of[np.isinf(of["high"])].iloc[0]
    data, _ = select(of_traits, TRAITS, Question("serenity", "male", "female"))
    assert (whole["n"], whole["share"]) == (len(data), 1)
    single = of[~of["cumulative"] & (of["low"] == 10)].iloc[0]
    within = data[(1 / data["weight"] >= 10) & (1 / data["weight"] < 15)]
    assert single["n"] == len(within)
    # without random effects to speak of, the weighted difference of means
    of_group = within.groupby("group")
    difference = of_group.apply(lambda rows: np.average(rows["association"], weights=rows["weight"])).diff().iloc[-1]
    assert single["estimate"] == pytest.approx(difference, abs=0.05)
    assert of.loc[~of["cumulative"], "n"].sum() == of.loc[of["cumulative"] & (of["high"] == 100), "n"].iloc[0]
    assert of[of["n"] < 20]["estimate"].isna().all()


def test_crows_pairs_are_asked_by_bias_type():
    rows = pd.DataFrame(
        [
            (i, kind, side, ["short", "long"][i % 2], i + (side == "stereo"), 2.0, None)
            for i, kind in enumerate(["age", "age", "race", "race"])
            for side in ("stereo", "antistereo")
        ],
        columns=["pair", "bias_type", "side", "length_group", "association", "pppl", "note"],
    )
    asked = list(ask_crows_pairs(rows))
    assert [keys["dimension"] for keys, *_ in asked] == ["age", "race"]
    keys, data, refused = asked[0]
    assert keys["contrast"] == "stereo-antistereo"
    assert data.groupby("group")["association"].mean().diff().iloc[-1] == 1
    assert refused == 0


def test_ask_goes_over_definitions(of_traits):
    both = pd.concat([of_traits, of_traits.assign(definition="released", association=1.0)])
    question = Question("serenity", "male", "female")
    asked = list(ask(both, TRAITS, [question]))
    assert [keys["definition"] for keys, *_ in asked] == ["paper", "released"]
    assert (asked[1][1]["association"] == 1).all()


def test_groups_are_compared_at_once_and_each_against_the_others():
    continents = {"p0": "AF", "p1": "AF", "p2": "AS"}
    data = simulated().assign(group=lambda rows: rows["pair"].map(lambda pair: continents.get(pair, "EU")))
    data.loc[0, "association"] = np.nan
    asked = list(grouped.ask(data))
    assert [(keys["contrast"], keys["structure"]) for keys, *_ in asked] == [
        ("each", "intercepts"),
        ("AF-others", "pairs"),
        ("AS-others", "pairs"),
        ("EU-others", "pairs"),
    ]
    assert all(refused == 1 for *_, refused in asked)
    _, against, _ = asked[1]
    assert against.groupby("pair")["group"].first()[["p0", "p1", "p2"]].tolist() == [1, 1, 0]
    of_two = grouped.ask(data[data["group"] != "EU"])  # of two, one contrast says it for both
    assert [keys["contrast"] for keys, *_ in of_two] == ["each", "AF-others"]


def test_p_values_are_adjusted_within_their_family():
    fits = pd.DataFrame(
        [
            (*keys, p)
            for keys, p in (
                (("m", "traits", "paper", "all", "intercepts", "a", "male-female"), 0.01),
                (("n", "traits", "paper", "all", "intercepts", "a", "male-female"), 0.04),
                (("m", "traits", "paper", "all", "intercepts", "a", "male-neo"), 0.04),
                (("m", "traits", "paper", "all", "slopes", "a", "male-female"), 0.03),
            )
        ],
        columns=[*mixed_effects_fits.KEYS, "p_value"],
    ).reindex(columns=mixed_effects_fits.FITS.fields.names)
    assert overview.adjusted(fits, "holm")["p_adjusted"].tolist() == [0.02, 0.04, 0.04, 0.03]


def test_tidy_numbers_hold_every_estimate_with_its_interval(shared):
    row, _ = mixed_effects_fits.answer(KEYS, golden(shared), 3, lme4.fit, CHOSEN)
    fits = overview.adjusted(pd.DataFrame([row]).reindex(columns=mixed_effects_fits.FITS.fields.names), "holm")
    numbers = overview.overview(fits).set_index("variant")
    assert set(numbers["group"]) == {"traits/d/male-female"}
    assert numbers.loc["bias", "estimate"] == row["estimate"]
    assert numbers.loc["r2", ["estimate", "ci_low", "ci_high"]].tolist() == [row["r2"], row["r2_low"], row["r2_high"]]
    assert numbers.loc["equivalent", "p_value"] == row["p_equivalence"]
    assert {"bias", "r2", "r2_raw", "equivalent", "mde", "icc_template", "icc_target"} == set(numbers.index)
