"""Bounds on what a file unpacks to: nothing that is packed may fill a disk, or take for ever."""

import bz2
import gzip
import io
import lzma
import re
import time
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from herbarium.core.errors import RefusedError

LARGEST = 20_000_000_000  # bytes: word vectors of two million words have some five
# Texts and tables become some 30 times smaller, or 200 times if they repeat themselves; the formats allow millions.
_ALWAYS, _TIMES = 100_000_000, 200
_PATIENCE, _SLOWEST = 60, 1_000_000  # seconds; and bytes a second beyond them
_STEP = 2**20
# How files begin -> what unpacks them.
_FORMATS = {
    rb"\x1f\x8b": gzip.open,
    rb"BZh[1-9]1AY&SY": bz2.open,
    rb"\xfd7zXZ\x00|\x5d\x00\x00": lzma.open,
}


def largest(packed: int) -> int:
    """To how many bytes a file of `packed` bytes may unpack."""
    return min(LARGEST, max(_ALWAYS, _TIMES * packed))


def opened(path: str | Path, says: str = "") -> BinaryIO:
    """A file, unpacked if it is packed (.gz, .bz2, .xz). says: how errors name it; else by its path.

    Reading raises `RefusedError` if it is damaged, if there is more than `largest`, or if it takes longer than a minute
    and a second for each megabyte.
    """
    with open(path, "rb") as file:
        begin = file.read(16)
    unpack = next((unpack for mark, unpack in _FORMATS.items() if re.match(mark, begin)), open)
    return bounded(unpack(path, "rb"), Path(path).stat().st_size, says or str(path))


def bounded(stream: BinaryIO, packed: int, says: str) -> BinaryIO:
    """What `packed` bytes unpack to, within the bounds of `opened`."""
    return io.BufferedReader(_Bounded(stream, packed, says), _STEP)


class _Bounded(io.RawIOBase):
    def __init__(self, stream: BinaryIO, packed: int, says: str) -> None:
        super().__init__()
        self._stream, self._says, self._most = stream, says, largest(packed)
        self._n = self._place = self._seconds = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: bytearray) -> int:
        start = time.monotonic()
        try:
            n = self._stream.readinto(buffer)
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
            raise RefusedError(f"{self._says} cannot be unpacked ({error}).") from error
        self._seconds += time.monotonic() - start
        self._n, self._place = self._n + n, self._place + n
        if self._place > self._most:
            raise RefusedError(f"{self._says} unpacks to more than the {self._most / 1e6:,.0f} MB that are read.")
        if self._seconds > _PATIENCE + self._n / _SLOWEST:
            raise RefusedError(
                f"{self._says}: {self._seconds:,.0f} s of unpacking gave {self._n:,} bytes; it was given up."
            )
        return n

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """To a byte; by reading, as the bounds hold for what is passed over, too."""
        if whence != io.SEEK_SET:
            raise io.UnsupportedOperation("Only from the beginning.")
        if offset < self._place:
            self._place = self._stream.seek(offset)
        while self._place < offset and self.read(min(_STEP, offset - self._place)):
            pass
        return self._place

    def close(self) -> None:
        self._stream.close()
        super().close()
