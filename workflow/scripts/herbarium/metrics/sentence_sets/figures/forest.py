"""The contrasts of every set of sentences, with their intervals, by group and model."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.sentence_sets.bbq_contrast import BBQ, CHOICES
from herbarium.metrics.sentence_sets.contrasts import CONTRASTS
from herbarium.metrics.sentence_sets.stereoset_contrast import STEREOSET
from herbarium.metrics.sentence_sets.stimuli import IN_WORDS
from herbarium.statistics.sets import ALL
from herbarium.statistics.within_sets import ACCURACY, PAIRS, SHARE

_OF = ["stimuli", "quantity", "contrast", "first", "second", "side", "group", "model", "planted"]
COLUMNS = [*_OF, "estimate", "ci_low", "ci_high", "p_value", "p_adjusted", "n", "null", "note"]
EMPTY = style.Empty("No set of sentences has a number to show.")


def table(numbers: pd.DataFrame) -> pd.DataFrame:
    """One row per number, with COLUMNS: in nats, shares in per cent. `null` is its value without a preference.

    numbers: of `numbers.with_contrasts`.
    """
    of_rows = zip(numbers["contrast"], numbers["side"], strict=True)
    return numbers.assign(null=[CONTRASTS[contrast].scale(side).null for contrast, side in of_rows])[COLUMNS]


def table_of_each(numbers: pd.DataFrame) -> pd.DataFrame:
    """The same for each value of a column, ordered by the known number, with this in brackets.

    numbers: of `each.with_known`.
    """
    order = numbers["stimuli"].map({name: place for place, name in enumerate(numbers["stimuli"].unique())})
    rows = numbers.assign(order=order).sort_values(["order", "known"], kind="stable")
    titles = zip(rows["group"], rows["known"], rows["beside"], strict=True)
    group = [group if pd.isna(what) else f"{group} ({known:g})" for group, known, what in titles]
    titles = zip(rows["stimuli"], rows["each"], rows["beside"], strict=True)
    stimuli = [f"{name} by {each}" + ("" if pd.isna(what) else f" ({what})") for name, each, what in titles]
    return table(rows.assign(group=group, stimuli=stimuli))


def _lines(rows: pd.DataFrame) -> pd.Series:
    """The text of each row's line: its group, and for candidates its side."""
    return rows["group"].where(rows["side"].isna(), rows["side"].astype(str) + ", " + rows["group"])


def axis(row: pd.Series) -> str:
    """What the numbers of a set of sentences are, in words."""
    quantity = IN_WORDS[row["quantity"]]
    if row["contrast"] == PAIRS.name:
        return f"{row['first']} minus {row['second']}: {quantity} (nats)"
    if row["contrast"] == SHARE.name:
        return f"pairs that prefer {row['first']} to {row['second']}, by {quantity} (per cent)"
    if row["contrast"] == ACCURACY.name:
        return f"right answers, their mean and difference, by {quantity} (per cent)"
    if row["contrast"] == STEREOSET.name:
        return f"stereotypes preferred, language modelling, and both, by {quantity} (per cent)"
    if row["contrast"] == BBQ.name:
        return f"answers: unknown, right, biased minus counter and their scores, by {quantity} (per cent)"
    if row["contrast"] == CHOICES.name:
        return f"answers, their scores, letters and the probability of all letters, by {quantity} (per cent)"
    return f"a side minus the mean of its set: {quantity} (nats)"


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the number of all sets for each model."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = []
    for row in table[table["group"] == ALL].to_dict("records"):
        side = "" if pd.isna(row["side"]) else f", {row['side']}"
        number = style.with_interval(row["estimate"], row["ci_low"], row["ci_high"], ".3g")
        sentences.append(f"{row['stimuli']}{side}, {style.label(row['model'], row['planted'])}: {number}.")
    return f"Forest plot of the contrasts of sets of sentences by group and model. {' '.join(sentences)}"


def describe_each(table: pd.DataFrame) -> str:
    """The figure of `table_of_each` in words: the least and the greatest number of each model."""
    if table["estimate"].isna().all():
        return EMPTY
    sentences = []
    for (name, model), rows in table.dropna(subset="estimate").groupby(["stimuli", "model"], sort=False):
        ends = rows.loc[[rows["estimate"].idxmin(), rows["estimate"].idxmax()]]
        ends = " to ".join(f"{row.estimate:.3g} ({row.group})" for row in ends.itertuples())
        sentences.append(f"{name}, {style.label(model, rows['planted'].iloc[0])}: {ends}.")
    return (
        f"Forest plot of the contrasts of sets of sentences, each value of a column separately. {' '.join(sentences)}"
    )


def panels(table: pd.DataFrame) -> list[dict]:
    """One panel per set of sentences, one line per group (for candidates: per side and group), one dot per model.

    table: rows of `table`. The groups are its topics.
    """
    topic = table["group"].where(table["group"] != ALL)
    table = table.assign(line=_lines(table), series=interactive.labels(table), topic=topic)
    looks, plots = interactive.looks_of(table), []
    for name, rows in table.groupby("stimuli", sort=False):
        if rows["estimate"].isna().all():
            continue
        nulls = rows["null"].dropna().unique().tolist()
        plots.append(interactive.forest(name, rows, axis(rows.iloc[0]), looks, nulls))
    return plots
