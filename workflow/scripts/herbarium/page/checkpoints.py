"""The room of the page on checkpoints: each metric over the course of training."""

from herbarium.page.build import Room, room
from herbarium.report.pictures import Picture, shown
from herbarium.study import checkpoints as drawn


def checkpoints(picture: Picture) -> Room:
    """picture: the figure "checkpoints"."""
    table = picture.table
    facts = {
        "picture": shown(picture, drawn.describe(table), "checkpoints", drawn.panels(table)),
        "trainings": [
            {"name": name, "n": of["checkpoint"].nunique(), "first": of["checkpoint"].iloc[0]}
            | {"last": of["checkpoint"].iloc[-1]}
            for name, of in table.groupby("training", sort=False)
        ],
    }
    return room("checkpoints", "Along training", facts)
