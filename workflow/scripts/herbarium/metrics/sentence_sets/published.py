"""Coreference systems on WinoBias (Zhao 2021, Tables 2.2 and 2.3) compared with a language model on the same sentences:
two different tasks."""

from collections.abc import Collection

import pandas as pd

from herbarium.statistics.within_sets import DIFFERENCE, MEAN

OURS, THEIRS = "whom the pronoun refers to, per cent right", "coreference, F1"
# `difference` is signed in ours, but not in theirs.
NUMBERS = ["pro", "anti", MEAN, DIFFERENCE]
COLUMNS = ["split", "type", "task", "stimuli", "system", *NUMBERS, "n", "note"]


def beside(figures: pd.DataFrame, numbers: pd.DataFrame, questions: Collection[str]) -> pd.DataFrame:
    """One row per split and type of sentence and system measured on it, ours first, with COLUMNS; per cent.

    figures: of resources/sentence_sets/winobias_coreference.csv. numbers: of `numbers.with_contrasts`. questions: the
    sets that ask whom a pronoun refers to; combinations without a measurement are left out.
    """
    rows = numbers[numbers["stimuli"].isin(questions) & numbers["group"].str.fullmatch(r"type \d, \w+")]
    rows = rows.assign(**rows["group"].str.extract(r"(?P<type>type \d), (?P<split>\S+)"))
    keys = ["split", "type", "stimuli", "model"]
    ours = rows.pivot(index=[*keys, "n"], columns="side", values="estimate").reset_index()
    ours = ours.rename(columns={"model": "system"}).assign(task=OURS)
    theirs = figures.rename(columns={"doubt": "note"}).assign(task=THEIRS)
    theirs = theirs.merge(ours[["split", "type"]].drop_duplicates())
    table = pd.concat([ours, theirs], ignore_index=True).reindex(columns=COLUMNS)
    return table.sort_values(["split", "type"], kind="stable").reset_index(drop=True)
