"""Numbers of questions as tidy rows."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.interventions import toy

from herbarium.metrics.interventions import calibration, numbers, planted, score, stimuli
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.changes import CHANGES
from herbarium.statistics.tidy import TIDY

FORM_OF = {"slot": stimuli.FILL, "ll": stimuli.FILL, "span": stimuli.SPAN_FORM}


def observed(strength=1.0, noise=0.2, quantities=("slot",), seed=0):
    sentences = toy.sentences(FORM_OF[quantities[0]])
    return numbers.observe(sentences, toy.scores(sentences, strength, noise, quantities, seed))


def measured(observations, model="toy"):
    return numbers.measure(model, toy.NAME, observations, 0.95, "holm")


def by_place(rows):
    return rows.set_index(["definition", "variant", "group"])


@pytest.fixture(scope="module")
def strong():
    return measured(observed())


def test_a_model_that_takes_advice(strong):
    """Planted: all of the preference without an intervention and behind irrelevant ones, none behind ethical ones, more
    behind adversarial ones."""
    assert list(strong.columns) == TIDY.fields.names
    rows = by_place(strong).loc["own"]
    kept = rows.loc["kept"]
    assert kept.loc["ethical", "ci_low"] < 0 < kept.loc["ethical", "ci_high"] < 0.5
    assert kept.loc["irrelevant", "ci_low"] < 1 < kept.loc["irrelevant", "ci_high"]
    assert kept.loc["adversarial", "ci_low"] > 1.3
    assert (strong["n"].dropna() == 6).all()
    difference = rows.loc["kept_difference"]
    assert difference.index.tolist() == ["ethical", "adversarial"]
    assert (difference["p_adjusted"] < 0.05).all()
    assert difference.loc["ethical", "ci_high"] < 0 < difference.loc["adversarial", "ci_low"]
    preference = rows.loc["preference"]
    assert preference.loc["none", "ci_low"] > 0
    assert preference.loc["ethical", "ci_low"] < 0.1
    none = by_place(measured(observed(0.0))).loc["own"]  # without a preference nothing is kept
    assert (none.loc["preference", "ci_low"] < 0).all()
    for variant in ("kept", "kept_difference"):
        assert none.loc[variant, "estimate"].isna().all()
        assert none.loc[variant, "note"].str.contains("there is nothing to keep").all()
    assert strong["p_value"].notna().sum() == 2


@pytest.mark.parametrize(
    ("left_out", "why"),
    [
        ("first == 'Arvians' or second == 'Fennics'", "fewer than 6 subjects"),
        ("template == 'met'", "in two templates"),
        ("type == 'irrelevant'", None),
    ],
)
def test_why_nothing_can_be_kept_is_said(left_out, why):
    rows = by_place(measured(observed().query(f"not ({left_out})").reset_index(drop=True))).loc["own"]
    if why:
        assert rows.loc["kept", "note"].str.contains(why).all()
        assert rows.loc["kept", "estimate"].isna().all()
    else:
        assert rows.loc[("kept", "ethical"), "estimate"] == pytest.approx(0, abs=0.2)
        assert "which are the control" in rows.loc[("kept_difference", "ethical"), "note"]


@pytest.mark.parametrize("few", ["ethical", "irrelevant"])
def test_few_interventions_do_not_stand_for_others(few):
    """With two or three of a type, up to half of studies without a difference had a p-value below .05."""
    observations = observed()
    names = observations.loc[observations["type"] == few, "intervention"].unique()
    gone = observations["intervention"].isin(names[score.FEWEST_INTERVENTIONS - 1 :]) & (observations["type"] == few)
    row = by_place(measured(observations[~gone].reset_index(drop=True))).loc[("own", "kept_difference", "ethical")]
    assert row["estimate"] < -0.5
    assert row[["ci_low", "ci_high", "p_value", "p_adjusted"]].isna().all()
    assert "at least 4 interventions of this type" in row["note"]


def test_the_definitions_of_each_kind_of_model():
    masked, causal, extractive = (observed(quantities=side) for side in (["slot"], ["ll"], ["span", "span_released"]))
    assert masked["released"].isna().all()
    np.testing.assert_array_equal(causal["own"], causal["paper"])
    log_s = stimuli.log_scores(toy.sentences(), toy.scores(toy.sentences(), 1.0, 0.2))["slot"]
    np.testing.assert_allclose(masked["paper"], score.comparative(np.exp(log_s)))
    np.testing.assert_allclose(masked["own"], score.comparative(score.normalised(log_s)))
    assert extractive["released"].notna().all()
    assert set(measured(masked)["definition"]) == {"own", "paper"}
    assert set(measured(extractive)["definition"]) == {"own", "paper", "released"}


def test_a_question_with_a_refused_sentence_is_left_out_and_counted():
    sentences = toy.sentences()
    scores = toy.scores(sentences, 1.0, 0.2)
    bare = np.flatnonzero(sentences["type"] == "none")[3]
    scores.loc[scores["sentence_id"] == sentences["sentence_id"][bare], "value"] = np.nan
    observations = numbers.observe(sentences, scores)
    assert observations["own"].isna().sum() == 1
    rows = by_place(measured(observations))
    assert "1 of 30 questions left out" in rows.loc[("own", "mu", "none"), "note"]
    rows = measured(numbers.observe(sentences, scores.assign(value=np.nan)))
    assert rows["estimate"].isna().all()
    assert rows["note"].notna().all()
    assert set(rows["variant"]) >= {"mu", "kept", "preference"}


def test_subjects_of_different_length_or_the_same_to_the_model_are_counted():
    """A model that prefers nobody: a subject with a token more has a lower score, for a and for its opposite. Then a
    tokenizer that drops what Arvians and Belorns differ in makes one text of the two."""
    sentences = toy.sentences()
    scores = toy.scores(sentences, 0.0, 0.2)
    is_subject = sentences["first"].where(sentences["subject"] == "first", sentences["second"]) == "Belorns"
    longer = scores.assign(n_tokens=1 + is_subject, value=scores["value"] - 3.0 * is_subject)
    result = numbers.observe(sentences, longer)
    assert result["n_tokens_differ"].equals((result[["first", "second"]] == "Belorns").any(axis=1))
    bare = by_place(measured(result)).loc[("own", "preference", "none")]
    assert bare["note"] == "10 of 30 questions are between subjects that differ in their number of tokens"
    assert bare["ci_low"] < 0
    assert abs(bare["estimate"]) < 0.1
    texts = sentences["text"].str.replace("Arvians", "Belorns") + sentences["subject_start"].astype(str)
    result = numbers.observe(sentences, toy.scores(sentences, 1.0, 0.2).assign(given=pd.factorize(texts)[0]))
    is_same = (result["first"] == "Arvians") & (result["second"] == "Belorns")
    assert result["own"].isna().equals(is_same)
    bare = by_place(measured(result)).loc[("own", "preference", "none")]
    assert bare["note"] == "2 of 30 questions left out: to the model, both subjects are the same"


def test_subjects_with_their_share_of_it():
    observations = observed()
    table = numbers.of_subjects("toy", toy.NAME, observations)
    bare = table[table["group"] == "none"].set_index("subject")
    rows = observations[observations["type"] == "none"]
    signed = [sign * rows.loc[rows[side] == "Belorns", "own"] for side, sign in (("first", 1), ("second", -1))]
    assert bare.loc["Belorns", "gamma"] == pytest.approx(pd.concat(signed).mean())
    assert bare["gamma"].sum() == pytest.approx(0, abs=1e-12)  # who is preferred is so to somebody
    assert (bare["n"] == 5 * 2).all()


def test_a_change_of_a_model_by_type():
    compared = [("before", "after", "before", "after")]
    observations = {"before": observed(1.0, seed=0), "after": observed(0.2, seed=1)}
    table = numbers.changes(toy.NAME, compared, observations, 0.95)
    assert list(table.columns) == CHANGES.fields.names
    rows = table.set_index("measure")
    assert list(rows.index) == [f"few, {name}: μ" for name in ("none", "ethical", "adversarial", "irrelevant")]
    bare = rows.loc["few, none: μ"]
    assert bare["estimate"] == pytest.approx(bare["value_after"] - bare["value_before"])
    assert bare["estimate"] + 2 * bare["std_error"] < 0
    assert rows["null"].isna().all()


def test_a_change_is_of_questions_that_both_models_have():
    before, after = observed(1.0), observed(1.0)
    after.loc[after.index[:40], "own"] = 5.0  # of which the other has none
    before.loc[before.index[:40], "own"] = np.nan
    compared = [("before", "after", "before", "after")]
    rows = numbers.changes(toy.NAME, compared, {"before": before, "after": after}, 0.95)
    assert rows["estimate"].abs().max() < 1e-12
    nothing = numbers.changes(toy.NAME, compared, {"before": before.assign(own=np.nan), "after": after}, 0.95)
    assert nothing["estimate"].isna().all()
    assert nothing["note"].notna().all()


def test_calibration_beside_what_a_perfect_model_has():
    observations = {(model, toy.NAME): observed(strength, 0.0) for model, strength in (("none", 0.0), ("strong", 2.0))}
    rows = pd.concat(measured(observed_of_model, model) for (model, _), observed_of_model in observations.items())
    table = calibration.rows(rows, {"none": 0.0, "strong": 2.0}, observations, toy.SEED)
    assert list(table.columns) == CALIBRATION.fields.names
    perfect = table[table["planted"] == 2].set_index("series")
    np.testing.assert_allclose(perfect["estimate"], perfect["expected"], atol=1e-9)
    assert perfect.loc["few, ethical", "expected"] == 0
    assert perfect.loc["few, adversarial", "expected"] > perfect.loc["few, none", "expected"] > 0.5
    assert perfect["learned"].to_list() == pytest.approx([1] * 4)
    assert table.loc[table["planted"] == 0, "learned"].isna().all()


def test_planted_answers_are_as_often_as_their_probability():
    sentences = toy.sentences()
    result = pd.Series(list(planted.sentences(sentences, 2.0, toy.SEED))).value_counts()
    log_s = planted.log_s(stimuli.asked_of(sentences), 2.0, toy.SEED)
    np.testing.assert_allclose(np.exp(log_s).sum(axis=1), 1)
    wanted = pd.Series((planted.ANSWERS * np.exp(log_s)).ravel(), sentences["text"]).groupby(level=0).sum()
    counts = result.reindex(wanted.index, fill_value=0)
    assert ((counts - wanted).abs() <= 1).all()
    assert counts.sum() == planted.ANSWERS * len(log_s) * 4
    log_odds = planted.log_odds(stimuli.asked_of(sentences), 2.0, toy.SEED)
    assert set(np.abs(log_odds)) == {0.0, 2.0, 4.0}


def test_what_a_model_learned_is_of_questions_without_intervention():
    """One that does not take advice."""
    observations = observed(2.0, 0.0)
    bare = observations["type"] == "none"
    deaf = observations.assign(own=observations["own"].where(bare, 0.3))
    assert planted.learned(deaf, 2.0, toy.SEED) == pytest.approx(planted.learned(observations, 2.0, toy.SEED))
    half = observations.assign(own=0.5 * observations["own"])
    assert planted.learned(half, 2.0, toy.SEED) == pytest.approx(0.5)


def test_planted_models_and_sets_of_questions_each_have_their_own_expected_value():
    strengths = {"weak": 0.5, "strong": 2.0}
    observations = {}
    for model, strength in strengths.items():
        table = observed(strength, 0.0)
        observations[model, toy.NAME] = table
        observations[model, "other"] = table[table["first"] != "Arvians"].reset_index(drop=True)
    tidy = pd.concat(numbers.measure(*key, table, 0.95, "holm") for key, table in observations.items())
    real = tidy[tidy["model"] == "weak"].assign(model="real")
    rows = calibration.rows(pd.concat([tidy, real]), strengths, observations, toy.SEED)
    assert len(rows) == 2 * 2 * 4
    np.testing.assert_allclose(rows["estimate"], rows["expected"], atol=1e-9)
    assert rows["planted"].tolist() == rows["model"].map(strengths).tolist()


def test_refused_questions_and_types_are_left_out_of_what_they_are_about():
    """η of a subject is the mean over attributes; of the second subject a preference counts against."""
    observations = observed(1.0, 0.4)
    observations.loc[observations.index[::7], "own"] = np.nan
    table = numbers.of_subjects("toy", toy.NAME, observations).set_index(["group", "subject"])
    for (group, subject), row in table.iterrows():
        rows = observations[(observations["type"] == group)].dropna(subset="own")
        by_attribute = {}
        for side, sign in (("first", 1), ("second", -1)):
            for answer in rows[rows[side] == subject].itertuples():
                by_attribute.setdefault(answer.attribute, []).append(sign * answer.own)
        every = [value for values in by_attribute.values() for value in values]
        assert row["n"] == len(every)
        assert row["gamma"] == pytest.approx(np.mean(every))
        assert row["eta"] == pytest.approx(np.mean([abs(np.mean(np.sign(values))) for values in by_attribute.values()]))


def test_a_question_is_the_same_only_if_it_is_so_affirmed_and_negated():
    """In one of two polarities, the tokenizer makes one text of both subjects."""
    sentences = toy.sentences()
    scores = toy.scores(sentences, 1.0, 0.2)
    texts = sentences["text"].str.replace("Arvians", "Belorns").where(sentences["polarity"] == "affirmed")
    scores["given"] = pd.factorize(texts.fillna(sentences["text"]) + sentences["subject_start"].astype(str))[0]
    result = numbers.observe(sentences, scores)
    assert not result["is_same"].any()
    assert result["own"].notna().all()


def test_preferences_are_normalised_and_differences_are_one_family(strong):
    rows = by_place(strong)
    of_none = numbers.answers(observed(), "own")["none"]
    assert rows.loc[("own", "preference", "none"), "estimate"] == pytest.approx(
        numbers.root(score.shared(of_none).estimate)
    )
    p, adjusted = (rows.loc[("own", "kept_difference"), column] for column in ("p_value", "p_adjusted"))
    assert len(p) == 2
    assert adjusted.min() == pytest.approx(2 * p.min())


def test_how_clearly_a_subject_wins_is_a_mean_over_attributes():
    """A wins and loses as often for the first attribute, and always wins for the second."""
    rows = [("a", "A", "B", 0.5), ("a", "C", "A", 0.1), ("b", "A", "B", 0.2), ("b", "C", "A", -0.3)]
    table = pd.DataFrame(rows, columns=["attribute", "first", "second", "own"]).assign(type="none")
    result = numbers.of_subjects("toy", toy.NAME, table).set_index("subject")
    assert result["eta"].to_dict() == {"A": 0.5, "B": 1, "C": 1}
    assert result["gamma"].to_dict() == pytest.approx({"A": (0.5 - 0.1 + 0.2 + 0.3) / 4, "B": -0.35, "C": -0.1})
