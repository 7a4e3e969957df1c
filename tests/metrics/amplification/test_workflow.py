"""Bias amplification as a workflow: texts that name countries, and decisions within constraints."""

import numpy as np
import pandas as pd
import pytest

from herbarium.core import store

pytestmark = pytest.mark.slow


def test_from_texts_to_decisions_within_constraints(results):
    published = pd.read_csv(results / "tables/reproduction.csv").query("metric == 'amplification'")
    of_potentials = published[published["table"] == "Section 5.2"].set_index(["row", "column"])
    # planted, so that the name alone is that of the figure
    assert of_potentials.loc[("vsrl, CRF + PR", "expected_violations"), "agreement"] == "not comparable"
    assert (published.loc[published["table"] == "Table 5.2", "agreement"] == "not measured").all()

    # what is decided anew is within the margin, for each set: by prefixes, as `careful` was asked for
    examples = store.read_frame(results / "work/downstream/named/examples.parquet", "task_examples")
    prefixes = store.read_frame(results / "work/downstream/named/prefixes.parquet", "task_prefixes")
    countries = prefixes[prefixes["unit"] == "country"].set_index("prefix")["group"].str.removeprefix("country:")
    places = {"pe": "Peru", "ca": "Canada", "fj": "Fiji"}
    for number in (1, 2):
        training = examples[(examples["split"] == "train") & (examples["set"] == number)]
        path = results / f"work/downstream/named/careful/set-{number}/predictions-0.parquet"
        table = store.read_frame(path, "predictions").assign(is_rude=lambda rows: rows["log_odds"] > 0)
        rates = table.groupby(table["prefix"].map(countries))["is_rude"].agg(["mean", "size"])
        for country, place in places.items():
            of_place = training.loc[training["text"].str.contains(place), "label"]
            nearest = max(0.3, 0.5 / rates.loc[country, "size"])
            assert len(of_place) < 2 or abs(rates.loc[country, "mean"] - of_place.mean()) <= nearest + 1e-6

    # the numbers are of the test texts that name a country
    numbers = store.read_frame(results / "work/metrics/amplification/named/bert.parquet", "tidy")
    test = examples[examples["split"] == "test"].reset_index(drop=True)
    values = np.stack(
        [
            store.read_frame(results / f"work/downstream/named/bert/set-{number}/predictions-0.parquet", "predictions")
            .query("prefix == 0")
            .sort_values("example")["log_odds"]
            for number in (1, 2)
        ]
    )
    predicted = numbers[numbers["variant"] == "predicted_rate"].set_index("group")["estimate"]
    for country, place in places.items():
        if f"named/{country}" in predicted:
            wanted = (values[:, test["text"].str.contains(place)] > 0).mean()
            assert predicted[f"named/{country}"] == pytest.approx(wanted)
    assert len(predicted) >= 2

    # one set says nothing of others
    theirs = store.read_frame(results / "work/metrics/amplification/named/theirs.parquet", "tidy")
    (row,) = theirs.query("variant == 'amplification' and definition == 'own'").to_dict("records")
    assert np.isnan(row["estimate"])
    assert "one training set" in row["note"]
    structured = pd.read_csv(results / "tables/amplification_structured.csv")
    assert structured["name"].unique().tolist() == ["vsrl"]
    changes = store.read_frame(results / "work/changes/amplification/named.parquet", "changes")
    assert set(changes["after"]) == {"careful"}


def test_a_level_decides_nothing_and_a_margin_structured_outputs_alone(edited):
    targets = ("results/tables/amplification_methods.csv", "results/tables/amplification_structured.csv")
    edited.edit("study.yaml", "  margins: [0.4]", "  margins: [0.4]\n  level: 0.9")
    jobs = edited.jobs(*targets)
    assert jobs["measure_amplification"] == 3
    assert not {"decide_amplification", "finetune_downstream"} & jobs.keys()
    edited.edit("study.yaml", "\n  margin: 0.3\n", "\n  margin: 0.35\n")
    jobs = edited.jobs(*targets)
    assert jobs["decide_amplification"] == 1
    assert "finetune_downstream" not in jobs
