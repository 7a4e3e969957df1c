"""Categorical Bias' tidy numbers as tables to read."""

import pandas as pd
import pytest

from herbarium.metrics.categorical_bias import overview
from herbarium.statistics.tidy import tidy

LANGUAGES = {
    "english": {"lists": {"ours": "a", "theirs": "b"}, "models": ["m", "k"]},
    "greek": {"lists": {"ours": "c"}, "models": ["m"]},
}


def row(unit, group, estimate, variant="cb", model="m", definition="paper", **more):
    place = {"metric": "categorical_bias", "unit": unit, "group": group, "model": model, "definition": definition}
    return {**place, "variant": variant, "estimate": estimate, "n": 2, **more}


@pytest.fixture(scope="module")
def numbers():
    rows = [
        row("list", "english/ours", 4.0, ci_low=3.0, ci_high=5.0, std_error=0.5),
        row("list", "english/ours", 6.0, definition="released"),
        row("list", "english/ours", 5.0, variant="cb_additional_both"),
        row("list", "english/ours", 2.0, variant="cross_form", p_value=0.01, p_adjusted=0.02),
        row("list", "english/ours", 2.5, variant="cross_form_bound"),
        row("template", "english/ours/is", 3.0, ci_low=2.0, ci_high=4.0),
        row("template", "english/ours/is", 7.0, definition="released"),
        row("attribute", "english/ours/bus/lorry driver", 9.0),
        row("attribute", "english/ours/bus/lorry driver", 0.5, variant="cross_form"),
        row("attribute", "english/ours/bus/lorry driver", 0.7, variant="cross_form", definition="released"),
        *(row("target", f"english/ours/{key}", x, "cb_contribution") for key, x in (("Peru", 1.0), ("Chad", 3.0))),
        *(row("target", f"english/ours/{key}", x, "n_tokens") for key, x in (("Peru", 1), ("Chad", 2))),
        row("target", "english/ours/Peru", 6.0, "cb_contribution", definition="released"),
        row("target", "greek/ours/Peru", 5, "n_tokens"),
        row("target", "english/ours/Peru", 4, "n_tokens", model="k"),
        row("target", "english/theirs/Peru", 3, "n_tokens"),
        *(
            row(unit, group, 0.5, model=model) | {"metric": "categorical_bias_differences"}
            for unit, group, model in (
                ("models", "english/ours", "m − k"),
                ("languages", "english − greek", "m"),
                ("languages", "english − greek", "k − m"),
                ("lists", "english/ours − theirs", "m"),
            )
        ),
        row("languages", "english − greek", 0.1, "jsd") | {"metric": "categorical_bias_divergences"},
    ]
    return tidy(pd.DataFrame(rows))


def test_scores(numbers):
    rows = overview.scores(numbers).set_index(["definition", "variant"])
    assert len(rows) == 4
    assert rows.loc[("paper", "cb"), ["language", "list", "estimate", "std_error", "ci_low", "n"]].tolist() == [
        *("english", "ours", 4.0, 0.5, 3.0, 2)
    ]
    assert rows.loc[("paper", "cb"), "n_tokens"] == 1.5
    chance = ["estimate", "equivalence_bound", "p_value", "p_adjusted"]
    assert rows.loc[("paper", "cross_form"), chance].tolist() == [2.0, 2.5, 0.01, 0.02]
    assert rows.loc[("paper", "cb"), chance[1:]].isna().all()
    assert pd.isna(rows.loc[("paper", "cb_additional_both"), "n_tokens"])


def test_targets(numbers):
    rows = overview.targets(numbers).set_index("target")
    assert rows.index.tolist() == ["Peru", "Chad"]
    assert rows["paper_share"].tolist() == [0.25, 0.75]
    assert rows["n_tokens"].tolist() == [1, 2]
    assert rows.loc["Peru", ["released", "released_share"]].tolist() == [6.0, 1.0]


def test_templates_and_attributes(numbers):
    (template,) = overview.templates(numbers).to_dict("records")
    assert (template["template"], template["paper"], template["paper_low"], template["released"]) == ("is", 3, 2, 7)
    assert (template["language"], template["list"], template["n_tokens"]) == ("english", "ours", 1.5)
    (attribute,) = overview.attributes(numbers).to_dict("records")
    assert (attribute["attribute"], attribute["cross_form"], attribute["paper"]) == ("bus/lorry driver", 0.5, 9.0)


def test_sides_of_differences(numbers):
    rows = overview.differences(numbers, LANGUAGES)
    columns = ["language", "other_language", "list", "other_list", "n_tokens", "other_n_tokens"]
    chosen = rows[["unit", "model", *columns]].astype(object).where(rows[["unit", "model", *columns]].notna(), None)
    assert chosen.to_numpy().tolist() == [
        ["models", "m − k", "english", None, "ours", None, 1.5, 4],
        ["languages", "m", "english", "greek", "ours", "ours", 1.5, 5],
        ["languages", "k − m", "english", "greek", "ours", "ours", 4, 5],
        ["lists", "m", "english", None, "ours", "theirs", 1.5, 3],
    ]


def test_divergences(numbers):
    (row,) = overview.divergences(numbers, LANGUAGES).to_dict("records")
    assert (row["language"], row["other_language"], row["estimate"]) == ("english", "greek", 0.1)
    assert overview.divergences(numbers[numbers["metric"] == "categorical_bias"], LANGUAGES).empty


def test_a_causal_model_has_columns_of_its_own(numbers):
    more = [
        row("template", "english/ours/is", 8.0, model="gpt", definition="whole"),
        row("target", "english/ours/Peru", 2, "n_tokens", model="gpt", definition="whole"),
    ]
    rows = overview.templates(pd.concat([numbers, tidy(pd.DataFrame(more))])).set_index("model")
    assert rows.loc["gpt", ["whole", "n", "n_tokens"]].tolist() == [8, 2, 2]
    assert rows.loc["gpt", ["paper", "released"]].isna().all()
    assert pd.isna(rows.loc["m", "whole"])
