"""Files that a configuration names by their address: fetched once, and never another one than was pinned."""

import hashlib
import http.server
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest
from tests.hub import serve_files
from tests.refusals import refused

from herbarium.core import downloads
from herbarium.core.errors import HerbariumError, RefusedError
from herbarium.core.places import named

WORDS = b"brave\nlazy\n"
DIGEST = hashlib.sha256(WORDS).hexdigest()


@pytest.fixture
def folder(tmp_path, connect):
    connect("http://127.0.0.1:9")
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "words.txt").write_bytes(WORDS)
    return folder


@pytest.fixture
def server(folder):
    with serve_files(folder) as address:
        yield address


def pinned(address, **parts):
    marks = "&".join(f"{key}={value}" for key, value in {"sha256": DIGEST, **parts}.items())
    return Path(f"{address}#{marks}")  # which loses a slash, as paths of the configuration do


def test_a_file_is_fetched_once_and_known_by_its_address(folder):
    with serve_files(folder) as address:
        at = pinned(f"{address}/words.txt")
        path = downloads.local(at)
        assert path.read_bytes() == WORDS
    assert downloads.local(at) == path  # nobody answers any more
    assert named(str(path)) == f"{address}/words.txt#sha256={DIGEST}"
    assert downloads.local(Path(named(str(path)))) == path


def test_what_has_no_digest_is_not_read_until_it_is_pinned(server):
    with refused("words.txt", "sha256"):
        downloads.local(Path(f"{server}/words.txt"))
    address = downloads.parsed(f"{server}/words.txt")
    assert downloads.pin(address) == DIGEST
    assert downloads.is_cached(address._replace(sha256=DIGEST))


def test_another_file_than_was_pinned_is_refused_and_not_kept(folder, server):
    (folder / "words.txt").write_text("other\n")
    at = pinned(f"{server}/words.txt")
    with pytest.raises(RefusedError, match="no longer gives"):
        downloads.local(at)
    assert not downloads.is_cached(downloads.parsed(at))
    assert not list(downloads._folder().rglob("*.partial"))


def test_what_is_gone_is_told_from_what_does_not_answer(server):
    with pytest.raises(RefusedError, match="404"):
        downloads.local(pinned(f"{server}/gone.txt"))
    with pytest.raises(HerbariumError) as caught:
        downloads.local(pinned("http://127.0.0.1:9/words.txt"))
    assert not isinstance(caught.value, RefusedError)


def test_offline_only_the_cache_is_read(folder, server, connect):
    at = pinned(f"{server}/words.txt")
    connect(None)
    with refused("words.txt", "HF_HUB_OFFLINE"):
        downloads.local(at)
    connect("http://127.0.0.1:9")
    downloads.local(at)
    connect(None)
    assert downloads.local(at).read_bytes() == WORDS


def packed(folder, kind):
    path = folder / f"lists.{kind}"
    (folder / "link").symlink_to("/etc/passwd")
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(folder / "words.txt", "lists/words.txt")
    else:
        with tarfile.open(path, "w:gz" if kind == "tar.gz" else "w") as archive:
            archive.add(folder / "words.txt", "lists/words.txt")
            archive.add(folder / "link", "lists/link")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_a_file_of_an_archive_is_found_in_it_and_nothing_else(folder, server, kind):
    digest = packed(folder, kind)
    at = pinned(f"{server}/lists.{kind}", sha256=digest, file="lists/words.txt")
    path = downloads.local(at)
    assert (path.read_bytes(), path.name) == (WORDS, "words.txt")
    assert named(str(path)) == f"{server}/lists.{kind}#sha256={digest}&file=lists/words.txt"
    for name in ("lists/no.txt", "lists/link", "lists"):
        with pytest.raises(RefusedError, match="has no file"):
            downloads.local(pinned(f"{server}/lists.{kind}", sha256=digest, file=name))
    for name in ("../words.txt", "/etc/passwd"):
        with pytest.raises(HerbariumError, match="not the name of a file"):
            downloads.local(pinned(f"{server}/lists.{kind}", sha256=digest, file=name))


def test_what_is_no_archive_has_no_files(server):
    with pytest.raises(RefusedError, match="archive"):
        downloads.local(pinned(f"{server}/words.txt", file="words.txt"))


@pytest.mark.parametrize(
    ("address", "fact"),
    [
        ("https://me:secret@example.org/words.txt", "token"),
        ("https://example.org/words.txt?token=secret", "token"),
        ("http://example.org/words.txt", "encryption"),
        ("https://example.org/", "names no file"),
        ("https://example.org/words.txt#sha256=abc", "64 hex digits"),
        ("https://example.org/words.txt#md5=abc", "sha256=…"),
        (f"https://example.org/words.txt#sha256={DIGEST}&sha256={DIGEST}", "sha256=…"),
        ("https://[example.org/words.txt", "not an address"),
    ],
)
def test_an_address_that_will_not_do_is_refused_and_its_secret_not_repeated(address, fact):
    with pytest.raises(HerbariumError) as caught:
        downloads.parsed(address)
    assert fact in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_half_answer_and_an_end_without_encryption_are_not_taken(connect, tmp_path):
    connect("http://127.0.0.1:9")

    class Odd(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            leads = self.path == "/away.txt"
            self.send_response(302 if leads else 200)
            self.send_header("Location", "file:///etc/passwd") if leads else self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"" if leads else WORDS)

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with refused("half.txt", "ended after"):
            downloads.local(pinned(f"{address}/half.txt"))
        with pytest.raises(HerbariumError):
            downloads.local(pinned(f"{address}/away.txt"))
        server.shutdown()


def test_any_path_of_the_configuration_may_be_an_address(folder, server):
    from herbarium.core.section import Section, WordList

    class Lists(Section):
        words: WordList

    assert Lists(words=f"{server}/words.txt#sha256={DIGEST}").words.read_bytes() == WORDS
    (folder / "twice.txt").write_text("lazy\nlazy\n")
    digest = hashlib.sha256((folder / "twice.txt").read_bytes()).hexdigest()
    with pytest.raises(ValueError, match="lazy"):
        Lists(words=f"{server}/twice.txt#sha256={digest}")
