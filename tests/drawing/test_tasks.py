"""What figures of tasks share."""

from herbarium.drawing import tasks

MODELS = {"hub": None, "strong": 2.0, "none": 0.0}


def test_places_are_tasks_as_given_and_planted_models_by_strength():
    found = tasks.places([("b", "strong"), ("b", "published"), ("a", "hub"), ("b", "none")], MODELS)
    assert list(zip(found["task"], found["model"], strict=True)) == [
        ("b", "none"),
        ("b", "strong"),
        ("b", "published"),
        ("a", "hub"),
    ]
    assert found["planted"].tolist()[:2] == [0, 2]
    assert found["planted"].isna().tolist() == [False, False, True, True]
