"""What sections of the configuration are made of: their base class, the types of their keys, their needs.

A section belongs to the room that reads it; `study.config` assembles them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from herbarium.core.errors import HerbariumError
from herbarium.core.places import located
from herbarium.core.resources import read_words


class Need(NamedTuple):
    """A model that a section measures: by which key, of which kinds it must be, and for what, in words. None: every
    model of the study. not_neutralised: why it cannot be one whose scores are neutralised, in words; empty: it can."""

    key: str
    model: str | None
    kinds: Collection[str]
    what: str
    not_neutralised: str = ""
    only_scores: bool = True


class Reference(NamedTuple):
    """A name in a section that must be one of another section's: by which key, and which section, as the configuration
    calls it."""

    key: str
    name: str
    to: str


class Wanted(NamedTuple):
    """A source of vectors that a section measures: by which key, and whether it must be one in which a word's vector
    depends on its sentence."""

    key: str
    source: str
    in_sentences: bool = False


class Places(NamedTuple):
    """Regions that a section names, which the hierarchy must have: by which key, and whether ISO 3166 two-letter codes
    stand for region ids."""

    key: str
    regions: Iterable[str]
    by_code: bool = False


class Family(NamedTuple):
    """Tests by resampling whose p-values are adjusted together: by which key they could be made finer, what they are,
    in words, how many, against how many arrangements of the data each is held (its permutations or replicates, and one
    more), in both tails (2) or one, and how they are adjusted (None: not at all)."""

    key: str
    tests: str
    n: int
    arrangements: int
    tails: int
    correction: str | None


class Section(BaseModel):
    """A section of the configuration: no unknown keys, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    # Whether its paths are of models, which may lie in the results of a study: another one's, say.
    of_models: ClassVar[bool] = False

    def needs(self) -> Iterable[Need]:
        """What it needs of the study's models."""
        return ()

    def refers(self) -> Iterable[Reference]:
        """What it names of other sections, besides models and sources of vectors."""
        return ()

    def vectors_wanted(self) -> Iterable[Wanted]:
        """What it needs of the study's sources of vectors."""
        return ()

    def named(self) -> dict[str, Iterable[str]]:
        """Names by the key that holds them, which must differ by more than capitals: files are called after them."""
        return {}

    def places(self) -> Iterable[Places]:
        """The regions that it names."""
        return ()

    def families(self) -> Iterable[Family]:
        """Its tests by resampling, as far as it says how many there will be."""
        return ()

    def further_models(self) -> dict[str, Iterable[str]]:
        """Names, by the key that holds them, of what is measured like a model and is none of the study's."""
        return {}


LocalPath = Annotated[Path, AfterValidator(located)]


def read_by(reader: Callable[[Path], object]) -> AfterValidator:
    """Accept a path whose file the reader can read, so that a faulty list is told before the first job, like a key."""

    def check(path: Path) -> Path:
        path = located(path)
        try:
            reader(path)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return path

    return AfterValidator(check)


def _no_file_of_its_own(name: str) -> str:
    """Accept a name that is no other's file: model `a` has the file a.json, and model a.json would have a folder."""
    if name.endswith((".json", ".parquet")):
        raise ValueError(f"'{name}' looks like a file of the results; it cannot be a name")
    return name


Name = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64), AfterValidator(_no_file_of_its_own)
]
# Never a path, and never an option of a command line.
HUB = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*$"
COMMIT = r"^[0-9a-f]{40}$"


def _as_value(value: object) -> object:
    """A cell's value as it is compared: as text. A Boolean is none: YAML makes one of `no` and `yes`."""
    if isinstance(value, bool):
        raise ValueError(f"YAML reads this as {str(value).lower()}; put it in quotes as it stands in the data")
    return str(value) if isinstance(value, int) else value


Value = Annotated[str, BeforeValidator(_as_value)]
WordList = Annotated[Path, read_by(read_words)]
Correction = Literal["holm", "fdr_bh"]


class Bootstrap(Section):
    replicates: int = Field(
        200, ge=0, le=100_000, description="Bootstrap replicates of each kind; 0 leaves the intervals out."
    )
    level: float = Field(0.95, gt=0, lt=1, description="Nominal coverage of the intervals.")


class QuickBootstrap(Bootstrap):
    """Of a measure that takes little time, so that it has more replicates."""

    replicates: int = Field(1000, ge=0, le=100_000, description="Bootstrap replicates; 0 leaves the intervals out.")


def paths(value: object, of_models: bool = True) -> Iterator[Path]:
    """Every path in a section; without those of models, if these are not asked for."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, Section):
        if of_models or not value.of_models:
            yield from paths([inner for _, inner in value], of_models)
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from paths(inner, of_models)
