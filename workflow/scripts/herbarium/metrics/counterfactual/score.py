"""How much the score of a sentence changes when its gendered words are swapped: the mean absolute change.

A model for which gender makes no difference has 0. There is no test against 0: no model has exactly 0, and two
sentences with different words need not be equally likely.
"""

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.statistics import repeats
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.clustered import FEWEST_CROSSED, two_way
from herbarium.statistics.inference import Mean, log_interval
from herbarium.statistics.sets import EQUAL_LENGTH
from herbarium.statistics.tidy import tidy

METRIC, DEFINITION = "counterfactual", "own"
CHANGE = "_mean_absolute_change"  # suffix of the quantity
_KEY = ["sentence_id", "quantity"]
# Pairs with the change of their score, swap minus sentence; null if one of them was refused, or both
# have the same tokens.
CHANGED = schema(
    "counterfactual_changes",
    ("sentence_id", pa.int64()),
    *((name, pa.string()) for name in ("text", "swapped", "frame", "terms", "quantity")),
    *((name, pa.float64()) for name in ("change", "absolute")),
    ("differs_in_tokens", pa.bool_()),
    nullable=("change", "absolute"),
)
# Columns of the table for readers.
COLUMNS = ["group", "variant", "model", "n", "estimate", "std_error", "ci_low", "ci_high", "note"]


def absolute_changes(pairs: pd.DataFrame, scores: pd.DataFrame, swapped: pd.DataFrame) -> pd.DataFrame:
    """A table of the schema "counterfactual_changes", for unambiguous pairs.

    pairs: of the schema "counterfactual_pairs". scores, swapped: of the schema "scores", before and after the swap.
    """
    columns = [*_KEY, "value", "n_tokens", "given"]
    both = scores[columns].merge(swapped[columns].drop_duplicates(_KEY), on=_KEY, suffixes=("", "_swapped"))
    both = pairs[pairs["is_sure"]].merge(both.drop_duplicates(_KEY), on="sentence_id")
    change = (both["value_swapped"] - both["value"]).mask(both["given"] == both["given_swapped"])
    differs_in_tokens = both["n_tokens"] != both["n_tokens_swapped"]
    return both.assign(change=change, absolute=change.abs(), differs_in_tokens=differs_in_tokens)[CHANGED.fields.names]


def mean(changes: pd.DataFrame, column: str = "absolute") -> tuple[Mean | None, str | None]:
    """The mean over pairs, and what its error does not cover, if anything; None without an error.

    Errors are clustered by what the sentences of a pair share and by the words that differ, both (`two_way`). If one of
    these has fewer than FEWEST_CROSSED, the error is only over the other: for these words, or for these sentences.
    """
    ways = {"frame": "sentences", "terms": "words"}
    units = changes.assign(**{way: repeats.alike(changes[way]) for way in ways})
    enough = [way for way in ways if units[way].nunique() >= FEWEST_CROSSED]
    if not enough:
        return None, f"no interval: fewer than {FEWEST_CROSSED} sentences, and as few words"
    few = [
        f"for these {what} only: {'; '.join(sorted(set(units[way])))}"
        for way, what in ways.items()
        if way not in enough
    ]
    alike = [repeats.remark(changes[way].nunique(), units[way].nunique(), what) for way, what in ways.items()]
    crossed = units[[enough[0], enough[-1]]].to_numpy()
    return two_way(changes[column].to_numpy(float), crossed), "; ".join(filter(None, (*few, *alike))) or None


def measure(model: str, stimuli: str, changes: pd.DataFrame, n_unsure: int, level: float) -> pd.DataFrame:
    """Tidy rows, one per quantity: `group` is the sentences, `n` counts pairs. If the sentences of some pairs differ in
    their number of tokens, but not of all, a variant + EQUAL_LENGTH has the number of the other pairs.

    changes: of `absolute_changes`. n_unsure: pairs whose swap is not reversible, which are left out. level:
    of the interval, that of the logarithm.
    """
    rows = []
    for quantity, group in changes.groupby("quantity", sort=False):
        known = group.dropna(subset="change")
        differs = known["differs_in_tokens"]
        notes = [
            f"{len(group) - len(known)} pairs were refused, or are the same to the model"
            if len(group) > len(known)
            else "",
            f"{n_unsure} left out: the swap is ambiguous" if n_unsure else "",
            f"{differs.sum()} differ in their number of tokens" if differs.any() else "",
        ]
        rows.append({"variant": f"{quantity}{CHANGE}"} | _of_pairs(known, notes, level))
        if differs.any() and not differs.all():
            row = _of_pairs(known[~differs], [], level)
            rows.append({"variant": f"{quantity}{CHANGE}{EQUAL_LENGTH}"} | row)
    table = pd.DataFrame(rows, columns=["variant", "n", "estimate", "std_error", "ci_low", "ci_high", "note"])
    return tidy(
        table.assign(model=model, metric=METRIC, definition=DEFINITION, unit="stimuli", group=stimuli), over="pairs"
    )


def _of_pairs(known: pd.DataFrame, notes: list[str], level: float) -> dict:
    """The number of pairs with a change, and `notes` with what its error does not cover."""
    if known.empty:
        return {"n": 0, "note": "; ".join(filter(None, notes)) or None}
    mean_change, limits = mean(known)
    row = {"n": len(known), "estimate": known["absolute"].mean()}
    row["note"] = "; ".join(filter(None, [*notes, limits])) or None
    return row | ({"std_error": mean_change.std_error} | _interval(mean_change, level) if mean_change else {})


def _interval(mean: Mean, level: float) -> dict[str, float]:
    low, high = log_interval(mean, level)
    return {"ci_low": low, "ci_high": high}


def compare(
    stimuli: str, compared: Sequence[Sequence[str]], of_models: Mapping[str, pd.DataFrame], level: float
) -> pd.DataFrame:
    """Rows of the schema "changes": for each quantity of both models, paired by pair.

    compared: of `models.comparisons`. of_models: of `absolute_changes`, by model. level: of the models' own intervals.
    """
    rows = []
    for comparison in compared:
        before, after = (of_models[model].dropna(subset="change") for model in comparison[2:])
        keys = [*_KEY, "frame", "terms"]
        both = before.merge(after[[*_KEY, "absolute"]], on=_KEY, suffixes=("_before", "_after"))
        both = both.assign(difference=both["absolute_after"] - both["absolute_before"])
        for quantity, pairs in both.groupby("quantity", sort=False):
            sides = [mean(pairs, f"absolute_{side}")[0] for side in ("before", "after")]
            values = [one and {"estimate": one.estimate} | _interval(one, level) for one in sides]
            difference, note = mean(pairs[[*keys, "difference"]], "difference")
            what = f"{stimuli}, {quantity}: mean absolute change"
            rows.append(change(comparison, METRIC, what, *values, difference, n=len(pairs), note=note))
    return as_changes(rows)
