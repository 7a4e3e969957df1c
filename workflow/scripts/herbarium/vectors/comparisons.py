"""Which sources of vectors are compared: each before and after a change.

A source is a change of another if it is that one after hard debiasing, if it separates gender (GN-GloVe) in vectors
that the other learned without (GloVe), or if it has the same layers of a changed model.
"""

from collections.abc import Collection, Iterable, Mapping

from herbarium.models.comparisons import Compared
from herbarium.vectors.section import Source, Trained

# Keys only for GN-GloVe: how it handles gender.
_OF_GENDER = {"method", "variant", "definition", "lambda_d", "lambda_e", "pairs", "part"}


def compared(sources: Mapping[str, Source], models: Iterable[Compared], among: Collection[str]) -> list[Compared]:
    """The comparisons among some sources: two names, and the sources before and after. For a model that was trained
    several times, the names are those of its first training's sources.

    sources: from the configuration. models: the comparisons of models.
    """
    chosen = {name: sources[name] for name in sources if name in among}
    pairs = [
        (entry.debiased.source, name)
        for name, entry in chosen.items()
        if entry.debiased and entry.debiased.source in chosen
    ]
    learned = {name: entry.trained for name, entry in chosen.items() if entry.trained}
    pairs += [
        (before, after)
        for before, as_they_are in learned.items()
        for after, kept_apart in learned.items()
        if as_they_are.method == "glove" and kept_apart.method == "gn_glove" and _alike(as_they_are, kept_apart)
    ]
    return [*((*pair, *pair) for pair in pairs), *_of_models(chosen, models)]


def _alike(one: Trained, other: Trained) -> bool:
    """Whether both are learned from the same texts with the same settings."""
    return one.model_dump(exclude=_OF_GENDER) == other.model_dump(exclude=_OF_GENDER)


def _of_models(sources: Mapping[str, Source], models: Iterable[Compared]) -> list[Compared]:
    # of two equal sources, the first
    of_layers: dict[str, dict[str, str]] = {}
    for name, entry in sources.items():
        if entry.model is not None:
            of_layers.setdefault(str(entry.layers), {}).setdefault(entry.model, name)
    return [
        (at.get(first, at[before]), at.get(second, at[after]), at[before], at[after])
        for first, second, before, after in models
        for at in of_layers.values()
        if before in at and after in at
    ]
