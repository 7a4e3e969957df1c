"""Random observations of the published traits."""

import numpy as np
import pandas as pd
import pytest

from herbarium.metrics.mixed_effects import stimuli

TRAITS = stimuli.read("resources/mixed_effects/traits")


@pytest.fixture(scope="session")
def traits():
    """The lists."""
    return TRAITS


@pytest.fixture(scope="session")
def of_traits():
    """Of one dimension, with every word of the lists."""
    lists, rng = TRAITS, np.random.default_rng(0)
    rows = []
    words = stimuli.gendered_words(lists, ["the"])
    pairs = lists.pairs.assign(pair=lists.pairs["female"] + "-" + lists.pairs["male"])
    of_words = {gender: pairs.groupby(gender)["pair"].agg(list) for gender in ("female", "male")}
    for template in lists.templates.to_dict("records"):
        for target in stimuli.fitting(lists.targets[lists.targets["dimension"] == "serenity"], template):
            for word in words:
                for pair in of_words[word.gender][word.word] if word.gender != "neo" else [None]:
                    rows.append((template["key"], target["target"], pair, word.gender, word.word))
    table = pd.DataFrame(rows, columns=["template", "target", "pair", "gender", "word"])
    return table.assign(
        definition="paper",
        determiner="the",
        association=rng.normal(size=len(table)),
        pppl=rng.uniform(2, 150, len(table)),
        n_tokens=1,
        note=None,
    )
