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
            {"name": name, "n": rows["checkpoint"].nunique(), "first": rows["checkpoint"].iloc[0]}
            | {"last": rows["checkpoint"].iloc[-1]}
            for name, rows in table.groupby("training", sort=False)
        ],
    }
    return room("checkpoints", "Along training", facts)
