"""What the metric is called, how its p-values are adjusted, and of which groups there are published figures."""

from collections.abc import Iterable

METRIC = "local_group_bias"
CORRECTION = "holm"  # over the comparisons of a model in a task
_PUBLISHED = {"race": {"white", "black"}, "gender": {"male", "female"}}  # groups by attribute, in lower case


def are_published(attribute: str, groups: Iterable[str]) -> bool:
    """Whether there are published figures of two groups of an attribute, in any case and order."""
    return {group.casefold() for group in groups} == _PUBLISHED.get(attribute)
