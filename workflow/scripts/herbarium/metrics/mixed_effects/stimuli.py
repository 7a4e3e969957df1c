"""Stimuli of the mixed-effects metric (Shrestha et al. 2025, Section 2.1): a gendered word and a target in a template.

A set of them is a folder with four tables:

- templates.csv: `key`, `asked`, `text`; `kind` (such as direct); `negative`, yes if negative targets fit too;
- pairs.csv: `female`, `male`: gendered words; `common`, yes for pairs of a smaller set; `determiner`, if it has its
  own;
- pronouns.csv: `gender`, `subject`, `object`, `possessor`, `possessive`: forms of the words that take no determiner;
  `released_possessor`: the released code's possessor if different;
- targets.csv: `dimension`, `polarity` (positive or negative), `target`; `a`, `the`: articles if they are not the spoken
  a or an; `released_a`: the released code's article if different.

A template has the slot that `asked` names, [subject], [object], [possessor] or [possessive], and may have another of
these, which is hidden with it, as it would reveal the gender. [determiner] is for the words that take one: each
candidate makes a sentence, and a model's pseudo-perplexity chooses among them. An empty filler also removes the space
after it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.core.store import schema
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import (
    ASKED,
    CONDITION,
    HIDDEN,
    LOSS,
    PPPL,
    SLOT,
    SLOT_PRIOR,
    SLOT_PRIOR_RELEASED,
    SLOT_RELEASED,
)
from herbarium.scoring.sentences import by_sentence, sentence_id, shard_of, tokens, told_apart

SLOTS = (ASKED, CONDITION, HIDDEN)
# One row per candidate sentence. `word` and `target` are as listed. `definition` is null if a sentence serves both.
# Spans are characters of `text`, end exclusive: of the gendered word, of the target, and of what is hidden.
STIMULI = schema(
    "mixed_effects_stimuli",
    ("sentence_id", pa.int64()),
    ("text", pa.string()),
    ("template", pa.string()),
    ("target", pa.string()),
    ("gender", pa.string()),
    ("word", pa.string()),
    ("determiner", pa.string()),
    ("definition", pa.string()),
    *((f"{slot}_{bound}", pa.int32()) for slot in SLOTS for bound in ("start", "end")),
    nullable=("definition", "hidden_start", "hidden_end"),
)
# One row per sentence for the models of the metric, a word once for each of its pairs. `association` and `pppl` are
# null if the sentence was refused; `pair` is null for a word without a pair.
OBSERVATIONS = schema(
    "mixed_effects_observations",
    ("definition", pa.string()),
    ("template", pa.string()),
    ("target", pa.string()),
    ("pair", pa.string()),
    ("gender", pa.string()),
    ("word", pa.string()),
    ("determiner", pa.string()),
    ("association", pa.float64()),
    ("pppl", pa.float64()),
    ("n_tokens", pa.int32()),
    ("note", pa.string()),
    nullable=("pair", "association", "pppl", "note"),
)
# Definition -> the quantities whose difference is the association score.
ASSOCIATIONS = {"paper": (SLOT, SLOT_PRIOR), "released": (SLOT_RELEASED, SLOT_PRIOR_RELEASED)}
# A causal model has no mask: the association is minus the loss of the sentence (Appendix A.5.1).
QUANTITIES = {
    Kind.masked: [PPPL, *(quantity for pair in ASSOCIATIONS.values() for quantity in pair)],
    Kind.causal: [LOSS],
}
GENDERS = (FEMALE, MALE, NEO) = ("female", "male", "neo")
POLARITIES = (POSITIVE, NEGATIVE) = ("positive", "negative")

_GENDERED = ("subject", "object", "possessor", "possessive")
_FILES = {
    "templates": ["key", "asked", "text"],
    "pairs": [FEMALE, MALE],
    "pronouns": ["gender", *_GENDERED],
    "targets": ["dimension", "polarity", "target"],
}
_YES = ("yes", "")


@dataclass(frozen=True)
class Lists:
    """The four tables of a set of stimuli, text in every cell."""

    templates: pd.DataFrame
    pairs: pd.DataFrame
    pronouns: pd.DataFrame
    targets: pd.DataFrame


def read(folder: str | Path) -> Lists:
    """The lists in a folder.

    Raises HerbariumError, with file and row, for a missing column or cell, a repeated key or pair, a value that is
    invalid in its column, a gender without pronouns, and a template whose slots are not as described above.
    """
    paths = {name: Path(folder, f"{name}.csv") for name in _FILES}
    tables = {name: _table(path, _FILES[name]) for name, path in paths.items()}
    templates, pairs, pronouns, targets = tables.values()
    resources.check_distinct(paths["templates"], templates["key"])
    resources.check_distinct(paths["pairs"], pairs[FEMALE] + "-" + pairs[MALE])
    resources.check_distinct(paths["pronouns"], pronouns["subject"])
    for column, table, allowed in (
        ("polarity", targets, POLARITIES),
        ("negative", templates, _YES),
        ("common", pairs, _YES),
        ("gender", pronouns, GENDERS),
        ("asked", templates, _GENDERED),
    ):
        path = next(paths[name] for name in tables if tables[name] is table)
        _check_among(path, table, column, allowed)
    for gender in (FEMALE, MALE):
        if gender not in set(pronouns["gender"]):
            raise HerbariumError(
                f"{paths['pronouns']}: no row has the gender '{gender}', whose nouns need its pronouns."
            )
    for row in templates.itertuples():
        _check_template(row.text, row.asked, targets.columns, f"{paths['templates']}, row {row.Index + 1}")
    return Lists(**tables)


def as_record(lists: Lists) -> dict:
    """The design of a set of stimuli, as plain data: its lists."""
    return resources.as_record(vars(lists))


def lists_from(record: Mapping) -> Lists:
    """The lists of a design."""
    return Lists(**resources.tables_from(record))


def _table(path: Path, columns: list[str]) -> pd.DataFrame:
    table = resources.read_text_table(path, columns)
    resources.check_cells(path, table, columns)
    for column in table.columns.difference(["text"]):
        resources.check_spelling(path, table[column])
    resources.check_cells(path, table, table.columns, may_be_empty=True)
    return table


def _check_among(path: Path, table: pd.DataFrame, column: str, allowed: Collection[str]) -> None:
    if column in table.columns and not table[column].isin(allowed).all():
        row = (~table[column].isin(allowed)).idxmax()
        valid = ", ".join(value or "an empty cell" for value in allowed)
        raise HerbariumError(f"{path}, row {row + 1}: '{table[column][row]}' in the column '{column}'; valid: {valid}.")


def _check_template(text: str, gendered_slot: str, columns: Collection[str], place: str) -> None:
    slots = resources.slots(text)
    gendered = [slot for slot in slots if slot in _GENDERED]
    if slots.count("target") != 1 or gendered.count(gendered_slot) != 1 or len(gendered) > 2:
        raise HerbariumError(
            f"{place}: '{text}' must contain [target] and [{gendered_slot}] once, with at most one other of "
            f"{', '.join(f'[{slot}]' for slot in _GENDERED)}."
        )
    known = {*_GENDERED, "target", "determiner", "a", *({"the"} & set(columns))}
    for slot in slots:
        if slot not in known:
            raise HerbariumError(f"{place}: unknown slot [{slot}] in '{text}'; known: {', '.join(sorted(known))}.")


@cache
def article(word: str) -> str:
    """The indefinite article of a word, by its pronunciation."""
    import inflect

    return inflect.engine().a(word).partition(" ")[0]


@dataclass(frozen=True)
class Word:
    """A gendered word with the fillers of a template's gendered slots, and its candidate determiners."""

    gender: str
    word: str
    forms: dict[str, str]
    determiners: tuple[str, ...]


def gendered_words(lists: Lists, determiners: Collection[str]) -> list[Word]:
    """Every distinct gendered word: those of the pairs, then the pronouns without a pair."""
    pronouns = {row["subject"]: row for row in lists.pronouns.to_dict("records")}
    possessives = lists.pronouns.groupby("gender")["possessive"].first()
    articles = lists.pairs["determiner"] if "determiner" in lists.pairs.columns else pd.Series("", lists.pairs.index)
    by_word: dict[tuple[str, str], Word] = {}
    for gender in (FEMALE, MALE):
        for word, determiner in zip(lists.pairs[gender], articles, strict=True):
            if word not in pronouns:
                forms = {"subject": word, "object": word, "possessor": f"{word}'s", "possessive": possessives[gender]}
                candidates = (determiner,) if determiner else tuple(determiners)
                by_word.setdefault((gender, word), Word(gender, word, forms, candidates))
            else:
                by_word.setdefault((gender, word), Word(gender, word, _forms(pronouns[word]), ("",)))
    for word, row in pronouns.items():
        by_word.setdefault((row["gender"], word), Word(row["gender"], word, _forms(row), ("",)))
    return list(by_word.values())


def _forms(row: Mapping[str, str]) -> dict[str, str]:
    return {slot: row[slot] for slot in (*_GENDERED, "released_possessor") if slot in row}


def instantiate(
    lists: Lists, determiners: Collection[str], lowercase: bool, shard: int, n_shards: int
) -> Iterator[pd.DataFrame]:
    """Every candidate sentence of one shard's targets, as tables of the schema "mixed_effects_stimuli", by template.

    determiners: candidates of words without one of their own. lowercase: every sentence in lower case; else it begins
    with a capital. A shard has whole targets, so that a new one only adds to its own shard.
    """
    words = gendered_words(lists, determiners)
    of_shard = lists.targets[[shard_of(target, n_shards) == shard for target in lists.targets["target"]]]
    for template in lists.templates.to_dict("records"):
        rows = []
        for target in fitting(of_shard, template):
            for word in words:
                keys = {"template": template["key"], "target": target["target"]}
                keys |= {"gender": word.gender, "word": word.word}
                for definition, fillers in _variants(template["text"], target, word):
                    for determiner in word.determiners if "[determiner]" in template["text"] else ("",):
                        filled = fillers | {"determiner": determiner}
                        spoken = sentence(template["text"], template["asked"], filled, lowercase)
                        rows.append(keys | {"definition": definition, "determiner": determiner} | spoken)
        if rows:
            yield pd.DataFrame(rows, columns=STIMULI.fields.names)


def fitting(targets: pd.DataFrame, template: Mapping[str, str]) -> list[dict[str, str]]:
    """Rows of the distinct targets that fit a template; negative ones if its table says so, or has no such column."""
    takes = POLARITIES if template.get("negative", "yes") else (POSITIVE,)
    return targets[targets["polarity"].isin(takes)].drop_duplicates("target").to_dict("records")


def _variants(template: str, target: Mapping[str, str], word: Word) -> list[tuple[str | None, dict[str, str]]]:
    """(definition, fillers) of a target with a word: one for both definitions, or one for each."""
    paper = word.forms | target | {"a": target["a"] if "a" in target else article(target["target"])}
    released = paper | {slot: paper[f"released_{slot}"] for slot in ("a", "possessor") if paper.get(f"released_{slot}")}
    if all(paper[slot] == released[slot] for slot in resources.slots(template) if slot != "determiner"):
        return [(None, paper)]
    return [("paper", paper), ("released", released)]


_SLOT = re.compile(resources.SLOT.pattern + "( ?)")


def sentence(template: str, asked: str, fillers: Mapping[str, str], lowercase: bool) -> dict:
    """A template filled: `sentence_id`, `text` and the spans of `SLOTS`. asked: the gendered slot that is scored."""
    cased = str.lower if lowercase else str
    template = cased(template)
    text, spans, position = "", dict.fromkeys(f"{slot}_{bound}" for slot in SLOTS for bound in ("start", "end")), 0
    for match in _SLOT.finditer(template):
        slot, filler = match[1], cased(fillers[match[1]])
        text += template[position : match.start()]
        role = CONDITION if slot == "target" else ASKED if slot == asked else HIDDEN if slot in _GENDERED else None
        if role:
            # the 's of a possessor is not part of the word
            spans[f"{role}_start"], spans[f"{role}_end"] = len(text), len(text) + len(filler.removesuffix("'s"))
        text += filler + (match[2] if filler else "")
        position = match.end()
    text += template[position:]
    if not lowercase:
        text = text[:1].upper() + text[1:]
    # the same text may be scored for other words
    return {"sentence_id": sentence_id("\x1f".join(map(str, (text, *spans.values())))), "text": text, **spans}


def observe(lists: Lists, candidates: pd.DataFrame, scores: pd.DataFrame, kind: Kind) -> Iterator[pd.DataFrame]:
    """Tables of the schema "mixed_effects_observations", by definition: for each word the sentence with the least
    pseudo-perplexity.

    If the words of a pair choose different determiners, each is also observed with the other's (Section 2.1). Sentences
    of a pair that are the same to the model have no association (`told_apart`).
    candidates: of the schema "mixed_effects_stimuli". scores: of the schema "scores", with every sentence of these.
    kind: of the model; a causal one has no `released`, and its pseudo-perplexity is its perplexity.
    """
    scored = _scored(candidates, scores, kind)
    keys = ["template", "target", "gender", "word"]
    for definition in ASSOCIATIONS if kind == Kind.masked else ["paper"]:
        of_definition = scored[scored["definition"].isna() | (scored["definition"] == definition)]
        candidates = of_definition.assign(association=of_definition[f"association_{definition}"])
        # a refused sentence comes last; ties go to the determiner that is listed first
        best = candidates.sort_values("pppl", kind="stable").drop_duplicates(keys)
        pairs = _pairs(lists)
        chosen = pairs.merge(best[[*keys, "determiner"]], on=["gender", "word"])
        swapped = chosen.assign(gender=chosen["gender"].map({FEMALE: MALE, MALE: FEMALE}))
        swapped["word"] = swapped["partner"]
        of_pairs = pd.concat([chosen, swapped]).drop_duplicates(["pair", *keys, "determiner"])
        of_no_pair = best.loc[best["gender"] == NEO, [*keys, "determiner"]].assign(pair=None)
        observed = pd.concat([of_pairs.drop(columns="partner"), of_no_pair], ignore_index=True)
        # the words of a pair may take other determiners (she, my aunt): then there is no sentence with the other's
        observed = observed.merge(candidates, on=[*keys, "determiner"], validate="m:1")
        # a word without a pair is in a set of its own
        sets = ["template", "target", "determiner", observed["pair"].fillna(observed["word"])]
        observed["set"] = observed.groupby(sets).ngroup()
        observed = told_apart(observed.rename(columns={"association": "value"})).rename(
            columns={"value": "association"}
        )
        order = ["template", "target", "pair", "gender", "word", "determiner"]
        yield observed.assign(definition=definition).sort_values(order)[OBSERVATIONS.fields.names]


def _pairs(lists: Lists) -> pd.DataFrame:
    """One row per pair and gender: `pair`, `gender`, `word` and `partner`, the word of the other gender."""
    pairs = lists.pairs.assign(pair=lists.pairs[FEMALE] + "-" + lists.pairs[MALE])
    sides = [
        pd.DataFrame({"pair": pairs["pair"], "gender": one, "word": pairs[one], "partner": pairs[other]})
        for one, other in ((FEMALE, MALE), (MALE, FEMALE))
    ]
    return pd.concat(sides, ignore_index=True)


def _scored(candidates: pd.DataFrame, scores: pd.DataFrame, kind: Kind) -> pd.DataFrame:
    """The candidates with `pppl`, an `association_{definition}` each, `n_tokens` of the word, `given`, and `note`."""
    values, notes = by_sentence(scores)
    if kind == Kind.causal:
        columns = {"pppl": np.exp(values[LOSS]), "association_paper": -values[LOSS]}
    else:
        columns = {
            "pppl": values[PPPL],
            **{f"association_{name}": values[joint] - values[prior] for name, (joint, prior) in ASSOCIATIONS.items()},
        }
    of_word = tokens(scores[scores["quantity"] == (LOSS if kind == Kind.causal else SLOT)])
    return candidates.join(pd.DataFrame({**columns, "note": notes}).join(of_word), on="sentence_id")


def dimensions(lists: Lists, polarities: Iterable[str] = (POSITIVE,)) -> dict[str, list[str]]:
    """Dimension -> its distinct targets of some polarities, in the order of the list."""
    of_polarity = lists.targets[lists.targets["polarity"].isin(list(polarities))]
    by_dimension = of_polarity.groupby("dimension", sort=False)["target"]
    return {dimension: list(dict.fromkeys(targets)) for dimension, targets in by_dimension}
