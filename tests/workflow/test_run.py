"""A small study from an empty folder to its report, and what runs again when something changes."""

import base64
import contextlib
import copy
import json
import os
import re
import shutil
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import snakemake
import yaml
from rocrate.rocrate import ROCrate
from tests.conftest import mostly_nightly
from tests.reports import assert_numbers_are_in, assert_opens
from tests.workflow.conftest import HERB, OF_THE_RUN, STUDY, Project, after, changed, reruns, text_of

import herbarium
from herbarium.core import provenance, store
from herbarium.report.answers import in_words
from herbarium.scoring.sentences import shard_of
from herbarium.statistics.tidy import TIDY
from herbarium.study import signatures
from herbarium.study.results import read_headline

pytestmark = pytest.mark.slow  # one run of the whole workflow (half a minute), then dry runs

# What reruns.md, here, says, by how it is tried: an edit of a file, a key of the configuration, a test of its own.
RERUNS = reruns()
EDITS = {
    what: (edit.groups(), rules)
    for what, (example, rules) in RERUNS.items()
    if (edit := re.fullmatch(r"`([^`]+)`: `([^`]+)` → `([^`]+)`", example))
}
KEYS = {
    what: (key.groups(), rules)
    for what, (example, rules) in RERUNS.items()
    if (key := re.fullmatch(r"`([\w.]+): (.+)`", example))
}
OTHERWISE = {
    "the revision of a hub model",  # in test_hub.py
    "a note beside a local model",  # in test_faults.py
    "the time stamps of all files",
    "the clone",
    "the release of Snakemake",
}


def test_every_file_that_is_planned_is_there(finished, outputs):
    assert [file for file in outputs if (finished.folder / file).stat().st_size == 0] == []
    assert not list((finished.folder / "results").rglob("*.partial"))
    assert "Running on the CPU" in finished.log or "Running on NVIDIA" in finished.log


def test_a_run_says_a_line_a_job_and_ends_with_what_it_found(finished):
    started = re.findall(r"\[\d\d:\d\d:\d\d\] (\d+) of (\d+): \S", finished.log)
    n_jobs = int(started[0][1])
    assert [int(number) for number, _ in started] == [*range(1, n_jobs + 1)]
    assert {int(number) for _, number in started} == {n_jobs}
    for name in ("Reason:", "Finished jobid", "Select jobs to execute"):
        assert name not in finished.log
    end = finished.log.partition("Page: ")[2].splitlines()
    assert end[:2] == ["results/report/index.html", "All numbers: results/summary.csv"]
    first_rows = in_words(read_headline(finished.folder / "results/headline.csv"))
    assert end[2:][: len(first_rows)] == first_rows


def test_each_number_of_the_report_is_in_the_summary(finished):
    page = (finished.folder / "results/report/index.html").read_text()
    assert_numbers_are_in(pd.read_csv(finished.folder / "results/summary.csv"), page)


def test_the_report_opens_in_a_browser(finished, browser):
    assert_opens(browser, finished.folder / "results/report/index.html")


def test_scores_are_those_of_the_library_call(finished):
    # regions but the root; of the published wording distinct words and the bare name, of the others distinct words
    # without the full stop, and odd spaces before "wise"; the published wording with the control's thirty names besides
    names = set(store.read_frame(finished.folder / "results/work/regions.parquet", "regions")["name"])
    for name, n in (("herb", (9 + 30) * (4 + 1)), ("herb_wordings", 9 * (4 + 1))):
        stimuli = (finished.folder / f"results/work/stimuli/{name}").glob("*.parquet")
        sentences = store.read_frames(stimuli, "herb_stimuli")
        scores = store.read_frame(finished.folder / f"results/work/scores/tiny/{name}.parquet", "scores")
        both = sentences.merge(scores, on="sentence_id", validate="one_to_one")
        assert len(both) == len(sentences) == n
        assert_as_by_the_library(both[both["region_name"].isin(names)], finished.folder / "tiny")


def assert_as_by_the_library(both, folder):
    alone = herbarium.score(both["text"], model=folder)
    np.testing.assert_allclose(both["value"], alone, atol=1e-5)
    assert both["note"].isna().all()


def test_the_summary_is_the_metric(finished):
    summary = store.read_frame(finished.folder / "results/summary.parquet", "tidy")
    as_csv = pd.read_csv(finished.folder / "results/summary.csv")
    np.testing.assert_allclose(as_csv["estimate"], summary["estimate"])
    with pq.ParquetFile(finished.folder / "results/summary.parquet") as file:  # a row group has one metric, all of it
        assert file.num_row_groups == summary["metric"].nunique()
    pd.testing.assert_frame_equal(
        store.read_where(finished.folder / "results/summary.parquet", "tidy", "metric", "herb").to_pandas(),
        summary[summary["metric"] == "herb"].reset_index(drop=True),
    )
    summary = summary[(summary["metric"] == "herb") & (summary["definition"] == "paper")]
    earth = summary[(summary["group"] == "earth") & (summary["variant"] == "C_w")].iloc[0]
    assert earth["n"] == 2
    assert earth["ci_low"] <= earth["estimate"] * 1.5
    assert earth["std_error"] > 0
    # a leaf has one row; sparseness needs two sub-regions
    assert summary[summary["group"] == "li"]["variant"].tolist() == ["C_w"]
    assert "sparseness" not in set(summary[summary["group"] == "ca"]["variant"])


def test_the_record_and_every_table_name_the_weights(finished):
    record = store.read_record(finished.folder / "results/work/models/tiny.json")
    header = store.read_header(finished.folder / "results/work/scores/tiny/herb.parquet", "scores")
    assert header["model"] == record
    assert len(record["files"]["model.safetensors"]) == 64


def test_snakemakes_own_report_shows_each_figure_and_table_once(finished, tmp_path):
    finished.run("--report", str(tmp_path / "report.html"))
    page = (tmp_path / "report.html").read_text()
    shown, parts = (
        json.loads(re.search(rf'<script id="{name}">\s*var {name} = (.*);\n', page)[1])
        for name in ("results", "categories")
    )
    made = {path.relative_to(finished.folder).as_posix() for path in (finished.folder / "results").rglob("*")}
    figures = {file for file in made if re.fullmatch(r"results/figures/\w+\.svg", file)}
    tables = {file for file in made if re.fullmatch(r"results/tables/\w+\.csv", file)}
    assert shown.keys() == figures | tables
    of_herb = {file for file in figures | tables if "/herb_" in file}
    assert {kind: sorted(files) for kind, files in parts.pop("HERB").items()} == {
        "Figures": sorted(figures & of_herb),
        "Tables": sorted(tables & of_herb),
    }
    assert {kind: sorted(files) for kind, files in parts.pop("The whole study").items()} == {
        "Figures": sorted(figures - of_herb),
        "Tables": sorted(tables - of_herb),
    }
    assert parts == {}
    assert all("HERB (Li et al. 2022)" in shown[file]["caption"] for file in of_herb)
    assert shown["results/figures/herb_map.svg"]["labels"]["shows"].startswith("What models say about one description")
    assert "measured by Herbarium: tiny" in page


def test_a_run_is_compared_with_an_earlier_one(finished):
    """The earlier one: these results, but for a score, a row, a library and a key of the configuration."""
    old = finished.folder / "old results"
    shutil.copytree(finished.folder / "results", old)
    summary, record = old / "summary.parquet", store.read_record(old / "run.json")
    numbers = store.read_frame(summary, "tidy")
    earth = (numbers[["metric", "definition", "variant", "group"]] == ["herb", "paper", "C_w", "earth"]).all(axis=1)
    numbers.loc[earth, ["estimate", "ci_low", "ci_high"]] -= 100
    store.write_table(summary, TIDY, numbers.iloc[:-1])
    record["said"]["other"] = {"torch": "1.0"}
    record["files"]["summary.parquet"] |= {"checksum": store.examine(summary)[0], "libraries": "other"}
    record["study"]["seed"] = 4
    store.write_record(old / "run.json", record)
    log = finished.run("compare_runs", "--config", "base=old results")

    changes = pd.read_csv(finished.folder / "results/comparison/changes.csv")
    assert changes["change"].tolist() == ["apart", "new"]
    assert changes.loc[0, ["model", "group", "difference"]].tolist() == ["tiny", "earth", pytest.approx(100)]
    assert f"Changed beyond their intervals: 1 of {len(numbers)}" in log
    assert "configuration seed: 4 -> 3" in log
    assert "library torch: 1.0, " in log
    shutil.rmtree(old)
    shutil.rmtree(finished.folder / "results/comparison")


def test_every_file_of_the_results_is_in_the_record(finished):
    """But what is of the hour, the record itself, and what is made from that, which has checksums of its own."""
    results = finished.folder / "results"
    files = {path.relative_to(results) for path in results.rglob("*") if path.is_file()}
    of_the_hour = {file for file in files if file.as_posix().startswith(OF_THE_RUN)}
    of_the_hour |= {file for file in files if file.name == ".snakemake_timestamp"}  # Snakemake's, in a folder
    recorded = store.read_record(results / "run.json")["files"]
    given_away = store.read_record(results / "exchange/files.json")["sha256"]
    unknown = {file.as_posix() for file in files - of_the_hour} - recorded.keys() - given_away.keys()
    assert unknown == {"run.json", "exchange/files.json"}
    finished.run("verify")


def test_a_number_is_looked_up_by_its_signature(finished):
    results = finished.folder / "results"
    lines = store.read_csv((results / "exchange/signatures.csv").read_bytes(), usecols=["signature"])["signature"]
    summary = store.read_frame(results / "summary.parquet", "tidy")
    assert len(set(lines)) == len(summary)
    lines = signatures.in_order(summary, lines)
    number = summary[summary["estimate"].notna()].index[0]
    log = finished.run("verify", "--config", f"signature={lines[number]}")
    assert repr(float(summary["estimate"][number])) in log
    fault = finished.fails("verify", "--config", f"signature={lines[number].replace('seed:3', 'seed:4')}")
    assert "the seed (seed): cited as '4', but here it is '3'" in fault


def test_the_crate_of_a_study_is_read_back(finished):
    crate = ROCrate(finished.folder / "results")
    files = crate.get_by_type("File")
    assert {"summary.csv", "run.json", "report/index.html", "exchange/lm_eval/tiny.json"} <= {file.id for file in files}
    for file in files:
        assert file.get("sha256") in (None, provenance.file_hash(file.source))
    assert crate.mainEntity.id == "exchange/Snakefile"


def test_a_second_run_does_nothing(finished):
    assert finished.jobs() == {}
    assert "Nothing to be done" in finished.run()


@pytest.fixture(scope="module")
def every_job(finished):
    return finished.jobs("--forceall")


@pytest.fixture(scope="module")
def outputs(finished):
    return finished.summary()


def is_code(edit):
    return edit[0].startswith("workflow/scripts/")


def expected(rules, every_job, with_new=None):
    """The jobs of rules that run again: all, but where some are new those alone."""
    now = with_new or every_job
    jobs = {rule: now[rule] - every_job.get(rule, 0) or now[rule] for rule in rules}
    return {**jobs, "all": 1} if jobs else {}


@pytest.mark.nightly
def test_waiting_jobs_are_looked_at_when_one_ends(finished, monkeypatch):
    """By itself Snakemake looks once a second more for each job that has ended; asked for a limit, it may."""
    monkeypatch.setattr(finished, "warm", False)  # jobs of more than a second
    rules = {
        "measure_herb_hierarchy": "herb_hierarchy",
        "measure_herb_space": "herb_space",
        "ablate_herb": "herb_ablations",
    }
    numbers = [f"results/work/metrics/{metric}/tiny.parquet" for metric in rules.values()]

    def looks(*limit):
        log = finished.run(*numbers, *limit, "--verbose", "--forcerun", *rules, cores=1)  # one after the other
        return log.count("Resources before job selection")

    assert looks() <= len(rules)
    assert looks("--max-jobs-per-timespan", "99/1s") > len(rules)


def test_every_row_of_the_page_is_tried():
    assert EDITS.keys() | KEYS.keys() | OTHERWISE == RERUNS.keys()
    assert not EDITS.keys() & KEYS.keys()


@pytest.mark.parametrize("what", [what for what, (edit, rules) in EDITS.items() if rules and is_code(edit)])
def test_an_edit_of_code_reruns_what_the_page_says(finished, outputs, what):
    """By the hashes of what rules run. That Snakemake notices them is seen in further tests: EDITS["a metric"]."""
    edit, rules = EDITS[what]
    assert after(outputs, finished.rules_of(*edit)) == rules


@pytest.mark.parametrize("what", [what for what, (edit, rules) in EDITS.items() if rules and not is_code(edit)])
def test_an_edit_reruns_what_the_page_says(finished, every_job, what):
    edit, rules = EDITS[what]
    with changed(finished, *edit):
        jobs = finished.jobs()
    wanted = expected(rules, every_job)
    if what == "a word list":  # a shard without the word is as it was
        assert all(n <= wanted[rule] for rule, n in jobs.items())
        jobs, wanted = jobs.keys(), wanted.keys()
    assert jobs == wanted


@pytest.mark.parametrize("what", KEYS)
def test_a_key_reruns_what_the_page_says(finished, every_job, what):
    (place, value), rules = KEYS[what]
    study = copy.deepcopy(STUDY)
    section = study
    *above, key = place.split(".")
    for name in above:
        section = section.setdefault(name, {})
    section[key] = yaml.safe_load(value)
    finished.configure(**study)
    try:
        is_new = what.startswith("a new") or not rules <= every_job.keys()
        with_new = finished.jobs("--forceall") if is_new else None
        assert finished.jobs() == expected(rules, every_job, with_new)
    finally:
        finished.configure()


def test_edits_that_say_nothing_else_and_touched_files_rerun_nothing(finished):
    """And nothing is left of the edits before, which were taken back."""
    for path in finished.folder.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts and "results" not in path.parts:
            path.touch()
    with contextlib.ExitStack() as edits:
        for edit, rules in EDITS.values():
            if not rules:
                edits.enter_context(changed(finished, *edit))
        assert finished.jobs() == {}


def copied(project, folder, copy):
    """A fresh clone of a project with a copy of its results, made by `copy`."""
    shutil.copytree(project.folder, folder, ignore=shutil.ignore_patterns(".snakemake", "results"), dirs_exist_ok=True)
    shutil.copytree(project.folder / "results", folder / "results", copy_function=copy)
    return Project(folder)


def test_a_clock_that_is_behind_is_told_before_the_first_job_and_nothing_is_lost(finished, tmp_path):
    """Results come from a machine whose clock is half an hour ahead, and a job runs again."""
    project = copied(finished, tmp_path, shutil.copy2)
    shutil.copytree(finished.folder / ".snakemake/metadata", tmp_path / ".snakemake/metadata", dirs_exist_ok=True)
    for path in (tmp_path / "results").rglob("*"):
        date = path.stat().st_mtime + 1800
        os.utime(path, (date, date))
    before = {path: provenance.file_hash(path) for path in (tmp_path / "results").rglob("*.parquet")}
    with changed(project, *EDITS["a metric"][0]):
        for arguments in ([], ["-n"]):
            assert "clock" in project.fails(*arguments)
    assert {path: provenance.file_hash(path) for path in (tmp_path / "results").rglob("*.parquet")} == before


def test_a_result_of_another_run_with_the_date_of_this_one_is_made_again(finished):
    """As `cp -p` leaves it."""
    (path, *_) = sorted((finished.folder / "results/work/scores").rglob("shard-0.parquet"))
    before, times = path.read_bytes(), path.stat()
    header, table = store.read_header(path), store.read_table(path, "answers")
    made = {key: value for key, value in header.items() if key not in ("file", "version", "schema")}
    try:
        store.write_table(
            path, store.read_schema(path), table.slice(1), made | {"results": str(finished.folder / "results")}
        )
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert "score_shard" in finished.jobs()
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert finished.jobs() == {}


@pytest.fixture(scope="module")
def clone(finished, tmp_path_factory):
    """A fresh clone of the project with a copy of its results: time stamps in any order, all inputs newer."""
    made = copied(finished, tmp_path_factory.mktemp("clone"), shutil.copyfile)
    now, random = time.time(), np.random.default_rng(1)
    for path in made.folder.rglob("*"):
        when = now - random.uniform(1_000, 2_000) * (2 if "results" in path.parts else 1)
        os.utime(path, (when, when))
    return made


def state_of(folder):
    """Every file and folder below a folder, with its date and what it holds."""
    paths = [folder, *folder.rglob("*")]
    return {path: (path.stat().st_mtime_ns, path.is_file() and provenance.file_hash(path)) for path in paths}


@pytest.mark.parametrize("whose", mostly_nightly(["finished", "clone"], "finished"))
def test_a_look_changes_nothing_in_the_results(whose, request):
    project = request.getfixturevalue(whose)
    before = state_of(project.folder / "results")
    edit, _ = EDITS["a metric"]
    with changed(project, *edit):
        assert project.jobs() != {}
    assert "Nothing to be done" in project.run("-n")
    assert "Nothing to be done" in project.run()
    assert state_of(project.folder / "results") == before


def test_a_copied_results_folder_is_as_good_as_new(finished, clone):
    assert clone.jobs() == {}
    # and as exact: what differs runs, even an input that is older than the results
    (edit, of_edit), ((file, old, new), of_list) = EDITS["a metric"], EDITS["a word list"]
    with changed(finished, *edit), changed(finished, file, old, new):
        there = finished.jobs()
    assert there.keys() == of_edit | of_list | {"all"}
    with changed(clone, *edit), changed(clone, file, old, new):
        os.utime(clone.folder / file, (1e9, 1e9))
        assert clone.jobs() == there


@pytest.mark.nightly
def test_a_copy_in_which_some_files_are_new(finished, every_job, tmp_path):
    """A figure that is made again, a list that is edited and a table that is, in a copy that kept its dates."""
    clone = copied(finished, tmp_path, shutil.copy2)
    assert clone.jobs() == {}
    (edit, of_figure), figure = EDITS["the look of one figure"], "results/figures/herb_map.svg"
    clone.edit(*edit)
    drawn = clone.jobs(figure).keys()
    clone.run(figure)
    # the report came along, and is older than the figure that was made here
    assert clone.jobs() == expected(of_figure - drawn, every_job)
    clone.run()
    assert clone.jobs() == {}
    (file, old, new), _ = EDITS["a word list"]
    with changed(finished, file, old, new):
        there = finished.jobs()
    with changed(clone, file, old, new):
        os.utime(clone.folder / file, (1e9, 1e9))
        assert clone.jobs() == there
    with open(clone.folder / "results/work/likelihoods/tiny.parquet", "ab") as edited:
        edited.write(b"edited")
    again = clone.jobs().keys()
    assert {"measure_herb", "ablate_herb"} <= again
    assert "assemble_herb" not in again


@pytest.mark.nightly
def test_what_was_out_of_date_is_so_in_a_copy(finished, every_job, tmp_path):
    """A figure was made again, and the report not yet, when the results were copied."""
    (tmp_path / "first").mkdir()
    first = copied(finished, tmp_path / "first", shutil.copyfile)
    (edit, of_figure), figure = EDITS["the look of one figure"], "results/figures/herb_map.svg"
    first.edit(*edit)
    drawn = first.jobs(figure).keys()
    first.run(figure)
    second = copied(first, tmp_path / "second", shutil.copyfile)
    assert second.jobs() == first.jobs() == expected(of_figure - drawn, every_job)


@pytest.mark.nightly
def test_records_of_what_is_no_result_are_passed_over(finished, tmp_path):
    """What a system leaves beside them, and records that name files elsewhere: none stops a run, or is taken along."""
    clone = copied(finished, tmp_path / "clone", shutil.copyfile)
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    records = clone.folder / "results/.snakemake/metadata"
    (like,) = [path for path in records.iterdir() if path == records_of(clone, "results/summary.csv")[1]]
    config = json.loads(like.read_text())
    strays = {"Icon": "", "Icon\r": "", "no name": "", encoded("results/run.json")[:-1] + "!": "{"}
    for file in ("../outside.txt", str(outside), "results/../../outside.txt", "study.yaml"):
        strays[encoded(file)] = json.dumps({**config, "params": ["'other'"]})
    for file, text in (("results/summary.parquet", "[]"), ("results/work/regions.parquet", '{"endtime": "soon"}')):
        strays[encoded(file)] = text
    kept = {name: (records / name).read_bytes() for name in strays if (records / name).exists()}
    for name, text in strays.items():
        (records / name).write_text(text)
    before = state_of(outside)
    clone.run("-n")
    taken = clone.folder / ".snakemake/metadata"
    assert not [name for name in strays if (taken / name).exists()]
    assert state_of(outside) == before
    for name, content in kept.items():
        (records / name).write_bytes(content)
    assert clone.jobs() == {}


def encoded(file):
    """The name of the record of a file."""
    return base64.urlsafe_b64encode(file.encode()).decode()


def records_of(project, file):
    """The record that Snakemake has of a file, and the one that travels with it."""
    name = encoded(file)
    return [project.folder / root / ".snakemake/metadata" / name for root in (".", "results")]


@pytest.mark.nightly
def test_a_record_gives_way_only_where_its_file_was_replaced(clone):
    """What a killed run made has newer records than those that travel; what was copied over another file has older."""
    made, replaced = "results/figures/herb_map.pdf", "results/tables/herb_table1.csv"
    for file in (made, replaced):
        mine, _ = records_of(clone, file)
        when = (clone.folder / file).stat().st_mtime
        record = json.loads(mine.read_text())
        mine.write_text(json.dumps({**record, "params": ["'other'"], "endtime": when if file == made else when + 60}))
    ending = ("draw_answers", "write_summary", "write_report", "record_run", "exchange", "all")
    assert clone.jobs() == dict.fromkeys(("draw_herb", "part_herb", *ending), 1)
    mine, travelling = records_of(clone, made)
    mine.write_bytes(travelling.read_bytes())


@pytest.mark.nightly
def test_another_release_of_snakemake_reruns_nothing(clone, every_job):
    """Records of an older format: Snakemake then compares inputs alone, so that they must be renewed before an edit."""
    records = [*clone.folder.rglob(".snakemake/metadata/*")]
    for path in records:
        record = json.loads(path.read_text())
        path.write_text(json.dumps({**record, "record_format_version": record["record_format_version"] - 1}))
        assert snakemake.__version__ not in path.read_text()
    assert clone.jobs() == {}
    clone.run(*re.search(r"`snakemake (--touch .*?) --cores 1`", text_of("docs/reruns.md")).group(1).split())
    edit, rules = EDITS["a metric"]
    with changed(clone, *edit):
        assert clone.jobs() == expected(rules, every_job)


@pytest.mark.parametrize(
    "file",
    mostly_nightly(
        [
            "work/metrics/herb_differences.parquet",
            "tables/.metadata/herb_table1.csv-metadata.json",
            "figures/herb_heatmap_countries.csv",
        ],
        "work/metrics/herb_differences.parquet",
    ),
)
def test_what_was_lost_is_made_again(finished, file):
    """An intermediate of which all that comes after it still stands: the run that was to make it anew was killed."""
    path = finished.folder / "results" / file
    before = path.read_bytes()
    path.unlink()
    assert "record_run" in finished.jobs()
    assert finished.jobs("results/work/regions.parquet") == {}  # what nobody asks for stays as it is
    finished.run(str(path.relative_to(finished.folder)))
    assert path.read_bytes() == before
    finished.run()
    assert finished.jobs() == {}
    finished.run("verify")


TO_RUN = re.compile(r"(\d+) of (\d+) inputs have answers already, (\d+) to run")


def test_new_words_run_their_own_sentences_only(project):
    """Three words more in a list: the shards of their frames alone, and of those the new inputs alone."""
    project.configure(shards=5, herb={**HERB, "control": None})
    target, results = "results/work/likelihoods/tiny.parquet", project.folder / "results"
    project.run(target)
    new = ["shy", "mat", "cat"]  # words that the tokenizer knows
    project.write("words/body.txt", "\n".join(["weak", "hard-working", *new, "loud"]) + "\n")
    shards = {
        (stimuli, shard_of(f"People in [region] are {word}{stop}", 5))
        for word in new
        for stimuli, stop in (("herb", "."), ("herb_wordings", ""))
    }
    assert 1 < len(shards) < 10
    assert project.jobs(target) == {
        **dict.fromkeys(["instantiate_herb", "plan_scoring", "score_shard"], len(shards)),
        **dict.fromkeys(["design_herb", "gather_scores"], 2),
        "assemble_herb": 1,
    }
    project.run(target)
    logs = [(results / f"work/logs/score_shard/tiny/{stimuli}/{shard}.log").read_text() for stimuli, shard in shards]
    told = [tuple(map(int, numbers)) for log in logs for numbers in TO_RUN.findall(log)]
    known, _, ran = map(sum, zip(*told, strict=True))
    assert ran == 9 * len(new) * 2  # regions; words; with the full stop and without
    assert known > 0
    grown = store.read_table(results / "work/likelihoods/tiny.parquet", "likelihoods")
    shutil.rmtree(results / "work/scores")
    project.run(target)
    assert grown.equals(store.read_table(results / "work/likelihoods/tiny.parquet", "likelihoods"))  # to the last bit


@pytest.mark.nightly
def test_jobs_that_start_cold_leave_the_same_files_and_say_what_they_cost(finished, tmp_path):
    cold = copied(finished, tmp_path / "cold", shutil.copyfile)
    shutil.rmtree(cold.folder / "results")
    cold.warm = False
    cold.run(cores=2)
    expected, result = finished.results(), cold.results()
    assert result.keys() == expected.keys()
    assert [place for place in expected if expected[place].read_bytes() != result[place].read_bytes()] == []

    table = tmp_path / "cost.csv"
    command = [sys.executable, "-m", "herbarium.study.cost", "results", str(table)]
    environment = {**os.environ, "PYTHONPATH": "workflow/scripts"}
    subprocess.run(command, cwd=cold.folder, env=environment, check=True)
    results, cost = cold.folder / "results", pd.read_csv(table).set_index("rule")
    assert (cost.loc["plan_scoring", "jobs"], cost.loc["gather_scores", "jobs"]) == (6, 3)
    assert cost["jobs"].sum() == len(list(results.glob("work/benchmarks/**/*.tsv")))
    assert (cost["longest_s"] <= cost["wall_s"]).all()
    assert cost.loc["plan_scoring", "files"] == 3 * 6
    recorded = store.read_record(results / "run.json")["files"]
    assert cost["files"].sum() == len(recorded)
    size = sum((results / place).stat().st_size for place in recorded) / 2**20
    assert cost["mb"].sum() == pytest.approx(size, abs=0.05 * len(cost))
