"""The values whose mean is a lean: the cosines of pairs of words that stereotypes distinguish."""

import pandas as pd

from herbarium.metrics.word_associations import sembias
from herbarium.metrics.word_associations.numbers import LEAN, direction_of
from herbarium.metrics.word_associations.sembias import STEREOTYPE
from herbarium.metrics.word_associations.space import Space
from herbarium.metrics.word_associations.stimuli import Lists
from herbarium.statistics.items import items


def of_items(source: str, space: Space, word_lists: Lists) -> pd.DataFrame:
    """A table of the schema "items": an object is a SemBias list, a word one of its stereotype pairs, a form one of the
    directions, which are interchangeable.

    space: the last layer of the source.
    """
    along = {name: direction_of(space, pairs, method)[0] for name, (pairs, method) in word_lists.directions.items()}
    rows = [
        {"object": name, "word": ":".join(pair), "form": form, "value": cosine}
        for name, instances in word_lists.sembias.items()
        for form, direction in along.items()
        if direction is not None
        for pair, category, cosine in zip(
            instances.pairs,
            instances.category,
            sembias.cosines(space.differences(instances.pairs), direction.of),
            strict=True,
        )
        if category == STEREOTYPE
    ]
    return items(
        pd.DataFrame(rows, columns=["object", "word", "form", "value"]).assign(model=source, metric=LEAN, measure=LEAN)
    )
