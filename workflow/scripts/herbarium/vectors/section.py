"""The section of the configuration on sources of vectors."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import COMMIT, HUB, Name, Need, Section
from herbarium.models.data import GitAddress, found
from herbarium.scoring.quantities import Kind
from herbarium.vectors import files

SOURCES = ("model", "path", "planted")
INPUT, ALL = "input", "all"


class Source(Section):
    """Exactly one of `SOURCES` says where the vectors come from."""

    model: Name | None = Field(None, description="A model of the study.")
    layers: Literal["input", "all"] | list[Annotated[int, Field(ge=-1000, le=1000)]] = Field(
        INPUT,
        description="Of a model: `input`, its input embeddings; `all`, its hidden states, of the embeddings (0) and of "
        "each layer; or a list of layers, -1 the last. A word of several tokens has their mean.",
    )
    hub: str | None = Field(None, pattern=HUB, description="Hub id of a repository that `path` is a file of.")
    git: GitAddress | None = Field(None, description="Address of a Git repository that `path` is a file of.")
    revision: str | None = Field(
        None, pattern=COMMIT, description="Commit of the repository, 40 hex digits; needed with `hub` and `git`."
    )
    path: Path | None = Field(
        None, description="File of word vectors as text (word2vec, fastText, GloVe), or the same with `.gz`."
    )
    planted: float | None = Field(
        None,
        ge=0,
        le=10,
        description="Strength of a planted gender direction: the workflow makes the vectors itself "
        "(docs/word_vectors.md).",
    )
    rotated: bool = Field(
        False, description="Of planted vectors: turned at random, as those of two languages are to each other."
    )
    lowercase: bool = Field(False, description="Lower-case every word before it is looked up; of a model, its own key.")

    @field_validator("path")
    @classmethod
    def _is_there(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        if path is None or info.data.get("hub"):
            return path
        path = found(path, info)
        try:
            files.require(path)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return path

    @model_validator(mode="after")
    def _one_source(self) -> "Source":
        if sum(getattr(self, source) is not None for source in SOURCES) != 1:
            raise ValueError(f"vectors have exactly one of {', '.join(map(repr, SOURCES[:-1]))} and {SOURCES[-1]!r}")
        owners = {"model": ("layers",), "planted": ("rotated",), "path": ("hub", "git", "revision", "lowercase")}
        for owner, keys in owners.items():
            for key in keys:
                if getattr(self, key) != type(self).model_fields[key].default and getattr(self, owner) is None:
                    raise ValueError(f"'{key}' belongs to '{owner}'")
        if self.hub and self.git:
            raise ValueError("a file has exactly one of 'hub' and 'git'")
        if self.hub and self.revision is None:
            raise ValueError("'hub' needs its 'revision', the commit of 40 hex digits")
        if isinstance(self.layers, list) and len(set(self.layers)) != max(1, len(self.layers)):
            raise ValueError("layers: name each layer once, and at least one")
        return self

    @property
    def is_contextual(self) -> bool:
        """Whether a word in a sentence has another vector than by itself."""
        return self.model is not None and self.layers != INPUT

    @property
    def entry(self) -> dict:
        """What says which vectors they are, as plain data; a hub file is named as the hub rules want it."""
        entry = self.model_dump(mode="json")
        return entry | {"files": [entry["path"]]} if self.hub else entry


class Sources(Section):
    """All sources of vectors of a study, by their names."""

    sources: dict[Name, Source]

    def needs(self) -> Iterator[Need]:
        for name, source in self.sources.items():
            if source.model is not None:
                why = "vectors are a model's own, and it is the mean of another's scores"
                yield Need(f"vectors.{name}.model", source.model, set(Kind), "vectors", why)

    def named(self) -> dict[str, Iterable[str]]:
        return {"vectors": self.sources}
