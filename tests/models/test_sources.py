"""Where texts come from: data sets of a hub that runs in the test, local tables, and a repository."""

import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest
from tests.core import edits
from tests.hub import COMMIT, commit, serve
from tests.refusals import refused

from herbarium.core import kept
from herbarium.core.errors import HerbariumError
from herbarium.core.resources import place
from herbarium.models import sources

# How imdb is laid out: its page says which files are of which split.
PAGE = """---
configs:
- config_name: plain_text
  data_files:
  - {split: train, path: plain_text/train-*}
  - {split: test, path: plain_text/test-*}
  - {split: unsupervised, path: plain_text/unsupervised-*}
dataset_info:
  config_name: plain_text
  features:
  - {name: text, dtype: string}
  - name: label
    dtype: {class_label: {names: {"0": neg, "1": pos}}}
  splits:
  - {name: train, num_bytes: 1, num_examples: 3}
  - {name: test, num_bytes: 1, num_examples: 2}
  - {name: unsupervised, num_bytes: 1, num_examples: 1}
---
Reviews.
"""
TRAIN = pd.DataFrame({"text": ["dull", "fine", "NA"], "label": [0, 1, 1]})
TEST = pd.DataFrame({"text": ["bad", "good"], "label": [0, 1]})
UNSUPERVISED = pd.DataFrame({"text": ["who knows"], "label": [-1]})


def write(path: Path, table: pd.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(path)


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """The address of a hub with a set that has a page, the conversion of a script, and one that is a script."""
    folder = tmp_path_factory.mktemp("hub")
    for split, table in (("train", TRAIN), ("test", TEST), ("unsupervised", UNSUPERVISED)):
        write(folder / f"org/paged/plain_text/{split}-00000-of-00001.parquet", table)
    (folder / "org/paged/README.md").write_text(PAGE)
    write(folder / "org/converted/default/train/0000.parquet", TRAIN)
    write(folder / "org/converted/other/train/0000.parquet", TEST)
    (folder / "org/script").mkdir()
    (folder / "org/script/script.py").write_text("raise SystemExit('a script was run')\n")
    sets = {f"datasets/org/{name}": folder / "org" / name for name in ("paged", "converted", "script")}
    with serve(sets) as address:
        yield address


# Reads every data set that its arguments describe and prints what it finds, or the error.
READ = """
import json, sys
from herbarium.models import sources
from herbarium.core import kept
from herbarium.core.errors import HerbariumError
for data in json.loads(sys.argv[1]):
    try:
        sources.require_available({"downstream.tasks.reviews.data": data})
        print(json.dumps({split: table.to_dict("list") for split, table in sources.read(data).items()}))
    except HerbariumError as error:
        print(json.dumps(str(error)))
"""


def read(cache, *wanted, **environment):
    """What a fresh process reads of (name, subset), each the splits or an error."""
    data = [
        {"hub": f"org/{name}", "git": None, "revision": COMMIT, "subset": subset, "path": None}
        for name, subset in wanted
    ]
    settings = {"HF_HOME": str(cache), "HF_HUB_DISABLE_XET": "1", "PYTHONPATH": "workflow/scripts", **environment}
    command = [sys.executable, "-c", READ, json.dumps(data)]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_data_sets_are_fetched_and_then_read_without_a_network(hub, tmp_path):
    wanted = [("paged", None), ("paged", "plain_text"), ("converted", "other"), ("converted", "none")]
    wanted += [("converted", None), ("script", None)]
    paged, named, other, no_subset, several, script = read(tmp_path, *wanted, HF_ENDPOINT=hub)
    assert list(paged) == ["train", "test", "unsupervised"]
    assert paged["train"] == TRAIN.to_dict("list")
    assert paged["test"] == TEST.to_dict("list")
    assert named == paged
    assert other == {"train": TEST.to_dict("list")}
    assert no_subset.startswith(f"org/converted at {COMMIT[:12]}: its tables could not be read: ")
    assert "none" in no_subset
    assert several.endswith("has several subsets; say which, 'subset': default, other.")
    assert "has no parquet file" in script
    assert "refs/convert/parquet" in script
    assert not (tmp_path / "datasets").exists()  # tables are not kept a second time

    nowhere = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "1"}
    again, absent = read(tmp_path, ("paged", None), ("elsewhere", None), **nowhere)
    assert again == paged
    assert absent.startswith(
        "downstream.tasks.reviews.data: 'org/elsewhere' at cccccccccccc is not in the local cache, and "
    )
    assert "HF_HUB_OFFLINE is set" in absent


@pytest.mark.slow
def test_a_data_set_that_the_hub_does_not_give_is_told_before_the_first_job(hub, tmp_path):
    (absent,) = read(tmp_path, ("elsewhere", None), HF_ENDPOINT=hub)
    assert "is not in the local cache, and the hub has no such repository" in absent
    assert "downstream.tasks.reviews.data: {path: FILE}" in absent


# --- local tables ---

DATA = {"hub": None, "git": None, "revision": None, "subset": None, "path": "talk.csv", "planted": None}


def test_a_table_is_read_from_each_format_and_na_is_a_text(tmp_path):
    rows = pd.DataFrame({"text": ["NA", "two\nlines, # and more"], "label": ["null", "1"]})
    for name in ("t.csv", "t.csv.gz", "t.parquet"):
        path = str(tmp_path / name)
        rows.set_index(pd.Index(["a", "b"])).to_parquet(path) if name.endswith("parquet") else rows.to_csv(
            path, index=False
        )
        data = {**DATA, "path": path}
        assert sources.read(data)[None].astype(object).equals(rows.astype(object))
        assert place(data) == path


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("none.csv", None, "no such file"),
        ("t.tab", b"a\tb\n", ".csv, .csv.gz, .tsv, .parquet"),
        ("t.parquet", b"text", "not a readable table"),
        ("t.csv.gz", b"text", "not a readable table"),
        ("t.csv", b"text\n\xff\n", "not a readable table"),
        ("t.csv", b"", "not a readable table"),
        ("t.csv", b"text,label\na,b,c\nd,e,f\n", "more cells"),
        ("t.csv", b"text,label\na,b\nd,e,f\n", "not a readable table"),
    ],
)
def test_a_file_that_is_no_table_is_named(tmp_path, name, content, fault):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with refused(path, fault):
        sources.read({**DATA, "path": str(path)})


# --- repositories ---


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """As the authors of hatespeech18 publish it: a table, and one file per text. Gives its entry in the
    configuration."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", str(tmp_path / "cache"))
    files = {
        "labels.csv": "file_id,label\n1_1,noHate\n1_2,hate\n2_1,hate\n3_1,relation\n",
        **{f"all/{name}.txt": f"text of {name}\n" for name in ("1_1", "1_2", "2_1", "3_1")},
        "some_train/1_1.txt": "text of 1_1",
        "some_train/1_2.txt": "text of 1_2",
        "some_test/2_1.txt": "text of 2_1",
    }
    for name, text in files.items():
        file = tmp_path / "repository" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    revision = commit(tmp_path / "repository")
    (tmp_path / "repository" / "labels.csv").write_text("changed later")
    commit(tmp_path / "repository")
    return {
        **DATA,
        "path": None,
        "git": (tmp_path / "repository").as_uri(),
        "revision": revision,
        "table": "labels.csv",
        "texts_in": "all/{file_id}.txt",
        "folders": ["some_train", "some_test"],
    }


def test_texts_of_a_repository_are_those_of_the_commit(repository):
    (table,) = sources.read(repository).values()
    assert table.to_dict("list") == {
        "file_id": ["1_1", "1_2", "2_1", "3_1"],
        "label": ["noHate", "hate", "hate", "relation"],
        "text": [f"text of {name}" for name in ("1_1", "1_2", "2_1", "3_1")],
        "folder": ["some_train", "some_train", "some_test", ""],
    }


def test_a_repository_is_fetched_once_and_then_read_without_a_network(repository, tmp_path, monkeypatch):
    sources.require_available({"downstream.tasks.talk.data": repository})
    assert sources.fetch_missing(repository) == 8
    assert sources.fetch_missing(repository) == 0
    shutil.rmtree(tmp_path / "repository")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    sources.require_available({"downstream.tasks.talk.data": repository})
    assert len(sources.read(repository)[None]) == 4
    other = {**repository, "revision": "1" * 40}
    with refused("downstream.tasks.talk.data", "1" * 12, "HF_HUB_OFFLINE"):
        sources.require_available({"downstream.tasks.talk.data": other})


@pytest.mark.parametrize("way", edits.WAYS)
@pytest.mark.parametrize("change", ["edited", "added", "removed"])
def test_a_repository_of_the_cache_that_was_changed_is_fetched_again(repository, monkeypatch, change, way):
    right = sources.read(repository)[None]
    table = sources.repository(repository) / "labels.csv"
    if change == "edited":
        edits.edit(table, table.read_bytes().replace(b"noHate", b"noLove"), **way)
    elif change == "added":
        (table.parent / "some_train/3_1.txt").write_text("text of 3_1")
    else:
        (table.parent / "some_train/1_1.txt").unlink()
    assert not sources.is_cached(repository)
    assert sources.read(repository)[None].equals(right)
    table.touch()
    assert sources.is_cached(repository)
    monkeypatch.setattr(kept, "file_hash", None)
    assert sources.is_cached(repository)  # and not read again


def test_a_repository_that_an_earlier_version_fetched_is_used(repository):
    folder = sources.repository(repository)
    for note in folder.parent.glob(".*.json"):
        note.unlink()
    assert sources.is_cached(repository)
    (folder / "labels.csv").write_text("other")
    assert not sources.is_cached(repository)


def test_two_processes_fetch_one_repository_at_once(repository, monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 7)  # as in two containers
    with ThreadPoolExecutor(4) as pool:
        folders = set(pool.map(sources.repository, [repository] * 4))
    assert len(sources.read(repository)[None]) == 4
    assert [*folders] == [path for path in folders.pop().parent.iterdir() if path.is_dir()]


def test_a_repository_that_does_not_answer_or_lacks_a_text_is_told(repository, tmp_path):
    with refused("repository", "4", "1_1.txt"):
        sources.read({**repository, "texts_in": "none/{file_id}.txt"})
    with refused(None, "git", "fetch"):
        sources.read({**repository, "revision": "0" * 40})
    away = {**repository, "revision": "0" * 40, "git": (tmp_path / "nowhere").as_uri()}
    with refused("downstream.tasks.talk.data", "git ls-remote", "{path: FILE}"):
        sources.require_available({"downstream.tasks.talk.data": away})


def test_a_server_that_is_silent_is_not_waited_for(repository, monkeypatch):
    monkeypatch.setattr(sources, "_PATIENCE", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://someone:secret@127.0.0.1:{silent.getsockname()[1]}/r"  # as from git's own configuration
        with refused(None, "git", "fetch", "1", "127.0.0.1") as caught:
            sources.read({**repository, "git": address, "revision": "0" * 40})
    assert "secret" not in str(caught.value)


class Closed(http.server.BaseHTTPRequestHandler):
    """Asks for a password."""

    def do_GET(self):
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="r"')
        self.end_headers()

    def log_message(self, *_):
        pass


def test_git_asks_nobody_for_a_password(repository):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Closed) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/r"
        with pytest.raises(HerbariumError, match="terminal prompts disabled"):
            sources.read({**repository, "git": address, "revision": "0" * 40})
        server.shutdown()


@pytest.mark.parametrize(
    "address",
    [
        "https://user:hunter2@example.org/r",
        "https://hunter2@example.org/r",
        "ssh://git:hunter2@example.org/r",
        "https://example.org/r?private_token=hunter2",
    ],
)
def test_an_address_with_a_secret_is_refused_and_not_repeated(address):
    with refused(None, "https://git-scm.com/docs/gitcredentials") as caught:
        sources.require_no_secret(address)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["https://example.org/r.git", "ssh://git@example.org/r", "git@example.org:o/r.git", "/a/folder", "[::"]
)
def test_an_address_without_one_is_not(address):
    sources.require_no_secret(address)
