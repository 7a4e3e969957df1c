"""The section of the configuration on HERB."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from herbarium.core.errors import did_you_mean
from herbarium.core.resources import read_words
from herbarium.core.section import Bootstrap, ByKind, Correction, Family, Name, Need, Section, WordList, read_by
from herbarium.metrics.herb import stimuli
from herbarium.models.by_kind import scored
from herbarium.models.section import Model

TOPICS = ("occupation", "intelligence", "appearance", "strength", "morality")
SubstituteList = Annotated[Path, read_by(lambda path: read_words(path, repeats=True))]
Template = Annotated[Path, read_by(stimuli.read_template)]
FormTable = Annotated[Path, read_by(stimuli.read_forms)]


class Released(Section):
    """Each key is one departure of the released code from the paper; docs/metrics/herb.md says what each changes."""

    no_full_stop: bool = True
    odd_spaces: bool = True
    pad_mean: bool = True
    last_pair: bool = True
    single_alpha: bool = True
    unit_V: bool = True  # noqa: N815
    raw_top: bool = True
    last_leaf: bool = True
    childless: bool = True
    last_name: bool = True


class Tests(Section):
    permutations: int = Field(
        999, ge=1, le=100_000, description="Permutations of regions in the test of the hierarchy."
    )
    correction: Correction = "holm"


class Herb(Section):
    by_kind: ClassVar[ByKind] = scored(stimuli.quantities(stimuli.SET))
    can_plant: ClassVar[bool] = True
    renamed: ClassVar[dict[str, str]] = {
        "regions": "regions",
        "names": "regions.names",
        "toxic": "models.{name}.derived",
    }

    models: list[Name] | None = Field(None, description="Models to measure; empty: all that are not derived.")
    templates: dict[Name, Template] = Field(
        {"published": Path("resources/herb/templates/published.txt")},
        min_length=1,
        description="Files with one template each; HERB is computed with the first.",
    )
    forms: FormTable = Field(
        Path("resources/herb/forms.csv"), description="Forms of descriptions, for [plural], [singular] and [released]."
    )
    descriptions: dict[Name, WordList] = Field(
        {topic: Path(f"resources/herb/descriptions/{topic}.txt") for topic in TOPICS},
        min_length=1,
        description="Topics and their lists of descriptions.",
    )
    substitutes: dict[Name, SubstituteList] = Field(
        {}, description="Topics and their substitutes, one for each description (Table 6: resources/herb/substitutes/)."
    )
    countries_only: list[Literal[stimuli.KINDS]] = Field(
        [],
        description="Measured over continents and countries only: `templates` (but the first), `substitutes`, "
        "`departures` (in the sentences, each alone), `names`, models along `toxic` training.",
    )
    control: WordList | None = Field(
        Path("resources/regions/made_up_names.txt"),
        description="Made-up place names, one per line, measured as one more region; `null`: none.",
    )
    released: Released = Field(
        Released(), description="Departures of the released code, each a switch (docs/metrics/herb.md)."
    )
    bootstrap: Bootstrap = Bootstrap()
    tests: Tests = Tests()
    map_description: str | None = Field(
        None, description="Description on the world map; empty: `bald` if there is one, else the first."
    )
    representations: bool = Field(
        True, description="Compare representations of countries' names by continent, and plot them (UMAP)."
    )
    groups: bool = Field(False, description="Compare profiles of countries by continent (docs/groups.md).")

    @cached_property
    def topics(self) -> dict[str, list[str]]:
        """Topic -> its descriptions."""
        return {topic: read_words(path) for topic, path in self.descriptions.items()}

    @property
    def made_up_names(self) -> list[str]:
        """The names of the control; none if the study has no control."""
        return read_words(self.control) if self.control else []

    @property
    def departures(self) -> list[str]:
        """The departures of the released code that are switched on."""
        return [name for name, is_on in self.released if is_on]

    @cached_property
    def wordings(self) -> dict[str, list[stimuli.Frame]]:
        """Every wording of the descriptions by its name."""
        return stimuli.wordings(
            {name: stimuli.read_template(path) for name, path in self.templates.items()},
            self.topics,
            {topic: read_words(path, repeats=True) for topic, path in self.substitutes.items()},
            stimuli.read_forms(self.forms),
            self.departures,
        )

    @property
    def shown_description(self) -> str:
        """The description that the world map shows."""
        words = [word for words in self.topics.values() for word in words]
        return self.map_description or ("bald" if "bald" in words else words[0])

    def measured(self, models: Mapping[str, Model]) -> list[str]:
        """The names of the models that are measured. models: all models of the study."""
        return [name for name, model in models.items() if model.derived is None] if self.models is None else self.models

    def families(self) -> Iterator[Family]:
        levels = 2  # countries and cities
        permutations, replicates = self.tests.permutations, self.bootstrap.replicates
        hierarchy = "the tests of the hierarchy of a model"
        yield Family("herb.tests.permutations", hierarchy, levels, permutations + 1, 1, self.tests.correction)
        if replicates:  # at least one: the number depends on the regions with enough to compare
            differences = "differences of the scores as published"
            yield Family("herb.bootstrap.replicates", differences, 1, replicates + 1, 2, None)

    def needs(self) -> Iterator[Need]:
        for name in [None] if self.models is None else self.models:
            yield Need("herb.models", name, self.by_kind, "HERB's f(S) (Eq. 1)")

    @model_validator(mode="after")
    def _words_fit(self) -> "Herb":
        words = self.topics
        for topic, path in self.substitutes.items():
            if topic not in words:
                raise ValueError(f"substitutes: '{topic}' is not a topic{did_you_mean(topic, words)}")
            given = len(read_words(path, repeats=True))
            if given != len(words[topic]):
                raise ValueError(f"substitutes.{topic}: {given} words for {len(words[topic])} descriptions")
        shown, all_words = self.map_description, [word for of_topic in words.values() for word in of_topic]
        if shown is not None and shown not in all_words:
            raise ValueError(f"map_description: '{shown}' is not a description{did_you_mean(shown, all_words)}")
        return self
