"""What a step says of its making, and what it refuses to begin with."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pandas as pd
import pyarrow as pa
import pytest
from snakemake.iocontainers import InputFiles, Params
from tests.refusals import refused

from herbarium.core import console, store
from herbarium.core.console import log
from herbarium.core.files import figure_at
from herbarium.core.provenance import file_hash, source_hash, text_hash
from herbarium.core.step import begin, of_model, outlive_notice
from herbarium.drawing import style
from herbarium.models import saving


def inputs_of(named):
    """Inputs by name, one or a list each, as Snakemake gives them."""
    files = InputFiles()
    for name, value in named.items():
        start = len(files)
        files.extend(value if isinstance(value, list) else [value])
        files._set_name(name, start, end=len(files) if isinstance(value, list) else None)
    return files


TOY = store.schema("toy", ("id", pa.int64()))
ROWS = pd.DataFrame({"id": [1, 2]})


@pytest.fixture
def job(tmp_path):
    """What Snakemake gives a script, of given inputs and parameters."""

    def make(inputs=(), **params):
        return SimpleNamespace(
            rule="measure",
            log=[str(tmp_path / "measure.log")],
            config={"results": str(tmp_path / "results"), "seed": 1},
            input=inputs_of(dict(inputs)),
            params=Params(fromdict={"code": "c0de", **params}),
        )

    yield make
    log.handlers.clear()


def record(revision, weights):
    return {"name": "m", "revision": revision, "files": {"model.safetensors": weights, "config.json": "1"}}


def write(path, made):
    """A result of the kind that its name says."""
    if path.suffix == ".parquet":
        store.write_table(path, TOY, ROWS, made)
    elif path.suffix == ".json":
        store.write_record(path, {"a": 1}, made)
    else:
        store.write_csv(path, ROWS, made)


def test_a_step_names_its_inputs_parameters_and_models(job, tmp_path):
    table, words = tmp_path / "results" / "a.parquet", tmp_path / "words.txt"
    of_m = of_model(record("c" * 40, "w"))
    assert of_m["m"]["revision"] == "c" * 40
    store.write_table(table, TOY, ROWS, begin(job()) | {"models": of_m})
    words.write_text("weak\n")
    made = begin(job({"table": str(table), "words": str(words), "weights": [str(tmp_path / "none")]}, level=0.9))
    assert made["inputs"] == {"a.parquet": store.examine(table)[0], str(words): store.examine_text(words)}
    assert made["models"] == of_m
    assert (made["rule"], made["code"]) == ("measure", "c0de")
    assert {"torch", "pandas", "python", "herbarium"} <= made["libraries"].keys()
    assert made["config"] == begin(job({"table": str(table)}, level=0.9))["config"]
    assert made["config"] != begin(job(level=0.8))["config"]
    assert made["run"] == begin(job(level=0.8))["run"]
    # what follows says where it comes from, too, and says it of each kind of file
    for path in (tmp_path / "results" / name for name in ("b.parquet", "b.json", "c.csv")):
        write(path, made)
        text = store.examine(path)[1]
        assert text == {"file": path.name, "version": store.VERSION, **{key: made[key] for key in store.MAKING}} | (
            {"schema": "toy"} if path.suffix == ".parquet" else {}
        )


def test_a_figure_says_what_made_it_inside_and_through_its_table(job, tmp_path):
    from PIL import Image

    made, stem = begin(job()), tmp_path / "results" / "figures" / "toy"
    files = [Path(file) for file in figure_at(str(stem))]
    style.keep(files, ROWS, style.note("nothing"), made)
    assert '"file": "figures/toy.png"' in Image.open(stem.with_suffix(".png")).text["herbarium"]
    assert made["run"].encode() in stem.with_suffix(".pdf").read_bytes()
    (text,) = ElementTree.parse(stem.with_suffix(".svg")).iter("{http://purl.org/dc/elements/1.1/}description")
    assert json.loads(text.text)["file"] == "figures/toy.svg"
    for path in files:
        assert store.examine(path)[1]["file"] == path.relative_to(tmp_path / "results").as_posix()


def test_what_may_change_is_left_apart(job, tmp_path):
    (tmp_path / "a").write_text("1")
    assert begin(job({"probe": [str(tmp_path / "a")]}), ["probe"])["inputs"] == {}


NAMES = ["table", "words", "lists", "nonsense", "published", "n_countries", "weights", "written", "probes", "merged"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", ["a.parquet", "words/a.parquet", "a.json", "a.csv"])
def test_a_result_is_recorded_as_what_it_is_whatever_an_input_is_called(job, tmp_path, name, file):
    path, of_m = tmp_path / "results" / file, of_model(record("c" * 40, "w"))
    made = begin(job()) | {"models": of_m}
    write(path, made)
    begun = begin(job({name: str(path)}))
    assert begun["inputs"] == {file: store.examine(path)[0]}
    assert begun["models"] == of_m


@pytest.mark.parametrize("name", sorted({*NAMES} - {"weights"}))
@pytest.mark.parametrize("file", ["a.csv", "a.parquet"])
def test_so_is_a_file_of_ones_own(job, tmp_path, name, file):
    path = tmp_path / file
    ROWS.to_csv(path) if path.suffix == ".csv" else ROWS.to_parquet(path)
    is_text = path.suffix == ".csv" and name in ("words", "lists", "nonsense", "published", "n_countries")
    checksum = text_hash(path) if is_text else file_hash(path)
    assert begin(job({name: str(path)}))["inputs"] == {str(path): checksum}
    assert source_hash(path, checksum) == checksum


def test_what_a_model_is_loaded_from_is_identified_by_its_record(job, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results/work/testbed/m"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    with refused("config.json", "what made it"):
        begin(job({"weights": [str(folder / "config.json")]}))
    saving.write_record(folder.with_name("m.json"), "m", folder, "CPU", begin(job()))
    for name in NAMES:
        weights = {name: [str(folder / "config.json"), str(folder.with_name("m.json"))]}
        assert begin(job(weights))["inputs"] == {}


def test_a_file_of_another_study_does_not_take_the_place_of_one_of_this(job, tmp_path):
    for results in ("results", "before"):
        store.write_table(tmp_path / results / "a.parquet", TOY, ROWS, begin(job()) | {"results": tmp_path / results})
    ours, other = tmp_path / "results/a.parquet", tmp_path / "before/a.parquet"
    assert begin(job({"table": str(ours), "base": str(other)}))["inputs"].keys() == {"a.parquet", str(other)}


def test_every_file_that_a_model_is_loaded_from_is_its_identity():
    text = record("c" * 40, "w")
    for file in text["files"]:
        other = text | {"files": text["files"] | {file: "another"}}
        assert of_model(other) != of_model(text), file
    assert of_model(text | {"files": text["files"] | {"tokenizer.json": "2"}}) != of_model(text)
    assert of_model(text, "task/m")["task/m"] == of_model(text)["m"]


def test_of_what_people_write_comments_do_not_count(job, tmp_path):
    words = tmp_path / "words.txt"

    def checksum(text, name="lists"):
        words.write_bytes(text)
        return begin(job({name: [str(words)]}))["inputs"][str(words)]

    as_it_was = checksum(b"weak\nwise\n")
    for same in (b"# of us\nweak\n# more\nwise\n", b"\xef\xbb\xbfweak\r\nwise\r\n", b"weak\nwise"):
        assert checksum(same) == as_it_was
    for other in (b"weak\nwily\n", b"weak\n #\nwise\n", b"wise\nweak\n", b"weak\n\nwise\n"):
        assert checksum(other) != as_it_was
    # within a cell in quotes it is no comment
    assert len({checksum(b'# ours\na,b\n1,"x\n# %d"\n' % n) for n in (1, 2)}) == 2
    assert checksum(b'# ours\na,b\n1,"x"\n') == checksum(b'# of us\na,b\n1,"x"\n')
    # what is read otherwise, a table of texts that begin with # say, counts whole
    assert checksum(b"#a\nb\n", "table") != checksum(b"b\n", "table")


@pytest.mark.parametrize("file", ["a.csv", "a.json", "a.svg", "a.html", "a.txt"])
def test_a_result_that_does_not_say_what_made_it_is_refused(job, tmp_path, file):
    path = tmp_path / "results" / file
    path.parent.mkdir()
    path.write_text("{}")
    with refused(file, "what made it"):
        begin(job({"table": str(path)}))
    outside = path.rename(tmp_path / file)
    assert begin(job({"table": str(outside)}))["inputs"].keys() == {str(outside)}


def test_two_weights_under_one_name_are_refused(job, tmp_path):
    paths = [tmp_path / "results" / name for name in ("old.parquet", "new.parquet")]
    for path, weights in zip(paths, ("w", "v"), strict=True):
        store.write_table(path, TOY, ROWS, begin(job()) | {"models": of_model(record(None, weights))})
    with refused("old.parquet", "new.parquet", "'m'"):
        begin(job({"tables": [str(path) for path in paths]}))


def test_a_step_does_not_begin_with_a_damaged_input(job, tmp_path):
    path = tmp_path / "results" / "a.parquet"
    store.write_table(path, TOY, ROWS, begin(job()))
    path.write_bytes(path.read_bytes()[:-9])
    with refused("a.parquet", "damaged"):
        begin(job({"table": str(path)}))


def test_a_job_of_slurm_works_on_when_it_is_told_that_it_will_be_ended(caplog):
    before = signal.getsignal(signal.SIGTERM)
    try:
        outlive_notice()
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert "Slurm will end this job soon." in caplog.text


INTERRUPTED = """
import os, signal
from herbarium.core.console import start_log
start_log({log!r})
os.kill(os.getpid(), signal.SIGINT)
"""


def test_an_interrupted_step_says_so_in_one_line(tmp_path):
    code = INTERRUPTED.format(log=str(tmp_path / "log"))
    environment = {**os.environ, "PYTHONPATH": "workflow/scripts"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == -signal.SIGINT
    (line,) = done.stderr.splitlines()
    assert "Interrupted" in line
    assert (tmp_path / "log").read_text().splitlines() == [line]


ENDS = {
    "it ends": ("pass", False),
    "it has an error": ("raise HerbariumError('m: no such key')", False),
    "it has a fault": ("1 / 0", False),
    "it is interrupted": ("os.kill(os.getpid(), signal.SIGINT)", False),
    "it leaves": ("sys.exit(3)", False),
    "too much memory was taken": ("os.kill(os.getpid(), signal.SIGKILL)", True),
    "C++ aborts": ("os.abort()", True),
    "C++ reads where it may not": ("signal.raise_signal(signal.SIGSEGV)", True),
}


@pytest.mark.parametrize("case", ENDS)
def test_only_a_step_that_was_killed_has_a_log_without_an_end(tmp_path, case):
    act, is_killed = ENDS[case]
    log = tmp_path / "log"
    before = time.time() - 1
    begin = ["import os, signal, sys", "from herbarium.core.console import log, start_log"]
    begin += ["from herbarium.core.errors import HerbariumError", f"start_log({str(log)!r})", "log.info('Scoring.')"]
    environment = {**os.environ, "PYTHONPATH": "workflow/scripts"}
    subprocess.run([sys.executable, "-c", "\n".join([*begin, act])], env=environment, capture_output=True, check=False)
    assert console.is_cut(log, before) == is_killed
    assert not console.is_cut(log, time.time() + 60)  # of an earlier run
    assert not console.is_cut(tmp_path / "none", 0)
