"""What the part of the page on named entities says of the training."""

from tests.metrics.tagging.example import TRAINING, numbers, part_of


def test_models_that_are_trained_as_a_whole_are_said_to_be():
    assert "All weights of the models are trained" in part_of(numbers(), TRAINING | {"frozen": False}).html
    assert "All weights of the models are trained" not in part_of(numbers()).html
