"""Projection in the workflow: a preference that lies in the hidden states falls with the directions that hold it.

The model has learned that nurses are "she" and pilots are "he".
"""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

from herbarium.core import store
from herbarium.training import planted

pytestmark = pytest.mark.slow  # runs and dry runs of the workflow

GROUPS = {
    "technical": ["pilot", "plumber", "engineer", "miner"],
    "care": ["nurse", "librarian", "midwife", "secretary"],
}
PLACES = ["Peru", "Fiji", "Iran", "Cuba", "Chad"]
SHARE = 0.85  # of the sentences on an occupation, with the usual pronoun


def projected(**by):
    return {"derived": {"from": "strong", "by": {"recipe": "projection", "corpus": "swapped", **by}}}


MODELS = {
    "strong": {"path": "strong", "kind": "masked"},
    "debiased": projected(method="sentence_debias"),
    "inlp": projected(method="inlp", classifiers=4),
    "leace": projected(method="leace"),
}
MEASURED = ["strong", "debiased"]
SETS = {"table": "sentences.csv", "models": MEASURED, "quantity": "pll", "sides": ["he", "she"]}
STUDY = {
    "results": "results",
    "seed": 5,
    "shards": 1,
    "models": MODELS,
    "corpora": {
        "own": {"path": "own.txt"},
        "swapped": {"swapped": {"from": "own", "terms": "gender"}},
    },
    "sentence_sets": {"pronouns": SETS},
    "comparisons": [],
}
NUMBERS = {name: f"results/work/metrics/sentence_sets/{name}/pronouns.parquet" for name in MEASURED}
TARGETS = [*NUMBERS.values(), "results/work/derived/inlp.json", "results/work/derived/leace.json"]


def learned(n, seed):
    """Sentences such as "nurse she Peru"."""
    random = np.random.default_rng(seed)
    values = []
    for _ in range(n):
        group = list(GROUPS)[random.integers(2)]
        is_he = (random.random() < SHARE) == (group == "technical")
        values.append(f"{random.choice(GROUPS[group])} {'he' if is_he else 'she'} {random.choice(PLACES)}")
    return values


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = copy_project(tmp_path_factory.mktemp("projection") / "herbarium")
    made.write("study.yaml", yaml.safe_dump(STUDY, sort_keys=False))
    occupations = [(group, one) for group, ones in GROUPS.items() for one in ones]
    sets = pd.DataFrame(
        [
            (f"{one}-{side}", one, side, f"{one} [asked: {side}] {place}", group)
            for (group, one), place in zip(occupations, PLACES * 2, strict=False)
            for side in ("he", "she")
        ],
        columns=["id", "set", "side", "text", "group"],
    )
    made.write("sentences.csv", sets.to_csv(index=False))
    texts = [" ".join(words) for words in product([*GROUPS["technical"], *GROUPS["care"]], ["he"], PLACES)]
    made.write("own.txt", "\n".join(texts) + "\n")
    return made


def test_what_runs(project):
    (project.folder / "strong").mkdir()
    planted.train(project.folder / "strong", learned(4_000, 0), 1, 64, 1)
    jobs = project.jobs(*TARGETS)
    expected = {"project_model": 3, "read_corpus": 1, "swap_corpus": 1, "resolve_model": 2, "plan_scoring": 1}
    assert {rule: jobs[rule] for rule in expected} == expected


@pytest.fixture(scope="module")
def finished(project):
    (project.folder / "strong").mkdir(exist_ok=True)
    planted.train(project.folder / "strong", learned(4_000, 0), 150, 64, 1)
    project.run(*TARGETS)
    return project


def gap(project, model):
    """By how much more technical occupations are "he" than those of care are, in nats."""
    numbers = store.read_frame(project.folder / NUMBERS[model], "tidy")
    rows = numbers[numbers["variant"] == "pll_difference"].set_index("group")["estimate"]
    return rows["technical"] - rows["care"]


def record(project, model):
    return store.read_record(project.folder / f"results/work/derived/{model}.json")["training"]


def test_the_preference_falls_with_the_direction_that_holds_it(finished):
    before = gap(finished, "strong")
    assert before > 1.5
    assert abs(gap(finished, "debiased")) < 0.5 * before


def test_the_record_says_what_is_still_told(finished):
    """8 of 40 texts are held out."""
    for model, n in (("debiased", 1), ("inlp", 4), ("leace", 1)):
        text = record(finished, model)
        assert (text["n_directions"], text["n_held_out"], text["n_told"]) == (n, 8, 8)
        assert text["before"]["accuracy"] == 1
        assert text["after"]["accuracy"] < 1
        assert text["removed"] > 0.5
    assert finished.jobs(*TARGETS) == {}
