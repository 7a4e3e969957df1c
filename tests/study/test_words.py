"""Which words drive a number: their ranks, and how far its mean moves without one; in a table, and on the page."""

import pandas as pd
import pytest

from herbarium.core import shared
from herbarium.page.drivers import by_part, drivers
from herbarium.report.part import Part, Tested
from herbarium.statistics.items import ITEMS
from herbarium.study import targets
from herbarium.study.words import GROUPS, SHOWN, WORDS, table

NAMES = {"country:BR": "Brazil", "country:NP": "Nepal"}


def items(*rows, model="m", metric="toy", measure="score"):
    """rows: object, word, form, value."""
    return pd.DataFrame([(model, metric, measure, *row) for row in rows], columns=ITEMS.fields.names)


CROSSED = items(
    *(
        (country, word, form, value + shift)
        for country, shift in (("country:BR", 0.0), ("country:NP", 10.0))
        for form in ("a", "b")
        for word, value in (("weak", 3.0), ("wise", 1.0), ("loud", -1.0))
    ),
    *(("country:XX", word, form, 2.0) for form in "ab" for word in ("weak", "wise", "loud")),
)


def test_words_are_ranked_over_forms_and_groups_and_groups_over_words():
    rows = table(CROSSED, NAMES)
    words, groups = (rows[rows["what"] == what] for what in (WORDS, GROUPS))
    assert words["name"].tolist() == ["weak", "wise", "loud"]
    assert words["value"].tolist() == pytest.approx([6, 14 / 3, 10 / 3])
    assert groups["name"].tolist() == ["Nepal", "country:XX", "Brazil"]
    assert groups["rank"].tolist() == [1, 2, 3]


def test_the_mean_without_one_word_by_hand():
    row = table(CROSSED, NAMES).iloc[0]
    assert (row["n"], row["mean"]) == (3, pytest.approx(14 / 3))
    assert (row["without_low"], row["without_high"]) == (pytest.approx(4), pytest.approx(16 / 3))


def test_of_many_words_both_ends_are_listed():
    many = items(*(("all", f"w{n:02}", "", float(n)) for n in range(30)))
    rows = table(many, {})
    assert rows["name"].tolist() == [f"w{n:02}" for n in (29, 28, 27, 26, 25, 4, 3, 2, 1, 0)]
    assert set(rows["measure"]) == {"score"}
    assert len(rows) == 2 * SHOWN


def test_words_of_one_group_each_are_ranked_within_it():
    nested = items(
        *((group, f"{group}{n}", "", n + shift) for group, shift in (("x", 0.0), ("y", 5.0)) for n in range(3))
    )
    rows = table(nested, {})
    assert rows.groupby("measure", sort=False)["name"].agg(list).to_dict() == {
        "score, x": ["x2", "x1", "x0"],
        "score, y": ["y2", "y1", "y0"],
    }


def test_each_measure_of_a_metric_has_its_own_words():
    values = (("weak", 3.0), ("wise", 1.0), ("loud", -1.0))
    both = [items(*(("all", word, "", sign * value) for word, value in values), measure=f"{sign}") for sign in (1, -1)]
    assert table(pd.concat(both), {})["name"].tolist() == ["weak", "wise", "loud", "loud", "wise", "weak"]


@pytest.mark.parametrize(
    "nothing",
    [
        items(*(("all", word, "", value) for word, value in (("a", 100.0), ("b", 0.0), ("c", 100.0)))),  # a share
        items(*(("all", str(n), "", float(n)) for n in range(4))),  # numbers of texts
        items(("all", "alone", "", 1.0)),
        items(),
    ],
)
def test_where_no_word_stands_out_none_is_listed(nothing):
    assert table(nothing, {}).empty


def test_the_page_lists_measured_models_first_and_each_word_once():
    both = pd.concat(
        [
            items(*(("all", word, "", value) for word, value in (("a", 3.0), ("b", 2.0), ("c", 1.0))), model=model)
            for model in ("planted", "real")
        ]
    )
    models = [{"name": "real", "planted": None}, {"name": "planted", "planted": 2.0}]
    part = Part("toys", "Toys", [("toys", "Toys")], "", "", "", [Tested("toy", "Toy", "toys")], models)
    page = drivers(by_part(table(both, {}), [part]), [part]).html
    assert page.index('data-model="real"') < page.index('data-model="planted"')
    row = page.partition('data-model="real"')[2].partition("</tr>")[0]
    assert [row.count(f"{word}&nbsp;") for word in "abc"] == [1, 1, 1]
    assert 'id="words-toys"' in page


def test_names_of_regions_are_read_only_where_they_are_needed():
    assert targets.regions_of(["<work>/items/herb/m.parquet"]) == shared.REGIONS
    assert targets.regions_of(["<work>/items/crows_pairs/m.parquet"]) == []
