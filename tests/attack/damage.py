"""What disks, transfers and people do to files: the same from each seed."""

from collections.abc import Iterator

import numpy as np


def damaged(content: bytes, n: int, seed: str) -> Iterator[bytes]:
    """So many damaged copies of a file's content, each unlike it. seed: of the draws."""
    rng = np.random.default_rng(list(seed.encode()))
    ways = [_flipped, _overwritten, _cut, _zeroed, _repeated, _lost, _exchanged, _grown]
    for number in range(n):
        result = content
        while result == content:
            result = ways[number % len(ways)](content, rng)
            number += 1  # a way that has no effect here (to exchange equal bytes) gives way to the next
        yield result


def _flipped(content, rng):
    at = int(rng.integers(len(content)))
    return content[:at] + bytes([content[at] ^ (1 << int(rng.integers(8)))]) + content[at + 1 :]


def _overwritten(content, rng):
    at = int(rng.integers(len(content)))
    put = rng.bytes(int(rng.integers(1, 9)))
    return content[:at] + put + content[at + len(put) :]


def _cut(content, rng):
    return content[: int(rng.integers(len(content)))]


def _zeroed(content, rng):
    at = int(rng.integers(len(content)))
    n = min(512, len(content) - at)
    return content[:at] + bytes(n) + content[at + n :]


def _repeated(content, rng):
    at, n = int(rng.integers(len(content))), int(rng.integers(1, 65))
    return content[: at + n] + content[at:]


def _lost(content, rng):
    at, n = int(rng.integers(len(content))), int(rng.integers(1, 65))
    return content[:at] + content[at + n :]


def _exchanged(content, rng):
    one, other = sorted(int(at) for at in rng.integers(len(content), size=2))
    n = min(16, other - one, len(content) - other)
    parts = content[other : other + n], content[one + n : other], content[one : one + n]
    return b"".join([content[:one], *parts, content[other + n :]])


def _grown(content, rng):
    put = [b"\n", b" ", b"\0", b"<script>", b",", b"=1+1", b"#"][int(rng.integers(7))]
    at = int(rng.integers(len(content) + 1))
    return content[:at] + put + content[at:]
