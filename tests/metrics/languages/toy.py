"""A few languages whose vectors are planted."""

import numpy as np
import pandas as pd

from herbarium.metrics.languages import lists, numbers, spaces, stimuli
from herbarium.vectors import planted
from herbarium.vectors.tables import ONLY, Vectors

LISTS = {name: lists.read(f"resources/languages/{name}", "lists") for name in ("english", "spanish")}
DEMO = "resources/languages/demo/spanish-english"
SEED = 3
MEASURED = tuple(LISTS[language].words for language in ("spanish", "english"))


def dictionaries():
    return lists.read_dictionaries(f"{DEMO}.train.txt", f"{DEMO}.test.txt")


def words(language):
    train, test = dictionaries()
    concepts = stimuli.concepts([("spanish", "english", train), ("spanish", "english", test)])
    spoken_words = {word: concept for (spoken, word), concept in concepts.items() if spoken == language}
    return stimuli.words(LISTS[language], spoken_words, spoken_words, [])


def space(language, strength, without=()):
    """A language with planted vectors; some words have none."""
    table = words(language)
    columns = (table[name].to_numpy() for name in ("concept", "gender", "lean"))
    result = planted.vectors(table["text"], *columns, language, strength, language == "spanish", SEED)
    result[table["text"].isin(without)] = np.nan
    values = result[:, None].astype(np.float32)
    n_tokens, notes = np.ones(len(table)), np.full(len(table), None)
    return spaces.of_source(table["text"], Vectors([ONLY], values, n_tokens, notes), language)


def measured(strength, name="toy", without=()):
    """Tidy rows and pairs, as measured of both languages and of Spanish in the space of English."""
    language_space = {language: space(language, strength, without) for language in LISTS}
    train, test = dictionaries()
    alignment = spaces.align(
        language_space["spanish"], language_space["english"], train, test, MEASURED, "toy", np.random.default_rng(SEED)
    )
    key = ("spanish", "english")
    fit = {"n_train": alignment.n_train, "n_asked": alignment.n_asked, "n_unknown": 0, "dimensions": planted.DIMENSIONS}
    models = {language: f"{language}-{strength:g}" for language in LISTS}
    tidy, pairs = numbers.measure(
        name,
        models,
        LISTS,
        language_space,
        {key: alignment.space},
        {key: alignment.controls},
        {key: (alignment.translations, fit)},
        0.95,
        "holm",
        SEED,
    )
    return tidy, pairs, language_space, {key: alignment.space}


def row(tidy: pd.DataFrame, variant, group="english", definition="own"):
    rows = tidy[(tidy["variant"] == variant) & (tidy["group"] == group) & (tidy["definition"] == definition)]
    return rows.iloc[0]
