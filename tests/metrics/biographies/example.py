from functools import cache

import pandas as pd
from tests.conftest import model_record
from tests.metrics.biographies.toy import SETTINGS, laid_out, measured, said_by, vectors
from tests.metrics.examples import MARKUP, pictures

from herbarium.metrics.biographies import numbers, stimuli
from herbarium.metrics.biographies.figures import gaps
from herbarium.metrics.biographies.report import part as of_page

# Sources of vectors, and a model that is fine-tuned.
MODELS = [model_record("one", None), model_record("tuned", None), model_record(MARKUP, None)]
NAMES = {"task": ["toy", "many"], "language": ["en", "xx"], "layer": ["0", "1"]}


@cache
def sources():
    return [measured("one", strength=1.0), measured(MARKUP, strength=1.0, layers=("1",))]


@cache
def tuned():
    """It says what is so of nine texts in ten."""
    _, design = laid_out()
    wrong = design["occupation"].iloc[0]
    told = lambda rows, _: rows["occupation"].mask(rows["biography"] % 10 == 0, wrong)  # noqa: E731
    return numbers.measure_finetuned("tuned", "toy", design, said_by(design, told), SETTINGS)


def written():
    tongues = measured("many", "many", layers=("1",), languages=("en", "xx"))
    return [measured(strength=1.6).numbers, tongues.numbers]


def part_of(results):
    tidy, occupations = (pd.concat([getattr(each, name) for each in results]) for name in ("numbers", "occupations"))
    texts = stimuli.counted(laid_out()[1], {"left out, without text": 1234}, {"<b>pope</b>": "0 female to train"})
    drawn = pictures(biographies_gaps=gaps.table(occupations))
    return of_page.part(tidy, MODELS, {"toy": texts}, {"toy": 1.0}, 0.95, "holm", drawn)


def part():
    return part_of([*sources(), tuned()])


def lost_part():
    """Of one occupation."""
    words, design = laid_out()
    kept = design["occupation"] == "pilot"
    of_kept = vectors(words[kept].reset_index(drop=True), ["1"])
    return part_of([numbers.measure("one", "toy", design[kept].reset_index(drop=True), of_kept, SETTINGS)])
