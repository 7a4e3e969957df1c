"""The configuration's keys on models with a planted bias, and on the texts that recipes need."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from herbarium.core.errors import HerbariumError, require_known
from herbarium.core.places import located
from herbarium.core.section import ByKind, LocalPath, Name, Need, Section, Value, WordList
from herbarium.models.data import Data
from herbarium.models.kinds import PLANTED
from herbarium.models.recipes import Alignment, Continued, Neutralised, Projection
from herbarium.models.section import Model
from herbarium.training import country_swapping, swapping


class Testbed(Section):
    """How the planted-bias models are trained; docs/testbed.md defines what they learn."""

    steps: int = Field(1500, ge=10, le=1_000_000, description="Training steps.")
    batch_size: int = Field(256, ge=1, le=100_000, description="Sentences per step.")


TrainingSets = Annotated[
    int,
    Field(
        ge=1,
        le=1000,
        description="Disjoint parts of the training texts, each for a training of its own.",
    ),
]


class FineTuning(Section):
    """How models are fine-tuned to classify texts."""

    called: ClassVar[str] = "Fine-tuning"

    epochs: int = Field(10, ge=1, le=1000, description="Largest number of epochs.")
    learning_rate: float = Field(2e-5, gt=0, le=1, description="Peak learning rate.")
    batch_size: int = Field(32, ge=1, le=10_000, description="Texts per step.")
    evaluations: int = Field(2, ge=1, le=1000, description="Evaluations on the validation part per epoch.")
    patience: int = Field(3, ge=1, le=1000, description="Evaluations without improvement after which training stops.")
    validation_share: float = Field(
        0.1, gt=0, lt=1, description="Share of training texts held out for early stopping, stratified by label."
    )
    max_tokens: int = Field(
        512, ge=8, le=1_000_000, description="Tokens that a text is cut to, if the model takes as many."
    )


# Terms that can be exchanged -> our list of them, and the reader of such lists.
TERMS = {
    "gender": (Path("resources/swaps/english_gender.csv"), swapping.read_pairs),
    "gender_published": (Path("resources/swaps/english_gender_published.csv"), swapping.read_directed),
    "countries": (Path("resources/swaps/english_countries.csv"), country_swapping.read_terms),
}


def table_of(terms: str, table: Path | None) -> Path:
    """The table of some terms: the given one, or ours."""
    return table or located(TERMS[terms][0])


def _require_list(terms: str, table: Path | None, says: str = "") -> None:
    """ValueError for a table of terms that cannot be read. says: how it begins."""
    try:
        TERMS[terms][1](table_of(terms, table))
    except HerbariumError as error:
        raise ValueError(f"{says}{error}") from error


class Swapped(Section):
    """Another corpus, with terms exchanged (docs/mitigation.md)."""

    model_config = ConfigDict(serialize_by_alias=True)

    corpus: Name = Field(alias="from", description="The other corpus.")
    terms: Literal[*TERMS] = Field(
        description="Gendered words (`gender`), those of the published list (`gender_published`), or `countries` and "
        "their people."
    )
    table: LocalPath | None = Field(None, description="CSV of the terms to swap; empty: ours for English.")
    names: WordList | None = Field(
        None, description="Names, one per line, that become E1, E2, … in originals and swaps."
    )
    sides: Literal["one", "two"] = Field("two", description="Originals and swaps (`two`), or only swaps (`one`).")

    @property
    def file(self) -> Path:
        """The table of the terms."""
        return table_of(self.terms, self.table)

    @property
    def lists(self) -> list[Path]:
        """The tables and lists that it is read from."""
        return [self.file, *([self.names] if self.names else [])]

    @model_validator(mode="after")
    def _names_are_of_people(self) -> "Swapped":
        if self.names is not None and self.terms == "countries":
            raise ValueError("'names' are replaced only when genders are swapped; leave it out with 'terms: countries'")
        return self

    @model_validator(mode="after")
    def _list_can_be_read(self) -> "Swapped":
        _require_list(self.terms, self.table)
        return self


class Texts(Data):
    """A column of texts. Exactly one of `SOURCES` says where they come from."""

    text: str = Field("text", description="Column of the texts.")
    splits: list[Value] = Field([], description="Splits of the hub data set to read; empty: all.")


class Corpus(Texts):
    """Texts that a model is trained further on."""

    SOURCES: ClassVar[tuple[str, ...]] = (*Data.SOURCES, "planted", "swapped")

    planted: Name | None = Field(None, description="Planted model whose training text it is.")
    swapped: Swapped | None = Field(None, description="Another corpus with terms swapped (docs/swaps.md).")
    max_texts: int | None = Field(
        None, ge=10, le=100_000_000, description="Largest number of texts, sampled; empty: all."
    )


class Parallel(Section):
    """The same texts in several languages."""

    texts: dict[Name, Texts] = Field(
        min_length=2, description="Texts of each language; the same rows are translations."
    )
    max_texts: int | None = Field(
        20_000, ge=10, le=100_000_000, description="Largest number of texts, sampled; empty: all."
    )
    alignments: LocalPath | None = Field(
        None,
        description="Word alignments of two languages, as fast_align writes them (`0-0 1-2`), with words separated by "
        "spaces; empty: learned.",
    )

    @model_validator(mode="after")
    def _alignments_are_of_two(self) -> "Parallel":
        if self.alignments is not None and len(self.texts) != 2:
            raise ValueError(f"'alignments' need exactly two languages; these texts are in {len(self.texts)}")
        return self


_PLANTED = ByKind(dict.fromkeys(PLANTED, "a text that was planted"))


class Corpora(Section):
    """All texts of a study that recipes need, by name."""

    corpora: dict[Name, Corpus]
    parallel: dict[Name, Parallel]

    def named(self) -> dict[str, Iterable[str]]:
        languages = {f"parallel.{name}.texts": parallel.texts for name, parallel in self.parallel.items()}
        return {"corpora": self.corpora, "parallel": self.parallel, **languages}

    def needs(self) -> Iterator[Need]:
        for name, corpus in self.corpora.items():
            if corpus.planted is not None:
                yield Need(f"corpora.{name}.planted", corpus.planted, _PLANTED, "a text that was planted")

    def sources(self, name: str) -> list[str]:
        """A corpus, the one that it is made from, and so on.

        Raises ValueError if one of them is not in the study, or comes from itself.
        """
        chain = [name]
        while (swapped := self.corpora[chain[-1]].swapped) is not None:
            require_known(f"corpora.{chain[-1]}.swapped.from", swapped.corpus, self.corpora, "corpora")
            if swapped.corpus in chain:
                raise ValueError(f"corpora.{name}.swapped.from: '{name}' comes from itself")
            chain.append(swapped.corpus)
        return chain

    @model_validator(mode="after")
    def _come_from_somewhere(self) -> "Corpora":
        for name in self.corpora:
            self.sources(name)
        return self

    def require_for(self, models: Mapping[str, Model]) -> None:
        """Raise ValueError for a recipe without its texts, terms or other model, or if a model for a planted text is
        not planted."""
        for name, recipe in ((name, model.derived.by) for name, model in models.items() if model.derived):
            at = f"models.{name}.derived.by"
            if isinstance(recipe, Neutralised):
                _require_list(recipe.terms, recipe.table, f"{at}.table: ")
            if isinstance(recipe, Continued | Projection):
                require_known(f"{at}.corpus", recipe.corpus, self.corpora, "corpora")
            if isinstance(recipe, Projection):
                _require_counterparts(f"{at}.corpus", recipe, self.corpora[recipe.corpus].swapped)
            if isinstance(recipe, Alignment) and recipe.matrix == "fitted":
                require_known(f"{at}.to", recipe.to, models, "models")
                if (derived := models[recipe.to].derived) is not None and not derived.by.has_weights:
                    raise ValueError(
                        f"{at}.to: '{recipe.to}' is {derived.by.recipe}, and has no hidden states of its own"
                    )
                if (kind := models[recipe.to].kind) not in recipe.kinds:
                    raise ValueError(f"{at}.to: '{recipe.to}' is {kind}; recipe 'alignment' needs a masked model")
                _require_no_circle(name, models)
                require_known(f"{at}.parallel", recipe.parallel, self.parallel, "parallel texts")
                languages = self.parallel[recipe.parallel].texts
                for language in recipe.languages:
                    require_known(f"{at}.languages", language, languages, f"languages of '{recipe.parallel}'")
        for name, corpus in self.corpora.items():
            if corpus.planted is not None and models[corpus.planted].planted is None:
                raise ValueError(
                    f"corpora.{name}.planted: '{corpus.planted}' is not a planted model, so it has no such text"
                )


def _require_counterparts(key: str, by: Projection, swapped: Swapped | None) -> None:
    """ValueError for a corpus in which a projection finds no directions."""
    if swapped is None or swapped.sides != "two":
        raise ValueError(
            f"{key}: '{by.corpus}' has no texts with their counterparts; use a corpus with `swapped: {{sides: two}}`"
        )
    if by.method != "sentence_debias" and swapped.terms != "gender":
        raise ValueError(
            f"{key}: '{by.corpus}' has the terms '{swapped.terms}', which do not say what is male and female; "
            f"method '{by.method}' needs `terms: gender`"
        )


def _require_no_circle(name: str, models: Mapping[str, Model]) -> None:
    """ValueError for a model that is aligned to one that comes from it."""
    seen, ahead = set(), [name]
    while ahead:
        derived = models[ahead.pop()].derived
        needed = {derived.base, getattr(derived.by, "to", None)} & models.keys() if derived else set()
        if name in needed:
            raise ValueError(f"models.{name}.derived.by.to: '{models[name].derived.by.to}' comes from '{name}' itself")
        ahead += needed - seen
        seen |= needed
