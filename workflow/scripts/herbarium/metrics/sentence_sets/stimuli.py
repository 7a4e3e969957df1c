"""Sentences written to be compared, in a CSV: docs/your_sentences.md has its columns.

A row is a sentence: `id`, the `set` within which it is compared, its `side` in the set, and its `text`, in which words
may be marked (`scoring.marks`). `group` may be empty. All other columns are covariates: they change nothing, but one
can be the unit of inference.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.resources import check_cells, check_distinct, check_spelling, read_text_table
from herbarium.core.rows import account
from herbarium.core.store import Schema, schema
from herbarium.metrics.sentence_sets.layout import faulty_sets, laid_out, looking_alike, not_chosen
from herbarium.metrics.sentence_sets.names import CANDIDATES, CHOICES, LETTERS
from herbarium.models.kinds import Kind
from herbarium.scoring.marks import unmark
from herbarium.scoring.quantities import (
    ASKED,
    AUL,
    AULA,
    CONDITION,
    CPS,
    LL,
    LL_ASKED,
    MEAN_LL,
    PLL,
    PLL_WORD_L2R,
    QUANTITIES,
    ROLES,
    SLOT,
    SLOT_PRIOR,
)
from herbarium.scoring.sentences import by_sentence, paired_ids, sentence_id, tokens, told_apart
from herbarium.statistics.sets import ALL, SET

# Scores of a sentence, and the quantities from which each kind of model computes them; higher is always likelier. With
# two quantities it is the first minus the second.
LIKELIHOOD, SLOT_LIKELIHOOD, SLOT_MEAN, ASSOCIATION = "likelihood", "slot_likelihood", "slot_mean", "association"
PAIR_LIKELIHOOD = "pair_likelihood"
SCORES: dict[str, dict[Kind, list[str]]] = {
    **{
        name: {kind: [name] for kind in QUANTITIES[name]}
        for name in (PLL, PLL_WORD_L2R, AUL, AULA, CPS, SLOT, LL, MEAN_LL)
    },
    LIKELIHOOD: {Kind.masked: [PLL], Kind.causal: [LL]},
    PAIR_LIKELIHOOD: {Kind.masked: [CPS], Kind.causal: [LL]},
    SLOT_LIKELIHOOD: {Kind.masked: [SLOT], Kind.causal: [LL]},
    SLOT_MEAN: {Kind.masked: [SLOT], Kind.causal: [LL_ASKED]},  # of marked words, per token
    ASSOCIATION: {Kind.masked: [SLOT, SLOT_PRIOR]},
}
_MARKED = "log-probability of the marked words"
# What each score is, for readers.
IN_WORDS = {
    PLL: "pseudo-log-likelihood",
    PLL_WORD_L2R: "pseudo-log-likelihood, within words from left to right",
    AUL: "all unmasked likelihood (AUL)",
    AULA: "attention-weighted all unmasked likelihood (AULA)",
    CPS: "pseudo-log-likelihood of the shared tokens",
    SLOT: _MARKED,
    LL: "log-likelihood",
    MEAN_LL: "log-likelihood per token",
    LIKELIHOOD: "log-likelihood (masked models: pseudo-log-likelihood)",
    PAIR_LIKELIHOOD: "log-likelihood (masked models: pseudo-log-likelihood of the shared tokens)",
    SLOT_LIKELIHOOD: f"{_MARKED} (causal models: log-likelihood)",
    SLOT_MEAN: f"{_MARKED}, per token",
    ASSOCIATION: f"{_MARKED}, less that with the condition masked",
}
OF_PAIRS = (CPS, PAIR_LIKELIHOOD)  # a sentence's score depends on the other one of its pair
# The roles that must be marked in a sentence.
NEEDED = {SLOT: [ASKED], SLOT_LIKELIHOOD: [ASKED], SLOT_MEAN: [ASKED], ASSOCIATION: [ASKED, CONDITION]}
_TEXTS = ("id", "set", "side", "text")
COLUMNS = (*_TEXTS, "group")
# Covariates: the side of a set that is the right answer, and the letter of an answer.
CORRECT, LETTER = "correct", "letter"
# Prefixes of other columns in other tables.
_TAKEN = (
    "sentence_id",
    "marked",
    "unit",
    "crossed_with",
    "each",
    "value",
    "note",
    "quantity",
    "batch",
    "model",
    "stimuli",
)
# Start and end of the words of a slot.
_PLACE = re.compile(rf"(({'|'.join(ROLES)})_words(_\d+)?)_(start|end)")
_MARK = re.compile(r"\[\s*(\w+)\s*:[^\]]*\]")
_DIFFERS = "the sentence differs from the first of its set in more than the marked words"
# A sentence, its score and other facts about it.
OBSERVATIONS = schema(
    "sentence_sets_observations",
    *((name, pa.string()) for name in (*COLUMNS, "unit", "crossed_with", "each", CORRECT, LETTER)),
    ("value", pa.float64()),
    ("n_tokens", pa.int32()),
    ("note", pa.string()),
    nullable=("crossed_with", "each", CORRECT, LETTER, "value", "note"),
)


def read(path: str | Path, columns: Mapping | None = None) -> pd.DataFrame:
    """The sentences of a custom table, as of `placed`.

    columns: what is in which, if they are others than ours (`columns.Columns`, as plain data); then sets that cannot be
    compared are left out. Raises HerbariumError also if words of the sentences of a set differ only in characters that
    look alike.
    """
    if columns:
        table = laid_out(path, columns)
        faulty = faulty_sets(table)
        is_faulty = table["set"].isin(faulty)
        if is_faulty.all():
            row, why = next(iter(faulty.values()))
            raise HerbariumError(f"{path}: every set is left out; the first, in row {row + 1}: {why}.")
        account(path, len(table), (~is_faulty).sum(), {"sets that cannot be compared": is_faulty.sum()})
        return placed(path, table[~is_faulty].reset_index(drop=True))
    table = placed(path, read_text_table(path, _TEXTS))
    for place, first, alike in looking_alike(table):
        raise HerbariumError(
            f"{path}, row {place + 1}, column 'text': {alike} in row {first + 1} look alike, but are different "
            "characters; use the same ones in all sentences of a set."
        )
    return table


def placed(path: str | Path, table: pd.DataFrame) -> pd.DataFrame:
    """Sentences, every cell as text: COLUMNS, the covariates, and for each marked role the position of its words.

    `text` is without marks, `marked` with them. {slot}_start and {slot}_end are of `slots`, characters, null if a
    sentence has no such mark. table: with `_TEXTS`. path: its source. Raises HerbariumError, with path, row and column.
    """
    check_cells(path, table, _TEXTS)
    for name in table.columns:
        if name in _TAKEN or _PLACE.fullmatch(name):
            raise HerbariumError(f"{path}: no column can be called '{name}'; rename it.")
    if "group" not in table:
        table["group"] = ""
    check_cells(path, table, ["group"], may_be_empty=True)
    check_spelling(path, table["group"])
    check_distinct(path, table["id"])
    texts, places = [], []
    for row, marked in enumerate(table["text"], start=1):
        try:
            text, spans = unmark(marked)
        except ValueError as error:
            raise HerbariumError(f"{path}, row {row}, column 'text': {error}.") from error
        n_of: Counter[str] = Counter()
        bounds = {}
        for role, start, end in spans:
            n_of[role] += 1
            slot = _slot(role, n_of[role])
            bounds |= {f"{slot}_start": start, f"{slot}_end": end}
        texts.append(text)
        places.append(bounds)
    placed = pd.DataFrame(places, table.index).astype("Int32")
    table = table.assign(marked=table["text"], text=texts)
    return pd.concat([table, placed[sorted(placed)]], axis="columns")


def faults(path: str | Path, columns: Mapping | None = None) -> list[dict]:
    """Faults of a custom table: `file`, `line` (the number of the row), `fault`, and `is_left_out`.

    With columns of others, the rows that `only` leaves out, and the sets that are left out. Else, if all sentences of
    a set have marks, they should differ only in the marked words; any other difference, such as agreement, also affects
    the number.
    """
    if columns:
        rows = [(row, f"not among the values of '{name}' in `only`") for row, name in not_chosen(path, columns).items()]
        rows += faulty_sets(laid_out(path, columns)).values()
        return [{"file": Path(path).name, "line": row + 1, "fault": why, "is_left_out": True} for row, why in rows]
    listed = []
    for _, rows in read(path).groupby("set", sort=False):
        frames = rows["marked"].str.replace(_MARK, r"[\1]", regex=True)
        if (frames != rows["marked"]).all():
            listed += [
                {"file": Path(path).name, "line": row + 1, "fault": _DIFFERS, "is_left_out": False}
                for row in rows.index[frames != frames.iloc[0]]
            ]
    return listed


def _slot(role: str, number: int) -> str:
    """The names of a role's words in messages about them; a sentence may have several."""
    return f"{role}_words" if number == 1 else f"{role}_words_{number}"


def slots(table: pd.DataFrame) -> dict[str, str]:
    """The slots of sentences, with their roles. table: of `read` or `instantiate`."""
    places = filter(None, map(_PLACE.fullmatch, table.columns))
    return {place[1]: place[2] for place in places}


def covariates(table: pd.DataFrame) -> list[str]:
    """The further columns of sentences. table: of `read` or `instantiate`."""
    return [name for name in table if name not in (*COLUMNS, *_TAKEN) and not _PLACE.fullmatch(name)]


def shared_words(table: pd.DataFrame) -> list[str]:
    """The covariates whose values are words of their sets, such as the noun of a template, and are shared by several
    sets; those with the fewest values first. table: of `read`.

    A column counts if every set has one of its values, in the text of a sentence at least.
    """
    texts = " " + table["text"].str.lower().str.replace(r"\W+", " ", regex=True) + " "
    n_sets, n_distinct = table["set"].nunique(), {}
    for column in covariates(table):
        words = " " + table[column].str.lower().str.replace(r"\W+", " ", regex=True) + " "
        is_said = np.array([word.strip() != "" and word in text for word, text in zip(words, texts, strict=True)])
        if (
            1 < table[column].nunique() < n_sets
            and pd.Series(is_said).groupby(table["set"].to_numpy()).any().all()
            and not (table.groupby("set")[column].nunique() > 1).any()
        ):
            n_distinct[column] = table[column].nunique()
    return sorted(n_distinct, key=n_distinct.get)


def check(
    path: str | Path, table: pd.DataFrame, sides: Sequence[str], shared: Sequence[str], contrast: str, score: str
) -> None:
    """Raise HerbariumError, with file, row and column, if a table of `read` does not fit a contrast.

    sides, contrast: as in the configuration. shared: columns in which all sentences of a set have the same, such
    as the unit. score: of SCORES.
    """
    shared = [column for column in shared if column != SET]
    for column in shared:
        valid = [SET, "group", *covariates(table)]
        if column not in valid:
            raise HerbariumError(f"{path}: the column '{column}' is missing{did_you_mean(column, valid)}.")
        check_cells(path, table, [column])
    if CORRECT in shared:
        _check_sides(path, table[CORRECT], sides)
    if contrast == CHOICES:
        _check_letters(path, table)
    starts = {role: f"{_slot(role, 1)}_start" for role in NEEDED.get(score, [])}
    _check_sides(path, table["side"], sides)
    marked = table.reindex(columns=list(starts.values())).notna().all(axis="columns")
    for row, sentence in table[~marked].iterrows():
        for role, start in starts.items():
            if pd.isna(sentence.get(start)):
                raise HerbariumError(
                    f"{path}, row {row + 1}, column 'text': '{score}' needs words marked [{role}: …] in every sentence."
                )
    shared = ["group", *shared]
    faulty = table["set"].isin(table["set"][_is_faulty(table, sides, shared)])
    for name, rows in table[faulty].groupby("set", sort=False):
        _check_set(path, name, rows, sides, shared)
    groups = table.drop_duplicates("set")["group"]
    sizes = groups[groups != ""].value_counts()
    for name, n in sizes[::-1].items():
        row = table.index[table["group"] == name][0] + 1
        if name == ALL:
            raise HerbariumError(f"{path}, row {row}, column 'group': '{ALL}' is the name for all sets together.")
        if n == 1:
            raise HerbariumError(
                f"{path}, row {row}, column 'group': the group '{name}' has one {_set_of(contrast)}, from which "
                "nothing can be said about others like it; give it two or more, or leave the cell empty."
            )


def _check_sides(path: str | Path, column: pd.Series, sides: Sequence[str]) -> None:
    for row, side in column[~column.isin(sides)].items():
        raise HerbariumError(
            f"{path}, row {row + 1}, column '{column.name}': '{side}' is not one of the "
            f"sides{did_you_mean(side, sides)}."
        )


def _check_letters(path: str | Path, table: pd.DataFrame) -> None:
    wanted = ", ".join(LETTERS)
    if LETTER not in table:
        raise HerbariumError(f"{path}: the column '{LETTER}' is missing: {wanted}, that of each answer.")
    letters = table.groupby("set", sort=False)[LETTER].agg(lambda of_set: sorted(of_set) == [*LETTERS])
    for name in letters.index[~letters]:
        row = table.index[table["set"] == name][0] + 1
        raise HerbariumError(f"{path}, row {row}, column '{LETTER}': those of the set '{name}' are not {wanted}.")


def _set_of(contrast: str) -> str:
    return "set" if contrast == CANDIDATES else "pair"


def _is_faulty(table: pd.DataFrame, sides: Sequence[str], shared: Sequence[str]) -> pd.Series:
    """Whether a set has a fault, marked in at least one of its rows: for all sets at once, as there may be tens of
    thousands. table: with no other sides."""
    of_set = table.groupby("set", sort=False)
    is_twice = table.duplicated(["set", "side"]) | table.duplicated(["set", "text"])
    differs = (table[list(shared)] != of_set[list(shared)].transform("first")).any(axis="columns")
    return is_twice | differs | (of_set["side"].transform("size") != len(sides))


def _check_set(path: str | Path, name: str, rows: pd.DataFrame, sides: Sequence[str], shared: Sequence[str]) -> None:
    """As `check`, one set. shared: columns in which all its sentences have the same."""
    first = rows.index[0] + 1
    for side, of_side in rows.groupby("side", sort=False):
        if len(of_side) > 1:
            one, other, *_ = of_side.index + 1
            raise HerbariumError(
                f"{path}, row {other}, column 'side': the set '{name}' has '{side}' already in row {one}; each side "
                "occurs once in a set."
            )
    for side in sides:
        if side not in set(rows["side"]):
            raise HerbariumError(f"{path}, row {first}: the set '{name}' has no sentence with the side '{side}'.")
    for column in shared:
        differs = rows[column] != rows[column].iloc[0]
        if differs.any():
            row = differs.idxmax()
            raise HerbariumError(
                f"{path}, row {row + 1}, column '{column}': '{rows[column][row]}', but '{rows[column].iloc[0]}' in row "
                f"{first}; all sentences of the set '{name}' must have the same."
            )
    twice = rows["text"].duplicated()
    if twice.any():
        raise HerbariumError(
            f"{path}, row {twice.idxmax() + 1}, column 'text': the set '{name}' has the same sentence twice; compared "
            "sentences must differ."
        )


def instantiate(table: pd.DataFrame, sides: Sequence[str], score: str) -> pd.DataFrame:
    """The sentences of `read` by set, in the order of the sides: a table of `stimuli_of`."""
    set_rank = table["set"].map({name: rank for rank, name in enumerate(table["set"].unique())})
    side_rank = table["side"].map(list(sides).index)
    rows = table.assign(set_rank=set_rank, side_rank=side_rank).sort_values(["set_rank", "side_rank"])
    ids = paired_ids(rows["side"], rows["text"].tolist()) if score in OF_PAIRS else rows["marked"].map(sentence_id)
    rows = rows.assign(sentence_id=ids).drop(columns=["marked", "set_rank", "side_rank"])
    return rows.reset_index(drop=True)


def sampled(table: pd.DataFrame, limit: int, random: np.random.Generator) -> tuple[pd.DataFrame, str | None]:
    """At most `limit` sets of a table of `read`, drawn at random, in their order; and what they are, in words, if they
    are not all."""
    names = table["set"].unique()
    if limit >= len(names):
        return table, None
    chosen = table["set"].isin(random.choice(names, limit, replace=False))
    note = f"a pilot: a random sample of {limit:,} of {len(names):,} sets, which is not the number of the whole"
    return table[chosen].reset_index(drop=True), note


def stimuli_of(table: pd.DataFrame) -> Schema:
    """The schema "sentence_sets_stimuli" of a table of `instantiate`, whose covariates and slots are its own."""
    places = [f"{slot}_{bound}" for slot in slots(table) for bound in ("start", "end")]
    return schema(
        "sentence_sets_stimuli",
        ("sentence_id", pa.int64()),
        *((name, pa.string()) for name in (*COLUMNS, *covariates(table))),
        *((name, pa.int32()) for name in places),
        nullable=tuple(places),
    )


def observe(stimuli: pd.DataFrame, scores: pd.DataFrame, score: str, columns: Mapping[str, str | None]) -> pd.DataFrame:
    """A table of the schema "sentence_sets_observations": refused sentences have null values.

    stimuli: of the schema "sentence_sets_stimuli". scores: of the schema "scores", with every sentence of them. score:
    of SCORES. columns: which of the stimuli's are `unit`, `crossed_with` and `each`, None if there is none.
    """
    if score == SLOT_MEAN:
        scores = scores.assign(value=scores["value"] / scores["n_tokens"])
    values, notes = by_sentence(scores)
    scored = pd.DataFrame({"value": value(values, score), "note": notes}).join(tokens(scores))
    named = {name: stimuli[column] if column else None for name, column in columns.items()}
    named |= {name: stimuli.get(name) for name in (CORRECT, LETTER)}
    return told_apart(stimuli.assign(**named).join(scored, on="sentence_id"))[OBSERVATIONS.fields.names]


def value(values: Mapping[str, pd.Series], score: str) -> pd.Series:
    """A score from the quantities of a kind of model."""
    first, *rest = next(names for names in SCORES[score].values() if names[0] in values)
    return values[first] - values[rest[0]] if rest else values[first]
