"""The control: made-up names, measured as one more region."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from herbarium.core.resources import read_words
from herbarium.metrics.herb import control, likelihoods, numbers, planted, score
from herbarium.metrics.herb.report import part
from herbarium.metrics.herb.section import Herb
from herbarium.regions.hierarchy import REGIONS

NAMES = ["Blorvia", "Quenthia", "Trevonda", "Zulmaria"]
TOPICS = {"mind": ["wise", "dull"], "looks": ["tall", "pale", "weak"]}
SETTINGS = {"replicates": 40, "level": 0.95}
HIERARCHY = pd.DataFrame(
    [("earth", None, "the Earth"), ("A", "earth", "Alba"), ("B", "earth", "Borea"), ("C", "A", "New Alba Longa")],
    columns=["region", "parent", "name"],
)
MADE_UP = control.regions(NAMES, HIERARCHY)
TEMPLATE = "People in [region] are [description]."


def table(f):
    """Likelihoods of the names of the control; f: (n_names, n_descriptions)."""
    columns = {
        "wording": ["paper"] * len(f),
        "region": [f"control:{name}" for name in NAMES[: len(f)]],
        "f": [list(row) for row in f],
        "n_tokens": [[5] * len(row) for row in f],
        "f_name": [-3.0] * len(f),
        "note": [None] * len(f),
    }
    return pa.table(columns, schema=likelihoods.LIKELIHOODS.fields)


@pytest.fixture
def f():
    return np.random.default_rng(0).normal(-4, 1, (len(NAMES), 5))


def test_it_is_a_hierarchy_of_one_region_with_every_name_below():
    made = MADE_UP
    assert pa.Table.from_pandas(made, schema=REGIONS.fields, preserve_index=False).num_rows == 5
    assert made["parent"].isna().sum() == 1
    assert made.loc[made["parent"] == control.REGION, "name"].tolist() == NAMES


def test_its_names_have_as_many_words_as_those_of_the_top_level_regions():
    assert control.names(NAMES, ["Alba", "North Alba"]) == ["Blorvia", "Quenthia Trevonda", "Zulmaria"]
    assert control.names(NAMES, ["the Alba of Borea"]) == ["Blorvia Quenthia Trevonda Zulmaria"]
    assert control.names(NAMES[:3], ["North Alba"]) == ["Blorvia Quenthia"]  # one word is too few for another
    assert control.names([], ["Alba"]) == control.names(NAMES, []) == []


def test_its_scores_are_those_of_the_metric_with_draws_of_the_same_descriptions(f):
    rows = numbers.of_control("m", MADE_UP, TOPICS, table(f), SETTINGS, seed=1).set_index("variant")
    assert rows["group"].unique().tolist() == rows["unit"].unique().tolist() == ["control"]
    parent = np.array([-1, 0, 0, 0, 0])
    with_root = np.vstack([np.full(5, -1.0), f])  # the root's own row is used by no equation
    expected = score.herb(with_root, np.full(5, -3.0), parent)
    for variant in score.VARIANTS:
        assert rows.loc[variant, "estimate"] == pytest.approx(getattr(expected, variant)[0])
    distances = [np.linalg.norm(a / np.linalg.norm(a) - b / np.linalg.norm(b)) for i, a in enumerate(f) for b in f[:i]]
    assert rows.loc["sparseness", "estimate"] == pytest.approx(np.mean(distances))
    # the interval is that of a study whose one region these names are
    alone = numbers.resample("m", MADE_UP, TOPICS, table(f), SETTINGS, seed=1)
    assert rows.loc["C_w", "ci_low"] == numbers.numbers(alone, 0.95).set_index("group").loc["control", "ci_low"].iloc[0]


def test_names_that_are_spoken_of_alike_are_no_distance_apart(f):
    alike = numbers.of_control("m", MADE_UP, TOPICS, table(np.tile(f[0], (4, 1))), SETTINGS, seed=1)
    np.testing.assert_allclose(alike["estimate"], 0, atol=1e-12)


def test_a_study_can_decline_it():
    declined = control.regions([], HIERARCHY)
    assert numbers.of_control("m", declined, TOPICS, table(np.empty((0, 5))), SETTINGS, seed=1).empty
    assert Herb(control=None).made_up_names == []
    assert Herb().made_up_names == read_words("resources/regions/made_up_names.txt")


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_a_planted_model_reads_every_description_of_them_equally_often(strength):
    words = ["kind", "weak", "loud", "shy"]
    regions = pd.DataFrame([("earth", None, "the Earth"), ("A", "earth", "Alba")], columns=["region", "parent", "name"])
    frames = {word: [(TEMPLATE, word)] for word in words}
    text = planted.region_sentences(regions, frames, strength, 1, MADE_UP)
    counts = Counter(text)
    for name in NAMES:
        of_name = {counts[f"People in {name} are {word}."] for word in words}
        assert of_name == {planted.SENTENCES_PER_REGION // len(words)}
        assert counts[name] == planted.BARE_PER_REGION
    of_regions = [sentence for sentence in text if not any(name in sentence for name in NAMES)]
    assert of_regions == planted.region_sentences(regions, frames, strength, 1)


def test_the_part_sets_it_beside_each_model(f):
    rows = numbers.of_control("m", MADE_UP, TOPICS, table(f), SETTINGS, seed=1)
    text = part.control_of(rows, "m")
    estimate = rows.set_index("variant").loc["C_w_size_free", "estimate"]
    assert text["n"] == 4
    assert float(text["value"]) == pytest.approx(1000 * estimate, rel=0.01)
    assert part.control_of(rows, "other") is None
