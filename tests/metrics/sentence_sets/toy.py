"""A small set of sentences, and what models say of it."""

import numpy as np
import pandas as pd

ENTRY = {
    "quantity": "pll",
    "contrast": "pairs",
    "sides": ["he", "she"],
    "unit": "set",
    "crossed_with": None,
    "each": None,
    "correction": "holm",
    "bootstrap": {"replicates": 20, "level": 0.9},
}
SHARE = ENTRY | {"contrast": "share"}
CANDIDATES = ENTRY | {"contrast": "candidates", "sides": ["he", "she", "they"]}
ACCURACY = ENTRY | {"contrast": "accuracy", "sides": ["pro-right", "pro-wrong", "anti-right", "anti-wrong"]}
STEREOSET = ENTRY | {"contrast": "stereoset", "sides": ["stereotype", "anti-stereotype", "unrelated"]}
BBQ = ENTRY | {"contrast": "bbq", "sides": ["biased", "counter", "unknown"]}
CHOICES = BBQ | {"contrast": "choices"}
ENTRIES = {"pronouns": ENTRY, "shares": SHARE, "slots": CANDIDATES}


def observations(entry=ENTRY, lean=0.0, seed=0, n=12):
    """Sentences of the schema "sentence_sets_observations", half of the sets in each of two groups. lean: of the first
    side."""
    sides = entry["sides"]
    values = np.random.default_rng(seed).normal(-9, 1, size=(n, len(sides)))
    values[:, 0] += lean
    table = pd.DataFrame(
        {
            "set": np.repeat([f"s{i:02}" for i in range(n)], len(sides)),
            "side": sides * n,
            "group": np.repeat(["a", "b"], n * len(sides) // 2),
            "value": values.ravel(),
            "note": None,
        }
    )
    texts = table["side"] + " is in " + table["set"] + "."
    table = table.assign(id=table["set"] + table["side"], unit=table["set"], crossed_with=None, each=None, text=texts)
    if entry["contrast"] == CHOICES["contrast"]:
        table["letter"] = [*"ABC", *"BCA"] * (n // 2)
    return table.assign(correct=table["group"].map({"a": sides[-1], "b": sides[0]}))
