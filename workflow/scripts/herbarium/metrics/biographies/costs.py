"""The cost of probes and of fine-tuned models (`training.costs`), from the numbers of biographies."""

import numpy as np
import pandas as pd

from herbarium.metrics.biographies import learning
from herbarium.metrics.biographies.numbers import DEFINITIONS
from herbarium.metrics.biographies.stimuli import FORMS
from herbarium.training.costs import Trainings

PROBE = "probe"


def trainings(design: pd.DataFrame, sets: int, min_texts: int, training: dict) -> Trainings:
    """Those of a model that is fine-tuned: one per form of the texts and training set.

    design: of the schema "biographies". training: settings as in the configuration.
    """
    usable, _ = learning.usable(design, min_texts)
    n_learned, n_evaluated = [], []
    for form in FORMS:
        # which texts are drawn does not change their number
        split = learning.divided(usable[usable["form"] == form], sets, "", 0)
        for number in range(sets):
            label = split.label[split.is_train][split.of_set == number]
            is_held_out = learning.held_out(label, training["validation_share"], np.random.default_rng(0))
            n_learned.append(int((~is_held_out).sum()))
            n_validations = training["evaluations"] * training["epochs"]
            n_evaluated.append(int(is_held_out.sum()) * n_validations + int((~split.is_train).sum()))
    return Trainings(n_learned, n_evaluated, training["epochs"], training["batch_size"])


def probes(design: pd.DataFrame, min_texts: int) -> dict:
    """The row of a source's probes on one layer, which are counted and not timed. design: as in `trainings`."""
    usable, _ = learning.usable(design, min_texts)
    n_texts = int((usable["part"] == learning.TRAIN).sum()) * len(DEFINITIONS) // len(FORMS)
    return {"stage": PROBE, "jobs": 1, "files": 2, "sentences": n_texts, "sampled": 0}
