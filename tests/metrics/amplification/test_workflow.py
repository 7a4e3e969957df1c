"""Bias amplification as a workflow: texts that name countries, decisions within constraints, what cannot be done."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.downstream.test_workflow import TASK as OF_TABLE
from tests.metrics.downstream.test_workflow import TRAINING, save_classifier, with_genders

from herbarium.core import store

pytestmark = pytest.mark.slow  # trains classifiers and runs a workflow (a minute)

# How many of twelve texts of each country are rude.
RUDE = {"Peru": 9, "Canada": 3, "Fiji": 6}
WORDS = {"kind": "wise", "rude": "weak"}
TALK = [
    (f"{place}-{n}-{copy}", f"People of {place} are {WORDS[label]}, {n} of {copy}.", label)
    for place, rude in RUDE.items()
    for n in range(12)
    for copy in ("two", "ten")
    for label in ["rude" if n < rude else "kind"]
]
TASK = OF_TABLE | {
    "constrained": {"careful": {"from": "tiny", "groups": "country", "least_texts": 2, "margin": 0.3}},
}
AMPLIFICATION = {
    **{"tasks": ["talk"], "groups": "country", "least_texts": 2, "margin": 0.3, "margins": [0.4]},
    "structured": {"vsrl": {"planted": 2}},
}


def configured(project, table=TALK, **changes):
    project.write("talk.csv", with_genders(table).to_csv(index=False))
    downstream = {"tasks": {"talk": TASK}, "training": TRAINING, "bootstrap": {"replicates": 20}}
    project.configure(shards=1, downstream=downstream, amplification=AMPLIFICATION | changes)


@pytest.fixture
def study(project, model_folder):
    save_classifier(project.folder / "theirs", model_folder("bert"))
    return project


def test_from_texts_to_decisions_within_constraints(study):
    configured(study, texts="named")
    study.run("amplification", "downstream", "reproduction", "results/work/changes/amplification/talk.parquet")
    results = study.folder / "results"

    published = pd.read_csv(results / "tables/reproduction.csv").query("metric == 'amplification'")
    of_potentials = published[published["table"] == "Section 5.2"].set_index(["row", "column"])
    # planted, so that the name alone is that of the figure
    assert of_potentials.loc[("vsrl, CRF + PR", "expected_violations"), "agreement"] == "not comparable"
    assert (published.loc[published["table"] == "Table 5.2", "agreement"] == "not measured").all()

    # what is decided anew is within the margin, for each set: by prefixes, as `careful` was asked for
    examples = store.read_frame(results / "work/downstream/talk/examples.parquet", "task_examples")
    prefixes = store.read_frame(results / "work/downstream/talk/prefixes.parquet", "task_prefixes")
    countries = prefixes[prefixes["unit"] == "country"].set_index("prefix")["group"].str.removeprefix("country:")
    places = {"pe": "Peru", "ca": "Canada", "fj": "Fiji"}
    for number in (1, 2):
        training = examples[(examples["split"] == "train") & (examples["set"] == number)]
        path = results / f"work/downstream/talk/careful/set-{number}/predictions-0.parquet"
        table = store.read_frame(path, "predictions").assign(is_rude=lambda rows: rows["log_odds"] > 0)
        rates = table.groupby(table["prefix"].map(countries))["is_rude"].agg(["mean", "size"])
        for country, place in places.items():
            of_place = training.loc[training["text"].str.contains(place), "label"]
            nearest = max(0.3, 0.5 / rates.loc[country, "size"])
            assert len(of_place) < 2 or abs(rates.loc[country, "mean"] - of_place.mean()) <= nearest + 1e-6

    # the numbers are of the test texts that name a country
    numbers = store.read_frame(results / "work/metrics/amplification/talk/tiny.parquet", "tidy")
    test = examples[examples["split"] == "test"].reset_index(drop=True)
    values = np.stack(
        [
            store.read_frame(results / f"work/downstream/talk/tiny/set-{number}/predictions-0.parquet", "predictions")
            .query("prefix == 0")
            .sort_values("example")["log_odds"]
            for number in (1, 2)
        ]
    )
    predicted = numbers[numbers["variant"] == "predicted_rate"].set_index("group")["estimate"]
    for country, place in places.items():
        if f"talk/{country}" in predicted:
            wanted = (values[:, test["text"].str.contains(place)] > 0).mean()
            assert predicted[f"talk/{country}"] == pytest.approx(wanted)
    assert len(predicted) >= 2

    # one set says nothing of others
    theirs = store.read_frame(results / "work/metrics/amplification/talk/theirs.parquet", "tidy")
    (row,) = theirs.query("variant == 'amplification' and definition == 'own'").to_dict("records")
    assert np.isnan(row["estimate"])
    assert "one training set" in row["note"]
    structured = pd.read_csv(results / "tables/amplification_structured.csv")
    assert structured["name"].unique().tolist() == ["vsrl"]
    changes = store.read_frame(results / "work/changes/amplification/talk.parquet", "changes")
    assert set(changes["after"]) == {"careful"}

    # a level is of the intervals alone; a margin also of what structured outputs are decided within
    assert study.jobs("amplification", "downstream") == {}
    configured(study, texts="named", level=0.9)
    again = study.jobs("amplification", "downstream")
    assert (again["measure_amplification"], again.get("decide_amplification"), again.get("finetune_downstream")) == (
        3,
        None,
        None,
    )
    configured(study, texts="named", margin=0.35)
    assert study.jobs("amplification").get("decide_amplification") == 1
    configured(study, groups="gender")
    study.run("results/work/metrics/amplification/talk/tiny.parquet")
    numbers = store.read_frame(results / "work/metrics/amplification/talk/tiny.parquet", "tidy")
    predicted = numbers[numbers["variant"] == "predicted_rate"].set_index("group")["estimate"]
    is_female = test["text"].str.contains("of ten")
    assert predicted["talk/gender: female"] == pytest.approx((values[:, is_female] > 0).mean())
    assert predicted["talk/gender: male"] == pytest.approx((values[:, ~is_female] > 0).mean())
    configured(study, groups="age")
    assert "amplification.groups: 'age' is neither of" in study.fails("amplification")
    configured(study, least_texts=500)
    message = study.fails("amplification")
    assert "amplification, task talk: of the countries with a prefix, none is named by 500 training texts" in message
    configured(study, [(*row[:2], "rude") for row in TALK])
    assert "the train split of set 1 has no negative example (kind)" in study.fails("amplification")
