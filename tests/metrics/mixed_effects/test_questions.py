"""What is asked of observations, and of which sentences."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.mixed_effects import stimuli
from herbarium.metrics.mixed_effects.questions import Question, ask, further_questions, questions, select


def test_the_paper_asks_72_questions_of_its_traits(traits):
    asked = [question for question in questions(traits) if question.structure == "intercepts"]
    assert len(asked) == 9 * (3 + 2 + 1 + 2)
    assert {question.subset for question in asked} == {"all", "shared", "with_negative", "common", "indirect", "direct"}
    contrasts = [(q.dimension, q.first, q.second) for q in asked if q.subset == "all"]
    assert len(contrasts) == 27  # 63 with the seven models are those of Tables 3 and 4 in each contrast
    crossed = [q for q in questions(traits) if q.structure == "crossed"]  # asked for other words, too
    assert [(q.dimension, q.first, q.second) for q in crossed] == contrasts
    further = {(q.structure, q.subset) for q in further_questions(traits, ["slopes", "templates"])}
    assert further == {("slopes", "all"), *(("intercepts", f"without t{i}") for i in range(1, 7))}
    assert further_questions(traits, []) == []


def test_other_stimuli_are_asked_what_they_have():
    asked = questions(stimuli.read("resources/mixed_effects/professions"))
    assert [(q.dimension, q.subset, q.structure, q.first, q.second) for q in asked] == [
        (dimension, "all", structure, "male", "female")
        for dimension in ("female", "male", "balanced")
        for structure in ("crossed", "intercepts")
    ]


def test_a_question_selects_its_sentences(of_traits, traits):
    def selected(observed=of_traits, **changed):
        return select(
            observed, traits, Question(**{"dimension": "serenity", "first": "male", "second": "female"} | changed)
        )

    main, refused = selected()
    assert refused == 0
    assert len(main) == 188 * 7 * 6
    assert set(main["group"]) == {0.0, 1.0}
    positive = {"forbearing", "forgiving", "meek", "merciful", "patient", "peaceful", "serene"}
    assert set(main["target"]) == positive
    assert len(selected(subset="common")[0]) == 14 * 7 * 6
    for subset, templates in (("indirect", "12"), ("direct", "3456"), ("without t4", "12356"), ("shared", "1234")):
        assert set(selected(subset=subset)[0]["template"]) == {f"t{number}" for number in templates}
    pair_of = of_traits.drop_duplicates(["gender", "word", "pair"]).groupby("word")["pair"].agg(set)
    assert main.groupby("word")["pair"].agg(set).to_dict() == pair_of[main["word"].unique()].to_dict()
    neo, _ = selected(second="neo")
    assert len(neo) == (94 + 5) * 7 * 6
    assert set(neo.loc[neo["group"] == 0, "pair"]) == {"ey", "ze", "xe", "vi", "ae"}
    theirs = of_traits[of_traits["target"].isin(positive) & (of_traits["gender"] != "neo")]
    np.testing.assert_allclose(1 / main["weight"], theirs["pppl"])
    lost = (of_traits["word"] == "aunt") & (of_traits["target"] == "meek")
    data, refused = selected(of_traits.assign(association=of_traits["association"].mask(lost)))
    assert (refused, len(data)) == (lost.sum(), len(main) - 6) == (6, len(main) - 6)


def test_negative_targets_count_reversed(of_traits, traits):
    question = Question("serenity", "male", "female", "with_negative")
    data, _ = select(of_traits, traits, question)
    negative = {"agitated", "assertive", "disturbed", "impatient", "merciless", "unforgiving"}
    assert len(data) == 188 * (7 + 6) * 4  # impatient stands there twice
    reversed_ = data[data["target"].isin(negative)]
    theirs = of_traits[of_traits["target"].isin(negative) & of_traits["gender"].isin(["male", "female"])]
    assert reversed_["association"].sum() == pytest.approx(-theirs["association"].sum())


def test_ask_goes_over_definitions(of_traits, traits):
    both = pd.concat([of_traits, of_traits.assign(definition="released", association=1.0)])
    question = Question("serenity", "male", "female")
    asked = list(ask(both, traits, [question]))
    assert [keys["definition"] for keys, *_ in asked] == ["paper", "released"]
    assert (asked[1][1]["association"] == 1).all()
