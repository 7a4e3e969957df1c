"""Texts in two guises, a dialect and the standard, in prompts that end in an attribute of who says them.

- pairs: a text in the dialect and one in the standard on each line, with a tab between them, as the authors' files;
- attributes: one per line;
- prompts: one per line, with [text] once and, after it, [attribute] once;
- ratings: a CSV with `attribute` and `rating`, in any unit; attributes may be without one.
"""

import re
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import steps
from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.passages import Table, Text
from herbarium.core.resources import check_cells, check_distinct, fill, lines, read_text_table, read_words, slots
from herbarium.core.store import schema
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import ASKED, LL_ASKED, SLOT, Scores
from herbarium.scoring.sentences import sentence_id, tokens, told_apart

# log p(attribute | prompt): of all of its tokens, each masked, or given all before them.
QUANTITIES = {Kind.masked: [SLOT], Kind.causal: [LL_ASKED]}
ROLES = {"attribute": ASKED}
GUISES = (DIALECT, STANDARD) = ("dialect", "standard")
_SLOTS = ["text", "attribute"]
_PLACE = ["unit", "pair", "prompt", "attribute"]
# One row per sentence. `unit` and `pair` are numbers from 0. The attribute's place is in characters, end exclusive; its
# `rating` is null if it has none.
STIMULI = schema(
    "matched_guise_stimuli",
    ("sentence_id", pa.int64()),
    ("text", pa.string()),
    *((name, pa.int64()) for name in ("unit", "pair")),
    *((name, pa.string()) for name in ("prompt", "guise", "said", "attribute")),
    *((f"attribute_{bound}", pa.int32()) for bound in ("start", "end")),
    ("rating", pa.float64()),
    nullable=("rating",),
)
Sentences = Annotated[
    pd.DataFrame,
    Table(steps.SENTENCES, STIMULI, says={"quantities": QUANTITIES, "slots": list(ROLES), "roles": ROLES}),
]
# One row per pair and attribute. `difference`: log p of the attribute after the dialect minus that after the standard,
# in nats, the mean over prompts; null, with the reason, if one of the sentences was refused.
OBSERVATIONS = schema(
    "matched_guise_observations",
    *((name, pa.int64()) for name in ("unit", "pair")),
    *((name, pa.string()) for name in (*GUISES, "attribute")),
    *((name, pa.float64()) for name in ("rating", "difference")),
    ("note", pa.string()),
    nullable=("rating", "difference", "note"),
)
Observations = Annotated[pd.DataFrame, Table(steps.OBSERVATIONS, OBSERVATIONS)]
_AN = re.compile(r"\ban \[attribute\]", re.IGNORECASE)
_A = re.compile(r"\ba \[attribute\]", re.IGNORECASE)


class Lists(NamedTuple):
    """What is asked. pairs: (dialect, standard). ratings: by attribute; empty without any."""

    pairs: list[tuple[str, str]]
    attributes: list[str]
    prompts: list[str]
    ratings: dict[str, float]


def read_pairs(path: str | Path) -> list[tuple[str, str]]:
    """Raises HerbariumError, with the line, for one without exactly one tab, an empty text, a text that is the same in
    both guises, or a pair that occurs twice."""
    pairs = []
    for number, line in lines(path):
        texts = tuple(text.strip() for text in line.split("\t"))
        if len(texts) != 2 or not all(texts):
            raise HerbariumError(
                f"{path}, line {number}: it should have a text in the dialect, a tab, and one in the standard."
            )
        if texts[0] == texts[1]:
            raise HerbariumError(f"{path}, line {number}: '{texts[0]}' is the same in both guises; they must differ.")
        pairs.append(texts)
    if not pairs:
        raise HerbariumError(f"{path}: it has no pairs.")
    check_distinct(path, pd.Series(["\t".join(pair) for pair in pairs]))
    return pairs


def read_prompts(path: str | Path) -> list[str]:
    """Raises HerbariumError, with the line, for a prompt without [text] and, after it, [attribute]."""
    prompts = read_words(path)
    for number, prompt in lines(path):
        if slots(prompt) != _SLOTS:
            raise HerbariumError(
                f"{path}, line {number}: '{prompt}' should have [text] once and, after it, [attribute] once."
            )
    return prompts


def read_ratings(path: str | Path) -> dict[str, float]:
    """By attribute. Raises HerbariumError, with the row, for a missing or repeated attribute and for no number."""
    table = read_text_table(path, ["attribute", "rating"])
    check_cells(path, table, ["attribute", "rating"])
    check_distinct(path, table["attribute"])
    ratings = pd.to_numeric(table["rating"], errors="coerce")
    if (faulty := ~np.isfinite(ratings)).any():
        row = faulty.idxmax()
        raise HerbariumError(f"{path}, row {row + 1}, column 'rating': '{table['rating'][row]}' is not a number.")
    if ratings.nunique() == 1:
        raise HerbariumError(f"{path}, column 'rating': all ratings are equal; nothing can depend on them.")
    return dict(zip(table["attribute"], ratings.astype(float), strict=True))


def read(pairs: str | Path, attributes: str | Path, prompts: str | Path, ratings: str | Path | None) -> Lists:
    """The lists of the files. Raises HerbariumError as their readers, and for a rating of an attribute that is not
    asked for, and an attribute that no prompt takes."""
    lists = Lists(
        read_pairs(pairs), read_words(attributes), read_prompts(prompts), read_ratings(ratings) if ratings else {}
    )
    for attribute in lists.ratings:
        if attribute not in lists.attributes:
            raise HerbariumError(
                f"{ratings}: '{attribute}' is rated, but {attributes} does not have "
                f"it{did_you_mean(attribute, lists.attributes)}."
            )
    for attribute in lists.attributes:
        if not any(takes(prompt, attribute) for prompt in lists.prompts):
            raise HerbariumError(
                f"{prompts}: no prompt takes '{attribute}'; add one with the article that fits it, or without one."
            )
    return lists


def takes(prompt: str, attribute: str) -> bool:
    """Whether the article before the attribute, if there is one, fits it: *an* before a vowel letter, as in the
    released code."""
    begins_with_vowel = attribute[:1].lower() in set("aeiou")
    return not (_A if begins_with_vowel else _AN).search(prompt)


GuiseLists = Annotated[Lists, Text(read, ("pairs", "attributes", "prompts", "ratings"))]


def instantiate(lists: GuiseLists, pairs_per_unit: int) -> Sentences:
    """The two guises of a pair, prompt and attribute follow each other.

    pairs_per_unit: as many successive pairs are one unit.
    """
    rows = []
    for prompt in lists.prompts:
        taken = [attribute for attribute in lists.attributes if takes(prompt, attribute)]
        for pair, texts in enumerate(lists.pairs):
            for attribute in taken:
                for guise, said in zip(GUISES, texts, strict=True):
                    text, spans = fill(prompt, text=said, attribute=attribute)
                    place = (pair // pairs_per_unit, pair, prompt, guise, said, attribute)
                    rows.append((sentence_id(f"{text}\x1f{attribute}"), text, *place, *spans["attribute"]))
    table = pd.DataFrame(rows, columns=STIMULI.fields.names[:-1])
    return table.assign(rating=table["attribute"].map(lists.ratings).astype(float))


def asked(sentences: Sentences) -> Lists:
    """The lists of which sentences were made, without the pairs."""
    attributes = sentences.drop_duplicates("attribute").set_index("attribute")["rating"]
    return Lists([], list(attributes.index), list(sentences["prompt"].unique()), attributes.dropna().to_dict())


def observe(sentences: Sentences, scores: Scores) -> Observations:
    """Texts that are the same to the model are left out, since their difference would be 0 whatever the model."""
    scored = scores.drop_duplicates("sentence_id").set_index("sentence_id")[["value", "note"]].join(tokens(scores))
    sentences = sentences.join(scored, on="sentence_id")
    sentences = told_apart(sentences.assign(set=sentences.groupby(_PLACE).ngroup()))
    of_guise = {guise: rows.set_index(_PLACE) for guise, rows in sentences.groupby("guise")}
    both = pd.DataFrame(
        {
            **{guise: of_guise[guise]["said"] for guise in GUISES},
            "difference": of_guise[DIALECT]["value"] - of_guise[STANDARD]["value"],
            "note": of_guise[DIALECT]["note"].fillna(of_guise[STANDARD]["note"]),
        }
    )
    of_pairs = both.groupby(["unit", "pair", *GUISES, "attribute"], sort=False)
    table = of_pairs.agg(
        difference=("difference", lambda values: values.mean(skipna=False)), note=("note", "first")
    ).reset_index()
    ratings = sentences.drop_duplicates("attribute").set_index("attribute")["rating"]
    return table.assign(rating=table["attribute"].map(ratings))[OBSERVATIONS.fields.names]
