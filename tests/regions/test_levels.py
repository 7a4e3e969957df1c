import pandas as pd

from herbarium.regions import levels


def regions(rows):
    return pd.DataFrame(rows, columns=["region", "parent", "iso2"])


def test_countries_are_the_regions_with_a_code_each_on_its_continent():
    table = regions(
        [
            ("earth", None, None),
            ("eu", "earth", None),
            ("na", "earth", None),
            ("west", "eu", None),
            ("fr", "west", "FR"),  # deeper than the others
            ("us", "na", "US"),
            ("paris", "fr", None),
        ]
    )
    assert levels.continents(table)["region"].tolist() == ["eu", "na"]
    result = levels.countries(table)
    assert result[["region", "continent"]].to_numpy().tolist() == [["fr", "eu"], ["us", "na"]]
    assert levels.without_cities(table)["region"].tolist() == ["earth", "eu", "na", "west", "fr", "us"]


def test_without_codes_countries_are_two_levels_below_the_root():
    table = regions([("root", None, None), ("a", "root", None), ("b", "a", None), ("c", "b", None), ("d", "a", None)])
    assert levels.countries(table)[["region", "continent"]].to_numpy().tolist() == [["b", "a"], ["d", "a"]]
    deeper = regions([*table.to_numpy().tolist(), ("e", "c", None), ("f", "e", None)])
    assert levels.without_cities(deeper)["region"].tolist() == ["root", "a", "b", "d"]


def test_a_country_right_below_the_root_is_its_own_continent_and_the_root_none():
    table = regions([("de", None, "DE"), ("by", "de", "BY"), ("m", "by", None)])
    assert levels.countries(table)[["region", "continent"]].to_numpy().tolist() == [["by", "by"]]


def test_a_hierarchy_of_one_level_has_no_countries():
    table = regions([("root", None, None), ("a", "root", None)])
    result = levels.countries(table)
    assert result.empty
    assert "continent" in result
    assert levels.without_cities(table)["region"].tolist() == ["root", "a"]
