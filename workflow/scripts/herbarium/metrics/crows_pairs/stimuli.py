"""CrowS-Pairs (Nangia et al. 2020): pairs of sentences, one more and one less stereotypical, written by people.

The table is the authors' own, a CSV with `sent_more`, `sent_less` and `bias_type`; it is not part of this project.
"""

from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import check_cells, look_alike, read_text_table, refuse_invisible
from herbarium.core.store import schema
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import CPS, LL, LL_SHARED, PPPL
from herbarium.scoring.sentences import by_sentence, paired_ids, tokens, told_apart
from herbarium.statistics import repeats
from herbarium.statistics.repeats import content

# The score of a sentence. Of masked models, over the tokens that it shares with the other one of its pair, which comes
# with it (Nangia et al.). Of causal models, over the whole sentence (lm-evaluation-harness), and over these tokens.
PAPER, WHOLE, SHARED = "paper", "whole", "shared"
DEFINITIONS = {PAPER: CPS, WHOLE: LL, SHARED: LL_SHARED}
# The first definition of each kind of model, which stands for it where there is one number.
PRIMARY = (PAPER, WHOLE)
QUANTITIES = {Kind.masked: [CPS, PPPL], Kind.causal: [LL, LL_SHARED]}
SIDES = (STEREO, ANTISTEREO) = ("stereo", "antistereo")
COLUMNS = {STEREO: "sent_more", ANTISTEREO: "sent_less"}
# A set is a pair, by its number in the table; its group is its bias type.
# `remark`: the objection to the pair; empty without one. `cluster`: the first of the pairs that are alike (`clusters`).
_OF_SENTENCE = tuple((name, pa.string()) for name in ("set", "side", "group", "length_group", "remark", "cluster"))
STIMULI = schema("crows_pairs_stimuli", ("sentence_id", pa.int64()), ("text", pa.string()), *_OF_SENTENCE)
# A sentence occurs once for each definition of its score, `value`, in natural logarithms; null if it was refused.
# `n_tokens` are all of the sentence, also those that no score is of. `pppl`: of causal models the perplexity.
OBSERVATIONS = schema(
    "crows_pairs_observations",
    *_OF_SENTENCE,
    ("definition", pa.string()),
    ("value", pa.float64()),
    ("pppl", pa.float64()),
    ("n_tokens", pa.int32()),
    ("note", pa.string()),
    nullable=("value", "pppl", "note"),
)
LENGTH_GROUPS = ("short", "medium", "long")


def read(path: str | Path) -> pd.DataFrame:
    """The table of pairs; raises HerbariumError, with file and row, for a missing column, and a sentence that is empty
    or has invisible characters."""
    columns = [*COLUMNS.values(), "bias_type"]
    table = read_text_table(path, columns)
    for column in columns:
        empty = table[column].str.strip() == ""
        if empty.any():
            raise HerbariumError(f"{path}, row {empty.idxmax() + 1}: the column '{column}' is empty.")
        for row, text in table[column].items():
            refuse_invisible(path, f"row {row + 1}, column '{column}'", text)
    return table[columns]


def read_remarks(path: str | Path) -> pd.DataFrame:
    """Remarks on pairs (Blodgett et al. 2021), several on some: `pair`, its number in the table of pairs, from 0, and
    `remark`. Raises HerbariumError, with row and column."""
    remarks = read_text_table(path, ["pair", "remark"])
    check_cells(path, remarks, ["pair", "remark"])
    for row, pair in enumerate(remarks["pair"], start=1):
        if not pair.isdecimal():
            raise HerbariumError(f"{path}, row {row}, column 'pair': '{pair}' is not the number of a pair, from 0.")
    return remarks[["pair", "remark"]]


def check_remarks(path: str | Path, table: pd.DataFrame) -> None:
    """Raise HerbariumError if a remark is about a pair that does not exist. table: of `read`."""
    numbers = read_remarks(path)["pair"].astype(int)
    if (numbers >= len(table)).any():
        row = int((numbers >= len(table)).idxmax())
        raise HerbariumError(
            f"{path}, row {row + 1}, column 'pair': there is no pair {numbers[row]}; the last of {len(table)} is "
            f"{len(table) - 1}."
        )


def length_groups(table: pd.DataFrame) -> pd.Series:
    """The length group of each pair (Appendix A.5.2 of Shrestha et al. 2025): short, medium or long within its type.

    Bounds are the 33rd and 67th percentiles of the number of words of `sent_more`; the paper does not say whose length
    is used, nor among which sentences: this follows its code.
    """
    n_words = table["sent_more"].str.split().str.len()
    low, high = (n_words.groupby(table["bias_type"]).transform("quantile", share) for share in (0.33, 0.67))
    groups = (n_words > low).astype(int) + (n_words > high)
    return groups.map(dict(enumerate(LENGTH_GROUPS)))


def clusters(table: pd.DataFrame) -> list[int]:
    """For each pair the number of the first one that it is alike: two pairs are if they have a sentence in common, or
    all words but those that differ within a pair, as "women cannot drive" and "girls cannot drive"; or if both are
    like a third. What a model makes of one says much about what it makes of the other. table: of `read`."""

    def keys(more: str, less: str) -> Iterator[tuple[str, ...]]:
        words, others = more.split(), less.split()
        matched = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
        yield from ((content(more),), (content(less),))
        if sum(block.size for block in matched) > 1:  # one word is no likeness
            yield "", *(content(" ".join(words[block.a : block.a + block.size])) for block in matched)

    return repeats.clusters(keys(*pair) for pair in zip(table["sent_more"], table["sent_less"], strict=True))


def instantiate(table: pd.DataFrame, remarks: pd.DataFrame | None = None) -> pd.DataFrame:
    """Both sentences of every pair, one after the other, as a table of the schema "crows_pairs_stimuli". Words of
    a pair that differ only in characters that look alike are a remark on it, too.

    table: of `read`. remarks: of `read_remarks`.
    """
    of_pair = {} if remarks is None else remarks.groupby("pair")["remark"].agg("; ".join).to_dict()
    table = table.assign(length_group=length_groups(table), cluster=clusters(table))
    for number, pair in enumerate(zip(*(table[column] for column in COLUMNS.values()), strict=True)):
        if alike := look_alike(*pair):
            both = filter(None, [of_pair.get(str(number)), f"{alike} look alike, but are different characters"])
            of_pair[str(number)] = "; ".join(both)
    rows = [
        {
            "text": pair[column],
            "set": str(number),
            "side": side,
            "group": pair["bias_type"],
            "length_group": pair["length_group"],
            "remark": of_pair.get(str(number), ""),
            "cluster": str(pair["cluster"]),
        }
        for number, pair in enumerate(table.to_dict("records"))
        for side, column in COLUMNS.items()
    ]
    ids = paired_ids([row["side"] for row in rows], [row["text"] for row in rows])
    return pd.DataFrame(rows).assign(sentence_id=ids)[STIMULI.fields.names]


def observe(stimuli: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """A table of the schema "crows_pairs_observations". scores: of the schema "scores", with every sentence of them."""
    asked = set(scores["quantity"])
    of_definitions = [_observed(stimuli, scores, name) for name, quantity in DEFINITIONS.items() if quantity in asked]
    return pd.concat(of_definitions, ignore_index=True)


def _observed(stimuli: pd.DataFrame, scores: pd.DataFrame, definition: str) -> pd.DataFrame:
    """As `observe`, with one definition of the score."""
    quantity, whole = DEFINITIONS[definition], PPPL if definition == PAPER else LL
    values, notes = by_sentence(scores[scores["quantity"].isin([quantity, whole])])
    lengths = tokens(scores[scores["quantity"] == whole])
    pppl = values[PPPL] if whole == PPPL else np.exp(-values[LL] / lengths["n_tokens"])
    columns = pd.DataFrame({"value": values[quantity], "pppl": pppl, "note": notes}).join(lengths)
    if definition == SHARED:  # what follows the last shared token says nothing
        columns["given"] = tokens(scores[scores["quantity"] == quantity])["given"]
    observed = stimuli.join(columns, on="sentence_id").assign(definition=definition)
    return told_apart(observed)[OBSERVATIONS.fields.names]


def primary(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the first definition of each kind of model. table: with `definition`."""
    return table[table["definition"].isin(PRIMARY)]
