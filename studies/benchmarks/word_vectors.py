"""Word vectors from texts: words a second that are counted, and co-occurrences a second that are learned from.

Texts of words drawn by Zipf's law, 25 each, counted with a window of 10, split into words and all. One epoch of
GloVe and of GN-GloVe, on one thread: beside a plain NumPy loop, of which a part is run and its time scaled; and beside
the least time in which memory can be read and written: a co-occurrence has 16 bytes, and for either of its words the
parameters and their accumulators are read and written. The bandwidth is that of a copy in the same run. Where the
vocabulary fits a cache of the processor, less than this floor is possible.

Beside both stands glove-python (as the wheel bicleaner-ai-glove, from `make oracles`), which counts only words on one
side, and has one vector a word in the place of two. Of others on PyPI, glove-python-binary has no file for this Python,
glove-python3, glove-py and crucyble do not compile with it; glovpy wants to fetch the C code of GloVe and compile it;
and mittens holds the matrix X with all its zeros.
"""

import numpy as np
from scipy.sparse import coo_matrix
from studies.benchmarks.shared import Figure, say, size, timed

from herbarium.training import glove
from herbarium.training.cooccurrence import Cooccurrences, cooccurrences, encoded, words
from herbarium.training.glove import Gender, Parameters, Terms

try:
    from glove import Corpus, Glove
except ImportError:
    Corpus = Glove = None

TOKENS, WORDS, LENGTH, WINDOW, MIN_COUNT = size(2_000_000, 20_000), size(50_000, 500), 25, 10, 5
DIMENSIONS, LOOPED, COPIED = size((50, 300), (5,)), size(20_000, 200), size(50_000_000, 1_000)
ETA = 0.05


def main() -> None:
    random = np.random.default_rng(0)
    share = 1 / np.arange(1, WORDS + 1)
    drawn = random.choice([f"w{i:x}" for i in range(WORDS)], TOKENS, p=share / share.sum())
    texts = [" ".join(drawn[start : start + LENGTH]) for start in range(0, TOKENS, LENGTH)]
    cooccurrences(encoded(texts[:10], 1), WINDOW)  # compiles
    seconds, (known, records) = timed(lambda: count(texts))
    figures = [Figure("words counted", TOKENS / seconds, "words/s")]
    told = f"{figures[0].value:,.0f} words a second; {len(records.x):,} co-occurrences of {len(known):,} words"
    if Corpus is not None:
        theirs, _ = timed(lambda: Corpus().fit(map(words, texts), window=WINDOW))
        figures.append(Figure("counting", seconds / theirs, peer="glove-python"))
        told += f"; {seconds / theirs:.2f} times the time of glove-python"
    say(told, *figures, threads=1)
    for dimensions in DIMENSIONS:
        train(known, records, dimensions)


def count(texts: list[str]) -> tuple[list[str], Cooccurrences]:
    corpus = encoded(texts, MIN_COUNT)
    return corpus.words, cooccurrences(corpus, WINDOW)


def train(known: list[str], records: Cooccurrences, dimensions: int) -> None:
    n, seeds = len(records.x), np.arange(20)
    gender = Gender(seeds[::2], seeds[1::2], seeds.reshape(-1, 2), 10)
    random = np.random.default_rng(1)
    values = np.ones(COPIED)
    target = np.ones_like(values)
    copied, _ = timed(lambda: np.copyto(target, values))
    floor = n * (16 + 2 * 4 * 8 * (dimensions + 1)) * copied / (2 * values.nbytes)
    looped = timed(lambda: loop(len(known), dimensions, records, random.permutation(n)[:LOOPED]))[0] * n / LOOPED
    theirs = None
    if Glove is not None:
        x = coo_matrix((records.x, (records.row, records.column)), (len(known), len(known)))
        theirs = timed(lambda: Glove(dimensions, ETA).fit(x, epochs=1, no_threads=1))[0]
    for name, terms in (
        ("GloVe", None),
        ("GN-GloVe", Terms(gender)),
        ("GN-GloVe, released", Terms(gender, variant="released")),
    ):
        part = Cooccurrences(*(array[:10] for array in records))
        glove.train(part, len(known), dimensions, 1, 0, terms)  # compiles
        parameters = glove.initial(len(known), dimensions, terms, random)
        squares = Parameters(*map(np.ones_like, parameters))
        steps = glove.summands(records, len(known), terms)
        v_g = np.zeros(dimensions - 1) if terms is None else glove.gender_direction(parameters.words, gender.pairs)
        order = random.permutation(len(steps.x))
        rest = parameters, squares, steps, order, terms, v_g, ETA, int
        seconds, _ = timed(lambda rest=rest: glove.epoch(*rest))
        what = f"{name}, {dimensions} dimensions"
        peers = {"NumPy loop": looped, "memory": floor, "glove-python": theirs}
        ratios = [
            Figure(what, seconds / peer_seconds, peer=peer)
            for peer, peer_seconds in peers.items()
            if peer_seconds is not None
        ]
        beside = ", ".join(f"{figure.value:.3g} of {figure.peer}" for figure in ratios)
        say(
            f"{what:42} {n / seconds:12,.0f} co-occurrences a second; time {beside}",
            Figure(f"{what}, rate", n / seconds, "co-occurrences/s"),
            *ratios,
            threads=1,
        )


def loop(n_words: int, dimensions: int, records: Cooccurrences, order: np.ndarray) -> None:
    """GloVe as one would write it in NumPy."""
    w, c = glove.initial(n_words, dimensions, None, np.random.default_rng(0))
    w_squares, c_squares = np.ones_like(w), np.ones_like(c)
    for at in order:
        i, j, x = records.row[at], records.column[at], records.x[at]
        error = w[i, :-1] @ c[j, :-1] + w[i, -1] + c[j, -1] - np.log(x)
        step = ETA * min(1, (x / 100) ** 0.75) * error
        w_step, c_step = step * np.append(c[j, :-1], 1), step * np.append(w[i, :-1], 1)
        w[i] -= w_step / np.sqrt(w_squares[i])
        c[j] -= c_step / np.sqrt(c_squares[j])
        w_squares[i] += w_step**2
        c_squares[j] += c_step**2


if __name__ == "__main__":
    main()
