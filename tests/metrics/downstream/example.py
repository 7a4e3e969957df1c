import numpy as np
import pandas as pd
from tests.conftest import model_record
from tests.metrics.downstream import figure_toys, test_numbers, test_own_groups, test_planted_slope
from tests.metrics.examples import LOST, MODELS, pictures

from herbarium.metrics.downstream import own_groups
from herbarium.metrics.downstream import published as downstream_published
from herbarium.metrics.downstream.report import part as of_page
from herbarium.metrics.downstream.section import Downstream
from herbarium.statistics.tidy import TIDY

COUNTRIES = {"PE": ("Peru", "SA"), "CL": ("Chile", "SA"), "FJ": ("Fiji", "OC"), "TO": ("Tonga", "OC")}
ROWS = [("original", "original", "original", "original", None)]
ROWS += [
    ("region", "country", f"country:{c}", name, f"continent:{continent}") for c, (name, continent) in COUNTRIES.items()
]
ROWS += [("control", "control", f"control:{name}", name, None) for name in ("here", "there")]
ROWS += [("nonsense", "nonsense", f"nonsense:{name}", name, None) for name in ("Bly", "Ozz", "Quo")]
PREFIXES = pd.DataFrame(ROWS, columns=["kind", "unit", "group", "name", "continent"])
REGIONS = pd.DataFrame(
    [("earth", "the Earth"), ("continent:SA", "South America"), ("continent:OC", "Oceania")], columns=["region", "name"]
)
SUMMARY = {
    "counts": {
        "train": {"negative": 1200, "positive": 300},
        "validation": {"negative": 120, "positive": 30},
        "test": {"negative": 60, "positive": 20},
    },
    "ignored": {"relation": 7, "idk/skip": 3},
    "left_out": 1000,
    "not_sampled": 0,
    "texts_in_train_and_test": 2,
    "sources_in_train_and_test": 5,
    "noted": {},
}
DATA = {"hub": None, "revision": None, "subset": None, "path": "data/posts.csv", "planted": None, "texts": 2400}
NO_TABLES = {
    "table4": pd.DataFrame(columns=downstream_published.COLUMNS),
    "table5": pd.DataFrame(columns=downstream_published.COLUMNS),
}


def section(**settings):
    posts = {"data": {"planted": 1.0}, "prefix": "I am from [region].", "controls": ["here", "there"], "models": ["m"]}
    return Downstream.model_validate({"tasks": {"posts": posts}}).model_dump(mode="json") | settings


def classifier(name="m", planted=None, number=1, **more):
    """What a report reads of a fine-tuned classifier."""
    history = [
        {"step": step, "epoch": step / 10, "loss": loss, "accuracy": 0.75} for step, loss in ((5, 0.5), (10, 0.6))
    ]
    training = {"set": number, "epochs": 3, "steps": 10, "best_step": 5, "stopped_early": True, "history": history}
    record = {"name": name, "hub": None, "revision": None, "path": "x", "dtype": "bfloat16", "max_tokens": 64}
    record |= {"changes": {"bfloat16": {"max": 0.012, "mean": 0.001}}, "files": {"model.safetensors": "a" * 64}}
    record |= {"libraries": {"torch": "2.1"}, "training": training | {"bfloat16": False}}
    return record | {"base": model_record(name, planted)} | more


PUBLISHED = classifier("pub", hub="a/b", revision="c" * 40, path=None, training=None, base=None, dtype="float32")


def task(planted=None, records=None, name="posts", prefixes=PREFIXES):
    header = {"summary": SUMMARY, "task": {"data": DATA | {"planted": planted}}}
    return of_page.Task(name, header, prefixes, [classifier()] if records is None else records)


def row(variant, unit, group, estimate, half=0.01, p=np.nan, model="m", metric="downstream", task="posts", **more):
    values = {"model": model, "metric": metric, "definition": "paper", "variant": variant, "unit": unit, "n": 80}
    values |= {"group": f"{task}/{group}", "estimate": estimate, "ci_low": estimate - half, "ci_high": estimate + half}
    return values | {"p_value": p, "p_adjusted": p} | more


def numbers(*more, model="m", spread=(0.8, 0.3), without=()):
    """Peru's excess is above 0, Fiji's below, the other two's are not told from it."""
    rows = [
        row(measure, "original", "original", value, 0.05) for measure, value in (("accuracy", 0.8), ("macro_f1", 0.75))
    ]
    rows += [row(f"{measure}_between_sets", "original", "original", 0.02) for measure in ("accuracy", "macro_f1")]
    for unit, to_positive in (("country", 0.03), ("control", 0.01), ("nonsense", 0.02)):
        values = {"accuracy": 0.7, "macro_f1": 0.65, "to_positive": to_positive, "to_negative": 0.04}
        rows += [row(measure, "all", unit, value) for measure, value in values.items()]
        rows += [row(measure, "all", unit, 0.05) for measure in ("effect", "absolute_effect", "spread")]
        rows += [row(gap, "all", unit, 0.25, np.nan) for gap in of_page.GAPS]
    rows += [row(f"{gap}_rarefied", "all", "country", 0.2, np.nan) for gap in of_page.GAPS]
    rows += [row(gap, "all", "continent", 0.15, np.nan) for gap in of_page.GAPS]
    for country_code, (excess, p) in zip(COUNTRIES, ((0.2, 0.001), (0.01, 0.5), (-0.1, 0.01), (0.0, 0.9)), strict=True):
        rows += [row("excess", "country", f"country:{country_code}", excess, p=p)]
        rows += [row("effect", "country", f"country:{country_code}", excess / 4)]
        rows += [row("label_effect", "country", f"country:{country_code}", excess / 2)]
    rows += [
        row("excess", "nonsense", f"nonsense:{nonsense_name}", 0.05, np.nan) for nonsense_name in ("Bly", "Ozz", "Quo")
    ]
    rows += [row("excess_spread", "all", "country", *spread, note="4 names and 3 made up")]
    return [number | {"model": model} for number in [*rows, *more] if number["variant"] not in without]


def text_groups():
    """Two groups of texts, and their difference."""
    return [
        *(
            row(rate, "text_group", group, estimate)
            for group, estimate in (("writer: A", 0.8), ("writer: B", 0.7))
            for rate in own_groups.RATES
        ),
        *(row(f"{rate}_difference", "text_groups", "writer: A, B", -0.1, p=0.02) for rate in own_groups.RATES),
    ]


def part_of(summary=None, tasks=None, tables=(), drawn=(), **settings):
    tasks = tasks or [task()]
    summary = pd.DataFrame(numbers() if summary is None else summary).reindex(columns=TIDY.fields.names)
    values = section(**settings)
    values["tasks"] = {one.name: values["tasks"]["posts"] for one in tasks}
    return of_page.part(summary, tasks, REGIONS, NO_TABLES | dict(tables), dict(drawn), values)


def written():
    """About small studies, those of the metric's own tests."""
    yield test_numbers.measured(*test_numbers.predictions())
    yield test_planted_slope.measured(test_planted_slope.log_odds(2.0))
    yield test_own_groups.measured(*test_own_groups.study(np.random.default_rng(1))).reset_index()


def part():
    """Of planted texts with groups of their own, beside a published classifier and published numbers."""
    records = [classifier(model["name"], model["planted"]) for model in MODELS]
    more = [*text_groups(), row("planted_spearman", "all", "country", 0.8, p=0.001, n=4)]
    more += [row("planted_slope", "all", "country", 1.5, n=4)]
    rows = [number for model in MODELS for number in numbers(*more, model=model["name"])]
    figure = {"model": "strong", "task": "imdb", "line": "original", "measure": "Acc.", "published": 0.93, "paper": 0.9}
    figure |= {"paper_low": 0.88, "paper_high": 0.92, "difference": -0.03, "n": 80, "note": None, "doubt": "a slip"}
    other = {"measure": "Quantity↑", "published": 12.0, "difference": np.nan, "note": "of 80 texts", "doubt": ""}
    printed = pd.DataFrame([figure, figure | other])
    tables = {"table4": printed, "table5": printed[:1].assign(published=np.nan, difference=np.nan, doubt="")}
    shown = {name: make()[0] for name, make in figure_toys.TOYS.items()}
    drawn = pictures(**{f"downstream_{name}": table.assign(task="posts") for name, table in shown.items()})
    return part_of(rows, [task(2.0, [*records, PUBLISHED])], tables, drawn)


def lost_part():
    lost = figure_toys.numbers().assign(**LOST)
    tables = {name: make(lost) for name, make in figure_toys.TABLES.items()}
    drawn = pictures(**{f"downstream_{name}": table.assign(task="posts") for name, table in tables.items()})
    return part_of(pd.DataFrame(numbers()).assign(**LOST).to_dict("records"), drawn=drawn)
