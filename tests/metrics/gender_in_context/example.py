from functools import cache

import pandas as pd
from tests.conftest import model_record
from tests.metrics.examples import MARKUP, pictures
from tests.metrics.gender_in_context.toy import design, measured

from herbarium.metrics.gender_in_context.figures import components, layers
from herbarium.metrics.gender_in_context.report import part as of_page

MODELS = [model_record("none", 0.0), model_record(MARKUP, None)]


@cache
def sources():
    """Of each model one, which has its name."""
    return [measured("none", lean=0.0), measured(MARKUP, lean=2.0)]


def written():
    return [result.numbers for result in sources()]


def part_of(results):
    tidy, curves = (pd.concat([getattr(result, name) for result in results]) for name in ("numbers", "curves"))
    drawn = {"gender_in_context_layers": layers.table(tidy), "gender_in_context_components": components.table(curves)}
    model_of = {model["name"]: model["name"] for model in MODELS}
    return of_page.part(tidy, MODELS, model_of, 0.95, "holm", pictures(**drawn))


def part():
    return part_of(sources())


def lost_part():
    """Of too few words."""
    return part_of([measured("none", sentences=design(n_words=2)), measured(MARKUP, sentences=design(n_words=3))])
