"""The report on downstream tasks: its numbers are those of the tables, its claims follow from them."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.downstream import toy
from tests.metrics.parts import assert_part
from tests.reports import assert_numbers_are_in, pictures_of, table, words

from herbarium.metrics.downstream import numbers as downstream_table
from herbarium.metrics.downstream import own_groups
from herbarium.metrics.downstream import published as downstream_published
from herbarium.metrics.downstream.figures import map as downstream_map
from herbarium.metrics.downstream.report import part
from herbarium.metrics.downstream.section import Downstream
from herbarium.page import build
from herbarium.report.part import from_record
from herbarium.report.tasks import ABSENT
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
    return part.Task(name, header, prefixes, [classifier()] if records is None else records)


def one_line(html):
    """What is said, as one line."""
    text = " ".join(re.sub(r"<[^>]*>", " ", html.replace("&nbsp;", " ")).split())
    return re.sub(r" ([.,:;])", r"\1", text)


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
        rows += [row(gap, "all", unit, 0.25, np.nan) for gap in part.GAPS]
    rows += [row(f"{gap}_rarefied", "all", "country", 0.2, np.nan) for gap in part.GAPS]
    rows += [row(gap, "all", "continent", 0.15, np.nan) for gap in part.GAPS]
    for country_code, (excess, p) in zip(COUNTRIES, ((0.2, 0.001), (0.01, 0.5), (-0.1, 0.01), (0.0, 0.9)), strict=True):
        rows += [row("excess", "country", f"country:{country_code}", excess, p=p)]
        rows += [row("effect", "country", f"country:{country_code}", excess / 4)]
        rows += [row("label_effect", "country", f"country:{country_code}", excess / 2)]
    rows += [
        row("excess", "nonsense", f"nonsense:{nonsense_name}", 0.05, np.nan) for nonsense_name in ("Bly", "Ozz", "Quo")
    ]
    rows += [row("excess_spread", "all", "country", *spread, note="4 names and 3 made up")]
    return [number | {"model": model} for number in [*rows, *more] if number["variant"] not in without]


def written(summary=None, tasks=None, tables=(), pictures=(), **settings):
    tasks = tasks or [task()]
    summary = pd.DataFrame(numbers() if summary is None else summary).reindex(columns=TIDY.fields.names)
    values = section(**settings)
    values["tasks"] = {one.name: values["tasks"]["posts"] for one in tasks}
    return assert_part(
        part.part(summary, tasks, REGIONS, NO_TABLES | dict(tables), dict(pictures), values), "downstream"
    )


def page(summary=None, tasks=None, tables=(), pictures=(), models=(), **settings):
    page_part = written(summary, tasks, tables, pictures, **settings)
    return build.build([page_part], [*page_part.models, *models], {"seed": 1}, {"libraries": {"numpy": "2.9"}})


# --- what was done ---


def test_texts_prefixes_and_what_was_left_out():
    text = page()
    assert table(text, "table-downstream-texts") == [
        ["posts", "data/posts.csv", "1,200 + 300", "120 + 30", "60 + 20", "2", "5"]
    ]
    assert "posts: left out were texts with the labels relation 7, idk/skip 3; 1,000 rows in no split" in words(text)
    assert table(text, "table-downstream-prefixes") == [
        ["posts", "I am from [region].", "4 Peru, Chile, Fiji …", "2 here, there", "3 Bly, Ozz, Quo"]
    ]


def test_classifiers_say_how_they_were_trained_or_that_they_are_published():
    text = page(tasks=[task(records=[classifier(), classifier(number=2), PUBLISHED])])
    first, second, published = table(text, "table-downstream-classifiers")
    numbers_of = ["1 of 3 stopped early", "5 of 10", "0.5, 75\xa0%", "float32"]
    shown = "bfloat16 bfloat16 changes log-odds by at most 0.012, 0.001 on average"
    assert first == ["posts", "m", "1", *numbers_of, shown, "64", "a" * 12]
    assert second[2] == "2"
    assert published[:7] == ["posts", "pub", f"published a/b {'c' * 12}", "–", "–", "–", "–"]
    shown_text = words(text)
    assert "Each model is fine-tuned 3 times, each time on a different part of the training texts" in shown_text
    assert "A published classifier is used as it is" in shown_text


def test_models_that_were_fine_tuned_are_among_those_of_the_page():
    bases = part.bases([task(records=[classifier("strong", 2.0), classifier("strong", 2.0, number=2), PUBLISHED])])
    assert [base["name"] for base in bases] == ["strong"]
    assert "strong (planted, strength 2)" in page(
        summary=numbers(model="strong"), tasks=[task(records=[classifier("strong", 2.0)])]
    )


# --- findings ---


def test_a_finding_has_its_intervals_and_what_it_is_against():
    text = words(page())
    assert (
        "m. Countries differ more than made-up names do: the excess spread of 4 countries over 3 made-up names is "
        "0.800 (0.500 to 1.100) log-odds."
    ) in text
    assert (
        "Of 80 test texts, 80.0 % (75.0 to 85.0) are labelled correctly; macro-F1 is 75.0 % (70.0 to 80.0). Over "
        "training sets, their standard deviations are 2.00 and 2.00 points. With a country before the text, they are "
        "70.0 % (69.0 to 71.0) and 65.0 % (64.0 to 66.0)."
    ) in text
    assert (
        "With a country, 3.00 % (2.00 to 4.00) of the labels turn positive and 4.00 % (3.00 to 5.00) negative; with a "
        "made-up name, 2.00 % (1.00 to 3.00) and 4.00 % (3.00 to 5.00)."
    ) in text
    assert (
        "Largest excess: Peru, 0.200 (0.190 to 0.210) log-odds, adjusted p = 0.001; smallest: "
        "Fiji, −0.100 (−0.110 to −0.090), adjusted p = 0.01. Of 4 countries, 2 are distinguishable from made-up names "
        "before adjustment (0 expected by chance), 2 after it (1 above, 1 below)."
    ) in text
    assert (
        "Largest minus smallest share of positive labels: 15.0 points of 2 continents; 25.0 of 4 countries, 20.0 "
        "of 3 of them on average; 25.0 of 3 made-up names."
    ) in text


@pytest.mark.parametrize(
    ("spread", "message"),
    [
        ((0.8, 0.3), "Countries differ more than made-up names do: "),
        ((0.8, 0.9), "Countries are not distinguishable from made-up names: "),
        ((-0.3, 0.1), "Countries are not distinguishable from made-up names: "),
        ((0.8, np.nan), "made-up names do is not known (4 names and 3 made up)."),
        ((np.nan, np.nan), "made-up names do is not known"),
    ],
)
def test_countries_differ_more_only_where_the_interval_lies_above_0(spread, message):
    assert message in words(page(numbers(spread=spread)))


def test_without_intervals_nothing_is_concluded():
    rows = [number | {"ci_low": np.nan, "ci_high": np.nan} for number in numbers()]
    text = page(rows, bootstrap={"replicates": 0, "level": 0.95})
    shown_text = words(text)
    assert "draws no conclusions" in shown_text
    assert (
        "distinguishable" not in shown_text.partition("How to read")[0].partition("findings")[2].partition("numbers")[0]
    )
    assert table(text, "table-downstream-accuracy-posts")[0][2] == "80.0 SD 2.00"


def test_tables_have_the_numbers_of_the_summary():
    text = page()
    accuracy = table(text, "table-downstream-accuracy-posts")
    assert [cells[0] for cells in accuracy] == ["no prefix", "countries", "controls", "made-up names"]
    assert accuracy[0][1:] == ["m", "80.0 75.0 to 85.0 SD 2.00", "75.0 70.0 to 80.0 SD 2.00", "–", "–", ""]
    assert table(text, "table-downstream-spread-posts") == [
        ["countries", "m", "4", *["5.00 4.00 to 6.00"] * 3, "0.800 0.500 to 1.100", "2 of 4"],
        ["made-up names", "m", "3", *["5.00 4.00 to 6.00"] * 3, "–", "–"],
    ]
    ends = table(text, "table-downstream-ends-posts")
    assert [end[1] for end in ends] == ["Peru", "Chile", "Tonga", "Fiji"]
    shown = ["0.200 0.190 to 0.210", "0.001", "5.00 4.00 to 6.00", "–", "10.0 9.0 to 11.0"]
    assert ends[0] == ["m", "Peru", "South America", *shown]
    gaps = table(text, "table-downstream-gaps-posts")
    assert [gap[:4] for gap in gaps] == [
        ["continents", "m", "2", "15.0"],
        ["countries", "m", "4", "25.0"],
        ["3 of the countries, on average", "m", "3", "20.0"],
        ["made-up names", "m", "3", "25.0"],
    ]


def test_groups_of_texts_stand_beside_each_other_with_their_differences():
    groups = [
        row(rate, "text_group", group, estimate)
        for group, estimate in (("writer: A", 0.8), ("writer: B", 0.7))
        for rate in own_groups.RATES
    ]
    pair = [row(f"{rate}_difference", "text_groups", "writer: A, B", -0.1, p=0.02) for rate in own_groups.RATES]
    text = page(numbers(*groups, *pair))
    rows = table(text, "table-downstream-text-groups-posts")
    assert [line[0] for line in rows] == ["writer: A", "writer: B", "writer: A, B"]
    assert rows[0][3].startswith("80")
    assert rows[2][3].startswith("−10")
    assert "p 0.02" in rows[2][3]
    assert "table-downstream-text-groups" not in page()


def test_of_many_countries_the_ends_are_shown():
    base = {("excess", "country", f"country:{i}"): ABSENT | {"estimate": i / 100} for i in range(30)}
    shown = part.ends(base, {}, {}, "m")
    assert [shown_row["name"].removeprefix("country:") for shown_row in shown] == [
        *map(str, range(29, 24, -1)),
        *map(str, range(4, -1, -1)),
    ]


def test_measured_numbers_make_a_whole_page():
    random = np.random.default_rng(0)
    log_odds, label = random.normal(size=(1, len(PREFIXES), 80)), np.arange(80) % 2
    log_odds[:, PREFIXES["continent"].eq("continent:OC")] += 1.5
    bootstrap, tests = {"replicates": 60, "level": 0.95}, {"correction": "fdr_bh"}
    cut = np.zeros(len(PREFIXES), int)
    measured = downstream_table.measure("m", "posts", log_odds, label, PREFIXES, cut, bootstrap, tests, 1)
    text = page(measured)
    assert_numbers_are_in(measured, text)
    is_accuracy = (measured["variant"] == "accuracy") & (measured["unit"] == "original")
    accuracy = 100 * measured.loc[is_accuracy, "estimate"].item()
    first = table(text, "table-downstream-accuracy-posts")[0]
    assert first[2].startswith(f"{accuracy:.1f} ")
    assert first[-1] == "one training set"
    assert "Over training sets" not in words(text)
    assert {cells[1] for cells in table(text, "table-downstream-ends-posts")[:2]} == {"Fiji", "Tonga"}


# --- published, planted ---


def test_published_figures_stand_beside_ours():
    figure = {"model": "m", "task": "imdb", "line": "original", "measure": "Acc.", "published": 0.93, "paper": 0.9}
    figure |= {"paper_low": 0.88, "paper_high": 0.92, "difference": -0.03, "n": 80, "note": None, "doubt": "a slip"}
    other = {"measure": "Quantity↑", "published": 12.0, "difference": np.nan, "note": "of 80 texts", "doubt": ""}
    rows = pd.DataFrame([figure, figure | other])
    text = page(tables={"table4": rows, "table5": rows[:1].assign(published=np.nan, difference=np.nan, doubt="")})
    assert table(text, "table-downstream-4") == [
        [
            *("m", "imdb", "original", "0.900 0.880 to 0.920 printed 0.93, Δ −0.0300 n 80"),
            "0.900 0.880 to 0.920 printed 12 n 80 of 80 texts",
        ]
    ]
    assert "original, Acc.: a slip" in words(text)
    assert table(text, "table-downstream-5") == [["m", "original", "0.900 0.880 to 0.920 not printed n 80"]]
    assert "downstream-published" not in page()


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
    text = page(numbers(*rows), [task(planted=strength)])
    shown = table(text, "table-downstream-planted")[0]
    assert shown[:4] == ["posts", "m", f"{strength:g}", "4"]
    assert shown[4].startswith("0.800")
    assert shown[6] == result
    assert f"posts (texts with planted strength {strength:g})" in words(text)
    assert "table-downstream-planted" not in page(tasks=[task(planted=strength)])


# --- small studies ---


def test_published_classifiers_alone_are_a_whole_page():
    text = page(
        numbers(model="pub", without=[f"{measure}_between_sets" for measure in ("accuracy", "macro_f1")]),
        [task(records=[PUBLISHED])],
    )
    shown_text = words(text)
    assert "pub. Countries differ more" in shown_text
    assert "Each model is fine-tuned" not in shown_text
    assert "Over training sets" not in shown_text


def test_a_task_without_countries_says_nothing_of_them():
    rows = [number for number in numbers() if "country" not in (number["unit"], number["group"].removeprefix("posts/"))]
    text = words(page(rows))
    assert "m. Of 80 test texts" in text
    assert "Countries" not in text.partition("How to read")[0].partition("findings")[2]


def test_two_tasks_and_planted_models_in_order():
    names = (("strong", 2.0), ("none", 0.0), ("<b>real</b>", None))
    records = [classifier(name, planted) for name, planted in names]
    rows = [number for name, _ in names for number in numbers(model=name)]
    rows += [number | {"group": number["group"].replace("posts", "more")} for number in numbers(model="none")]
    text = page(rows, [task(records=records), task(records=records[1:2], name="more")])
    models = [cells[1] for cells in table(text, "table-downstream-spread-posts")]
    assert models == ["none (unbiased reference)"] * 2 + ["strong (planted, strength 2)"] * 2 + ["<b>real</b>"] * 2
    assert [cells[1] for cells in table(text, "table-downstream-spread-more")] == ["none (unbiased reference)"] * 2
    assert "<b>real</b>" not in text


def test_a_figure_is_shown_where_there_is_a_picture(tmp_path, monkeypatch):
    row_of = {"task": "posts", "model": "m", "name": "Peru", "has_polygon": False}
    table_of = pd.DataFrame([row_of], columns=downstream_map.COLUMNS)
    pictures = pictures_of({f"downstream_{name}": table_of for name in part.FIGURES}, tmp_path)
    told = SimpleNamespace(
        describe=lambda table, *numbers: f"{table['task'].item()} and {len(numbers)} more",
        panels=lambda table, *numbers: [],
    )
    monkeypatch.setattr(part, "FIGURES", dict.fromkeys(part.FIGURES, told))
    text = page(pictures={"downstream_map": pictures["downstream_map"]})
    assert text.count("<img ") == 1
    assert 'alt="posts and 0 more"' in text
    planted = [row("planted_spearman", "all", "country", 0.8)]
    text = page(numbers(*planted), [task(planted=1.0)], pictures=pictures)
    assert 'alt="posts (texts with planted strength 1) and 1 more"' in text


# --- what the whole page takes from it ---


def test_the_overview_has_a_line_a_model():
    text = one_line(written().overview)
    assert "m, posts: 0.800 (0.500 to 1.100): more than made-up names do." in text
    text = one_line(written(numbers(spread=(0.8, 2.0)), [task(planted=2.0)]).overview)
    assert "m, posts (texts with planted strength 2):" in text
    assert "not distinguishable from made-up names." in text
    assert "not known (4 names and 3 made up)." in one_line(written(numbers(spread=(0.8, np.nan))).overview)


def test_what_the_part_says_of_itself():
    page_part = written()
    assert [section for section, _ in page_part.sections] == ["downstream", "downstream-findings", "downstream-reading"]
    assert all(f'<h2 id="{section}">' in page_part.html for section, _ in page_part.sections)
    (tested,) = page_part.tested
    assert (tested.metric, tested.section, tested.correction) == ("downstream", "downstream-findings", "fdr_bh")
    assert [paper[0] for paper in page_part.papers] == ["downstream"]
    assert one_line(page_part.limits).startswith("Downstream tasks: an excess is the effect of a name")
    assert from_record(json.loads(json.dumps(page_part._asdict()))).tested == page_part.tested


def test_no_text_becomes_markup(hostile):
    hostile(page())


def test_texts_with_a_planted_bias_are_said_to_have_it_beside_every_model():
    records = [classifier("none", 0.0)]
    page_part = written([number | {"model": "none"} for number in numbers()], [task(planted=2.0, records=records)])
    both = "none (unbiased reference), posts (texts with planted strength 2)"
    assert f"<strong>{both}</strong>" in page_part.overview
    text = one_line(page_part.html)
    assert "posts (texts with planted strength 2): accuracy and macro-F1" in text
    assert "posts (texts with planted strength 2): effects of these classifiers in points" in text
    untouched = one_line(written().html)
    assert "texts with planted strength" not in untouched


def test_panels_of_a_task_say_what_was_planted_in_its_texts(tmp_path):
    of_numbers = toy.numbers_of()
    tables = {"downstream_map": downstream_map.table(of_numbers, toy.PREFIXES, toy.WHERE, toy.GEOJSON)}
    classifiers = [classifier(model, planted) for model, planted in toy.MODELS.items()]
    tasks = [task(planted, classifiers, name, toy.PREFIXES[name]) for name, planted in toy.STRENGTHS.items()]
    text = written(of_numbers.to_dict("records"), tasks, pictures=pictures_of(tables, tmp_path)).lead
    (panels,) = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    titles = [panel["title"] for panel in json.loads(panels)]
    assert "reviews (texts with planted strength 1.5), none (unbiased reference)" in titles
    assert all("texts with planted strength" in title for title in titles)
    assert (
        "reviews (texts with planted strength 1.5), none (unbiased reference):" in text.partition('alt="World maps')[2]
    )
