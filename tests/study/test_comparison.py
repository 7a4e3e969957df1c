"""What is said of two runs: toys whose every number is known."""

import numpy as np
import pandas as pd
import pytest

from herbarium.statistics.tidy import KEY, tidy
from herbarium.study.comparison import causes, changes, describe


def numbers(**rows):
    """Tidy rows by group: estimate, std_error, ci_low, ci_high."""
    table = pd.DataFrame(rows, index=["estimate", "std_error", "ci_low", "ci_high"]).T
    table = table.rename_axis("group").reset_index()
    return tidy(table.assign(model="m", metric="toy", definition="paper", variant=None, unit="word", n=9))


NONE = np.nan
BASE = numbers(
    same=(1.0, 0.5, 0.0, 2.0),
    within=(1.0, 0.5, 0.0, 2.0),
    outside=(1.0, 0.1, 0.8, 1.2),
    apart=(1.0, 0.6, 0.9, 1.1),
    bare=(1.0, NONE, NONE, NONE),
    one_sided=(1.0, NONE, 0.9, 1.1),
    lost=(1.0, 0.1, 0.8, 1.2),
    gone=(1.0, 0.1, 0.8, 1.2),
    wider=(1.0, 0.1, 0.8, 1.2),
)
NEW = numbers(
    same=(1.0, 0.5, 0.0, 2.0),
    within=(1.5, 0.5, 0.5, 2.5),
    outside=(1.3, 0.1, 1.1, 1.5),
    apart=(3.0, 0.8, 2.9, 3.1),
    bare=(2.0, NONE, NONE, NONE),
    one_sided=(2.0, NONE, NONE, NONE),
    lost=(NONE, NONE, NONE, NONE),
    new=(1.0, 0.1, 0.8, 1.2),
    wider=(1.0, 0.3, 0.4, 1.6),
)


def test_what_became_of_each_number_the_weightiest_first():
    table = changes(BASE, NEW).set_index("group")["change"]
    assert table.to_dict() == {
        "apart": "apart",
        "outside": "outside",
        "one_sided": "outside",
        "lost": "no value",
        "bare": "no interval",
        "within": "within",
        "wider": "within",
        "gone": "gone",
        "new": "new",
        "same": "same",
    }
    assert table.index.tolist()[:3] == ["apart", "outside", "one_sided"]
    assert changes(NEW, BASE).set_index("group")["change"]["apart"] == "apart"


def test_the_test_by_hand():
    """Errors of 0.6 and 0.8 make one of 1; the normal distribution has .0455 beyond 2."""
    table = changes(BASE, NEW).set_index("group")
    assert table.loc["apart", ["difference", "std_error", "z"]].tolist() == pytest.approx([2, 1, 2])
    assert table.loc["apart", "p_value"] == pytest.approx(0.0455, abs=1e-4)
    assert table.loc["outside", "z"] == pytest.approx(0.3 / np.sqrt(0.02))
    # Benjamini and Hochberg: the second least of five p-values, times 5/2
    assert table["p_value"].notna().sum() == 5
    assert table.loc["apart", "p_adjusted"] == pytest.approx(0.0455 * 5 / 2, abs=1e-3)
    assert table.loc["same", "p_value"] == 1
    assert table.loc[["bare", "one_sided", "lost", "gone", "new"], "p_adjusted"].isna().all()


def test_families_are_metrics():
    few = [rows[rows["group"].isin(["apart", "same"])].assign(metric="other") for rows in (BASE, NEW)]
    of_both = changes(*(pd.concat(tables) for tables in zip((BASE, NEW), few, strict=True)))
    for metric, alone in (("toy", changes(BASE, NEW)), ("other", changes(*few))):
        rows = of_both[of_both["metric"] == metric].reset_index(drop=True)
        assert rows["group"].tolist() == alone["group"].tolist()
        assert rows["p_adjusted"].tolist() == pytest.approx(alone["p_adjusted"].tolist(), nan_ok=True)


@pytest.mark.parametrize(("shared", "least", "most"), [(0.0, 0.03, 0.07), (0.7, 0.0, 0.02)])
def test_false_alarms_are_five_per_cent_of_independent_runs_and_fewer_of_runs_that_share_data(shared, least, most):
    random = np.random.default_rng(0)
    common = random.normal(size=2000) * np.sqrt(shared)
    one, other = (common + random.normal(size=2000) * np.sqrt(1 - shared) for _ in range(2))
    rows = [numbers(**{str(i): (x, 1.0, NONE, NONE) for i, x in enumerate(run)}) for run in (one, other)]
    assert least <= (changes(*rows)["p_value"] < 0.05).mean() <= most


def test_keys_without_a_value_are_joined_too():
    assert BASE["variant"].isna().all()
    changes_table = changes(BASE, BASE)
    assert changes_table["change"].tolist() == ["same"] * len(BASE)
    assert changes_table[[*KEY]].notna().sum().to_dict()["variant"] == 0


def making(rule, code, inputs, torch="2.0", **models):
    return {"rule": rule, "code": code, "inputs": inputs, "libraries": {"torch": torch}, "models": models}


def record(code="a", seed=0, torch="2.0", revision="r", words="w", figure="f", device="CPU", answered="CPU"):
    tiny = {"revision": revision, "files": "h"}
    return {
        "study": {"results": "results", "seed": seed, "herb": {"models": ["tiny"], "level": 0.9}},
        "models": {"models/tiny/herb.json": {"dtype": "float32", "tuned": {"device": device}}},
        "files": {
            "summary.parquet": making("summarize", "s", {"metric.parquet": "1"}),
            "metric.parquet": making("measure", code, {"words.txt": words}, torch, tiny=tiny) | {"device": answered},
            "figure.csv": making("draw", figure, {"summary.parquet": "1", "map.json": figure}),
        },
    }


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"code": "b"}, ("code", "measure", "a", "b")),
        ({"seed": 1}, ("configuration", "seed", "0", "1")),
        ({"torch": "2.1"}, ("library", "torch", "2.0", "2.0, 2.1")),
        ({"revision": "q"}, ("model", "tiny.revision", "r", "q")),
        ({"device": "H100"}, ("model", "models/tiny/herb.json.device", "CPU", "H100")),
        ({"answered": "H100; CPU"}, ("model", "measure.device", "CPU", "H100; CPU")),
        ({"words": "v"}, ("source", "words.txt", "w", "v")),
    ],
    ids=lambda value: str(value[0]) if isinstance(value, tuple) else "",
)
def test_every_cause_is_said(change, cause):
    assert causes(record(), record(**change)).to_numpy().tolist() == [list(cause)]


def test_what_no_number_hangs_on_is_no_cause():
    elsewhere = record(figure="g")
    elsewhere["study"]["results"] = "old"
    assert causes(record(), elsewhere).empty


def test_what_one_run_alone_has_is_said():
    more = record()
    more["study"]["herb"]["topics"] = ["a"]
    (row,) = causes(record(), more).to_dict("records")
    assert (row["name"], row["new"]) == ("herb.topics", '["a"]')
    assert pd.isna(row["base"])


def test_the_text_counts_and_names_what_changed():
    text = describe(changes(BASE, NEW), causes(record(), record(seed=1)))
    assert "Changed beyond their intervals: 3 of 10\n" in text
    assert "apart: m, toy, paper, word, apart: 1 -> 3" in text
    assert "configuration seed: 0 -> 1" in text


def test_of_many_numbers_the_first_are_listed():
    groups = [f"group {i}" for i in range(25)]
    base, new = (numbers(**dict.fromkeys(groups, (x, 0.1, x - 0.2, x + 0.2))) for x in (1.0, 2.0))
    text = describe(changes(base, new), causes(record(), record()))
    assert text.count("apart: m") == 10
    assert "and 15 more" in text
