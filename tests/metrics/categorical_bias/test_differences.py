"""Differences of Categorical Bias: paired, adjusted by family, null where a side is, by hand."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.categorical_bias import differences as differences_of
from herbarium.statistics.inference import adjust, percentile_interval

LANGUAGES = {
    "english": {"lists": {"ours": "a", "theirs": "b"}, "models": ["en", "multi"]},
    "greek": {"lists": {"ours": "c"}, "models": ["el", "multi"]},
    "turkish": {"lists": {"ours": "d"}, "models": ["multi"]},
}
N_REPLICATES = 80


def study(without=(), n=None):
    """Numbers and replicates of every model, list and definition. without: (model, group, variant) of no replicates."""
    random = np.random.default_rng(3)
    numbers, replicates = [], []
    for language, of in LANGUAGES.items():
        for model in of["models"]:
            for name in of["lists"]:
                for definition in ("paper", "released"):
                    for variant in differences_of.VARIANTS:
                        group = f"{language}/{name}"
                        row = {"model": model, "group": group, "definition": definition, "variant": variant}
                        row |= {"metric": "categorical_bias", "unit": "list"}
                        number = {"estimate": random.uniform(1, 9)}
                        numbers.append({**row, **number, "n": (n or {}).get(group, 30)})
                        if (model, group, variant) not in without:
                            drawn = number["estimate"] + random.normal(size=N_REPLICATES)
                            table = pd.DataFrame({**row, "value": drawn})
                            replicates.append(table.rename_axis("replicate").reset_index())
    return pd.DataFrame(numbers), pd.concat(replicates, ignore_index=True)


def differences(numbers, replicates, languages=LANGUAGES, method="holm"):
    return differences_of.differences(numbers, replicates, languages, 0.9, method)


@pytest.fixture(scope="module")
def measured():
    return study()


@pytest.fixture(scope="module")
def rows(measured):
    return differences(*measured)


def drawn(replicates, model, group, definition, variant):
    key = ["model", "group", "definition", "variant"]
    return replicates.set_index(key).loc[(model, group, definition, variant), "value"].to_numpy()


def test_the_pairs(rows):
    one = rows[(rows["definition"] == "paper") & (rows["variant"] == "cb")]
    pairs = one.groupby("unit")[["model", "group"]].agg(list)
    assert list(zip(*pairs.loc["models"], strict=True)) == [
        ("en − multi", "english/ours"),
        ("en − multi", "english/theirs"),
        ("el − multi", "greek/ours"),
    ]
    assert list(zip(*pairs.loc["languages"], strict=True)) == [
        ("multi", "english − greek"),
        ("en − el", "english − greek"),
        ("multi", "english − turkish"),
        ("en − multi", "english − turkish"),
        ("multi", "greek − turkish"),
        ("el − multi", "greek − turkish"),
    ]
    assert list(zip(*pairs.loc["lists"], strict=True)) == [
        ("en", "english/ours − theirs"),
        ("multi", "english/ours − theirs"),
    ]
    assert len(rows) == 2 * 8 * (3 + 6 + 2)


def test_a_model_that_is_the_own_one_of_both_languages_stands_there_once():
    languages = {name: {"lists": {"ours": "x"}, "models": ["multi", "other"]} for name in ("english", "greek")}
    pairs = list(differences_of.language_pairs(languages))
    assert [pair.model for pair in pairs] == ["multi", "other"]


@pytest.mark.parametrize(
    ("unit", "model", "group", "a", "b"),
    [
        ("models", "en − multi", "english/theirs", ("en", "english/theirs"), ("multi", "english/theirs")),
        ("languages", "multi", "english − greek", ("multi", "english/ours"), ("multi", "greek/ours")),
        ("languages", "en − el", "english − greek", ("en", "english/ours"), ("el", "greek/ours")),
        ("lists", "multi", "english/ours − theirs", ("multi", "english/ours"), ("multi", "english/theirs")),
    ],
)
def test_by_hand(measured, rows, unit, model, group, a, b):
    numbers, replicates = measured
    for definition, variant in (("paper", "cb"), ("released", "part_rest")):
        row = rows.set_index(["unit", "model", "group", "definition", "variant"]).loc[
            (unit, model, group, definition, variant)
        ]
        estimates = numbers.set_index(["model", "group", "definition", "variant"])["estimate"]
        assert row["estimate"] == pytest.approx(
            estimates[(*a, definition, variant)] - estimates[(*b, definition, variant)]
        )
        values = drawn(replicates, *a, definition, variant) - drawn(replicates, *b, definition, variant)
        assert (row["ci_low"], row["ci_high"]) == pytest.approx(percentile_interval(values, 0.9))
        assert row["std_error"] == pytest.approx(values.std(ddof=1))
        tail = min((values <= 0).sum(), (values >= 0).sum())
        assert row["p_value"] == pytest.approx(min(1, 2 * (1 + tail) / (1 + N_REPLICATES)))
        assert row["n"] == 30


def test_a_model_against_itself_shifted_has_an_interval_of_no_width(measured):
    numbers, replicates = (table.copy() for table in measured)
    for table, column in ((numbers, "estimate"), (replicates, "value")):
        values = table[(table["model"] == "en") & (table["group"] == "english/ours")].set_index(
            ["definition", "variant", *(["replicate"] if column == "value" else [])]
        )[column]
        at = (table["model"] == "multi") & (table["group"] == "english/ours")
        table.loc[at, column] = values.to_numpy() - 2
    rows = differences(numbers, replicates)
    rows = rows[(rows["unit"] == "models") & (rows["group"] == "english/ours")]
    np.testing.assert_allclose(rows[["estimate", "ci_low", "ci_high"]], 2)
    np.testing.assert_allclose(rows["std_error"], 0, atol=1e-12)
    np.testing.assert_allclose(rows["p_value"], 2 / (1 + N_REPLICATES))
    assert (rows["note"] == "p is the least that 80 replicates can give").all()


def test_families_of_p_values(measured, rows):
    for method, table in (("holm", rows), ("fdr_bh", differences(*measured, method="fdr_bh"))):
        for (unit, *_), family in table.groupby(["unit", "definition", "variant"]):
            assert len(family) == {"models": 3, "languages": 6, "lists": 2}[unit]
            np.testing.assert_allclose(family["p_adjusted"], adjust(family["p_value"].to_numpy(), method))


def test_what_a_side_lacks_is_null_with_a_note(measured):
    everywhere = [
        (model, f"{language}/{name}", "cb_single_token")
        for language, of in LANGUAGES.items()
        for model in of["models"]
        for name in of["lists"]
    ]
    numbers, replicates = study(
        without=[("el", "greek/ours", "length_share"), *everywhere], n={"greek/ours": 29, "turkish/ours": 28}
    )
    numbers.loc[(numbers["model"] == "en") & (numbers["variant"] == "part_rest"), "estimate"] = np.nan
    rows = differences(numbers, replicates)
    rows = rows[rows["definition"] == "paper"].set_index(["model", "group", "variant"])
    row = rows.loc[("en − el", "english − greek", "length_share")]
    assert np.isfinite(row["estimate"])
    assert row[["std_error", "ci_low", "ci_high", "p_value", "p_adjusted"]].isna().all()
    assert row["note"] == "a side has no interval"
    assert rows.loc[("en − el", "english − greek", "part_rest"), "note"] == "a side was not measured"
    row = rows.loc[("multi", "greek − turkish", "cb")]
    assert pd.isna(row["n"])
    assert row["note"] == "the sides are of different numbers of targets"
    assert np.isfinite(row["p_value"])
    assert (rows.xs("cb_single_token", level="variant")["note"] == "a side has no interval").all()


def test_replicates_of_other_draws_are_refused(measured):
    numbers, replicates = measured
    fewer = replicates[(replicates["model"] != "en") | (replicates["replicate"] < 40)]
    with pytest.raises(ValueError, match="cannot be paired"):
        differences(numbers, fewer)


def test_nothing_to_compare(measured):
    numbers, replicates = measured
    assert differences(numbers, replicates.iloc[:0]).empty
    assert differences(numbers, replicates, {"turkish": LANGUAGES["turkish"]}).empty
