"""Which regions texts name: by hand."""

import pandas as pd

from herbarium.regions import mentions

REGIONS = pd.DataFrame(
    [
        ("earth", None, "Earth", None),
        ("continent:AF", "earth", "Africa", None),
        ("continent:OC", "earth", "Oceania", None),
        ("country:GN", "continent:AF", "Guinea", "GN"),
        ("country:NE", "continent:AF", "Niger", "NE"),
        ("country:PG", "continent:OC", "Papua New Guinea", "PG"),
        ("country:GW", "continent:AF", "Guinea-Bissau", "GW"),
        ("city:1", "country:NE", "Niamey", None),
    ],
    columns=["region", "parent", "name", "iso2"],
)
TEXTS = [
    "People in Guinea are kind.",
    "Papua New Guinea, then Niger; Niger again.",
    "Nigeria and niger, Niamey.",
    "All of Africa.",
    "Guinea-Bissau.",
]


def test_countries_by_name_the_longest_first():
    assert mentions.groups(REGIONS, "country")["region"].tolist() == [
        *("country:GN", "country:NE", "country:PG", "country:GW")
    ]
    assert mentions.named(TEXTS, REGIONS, "country").tolist() == [[0, 0], [1, 1], [1, 2], [4, 3]]


def test_a_continent_is_named_by_its_countries_too():
    assert mentions.groups(REGIONS, "continent")["name"].tolist() == ["Africa", "Oceania"]
    assert mentions.named(TEXTS, REGIONS, "continent").tolist() == [[0, 0], [1, 0], [1, 1], [3, 0], [4, 0]]
    assert mentions.number_of(REGIONS, "continent").to_dict() == {
        **{"country:GN": 0, "country:NE": 0, "country:PG": 1, "country:GW": 0}
    }


def test_texts_that_name_none():
    assert mentions.named(["x"], REGIONS, "country").shape == (0, 2)
