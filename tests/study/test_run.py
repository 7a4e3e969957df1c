"""The record of a run, and what `verify` says of a folder that is no longer as it was recorded."""

import html
import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from tests.refusals import refused

import herbarium
from herbarium.core import places, store
from herbarium.core.provenance import file_hash, text_hash
from herbarium.models import saving, sources
from herbarium.study import run, verification

TOY = store.schema("toy", ("id", pa.int64()))


@pytest.fixture
def results(tmp_path):
    """words.txt -> a.parquet -> b.csv, model.json with its weights; one file of an earlier configuration, one stray."""
    folder, weights = tmp_path / "results", tmp_path / "tiny" / "model.safetensors"
    weights.parent.mkdir()
    weights.write_bytes(b"weights")
    words = tmp_path / "words.txt"
    words.write_text("weak")
    checksum = {str(words): text_hash(words)}

    def made(rule, inputs, run="new"):
        settings = {"rule": rule, "run": run, "code": "c", "config": "d", "models": {}, "libraries": {}}
        return {"results": str(folder), "inputs": inputs, **settings}

    def write(file, inputs, run="new"):
        store.write_table(folder / file, TOY, pd.DataFrame({"id": [1]}), made("make", inputs, run))
        return {file: store.examine(folder / file)[0]}

    of_model = {"name": "tiny", "path": str(weights.parent), "files": {"model.safetensors": file_hash(weights)}}
    store.write_record(folder / "model.json", of_model, made("resolve", {}))
    inputs = write("a.parquet", checksum, "old") | {"model.json": store.examine(folder / "model.json")[0]}
    store.write_csv(folder / "b.csv", pd.DataFrame({"id": [1]}), made("table", inputs))
    write("stray.parquet", {})
    last = made("record_run", {"b.csv": file_hash(folder / "b.csv")})
    first = run.record(folder, {"seed": 1}, {"seed": 0}, {}, last | {"run": "old"})
    store.write_record(folder / run.RECORD, first, last)
    store.write_record(folder / run.RECORD, run.record(folder, {"seed": 1}, {"seed": 1}, {}, last), last)
    return folder


def test_the_record_holds_what_the_study_ends_in_and_all_that_it_came_from(results):
    record = store.read_record(results / run.RECORD)
    assert record["files"].keys() == {"a.parquet", "b.csv", "model.json"}
    assert record["files"]["a.parquet"]["sha256"] == file_hash(results / "a.parquet")
    assert record["files"]["b.csv"]["rule"] == "table"
    assert record["models"]["model.json"]["name"] == "tiny"
    assert record["configurations"] == {"old": {"seed": 0}, "new": {"seed": 1}}
    assert record["study"] == {"seed": 1}


def test_what_many_files_say_alike_is_put_back_and_an_earlier_record_has_it(results):
    read, written = run.read(results), store.read_record(results / run.RECORD)
    for file in read["files"].values():
        assert (file["models"], file["libraries"]) == ({}, {})
    assert written["said"].keys() == {file[key] for file in written["files"].values() for key in run.ALIKE}
    store.write_record(results / run.RECORD, read)  # as earlier versions wrote it
    assert run.read(results) == read


def test_nothing_is_said_of_a_folder_as_it_was_recorded(results):
    assert herbarium.verify(results) == []


def test_a_comment_in_a_list_is_no_fault(results):
    (results.parent / "words.txt").write_text("# which says nothing\nweak\n")
    assert herbarium.verify(results) == []


@pytest.mark.parametrize("file", ["b.csv", "model.json"])
def test_a_file_that_does_not_say_what_made_it_is_not_left_out_in_silence(results, file):
    inputs = {"b.csv": "", "model.json": ""}
    if file == "model.json":
        store.write_json(results / file, {"name": "tiny"})
    else:
        (results / f".metadata/{file}-metadata.json").unlink()
    with refused(file, "what made it"):
        run.record(results, {}, {}, {}, made_of(inputs))


def made_of(inputs):
    return {"run": "new", "code": "c", "libraries": {}, "inputs": inputs}


def test_what_was_read_from_a_repository_is_compared(results, monkeypatch):
    """As it lies in the cache; a file that nobody read may change."""
    cache = results.parent / "cache"
    root = cache / "git" / ("c" * 40)
    root.mkdir(parents=True)
    (root / "table.csv").write_text("id\n1\n2\n")
    for name in ("1.txt", "2.txt", "3.txt"):
        (root / name).write_text(name)
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", str(cache))
    data = {"hub": None, "git": "https://some.where", "path": None, "revision": "c" * 40}
    data |= {"table": "table.csv", "texts_in": "{id}.txt", "folders": []}
    source = {"data": data, "files": sources.checksums(data)}
    assert source["files"].keys() == {"table.csv", "1.txt", "2.txt"}
    assert source["files"]["1.txt"] == file_hash(root / "1.txt")
    reading = {"results": str(results), "rule": "read_downstream", "config": "d", "models": {}, "source": source}
    text = made_of({}) | reading
    store.write_table(results / "texts.parquet", TOY, pd.DataFrame({"id": [1]}), text)
    record = run.record(results, {}, {}, {}, made_of({"texts.parquet": store.examine(results / "texts.parquet")[0]}))
    store.write_record(results / run.RECORD, record, {"results": str(results)})
    (root / "3.txt").write_text("another")
    assert herbarium.verify(results) == []
    (root / "1.txt").write_text("another")
    (fault,) = herbarium.verify(results)
    assert fault == f"https://some.where at {'c' * 12}: 1.txt is not the file that was read."
    (root / "2.txt").unlink()
    (fault,) = herbarium.verify(results)
    assert "1 texts are missing; the first: 2.txt" in fault


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda results: (results / "b.csv").write_text("id\n2\n"), "b.csv is not the file that the run left"),
        (lambda results: (results / "a.parquet").unlink(), "a.parquet is missing"),
        (
            lambda results: (results.parent / "words.txt").write_text("wise"),
            "words.txt has changed since the run began",
        ),
        (lambda results: (results.parent / "words.txt").unlink(), "words.txt, from which the run began, is missing"),
        (
            lambda results: (results.parent / "tiny" / "model.safetensors").write_bytes(b"others"),
            "model.safetensors is not the file that 'tiny' was recorded with",
        ),
    ],
)
def test_every_change_is_said(results, change, fault):
    change(results)
    (text,) = herbarium.verify(results)
    assert fault in text


@pytest.fixture
def given_away(results):
    """Files that others read, made from the record."""
    (results / "exchange").mkdir()
    (results / "ro-crate-metadata.json").write_text("{}")
    made = MADE | {"results": str(results), "inputs": {run.RECORD: file_hash(results / run.RECORD)}}
    sha256 = {"ro-crate-metadata.json": file_hash(results / "ro-crate-metadata.json")}
    store.write_record(results / "exchange/files.json", {"sha256": sha256}, made)
    return results


def spoil(path, text="{ }"):
    path.write_text(text)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda results: spoil(results / "ro-crate-metadata.json"), "ro-crate-metadata.json is not the file that"),
        (lambda results: (results / "ro-crate-metadata.json").unlink(), "ro-crate-metadata.json is missing"),
        (lambda results: spoil(results / "exchange/files.json"), "files.json does not say what made it"),
        (lambda results: store.write_record(results / run.RECORD, run.read(results)), "was made from another run.json"),
    ],
)
def test_what_others_read_is_verified_too(given_away, change, fault):
    assert herbarium.verify(given_away) == []
    change(given_away)
    (text,) = herbarium.verify(given_away)
    assert fault in text


def resolved(results, name, folder, **more):
    """The record of a model in a folder of the results, as a run that ends in it would have it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(name)
    files = {"config.json": file_hash(folder / "config.json")}
    record = {"name": name, "path": str(folder), "files": files, **more}
    store.write_record(results / f"work/models/{name}.json", record, MADE | {"results": str(results)})
    return {f"work/models/{name}.json": store.examine(results / f"work/models/{name}.json")[0]}


MADE = {"rule": "resolve", "run": "new", "code": "c", "config": "d", "inputs": {}, "models": {}, "libraries": {}}


def test_what_the_workflow_wrote_is_recorded_with_what_it_was_made_from(results):
    folder = results / "work/testbed/planted"
    inputs = resolved(results, "planted", folder)
    made = MADE | {"results": str(results), "inputs": inputs}
    text = {"a.parquet": store.examine(results / "a.parquet")[0]}
    saving.write_record(results / "work/testbed/planted.json", "planted", folder, "CPU (x)", made | {"inputs": text})
    record = run.record(results, {}, {}, {}, made)
    assert record["files"].keys() >= {"work/testbed/planted.json", "work/models/planted.json", "a.parquet"}
    assert "work/testbed/planted.json" not in record["models"]  # it says nothing of a model but what was written
    store.write_record(results / run.RECORD, record, made)
    assert herbarium.verify(results) == []
    (results / "work/testbed/planted.json").write_text("{}")
    (folder / "config.json").write_text("other")
    wrote, was = herbarium.verify(results)
    assert "work/testbed/planted.json is not the file that the run left" in wrote
    assert "config.json is not the file that 'planted' was recorded with" in was


def test_weights_that_were_trained_further_need_not_be_there(results):
    inputs = {}
    for name, epochs in (("toxic-01", 1), ("toxic", 2)):
        derived = {"from": "tiny", "by": {"recipe": "toxic", "epochs": epochs}}
        inputs |= resolved(results, name, results / "work/derived" / name, derived=derived)
    made = MADE | {"results": str(results), "inputs": inputs}
    store.write_record(results / run.RECORD, run.record(results, {}, {}, {}, made), made)
    (results / "work/derived/toxic-01/config.json").unlink()
    assert herbarium.verify(results) == []
    (results / "work/derived/toxic/config.json").unlink()
    (text,) = herbarium.verify(results)
    assert "work/derived/toxic/config.json is not the file that 'toxic' was recorded with" in text


def test_the_device_that_a_model_answered_on_is_recorded(results):
    made = MADE | {"results": str(results)}
    store.write_table(results / "c.parquet", TOY, pd.DataFrame({"id": [1]}), made | {"device": "CPU (x); H100"})
    record = run.record(results, {}, {}, {}, made | {"inputs": {"c.parquet": "1"}})
    assert record["files"]["c.parquet"]["device"] == "CPU (x); H100"


def test_a_file_that_the_run_did_not_leave_is_not_taken_for_its_own(results):
    record = run.read(results)
    assert run.left(results, record, "a.parquet") == results / "a.parquet"
    store.write_table(results / "a.parquet", TOY, pd.DataFrame({"id": [2]}), {"results": str(results)})
    with refused("a.parquet", "the run left"):
        run.left(results, record, "a.parquet")


def test_a_file_made_from_an_older_input_is_said(results):
    """a.parquet is made anew, b.csv is not, and the run is recorded so."""
    record = store.read_record(results / run.RECORD)
    store.write_table(results / "a.parquet", TOY, pd.DataFrame({"id": [2]}), {"results": str(results)})
    checksum, _ = store.examine(results / "a.parquet")
    record["files"]["a.parquet"] |= {"checksum": checksum, "sha256": file_hash(results / "a.parquet")}
    store.write_record(results / run.RECORD, record, {"results": str(results)})
    (text,) = herbarium.verify(results)
    assert "b.csv was made from another version of a.parquet than the run ended with" in text


def test_without_a_record_there_is_nothing_to_verify(tmp_path):
    with refused(tmp_path, "run.json"):
        herbarium.verify(tmp_path)


@pytest.mark.parametrize(
    ("date", "is_noticed"),
    [("as recorded", True), ("older", True), ("newer", False)],  # which Snakemake notices
)
@pytest.mark.parametrize("in_place", [True, False])
def test_a_file_of_another_run_with_the_date_of_this_one_is_noticed(results, monkeypatch, date, is_noticed, in_place):
    monkeypatch.chdir(results.parent)
    assert run.replaced(results) == set()
    path = results / "a.parquet"
    before = path.stat().st_mtime_ns
    other = path if in_place else path.with_name("other.parquet")
    other.write_bytes((results / "stray.parquet").read_bytes())
    second = 10**9
    record = (results / run.RECORD).stat().st_mtime_ns
    when = {"as recorded": before, "older": before - 3600 * second, "newer": record + second}[date]
    os.utime(other, ns=(when, when))
    other.replace(path)
    assert run.replaced(results) == ({str(path)} if is_noticed else set())
    monkeypatch.setattr(run, "file_hash", None)
    assert run.replaced(results) == ({str(path)} if is_noticed else set())  # and not read again


def test_without_a_record_nothing_is_another_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run.replaced(tmp_path) == set()
    (tmp_path / run.RECORD).write_text("{}")
    assert run.replaced(tmp_path) == set()


# --- copies ---


@pytest.fixture(params=["results", "results/demo", "absolute"])
def study(request, tmp_path, monkeypatch):
    """A study that has run: a list, a model of its own, one that the workflow wrote, a table and a page."""
    folder = tmp_path / "study"
    called = str(folder / "results") if request.param == "absolute" else request.param
    results = Path(called)
    (folder / ".snakemake").mkdir(parents=True)
    monkeypatch.chdir(folder)
    (folder / "words.txt").write_text("weak")
    (folder / "tiny").mkdir()
    (folder / "tiny/config.json").write_text("tiny")
    made = MADE | {"results": called}
    inputs = {"words.txt": text_hash(Path("words.txt")), "CITATION.cff": file_hash(places.CLONE / "CITATION.cff")}
    store.write_table(results / "a.parquet", TOY, pd.DataFrame({"id": [1]}), made | {"inputs": inputs})
    inputs = {"a.parquet": store.examine(results / "a.parquet")[0]}
    inputs |= resolved(results, "planted", results / "work/testbed/planted")
    own = {"name": "tiny", "path": "tiny", "files": {"config.json": file_hash(Path("tiny/config.json"))}}
    store.write_record(results / "work/models/tiny.json", own, made)
    inputs["work/models/tiny.json"] = store.examine(results / "work/models/tiny.json")[0]
    meta = html.escape(json.dumps(store.header(results / "report/index.html", made | {"inputs": inputs})))
    store.write_page(results / "report/index.html", f'<meta name="herbarium" content="{meta}">')
    made = MADE | {"results": called, "inputs": {"report/index.html": store.examine(results / "report/index.html")[0]}}
    store.write_record(results / run.RECORD, run.record(results, {"results": called}, {}, {}, made), made)
    return results.absolute()


def elsewhere(results, tmp_path, place):
    """A copy of the results, of the study with its dates, or the results as they are."""
    if place == "here":
        return results
    if place == "moved study":
        shutil.copytree(tmp_path / "study", tmp_path / "moved")
        return tmp_path / "moved" / results.relative_to(tmp_path / "study")
    copy = tmp_path / "copies" / ("other" if place == "copy" else results.relative_to(tmp_path / "study"))
    shutil.copytree(results, copy)
    return copy


PLACES = ["here", "moved study", "copy", "copy of the same name"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("at", ["study", "copies", ".", "parent"])
@pytest.mark.parametrize("is_absolute", [True, False])
def test_an_untouched_folder_is_whole_wherever_it_is_and_from_anywhere(
    study, tmp_path, monkeypatch, place, at, is_absolute
):
    folder = elsewhere(study, tmp_path, place)
    (tmp_path / "copies").mkdir(exist_ok=True)
    monkeypatch.chdir(folder.parent if at == "parent" else tmp_path / at)
    found = verification.verified(folder if is_absolute else os.path.relpath(folder))
    assert found.faults == []
    assert found.checked["files"] == 4
    if place == "here":
        assert found.unchecked == []
    assert set(found.unchecked) <= {"tiny", "words.txt"}
    assert "4 files" in str(found)
    assert all(name in str(found) for name in found.unchecked)


DAMAGE = {
    "a file": ("a.parquet", "a.parquet is not the file that the run left"),
    "the page": ("report/index.html", "index.html is not the file that the run left"),
    "written weights": ("work/testbed/planted/config.json", "config.json is not the file that 'planted'"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("file", "fault"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_copy_is_told_from_a_whole_one(study, tmp_path, monkeypatch, place, file, fault):
    folder = elsewhere(study, tmp_path, place)
    with open(folder / file, "ab") as damaged:
        damaged.write(b" ")
    monkeypatch.chdir(tmp_path)
    (text,) = herbarium.verify(folder)
    assert fault in text
    (folder / file).unlink()
    assert herbarium.verify(folder) != []


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_text("other")])
@pytest.mark.parametrize("file", ["words.txt", "tiny/config.json"])
def test_where_a_study_ran_all_that_it_came_from_is_asked_for(study, tmp_path, monkeypatch, change, file):
    change(tmp_path / "study" / file)
    (text,) = herbarium.verify(study)
    assert Path(file).name in text


def test_a_mailed_page_is_verified_by_itself(study, tmp_path):
    mailed = tmp_path / "mailed.html"
    shutil.copy(study / "report/index.html", mailed)
    found = verification.verified(mailed)
    assert found.faults == []
    assert "results" in str(found)
    mailed.write_text(mailed.read_text().replace("resolve", "dissolve"))
    (text,) = herbarium.verify(mailed)
    assert "mailed.html" in text
    (tmp_path / "note.html").write_text("no page of ours")
    (text,) = herbarium.verify(tmp_path / "note.html")
    assert "note.html" in text


def test_weights_of_a_recipe_without_epochs_are_asked_for(results):
    inputs = {}
    for name in ("projected", "aligned"):
        derived = {"from": "tiny", "by": {"recipe": "projected", "epochs": None}}
        inputs |= resolved(results, name, results / "work/derived" / name, derived=derived)
    made = MADE | {"results": str(results), "inputs": inputs}
    store.write_record(results / run.RECORD, run.record(results, {}, {}, {}, made), made)
    (results / "work/derived/aligned/config.json").unlink()
    (text,) = herbarium.verify(results)
    assert "'aligned'" in text
