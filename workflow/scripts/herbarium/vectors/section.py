"""The configuration's section on sources of vectors."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.places import located
from herbarium.core.section import COMMIT, HUB, Name, Need, Reference, Section
from herbarium.core.targets import first_alike
from herbarium.models.by_kind import VECTORS
from herbarium.models.data import GitAddress, Pinned, Place, found
from herbarium.vectors import files, pairs
from herbarium.vectors.tables import ONLY

SOURCES = ("model", "path", "planted", "trained", "debiased")
OUR_PAIRS = Path("resources/vectors/english_pairs.csv")


class Pairs(Pinned):
    """A table, or two lists; without either, our table."""

    called: ClassVar[str] = "Gendered pairs"

    table: Place | None = Field(
        None, description="CSV of `male` and `female`; without it and lists: our English pairs."
    )
    masculine: Place | None = Field(None, description="Masculine words, one per line, instead of a table.")
    feminine: Place | None = Field(None, description="Their feminine counterparts, line by line.")

    @property
    def lists(self) -> list[Path]:
        """The files that the pairs are read from."""
        if self.masculine is not None:
            return [self.masculine, self.feminine]
        return [self.table or located(OUR_PAIRS)]

    @model_validator(mode="after")
    def _can_be_read(self) -> "Pairs":
        if (self.masculine is None) != (self.feminine is None):
            raise ValueError("'masculine' and 'feminine' belong together")
        if self.table is not None and self.masculine is not None:
            raise ValueError("pairs are a 'table', or 'masculine' and 'feminine'")
        if self.git is not None and self.table is None and self.masculine is None:
            raise ValueError("'git' needs 'table', or 'masculine' and 'feminine'")
        try:
            pairs_read = pairs.read(self.lists)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        if not pairs.of_one_gender(pairs_read):
            raise ValueError(
                f"every pair of {self.lists[0]} has a word that is feminine in another pair, or in its own"
            )
        return self


class Trained(Section):
    """Word vectors that the study learns from a corpus."""

    corpus: Name = Field(description="Corpus whose part `train` is learned from.")
    method: Literal["glove", "gn_glove"] = Field(
        description="`glove`; or `gn_glove`, with gender in the last coordinate."
    )
    variant: Literal["paper", "released"] = Field(
        "paper", description="GN-GloVe by the `paper`'s equations, or as `released`."
    )
    definition: Literal["l1", "l2"] = Field("l1", description="GN-GloVe: the term J_D, which separates the seed words.")
    lambda_d: float = Field(0.8, ge=0, le=1e6, description="GN-GloVe: weight of J_D.")
    lambda_e: float = Field(0.8, ge=0, le=1e6, description="GN-GloVe: weight of J_E, which neutralises other words.")
    pairs: Pairs = Field(default_factory=Pairs, description="GN-GloVe: seed words.")
    part: Literal["whole", "neutral"] = Field(
        "whole", description="GN-GloVe: `whole` vectors, or those without the last coordinate (`neutral`)."
    )
    dimensions: int = Field(300, ge=2, le=10_000, description="Coordinates of a vector.")
    window: int = Field(10, ge=1, le=1000, description="Co-occurring words on either side.")
    min_count: int = Field(50, ge=1, le=1_000_000_000, description="Rarer words are left out.")
    iterations: int = Field(100, ge=1, le=100_000, description="Epochs.")
    eta: float = Field(0.05, gt=0, le=10, description="Learning rate.")

    @model_validator(mode="after")
    def _keys_of_the_method(self) -> "Trained":
        of_gender = ("variant", "definition", "lambda_d", "lambda_e", "pairs", "part")
        for key in of_gender if self.method == "glove" else ():
            if getattr(self, key) != type(self).model_fields[key].get_default(call_default_factory=True):
                raise ValueError(f"'{key}' belongs to 'method: gn_glove'")
        if self.variant == "released" and self.definition == "l2":
            raise ValueError("definition: the released code only has 'l1'; 'l2' needs 'variant: paper'")
        return self

    @property
    def lists(self) -> list[Path]:
        """The files of its seed words, if it has any."""
        return self.pairs.lists if self.method == "gn_glove" else []

    @property
    def made(self) -> dict:
        """What determines the vectors that are learned, as plain data: two with the same may differ in `part`."""
        return self.model_dump(mode="json", exclude={"part"})


class Debiased(Section):
    """Another source after hard debiasing (Bolukbasi et al. 2016)."""

    model_config = ConfigDict(serialize_by_alias=True)

    source: Name = Field(alias="from", description="The other source.")
    pairs: Pairs = Field(default_factory=Pairs, description="Gendered words; all others lose their gender component.")
    direction: Literal["pca", "mean", "pair"] = Field(
        "pca",
        description="First principal component (`pca`) or mean (`mean`) of the pairs' differences, or the first of "
        "them (`pair`).",
    )


class Source(Section):
    """Exactly one of `SOURCES` says where the vectors come from."""

    model: Name | None = Field(None, description="A model of the study.")
    layers: Literal[ONLY, "all"] | list[Annotated[int, Field(ge=-1000, le=1000)]] = Field(
        ONLY,
        description="Of a model: `input` embeddings; `all` hidden states, 0 being the embeddings; or a list of "
        "layers, where -1 is the last.",
    )
    hub: str | None = Field(None, pattern=HUB, description="Hub id of the repository with `path`.")
    git: GitAddress | None = Field(None, description="Address of the Git repository with `path`.")
    revision: str | None = Field(
        None, pattern=COMMIT, description="Its commit, 40 hex digits; needed with `hub` and `git`."
    )
    path: Path | None = Field(None, description="Word vectors as text (word2vec, fastText, GloVe; also `.gz`).")
    planted: float | None = Field(
        None, ge=0, le=10, description="Strength of a planted gender direction: the workflow makes the vectors."
    )
    trained: Trained | None = Field(None, description="GloVe or GN-GloVe of a corpus.")
    debiased: Debiased | None = Field(None, description="Another source after hard debiasing.")
    rotated: bool = Field(False, description="If planted: rotate at random, as languages are relative to each other.")
    lowercase: bool = Field(False, description="Lower-case words before lookup; of a model, use its own key.")

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
            raise ValueError(f"give exactly one of {', '.join(map(repr, SOURCES[:-1]))} and {SOURCES[-1]!r}")
        owners = {"model": ("layers",), "planted": ("rotated",), "path": ("hub", "git", "revision", "lowercase")}
        for owner, keys in owners.items():
            for key in keys:
                if getattr(self, key) != type(self).model_fields[key].default and getattr(self, owner) is None:
                    raise ValueError(f"'{key}' belongs to '{owner}'")
        if self.hub and self.git:
            raise ValueError("a file has exactly one of 'hub' and 'git'")
        if self.hub and self.revision is None:
            raise ValueError(
                "'hub' needs its 'revision', the commit of 40 hex digits (a run with a network writes it to the lock "
                "file)"
            )
        if isinstance(self.layers, list) and len(set(self.layers)) != max(1, len(self.layers)):
            raise ValueError("layers: name each layer once, and at least one")
        return self

    @property
    def is_contextual(self) -> bool:
        """Whether the vector of a word depends on its sentence."""
        return self.model is not None and self.layers != ONLY

    @property
    def has_vocabulary(self) -> bool:
        """Whether it has its own list of words: those of a file, or of the corpus that it was learned from."""
        return self.path is not None or self.trained is not None

    @property
    def entry(self) -> dict:
        """What identifies the vectors, as plain data; a hub file is named as the hub rules require."""
        entry = self.model_dump(mode="json")
        return entry | {"files": [entry["path"]]} if self.hub else entry


class Sources(Section):
    """All sources of vectors of a study, by name."""

    sources: dict[Name, Source]

    @property
    def trained(self) -> dict[str, str]:
        """Trained source -> the first one with the same trained vectors: usually itself."""
        return first_alike({name: source.trained.made for name, source in self.sources.items() if source.trained})

    def planted(self, names: Iterable[str]) -> dict[str, float]:
        """Source -> the strength of its planted gender direction, for those of `names` that have one."""
        strengths = {name: self.sources[name].planted for name in names}
        return {name: strength for name, strength in strengths.items() if strength is not None}

    def models(self, names: Iterable[str]) -> list[str]:
        """The models whose vectors some sources have, each once."""
        return list(dict.fromkeys(model for name in names if (model := self.sources[name].model) is not None))

    def refers(self) -> Iterator[Reference]:
        for name, source in self.sources.items():
            if source.trained is not None:
                yield Reference(f"vectors.{name}.trained.corpus", source.trained.corpus, "corpora")
            if source.debiased is not None:
                yield Reference(f"vectors.{name}.debiased.from", source.debiased.source, "vectors")

    def require_debiasable(self) -> None:
        """Raise ValueError for a source that comes from one that cannot be debiased. All are sources of the study."""
        for name, source in self.sources.items():
            if source.debiased is not None:
                key, other = f"vectors.{name}.debiased.from", source.debiased.source
                if self.sources[other].debiased is not None:
                    raise ValueError(f"{key}: '{other}' is itself debiased; name the source that it comes from")
                if self.sources[other].is_contextual:
                    raise ValueError(
                        f"{key}: '{other}' has vectors that depend on the sentence; name a source with one "
                        "vector per word"
                    )

    def needs(self) -> Iterator[Need]:
        for name, source in self.sources.items():
            if source.model is not None:
                why = "vectors are a model's own, but it is the mean of another's scores"
                yield Need(f"vectors.{name}.model", source.model, VECTORS, "vectors", why, False)

    def named(self) -> dict[str, Iterable[str]]:
        return {"vectors": self.sources}
