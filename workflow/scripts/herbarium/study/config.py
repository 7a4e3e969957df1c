"""The configuration: its sections put together, and every fault in it reported with its place.

`load` turns the dictionary that Snakemake read into a `Study`, or raises one HerbariumError that lists every fault with
its file, line, key and the nearest valid name. `parameters` writes the keys as the tables of config/README.md.
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

_LONG = 255  # bytes of the longest name of a file


def _located(value: object) -> object:
    """As `located`, for any value; whether a long one is too long is not asked of the system, which would
    raise an error of its own."""
    if isinstance(value, str) and len(value.encode()) > _LONG:
        plain_path(value)
    return str(located(Path(value))) if isinstance(value, str) else value


def _expanded(value: object) -> object:
    """As `expanded`, for any value."""
    return expanded(value) if isinstance(value, str) else value


_ALPHA = 0.05
NAMEABLE = "sentence_sets"  # the section whose entries can be sets of the catalogue


class Beginning(Section):
    """What decides, before the rest is read, which models there are."""

    results: Annotated[str, BeforeValidator(_expanded), AfterValidator(plain_path)] = Field(
        "results", pattern=r"^[^~/]$|^[^~].*[^/]$", description="Folder for all that a run writes, and nothing else."
    )
    lock: LocalPath = Field(
        Path("config/models.lock.yaml"),
        description="Lock file: the commits and digests that the configuration leaves out.",
    )
    strict: bool = Field(
        False,
        exclude=True,
        description="Stop if the hub refuses a model or data, instead of leaving it out (docs/your_model.md).",
    )


class Study(Beginning):
    # Kind of models -> what measures them, where a metric cannot and names nothing closer to it.
    otherwise: ClassVar[dict[str, str]] = {
        Kind.seq2seq: "`sentence_sets` with `quantity: aul`",
        Kind.extractive: "`interventions`, which asks it questions",
        Kind.encoder: "`gender_in_context`, `regions_in_context` or `word_associations`, which measure its vectors",
    }

    seed: int = Field(0, ge=0, le=2**32 - 1, description="Seed of every random step.")
    shards: int = Field(8, ge=1, le=1000, description="Jobs into which a model's scoring is divided.")
    spreadsheet_safe: bool = Field(
        True, description="Write an apostrophe before CSV texts that look like formulas (docs/security.md)."
    )
    rules: list[Annotated[FilePath, BeforeValidator(_located)]] = Field(
        [], description="Rule files of your own metrics (docs/your_metric.md)."
    )
    models: dict[Name, Model] = Field(
        min_length=1, description="Models, by their names in the results (docs/your_model.md)."
    )
    corpora: dict[Name, Corpus] = Field(
        {}, description="Texts for further training, and for word vectors (docs/mitigation.md)."
    )
    parallel: dict[Name, Parallel] = Field({}, description="Parallel texts, for aligning models (docs/mitigation.md).")
    vectors: dict[Name, Source] = Field(
        {}, description="Sources of word vectors, static or in context (docs/word_vectors.md)."
    )
    comparisons: list[list[Name]] | None = Field(
        None,
        description="Pairs of models, `[before, after]`. Empty: each derived model with its base, all of one base, and "
        "up to four others of one kind, unless planted.",
    )
    precision: Precision = Field(
        Precision(), description="What a lower precision than float32 may change, for `dtype` (docs/scoring.md)."
    )
    regions: Regions = Field(Regions(), description="Hierarchy of regions (docs/your_regions.md).")
    mixed_models: MixedModels = Field(
        MixedModels(), description="Linear mixed models of `mixed_effects`, `crows_pairs` and (`tests`) `herb.groups`."
    )
    # as plain data, not an object, which would read its lists here
    herb: Herb = Field({"models": []}, description="Regional bias (HERB); only with this section, which may be empty.")
    categorical_bias: CategoricalBias = Field(CategoricalBias(), description="Ethnic bias, by language.")
    mixed_effects: MixedEffects = Field(
        MixedEffects(), description="Gender bias in traits and professions, from mixed models."
    )
    crows_pairs: CrowsPairs = Field(CrowsPairs(), description="CrowS-Pairs, and a mixed model of it.")
    sentence_sets: dict[Name, SentenceSet] = Field(
        {}, description="Sets of sentences, published ones (docs/sets.md) or yours (docs/your_sentences.md)."
    )
    interventions: Interventions = Field(
        Interventions(),
        description="Whom a model picks in ambiguous contexts, and whether ethical advice changes that.",
    )
    likelihood_bias: LikelihoodBias = Field(
        LikelihoodBias(), description="Whether sentences about some groups are more surprising."
    )
    sofa: Sofa = Field(Sofa(), description="Whether stereotypes are likelier of some identities (SoFa).")
    matched_guise: MatchedGuise = Field(
        MatchedGuise(), description="Attributes that a model links to speakers of a dialect."
    )
    discrimination_scores: DiscriminationScores = Field(
        DiscriminationScores(), description="Whether a model decides differently about different persons."
    )
    honest: Honest = Field(Honest(), description="Hurtful completions of sentences about groups (HONEST).")
    word_associations: WordAssociations = Field(
        {}, description="Gender in word vectors: SemBias, projections, association tests."
    )
    gender_in_context: GenderInContext = Field({}, description="Gender in the vectors of words in context.")
    regions_in_context: RegionsInContext = Field({}, description="Regions in the vectors of words in context.")
    languages: Languages = Field(
        Languages(), description="Gender in word vectors of several languages, alone and aligned."
    )
    biographies: Biographies = Field(
        Biographies(), description="Occupations predicted from biographies of women and men."
    )
    counterfactual: Counterfactual = Field(
        Counterfactual(), description="Change of scores when gendered words are swapped, in all sentences of the study."
    )
    perplexity: Perplexity = Field(Perplexity(), description="Pseudo-perplexity of held-out texts.")
    tagging: Tagging = Field(Tagging(), description="Named-entity recognition: what changing a model costs.")
    downstream: Downstream = Field({}, description="What naming a region changes in downstream tasks.")
    amplification: Amplification = Field(
        Amplification(), description="Whether groups are further apart in predictions than in training."
    )
    local_group_bias: LocalGroupBias = Field(
        LocalGroupBias(), description="Clusters of texts in which predictions treat groups differently."
    )
    propagation: Propagation = Field(Propagation(), description="Whether intrinsic bias predicts downstream bias.")
    testbed: Testbed = Field(Testbed(), description="Training of planted models (docs/testbed.md).")
    exchange: Exchange = Field(Exchange(), description="Results in formats of other tools (docs/exchange.md).")
    base: LocalPath | None = Field(None, exclude=True, description="Earlier results, for `snakemake compare_runs`.")
    against: dict[str, str] = Field(
        {},
        exclude=True,
        description="`{new: old}`: models that `compare_runs` compares, of the results and of `base`; empty: those of "
        "the same name.",
    )
    signature: str | None = Field(
        None, exclude=True, description="Signature of a number, for `snakemake verify` (docs/exchange.md)."
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
