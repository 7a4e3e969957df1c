"""What figures of tasks share."""

from herbarium.drawing import tasks

MODELS = {"hub": None, "strong": 2.0, "none": 0.0}


def test_places_are_tasks_as_given_and_planted_models_by_strength():
    rows = tasks.places([("b", "strong"), ("b", "published"), ("a", "hub"), ("b", "none")], MODELS)
    assert list(zip(rows["task"], rows["model"], strict=True)) == [
        ("b", "none"),
        ("b", "strong"),
        ("b", "published"),
        ("a", "hub"),
    ]
    assert rows["planted"].tolist()[:2] == [0, 2]
    assert rows["planted"].isna().tolist() == [False, False, True, True]


def test_tasks_are_titled_by_what_was_planted_in_their_texts():
    rows = tasks.places([("posts", "strong"), ("reviews", "strong")], MODELS)
    titled = tasks.with_titles(rows, {"posts": 0.5, "reviews": None})
    assert titled["task"].tolist() == ["posts (texts with planted strength 0.5)", "reviews"]
    assert list(tasks.by_task(titled)) == titled["task"].tolist()
