"""What metrics compute of models of each kind."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from herbarium.core.section import ByKind
from herbarium.models.kinds import TUNABLE, Kind

# What to use instead of a model.
ITS_BASE = "the masked model that it was trained from"


def scored(quantities: Mapping[Kind, Iterable[str]], instead: Mapping[Kind, str] = MappingProxyType({})) -> ByKind:
    """Of a metric that asks each kind for these quantities of sentences. instead: of other kinds, as of ByKind."""
    return ByKind({kind: ", ".join(f"`{name}`" for name in names) for kind, names in quantities.items()}, instead)


def trained(what: str, kinds: Iterable[Kind], instead: Mapping[Kind, str]) -> ByKind:
    """Of a metric that trains models of these kinds. what: the outcome, in words. instead: as of `scored`."""
    return ByKind(dict.fromkeys((kind for kind in Kind if kind in kinds), what), instead)


VECTORS = ByKind(dict.fromkeys(Kind, "vectors of its layers"))
CLASSIFIERS = trained("a classifier trained from it", TUNABLE, {Kind.extractive: ITS_BASE})
