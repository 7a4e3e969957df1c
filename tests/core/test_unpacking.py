"""What unpacks to more than its size explains, or for ever, against the bounds."""

import bz2
import gzip
import hashlib
import io
import lzma
import tarfile
import time
import zipfile

import pytest
from tests.refusals import refused

from herbarium.core import downloads, unpacking
from herbarium.core.errors import RefusedError
from herbarium.vectors import files

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".txt": bytes}
LINE = b"word 0.25 -1.5\n"


def tarred(pack):
    """An archive of a small file, behind a large one."""

    def make(content):
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as archive:
            for name, part in (("large.txt", content), ("words.txt", LINE)):
                entry = tarfile.TarInfo(name)
                entry.size = len(part)
                archive.addfile(entry, io.BytesIO(part))
        return pack(made.getvalue())

    return make


def zipped(content):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large.txt", content)
        archive.writestr("words.txt", LINE)
    return made.getvalue()


ARCHIVES = {
    ".zip": zipped,
    ".tar": tarred(bytes),
    **{f".tar{ending}": tarred(PACK[ending]) for ending in (".gz", ".bz2", ".xz")},
}


@pytest.fixture
def fetched(monkeypatch, tmp_path):
    """The file of an archive that is in the cache."""
    monkeypatch.setattr(downloads, "_folder", lambda: tmp_path)

    def fetch(content, file):
        address = downloads.Address("http://127.0.0.1:9/lists", hashlib.sha256(content).hexdigest(), file)
        whole = downloads._place(address._replace(file=""))
        whole.parent.mkdir(parents=True)
        whole.write_bytes(content)
        return downloads.fetch(address)

    return fetch


@pytest.mark.parametrize("ending", PACK)
def test_a_file_is_unpacked_by_how_it_begins(tmp_path, ending):
    path = tmp_path / f"words{ending}"
    path.write_bytes(PACK[ending](LINE * 1000))
    with unpacking.opened(path) as file:
        assert file.read() == LINE * 1000
    assert files.read(path, ["word"]).n_words == 1000


def test_a_text_that_begins_as_a_packed_file_is_named_is_a_text(tmp_path):
    (tmp_path / "words.txt").write_bytes(b"BZh 0.25\n")
    assert files.read(tmp_path / "words.txt", None).dimensions == 1


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".xz"])
def test_a_bomb_is_read_up_to_a_bound(tmp_path, monkeypatch, ending):
    monkeypatch.setattr(unpacking, "_ALWAYS", 100_000)
    path = tmp_path / f"words{ending}"
    for n, is_bomb in ((100_000, False), (10_000_000, True)):
        path.write_bytes(PACK[ending](bytes(n)))
        if is_bomb:
            with unpacking.opened(path) as file, refused(None, path.name, "MB"):
                file.read()
            with refused(None, path.name):
                files.read(path, None)
        else:
            with unpacking.opened(path) as file:
                assert len(file.read()) == n


@pytest.mark.parametrize("ending", ARCHIVES)
@pytest.mark.parametrize("file", ["large.txt", "words.txt"])
def test_a_bomb_in_an_archive_could_not_be_had(fetched, monkeypatch, tmp_path, ending, file):
    monkeypatch.setattr(unpacking, "_ALWAYS", 100_000)
    content = ARCHIVES[ending](bytes(10_000_000))
    # in a .zip, a file is found without those before it; and an archive that is not packed has no bomb
    if ending == ".tar" or (ending == ".zip" and file == "words.txt"):
        assert fetched(content, file).stat().st_size in (len(LINE), 10_000_000)
        return
    with pytest.raises(RefusedError, match=r"\.txt"):
        fetched(content, file)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and path.name.startswith(file)] == []


class Drip(io.RawIOBase):
    """A byte at a time, after a pause."""

    def readable(self):
        return True

    def readinto(self, buffer):
        time.sleep(0.05)
        buffer[:1] = b"1"
        return 1


def test_what_drips_is_given_up(monkeypatch):
    monkeypatch.setattr(unpacking, "_PATIENCE", 0.2)
    with refused(None, "lists.zip", "bytes"):
        unpacking.bounded(Drip(), 1000, "lists.zip").read(1000)


def test_time_between_reads_is_none_of_unpacking(monkeypatch):
    monkeypatch.setattr(unpacking, "_PATIENCE", 0.05)
    stream = unpacking.bounded(io.BytesIO(LINE * 100_000), 100, "lists.zip")
    stream.read(10)
    time.sleep(0.1)
    assert len(stream.read()) == 100_000 * len(LINE) - 10


def test_an_archive_of_too_many_files_could_not_be_had(fetched, monkeypatch):
    monkeypatch.setattr(downloads, "_MOST", 1)
    with pytest.raises(RefusedError, match="files"):
        fetched(ARCHIVES[".tar.gz"](LINE), "words.txt")


@pytest.mark.parametrize("ending", [".gz", ".xz"])
@pytest.mark.parametrize("at", [12, 40, -6])
def test_a_damaged_file_of_vectors_is_refused(tmp_path, ending, at):
    content = bytearray(PACK[ending](b"".join(b"word%d 0.%d\n" % (i, i * 7919) for i in range(1000))))
    content[at] ^= 255
    path = tmp_path / f"words{ending}"
    path.write_bytes(content)
    with refused(None, path.name):
        files.read(path, None)
