"""Gender in context as a workflow: planted models, a causal one, and corpora that are counted."""

import pandas as pd
import pytest

pytestmark = pytest.mark.slow


def test_what_is_planted_is_found_and_a_causal_model_is_measured_where_the_pronoun_comes_first(results):
    published = pd.read_csv(results / "tables/reproduction.csv")
    published = published[published["metric"] == "gender_in_context"]
    assert set(published["agreement"]) == {"not comparable"}  # each figure has one of ours beside it
    assert set(published["table"]) == {"Table 3.4", "Section 3.2.2.3"}
    assert "Zhao (2021), Section 3.2.2, Table 3.4: 6 figures" in (results / "report/index.html").read_text()
    table = pd.read_csv(results / "tables/gender_in_context_numbers.csv")
    of_corpus = table[table["unit"] == "swapped"]
    shared = of_corpus[(of_corpus["variant"] == "common_share") & (of_corpus["definition"] == "gender")]
    assert shared["n"].tolist() == [4, 4, 4]
    assert shared["estimate"].iloc[-1] > 0
    of_causal = table[table["model"] == "gpt2"]
    table = table[table["unit"] == "occupations"]
    last = table[table["variant"] == "stereotype_difference"].groupby("model").last()
    assert last.loc["pronoun-strong", "p_adjusted"] < 0.05
    assert last.loc["pronoun-strong", "ci_low"] > 0
    assert last.loc["masked-none", "p_adjusted"] > 0.05
    assert (of_causal.groupby("group")["estimate"].count() > 0).all()
    assert of_causal["n"].max() == 40
    assert not of_causal["note"].str.contains("left out", na=False).any()
    changes = pd.read_csv(results / "figures/changes.csv").set_index("measure")
    change = changes.loc["Gender in context, occupations: stereotype difference"]
    values = last.loc[["pronoun-strong", "changed"], "estimate"].tolist()
    assert [change["value_before"], change["value_after"]] == pytest.approx(values)
    assert change["estimate"] == pytest.approx(values[1] - values[0])
    assert change["note"] == "one training: how much another would differ is unknown"
    reliability = pd.read_csv(results / "tables/reliability.csv").set_index("measure")
    of_set = reliability.loc["stereotype_difference, occupations"]
    assert of_set[["over", "n_objects"]].tolist() == ["models", 3]
    counts = pd.read_csv(results / "tables/gender_in_context_counts.csv")
    assert (counts["n_pronouns"] > 0).all()
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert 'id="table-gender_in_context"' in page
