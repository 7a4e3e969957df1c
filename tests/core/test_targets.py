"""Where files of results are: patterns, and what many metrics have."""

from herbarium.core.targets import Files, figure_files, filled


def test_a_pattern_keeps_the_wildcards_without_a_value():
    pattern = "<work>/vectors/{source}/{words}.parquet"
    assert filled(pattern) == pattern
    assert filled(pattern, source="glove") == "<work>/vectors/glove/{words}.parquet"
    assert filled("{name}-{shard}", name="a", shard=0) == "a-0"


def test_a_wildcard_in_a_value_stays_in_whatever_order_values_are_given():
    for values in (
        {"source": "glove", "words": "debiased/{source}"},
        {"words": "debiased/{source}", "source": "glove"},
    ):
        assert filled("{source}/{words}", **values) == "glove/debiased/{source}"


def test_files_are_named_after_their_metric_and_those_of_the_study_after_none():
    files = Files("herb")
    assert files.part == "<work>/parts/herb.json"
    assert files.planted == "<work>/testbed/text/herb/{model}.parquet"
    assert files.tables({"table1": "", "table2": ""}) == [
        "<results>/tables/herb_table1.csv",
        "<results>/tables/herb_table2.csv",
    ]
    assert files.figures(["map"]) == ["herb_map"]
    assert figure_files("herb_map")[0] == "<results>/figures/herb_map.svg"
    assert Files("study").table("refusals") == "<results>/tables/refusals.csv"
