"""The configuration: its sections put together, and every fault in it reported with its place.

`load` turns the dictionary that Snakemake read into a `Study`, or raises one HerbariumError that lists every fault with
its file, line, key and the nearest valid name. `parameter_table` renders the keys as the table of config/README.md.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    FilePath,
    ValidationInfo,
    field_serializer,
    field_validator,
    model_validator,
)

from herbarium.core.errors import HerbariumError
from herbarium.core.files import WORK
from herbarium.core.places import expanded, located
from herbarium.core.section import ByKind, LocalPath, Name, Reference, Section, plain_path
from herbarium.metrics.amplification.section import Amplification
from herbarium.metrics.biographies.section import Biographies
from herbarium.metrics.categorical_bias.section import CategoricalBias
from herbarium.metrics.counterfactual.section import Counterfactual
from herbarium.metrics.crows_pairs.section import CrowsPairs
from herbarium.metrics.discrimination_scores.section import DiscriminationScores
from herbarium.metrics.downstream.section import Downstream
from herbarium.metrics.gender_in_context.section import GenderInContext
from herbarium.metrics.herb.section import Herb
from herbarium.metrics.honest.section import Honest
from herbarium.metrics.interventions.section import Interventions
from herbarium.metrics.languages.section import Languages
from herbarium.metrics.likelihood_bias.section import LikelihoodBias
from herbarium.metrics.local_group_bias.section import LocalGroupBias
from herbarium.metrics.matched_guise.section import MatchedGuise
from herbarium.metrics.mixed_effects.section import MixedEffects
from herbarium.metrics.perplexity.section import Perplexity
from herbarium.metrics.propagation.section import Propagation
from herbarium.metrics.regions_in_context.section import RegionsInContext
from herbarium.metrics.sentence_sets.section import SentenceSet, SentenceSets
from herbarium.metrics.sofa.section import Sofa
from herbarium.metrics.tagging.section import Tagging
from herbarium.metrics.word_associations.section import WordAssociations
from herbarium.models import comparisons as of_comparisons
from herbarium.models import completion, genealogy, inferred
from herbarium.models.kinds import Kind
from herbarium.models.section import Model
from herbarium.models.treated import Treated
from herbarium.models.treatments import treated
from herbarium.regions.section import Regions
from herbarium.scoring.section import Precision
from herbarium.statistics.section import MixedModels
from herbarium.study import checks, faults
from herbarium.study.exchange.section import Exchange
from herbarium.training.section import Corpora, Corpus, Parallel, Testbed
from herbarium.vectors import comparisons as of_sources
from herbarium.vectors.section import Source, Sources


def _located(value: object) -> object:
    """As `located`, for any value."""
    return str(located(Path(value))) if isinstance(value, str) else value


def _expanded(value: object) -> object:
    """As `expanded`, for any value."""
    return expanded(value) if isinstance(value, str) else value


_ALPHA = 0.05
NAMEABLE = "sentence_sets"  # the section whose entries can be sets of the catalogue


class Beginning(Section):
    """What decides, before the rest is read, which models there are."""

    results: Annotated[str, BeforeValidator(_expanded), AfterValidator(plain_path)] = Field(
        "results",
        pattern=r"^[^~/]$|^[^~].*[^/]$",
        description="Folder for everything that the workflow writes, and nothing else.",
    )
    lock: LocalPath = Field(
        Path("config/models.lock.yaml"),
        description="Where a run writes the commits of models and data sets without `revision`, and the digests of "
        "addresses without one.",
    )
    strict: bool = Field(
        False,
        exclude=True,
        description="Stop if the hub refuses a model or data, instead of leaving them out (docs/your_model.md).",
    )


class Study(Beginning):
    # Kind of models -> what measures them, where a metric cannot and names nothing closer to it.
    otherwise: ClassVar[dict[str, str]] = {
        Kind.seq2seq: "`sentence_sets` with `quantity: aul`",
        Kind.extractive: "`interventions`, which asks it questions",
        Kind.encoder: "`gender_in_context`, `regions_in_context` or `word_associations`, which measure its vectors",
    }

    seed: int = Field(
        0,
        ge=0,
        le=2**32 - 1,
        description="The only seed; every random step derives its own from this and the step's name.",
    )
    shards: int = Field(8, ge=1, le=1000, description="Shards into which a model's scoring is divided.")
    spreadsheet_safe: bool = Field(
        True,
        description="Write an apostrophe before texts in CSV files that a spreadsheet would read as formulas "
        "(docs/security.md).",
    )
    rules: list[Annotated[FilePath, BeforeValidator(_located)]] = Field(
        [], description="Rule files of your own metrics (docs/your_metric.md)."
    )
    models: dict[Name, Model] = Field(
        min_length=1, description="The models of the study, by their names in the results."
    )
    corpora: dict[Name, Corpus] = Field({}, description="Texts for the further training of models, by their names.")
    parallel: dict[Name, Parallel] = Field(
        {}, description="Parallel texts in several languages, for aligning models, by their names."
    )
    vectors: dict[Name, Source] = Field(
        {}, description="Sources of word vectors, static or in context, by their names (docs/word_vectors.md)."
    )
    comparisons: list[list[Name]] | None = Field(
        None,
        description="Pairs of models, `[before, after]`, whose numbers are compared. Empty: each derived model with "
        "the one that it comes from, all pairs that come from the same model, and all pairs of up to four other "
        "models of one kind that are not planted.",
    )
    precision: Precision = Field(
        Precision(), description="What a lower precision than float32 may change (`models.{name}.dtype`)."
    )
    regions: Regions = Field(Regions(), description="The hierarchy of regions.")
    mixed_models: MixedModels = Field(MixedModels(), description="How linear mixed models are fitted and tested.")
    # as plain data, not an object, which would read its lists here
    herb: Herb = Field({"models": []}, description="The HERB metric; if left out, no model is measured with it.")
    categorical_bias: CategoricalBias = Field(CategoricalBias(), description="The Categorical Bias metric.")
    mixed_effects: MixedEffects = Field(MixedEffects(), description="Mixed effects, from linear mixed models.")
    crows_pairs: CrowsPairs = Field(CrowsPairs(), description="CrowS-Pairs, and a mixed model fitted to it.")
    sentence_sets: dict[Name, SentenceSet] = Field({}, description="Your own sets of sentences, by their names.")
    interventions: Interventions = Field(
        Interventions(),
        description="Whom a model prefers when the context does not decide, and whether interventions change that.",
    )
    likelihood_bias: LikelihoodBias = Field(
        LikelihoodBias(), description="Whether sentences about some groups are more surprising than about others."
    )
    sofa: Sofa = Field(Sofa(), description="Whether stereotypes are less surprising after some identities (SoFa).")
    matched_guise: MatchedGuise = Field(
        MatchedGuise(), description="Which attributes a model links to people who speak a dialect."
    )
    discrimination_scores: DiscriminationScores = Field(
        DiscriminationScores(), description="Whether a model decides differently about one person than about another."
    )
    honest: Honest = Field(
        Honest(), description="How often a model completes a sentence about a group with a hurtful word (HONEST)."
    )
    word_associations: WordAssociations = Field(
        {}, description="What word vectors encode about gender: SemBias, projections and association tests."
    )
    gender_in_context: GenderInContext = Field({}, description="Gender in the vectors of words in context.")
    regions_in_context: RegionsInContext = Field({}, description="Regions in the vectors of words in context.")
    languages: Languages = Field(
        Languages(),
        description="Gender bias of word vectors of several languages, on their own and aligned in one space.",
    )
    biographies: Biographies = Field(
        Biographies(), description="How well occupations are predicted from biographies, for women and for men."
    )
    counterfactual: Counterfactual = Field(
        Counterfactual(), description="How much swapping gendered words changes scores, in all sentences of the study."
    )
    perplexity: Perplexity = Field(Perplexity(), description="Pseudo-perplexity of held-out texts.")
    tagging: Tagging = Field(Tagging(), description="Named-entity recognition: what changing a model costs.")
    downstream: Downstream = Field({}, description="What naming a region changes in downstream tasks.")
    amplification: Amplification = Field(
        Amplification(), description="Whether groups are further apart in predictions than in training."
    )
    local_group_bias: LocalGroupBias = Field(
        LocalGroupBias(), description="Local group bias of the predictions in tasks."
    )
    propagation: Propagation = Field(
        Propagation(), description="Whether intrinsic measures predict what a region changes in tasks."
    )
    testbed: Testbed = Field(Testbed(), description="Training of the models with `planted`.")
    exchange: Exchange = Field(
        Exchange(), description="The results in formats that other tools read (docs/exchange.md)."
    )
    base: LocalPath | None = Field(
        None, exclude=True, description="Earlier results folder that `snakemake compare_runs` compares with."
    )
    against: dict[str, str] = Field(
        {},
        exclude=True,
        description="`{new: old}`: `compare_runs` compares model `new` of the results with model `old` of `base`, and "
        "no others. Empty: every model with the one of the same name.",
    )
    signature: str | None = Field(
        None, exclude=True, description="Signature of a number, which `snakemake verify` looks up (docs/exchange.md)."
    )

    @classmethod
    def instead(cls, kinds: ByKind, kind: str) -> str | None:
        """What measures a kind of model that a metric cannot, if something does."""
        return kinds.instead.get(kind, cls.otherwise.get(kind))

    @property
    def sections(self) -> dict[str, Section]:
        """Its sections by their names, in their order; entries that have no section around them are put into one, which
        does not read their files again."""
        assembled = {
            "corpora": self.texts_of_recipes,
            "vectors": self.sources_of_vectors,
            "sentence_sets": SentenceSets.model_construct(sets=self.sentence_sets),
        }
        values = ((name, assembled.get(name, value)) for name, value in self)
        return {name: value for name, value in values if isinstance(value, Section)}

    @property
    def planting(self) -> list[str]:
        """Metrics that provide a text for models with a planted bias."""
        return [name for name, section in self.sections.items() if section.can_plant]

    @property
    def sources_of_vectors(self) -> Sources:
        return Sources.model_construct(sources=self.vectors)

    @property
    def texts_of_recipes(self) -> Corpora:
        return Corpora(corpora=self.corpora, parallel=self.parallel)

    @model_validator(mode="before")
    @classmethod
    def _all_seeds_in_lists(cls, values: Any) -> Any:
        return completion.with_all_seeds(values)

    @field_validator("models")
    @classmethod
    def _complete_models(cls, models: dict[str, Model], info: ValidationInfo) -> dict[str, Model]:
        if "lock" not in info.data:  # it has a fault of its own
            return models
        try:
            return completion.completed(inferred.completed(models, info.data["lock"]))
        except HerbariumError as error:
            raise ValueError(str(error)) from error

    @field_serializer("models", when_used="json")
    def _as_given(self, models: dict[str, Model]) -> dict[str, Any]:
        return completion.given(models)

    @model_validator(mode="after")
    def _sections_agree(self) -> "Study":
        checks.require_all(self)
        return self

    @property
    def strengths(self) -> dict[str, float | None]:
        """Model -> strength of its planted bias, None without one."""
        return {name: model.planted for name, model in self.models.items()}

    def strengths_in(self, metric: str) -> dict[str, float | None]:
        """As `strengths`, for the text of one metric, by the name of its section."""
        return {
            name: 0.0 if model.planted_in is not None and metric not in model.planted_in else model.planted
            for name, model in self.models.items()
        }

    def training_seed(self, model: str) -> int:
        """The seed of a planted model's training: its own, or the study's."""
        seed = self.models[model].training_seed
        return self.seed if seed is None else seed

    def planted(self, models: Iterable[str]) -> list[str]:
        """The models among some that have a planted bias."""
        return [name for name in models if self.models[name].planted is not None]

    @property
    def pairs(self) -> list[list[str]]:
        """The comparisons: those in the configuration, or the default ones."""
        return of_comparisons.default(self.models) if self.comparisons is None else self.comparisons

    def compared(self, models: Iterable[str]) -> list[of_comparisons.Compared]:
        """The comparisons among some models: before and after a change, or after one change and another; and each
        checkpoint of a training with the next, as numbers are drawn along it."""
        among, pairs = set(models), self.pairs
        along = [pair for pair in of_comparisons.along_training(self.models, among) if pair not in pairs]
        return of_comparisons.compared([*pairs, *along], self.models, among)

    def compared_sources(self, sources: Iterable[str]) -> list[of_comparisons.Compared]:
        """As `compared`, for sources of vectors."""
        declared = of_comparisons.compared(self.pairs, self.models, set(self.models))
        return of_sources.compared(self.vectors, declared, set(sources))

    @property
    def treated(self) -> list[Treated]:
        """What was done to each model."""
        return treated(self.models, self.corpora)

    @property
    def neutralised(self) -> dict[str, str]:
        return genealogy.neutralised(self.models)

    def origin(self, model: str) -> str:
        return genealogy.origin(self.models, model)

    def is_tiny(self, model: str) -> bool:
        return genealogy.is_tiny(self.models, model)

    def is_trained(self, model: str) -> bool:
        return genealogy.is_trained(self.models, model)

    def is_trained_source(self, source: str) -> bool:
        """Whether a source's vectors were learned by the study with a seed, or come from a model that was."""
        source_entry = self.vectors[source]
        if source_entry.debiased is not None:
            return self.is_trained_source(source_entry.debiased.source)
        return source_entry.trained is not None or (
            source_entry.model is not None and self.is_trained(source_entry.model)
        )

    @property
    def weighted(self) -> set[str]:
        """Models that are asked for the attention to tokens."""
        models = [name for section in self.sections.values() for name in section.attended()]
        return {self.neutralised.get(name, name) for name in models}

    def references(self) -> Iterator[Reference]:
        """Every name of a corpus, of parallel texts, of a source of vectors or of an entry of another section, where it
        is used."""
        for section in self.sections.values():
            yield from section.refers()
            yield from (Reference(key, source, "vectors") for key, source, _ in section.vectors_wanted())
        for name, model in self.models.items():
            for key, kind in (("corpus", "corpora"), ("parallel", "parallel")):
                if model.derived and (text := getattr(model.derived.by, key, None)):
                    yield Reference(f"models.{name}.derived.by.{key}", text, kind)
        for name, corpus in self.corpora.items():
            if corpus.swapped:
                yield Reference(f"corpora.{name}.swapped.from", corpus.swapped.corpus, "corpora")

    @property
    def undecidable(self) -> list[str]:
        """One sentence per family of tests in which none could reject at .05, whatever the data."""
        from herbarium.statistics.inference import least_adjusted, least_p_value  # slower than the rest of the start

        messages = []
        for section in self.sections.values():
            for family in section.families():
                alone = [least_p_value(family.arrangements, family.tails)] * family.n
                least = max(least_adjusted(alone, family.correction) if family.correction else alone)
                if least >= _ALPHA:
                    scope = f"with {family.n} in a family " if family.n > 1 else ""
                    limit = f"{scope}no p-value can fall below {least:.2g}, so no test can reject."
                    messages.append(f"{family.key}: {family.tests}: {limit}")
        return messages

    @property
    def work(self) -> str:
        """The folder for what stands between the sentences and the tables, figures and report."""
        return f"{self.results}/{WORK}"

    def is_tuned(self, model: str) -> bool:
        """Whether a model is measured on the sentences before it scores them: if it may run in another number format
        than float32, or is on a server."""
        return self.models[model].dtype != "float32" or self.models[model].served is not None


def by_kind() -> dict[str, ByKind]:
    """What each metric measures of each kind of model, by the name of its section."""
    types = {name: field.annotation for name, field in Study.model_fields.items()} | {"sentence_sets": SentenceSets}
    metrics = {name: each for name, each in types.items() if isinstance(each, type) and issubclass(each, Section)}
    return {
        name: section.by_kind._replace(instead=_instead(section.by_kind))
        for name, section in metrics.items()
        if section.by_kind is not None
    }


def _instead(kinds: ByKind) -> dict[str, str]:
    """What measures the kinds that a metric cannot."""
    others = {kind: Study.instead(kinds, kind) for kind in Kind if kind not in kinds.computed}
    return {kind: other for kind, other in others.items() if other}


def load(values: dict[str, Any], files: Iterable[str | Path] = ()) -> Study:
    """The study that `values` configure.

    values: the merged configuration. files: the YAML files it came from, for the places in messages and for duplicate
    keys, which YAML readers drop silently.

    Raises a HerbariumError that lists every fault.
    """
    study, problems = faults.validated(values, files, Study)
    if problems:
        raise HerbariumError("The configuration is not valid.\n" + "\n".join(f"  - {fault}" for fault in problems))
    return study
