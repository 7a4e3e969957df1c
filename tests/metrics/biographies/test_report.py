import pytest
from tests.drawing.marks import assert_shows
from tests.metrics.biographies import example

from herbarium.metrics.biographies.figures import gaps


@pytest.mark.slow
def test_the_figure_has_the_last_layer_of_each_source():
    shown = gaps.table(example.pd.concat([result.occupations for result in example.sources()]))
    assert set(shown["group"]) == {"1"}
    assert len(shown) == 2 * 4 * 8
    assert_shows(gaps.panels(shown), shown, "estimate", "y")


@pytest.mark.slow
def test_probes_and_fine_tuning_are_explained_where_there_are_some():
    for results, explained in ((example.sources(), "A probe is trained"), ([example.tuned()], "A model is fine-tuned")):
        page = example.part_of(results).html
        assert [text in page for text in ("A probe is trained", "A model is fine-tuned")].count(True) == 1
        assert explained in page
