"""What the cache of the hub's library holds is what the hub gave."""

import hashlib

import pytest
from tests.core import edits
from tests.hub import COMMIT, serve
from tests.refusals import refused

from herbarium.core import kept
from herbarium.models import hub

FILES = ["*.json"]
CONFIG = '{"vocab_size": 5}'


@pytest.fixture
def folder(tmp_path, connect):
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "config.json").write_text(CONFIG)
    with serve({"models/org/tiny": folder}) as address:
        connect(address)
        yield folder


@pytest.mark.parametrize("way", edits.WAYS)
def test_an_edited_file_of_a_model_is_fetched_again_or_refused(folder, connect, way):
    file = hub.fetch("org/tiny", COMMIT, hub.MODEL, FILES) / "config.json"
    edits.edit(file.resolve(), b'{"vocab_size": 6}', **way)
    assert (hub.fetch("org/tiny", COMMIT, hub.MODEL, FILES) / "config.json").read_text() == CONFIG
    edits.edit(file.resolve(), b'{"vocab_size": 6}', **way)
    assert hub.small_file("org/tiny", COMMIT, "config.json").read_text() == CONFIG
    connect(None)
    with refused(None, "org/tiny", "config.json"):
        hub.fetch("org/tiny", COMMIT, hub.MODEL, FILES)


def test_what_is_unchanged_is_not_read_again(folder, connect, monkeypatch):
    held = hub.fetch("org/tiny", COMMIT, hub.MODEL, FILES)
    monkeypatch.setattr(kept, "file_hash", None)
    connect(None)
    assert hub.fetch("org/tiny", COMMIT, hub.MODEL, FILES) == held


@pytest.mark.parametrize(
    ("called", "content", "is_right"),
    [
        (hashlib.sha256(b"weak\n").hexdigest(), b"weak\n", True),
        (hashlib.sha256(b"weak\n").hexdigest(), b"meek\n", False),
        ("01357a6e0d59dcb3a8eb4fbbf9b1fd2cd2d4ca21", b"weak\n", False),
        ("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", b"", True),  # what Git calls an empty file
        ("another-name", b"weak\n", True),  # nobody can say
    ],
)
def test_a_content_is_known_by_its_name(tmp_path, connect, called, content, is_right):
    (tmp_path / "blobs").mkdir()
    blob = tmp_path / "blobs" / called
    blob.write_bytes(content)
    (tmp_path / "words.txt").symlink_to(blob)
    assert hub._is_as_given(tmp_path / "words.txt") == is_right
