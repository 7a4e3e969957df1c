"""Sentences that name a person by a descriptor and a noun, in templates (HolisticBias, Smith et al. 2022, EMNLP).

Lists are a folder in the format of the authors (facebookresearch/ResponsibleNLP, holistic_bias/dataset):

- descriptors.json: {axis: {bucket: [descriptor, …]}}; a descriptor is a text, or an object with `descriptor` and, if
  it has them, `gender` and `article` (the one that its first letter does not tell);
- nouns.json: {gender: [[noun, plural], …]};
- sentence_templates.json: {template: {…}}, with the slot {noun_phrase} or {plural_noun_phrase};
- standalone_noun_phrases.json, if there is one: {axis: [phrase, …]}; a phrase is a text, or an object with
  `noun_phrase` and, if it is another, `plural_noun_phrase`. Its slots are {article} and {noun}.

As in the authors' measurement, a sentence has both a descriptor and a noun, and descriptors of one gender, which do not
go with every noun, are left out: so all descriptors of an axis stand in the same templates with the same nouns.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import pandas as pd
import pyarrow as pa

from herbarium.core import steps
from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.passages import Table, Text
from herbarium.core.resources import read_text, sameness
from herbarium.core.store import schema
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import LL, PLL, Scores
from herbarium.scoring.sentences import sentence_id, shard_of, tokens, told_apart

QUANTITIES = {Kind.masked: [PLL], Kind.causal: [LL]}
CELL = ("axis", "descriptor", "template", "noun")
_SENTENCES = (("sentence_id", pa.int64()), ("text", pa.string()), *((name, pa.string()) for name in CELL))
STIMULI = schema("likelihood_bias_stimuli", *_SENTENCES)
Sentences = Annotated[pd.DataFrame, Table(steps.SENTENCES, STIMULI, says={"quantities": QUANTITIES, "slots": []})]
# `value`: minus the mean log-probability of a token; null if the sentence was refused.
OBSERVATIONS = schema(
    "likelihood_bias_observations",
    *_SENTENCES,
    ("value", pa.float64()),
    ("n_tokens", pa.int32()),
    ("note", pa.string()),
    nullable=("value", "note"),
)
Observations = Annotated[pd.DataFrame, Table(steps.OBSERVATIONS, OBSERVATIONS)]
DESCRIPTORS, NOUNS, TEMPLATES, PHRASES = (
    f"{name}.json" for name in ("descriptors", "nouns", "sentence_templates", "standalone_noun_phrases")
)
_SLOTS = (SINGULAR, PLURAL) = ("{noun_phrase}", "{plural_noun_phrase}")


class Phrase(NamedTuple):
    """How a descriptor stands with a noun, with the slots {article} and {noun}; its own article, if it has one."""

    descriptor: str
    singular: str
    plural: str
    article: str | None = None


class Lists(NamedTuple):
    """phrases: by axis. nouns: singular -> plural."""

    phrases: dict[str, list[Phrase]]
    nouns: dict[str, str]
    templates: list[str]


def files(folder: str | Path) -> list[Path]:
    """The files of lists that are there; those that must be, whether they are or not."""
    further = Path(folder, PHRASES)
    return [Path(folder, name) for name in (DESCRIPTORS, NOUNS, TEMPLATES)] + [further] * further.exists()


def read(folder: str | Path, axes: list[str] | None = None) -> Lists:
    """The lists in a folder. axes: those that are wanted; None: all.

    Raises HerbariumError, with file and entry, if a file or key is missing, a template or phrase does not have its
    slots, a word is listed twice, or an axis has fewer than two descriptors.
    """
    where = dict(zip((DESCRIPTORS, NOUNS, TEMPLATES, PHRASES), files(folder), strict=False))
    phrases: dict[str, list[Phrase]] = {axis: [] for axis in axes or ()}
    for axis, phrase in _phrases(where):
        if not axes or axis in axes:
            phrases.setdefault(axis, []).append(phrase)
    for axis, of_axis in phrases.items():
        place = f"{where[DESCRIPTORS]}: the axis '{axis}'"
        if not of_axis and axes:
            known = sorted({name for name, _ in _phrases(where)})
            raise HerbariumError(f"{place} does not exist{did_you_mean(axis, known)}; known: {', '.join(known)}.")
        if len(of_axis) < 2:
            raise HerbariumError(
                f"{place} has one descriptor without a gender, '{of_axis[0].descriptor}', and nothing to compare it "
                "with: give it another one, or leave the axis out."
            )
        _refuse_repeated(place, [phrase.descriptor for phrase in of_axis])
    if not phrases:
        raise HerbariumError(f"{where[DESCRIPTORS]}: it has no descriptors.")
    nouns = list(_nouns(where[NOUNS]))
    _refuse_repeated(where[NOUNS], [noun for noun, _ in nouns])
    return Lists(phrases, dict(nouns), list(_templates(where[TEMPLATES])))


def _refuse_repeated(place: object, words: list[str]) -> None:
    seen: dict[str, str] = {}
    for word in words:
        if seen.setdefault(sameness(word), word) is not word:
            raise HerbariumError(f"{place}: '{word}' is listed twice.")


def _object(path: Path, holds: str) -> dict:
    try:
        content = json.loads(read_text(path))
    except ValueError as error:
        raise HerbariumError(f"{path}: this is no JSON ({error}).") from None
    if not isinstance(content, dict) or not content:
        raise HerbariumError(f"{path}: it should be an object of {holds}.")
    return content


def _entries(path: Path, place: str, content: object, key: str) -> Iterator[dict]:
    """The entries of a list, each of which is a text or an object with a key."""
    for number, entry in enumerate(content if isinstance(content, list) else [None], start=1):
        fields = {key: entry} if isinstance(entry, str) else entry
        if not isinstance(fields, dict) or not isinstance(fields.get(key), str) or not fields[key].strip():
            raise HerbariumError(f"{path}: {place}, entry {number}: it should be a text, or an object with '{key}'.")
        yield fields


def _phrases(where: Mapping[str, Path]) -> Iterator[tuple[str, Phrase]]:
    """Each axis with a phrase of it, descriptors before a noun first."""
    path = where[DESCRIPTORS]
    for axis, buckets in _object(path, "axes").items():
        if not isinstance(buckets, dict):
            raise HerbariumError(f"{path}: the axis '{axis}' should be an object of buckets, each a list.")
        for bucket, content in buckets.items():
            for fields in _entries(path, f"axis '{axis}', bucket '{bucket}'", content, "descriptor"):
                word = fields["descriptor"]
                if "gender" not in fields:
                    article = fields.get("article") or _article(word)
                    before = word.replace("{", "{{").replace("}", "}}")
                    yield axis, Phrase(word, f"{{article}} {before} {{noun}}", f"{before} {{noun}}", article)
    if PHRASES not in where:
        return
    path = where[PHRASES]
    for axis, content in _object(path, "axes").items():
        for fields in _entries(path, f"axis '{axis}'", content, "noun_phrase"):
            singular = fields["noun_phrase"]
            if "{noun}" not in singular:
                continue  # a phrase of its own has no noun to be compared by
            plural = fields.get("plural_noun_phrase", singular)
            try:
                descriptor = singular.format(article="", noun="").lstrip()
                plural.format(article="", noun="")
            except (KeyError, IndexError, ValueError) as error:
                raise HerbariumError(
                    f"{path}: axis '{axis}': '{singular}' should have no other slots than {{article}} and {{noun}} "
                    f"({error!r})."
                ) from None
            yield axis, Phrase(descriptor, singular, plural)


def _nouns(path: Path) -> Iterator[tuple[str, str]]:
    for gender, pairs in _object(path, "genders, each a list of nouns").items():
        for pair in pairs if isinstance(pairs, list) else [pairs]:
            if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(noun, str) and noun for noun in pair)):
                raise HerbariumError(f"{path}: '{gender}': {pair!r} should be a noun with its plural, in a list.")
            yield pair[0], pair[1]


def _templates(path: Path) -> Iterator[str]:
    for template in _object(path, "templates"):
        if sum(slot in template for slot in _SLOTS) != 1 or template.count("{") != 1 or template.count("}") != 1:
            raise HerbariumError(f"{path}: '{template}' should have one slot, {SINGULAR} or {PLURAL}.")
        yield template


def _article(word: str) -> str:
    """The article by the first letter, as the authors choose it."""
    return "an" if word[0].lower() in "aeiou" else "a"


def instantiate(lists: Annotated[Lists, Text(read, ("lists", "axes"))], shard: int, n_shards: int) -> Sentences:
    """Every descriptor of a shard with every noun in every template."""
    rows = []
    for axis, phrases in lists.phrases.items():
        for phrase in phrases:
            if shard_of(f"{axis}/{phrase.descriptor}", n_shards) != shard:
                continue
            for noun, plural in lists.nouns.items():
                one = phrase.singular.format(article=phrase.article or _article(noun), noun=noun)
                several = phrase.plural.format(article="", noun=plural).lstrip()
                for template in lists.templates:
                    text = template.replace(SINGULAR, one).replace(PLURAL, several)
                    rows.append((sentence_id(text), text, axis, phrase.descriptor, template, noun))
    return pd.DataFrame(rows, columns=STIMULI.fields.names)


def observe(sentences: Sentences, scores: Scores) -> Observations:
    """One row per sentence. scores: of one quantity. A sentence that is to the model the same as that of another
    descriptor has no value."""
    of_sentence = scores.drop_duplicates("sentence_id").set_index("sentence_id")[["value", "note"]]
    table = sentences.join(of_sentence, on="sentence_id").join(tokens(scores), on="sentence_id")
    table["value"] = -table["value"] / table["n_tokens"]
    table["set"] = table.groupby(["axis", "template", "noun"], sort=False).ngroup()
    return told_apart(table)[OBSERVATIONS.fields.names]
