"""The room of the page on what its numbers cannot say: about all metrics, and about each."""

from collections.abc import Iterable

from markupsafe import Markup

from herbarium.page.build import Room, room
from herbarium.report.part import Part


def limits(parts: Iterable[Part]) -> Room:
    """parts: those of the metrics that were measured."""
    return room("limits", "Limits", {"limits": [Markup(part.limits) for part in parts]})  # noqa: S704 (escaped there)
