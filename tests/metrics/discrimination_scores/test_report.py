import pytest
from tests.metrics.discrimination_scores import example


@pytest.mark.slow
def test_a_published_effect_has_a_column_only_where_a_model_was_fitted():
    assert "As published" in example.part().html
    assert "As published" not in example.lost_part().html
