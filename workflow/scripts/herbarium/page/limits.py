"""The part of the report on what its numbers can not say: sentences in `limits.html.j2`."""

from collections.abc import Iterable

from herbarium.page.build import Part


def part(metrics: Iterable[str]) -> Part:
    """The part of the page. metrics: what was measured."""
    return Part("", [("limits", "Limits")], "limits.html.j2", {"metrics": list(metrics)})
