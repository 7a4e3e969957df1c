"""A page of every part, opened in Chromium.

HERBARIUM_PAGE=results/demo/report/index.html looks at that page as well.
"""

import os
from pathlib import Path

import pandas as pd
import pytest
from tests.metrics.categorical_bias import example as of_bias
from tests.metrics.crows_pairs import example as of_pairs
from tests.metrics.downstream import example as of_downstream
from tests.metrics.downstream import toy
from tests.metrics.herb import example as of_herb
from tests.metrics.mixed_effects import figure_toys as mixed_toys
from tests.metrics.mixed_effects import test_report as mixed_page
from tests.metrics.propagation import test_report as propagation_page
from tests.metrics.propagation.figure_toys import propagated
from tests.metrics.sentence_sets import test_report as sets_page
from tests.page import test_rooms as rooms_page
from tests.page.test_methods import CITATION
from tests.reports import opened, pictures_of
from tests.study.figure_toys import calibrated, combined

from herbarium.metrics.downstream.figures import map as downstream_map
from herbarium.metrics.downstream.figures import planted as downstream_planted
from herbarium.metrics.downstream.figures import ranking as downstream_ranking
from herbarium.metrics.propagation.figures import scatter
from herbarium.page.build import build
from herbarium.page.calibration import calibration
from herbarium.page.changes import changes, flagged
from herbarium.page.drivers import by_part, drivers
from herbarium.page.error_rates import error_rates
from herbarium.page.limits import limits
from herbarium.page.methods import methods, paragraphs
from herbarium.page.overview import looks, overview
from herbarium.page.provenance import provenance
from herbarium.page.reproduction import reproduction
from herbarium.page.uncertainty import uncertainty
from herbarium.report import answers
from herbarium.scoring.refusals import REFUSALS
from herbarium.study import words as words_of
from herbarium.study.signatures import by_key

LINES = {
    model: f"herbarium 0.1.0 | herb_crossed | crossed | {model} | variant:D2 | unit:earth | group:earth | seed:0"
    for model in of_herb.PLANTED
}


ITEMS = pd.DataFrame(
    [
        (model, "herb_crossed", "D2", region, word, "", strength * value)
        for model, strength in of_herb.PLANTED.items()
        for region in ("continent:AF", "continent:AS")
        for word, value in zip(("bald", "wise", "loud", "kind"), (3.0, 1.0, 0.5, -1.0), strict=True)
    ],
    columns=["model", "metric", "measure", "object", "word", "form", "value"],
)


def of_tasks(folder):
    """The parts on tasks, and on what predicts what a region changes in them."""
    numbers = toy.numbers_of()
    countries, correlations, everything = propagated(numbers)
    tables = {
        "downstream_map": downstream_map.table(numbers, toy.PREFIXES, toy.WHERE, toy.GEOJSON),
        "downstream_ranking": downstream_ranking.table(numbers, toy.PREFIXES, toy.WHERE),
        "downstream_planted": downstream_planted.table(numbers, toy.PREFIXES, toy.WHERE, toy.LEAN, toy.STRENGTHS),
        "propagation_scatter": scatter.table(countries, everything, toy.REGIONS, toy.WHERE),
    }
    pictures = pictures_of(tables, folder)
    classifiers = [of_downstream.classifier(model, planted) for model, planted in toy.MODELS.items()]
    tasks = [
        of_downstream.task(planted, classifiers, name, toy.PREFIXES[name]) for name, planted in toy.STRENGTHS.items()
    ]
    page_part = of_downstream.part_of(numbers.to_dict("records"), tasks, drawn=pictures)
    labels = {name: name for name in toy.MODELS}
    beside = propagation_page.written(correlations, pictures, list(toy.STRENGTHS), labels.items())
    return [page_part, beside]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A page of every part, each of the numbers of its own tests."""
    folder = tmp_path_factory.mktemp("page")

    def drawn(metric, tables):
        return pictures_of({f"{metric}_{name}": table() for name, table in tables.items()}, folder)

    models, summary = of_herb.PLANTED_MODELS, of_herb.summary(of_herb.PLANTED)
    parts = [
        of_herb.part_of(summary, models, toy.REGIONS),
        of_bias.part_of(of_bias.tidy()),
        mixed_page.written(drawn("mixed_effects", mixed_toys.TABLES)),
        of_pairs.part_of(of_pairs.numbers()),
        sets_page.part_of(),
        *of_tasks(folder),
    ]
    table = answers.table([answer for part in parts for answer in part.answers])
    answered = pictures_of({"answers": table}, folder)["answers"]
    refusals = pd.DataFrame([("weak", "herb", "cut", True, 2, 10)], columns=REFUSALS.fields.names)
    described = paragraphs(parts, models, rooms_page.STUDY, refusals, rooms_page.MADE, {}, CITATION)
    ranked = by_part(words_of.table(ITEMS, {}), parts)
    rooms = [
        overview(*(parts, models, flagged(combined()), answered, by_key(LINES.values())), ranked=ranked, compared=True),
        *parts,
        drivers(ranked, parts),
        changes(pictures_of({"changes": combined()}, folder)["changes"]),
        calibration(pictures_of({"calibration": calibrated()}, folder)["calibration"]),
        error_rates([rooms_page.VALIDITY], parts),
        reproduction(rooms_page.OURS, [*parts, rooms_page.LEANING], rooms_page.SOURCES, rooms_page.REST),
        uncertainty(summary, refusals, parts),
        limits(parts),
        methods(described, parts, CITATION),
        provenance(rooms_page.MADE, rooms_page.STUDY),
    ]
    file = folder / "index.html"
    file.write_text(build(rooms, models, rooms_page.STUDY, {"libraries": {"numpy": "2.9"}}, toy.GEOJSON, looks(parts)))
    return file


@pytest.fixture(scope="module")
def page(browser, page_file):
    with opened(browser, page_file) as page:
        yield page


@pytest.fixture(params=["every part", *filter(None, [os.environ.get("HERBARIUM_PAGE")])])
def any_page(request, page_file):
    return page_file if request.param == "every part" else Path(request.param).resolve()


@pytest.fixture
def fresh(browser, page_file):
    with opened(browser, page_file, folded=True) as page:
        yield page
