"""A small study from an empty folder to its report, and what runs again when something changes."""

import contextlib
import json
import os

import numpy as np
import pandas as pd
import pytest

import herbarium
from herbarium import store

pytestmark = pytest.mark.slow  # one run of the whole workflow (half a minute), then dry runs

LIBRARY = "workflow/scripts/herbarium/"
AFTER_REPORT = {"write_report": 1, "all": 1}
AFTER_SUMMARY = {"summarize": 1, "figure_herb_continents": 1, **AFTER_REPORT}
AFTER_BOOTSTRAP = {"measure_herb": 1, "table_herb": 1, **AFTER_SUMMARY}
AFTER_METRIC = {"ablate_herb": 1, **AFTER_BOOTSTRAP}
AFTER_SCORES = {"gather_scores": 1, "figure_herb_map": 1, **AFTER_METRIC}
AFTER_PLAN = {"score_shard": 2, **AFTER_SCORES}
AFTER_SCORING = {"tune_scoring": 1, **AFTER_PLAN}
AFTER_PROBE = {"plan_scoring": 1, **AFTER_SCORING}


@contextlib.contextmanager
def changed(project, file, old, new):
    """An edit that is taken back."""
    path = project.folder / file
    before, times = path.read_bytes(), path.stat()
    project.edit(file, old, new)
    try:
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_every_stage_leaves_its_file(finished):
    for file in (
        "models/tiny.json",
        "regions.parquet",
        "probes/herb.parquet",
        "plans/tiny/herb/sentences.parquet",
        "scores/tiny/herb.parquet",
        "metrics/herb/tiny.parquet",
        "summary.parquet",
        "summary.csv",
        *(f"tables/herb_{name}.csv" for name in ("table1", "table2", "table3", "departures", "implied")),
        *(f"figures/herb_{name}.{suffix}" for name in ("map", "continents") for suffix in ("pdf", "png", "csv")),
        "report/index.html",
    ):
        assert (finished.folder / "results" / file).stat().st_size > 0, file
    assert not list((finished.folder / "results").rglob("*.partial"))
    assert "Scoring on the CPU" in finished.log or "Scoring on NVIDIA" in finished.log


def test_scores_are_those_of_the_library_call(finished):
    probe = store.read_frame(finished.folder / "results/probes/herb.parquet", "herb_probe")
    scores = store.read_frame(finished.folder / "results/scores/tiny/herb.parquet", "scores")
    both = probe.merge(scores, on="sentence_id", validate="one_to_one")
    assert len(both) == len(probe) == 9 * (4 + 1)  # regions but the root; distinct words and the bare name
    alone = herbarium.score(both["text"], model=finished.folder / "tiny")
    np.testing.assert_allclose(both["value"], alone, atol=1e-5)
    assert both["note"].isna().all()


def test_the_summary_is_the_metric(finished):
    summary = store.read_frame(finished.folder / "results/summary.parquet", "tidy")
    as_csv = pd.read_csv(finished.folder / "results/summary.csv")
    np.testing.assert_allclose(as_csv["estimate"], summary["estimate"])
    earth = summary[(summary["group"] == "earth") & (summary["variant"] == "C_w")].iloc[0]
    assert earth["n"] == 2
    assert earth["ci_low"] <= earth["estimate"] * 1.5
    assert earth["std_error"] > 0
    # a leaf has one row; sparseness needs two sub-regions
    assert summary[summary["group"] == "li"]["variant"].tolist() == ["C_w"]
    assert "sparseness" not in set(summary[summary["group"] == "ca"]["variant"])


def test_the_record_and_every_table_name_the_weights(finished):
    record, tuned = (
        json.loads((finished.folder / f"results/models/{file}.json").read_text()) for file in ("tiny", "tiny/herb")
    )
    header = store.read_header(finished.folder / "results/scores/tiny/herb.parquet", "scores")
    assert header["model"] == tuned
    assert record.items() <= tuned.items()
    assert len(record["files"]["model.safetensors"]) == 64
    assert tuned["tuned"].keys() == {"device", "pass_tokens", "changes", "n"}


def test_a_second_run_does_nothing(finished):
    assert finished.jobs() == {}
    assert "Nothing to be done" in finished.run()


def test_touching_every_file_reruns_nothing(finished):
    for path in finished.folder.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts and "results" not in path.parts:
            path.touch()
    assert finished.jobs() == {}


@pytest.mark.parametrize(
    ("file", "old", "new", "jobs"),
    [
        (LIBRARY + "metrics/herb.py", "_BLOCK = 256", "_BLOCK = 1024", AFTER_METRIC),
        (LIBRARY + "scoring.py", '"cpu": 512', '"cpu": 256', AFTER_SCORING),
        (LIBRARY + "tuning.py", "_REPETITIONS = 3", "_REPETITIONS = 4", AFTER_SCORING),
        (LIBRARY + "tokenization.py", "_SAMPLE = 200", "_SAMPLE = 100", AFTER_PROBE),
        (LIBRARY + "planning.py", "digest_size=16", "digest_size=20", AFTER_PROBE),
        (LIBRARY + "report/report.html.j2", "</html>", "</html><!-- -->", AFTER_REPORT),
        ("workflow/scripts/summarize.py", "write_csv(numbers", "write_csv(numbers[:]", AFTER_SUMMARY),
        (LIBRARY + "metrics/herb.py", "_BLOCK = 256", "_BLOCK  =  256  # as it was", {}),
        (LIBRARY + "metrics/herb.py", '"""HERB', '"""Again HERB', {}),
        (LIBRARY + "api.py", "return pd.Series", "return 1 and pd.Series", {}),
        ("study.yaml", "replicates: 20", "replicates: 30", AFTER_BOOTSTRAP),
        ("study.yaml", "shards: 2", "shards: 2\nprecision: {max: 0.01}", AFTER_SCORING),
        ("study.yaml", "map_description: weak", "map_description: loud", {"figure_herb_map": 1, **AFTER_REPORT}),
        ("words/body.txt", "loud", "shy", {"instantiate_herb_probe": 1, **AFTER_PROBE}),
        ("regions.csv", "Cusco", "Arequipa", {"list_regions": 1, "instantiate_herb_probe": 1, **AFTER_PROBE}),
        ("tiny/config.json", '"hidden_act": "gelu"', '"hidden_act": "relu"', {"resolve_model": 1, **AFTER_PROBE}),
    ],
    ids=lambda value: value if isinstance(value, str) and "/" in value else "",
)
def test_only_what_changed_reruns(finished, file, old, new, jobs):
    with changed(finished, file, old, new):
        assert finished.jobs() == jobs
    assert finished.jobs() == {}


def test_a_new_model_brings_only_its_own_jobs(finished):
    models = {
        "tiny": {"path": "tiny", "kind": "masked"},
        "other": {"path": "tiny", "kind": "masked", "lowercase": True},
    }
    finished.configure(models=models)
    jobs = finished.jobs()
    finished.configure()
    once = ("resolve_model", "plan_scoring", "tune_scoring", "gather_scores", "measure_herb", "ablate_herb")
    shared = ("summarize", "table_herb", "figure_herb_map", "figure_herb_continents", "write_report", "all")
    assert jobs == {**dict.fromkeys(once, 1), "score_shard": 2, **dict.fromkeys(shared, 1)}


def test_shards_and_cores_change_no_number(finished, project):
    project.configure(shards=5)
    project.run("herb", "--cores", "1")
    there, here = (
        store.read_frame(folder / "results/metrics/herb/tiny.parquet", "tidy")
        for folder in (finished.folder, project.folder)
    )
    pd.testing.assert_frame_equal(there, here, check_exact=True)
