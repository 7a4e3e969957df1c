"""Whether the words of two groups are as long for a model: a longer word has another score, whatever it means.

Log-probabilities of a masked word add up over its tokens, and so does what the target does to each; the loss of a
causal model is a mean over all tokens of the sentence, of which a longer word makes up more.
"""

from collections.abc import Iterator

import pandas as pd

from herbarium.scoring.sentences import SAME
from herbarium.statistics.fits import CROSSED


def in_equal_pairs(observations: pd.DataFrame) -> pd.Series:
    """Which sentences are of a pair whose words have the same number of tokens in each template with each target. A
    word without a pair is in none. observations: of one definition, of the schema "mixed_effects_observations"."""
    scored = observations.dropna(subset="association")
    lengths = scored.groupby(["pair", "template", "target"])["n_tokens"].nunique().groupby("pair").max()
    return observations["pair"].map(lengths).eq(1)


def noted(fits: pd.DataFrame, observations: pd.DataFrame) -> pd.DataFrame:
    """Fits with notes on the words that they compare, for the bias scores over all words (CROSSED): groups that differ
    in their mean number of tokens, pairs that do, and pairs whose words are the same to the model.

    fits: of the schema "fits", about these observations, of all definitions.
    """
    is_main = (fits["structure"] == CROSSED) & (fits["subset"] == "all")
    notes = fits["note"].astype(object).where(fits["note"].notna(), None)
    for (definition, contrast), rows in fits[is_main].groupby(["definition", "contrast"]):
        first, _, second = contrast.rpartition("-")
        of_words = list(_of_words(observations[observations["definition"] == definition], first, second))
        notes[rows.index] = ["; ".join(filter(None, [note, *of_words])) or None for note in notes[rows.index]]
    return fits.assign(note=notes)


def _of_words(observations: pd.DataFrame, first: str, second: str) -> Iterator[str]:
    """observations: of one definition."""
    rows = observations[observations["gender"].isin([first, second])]
    scored = rows.dropna(subset="association")
    means = scored.groupby(["gender", "word"])["n_tokens"].mean().groupby("gender").mean().round(2)
    if means.nunique() > 1:
        of_groups = (f"{means[gender]:.2f} for {gender} words" for gender in (first, second))
        yield f"tokens that are scored, on average: {', '.join(of_groups)}"
    paired = scored[scored.groupby("pair")["gender"].transform("nunique") > 1]
    differ = paired.loc[~in_equal_pairs(paired), "pair"].nunique()
    if differ:
        yield f"the words of {differ} of {paired['pair'].nunique()} pairs differ in their number of tokens"
    same = rows.loc[rows["note"].eq(SAME) & rows["pair"].notna(), "pair"].unique()
    if len(same) and rows["gender"].nunique() > 1:
        yield f"{len(same)} {'pair' if len(same) == 1 else 'pairs'} left out, the same to the model: {', '.join(same)}"
