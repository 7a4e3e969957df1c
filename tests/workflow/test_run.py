"""A small study from an empty folder to its report, and what runs again when something changes."""

import contextlib
import os
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from tests.workflow.conftest import STUDY

import herbarium
from herbarium import store
from herbarium.probes.herb import shard_of

pytestmark = pytest.mark.slow  # one run of the whole workflow (half a minute), then dry runs

LIBRARY = "workflow/scripts/herbarium/"
# Two shards of two probes: the sentences of the paper, and those of the released code, which are padded.
AFTER_REPORT = {"write_report": 1, "record_run": 1, "all": 1}
AFTER_SUMMARY = {"summarize": 1, "figure_herb_continents": 1, **AFTER_REPORT}
AFTER_BOOTSTRAP = {
    **dict.fromkeys(["measure_herb", "measure_herb_hierarchy", "compare_herb", "ablate_herb", "table_herb"], 1),
    **AFTER_SUMMARY,
}
AFTER_METRIC = {"figure_herb_heatmap": 1, "figure_herb_words": 1, **AFTER_BOOTSTRAP}
AFTER_SCORES = {
    **dict.fromkeys(["assemble_herb", "figure_herb_map", "figure_herb_ranking"], 1),
    "gather_scores": 2,
    **AFTER_METRIC,
}
AFTER_PLAN = {"score_shard": 4, **AFTER_SCORES}
AFTER_PROBE = {"plan_scoring": 4, **AFTER_PLAN}
INSTANTIATE = {"instantiate_herb_probe": 2, "instantiate_herb_padded_probe": 2}
EMBED = {"embed_regions": 1, "measure_herb_space": 1, "figure_herb_space": 1}
TUNE = {"tune_scoring": 1}


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


METRICS = ("herb", "herb_intervals", "herb_replicates", "herb_ablations", "herb_hierarchy", "herb_space")
TABLES = (
    *("table1", "table2", "table3", "table6", "departures", "implied"),
    *("intervals", "wordings", "differences", "hierarchy"),
)
FIGURES = ("map", "continents", "ranking", "heatmap", "words", "space")


def test_every_stage_leaves_its_file(finished):
    for file in (
        "models/tiny.json",
        "regions.parquet",
        "names.parquet",
        *(f"probes/{probe}/{shard}.parquet" for probe in ("herb", "herb_padded") for shard in (0, 1)),
        "plans/tiny/herb/sentences-0.parquet",
        "scores/tiny/herb.parquet",
        "likelihoods/tiny.parquet",
        *(f"metrics/{metric}/tiny.parquet" for metric in METRICS),
        "metrics/herb_differences.parquet",
        "summary.parquet",
        "summary.csv",
        *(f"tables/herb_{name}.csv" for name in TABLES),
        *(f"figures/herb_{name}.{suffix}" for name in FIGURES for suffix in ("pdf", "png", "csv")),
        "report/index.html",
    ):
        assert (finished.folder / "results" / file).stat().st_size > 0, file
    assert not list((finished.folder / "results").rglob("*.partial"))
    assert "Running on the CPU" in finished.log or "Running on NVIDIA" in finished.log


def test_scores_are_those_of_the_library_call(finished):
    probe = pd.concat(
        [store.read_frame(path, "herb_probe") for path in (finished.folder / "results/probes/herb").glob("*.parquet")]
    )
    scores = store.read_frame(finished.folder / "results/scores/tiny/herb.parquet", "scores")
    both = probe.merge(scores, on="sentence_id", validate="one_to_one")
    # regions but the root; distinct words with and without the full stop, odd spaces before "wise"; the bare name
    assert len(both) == len(probe) == 9 * (4 + 4 + 1 + 1)
    alone = herbarium.score(both["text"], model=finished.folder / "tiny")
    np.testing.assert_allclose(both["value"], alone, atol=1e-5)
    assert both["note"].isna().all()


def test_the_summary_is_the_metric(finished):
    summary = store.read_frame(finished.folder / "results/summary.parquet", "tidy")
    as_csv = pd.read_csv(finished.folder / "results/summary.csv")
    np.testing.assert_allclose(as_csv["estimate"], summary["estimate"])
    summary = summary[(summary["metric"] == "herb") & (summary["definition"] == "paper")]
    earth = summary[(summary["group"] == "earth") & (summary["variant"] == "C_w")].iloc[0]
    assert earth["n"] == 2
    assert earth["ci_low"] <= earth["estimate"] * 1.5
    assert earth["std_error"] > 0
    # a leaf has one row; sparseness needs two sub-regions
    assert summary[summary["group"] == "li"]["variant"].tolist() == ["C_w"]
    assert "sparseness" not in set(summary[summary["group"] == "ca"]["variant"])


def test_the_record_and_every_table_name_the_weights(finished):
    record, tuned = (
        store.read_record(finished.folder / f"results/models/{file}.json") for file in ("tiny", "tiny/herb")
    )
    header = store.read_header(finished.folder / "results/scores/tiny/herb.parquet", "scores")
    assert header["model"] == tuned
    assert record.items() <= tuned.items()
    assert len(record["files"]["model.safetensors"]) == 64
    assert tuned["tuned"].keys() == {"device", "changes", "n"}


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
        (LIBRARY + "scoring.py", '"cpu": 512', '"cpu": 256', {**TUNE, **AFTER_PLAN, **EMBED}),
        (LIBRARY + "tuning.py", "_REPETITIONS = 3", "_REPETITIONS = 4", {**TUNE, **AFTER_PLAN, **EMBED}),
        (LIBRARY + "tokenization.py", "_SAMPLE = 200", "_SAMPLE = 100", {**TUNE, **AFTER_PROBE, **EMBED}),
        (LIBRARY + "planning.py", "digest_size=16", "digest_size=15", {**TUNE, **AFTER_PROBE, **EMBED}),
        (LIBRARY + "report/report.html.j2", "</html>", "</html><!-- -->", AFTER_REPORT),
        ("workflow/scripts/summarize.py", "write_csv(numbers", "write_csv(numbers[:]", AFTER_SUMMARY),
        (LIBRARY + "metrics/herb.py", "_BLOCK = 256", "_BLOCK  =  256  # as it was", {}),
        (LIBRARY + "metrics/herb.py", '"""HERB', '"""Again HERB', {}),
        (LIBRARY + "api.py", "return pd.Series", "return 1 and pd.Series", {}),
        ("study.yaml", "replicates: 20", "replicates: 30", AFTER_BOOTSTRAP),
        ("study.yaml", "shards: 2", "shards: 2\nprecision: {max: 0.01}", {**TUNE, **AFTER_PLAN}),
        (
            "study.yaml",
            "map_description: weak",
            "map_description: loud",
            {"figure_herb_map": 1, "figure_herb_ranking": 1, **AFTER_REPORT},
        ),
        ("regions.csv", "Cusco", "Arequipa", {"list_regions": 1, **INSTANTIATE, **AFTER_PROBE, **EMBED}),
        (
            "tiny/config.json",
            '"hidden_act": "gelu"',
            '"hidden_act": "relu"',
            {"resolve_model": 1, **TUNE, **AFTER_PROBE, **EMBED},
        ),
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
    assert jobs == {"resolve_model": 1, **TUNE, **AFTER_PROBE, **EMBED}


def test_an_ablation_a_bootstrap_and_a_figure_score_nothing(finished):
    herb = STUDY["herb"]
    for changes in (
        {"bootstrap": {"replicates": 40}, "tests": {"permutations": 10}},
        {"released": {"unit_V": False}},
        {"map_description": "loud"},
    ):
        finished.configure(herb={**herb, **changes})
        assert not {"score_shard", "plan_scoring", "tune_scoring", "embed_regions"} & finished.jobs().keys()
    finished.configure()


TO_RUN = re.compile(r"(\d+) of (\d+) inputs have answers already, (\d+) to run")


def test_new_words_run_their_own_sentences_only(project):
    """Three words more in a list: the shards of their frames alone, and of those the new inputs alone."""
    project.configure(shards=5, herb={**STUDY["herb"], "released": {"pad_mean": False}})
    target, results = "results/likelihoods/tiny.parquet", project.folder / "results"
    project.run(target)
    new = ["shy", "mat", "cat"]  # words that the tokenizer knows
    project.write("words/body.txt", "\n".join(["weak", "hard-working", *new, "loud"]) + "\n")
    shards = {shard_of(f"People in [region] are {word}{stop}", 5) for word in new for stop in (".", "")}
    assert 1 < len(shards) < 5
    assert project.jobs(target) == {
        **dict.fromkeys(["instantiate_herb_probe", "plan_scoring", "score_shard"], len(shards)),
        "gather_scores": 1,
        "assemble_herb": 1,
    }
    project.run(target)
    logs = [(results / f"logs/score_shard/tiny/herb-{shard}.log").read_text() for shard in shards]
    known, _, ran = map(sum, zip(*(map(int, TO_RUN.search(log).groups()) for log in logs), strict=True))
    assert ran == 9 * len(new) * 2  # regions; words; with the full stop and without
    assert known > 0
    grown = store.read_table(results / "likelihoods/tiny.parquet", "likelihoods")
    shutil.rmtree(results / "scores")
    project.run(target)
    assert grown.equals(store.read_table(results / "likelihoods/tiny.parquet", "likelihoods"))  # to the last bit


def test_shards_and_cores_change_no_number(finished, project):
    project.configure(shards=5)
    project.run("herb", "--cores", "1")
    there, here = (
        store.read_frame(folder / "results/metrics/herb/tiny.parquet", "tidy")
        for folder in (finished.folder, project.folder)
    )
    pd.testing.assert_frame_equal(there, here, check_exact=True)
