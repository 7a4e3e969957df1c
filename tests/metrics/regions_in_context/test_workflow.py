"""Regions in context as a workflow: stereotypes as a list, two templates, and a causal model."""

import pandas as pd
import pytest

pytestmark = pytest.mark.slow


def test_two_templates_a_list_of_stereotypes_and_a_causal_model(results):
    numbers = pd.read_csv(results / "tables/regions_in_context_numbers.csv").set_index("unit")
    listed = numbers.loc["listed"]
    agreement = listed[listed["variant"] == "stereotype_agreement"].iloc[-1]
    assert agreement[["ci_low", "ci_high", "p_value", "p_adjusted"]].notna().all()
    assert listed[listed["definition"] == "held_out_words"]["note"].str.startswith("6 regions").all()
    causal = numbers.loc["causal"]
    assert causal[causal["variant"] == "common_share"]["estimate"].notna().any()
    assert causal[causal["variant"] == "stereotype_agreement"]["estimate"].isna().all()
    assert 'id="table-regions_in_context"' in (results / "report/index.html").read_text(encoding="utf-8")


def test_a_stereotype_of_an_unknown_description_is_told(edited):
    edited.write("stereotypes.csv", "region,description\npe,wize\n")
    message = "the description 'wize' is in no list of 'descriptions'; did you mean 'wise'?"
    assert message in edited.fails("-n", "results/tables/regions_in_context_numbers.csv")
