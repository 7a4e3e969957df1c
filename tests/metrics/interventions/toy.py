"""A few questions of made-up countries, and what models of a known preference answer."""

import numpy as np
import pandas as pd

from herbarium.metrics.interventions import formats, planted, stimuli

DEMO = {"format": "lists", "table": "resources/interventions/demo", "subjects": None, "max_pairs": None}
SEED = 3
NAME = "few"


def sentences(form=stimuli.FILL, entry=DEMO):
    return pd.concat(stimuli.instantiate(formats.read(entry, SEED), form), ignore_index=True)


def scores(stimuli_table, strength=1.0, noise=0.0, quantities=("slot",), seed=0):
    """What a model of a preference gives, of the schema "scores".

    stimuli_table: of the schema "interventions_stimuli".
    """
    log_s = planted.log_s(stimuli.asked_of(stimuli_table), strength, SEED)
    random = np.random.default_rng(seed)
    tables = [
        pd.DataFrame(
            {
                "sentence_id": stimuli_table["sentence_id"],
                "quantity": quantity,
                "value": (log_s + noise * random.normal(size=log_s.shape)).ravel(),
                "n_tokens": 1,
                "given": stimuli_table["sentence_id"],
                "note": None,
            }
        )
        for quantity in quantities
    ]
    return pd.concat(tables, ignore_index=True)
