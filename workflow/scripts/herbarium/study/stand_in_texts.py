"""Texts that stand in for a study's: those of tasks, of the same number and length, with the same labels and splits;
and corpora and word vectors, of the words that are measured with what is made from them.

A text of a task consists of sentences such as "People are shy and wise and loyal." Its words are drawn independently,
by their weights (`training.text`) more often in texts of one class than of the other, so that a classifier has
something to learn.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.training.text import word_weights

STRENGTH = 0.5  # log-odds of the class that a word with a weight of 1 adds, half of it in each class
N_WORDS, N_DRAWN = 7, 3  # words per sentence, and those of them that are drawn
N_TEXTS, TEXT_WORDS = 2000, 12  # of a corpus, and of each of its texts
DIMENSIONS = 20  # of word vectors
FEWEST = 200  # texts of a part, in a reduced data set


class Layout(NamedTuple):
    """The shape of a data set.

    parts: rows by (value that the split goes by, label). median, spread: of the number of words in a text, whose
    logarithm is normally distributed with this standard deviation. sources: the number of comments that the texts are
    parts of.
    """

    parts: dict[tuple[str, str], int]
    median: float
    spread: float
    sources: int | None = None


# By the id or address of the data set. IMDB has 231 words per text on average, a tenth of its texts more than 450;
# hatespeech18 has 18. Texts in neither of the latter's samples are in no folder.
LAYOUTS = {
    "stanfordnlp/imdb": Layout(
        {(split, label): 12_500 for split in ("train", "test") for label in ("0", "1")}, median=174, spread=0.75
    ),
    "https://github.com/Vicomtech/hate-speech-dataset": Layout(
        {
            ("sampled_train", "noHate"): 957,
            ("sampled_train", "hate"): 957,
            ("sampled_test", "noHate"): 239,
            ("sampled_test", "hate"): 239,
            ("", "noHate"): 8311,
            ("", "relation"): 168,
            ("", "idk/skip"): 73,
        },
        median=15,
        spread=0.6,
        sources=5000,
    ),
}


def reduced(layout: Layout, factor: int) -> Layout:
    """A shape with a fraction, one `factor`th, of its texts and sources, and as many of each part as training needs."""
    parts = {part: max(min(n, FEWEST), n // factor) for part, n in layout.parts.items()}
    return layout._replace(parts=parts, sources=layout.sources and layout.sources // factor)


def corpus(words: list[str], n_words: int, seed: int, name: str) -> str:
    """N_TEXTS lines of the first n_words of a list, drawn at random. name: of the texts; those of the same name and
    number are the same places of lists, and so the translations of each other if the lists are."""
    drawn = stream(seed, "stand_ins", "corpus", name).integers(n_words, size=(N_TEXTS, TEXT_WORDS))
    return "\n".join(" ".join(words[place] for place in text) for text in drawn) + "\n"


def vectors(words: list[str], seed: int, name: str) -> str:
    """A file of random word vectors in the format of fastText. words: each once. name: of the source."""
    values = stream(seed, "stand_ins", "vectors", name).standard_normal((len(words), DIMENSIONS))
    rows = (" ".join([word, *(f"{value:.4f}" for value in row)]) for word, row in zip(words, values, strict=True))
    return "\n".join([f"{len(words)} {DIMENSIONS}", *rows]) + "\n"


def table(layout: Layout, task: dict, name: str, words: list[str], seed: int) -> pd.DataFrame:
    """The texts of a task, with the columns that its configuration names.

    task: as in the configuration, with the column of its split. name: of the task. words: each once.
    """
    weights = word_weights(words, seed)
    rows = []
    for (part, label), n in layout.parts.items():
        rng = stream(seed, "stand_ins", name, part, label)
        lean = (label in task["positive"]) - (label in task["negative"])
        texts = _texts(n, layout, words, lean * weights.to_numpy(), rng)
        rows.append(pd.DataFrame({task["text"]: texts, task["label"]: label, task["split"]["column"]: part}))
    frame = pd.concat(rows, ignore_index=True)
    if task["id"]:
        frame.insert(0, task["id"], _ids(len(frame), layout.sources, stream(seed, "stand_ins", name, "sources")))
    return frame


def _texts(n: int, layout: Layout, words: list[str], leans: np.ndarray, rng: np.random.Generator) -> list[str]:
    """leans: of each word, towards the class of these texts."""
    n_words = layout.median * np.exp(layout.spread * rng.standard_normal(n))
    ends = np.cumsum(np.maximum(1, np.round(n_words / N_WORDS)).astype(int))
    p = np.exp(STRENGTH / 2 * leans)
    drawn = rng.choice(np.array(words, dtype=object), (ends[-1], N_DRAWN), p=p / p.sum())
    sentences = [f"People are {one} and {two} and {three}." for one, two, three in drawn]
    return [" ".join(sentences[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _ids(n: int, sources: int, rng: np.random.Generator) -> pd.Series:
    """As in hatespeech18: the number of a comment, and of the sentence in it."""
    comment = pd.Series(10_000_000 + rng.integers(sources, size=n))
    return comment.astype(str) + "_" + (comment.groupby(comment).cumcount() + 1).astype(str)
