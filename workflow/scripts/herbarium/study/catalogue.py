"""The catalogue: sets of sentences by others, which a study names instead of describing them (docs/sets.md).

A set is a folder of resources/sets/ with a card, set.yaml: what it is, and how its files are read and compared. The
sentences themselves come from their authors' address when they are needed.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from herbarium.core import downloads
from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.places import CLONE
from herbarium.core.resources import read_text
from herbarium.core.section import Section
from herbarium.models import sources
from herbarium.models.kinds import Kind
from herbarium.study.config import NAMEABLE, SentenceSet

FOLDER = CLONE / "resources/sets"
# Keys of where a set's sentences come from: an entry with a table of its own has none of the card's.
_SOURCE = ("git", "revision", "table")


class Card(Section):
    """items: sets of sentences, without those that are left out for a fault. entry: keys of a `SentenceSet`, all that
    it needs but `models`. caution: what a reader of its numbers should know. published: model -> the number of all
    items in others' work, which the caution names if it is not the source."""

    title: str
    asks: str
    source: str
    paper: str
    licence: str
    languages: list[str] = Field(min_length=1)
    items: int
    caution: list[str] = Field([])
    published: dict[str, float] = Field({})
    entry: dict[str, Any]

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of models that give the score of its sentences."""
        return SentenceSet.kinds(self.entry["quantity"])

    @property
    def is_here(self) -> bool:
        """Whether its sentences are on this machine."""
        table = self.entry["table"]
        if "git" in self.entry:
            return sources.is_cached({key: self.entry[key] for key in ("git", "revision")})
        return downloads.is_cached(downloads.parsed(table)) if downloads.is_address(table) else True

    def read(self) -> SentenceSet:
        """The set, fetched unless it is here. Raises HerbariumError if it is not to be had, or is another one."""
        try:
            return SentenceSet.model_validate(self.entry | {"models": ["any"]})
        except ValidationError as error:
            why = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise HerbariumError(f"{self.title}: {why} {self.own_copy}") from error

    @property
    def own_copy(self) -> str:
        """How to measure the set with a copy of one's own."""
        address = "" if "git" in self.entry else downloads.parsed(self.entry["table"]).sha256
        which = f"sha256 {address}" if address else f"the commit {self.entry.get('revision')}"
        what = f"the folder or file '{self.entry['table']}'" if "git" in self.entry else "the file"
        return f"Or give table: your own copy of {what}, of {which}."


def names() -> list[str]:
    """The sets of the catalogue."""
    return sorted(path.parent.name for path in FOLDER.glob("*/set.yaml"))


def card(name: str) -> Card:
    """Raises HerbariumError if there is no such set."""
    if name not in names():
        raise HerbariumError(
            f"There is no set '{name}' in the catalogue{did_you_mean(name, names())}; `herbarium sets` lists them."
        )
    return Card.model_validate(yaml.safe_load(read_text(Path(FOLDER, name, "set.yaml"))))


def complete(values: dict[str, Any]) -> None:
    """Give each set of sentences that names one of the catalogue the keys of its card, in place.

    An entry names a set by its key `set` or, unless it has `sides` of its own, by its name in the study. Its keys take
    the place of the card's, and a table of its own that of where the card's sentences come from; without `models`,
    every model that gives the score is measured. values: a configuration, as plain data. Raises HerbariumError for a
    set that is not in the catalogue.
    """
    entries = values.get(NAMEABLE)
    for name, given in (entries if isinstance(entries, dict) else {}).items():
        entry = {} if given is None else given
        if not isinstance(entry, dict) or not ("set" in entry or (name in names() and "sides" not in entry)):
            continue
        try:
            chosen = card(str(entry.get("set", name)))
        except HerbariumError as error:
            raise HerbariumError(f"{NAMEABLE}.{name}.set: {error}") from error
        is_own = "table" in entry
        whole = {key: value for key, value in chosen.entry.items() if not (is_own and key in _SOURCE)} | entry
        kinds, asks = SentenceSet.kinds(whole["quantity"]), SentenceSet.poses_questions(whole.get("format"))
        entries[name] = {"models": _models(values, kinds, asks)} | whole


def _models(values: Mapping[str, Any], kinds: Collection[Kind], asks: bool) -> list[str]:
    """The models of a configuration that are not said to be of other kinds and, unless the set asks them, are not asked
    questions."""
    models = values.get("models")
    entries = models if isinstance(models, dict) else {}
    plain = {name: entry if isinstance(entry, dict) else {} for name, entry in entries.items()}
    return [
        name
        for name, entry in plain.items()
        if entry.get("kind") in (None, *kinds) and (asks or not _is_asked_questions(entry))
    ]


def _is_asked_questions(model: Mapping[str, Any]) -> bool:
    chat = model.get("chat_template")
    return isinstance(chat, dict) and bool(chat.get("question"))
