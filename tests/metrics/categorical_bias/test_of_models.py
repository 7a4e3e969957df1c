"""Numbers of whole models, as other metrics read them."""

import numpy as np
import pandas as pd

from herbarium.metrics.categorical_bias import of_models
from herbarium.statistics.model_measures import MODEL_MEASURES


def test_cb_of_a_causal_model_has_a_name_of_its_own():
    row = {
        "model": "gpt",
        "definition": "whole",
        "variant": "cb",
        "unit": "list",
        "group": "greek/own",
        "estimate": 1.0,
    }
    measured = of_models.measures(pd.DataFrame([row]), {"greek": "own"})
    assert measured.to_numpy().tolist() == [["gpt", "cb_whole/greek", 1.0]]


def test_it_is_cb_of_the_leading_list_as_in_the_paper():
    rows = [
        ("a", "paper", "cb", "list", "greek/own", 1.0),
        ("b", "paper", "cb", "list", "greek/own", 2.0),
        ("a", "paper", "cb", "list", "english/own", 3.0),
        ("b", "paper", "cb", "list", "english/own", np.nan),
        ("a", "released", "cb", "list", "greek/own", 99.0),
        ("a", "paper", "cb_equal_length", "list", "greek/own", 99.0),
        ("a", "paper", "cb", "template", "greek/own/t1", 99.0),
        ("a", "paper", "cb", "list", "greek/other", 99.0),
    ]
    numbers = pd.DataFrame(rows, columns=["model", "definition", "variant", "unit", "group", "estimate"])
    measured = of_models.measures(numbers, {"english": "own", "greek": "own"})
    assert measured.columns.tolist() == MODEL_MEASURES.fields.names
    assert measured.to_numpy().tolist() == [["a", "cb/greek", 1.0], ["b", "cb/greek", 2.0], ["a", "cb/english", 3.0]]
