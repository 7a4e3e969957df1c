"""Files that a configuration names by their address: fetched once, and never another one than was pinned."""

import hashlib
import io
import os
import socketserver
import tarfile
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.core import edits
from tests.hub import serve_files
from tests.refusals import refused

from herbarium.core import downloads, kept
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


@contextmanager
def answering(answer):
    """The address of a server that writes to a connection whatever `answer` does, once a request has come."""

    class Odd(socketserver.StreamRequestHandler):
        def handle(self):
            with suppress(OSError):
                while self.rfile.readline().strip():
                    pass
                answer(self.wfile)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Odd) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


OK = b"HTTP/1.1 200 OK\r\n"
BROKEN = {
    "it ends before its length": OK + b"Content-Length: 100\r\n\r\n" + WORDS,
    "a length that is no number": OK + b"Content-Length: ten\r\n\r\n" + WORDS,
    "a chunk that is cut off": OK + b"Transfer-Encoding: chunked\r\n\r\n64\r\n" + WORDS,
    "a chunk without a size": OK + b"Transfer-Encoding: chunked\r\n\r\nbrave\r\n",
    "a chunk whose size never ends": OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * 70_000,
    "no status": b"brave\r\n\r\n",
    "a status that is no number": b"HTTP/1.1 OK\r\n\r\n",
    "a status that never ends": b"HTTP/1.1 200 " + b"O" * 70_000,
    "nothing": b"",
    "a long header": OK + b"X: " + b"x" * 70_000 + b"\r\n\r\n" + WORDS,
    "many headers": OK + b"X: x\r\n" * 200 + b"\r\n" + WORDS,
    "a reason that is not printed": b"HTTP/1.1 500 \x1b[31m\r\n\r\n",
    "it leads to a file": b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n",
    "it leads to itself": b"HTTP/1.1 302 Found\r\nLocation: /words.txt\r\nContent-Length: 0\r\n\r\n",
    "it leads nowhere": b"HTTP/1.1 302 Found\r\nLocation: http://[/\r\n\r\n",
}


@pytest.mark.parametrize("sent", BROKEN.values(), ids=BROKEN)
def test_a_server_that_breaks_gives_nothing(connect, sent):
    connect("http://127.0.0.1:9")
    with answering(lambda connection: connection.write(sent)) as address:
        with refused(None, "words.txt"):
            downloads.local(pinned(f"{address}/words.txt"))
        with refused(None, "words.txt"):
            downloads.pin(downloads.parsed(f"{address}/words.txt"))
    assert [path for path in downloads._folder().rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "before",
    [b"", OK, OK + b"Content-Length: 1000\r\n\r\n", OK + b"Transfer-Encoding: chunked\r\n\r\n1000\r\n"],
    ids=["status", "headers", "content", "chunk"],
)
def test_a_server_that_drips_is_given_up(connect, monkeypatch, before):
    connect("http://127.0.0.1:9")
    monkeypatch.setattr(downloads, "_PATIENCE", 0.4)  # each byte comes within it

    def drip(connection):
        connection.write(before)
        for _ in range(200):
            connection.write(b"1")
            connection.flush()
            time.sleep(0.1)

    with answering(drip) as address, refused(None, "words.txt"):
        downloads.local(pinned(f"{address}/words.txt"))


def damaged(content, at, to=None):
    """Some bytes with one replaced, or without those from there on."""
    changed = bytearray(content)
    changed[at:] = b"" if to is None else bytes([changed[at] ^ to]) + changed[at:][1:]
    return bytes(changed)


def archived(kind):
    content = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("words.txt", WORDS * 1000)
    else:
        with tarfile.open(fileobj=content, mode=f"w{kind.removeprefix('tar').replace('.', ':')}") as archive:
            entry = tarfile.TarInfo("words.txt")
            entry.size = len(WORDS) * 1000
            archive.addfile(entry, io.BytesIO(WORDS * 1000))
    return content.getvalue()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kind=st.sampled_from(["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"]), data=st.data())
def test_a_damaged_archive_gives_its_file_or_is_refused(folder, kind, data):
    content = archived(kind)
    at = data.draw(st.integers(0, len(content) - 1))
    content = damaged(content, at, data.draw(st.none() | st.integers(1, 255)))
    digest = hashlib.sha256(content).hexdigest()
    address = downloads.Address("http://127.0.0.1:9/lists", digest, "words.txt")
    whole = downloads._place(address._replace(file=""))
    whole.parent.mkdir(parents=True, exist_ok=True)
    whole.write_bytes(content)
    with suppress(HerbariumError):
        assert downloads.fetch(address).stat().st_size == len(WORDS) * 1000


@pytest.mark.parametrize(
    "name", ["x" * 255, "x" * 256, "é" * 200, "%00", "%0a", "a%2F..%2Fb", "..", ".addresses", ".members", "a'b"]
)
@pytest.mark.parametrize("file", ["", "words.txt", ".", "..", "lists.zip/words.txt", "x" * 255, "x" * 300, "a/" * 2000])
def test_any_name_is_fetched_or_refused(folder, connect, name, file):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(file or "words.txt", WORDS)
    sent = content.getvalue()
    digest = hashlib.sha256(sent).hexdigest()
    header = OK + f"Content-Length: {len(sent)}\r\n\r\n".encode()
    with answering(lambda connection: connection.write(header + sent)) as address, suppress(HerbariumError):
        path = downloads.fetch(downloads.Address(f"{address}/{quote(name, safe='%')}", digest, file))
        assert path.read_bytes() == (WORDS if file else sent)


# --- what is in the cache is what was pinned ---


@pytest.mark.parametrize("way", edits.WAYS)
@pytest.mark.parametrize("file", ["", "lists/words.txt"])
def test_an_edited_file_of_the_cache_is_never_used(folder, connect, file, way):
    name = "lists.zip" if file else "words.txt"
    digest = packed(folder, "zip") if file else DIGEST
    with serve_files(folder) as address:
        at = pinned(f"{address}/{name}", sha256=digest, **({"file": file} if file else {}))
        path = downloads.local(at)
        edits.edit(path, b"naive\nlazy\n", **way)
        assert file or not downloads.is_cached(downloads.parsed(at))
        assert downloads.local(at).read_bytes() == WORDS
        if file:
            (path.parents[2] / "lists.zip").write_bytes(b"another archive")
            path.write_bytes(b"naive\nlazy\n")
            assert downloads.local(at).read_bytes() == WORDS
        edits.edit(path, b"naive\nlazy\n", **way)
        if file:
            (path.parents[2] / "lists.zip").unlink()
    connect(None)
    with refused(None, name, "HF_HUB_OFFLINE"):
        downloads.local(at)


def test_what_is_unchanged_is_not_read_again(server, monkeypatch):
    at = pinned(f"{server}/words.txt")
    path = downloads.local(at)
    path.touch()
    downloads.local(at)
    monkeypatch.setattr(kept, "file_hash", None)
    assert downloads.local(at) == path


def test_a_file_of_an_archive_never_takes_the_place_of_another(folder, server):
    names = ["lists.zip", "lists.zip/words.txt", "words.txt", "./words.txt", "a/words.txt", "a", "c++.txt", "a&b=c.txt"]
    with zipfile.ZipFile(folder / "lists.zip", "w") as archive:
        for name in names:
            archive.writestr(name, name)
    content = (folder / "lists.zip").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    whole = downloads.Address(f"{server}/lists.zip", digest, "")
    for _ in range(2):
        assert downloads.fetch(whole).read_bytes() == content
        for name in names:
            path = downloads.fetch(whole._replace(file=name))
            assert path.read_text() == name
            assert downloads.parsed(named(str(path))) == whole._replace(file=name)


def test_runs_that_take_from_one_archive_at_once_all_know_where_from(folder, server):
    names = [f"lists/{number}.txt" for number in range(24)]
    with zipfile.ZipFile(folder / "lists.zip", "w") as archive:
        for name in names:
            archive.writestr(name, name)
    digest = hashlib.sha256((folder / "lists.zip").read_bytes()).hexdigest()
    addresses = [downloads.Address(f"{server}/lists.zip", digest, name) for name in names]
    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(downloads.fetch, addresses * 2))
    assert [named(str(path)) for path in paths] == [str(address) for address in addresses * 2]


def test_two_processes_of_one_number_do_not_write_into_one_file(folder, server, monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 7)  # as in two containers
    texts = [str(number) * 200_000 for number in range(6)]
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text)
    addresses = [downloads.parsed(f"{server}/{number}.txt") for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        digests = list(pool.map(downloads.pin, addresses))
    assert digests == [hashlib.sha256(text.encode()).hexdigest() for text in texts]


def test_any_path_of_the_configuration_may_be_an_address(folder, server):
    from herbarium.core.section import Section, WordList

    class Lists(Section):
        words: WordList

    assert Lists(words=f"{server}/words.txt#sha256={DIGEST}").words.read_bytes() == WORDS
    (folder / "twice.txt").write_text("lazy\nlazy\n")
    digest = hashlib.sha256((folder / "twice.txt").read_bytes()).hexdigest()
    with pytest.raises(ValueError, match="lazy"):
        Lists(words=f"{server}/twice.txt#sha256={digest}")


@pytest.mark.parametrize("moment", ["before it is read", "while it is read"])
def test_what_another_process_takes_away_is_fetched_again(server, monkeypatch, moment):
    at = downloads.parsed(pinned(f"{server}/words.txt"))
    path = downloads.fetch(at)
    path.touch()  # so that it is read again

    def taken(file):
        path.unlink(missing_ok=True)
        return hash_of(file)

    hash_of, state = kept.file_hash, kept.state
    with monkeypatch.context() as patch:
        if moment == "before it is read":
            patch.setattr(kept, "state", lambda file: state(taken_away(path)))
        else:
            patch.setattr(kept, "file_hash", taken)
        assert not downloads.is_cached(at)
    assert downloads.fetch(at).read_bytes() == WORDS


def taken_away(path):
    path.unlink(missing_ok=True)
    return path
