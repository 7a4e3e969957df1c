"""The part on local group bias: its numbers are those of the tables, its claims follow from them."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.downstream.example import REGIONS, row
from tests.metrics.downstream.test_report import one_line
from tests.metrics.parts import assert_part
from tests.reports import table, words

from herbarium.metrics.local_group_bias.numbers import CLUSTERS
from herbarium.metrics.local_group_bias.report import part
from herbarium.metrics.local_group_bias.section import LocalGroupBias
from herbarium.page import build
from herbarium.statistics.tidy import TIDY

NAMES = REGIONS.set_index("region")["name"].to_dict()
COMPARED = {"continents": ["continent:SA"]}
NO_CLUSTERS = pd.DataFrame(columns=CLUSTERS.fields.names)


def written(rows, clusters=NO_CLUSTERS, planted=None, has_sets=True, settings=None):
    numbers = pd.DataFrame(rows).reindex(columns=TIDY.fields.names)
    settings = settings or LocalGroupBias(**COMPARED).model_dump(mode="json")
    return assert_part(
        part.part(numbers, clusters, {"posts": planted}, NAMES, {"m": "m"}, has_sets, settings), "local_group_bias"
    )


def page(*known, **more):
    return build.build([written(*known, **more)], [], {"seed": 1}, {"libraries": {"numpy": "2.9"}})


def local(p):
    def number_row(variant, estimate, p=np.nan):
        more = {"metric": "local_group_bias", "n": 160, "converged": True, "ci_low": np.nan, "ci_high": np.nan}
        group = "continent:SA against the rest"
        return row(variant, "comparison", group, estimate) | more | {"p_value": p / 2, "p_adjusted": p}

    rows = [
        number_row("n_clusters", 3),
        number_row("bcr", 1 / 3, p),
        number_row("bir", 0.25),
        number_row("bias", 0.2),
        number_row("largest_gap", 0.2, 0.4),
    ]
    rows += [item | {"variant": f"{item['variant']}_k_means"} for item in rows]
    rows += [number_row("inertia_ratio", 1.05)]
    return [*rows, *(one | {"definition": "released"} for one in rows)]


def clusters():
    place = {"model": "m", "task": "posts", "comparison": "continent:SA against the rest"}
    rows = [
        place | {"method": method, "cluster": i, "n_0": 30, "n_1": 1020, "gap": gap, "words": top_words}
        for method in ("exact", "published")
        for i, (gap, top_words) in enumerate([(-0.2, "cat <mat>"), (0.1, None), (0.05, "a"), (0.01, "b")])
    ]
    return pd.DataFrame(rows).assign(accuracy_0=0.9, accuracy_1=0.7).reindex(columns=CLUSTERS.fields.names)


@pytest.mark.parametrize(
    ("p", "verdict"),
    [
        (0.01, "One of these is distinguishable from chance."),
        (0.6, "Neither is distinguishable from chance."),
    ],
)
def test_local_group_bias_is_held_against_chance(p, verdict):
    text = page(local(p), clusters())
    assert (
        "posts, m, South America against the rest (n = 160, exact): 33.3 % of 3 clusters have a gap "
        f"(adjusted p = {p}); the largest is 20 points (adjusted p = 0.4). {verdict}"
    ) in words(text)
    rows = table(text, "table-local-group-bias-posts")
    place, values = ["m", "South America against the rest"], ["160", "3", "33.3", str(p), "25", "20", "20", "0.4"]
    assert rows == [
        ["LOGAN, exact", *place, *values, "1.05"],
        ["K-Means, for comparison", *place, *values, "–"],
        ["LOGAN, published", *place, *values, "1.05"],
        ["K-Means, for comparison", *place, *values, "–"],
    ]
    assert table(text, "table-local-group-bias-clusters-posts") == [
        [*place, "30, 1,020", "90, 70", gap, side] for gap, side in (("−20", "cat <mat>"), ("10", "–"), ("5", "a"))
    ]


def test_a_content_warning_where_the_words_are_other_peoples():
    warning = "come from the texts of posts"
    assert warning in words(page(local(0.5), clusters()))
    assert warning not in words(page(local(0.5), clusters(), planted=1.0))
    assert warning not in words(page(local(0.5)))


def test_a_comparison_without_clusters():
    untested = {"p_value": np.nan, "p_adjusted": np.nan, "note": "no cluster has 20"}
    empty = [
        row_of_numbers | untested | {"estimate": 0.0 if "n_clusters" in row_of_numbers["variant"] else np.nan}
        for row_of_numbers in local(0.5)
    ]
    text = page(empty)
    assert "(n = 160, exact): no number: no cluster has 20." in words(text)
    first = table(text, "table-local-group-bias-posts")[0]
    assert first[2:] == ["South America against the rest no cluster has 20", "160", "0", *"–" * 7]
    assert "table-local-group-bias-clusters" not in text


def test_the_seed_is_named_where_there_are_several():
    assert "Predictions are those of the first training set." in words(page(local(0.5)))
    assert "first training set" not in words(page(local(0.5), has_sets=False))


def test_the_overview_has_the_largest_gap():
    message = "m, posts, South America against the rest: 20, adjusted p = 0.4."
    assert message in one_line(written(local(0.01)).overview)


def test_what_the_part_says_of_itself():
    page_part = written(local(0.5))
    assert page_part.sections == [("local-group-bias", "Local group bias")]
    assert '<h2 id="local-group-bias">' in page_part.html
    (tested,) = page_part.tested
    assert (tested.metric, tested.section, tested.family) == ("local_group_bias", "local-group-bias", part._FAMILY)
    assert one_line(page_part.limits).startswith("Local group bias: clusters are chosen for their gaps")


def test_no_text_becomes_markup(hostile):
    hostile(page(local(0.5), clusters()))


def test_with_too_few_permutations_nothing_is_said_of_chance():
    few = LocalGroupBias(permutations=9, **COMPARED).model_dump(mode="json")
    text = page(local(0.6), clusters(), settings=few)
    assert words(text).count("p cannot fall below 0.1 here") == 3  # that of the share, and of the largest gap
    assert "The test has no power." in words(text)
    assert "Neither is distinguishable from chance." not in words(text)


def test_planted_texts_are_said_beside_the_model():
    page_part = written(local(0.6), planted=2.0)
    assert (
        "<strong>m, posts (texts with planted strength 2), South America against the rest</strong>"
        in page_part.overview
    )
    assert "posts (texts with planted strength 2): BCR and BIR" in " ".join(page_part.html.split())
