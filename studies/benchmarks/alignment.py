"""A step of RCSLS at the size of a dictionary of MUSE and vectors of fastText: 5,000 pairs of 300 dimensions, and
50,000 words of each language among which neighbours are looked for.

The objective and its gradient, beside the matrix products that they are made of, and beside the practice of the
released code, which sorts each word's similarities to all others in part (`make bench`).
"""

import numpy as np
from studies.benchmarks.shared import Figure, say, size, timed

from herbarium.metrics.languages import alignment
from herbarium.metrics.languages.alignment import Pool

PAIRS, WORDS, DIMENSIONS = size(5_000, 200), size(50_000, 400), size(300, 16)
K = alignment.NEIGHBOURS


def products(w, x, y, pool):
    """The products of an objective, block by block as it makes them, and nothing else."""
    at, moved = x @ w.T, pool.source @ w.T
    for queries, words in ((at, pool.target), (y, moved)):
        rows = max(1, alignment._CELLS // len(words))
        for first in range(0, len(queries), rows):
            queries[first : first + rows] @ words.T
    return x.T @ y + y.T @ x


def in_part(queries, pool):
    """Neighbours as the released code finds them."""
    rows = max(1, alignment._CELLS // len(pool))
    return np.concatenate(
        [
            np.argpartition(queries[first : first + rows] @ pool.T, -K, axis=1)[:, -K:]
            for first in range(0, len(queries), rows)
        ]
    )


def main():
    random = np.random.default_rng(0)
    pool = Pool(*(alignment.unit(random.normal(size=(WORDS, DIMENSIONS))).astype(np.float32) for _ in range(2)))
    x, y = pool.source[:PAIRS], pool.target[:PAIRS]
    w = alignment.procrustes(x, y)
    bare, _ = timed(lambda: products(w, x, y, pool))
    step, _ = timed(lambda: alignment.objective(w, x, y, pool, K))
    bare = min(bare, timed(lambda: products(w, x, y, pool))[0])
    step = min(step, timed(lambda: alignment.objective(w, x, y, pool, K))[0])
    ours, result = timed(lambda: alignment.nearest(x, pool.target, K))
    theirs, sorted_in_part = timed(lambda: in_part(x, pool.target))
    np.testing.assert_array_equal(np.sort(result), np.sort(sorted_in_part))
    say(
        f"a step of RCSLS, {PAIRS:,} pairs, {WORDS:,} words: {step:.2f} s, its products {bare:.2f} s, "
        f"ratio {step / bare:.2f}",
        Figure("a step of RCSLS", step, "s"),
        Figure("a step of RCSLS", step / bare, peer="its matrix products"),
    )
    say(
        f"neighbours: {ours:.2f} s, sorted in part {theirs:.2f} s, ratio {ours / theirs:.2f}",
        Figure("neighbours", ours / theirs, peer="sorted in part"),
    )


if __name__ == "__main__":
    main()
