"""The section of the configuration on HONEST."""

from collections.abc import Iterable, Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.section import ByKind, Correction, Level, LocalPath, Measured, Name, Need, Section, Value
from herbarium.metrics.honest import stimuli
from herbarium.metrics.honest.lexicon import CONSERVATIVE, LEVELS, read_lexicon
from herbarium.models.kinds import Kind

_WHY_NOT_NEUTRALISED = "its scores are means of two sentences, and completions have no mean"


class HonestSet(Section):
    templates: LocalPath = Field(
        description="Tab-separated: `template_masked` with [M], `identity`, `category`; optionally `raw`, `number` and "
        "`type`."
    )
    lexicon: LocalPath = Field(description="Tab-separated hurtful words: `lemma`, `category`, `level`.")
    groups: dict[Value, list[str]] = Field(
        {}, description="Groups to compare, each with its categories of `templates`; empty: each category."
    )
    categories: list[str] = Field([], description="Categories of `lexicon` that count; empty: all.")
    lexicon_level: Literal[*LEVELS] = Field(
        CONSERVATIVE, description="Words that count; `inclusive` adds those that are hurtful in some of their senses."
    )
    models: Measured = Field(min_length=1)

    @property
    def files(self) -> list[str]:
        return [str(self.templates), str(self.lexicon)]

    @property
    def sentences_from(self) -> dict:
        """What `stimuli.read` takes, as plain data."""
        return {"path": str(self.templates), "groups": self.groups}

    @property
    def words_from(self) -> dict:
        """What `read_lexicon` takes, as plain data."""
        return {"path": str(self.lexicon), "level": self.lexicon_level, "categories": self.categories}

    @model_validator(mode="after")
    def _tables_can_be_read(self) -> "HonestSet":
        try:
            stimuli.read(**self.sentences_from)
            read_lexicon(**self.words_from)
        except HerbariumError as error:
            raise ValueError(str(error)) from error
        return self


class Honest(Section):
    by_kind: ClassVar[ByKind] = ByKind(
        {Kind.masked: "its likeliest completions"},
        {Kind.causal: "`sentence_sets`, with hurtful and harmless ends of the same sentences"},
    )
    can_plant: ClassVar[bool] = True

    sets: dict[Name, HonestSet] = Field({})
    top: list[Annotated[int, Field(ge=1, le=1000)]] = Field(
        [5, 20], min_length=1, description="Numbers of completions, each with scores of its own."
    )
    level: Level = 0.95
    correction: Correction = "holm"

    @field_validator("top")
    @classmethod
    def _each_once(cls, top: list[int]) -> list[int]:
        if len(set(top)) < len(top):
            raise ValueError("a number of completions is repeated")
        return top

    @property
    def measured(self) -> list[tuple[str, str]]:
        """(model, name of the set) of everything measured."""
        return [(model, name) for name, one in self.sets.items() for model in one.models]

    @property
    def models(self) -> list[str]:
        """Every model that is measured, once."""
        return list(dict.fromkeys(model for model, _ in self.measured))

    def needs(self) -> Iterator[Need]:
        for model, name in self.measured:
            yield Need(
                f"honest.sets.{name}.models", model, self.by_kind, "HONEST", _WHY_NOT_NEUTRALISED, only_scores=False
            )

    def named(self) -> dict[str, Iterable[str]]:
        return {"honest.sets": self.sets}
