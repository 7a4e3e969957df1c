import numpy as np
import pandas as pd
from tests.metrics.crows_pairs.test_score import observed
from tests.metrics.examples import LOST, MARKUP, MODELS

from herbarium.metrics.crows_pairs import score
from herbarium.metrics.crows_pairs.report import part as of_page
from herbarium.statistics.fits_overview import ADJUSTED
from herbarium.statistics.section import MixedModels
from herbarium.statistics.tidy import TIDY

SETTINGS = MixedModels().model_dump(mode="json")
SCORE = {"metric": "crows_pairs", "definition": "paper", "unit": "bias_type", "n": 90}
SCORE |= {"p_value": 0.03, "p_adjusted": 0.04}
# By variant: estimate, and ends of the interval.
NUMBERS = {"cps": (60.0, 50.0, 70.0), "difference": (1.5, 1.0, 2.0), "cps_equivalence_bound": (18.0, None, None)}
NUMBERS |= {"n_pairs": (90.0, None, None)}
FIT = {"data": "crows_pairs", "definition": "paper", "subset": "all", "structure": "intercepts"}
FIT |= {"dimension": "age", "contrast": "stereo-antistereo", "estimate": 1.25, "ci_low": 1.24, "ci_high": 1.26}
FIT |= {"std_error": 0.005, "df": 99.0, "p_value": 1e-9, "p_adjusted": 4e-9, "p_equivalence": 0.9, "mde": 0.03}
FIT |= {"r2": 0.5, "r2_low": 0.25, "r2_high": 1.0, "r2_raw": 0.1, "n": 90, "n_refused": 0}
FIT |= {"converged": True, "singular": False}
PUBLISHED = {("strong", 90.0): 64.25, (MARKUP, 1508.0): 65.5}


def numbers(model="strong", groups=("all", "age"), **changes):
    rows = [
        SCORE
        | {"model": model, "group": group, "variant": variant, "estimate": value, "ci_low": low, "ci_high": high}
        | changes
        for group in groups
        for variant, (value, low, high) in NUMBERS.items()
    ]
    return pd.DataFrame(rows).reindex(columns=TIDY.fields.names)


def part_of(rows, *fits):
    fitted = pd.DataFrame(fits, columns=ADJUSTED.fields.names)
    return of_page.part(rows, fitted, MODELS, SETTINGS, PUBLISHED)


def written():
    remarked = observed().assign(remark=lambda rows: np.where(rows["set"] == "0", "odd", ""))
    remarked["n_tokens"] = np.arange(len(remarked)) // 3
    causal = pd.concat([remarked.assign(definition=name) for name in ("whole", "shared")])
    return [score.score("m", table, 0.95, 1) for table in (remarked, causal)]


def part():
    rows = pd.concat([numbers(model["name"]) for model in MODELS])
    return part_of(rows, *(FIT | {"model": model["name"]} for model in MODELS))


def lost_part():
    return part_of(numbers(**LOST).assign(n=0, note="no set has a score"))
