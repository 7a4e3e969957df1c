"""Toys of the figures: two sources of vectors, of one of which some numbers are lost."""

import numpy as np
import pandas as pd

from herbarium.metrics.word_associations.figures import occupations, sembias
from herbarium.metrics.word_associations.sembias import DEFINITION, NONE, STEREOTYPE, TIED


def bars():
    """One list; the real source has two layers, the first of which was not measured."""
    shares = {DEFINITION: 0.5, STEREOTYPE: 0.3, NONE: 0.15, TIED: 0.05}
    bars = [("none", 0.0, "input", 1), ("real", None, "0", np.nan), ("real", None, "1", 1)]
    at_random = {"at_random": 0.3, "low": 0.2, "high": 0.4}
    rows = [
        {"unit": "own, he-she", "model": model, "planted": planted, "layer": layer, "group": outcome}
        | {"estimate": known * share, "ci_low": share - 0.1, "ci_high": share + 0.1, "p_adjusted": 0.01, "n": 40}
        | at_random
        for model, planted, layer, known in bars
        for outcome, share in shares.items()
    ]
    return pd.DataFrame(rows).reindex(columns=sembias.COLUMNS)


def dots():
    rows = [
        (model, planted, "input", "jobs, he-she", name, share, 0.2 - 0.4 * share, known * -1.0)
        for model, planted, known in (("none", 0.0, np.nan), ("real", None, 1))
        for name, share in (("pilot", 0.1), ("clerk", 0.5), ("cook", 0.4), ("nurse", 0.9), ("guard", 0.2))
    ]
    return pd.DataFrame(rows, columns=occupations.COLUMNS)


TOYS = {"occupations": lambda: (dots(),), "sembias": lambda: (bars(),)}
MARKS = {"sembias": ("estimate", "x")}
