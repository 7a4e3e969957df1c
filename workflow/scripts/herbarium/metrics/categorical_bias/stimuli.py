"""The stimuli of Categorical Bias (Ahn and Oh 2021, Section 3 and Appendix A): a target and an attribute in a template.

A language has one *list* or more, each a folder with three tables:

- templates.csv: `key`, the template's meaning, or several, separated by spaces; `text`, with the slot [target] and
  either [singular] or [plural];
- targets.csv: `key`, `set` (base or additional), `target`;
- attributes.csv: `key`, `set`, `singular`, and `plural` if a template has it.

A key is the same in all languages. Every other column has a word that agrees with the target or the attribute (an
article, a suffix, a particle) and fills the slot of its name; it is not masked with the word. A slot in capitals is its
column's filler with a capital.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.special import logsumexp

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.core.store import schema
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import (
    ASKED,
    CONDITION,
    LL,
    LL_ASKED,
    SLOT,
    SLOT_PRIOR,
    SLOT_PRIOR_RELEASED,
    SLOT_RELEASED,
)
from herbarium.scoring.sentences import sentence_id

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from herbarium.models.tokenizer_files import Tokenizer

# One row per sentence and quantity. `template`, `attribute`, `target` are keys. Spans are characters of `text`, end
# exclusive.
STIMULI = schema(
    "categorical_bias_stimuli",
    ("sentence_id", pa.int64()),
    ("text", pa.string()),
    ("quantity", pa.string()),
    ("list", pa.string()),
    ("template", pa.string()),
    ("attribute", pa.string()),
    ("target", pa.string()),
    ("target_start", pa.int32()),
    ("target_end", pa.int32()),
    ("attribute_start", pa.int32()),
    ("attribute_end", pa.int32()),
)
_KEYS = ["list", "template", "attribute", "target"]
ROLES = {"target": ASKED, "attribute": CONDITION}
SLOTS = tuple(ROLES)
# log P' of a target in a sentence (Section 3.1) and, as a part of it, the logarithm of its prior probability, null if
# one of its two sentences was refused; and the number of the target's sub-tokens. `beside`: the same number for
# attributes that have the same words beside them and as many tokens, where the prior does not tell them apart; else 0.
ASSOCIATIONS = schema(
    "associations",
    ("model", pa.string()),
    ("language", pa.string()),
    ("list", pa.string()),
    ("definition", pa.string()),
    ("template", pa.string()),
    ("attribute", pa.string()),
    ("target", pa.string()),
    ("log_p", pa.float64()),
    ("log_prior", pa.float64()),
    ("n_tokens", pa.int32()),
    ("beside", pa.int64()),
    ("note", pa.string()),
    nullable=("log_p", "log_prior", "note"),
)
# The sub-tokens of each form of an attribute, in the templates of a list: one row for each.
ATTRIBUTE_TOKENS = schema(
    "attribute_tokens",
    *((name, pa.string()) for name in ("model", "language", "list", "form", "attribute")),
    ("token", pa.int32()),
)

# Definition -> its quantities: of masked models those whose difference is log P'; of causal models the likelihood of
# the sentence, from which `associate` makes it, and that of the target, whose tokens are counted.
PAPER, RELEASED, WHOLE = "paper", "released", "whole"
DEFINITIONS = {PAPER: (SLOT, SLOT_PRIOR), RELEASED: (SLOT_RELEASED, SLOT_PRIOR_RELEASED), WHOLE: (LL, LL_ASKED)}
OF_KIND = {Kind.masked: (PAPER, RELEASED), Kind.causal: (WHOLE,)}
# The first definition of each kind of model, which stands for it where there is one number.
FIRST = tuple(first for first, *_ in OF_KIND.values())
QUANTITIES = {kind: [quantity for name in names for quantity in DEFINITIONS[name]] for kind, names in OF_KIND.items()}
SETS = (BASE, ADDITIONAL) = ("base", "additional")
FORMS = ("singular", "plural")

# The languages of the configuration as plain data: name -> `lists`, name -> folder, the first of which is the leading
# one, and `models`, the first of which is the language's own.
Languages = Mapping[str, Mapping]

_FILES = {"templates": ["key", "text"], "targets": ["key", "set", "target"], "attributes": ["key", "set", "singular"]}


@dataclass(frozen=True)
class Lists:
    """One list of a language: its three tables, text in every cell."""

    templates: pd.DataFrame
    targets: pd.DataFrame
    attributes: pd.DataFrame


def measured(languages: Languages) -> list[tuple[str, str]]:
    """The measured pairs (model, language): each language with all of its models, in the order of the configuration."""
    return [(model, language) for language, entry in languages.items() for model in entry["models"]]


def leading(languages: Languages) -> dict[str, str]:
    """Language -> the name of its leading list."""
    return {language: next(iter(entry["lists"])) for language, entry in languages.items()}


def of_leading(associations: pd.DataFrame, languages: Languages) -> pd.DataFrame:
    """The rows of each language's leading list. associations: of this schema."""
    return associations[associations["list"] == associations["language"].map(leading(languages))]


def by_first_definition(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the first definition of each kind of model. table: with `definition`."""
    return table[table["definition"].isin(FIRST)]


def read(folder: str | Path) -> Lists:
    """The list in a folder.

    Raises HerbariumError, with file and row, for a missing column or cell, a repeated key, an unknown set, and a
    template whose slots are not [target], one form of the attribute, and columns of the other tables.
    """
    paths = {name: Path(folder, f"{name}.csv") for name in _FILES}
    tables = {name: _table(path, _FILES[name]) for name, path in paths.items()}
    for row in tables["templates"].itertuples():
        place = f"{paths['templates']}, row {row.Index + 1}"
        slots = resources.slots(row.text)
        if [slot.lower() for slot in slots].count("target") != 1 or sum(slot.lower() in FORMS for slot in slots) != 1:
            raise HerbariumError(f"{place}: '{row.text}' must contain [target] once, and [singular] or [plural] once.")
        for slot in slots:
            _check_filled(slot, place, {paths[name]: tables[name] for name in ("targets", "attributes")})
    return Lists(**tables)


def _table(path: Path, columns: list[str]) -> pd.DataFrame:
    table = resources.read_text_table(path, columns)
    resources.check_cells(path, table, columns)
    for column in table.columns.difference(["text"]):
        resources.check_spelling(path, table[column])
    resources.check_distinct(path, table["key"])
    if "set" in columns and not table["set"].isin(SETS).all():
        row = (~table["set"].isin(SETS)).idxmax()
        raise HerbariumError(f"{path}, row {row + 1}: the set '{table['set'][row]}'; valid: {', '.join(SETS)}.")
    return table


def as_record(language: str, name: str, lists: Lists) -> dict:
    """The design of a list of a language, as plain data."""
    return {"language": language, "list": name, "tables": resources.as_record(vars(lists))}


def lists_from(record: Mapping) -> Lists:
    """The list of a design."""
    return Lists(**resources.tables_from(record["tables"]))


def form(template: str) -> str:
    """The form of the attribute in a template, of `FORMS`."""
    return next(slot.lower() for slot in resources.slots(template) if slot.lower() in FORMS)


def _check_filled(slot: str, place: str, tables: Mapping[Path, pd.DataFrame]) -> None:
    """Raise HerbariumError if no table, or both, can fill a slot of a template at a place."""
    matches = [(path, table) for path, table in tables.items() if _column(slot, table.columns)]
    if len(matches) != 1:
        known = sorted({column for table in tables.values() for column in table.columns} - {"key", "set"})
        fault = "both tables have" if matches else "no table has"
        raise HerbariumError(f"{place}: {fault} a column for the slot [{slot}]; the columns are {', '.join(known)}.")
    path, table = matches[0]
    resources.check_cells(path, table, [_column(slot, table.columns)])


def _column(slot: str, columns: Collection[str]) -> str | None:
    """The column that fills a slot: the one with its name, else with its name without capital; None if there is
    none."""
    return next((name for name in (slot, slot.lower()) if name in columns and name not in ("key", "set")), None)


def instantiate(name: str, lists: Lists) -> Iterator[pd.DataFrame]:
    """Every sentence of a list, as tables of the schema "categorical_bias_stimuli", one per template. name: of the
    list.

    The sentence of the definitions `paper` and `whole` is asked for both of their quantities. The released code's
    departures in the text: the target and all masks are separate words, whatever is attached to them, and the prior has
    as many masks as the singular has tokens, even in a template with [plural].
    """
    joint, prior = DEFINITIONS[RELEASED]
    for template in lists.templates.itertuples():
        apart = _apart(template.text, ["target"]), _apart(template.text, ["target", *FORMS])
        rows = []
        for attribute in lists.attributes.to_dict("records"):
            for target in lists.targets.to_dict("records"):
                words = {**attribute, **target}
                of_prior = words | {column: words["singular"] for column in words if column.lower() == "plural"}
                keys = {"template": template.key, "attribute": attribute["key"], "target": target["key"]}
                for quantities, text, fillers in (
                    ([*DEFINITIONS[PAPER], *DEFINITIONS[WHOLE]], template.text, words),
                    ([joint], apart[0], words),
                    ([prior], apart[1], of_prior),
                ):
                    row = {"list": name, **keys, **sentence(text, fillers)}
                    rows += [{**row, "quantity": quantity} for quantity in quantities]
        yield pd.DataFrame(rows, columns=STIMULI.fields.names)


def _apart(template: str, slots: Collection[str]) -> str:
    """The template with a space between some of its slots and what is attached to them."""
    for slot in slots:
        template = re.sub(rf"(?i)(?<=\S)(?=\[{slot}\])|(?<=\[{slot}\])(?=\S)", " ", template)
    return template


def sentence(template: str, words: Mapping[str, str]) -> dict:
    """A template filled: `sentence_id`, `text` and spans. words: column of the tables -> the word of a row."""
    fillers = {}
    for slot in resources.slots(template):
        column = _column(slot, words)
        fillers[slot] = words[column] if slot == column else words[column][:1].upper() + words[column][1:]
    text, spans = resources.fill(template, **fillers)
    row = {"text": text}
    for slot, (start, end) in spans.items():
        if slot.lower() in ("target", *FORMS):
            word = "target" if slot.lower() == "target" else "attribute"
            row |= {f"{word}_start": start, f"{word}_end": end}
    # the same text may be scored for other words
    return {"sentence_id": sentence_id("\x1f".join(map(str, row.values()))), **row}


def associate(model: str, language: str, stimuli: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """A table of the schema "associations".

    stimuli: of the schema "categorical_bias_stimuli". scores: of the schema "scores", with every sentence of it that
    the kind of the model is asked for.
    """
    scores = scores.drop_duplicates(["sentence_id", "quantity"])  # a word used for two keys has one sentence
    scored = stimuli.merge(scores, on=["sentence_id", "quantity"], validate="m:1")
    asked, parts = set(scores["quantity"]), []
    for definition, quantities in DEFINITIONS.items():
        if asked.issuperset(quantities):
            one, other = (scored[scored["quantity"] == quantity].set_index(_KEYS) for quantity in quantities)
            other = other.loc[one.index]
            columns = _of_likelihoods(one, other) if definition == WHOLE else _of_slots(one, other)
            note = one["note"].fillna(other["note"])
            parts.append(columns.assign(model=model, language=language, definition=definition, note=note))
    return pd.concat(parts).reset_index()[ASSOCIATIONS.fields.names]


def _of_slots(joint: pd.DataFrame, prior: pd.DataFrame) -> pd.DataFrame:
    """Columns of "associations" from the scores of targets with and without the attribute, by _KEYS."""
    log_p = joint["value"] - prior["value"]
    tokens = joint["n_tokens"]
    return pd.DataFrame({"log_p": log_p, "log_prior": prior["value"], "n_tokens": tokens, "beside": 0})


def _of_likelihoods(whole: pd.DataFrame, target: pd.DataFrame) -> pd.DataFrame:
    """Columns of "associations" from the log-likelihood of sentences, by _KEYS. target: likewise, of their targets.

    P(target | attribute) is the likelihood of the sentence over the sum of those with each target of the list; its
    prior is its mean over the attributes of the list, in the same template.
    """
    log_p = whole["value"] - _log_sums(whole["value"], ["list", "template", "attribute"])
    of_template = ["list", "template", "target"]
    log_prior = _log_sums(log_p, of_template) - np.log(log_p.groupby(of_template).transform("count"))
    rows = zip(whole["text"], whole["attribute_start"], whole["attribute_end"], whole["n_tokens"], strict=True)
    beside, _ = pd.factorize(pd.Series([(text[:start], text[end:], n) for text, start, end, n in rows], dtype=object))
    columns = {"log_p": log_p - log_prior, "log_prior": log_prior, "n_tokens": target["n_tokens"], "beside": beside}
    return pd.DataFrame(columns)


def _log_sums(values: pd.Series, keys: list[str]) -> pd.Series:
    """For each value the logarithm of the sum of exp of those that share its keys, without missing ones."""
    return values.groupby(keys).transform(lambda group: logsumexp(group.dropna()) if group.notna().any() else np.nan)


def cut(
    model: str,
    language: str,
    stimuli: pd.DataFrame,
    lists: Mapping[str, Lists],
    tokenizer: "Tokenizer | PreTrainedTokenizerFast",
    lowercase: bool,
) -> pd.DataFrame:
    """A table of the schema "attribute_tokens".

    stimuli: of the schema "categorical_bias_stimuli". lists: by their names. lowercase: as the model's sentences are
    planned. A word may have other tokens at the start of a sentence: all tokens in any sentence are included.
    """
    from herbarium.scoring import planning, tokenization  # the configuration imports this module, but not those

    rows = stimuli[stimuli["quantity"] == SLOT].drop_duplicates(["list", "template", "attribute"])
    spans = {"attribute": (rows["attribute_start"].to_numpy(), rows["attribute_end"].to_numpy())}
    texts, spans = planning.lowered(rows["text"].tolist(), spans) if lowercase else (rows["text"].tolist(), spans)
    encoded = tokenization.encode(tokenizer, texts)
    is_word = encoded.tokens_of(*spans["attribute"])
    of_form = {
        (name, template.key): form(template.text)
        for name, entry in lists.items()
        for template in entry.templates.itertuples()
    }
    rows = rows.assign(form=[of_form[key] for key in zip(rows["list"], rows["template"], strict=True)])
    tokens = rows[["list", "form", "attribute"]].iloc[encoded.sentence[is_word]]
    tokens = tokens.assign(model=model, language=language, token=encoded.token_ids[is_word])
    return tokens.drop_duplicates()[ATTRIBUTE_TOKENS.fields.names].reset_index(drop=True)
