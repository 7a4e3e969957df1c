"""The part on intrinsic against extrinsic measures: its numbers are those of tables, its claims follow from them."""

import re

import numpy as np
import pandas as pd
from tests.metrics.downstream.example import row
from tests.metrics.parts import assert_part
from tests.reports import table, words

from herbarium.metrics.propagation.report import part
from herbarium.metrics.propagation.section import Propagation
from herbarium.page import build
from herbarium.statistics.tidy import TIDY

SETTINGS = Propagation().model_dump(mode="json")


def part_of(rows, pictures=(), tasks=("posts",), labels=(("m", "m"),), planted=()):
    numbers = pd.DataFrame(rows).reindex(columns=TIDY.fields.names).assign(metric="propagation")
    return part.part(numbers, dict.fromkeys(tasks) | dict(planted), dict(labels), dict(pictures), SETTINGS)


def written(rows, *known, **more):
    return assert_part(part_of(rows, *known, **more), "propagation")


def everything():
    """Correlations over countries and over four models."""

    def of_country(variant, group, r, p, **more):
        return row(variant, "country", group, r, 0.1, p, **more)

    bare, lost = {"ci_low": np.nan, "ci_high": np.nan}, (np.nan, np.nan)
    rows = [of_country(correlation, "C_w", 0.2, 0.4) for correlation in part.CORRELATIONS]
    rows += [of_country("reliability_measure", "C_w", 0.8, np.nan) | bare]
    rows += [of_country("reliability_effect", "C_w", *lost, note="one training set")]
    rows += [of_country("within_given_effect", "f/body", -0.5, 0.01), of_country("mantel", "v", 0.3, 0.001)]
    rows += [of_country("within_given_effect", "f/mind", *lost, note="no correlation: one side is constant")]
    over = bare | {"model": "all models", "n": 4, "note": "the least possible p is 0.083"}
    sides = ("absolute_effect", "label_change")
    return rows + [row(f"spearman_{name}", "model", "C_w", 1.0, p=0.083) | over for name in sides]


def test_what_is_significant_is_counted_and_topics_are_told():
    text = page(everything())
    assert "posts, m. 2 of 6 correlations are significant after adjustment: " in words(text)
    of_topics = re.findall(r'data-topic="(.*?)"><th scope="row">(.*?)<', text)
    assert of_topics == [("body", "f/body"), ("mind", "f/mind")]
    one = page([row("within_given_effect", "country", "C_w", 0.1, p=0.9)])
    assert "None of 1 correlations is significant after adjustment." in words(one)
    few = [{**item, "estimate": np.nan, "p_value": np.nan, "n": 2} for item in everything()[-2:]]
    assert "1 of 1 scores were measured in fewer than five of the models" in words(page(few))
    assert "table-propagation-models" not in page(few)
    assert written(everything()[-2:]).overview.strip() == ""  # which has correlations over countries alone


def page(rows, **more):
    return build.build([written(rows, **more)], [], {"seed": 1}, {"libraries": {"numpy": "2.9"}})


def test_a_task_with_planted_texts_says_so_wherever_it_is_named():
    rows = [row("within_given_effect", "country", "C_w", 0.2, 0.1, 0.4)]
    planted = [("posts", 2.0)]
    assert "posts (texts with planted strength 2), m." in words(page(rows, planted=planted))
    assert "m, posts (texts with planted strength 2)</strong>:" in written(rows, planted=planted).overview
    assert "planted strength" not in words(page(rows))


def test_models_are_in_the_order_of_their_labels():
    rows = [row("spearman_effect", "country", "C_w", 0.1, p=0.9, model=model) for model in ("strong", "none")]
    labels = [("none", "none (unbiased reference)"), ("strong", "strong (planted, strength 2)")]
    shown = table(page(rows, labels=labels), "table-propagation-countries-posts")
    assert [cells[1] for cells in shown] == [label for _, label in labels]


def test_the_overview_has_the_correlation_of_countries_without_sub_regions_where_there_are_some():
    numbers = (("C_w", 0.2), ("C_w_leaves", 0.3))
    rows = [row("within_given_effect", "country", group, r, 0.1, p=0.4) for group, r in numbers]
    overview = words(f"<main>{written(rows).overview}</main>")
    assert "m, posts: 0.300 (0.200 to 0.400), adjusted p = 0.4." in overview
