"""The part on intrinsic against extrinsic measures: its numbers are those of tables, its claims follow from them."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
from tests.metrics.downstream.example import row
from tests.metrics.downstream.test_report import one_line
from tests.metrics.parts import assert_part
from tests.reports import pictures_of, table, words

from herbarium.metrics.propagation.figures import scatter
from herbarium.metrics.propagation.report import part
from herbarium.metrics.propagation.section import Propagation
from herbarium.page import build
from herbarium.statistics.tidy import TIDY

SETTINGS = Propagation().model_dump(mode="json")


def written(rows, pictures=(), tasks=("posts",), labels=(("m", "m"),), planted=()):
    numbers = pd.DataFrame(rows).reindex(columns=TIDY.fields.names).assign(metric="propagation")
    return assert_part(
        part.part(numbers, dict.fromkeys(tasks) | dict(planted), dict(labels), dict(pictures), SETTINGS), "propagation"
    )


def page(rows, **more):
    return build.build([written(rows, **more)], [], {"seed": 1}, {"libraries": {"numpy": "2.9"}})


def test_a_task_with_planted_texts_says_so_wherever_it_is_named():
    rows = [row("within_given_effect", "country", "C_w", 0.2, 0.1, 0.4)]
    planted = [("posts", 2.0)]
    assert "posts (texts with planted strength 2), m." in words(page(rows, planted=planted))
    assert "m, posts (texts with planted strength 2)</strong>:" in written(rows, planted=planted).overview
    assert "planted strength" not in words(page(rows))


def test_correlations_over_countries_and_models():
    def of_country(variant, group, r, p, **more):
        return row(variant, "country", group, r, 0.1, p, **more)

    rows = [of_country(correlation, "C_w", 0.2, 0.4) for correlation in part.CORRELATIONS]
    bare = {"ci_low": np.nan, "ci_high": np.nan}
    rows += [of_country("reliability_measure", "C_w", 0.8, np.nan) | bare]
    rows += [of_country("reliability_effect", "C_w", np.nan, np.nan, note="one training set")]
    rows += [of_country("within_given_effect", "f/body", -0.5, 0.01), of_country("mantel", "v", 0.3, 0.001)]
    rows += [of_country("within_given_effect", "f/mind", np.nan, np.nan, note="no correlation: one side is constant")]
    bare = {"ci_low": np.nan, "ci_high": np.nan, "model": "all models", "n": 4, "note": "the least possible p is 0.083"}
    over = [
        row(f"spearman_{name}", "model", "C_w", 1.0, p=0.083) | bare for name in ("absolute_effect", "label_change")
    ]
    text = page([*rows, *over])
    assert (
        "posts, m. 2 of 6 correlations are significant after adjustment: "
        "f/body with effect, within continents, given the name −0.500 (−0.600 to −0.400), "
        "adjusted p = 0.01, n = 80; distances of descriptive vectors 0.300 (0.200 to 0.400), adjusted p = 0.001, n = 80"
    ) in words(text)
    rows = table(text, "table-propagation-countries-posts")
    assert rows[0] == ["C_w", "m", "80", *["0.200 0.100 to 0.300 p 0.4"] * 4, "0.800", "– one training set", "–"]
    assert rows[2] == ["f/mind", "m", "80", "– no correlation: one side is constant", *["–"] * 6]
    of_topics = re.findall(r'data-topic="(.*?)"><th scope="row">(.*?)<', text)
    assert of_topics == [("body", "f/body"), ("mind", "f/mind")]
    assert table(text, "table-propagation-mantel-posts") == [["m", "80", "0.300 0.200 to 0.400", "0.001", ""]]
    assert table(text, "table-propagation-models") == [
        ["posts", "C_w", "4", *["1.000 p cannot fall below 0.083 here"] * 2, "the least possible p is 0.083"]
    ]
    assert "A ranking of few models proves little" in words(text)


def test_none_of_the_correlations_and_none_at_all():
    correlation_row = row("within_given_effect", "country", "C_w", 0.1, p=0.9)
    assert "None of 1 correlations is significant after adjustment." in words(page([correlation_row]))


def test_correlations_over_fewer_than_three_models_are_not_shown():
    rows = [
        row(f"spearman_{name}", "model", "C_w", np.nan, np.nan, model="all models", n=2)
        for name in ("absolute_effect", "label_change")
    ]
    text = page(rows)
    assert "1 of 1 scores were measured in fewer than five of the models" in words(text)
    assert "table-propagation-models" not in text


def test_models_are_in_the_order_of_their_labels():
    rows = [row("spearman_effect", "country", "C_w", 0.1, p=0.9, model=model) for model in ("strong", "none")]
    labels = [("none", "none (unbiased reference)"), ("strong", "strong (planted, strength 2)")]
    shown = table(page(rows, labels=labels), "table-propagation-countries-posts")
    assert [cells[1] for cells in shown] == ["none (unbiased reference)", "strong (planted, strength 2)"]


def test_the_overview_has_the_correlation_of_countries():
    rows = [
        row("within_given_effect", "country", group, r, 0.1, p=0.4) for group, r in (("C_w", 0.2), ("C_w_leaves", 0.3))
    ]
    assert "m, posts: 0.300 (0.200 to 0.400), adjusted p = 0.4." in one_line(written(rows).overview)
    over = [row("spearman_absolute_effect", "model", "C_w", 1.0, p=0.083, model="all models", n=4)]
    assert written(over).overview.strip() == ""


def test_what_the_part_says_of_itself():
    page_part = written([row("within_given_effect", "country", "C_w", 0.1, p=0.9)])
    assert page_part.sections == [("propagation", "Propagation")]
    assert '<h2 id="propagation">' in page_part.html
    assert (page_part.tested[0].metric, page_part.tested[0].correction) == ("propagation", "fdr_bh")
    assert one_line(page_part.limits).startswith("Propagation: a correlation within continents")


def test_a_figure_is_shown_where_there_is_a_picture(tmp_path, monkeypatch):
    table_of = pd.DataFrame([{"task": "posts", "model": "m", "name": "Peru"}], columns=scatter.COLUMNS)
    told = SimpleNamespace(
        describe=lambda table, numbers: f"{table['task'].item()} and {len(numbers)} numbers",
        panels=lambda table, *numbers: [],
        MEASURES=scatter.MEASURES,
    )
    monkeypatch.setattr(part, "scatter", told)
    correlation_row = row("within_given_effect", "country", "C_w", 0.1, p=0.9)
    assert 'alt="posts and 1 numbers"' in page(
        [correlation_row], pictures=pictures_of({part.FIGURE: table_of}, tmp_path)
    )
    assert "<img " not in page([correlation_row])


def test_no_text_becomes_markup(hostile):
    hostile(page([row("within_given_effect", "country", "C_w", 0.1, p=0.9)]))
