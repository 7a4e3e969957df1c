"""Planted biographies as a source of vectors gives them, and a model that can learn to tell their occupations."""

from functools import cache

import numpy as np
import pandas as pd
from tests.conftest import small_bert

from herbarium.metrics.biographies import numbers, planted_texts, stimuli
from herbarium.vectors import planted as of_vectors
from herbarium.vectors.tables import Vectors

LAYERS = ("0", "1")
SETTINGS = numbers.Settings(sets=2, min_texts=4, c=1.0, iterations=500, level=0.95, correction="holm", seed=7)
GENDERED = ("he", "she", "Ms.")


def task(**changed):
    return {"data": {"planted": 1.0}} | planted_texts.LAYOUT | changed


def laid_out(strength=1.0, n=800, languages=()):
    """words and design of planted biographies; with languages, dealt out in turn."""
    table = planted_texts.table("toy", strength, n, 7)
    settings = task()
    if languages:
        table["tongue"] = [languages[place // 8 % len(languages)] for place in range(n)]  # 8 occupations in turn
        settings["language"] = "tongue"
    rows, _ = stimuli.labelled({None: table}, settings, "planted")
    rows = stimuli.divided(rows, 0.4, n, "toy", 7)
    words, design, _ = stimuli.instantiate(rows, GENDERED, 110)
    return words, design


def vectors(words, layers=LAYERS):
    """In the first layer nothing but noise, in the last what each text is about, its gender and its leaning."""
    known = (words[name].to_numpy() for name in ("concept", "gender", "lean"))
    about = of_vectors.vectors(words["text"], *known, "toy", 1.0, False, 7)
    noise = np.random.default_rng(7).normal(size=about.shape)
    values = np.stack([noise, about][-len(layers) :], axis=1).astype(np.float32)
    return Vectors(list(layers), values, np.ones(len(words), dtype=int), np.full(len(words), None, dtype=object))


@cache
def measured(source="toy", unit="toy", layers=LAYERS, settings=SETTINGS, **planted_with):
    words, design = laid_out(**planted_with)
    return numbers.measure(source, unit, design, vectors(words, layers), settings)


def said_by(design, told, sets=SETTINGS.sets):
    """Predictions of a model that was fine-tuned on training sets, by form. told: of biographies to test with and
    the number of a set, what it says."""
    predictions = {}
    for form in stimuli.FORMS:
        rows = design[(design["form"] == form) & (design["part"] == stimuli.TEST)]
        predictions[form] = [
            pd.DataFrame({"biography": rows["biography"], "occupation": told(rows, number), "truncated": False})
            .reset_index(drop=True)
            .sample(frac=1, random_state=number)
            for number in range(sets)
        ]
    return predictions


def small_model(folder):
    """A BERT with random weights, to which each word of planted biographies is a token."""
    small_bert(folder, planted_texts.table("words", 0.0, 4000, 7)["text"].tolist(), intermediate_size=64)
