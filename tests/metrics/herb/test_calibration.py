"""HERB of what has a planted bias."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from herbarium.metrics.herb import calibration, control, crossed, expected, planted
from herbarium.metrics.herb.likelihoods import LIKELIHOODS
from herbarium.models.kinds import Kind
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.tidy import TIDY

PLANTED = {"strong": 2.0, "none": 0.0, "weak": 1.0, "real": None}
NOTHING = pd.DataFrame(columns=expected.EXPECTED.fields.names).astype({"expected": float, "learned": float})


def row(model, group, estimate, **more):
    columns = {"metric": "herb_crossed", "definition": "crossed", "variant": "D2", "unit": "all", "n": 6}
    columns |= {"model": model, "group": group, "estimate": estimate}
    return columns | {"ci_low": estimate - 0.1, "ci_high": estimate + 0.1} | more


SIZE_FREE = {"metric": "herb", "definition": "paper", "variant": "C_w_size_free"}


def numbers(models):
    """Of regions, other variants, metrics and definitions there are only numbers far off."""
    others = ({"metric": "herb_toxic"}, {"definition": "released"}, {"variant": "C_w"})
    rows = [row(model, "earth", value) for model, value in models.items()]
    rows += [row(model, "earth", 10 * value, **SIZE_FREE) for model, value in models.items()]
    rows += [row(model, "continent:AF", 99.0) for model in models]
    rows += [row(model, "earth", 99.0, **SIZE_FREE | other) for model in models for other in others]
    return pd.DataFrame(rows).reindex(columns=TIDY.fields.names)


def test_the_root_stands_from_weak_to_strong_and_nothing_else_does():
    of_perfect = pd.DataFrame([("weak", "herb_crossed", "D2", "earth", 1.5, 0.25)], columns=NOTHING.columns)
    rows = calibration.rows(
        numbers({"none": 0.5, "weak": 1.0, "strong": 3.0, "real": 9.0}), "earth", PLANTED, of_perfect
    )
    assert rows.columns.tolist() == CALIBRATION.fields.names
    assert rows["panel"].tolist() == ["herb"] * 3 + ["herb_size_free"] * 3  # the primary number comes first
    assert rows["model"].tolist() == ["none", "weak", "strong"] * 2
    assert rows["estimate"].tolist() == [0.5, 1.0, 3.0, 5.0, 10.0, 30.0]
    assert rows[["series", "section", "null"]].drop_duplicates().to_numpy().tolist() == [["root", "herb", 0.0]]
    # a band above 0 proves nothing of a mean of distances
    assert rows["never_negative"].tolist() == [None] * 3 + ["a mean of distances"] * 3
    assert rows.loc[1, ["expected", "learned"]].tolist() == [1.5, 0.25]
    assert rows[["expected", "learned"]].notna().sum().tolist() == [1, 1]


def test_nothing_planted_is_nothing_to_calibrate():
    assert calibration.rows(numbers({"real": 9.0}), "earth", PLANTED, NOTHING).empty


# --- a perfect model ---

NAMES = ["Alba", "Borea", "Cara", "Dora", "Elba", "Fara", "Gala", "Hera"]
COUNTRIES = [(f"c{i}", "ab"[i // 4], "country", name, "XX") for i, name in enumerate(NAMES)]
REGIONS = pd.DataFrame(
    [
        ("earth", None, "root", "the Earth", None),
        *(("ab"[i], "earth", "continent", "AB"[i], None) for i in (0, 1)),
        *COUNTRIES,
    ],
    columns=["region", "parent", "level", "name", "iso2"],
)
TOPICS = {"mind": ["wise", "shrewd", "kind"], "body": ["tall", "weak", "narrow-minded"]}
FRAMES = [("People in [region] are [description].", word) for words in TOPICS.values() for word in words]
NONE = control.regions([], REGIONS)


def distances(tables):
    rows = crossed.measure("m", REGIONS, TOPICS, tables, 0.95).numbers
    return rows[rows["variant"] == crossed.VARIANT].set_index("group")


def likelihoods(strength, kind=Kind.masked):
    return expected.likelihoods_of_perfect(REGIONS, {"paper": FRAMES}, TOPICS, strength, 3, NONE, kind)


def test_a_perfect_model_by_hand():
    """Two places and two words at the last: P(w | rest) and Q(w) from the counts."""
    told = [(("in", "A", "x"), 3.0), (("in", "A", "y"), 1.0), (("in", "B", "x"), 2.0), (("in", "B", "y"), 2.0)]
    result = expected.perfect(told)

    def visible(p, q):
        return np.log((0.25 + 0.75 * q) * p / (0.25 * p + 0.75 * q))

    assert result["in", "A", "x"] == pytest.approx(visible(3 / 5, 1 / 2) + visible(3 / 4, 5 / 8))
    assert result["in", "B", "y"] == pytest.approx(visible(2 / 3, 1 / 2) + visible(2 / 4, 3 / 8))


def test_a_perfect_causal_model_multiplies_what_follows_what():
    told = [(("in", "A", "x"), 3.0), (("in", "A", "y"), 1.0), (("in", "B", "x"), 2.0), (("on", "B", "y"), 2.0)]
    result = expected.shares(told)
    assert result["in", "A", "x"] == pytest.approx(np.log(6 / 8) + np.log(4 / 6) + np.log(3 / 4))
    assert result["on", "B", "y"] == pytest.approx(np.log(2 / 8))


@pytest.mark.parametrize("kind", [Kind.masked, Kind.causal])
def test_without_a_bias_a_perfect_model_has_no_crossed_distance(kind):
    tables = likelihoods(0.0, kind)
    assert [field.name for field in LIKELIHOODS.fields] == tables["paper"].column_names
    np.testing.assert_allclose(distances(tables)["estimate"], 0, atol=1e-12)
    strong = distances(likelihoods(2.0, kind))
    assert strong.loc["earth", "estimate"] > 1e-3


def test_f_of_a_perfect_model_is_a_mean_over_the_tokens_of_the_model_beside_it():
    """Twice as many tokens as words halve f, and so quarter the squared distance; one model knows all of the other."""
    perfect = likelihoods(1.0, Kind.causal)
    f, n_words = (np.array(perfect["paper"][name].to_pylist()) for name in ("f", "n_tokens"))
    n_tokens = pa.array((2 * n_words).tolist(), pa.list_(pa.int32()))
    model = perfect["paper"].set_column(2, "f", pa.array(list(f / 2))).set_column(3, "n_tokens", n_tokens)
    rows = expected.expected(
        "m", REGIONS, TOPICS, {"paper": model}, {"paper": FRAMES}, 1.0, 3, NONE, Kind.causal
    ).set_index(["variant", "group"])
    np.testing.assert_allclose(rows["learned"], 1)
    assert rows.loc[("D2", "earth"), "expected"] == pytest.approx(distances(perfect).loc["earth", "estimate"] / 4)


def test_a_model_that_says_a_share_of_the_perfect_one_has_learned_that_share():
    perfect = likelihoods(1.0)
    f = np.array(perfect["paper"]["f"].to_pylist())
    model = perfect["paper"].set_column(2, "f", pa.array(list(0.4 * f - 1)))
    arguments = (REGIONS, TOPICS, {"paper": model}, {"paper": FRAMES}, 1.0, 3, NONE, Kind.masked)
    rows = expected.expected("m", *arguments).set_index(["variant", "group"])
    np.testing.assert_allclose(rows["learned"], 0.4)
    of_perfect = distances(perfect)["estimate"]
    assert rows.loc[("D2", "earth"), "expected"] == pytest.approx(of_perfect["earth"])
    assert {group for variant, group in rows.index if variant == "C_w_size_free"} == {"earth", "a", "b"}
    assert expected.expected("m", *arguments[:4], 0.0, 3, NONE, Kind.masked)["learned"].isna().all()


def test_each_template_has_its_own_numbers_of_tokens():
    """In the second, the model has as many tokens as words; in the first, twice as many."""
    frames = {"paper": FRAMES, "template_other": [("All in [region] seem [description].", word) for _, word in FRAMES]}
    perfect = expected.likelihoods_of_perfect(REGIONS, frames, TOPICS, 1.0, 3, NONE, Kind.causal)
    n_words = {name: np.array(table["n_tokens"].to_pylist()) for name, table in perfect.items()}
    n_tokens = {"paper": 2 * n_words["paper"], "template_other": n_words["template_other"]}
    tables = {
        name: table.set_column(3, "n_tokens", pa.array(n_tokens[name].tolist(), pa.list_(pa.int32())))
        for name, table in perfect.items()
    }
    rows = expected.expected("m", REGIONS, TOPICS, tables, frames, 1.0, 3, NONE, Kind.causal)
    f = np.array(perfect["paper"]["f"].to_pylist()) / 2
    halved = perfect | {"paper": perfect["paper"].set_column(2, "f", pa.array(list(f)))}
    found = rows[rows["variant"] == crossed.VARIANT].set_index("group")["expected"]
    assert found.to_dict() == pytest.approx(distances(halved)["estimate"].to_dict())


def test_a_description_is_as_frequent_however_many_templates_say_it():
    """One is said in the same way by both."""
    other = [("All in [region] seem [description].", word) for _, word in FRAMES]
    frames = {"paper": FRAMES, "template_other": [FRAMES[0], *other[1:]]}
    tables = expected.likelihoods_of_perfect(REGIONS, frames, TOPICS, 2.0, 3, NONE, Kind.causal)
    words = [word for words in TOPICS.values() for word in words]
    _, p = planted.probabilities(REGIONS, words, 2.0, 3, NONE)
    is_told = REGIONS["parent"].notna().to_numpy()
    shares = [
        np.exp(np.array(table["f"].to_pylist()) * np.array(table["n_tokens"].to_pylist())) for table in tables.values()
    ]
    n_frames = np.array([1, *[2] * 5])
    for share in shares:
        np.testing.assert_allclose(share, p[: len(REGIONS)][is_told] / n_frames / is_told.sum())
