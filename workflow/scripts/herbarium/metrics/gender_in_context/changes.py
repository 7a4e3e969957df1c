"""Changes from one source of vectors to another: the distance between words of two stereotypes."""

from collections.abc import Mapping, Sequence

import pandas as pd

from herbarium.metrics.gender_in_context import score
from herbarium.metrics.gender_in_context.items import is_few, placed
from herbarium.metrics.gender_in_context.names import DIFFERENCE, METRIC
from herbarium.metrics.gender_in_context.numbers import FEWEST_OF_A_KIND
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.inference import Mean


def changes(
    name: str,
    compared: Sequence[Sequence[str]],
    numbers: pd.DataFrame,
    places: Mapping[str, pd.DataFrame],
    side: str,
) -> pd.DataFrame:
    """Rows of the schema "changes": the stereotype difference of the last layer, in units of the effect of a sentence's
    gender on a word in each source.

    name: of the set. compared: of `vectors.comparisons`. numbers: tidy rows of the set. places: by source, of the
    schema "gender_in_context_places". side: the first one.
    """
    last = numbers[numbers["variant"] == DIFFERENCE].groupby("model").tail(1).set_index("model")
    rows = []
    for of in compared:
        mean, n, note = difference(*(placed(places[source], side) for source in of[2:]))
        values = (last.loc[source] for source in of[2:])
        measure = f"Gender in context, {name}: stereotype difference"
        rows.append(change(of, METRIC, measure, *values, mean, n=n, note=note))
    return as_changes(rows)


def difference(before: pd.DataFrame, after: pd.DataFrame) -> tuple[Mean | None, int, str | None]:
    """The difference of the changes of position of the words in both, which is the change of the difference, with
    Welch's error over words; None, and why, if too few. The number of words. before, after: of `items.placed`."""
    both = before.join(after["position"].rename("position_after"), how="inner")
    if is_few(both):
        return None, len(both), f"fewer than {FEWEST_OF_A_KIND} words per side by stereotype in both"
    moved = (both["position_after"] - both["position"]).to_numpy()
    return score.difference(moved, both["is_first"].to_numpy()), len(both), None
