"""Sentences of a study, swapped, beside themselves: on planted models."""

import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.slow


def test_a_planted_preference_changes_scores(results):
    numbers = pd.read_csv(results / "tables/counterfactual_numbers.csv")
    numbers = numbers[numbers["group"] == "sentence_sets/pronouns"].set_index("model")
    none, strong = (numbers.loc[model] for model in ("masked-none", "pronoun-strong"))
    assert (none["n"], strong["n"]) == (10, 10)  # each pair of he and she once
    assert none["ci_high"] < strong["ci_low"]
    of_sets = pd.read_csv(results / "tables/sentence_sets_sentences.csv")
    of_sets = of_sets[(of_sets["model"] == "pronoun-strong") & (of_sets["stimuli"] == "pronouns")]
    of_sets = of_sets.pivot(index="set", columns="side", values="value")
    assert strong["estimate"] == pytest.approx((of_sets["he"] - of_sets["she"]).abs().mean(), abs=1e-5)


def test_nothing_is_scored_twice(edited):
    values = yaml.safe_load((edited.folder / "study.yaml").read_text(encoding="utf-8"))
    del values["counterfactual"]
    edited.write("study.yaml", yaml.safe_dump(values))
    assert not {"score_shard", "train_testbed"} & edited.jobs("results/tables/sentence_sets_numbers.csv").keys()
