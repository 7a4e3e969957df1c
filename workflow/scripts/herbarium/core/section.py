"""What sections of the configuration share: their base class, the types of their keys, their needs.

A section belongs to the room that reads it; `study.config` assembles them.
"""

import inspect
import io
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, NamedTuple, get_args, get_origin

import pandas as pd
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
)

from herbarium.core import downloads
from herbarium.core.errors import HerbariumError
from herbarium.core.places import fault_of_name
from herbarium.core.resources import read_words


class ByKind(NamedTuple):
    """Kinds of models that can be measured -> what is computed of them; others -> what to use instead; both as Markdown
    without links."""

    computed: Mapping[str, str]
    instead: Mapping[str, str] = MappingProxyType({})


class Need(NamedTuple):
    """A model that a section measures: its key, the kinds that it may be, and for what, in words. None: every model of
    the study. not_neutralised: why it cannot be one whose scores are neutralised, in words; empty: it can. only_scores:
    whether log-probabilities are all that is read of it; False where its weights or vectors are, which a served model
    does not give, and whose texts have no chat template. has_answers: whether every sentence marks words that can be
    the answer to what stands before them."""

    key: str
    model: str | None
    kinds: ByKind
    what: str
    not_neutralised: str = ""
    only_scores: bool = True
    has_answers: bool = False


class Reference(NamedTuple):
    """A name in a section that must exist in another section: its key, and the other section, by its name in the
    configuration."""

    key: str
    name: str
    to: str


class Wanted(NamedTuple):
    """A source of vectors that a section measures: its key, and whether a word's vector must depend on its sentence."""

    key: str
    source: str
    in_sentences: bool = False


class Places(NamedTuple):
    """Regions that a section names, which the hierarchy must have: their key, and whether ISO 3166 two-letter codes can
    replace region ids."""

    key: str
    regions: Iterable[str]
    by_code: bool = False


class Family(NamedTuple):
    """Resampling tests whose p-values are adjusted together: the key that could make them finer, what they are, in
    words, their number, the number of arrangements of the data for each (its permutations or replicates, plus one),
    whether two-sided (2) or one-sided, and how they are adjusted (None: not at all)."""

    key: str
    tests: str
    n: int
    arrangements: int
    tails: int
    correction: str | None


def _is_number(annotation: object) -> bool:
    """Whether a key holds numbers, also in lists and unions, and no truth values."""
    return _types(annotation) & {int, float} != set() and bool not in _types(annotation)


def _types(annotation: object) -> set[object]:
    if get_origin(annotation) in (ClassVar, Literal):
        return set()
    return {annotation, *itertools.chain.from_iterable(map(_types, get_args(annotation)))}


def _no_truth(value: object) -> object:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    if isinstance(value, bool):
        raise ValueError(f"YAML reads this as {str(value).lower()}, a truth value; it should be a number")
    for item in inner:
        _no_truth(item)
    return value


_NO_TRUTH = BeforeValidator(_no_truth)


class Section(BaseModel):
    """A section of the configuration: no unknown keys, and immutable once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    # What it measures of each kind of model; None: it is no metric.
    by_kind: ClassVar[ByKind | None] = None
    # Whether its paths are those of models, which may be in the results of a study, such as another one.
    of_models: ClassVar[bool] = False
    # Whether it provides a text for models with a planted bias (`models.{name}.planted`).
    can_plant: ClassVar[bool] = False
    # The other sections of which it can name entries, by their names in the configuration.
    takes: ClassVar[tuple[str, ...]] = ()
    # The setting of another section, if any, without which nothing of it is measured.
    only_with: ClassVar[str] = ""
    # What its keys are together, if several sections have them all: a heading of config/README.md.
    called: ClassVar[str] = ""
    # Its keys of earlier releases -> their present names, in full.
    renamed: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls, **options: object) -> None:
        """Have the keys that are numbers refuse truth values, before pydantic reads the annotations."""
        super().__init_subclass__(**options)
        given = inspect.get_annotations(cls)
        wanted = {name: Annotated[kind, _NO_TRUTH] for name, kind in given.items() if _is_number(kind)}
        cls.__annotations__ = given | wanted

    @field_validator("*")
    @classmethod
    def _paths_are_plain(cls, value: object) -> object:
        for path in paths(value):
            plain_path(str(path))
        return value

    def needs(self) -> Iterable[Need]:
        """What it requires of the study's models."""
        return ()

    def refers(self) -> Iterable[Reference]:
        """The names from other sections that it refers to, besides models and sources of vectors."""
        return ()

    def vectors_wanted(self) -> Iterable[Wanted]:
        """What it requires of the study's sources of vectors."""
        return ()

    def named(self) -> dict[str, Iterable[str]]:
        """Names by their key, which must differ in more than capitals: files are named after them."""
        return {}

    def places(self) -> Iterable[Places]:
        """The regions that it names."""
        return ()

    def families(self) -> Iterable[Family]:
        """Its resampling tests, as far as their number is known."""
        return ()

    def measures_of_models(self) -> Iterable[str]:
        """The files with its numbers of whole models, of the schema "model_measures"."""
        return ()

    def attended(self) -> Iterable[str]:
        """Models, by name, that it asks for the attention to tokens."""
        return ()

    def offers(self) -> dict[str, Collection[str]]:
        """The names of its entries that recipes of derived models can name, by the key of the recipe."""
        return {}

    def unused(self) -> Iterable[tuple[str, str]]:
        """(key, what could use it, in words) of its own entries that it does not use itself."""
        return ()

    def further_models(self) -> dict[str, Iterable[str]]:
        """Names, by their key, of what is measured like a model but is not one of the study's models."""
        return {}


def plain_path(path: str) -> str:
    """Accept a path that is nothing more than a name (`places.fault_of_name`)."""
    if fault := fault_of_name(path):
        raise ValueError(fault)
    return path


def _local(path: Path) -> Path:
    """As `downloads.local`, for pydantic."""
    try:
        return downloads.local(path)
    except HerbariumError as error:
        raise ValueError(str(error)) from error


LocalPath = Annotated[Path, AfterValidator(_local)]


def read_by(reader: Callable[[Path], object]) -> AfterValidator:
    """Accept a path whose file the reader can read, so that a faulty list is reported before the first job, like a
    key."""

    def check(path: Path) -> Path:
        path = _local(path)
        try:
            reader(path)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return path

    return AfterValidator(check)


def _no_file_of_its_own(name: str) -> str:
    """Accept a name that cannot be another's file: model `a` has the file a.json, and a model a.json would have a
    folder of that name."""
    if name.endswith((".json", ".parquet")):
        raise ValueError(f"'{name}' looks like a file of the results; it cannot be a name")
    return name


@cache
def _reads_as_text(name: str) -> bool:
    return pd.read_csv(io.StringIO(f"name\n{name}\n"))["name"].tolist() == [name]


def _text_in_a_table(name: str) -> str:
    """Accept a name that readers of the results take for the same text: `nan` would be missing, `1e5` a number."""
    if not _reads_as_text(name):
        raise ValueError(
            f"'{name}' is read as a missing value, a number or a truth value in tables; it cannot be a name"
        )
    return name


# Part of the name of a file.
Part = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64), AfterValidator(_no_file_of_its_own)
]
Name = Annotated[Part, AfterValidator(_text_in_a_table)]
# Never a path, and never a command-line option.
HUB = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*$"
COMMIT = r"^[0-9a-f]{40}$"


def _as_value(value: object) -> object:
    """A cell's value as text, as it is compared. Booleans are rejected: YAML turns `no` and `yes` into them."""
    if isinstance(value, bool):
        raise ValueError(f"YAML reads this as {str(value).lower()}; put it in quotes as it is in the data")
    return str(value) if isinstance(value, int) else value


Value = Annotated[str, BeforeValidator(_as_value)]
WordList = Annotated[Path, read_by(read_words)]
# Keys of many sections, with what they mean in each.
Measured = Annotated[list[Name], Field(description="Models to measure.")]
Level = Annotated[float, Field(gt=0, lt=1, description="Nominal coverage of the intervals.")]
Correction = Annotated[
    Literal["holm", "fdr_bh"],
    Field(description="Adjustment of p-values in a family: Holm, or Benjamini and Hochberg."),
]
Replicates = Annotated[int, Field(ge=0, le=100_000, description="Bootstrap replicates; 0: no intervals.")]


class Bootstrap(Section):
    replicates: Replicates = 200
    level: Level = 0.95


class QuickBootstrap(Bootstrap):
    """For a measure that takes little time, and so has more replicates."""

    replicates: Replicates = 1000


def paths(value: object, of_models: bool = True) -> Iterator[Path]:
    """Every path in a section, except those of models if `of_models` is false."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, Section):
        if of_models or not value.of_models:
            yield from paths([inner for _, inner in value], of_models)
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from paths(inner, of_models)
