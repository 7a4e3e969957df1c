"""What the part on local group bias says, which follows from its numbers."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.downstream.example import REGIONS, row
from tests.metrics.parts import assert_part
from tests.reports import table, words

from herbarium.metrics.local_group_bias.numbers import CLUSTERS
from herbarium.metrics.local_group_bias.report import part
from herbarium.metrics.local_group_bias.section import LocalGroupBias
from herbarium.statistics.tidy import TIDY

NAMES = REGIONS.set_index("region")["name"].to_dict()
VERDICTS = [f"{which} is distinguishable from chance." for which in ("One of these", "Neither")]
VERDICTS += ["The test has no power."]
NO_CLUSTERS = pd.DataFrame(columns=CLUSTERS.fields.names)


def part_of(rows, clusters=NO_CLUSTERS, planted=None, has_sets=True, **settings):
    numbers = pd.DataFrame(rows).reindex(columns=TIDY.fields.names)
    section = LocalGroupBias(continents=["continent:SA"], **settings).model_dump(mode="json")
    return part.part(numbers, clusters, {"posts": planted}, NAMES, {"m": "m"}, has_sets, section)


def said(*known, **more):
    return words(f"<main>{assert_part(part_of(*known, **more), 'local_group_bias').html}</main>")


def local(p):
    def number_row(variant, estimate, p=np.nan):
        more = {"metric": "local_group_bias", "n": 160, "converged": True, "ci_low": np.nan, "ci_high": np.nan}
        group = "continent:SA against the rest"
        return row(variant, "comparison", group, estimate) | more | {"p_value": p / 2, "p_adjusted": p}

    rows = [number_row("n_clusters", 3), number_row("bcr", 1 / 3, p), number_row("bir", 0.25)]
    rows += [number_row("bias", 0.2), number_row("largest_gap", 0.2, 0.4)]
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
    ("p", "settings", "verdict"),
    [(0.01, {}, VERDICTS[0]), (0.6, {}, VERDICTS[1]), (0.6, {"permutations": 9}, VERDICTS[2])],
)
def test_local_group_bias_is_held_against_chance(p, settings, verdict):
    text = said(local(p), clusters(), **settings)
    assert [other for other in VERDICTS if other in text] == [verdict]
    # that of the share, and of the largest gap
    assert text.count("p cannot fall below 0.1 here") == (2 if settings else 0)


def test_a_content_warning_where_the_words_are_other_peoples():
    warning = "come from the texts of posts"
    assert warning in said(local(0.5), clusters())
    assert warning not in said(local(0.5), clusters(), planted=1.0)
    assert warning not in said(local(0.5))


def test_a_comparison_without_clusters():
    untested = {"p_value": np.nan, "p_adjusted": np.nan, "note": "no cluster has 20"}
    values = [0.0 if "n_clusters" in item["variant"] else np.nan for item in local(0.5)]
    page = part_of([item | untested | {"estimate": value} for item, value in zip(local(0.5), values, strict=True)])
    assert "(n = 160, exact): no number: no cluster has 20." in words(f"<main>{page.html}</main>")
    first = table(page.html, "table-local-group-bias-posts")[0]
    assert first[2:] == ["South America against the rest no cluster has 20", "160", "0", *"–" * 7]
    assert "table-local-group-bias-clusters" not in page.html


def test_the_seed_is_named_where_there_are_several():
    assert "Predictions are those of the first training set." in said(local(0.5))
    assert "first training set" not in said(local(0.5), has_sets=False)


def test_planted_texts_are_said_beside_the_model():
    page = part_of(local(0.6), planted=2.0)
    assert "<strong>m, posts (texts with planted strength 2), South America against the rest</strong>" in page.overview
    assert "posts (texts with planted strength 2): BCR and BIR" in " ".join(page.html.split())


@pytest.mark.parametrize(("comparison", "n_papers"), [("gender: Male, female", 1), ("gender: Male, other", 0)])
def test_the_paper_is_named_where_figures_are_about_the_same_groups(comparison, n_papers):
    """The page takes the name of the source of published figures from here."""
    papers = part_of([row | {"group": f"posts/{comparison}"} for row in local(0.01)]).papers
    assert [metric for metric, *_ in papers] == ["local_group_bias"] * n_papers
