"""The report on downstream tasks: which claims follow from which numbers."""

import json
import re

import numpy as np
import pytest
from tests.metrics.downstream import figure_toys
from tests.metrics.downstream.example import PREFIXES, PUBLISHED, classifier, numbers, part_of, row, task
from tests.metrics.examples import MODELS, pictures
from tests.reports import assert_numbers_are_in, table

from herbarium.metrics.downstream import numbers as downstream_table
from herbarium.metrics.downstream.report import part
from herbarium.report.tasks import ABSENT


def one_line(html):
    """What is said, as one line."""
    text = " ".join(re.sub(r"<[^>]*>", " ", html.replace("&nbsp;", " ")).split())
    return re.sub(r" ([.,:;])", r"\1", text)


def test_models_that_were_fine_tuned_are_those_of_the_part_each_once():
    bases = part.bases([task(records=[classifier("strong", 2.0), classifier("strong", 2.0, number=2), PUBLISHED])])
    assert [base["name"] for base in bases] == ["strong"]


@pytest.mark.parametrize(
    ("spread", "message", "line"),
    [
        ((0.8, 0.3), "Countries differ more than made-up names do: ", "more than made-up names do."),
        ((0.8, 0.9), "Countries are not distinguishable from made-up names: ", "not distinguishable from made-up"),
        ((-0.3, 0.1), "Countries are not distinguishable from made-up names: ", "not distinguishable from made-up"),
        ((0.8, np.nan), "made-up names do is not known (4 names and 3 made up).", "not known (4 names and 3 made up)."),
        ((np.nan, np.nan), "made-up names do is not known", "not known (4 names and 3 made up)."),
    ],
)
def test_countries_differ_more_only_where_the_interval_lies_above_0(spread, message, line):
    page = part_of(numbers(spread=spread))
    assert message in one_line(page.html)
    assert line in one_line(page.overview)


def test_without_intervals_nothing_is_concluded():
    rows = [number | {"ci_low": np.nan, "ci_high": np.nan} for number in numbers()]
    page = part_of(rows, bootstrap={"replicates": 0, "level": 0.95}).html
    findings = re.search(r'<section aria-labelledby="downstream-findings">(.*?)</section>', page, re.DOTALL)[1]
    assert "draws no conclusions" in page
    assert "distinguishable" not in findings
    assert table(page, "table-downstream-accuracy-posts")[0][2] == "80.0 SD 2.00"


def test_of_many_countries_the_ends_are_shown():
    base = {("excess", "country", f"country:{i}"): ABSENT | {"estimate": i / 100} for i in range(30)}
    shown = [row["name"].removeprefix("country:") for row in part.ends(base, {}, {}, "m")]
    assert shown == [*map(str, range(29, 24, -1)), *map(str, range(4, -1, -1))]


@pytest.mark.slow
def test_measured_numbers_make_a_whole_page():
    random = np.random.default_rng(0)
    log_odds, label = random.normal(size=(1, len(PREFIXES), 80)), np.arange(80) % 2
    log_odds[:, PREFIXES["continent"].eq("continent:OC")] += 1.5
    bootstrap, tests = {"replicates": 60, "level": 0.95}, {"correction": "fdr_bh"}
    cut = np.zeros(len(PREFIXES), int)
    measured = downstream_table.measure("m", "posts", log_odds, label, PREFIXES, cut, bootstrap, tests, 1)
    page = part_of(measured).html
    assert_numbers_are_in(measured, page)
    is_accuracy = (measured["variant"] == "accuracy") & (measured["unit"] == "original")
    accuracy = 100 * measured.loc[is_accuracy, "estimate"].item()
    first = table(page, "table-downstream-accuracy-posts")[0]
    assert first[2].startswith(f"{accuracy:.1f} ")
    assert first[-1] == "one training set"
    assert "Over training sets" not in page
    assert {cells[1] for cells in table(page, "table-downstream-ends-posts")[:2]} == {"Fiji", "Tonga"}


@pytest.mark.parametrize(
    ("strength", "half", "result"),
    [
        (2.0, 0.1, "effects follow what was planted"),
        (2.0, 0.9, "not found: the interval does not lie above 0"),
        (0.0, 0.9, "not distinguishable from 0, as planted"),
        (0.0, 0.1, "effects follow leans that were not planted here"),
        (2.0, np.nan, "not known"),
    ],
)
def test_what_was_planted_and_what_was_found(strength, half, result):
    rows = [row("planted_spearman", "all", "country", 0.8, half, 0.001, n=4)]
    rows += [row("planted_slope", "all", "country", 1.5, half, n=4)]
    shown = table(part_of(numbers(*rows), [task(planted=strength)]).html, "table-downstream-planted")[0]
    assert shown[:4] == ["posts", "m", f"{strength:g}", "4"]
    assert shown[4].startswith("0.800")
    assert shown[6] == result


def test_tables_stand_only_where_there_is_something_in_them():
    page = part_of().html
    for name in ("text-groups", "4", "5", "planted"):
        assert f"table-downstream-{name}" not in page
    assert "texts with planted strength" not in page


def test_published_classifiers_alone_are_a_whole_page():
    between_sets = [f"{measure}_between_sets" for measure in ("accuracy", "macro_f1")]
    page = one_line(part_of(numbers(model="pub", without=between_sets), [task(records=[PUBLISHED])]).html)
    assert "pub. Countries differ more" in page
    assert "Each model is fine-tuned" not in page
    assert "Over training sets" not in page


def test_a_task_without_countries_says_nothing_of_them():
    rows = [number for number in numbers() if "country" not in (number["unit"], number["group"].removeprefix("posts/"))]
    text = one_line(part_of(rows).html)
    assert "m. Of 80 test texts" in text
    assert "Countries" not in text.partition("How to read")[0].partition("What regions change")[2]


def test_tasks_have_tables_of_their_own_models():
    records = [classifier(model["name"], model["planted"]) for model in MODELS]
    rows = [number for model in MODELS for number in numbers(model=model["name"])]
    rows += [number | {"group": number["group"].replace("posts", "more")} for number in numbers(model="none")]
    page = part_of(rows, [task(records=records), task(records=records[:1], name="more")]).html
    assert len(table(page, "table-downstream-spread-posts")) == 2 * 3
    assert [cells[1] for cells in table(page, "table-downstream-spread-more")] == ["none (unbiased reference)"] * 2


@pytest.mark.slow
def test_panels_of_a_task_say_what_was_planted_in_its_texts():
    (drawn, _), classifiers = figure_toys.TOYS["map"](), [classifier("strong", 2.0), classifier("hub")]
    of_task = task(1.5, classifiers, "reviews", figure_toys.PREFIXES)
    rows = figure_toys.numbers().to_dict("records")
    text = part_of(rows, [of_task], drawn=pictures(downstream_map=drawn)).lead
    (panels,) = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    titles = [panel["title"] for panel in json.loads(panels)]
    of_texts = "reviews (texts with planted strength 1.5)"
    assert titles == [f"{of_texts}, {name}" for name in ("strong (planted, strength 2)", "hub")]
    assert f"{of_texts}, hub:" in text.partition('alt="World maps')[2]
