"""The first room of the page: the study's models, and one sentence per finding, as the parts of the metrics have
them."""

from collections.abc import Iterable

from markupsafe import Markup

from herbarium.drawing import style
from herbarium.page.build import Room, room
from herbarium.report.part import Part


def overview(parts: Iterable[Part], models: list[dict], flagged: list[dict]) -> Room:
    """parts: those of what was measured. models: records of all models. flagged: of `page.changes`."""
    planted = [model for model in style.by_strength(models) if model["planted"] is not None]
    facts = {
        "planted": [style.label(model["name"], model["planted"]) for model in planted],
        "real": [model["name"] for model in models if model["planted"] is None],
        "flagged": flagged,
        "findings": [Markup(part.overview) for part in parts],  # noqa: S704 (escaped there)
    }
    return room("overview", "Overview", facts)
