"""Before and after: models of known bias are trained on without it, and each metric must see that it is gone.

In the sets of sentences the first side is e² times as frequent as the second, so that a perfect model of that text
has a difference of 2, and one of the text without bias 0. So has one of the biased text beside its swap, in which both
sides are as frequent; the swap alone has −2. A placebo, the same training on the biased text, must not lower it; and a
training that ruins the model must be told from one that helps.
"""

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

from herbarium.core import store

pytestmark = pytest.mark.nightly  # runs and dry runs of the workflow

TABLE = "resources/sentence_sets/pronouns/sentences.csv"
TRAINING = {"recipe": "continued", "batch_size": 32, "learning_rate": 1e-3, "warm_up": 10, "epochs": 2}


def derived(corpus, seeds=1, **changes):
    return {"derived": {"from": "strong", "by": {**TRAINING, "corpus": corpus, **changes}, "seeds": seeds}}


def swapped(sides):
    return {"swapped": {"from": "biased", "terms": "gender", "sides": sides}}


# what a perfect model of the text that a derived one has learned from has for a difference
PLANTED_AFTER = {"changed": 0.0, "balanced": 0.0, "turned": -2.0, "placebo": 2.0}

STUDY = {
    "results": "results",
    "seed": 5,
    "shards": 1,
    "testbed": {"steps": 400, "batch_size": 64},
    "models": {
        "none": {"planted": 0.0, "kind": "masked"},
        "strong": {"planted": 2.0, "kind": "masked"},
        "changed": derived("unbiased", seeds=3),
        "balanced": derived("both"),
        "turned": derived("swapped"),
        "placebo": derived("biased"),
        "ruined": derived("unbiased", learning_rate=0.3, warm_up=0),
    },
    "corpora": {
        "unbiased": {"planted": "none"},
        "biased": {"planted": "strong"},
        "both": swapped("two"),
        "swapped": swapped("one"),
    },
    "comparisons": [*(["strong", name] for name in PLANTED_AFTER), ["strong", "ruined"], ["placebo", "changed"]],
    "sentence_sets": {
        "pronouns": {
            "table": TABLE,
            "models": ["none", "strong", *PLANTED_AFTER, "ruined"],
            "quantity": "pll",
            "sides": ["he", "she"],
        }
    },
    "perplexity": {"models": ["strong", "changed", "placebo", "ruined"], "texts": ["unbiased"], "max_texts": 50},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = copy_project(tmp_path_factory.mktemp("changes") / "herbarium")
    made.write("study.yaml", yaml.safe_dump(STUDY, sort_keys=False))
    return made


def test_what_runs(project):
    jobs = project.jobs()
    expected = {"train_testbed": 2, "train_continued": 7, "read_corpus": 2, "swap_corpus": 2, "measure_perplexity": 6}
    expected |= {"compare_sentence_sets": 1, "compare_perplexity": 1, "draw_changes": 1, "write_report": 1}
    assert {rule: jobs[rule] for rule in expected} == expected


def test_models_that_are_not_compared_have_no_such_jobs(project):
    jobs = project.stats(project.run("-n", "--config", "comparisons=[]"))
    assert not {"compare_sentence_sets", "compare_perplexity", "draw_changes"} & jobs.keys()


@pytest.fixture(scope="module")
def finished(project):
    project.run()
    table = pd.read_csv(project.folder / "results/figures/changes.csv", dtype={"flagged": bool})
    return project, table.set_index(["first", "second", "measure"])


@pytest.mark.parametrize(("name", "planted"), PLANTED_AFTER.items())
def test_the_bias_becomes_that_of_the_text(name, planted, finished):
    """Within a quarter of what was planted at first: a model learns most of its text, and not all."""
    _, table = finished
    row = table.loc[("strong", name, "pronouns")]
    assert row["value_after"] == pytest.approx(planted, abs=0.5)
    assert row["value_before"] > 1


def test_a_fall_is_told_from_more_training(finished):
    _, table = finished
    changed = table.loc[("strong", "changed", "pronouns")]
    assert changed["trainings"] == 3
    assert changed["ci_high"] < 0
    assert table.loc[("strong", "placebo", "pronouns"), "ci_high"] > 0  # no fall
    assert table.loc[("placebo", "changed", "pronouns"), "ci_high"] < 0


def test_a_model_that_has_forgotten_is_flagged_wherever_it_is_shown(finished):
    project, table = finished
    flagged = table[table["flagged"]].reset_index()
    assert flagged[["first", "second"]].to_numpy().tolist() == [["strong", "ruined"]]
    page = (project.folder / "results/report/index.html").read_text(encoding="utf-8")
    assert page.count("<strong>ruined has forgotten") == 2  # overview, and where its change stands
    assert "ruined (flagged)" in page
    assert "changed has forgotten" not in page


def test_the_differences_are_those_of_the_numbers(finished):
    project, table = finished
    numbers = store.read_frame(project.folder / "results/summary.parquet", "tidy")
    rows = numbers[(numbers["variant"] == "pll_difference") & (numbers["group"] == "all")].set_index("model")[
        "estimate"
    ]
    row = table.loc[("strong", "changed", "pronouns")]
    after = rows[["changed", "changed-seed2", "changed-seed3"]].mean()
    assert (row["value_before"], row["value_after"]) == pytest.approx((rows["strong"], after))
    assert row["estimate"] == pytest.approx(after - rows["strong"])
    assert project.jobs() == {}
