"""Two tasks of three classifiers, which learned what the texts were planted with, and noise."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from tests.regions.toy import hierarchy

from herbarium.drawing import tasks
from herbarium.metrics.downstream import numbers as downstream_numbers
from herbarium.metrics.downstream import planted_slope
from herbarium.regions import levels

GEOJSON = json.loads(Path("resources/maps/countries.geojson").read_text())
CODES = {"AF": "NA EG KE ML GA TG NE", "AS": "IN JP NP QA LA MN VN", "EU": "FR AD DE ES IT PL PT SE", "SA": "PE CL BR"}
CODES |= {"OC": "FJ NZ AU PG"}
REGIONS = hierarchy(CODES, french=["Paris"])
COUNTRIES = levels.countries(REGIONS)
N = len(COUNTRIES)
MODELS = {"hub": None, "strong": 2.0, "none": 0.0}
MEASURED = [(task, model) for task in ("reviews", "messages") for model in MODELS]
STRENGTHS = {"reviews": 1.5, "messages": 0.0}
DRAWN = np.random.default_rng(3).normal(size=N)
LEAN = pd.Series((DRAWN - DRAWN.mean()) / DRAWN.std(), COUNTRIES["region"])
BOOTSTRAP, TESTS, LEVEL = {"replicates": 40, "level": 0.9}, {"correction": "fdr_bh"}, 0.9
TEXTS = 60


def task_prefixes(countries=COUNTRIES, nonsense=("Bly", "Ozz", "Quo", "Vim")):
    rows = [("original", "original", "original", "original", None, None)]
    rows += [
        ("region", "country", country.region, country.name, country.continent, country.iso2)
        for country in countries.itertuples(index=False)
    ]
    rows += [
        (kind, kind, f"{kind}:{name}", name, None, None)
        for kind, names in (("control", ("here", "there")), ("nonsense", nonsense))
        for name in names
    ]
    columns = ["kind", "unit", "group", "name", "continent", "iso2"]
    return pd.DataFrame(rows, columns=columns)


def numbers_of(measured=MEASURED, prefixes=None, bootstrap=BOOTSTRAP):
    """Of classifiers that learned what the texts of their task were planted with, and noise."""
    prefixes = task_prefixes() if prefixes is None else prefixes
    lean = prefixes["group"].map(LEAN).fillna(0).to_numpy()
    parts = []
    for number, (task, model) in enumerate(measured):
        random = np.random.default_rng(number)
        offset = 0.1 * random.normal(size=len(prefixes))
        log_odds = (STRENGTHS[task] * lean + offset)[None, :, None] + random.normal(size=TEXTS)
        log_odds = log_odds + 0.4 * random.normal(size=(2, len(prefixes), TEXTS))
        label, uncut = np.arange(TEXTS) % 2, np.zeros(len(prefixes), int)
        given = model, task, log_odds, label, prefixes, uncut, bootstrap, TESTS, 1
        parts.append(downstream_numbers.measure(*given))
        parts.append(planted_slope.measure(model, task, log_odds, prefixes, LEAN, STRENGTHS[task], bootstrap, 1))
    return pd.concat(parts, ignore_index=True)


PREFIXES = dict.fromkeys(("reviews", "messages"), task_prefixes())
WHERE = tasks.places(MEASURED, MODELS)


def by_place(numbers, variant, task, model):
    """Rows of countries by region."""
    rows = numbers[(numbers["variant"] == variant) & (numbers["unit"] == "country") & (numbers["model"] == model)]
    rows = rows[rows["group"].str.startswith(f"{task}/")]
    return rows.set_index(rows["group"].str.removeprefix(f"{task}/"))


def titles(figure):
    """Of all panels that have one."""
    every = [panel.get_title(loc=loc) for panel in figure.axes for loc in ("left", "right")]
    return [title for title in every if title]
