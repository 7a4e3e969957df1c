import pandas as pd
from tests.metrics import examples
from tests.metrics.amplification import test_numbers, toy
from tests.metrics.examples import LOST, pictures

from herbarium.drawing import style, tasks
from herbarium.metrics.amplification import outputs
from herbarium.metrics.amplification.figures import iterations, margins, rates
from herbarium.metrics.amplification.report import part as of_page
from herbarium.metrics.amplification.section import Amplification

MODELS = examples.MODELS[1:]
NAMES_OF_REGIONS = toy.REGIONS.set_index("region")["name"].to_dict()
LABELS = {model["name"]: style.label(model["name"], model["planted"]) for model in MODELS}
WHERE = tasks.places([("reviews", name) for name in LABELS], {model["name"]: model["planted"] for model in MODELS})
STRUCTURED = dict.fromkeys(outputs.MEASURES, 0.25) | {"activities": 2, "margin": 0.1, "accuracy": float("nan")}
STRUCTURED |= {"name": "field", "method": "rba", "sets": 3, "instances": 9}
SETTINGS = Amplification(tasks=["reviews"], margin=0.1).model_dump(mode="json")


measured = test_numbers.of_toy


def written():
    corpus = test_numbers.corpus_of()
    many = corpus.__class__(**corpus.__dict__ | {"n_training": 10 * corpus.n_training})
    yield measured().numbers
    yield test_numbers.numbers.measure("m", "reviews", many, toy.predicted(), test_numbers.SETTINGS, 1, True).numbers


def of_models(rows):
    return pd.concat([rows.assign(model=name) for name in LABELS])


def part_of(rows, by_method, drawn):
    structured = pd.DataFrame([STRUCTURED])
    return of_page.part(rows, by_method, structured, {"reviews": 2.0}, NAMES_OF_REGIONS, LABELS, drawn, SETTINGS)


def part():
    rows, by_method, steps = map(of_models, (measured().numbers, measured().by_method, measured().iterations))
    drawn = pictures(
        amplification_rates=rates.table(rows, WHERE, NAMES_OF_REGIONS),
        amplification_iterations=iterations.table(steps, WHERE),
        amplification_margins=margins.table(by_method, WHERE),
    )
    return part_of(rows, by_method, drawn)


def lost_part():
    figures = {"rates": rates, "iterations": iterations, "margins": margins}
    empty = {f"amplification_{name}": pd.DataFrame(columns=figure.COLUMNS) for name, figure in figures.items()}
    return part_of(of_models(measured().numbers).assign(**LOST), measured().by_method[:0], pictures(**empty))
