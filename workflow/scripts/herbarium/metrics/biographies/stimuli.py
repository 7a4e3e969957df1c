"""Biographies as they are and scrubbed, their occupations and genders, and which are for training and testing."""

import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.sparse import csr_array

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.random import stream
from herbarium.core.resources import finder
from herbarium.core.rows import account, require_matched
from herbarium.core.store import schema
from herbarium.statistics.repeats import content
from herbarium.vectors import tables

GENDERS = (FEMALE, MALE) = ("female", "male")
FORMS = (AS_IS, SCRUBBED) = ("as_is", "scrubbed")
_WORD = re.compile(r"\w+")
PARTS = (TRAIN, TEST) = ("train", "test")
# One row per needed vector, in the order of the table of words: first all biographies as they are, then the same,
# scrubbed. `language`: null if the data have no such column.
DESIGN = schema(
    "biographies",
    ("biography", pa.int64()),
    ("form", pa.string()),
    ("occupation", pa.string()),
    ("gender", pa.string()),
    ("language", pa.string()),
    ("part", pa.string()),
    nullable=("language",),
)


def scrubbed(text: str, gendered: re.Pattern, name: str = "") -> str:
    """A text without its gendered words and without every part of a name, with single spaces between words.

    Zhao (2021, Section 3.3.3.1): "removing the names and some gender indicators (e.g., gendered pronouns and prefixes
    such as 'Mr.' or 'Ms.')".
    """
    text = gendered.sub("", text)
    if name.split():
        text = finder(name.split(), re.IGNORECASE).sub("", text)
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split()))


def cut(text: str, max_words: int) -> str:
    """The first words of a text."""
    words = text.split()
    return text if len(words) <= max_words else " ".join(words[:max_words])


def labelled(tables_: dict[str | None, pd.DataFrame], task: dict, where: str) -> tuple[pd.DataFrame, dict[str, int]]:
    """The usable rows of a task, and the numbers of others by reason.

    tables_: of `sources.read`. task: as in the configuration. where: the file or data set, for messages. Returns the
    columns text, occupation, gender, language, name, part (null if it is still to be made) and, for planted ones, topic
    and lean.

    Raises HerbariumError for a missing column or split, a number without a name, or rows of only one gender or one
    occupation.
    """
    rows = pd.concat([_rows(table, piece, task, where) for piece, table in tables_.items()], ignore_index=True)
    n_read, left_out = len(rows), {}
    if task["train"]:
        part_of = {value: part for part, values in ((TRAIN, task["train"]), (TEST, task["test"])) for value in values}
        for value in part_of:
            if value not in set(rows["part"]):
                known = ", ".join(f"'{other}'" for other in rows["part"].unique()[:10])
                raise HerbariumError(f"{where}: of {n_read} rows none is in '{value}'; the data have {known}.")
        rows["part"] = rows["part"].map(part_of)
        left_out["of another split"] = int(rows["part"].isna().sum())
        rows = rows[rows["part"].notna()]
    else:
        rows["part"] = None
    gender_of = {value: gender for gender in GENDERS for value in task[gender]}
    values = rows["gender"].value_counts()
    rows = rows.assign(gender=rows["gender"].map(gender_of))
    for gender in GENDERS:
        if not (rows["gender"] == gender).any():
            known = ", ".join(f"'{value}' ({n})" for value, n in values.head(10).items())
            wanted = " or ".join(f"'{value}'" for value in task[gender])
            raise HerbariumError(
                f"{where}: of {len(rows)} rows none has {wanted} in the column '{task['gender']}', for biographies of "
                f"the gender '{gender}'; it has {known}."
            )
    require_matched(f"{where}, column '{task['gender']}'", gender_of, values.index)
    for why, is_faulty in (
        ("of another gender", rows["gender"].isna()),
        ("without text", rows["text"].str.strip() == ""),
        ("without occupation", rows["occupation"] == ""),
        ("with the text of an earlier one", rows["text"].map(content).duplicated()),
    ):
        is_faulty = is_faulty.reindex(rows.index)
        left_out[why] = int(is_faulty.sum())
        rows = rows[~is_faulty]
    if (n := rows["occupation"].nunique()) < 2:
        raise HerbariumError(f"{where}: {len(rows)} biographies have {n} occupation; at least two are needed.")
    account(where, n_read, len(rows), left_out)
    return rows.reset_index(drop=True), {why: n for why, n in left_out.items() if n}


def _rows(table: pd.DataFrame, piece: str | None, task: dict, where: str) -> pd.DataFrame:
    named = {key: task[key] for key in ("text", "occupation", "gender", "language", "name", "column")}
    for column in filter(None, named.values()):
        if column not in table:
            raise HerbariumError(f"{where}: it has no column '{column}'{did_you_mean(column, list(table.columns))}")
    columns = pd.DataFrame({key: _as_text(table[column]) for key, column in named.items() if column})
    if task["occupations"]:
        number = columns["occupation"].map({str(number): name for number, name in enumerate(task["occupations"])})
        if number.isna().any():
            unknown = columns["occupation"][number.isna()].iloc[0]
            raise HerbariumError(
                f"{where}: '{unknown}' in the column '{task['occupation']}' is not one of the numbers from 0 to "
                f"{len(task['occupations']) - 1} named in 'occupations'."
            )
        columns["occupation"] = number
    columns["part"] = columns.pop("column") if task["column"] else piece
    known = {
        key: table[key].to_numpy() for key in ("topic", "lean") if key in table and task["data"]["planted"] is not None
    }
    return (
        columns.reindex(columns=["text", "occupation", "gender", "language", "name", "part"])
        .astype(object)
        .assign(**known)
    )


def _as_text(column: pd.Series) -> pd.Series:
    """Cells as text: a whole number without a point, null as ""."""
    cells = column.reset_index(drop=True).convert_dtypes().astype(object)
    return cells.map(str, na_action="ignore").where(cells.notna(), "").astype(object)


def divided(rows: pd.DataFrame, test_share: float, max_texts: int, name: str, seed: int) -> pd.DataFrame:
    """The rows, or a random sample of the largest number; those without a split are divided: the same share of each
    occupation, gender and language is for testing. name: of the task."""
    if len(rows) > max_texts:
        chosen_rows = stream(seed, "biographies", name, "max_texts").choice(len(rows), max_texts, replace=False)
        rows = rows.iloc[np.sort(chosen_rows)]
    rows = rows.reset_index(drop=True)
    if rows["part"].isna().all():
        random = stream(seed, "biographies", name, TEST)
        place = pd.Series(random.permutation(len(rows)), rows.index)
        of_group = place.groupby([rows["occupation"], rows["gender"], rows["language"].fillna("")])
        is_test = of_group.rank() <= (test_share * of_group.transform("size")).round()
        rows = rows.assign(part=np.where(is_test, TEST, TRAIN))
    return rows


def vocabulary(texts: Iterable[str]) -> pd.DataFrame:
    """The words of texts, once each, of the schema "words": the words to look up in sources with vectors of words."""
    return tables.bare(sorted({word for text in texts for word in _WORD.findall(text)}))


def averaged(texts: Sequence[str], words: Sequence[str], vectors: tables.Vectors) -> tables.Vectors:
    """Vectors of texts: the mean of those of their words, counted with repetitions; nan without one.

    words, vectors: of `vocabulary` of these texts.
    """
    has = np.isfinite(vectors.values).all(axis=(1, 2))
    place = {word: row for row, word in enumerate(words)}
    word_places = [[place[word] for word in _WORD.findall(text)] for text in texts]
    of_text, of_word = (
        np.repeat(np.arange(len(word_places)), [len(rows) for rows in word_places]),
        np.concatenate(word_places).astype(int),
    )
    counts = csr_array((np.ones(len(of_word)), (of_text, of_word)), shape=(len(word_places), len(place)))
    n = counts @ has.astype(float)
    sums = counts @ np.where(has[:, None, None], vectors.values, 0).reshape(len(place), -1)
    means = np.divide(sums, n[:, None], out=np.full(sums.shape, np.nan), where=n[:, None] > 0)
    notes = np.where(n > 0, None, "no word with a vector")
    values = means.reshape(len(word_places), *vectors.values.shape[1:]).astype(np.float32)
    return tables.Vectors(vectors.layers, values, n.astype(int), notes)


def few(rows: pd.DataFrame, min_texts: int) -> dict[str, str]:
    """Occupations that are left out, and why: with too few biographies of women or of men, for training or testing.

    rows: occupation, gender, part.
    """
    wanted = pd.MultiIndex.from_product([PARTS, GENDERS])
    counts = rows.groupby(["occupation", "part", "gender"]).size().unstack(["part", "gender"], fill_value=0)
    counts = counts.reindex(columns=wanted, fill_value=0)
    reasons = {}
    for occupation, row_counts in counts.iterrows():
        if (row_counts < min_texts).any():
            part, gender = row_counts.idxmin()
            reasons[occupation] = f"{row_counts.min()} {gender} to {part}"
    return reasons


def counted(design: pd.DataFrame, removed: dict[str, int], left_out: dict[str, str]) -> dict:
    """The page's facts about the biographies of a task, as plain data.

    design: of `DESIGN`. removed: the numbers of biographies left out or changed, by reason. left_out: occupations, of
    `few`.
    """
    originals = design[design["form"] == AS_IS]
    parts = {
        part: {gender: int(((originals["part"] == part) & (originals["gender"] == gender)).sum()) for gender in GENDERS}
        for part in PARTS
    }
    n = {"n": len(originals), "n_occupations": int(originals["occupation"].nunique())}
    return n | {"parts": parts, "said": removed, "left_out": left_out}


def instantiate(
    rows: pd.DataFrame, gendered: Collection[str], max_words: int
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, int]]:
    """The texts whose vectors are needed, of the schema "words"; their design, of `DESIGN`; and the notes.

    rows: of `divided`. gendered: words that scrubbing removes. max_words: longer texts are cut to this number. A text
    that scrubbing empties is left out.
    """
    finds = finder(gendered, re.IGNORECASE)
    names = rows["name"].fillna("")
    as_is = [cut(text, max_words) for text in rows["text"]]
    bare = [scrubbed(text, finds, name) for text, name in zip(as_is, names, strict=True)]
    has_words = np.array([any(map(str.isalnum, text)) for text in bare], dtype=bool)
    removed = {
        f"cut to {max_words} words": sum(text != whole for text, whole in zip(as_is, rows["text"], strict=True)),
        "left out, as scrubbing leaves nothing": int((~has_words).sum()),
    }
    rows = rows.assign(**{AS_IS: as_is, SCRUBBED: bare})[has_words].reset_index(drop=True)
    is_planted = "topic" in rows
    by_gender = np.where(rows["gender"] == MALE, 1.0, -1.0)
    words, design = [], []
    for form in FORMS:
        known = {"gender": by_gender if form == AS_IS else np.zeros(len(rows))}
        if is_planted:
            known |= {"concept": rows["topic"], "lean": rows["lean"]}
        words.append(tables.bare(rows[form], **known))
        about = rows[["occupation", "gender", "language", "part"]]
        design.append(about.assign(biography=rows.index, form=form)[DESIGN.fields.names])
    frames = [pd.concat(parts, ignore_index=True) for parts in (words, design)]
    return *frames, {what: n for what, n in removed.items() if n}
