"""The configuration: its sections put together, and every fault in it reported with its place.

`load` turns the dictionary that Snakemake read into a `Study`, or raises one HerbariumError that lists every fault with
its file, line, key and the nearest valid name. `parameter_table` renders the keys as the table of config/README.md.
"""

import itertools
import os
import re
import sys
import types
import typing
from collections.abc import Iterable, Iterator
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    FilePath,
    ValidationError,
    ValidationInfo,
    field_serializer,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from herbarium.core.errors import HerbariumError, did_you_mean, nearest, require_known
from herbarium.core.files import WORK
from herbarium.core.places import CLONE, expanded, located
from herbarium.core.resources import CONTROL, read_yaml, unseen
from herbarium.core.section import COMMIT, HUB, LocalPath, Name, Part, Reference, Section, Value, paths, plain_path
from herbarium.metrics.amplification.section import Amplification
from herbarium.metrics.biographies.section import Biographies
from herbarium.metrics.categorical_bias.section import CategoricalBias
from herbarium.metrics.counterfactual.section import Counterfactual
from herbarium.metrics.crows_pairs.section import CrowsPairs
from herbarium.metrics.downstream.section import Downstream
from herbarium.metrics.gender_in_context.section import GenderInContext
from herbarium.metrics.herb.section import Herb
from herbarium.metrics.interventions.section import Interventions
from herbarium.metrics.languages.section import Languages
from herbarium.metrics.local_group_bias.section import LocalGroupBias
from herbarium.metrics.mixed_effects.section import MixedEffects
from herbarium.metrics.perplexity.section import Perplexity
from herbarium.metrics.propagation.section import Propagation
from herbarium.metrics.regions_in_context.section import RegionsInContext
from herbarium.metrics.sentence_sets.section import SentenceSet, SentenceSets
from herbarium.metrics.tagging.section import Tagging
from herbarium.metrics.word_associations.section import WordAssociations
from herbarium.models import comparisons as of_comparisons
from herbarium.models import hub, inferred
from herbarium.models.kinds import a_model
from herbarium.models.recipes import Derived
from herbarium.models.section import HUB_OF_MODELS, Model, completed, families, further
from herbarium.models.treated import Treated
from herbarium.models.treatments import treated
from herbarium.regions.section import Regions
from herbarium.scoring.quantities import AULA
from herbarium.scoring.section import Precision
from herbarium.statistics.section import MixedModels
from herbarium.study.exchange.section import Exchange
from herbarium.training.section import Corpora, Corpus, Parallel, Testbed
from herbarium.vectors import comparisons as of_sources
from herbarium.vectors.section import Source, Sources

# Keys of earlier releases -> their present names.
RENAMED = {
    "herb.regions": "regions",
    "herb.names": "regions.names",
    "herb.toxic": "models.{name}.derived",
    "mixed_effects.engine": "mixed_models.engine",
    "mixed_effects.bootstrap": "mixed_models.bootstrap",
    "mixed_effects.tests": "mixed_models.tests",
    "mixed_effects.probes": "mixed_effects.stimuli",
    "mixed_effects.crows_pairs": "crows_pairs",
    "mixed_effects.regions": "herb.groups",
    "downstream.local_groups": "local_group_bias",
    "downstream.training.seeds": "downstream.training.sets",
}
# Metrics that provide a text for models with a planted bias.
PLANTED = ("herb", "categorical_bias", "mixed_effects", "sentence_sets", "interventions")
# What a pattern requires, in words.
_IS_HUB = "a model or data set on the hub is `organisation/name`; for a folder or file, use `path:`"
PATTERNS = {
    HUB: _IS_HUB,
    HUB_OF_MODELS: _IS_HUB,
    COMMIT: "this should be a commit, 40 hex digits, not the name of a branch",
}


def _located(value: object) -> object:
    """As `located`, for any value."""
    return str(located(Path(value))) if isinstance(value, str) else value


def _expanded(value: object) -> object:
    """As `expanded`, for any value."""
    return expanded(value) if isinstance(value, str) else value


# Folders of the clone that never hold results.
OURS = (
    ".ci",
    ".git",
    ".github",
    ".snakemake",
    ".venv",
    "config",
    "docs",
    "envs",
    "profiles",
    "resources",
    "tests",
    "workflow",
)
# The key that says which of several sections one is.
BRANCH = "recipe"
_ALPHA = 0.05
_BOUNDS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


class Beginning(Section):
    """What decides, before the rest is read, which models there are."""

    results: Annotated[str, BeforeValidator(_expanded), AfterValidator(plain_path)] = Field(
        "results",
        pattern=r"^[^~/]$|^[^~].*[^/]$",
        description="Folder for everything that the workflow writes, and nothing else.",
    )
    lock: LocalPath = Field(
        Path("config/models.lock.yaml"),
        description="Where a run writes the commits of hub models that have no `revision`.",
    )
    strict: bool = Field(
        False,
        exclude=True,
        description="Stop if the hub refuses a model or data, instead of leaving them out (docs/your_model.md).",
    )


class Study(Beginning):
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
        "the one that it comes from, and all pairs that come from the same model.",
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

    @property
    def sections(self) -> list[Section]:
        """Its sections, in their order."""
        sections = [value for _, value in self if isinstance(value, Section)]
        assembled = [SentenceSets(sets=self.sentence_sets), self.sources_of_vectors, self.texts_of_recipes]
        return [*sections, *assembled]

    @property
    def sources_of_vectors(self) -> Sources:
        return Sources(sources=self.vectors)

    @property
    def texts_of_recipes(self) -> Corpora:
        return Corpora(corpora=self.corpora, parallel=self.parallel)

    @model_validator(mode="before")
    @classmethod
    def _all_seeds_in_lists(cls, values: Any) -> Any:
        """A list of models that names a model with several seeds, or checkpoints, gets all of them."""
        try:
            entries = {name: of["derived"] for name, of in values["models"].items() if of.get("derived")}
            seeds = {name: [name, *further(name, Derived.model_validate(of))] for name, of in entries.items()}
            for name, of in values["models"].items():
                if of.get("checkpoints"):
                    seeds[name] = [f"{name}-{checkpoint}" for checkpoint in of["checkpoints"]]
        except (TypeError, AttributeError, KeyError, ValueError):  # faults are reported key by key
            return values

        def with_seeds(value: Any, key: str = "") -> Any:
            if isinstance(value, dict):
                return {inner: with_seeds(of, inner) for inner, of in value.items()}
            if key == "models" and isinstance(value, list) and all(isinstance(name, str) for name in value):
                return list(dict.fromkeys(one for name in value for one in seeds.get(name, [name])))
            return value

        others = {key: with_seeds(value, key) for key, value in values.items() if key != "models"}
        return values | others

    @field_validator("models")
    @classmethod
    def _complete_models(cls, models: dict[str, Model], info: ValidationInfo) -> dict[str, Model]:
        if "lock" not in info.data:  # it has a fault of its own
            return models
        try:
            return completed(inferred.completed(models, info.data["lock"]))
        except HerbariumError as error:
            raise ValueError(str(error)) from error

    @field_serializer("models", when_used="json")
    def _as_given(self, models: dict[str, Model]) -> dict[str, Any]:
        """The models as plain data that gives the same models when it is read again."""
        derived = {name: model.derived for name, model in models.items() if model.derived}
        brought = {other for name, of in derived.items() for other in further(name, of)}
        given = {}
        for name, model in models.items():
            if model.member is not None:
                given[model.member.family] = model.member.given
            elif name not in brought:
                given[name] = model
        return {
            name: model.model_dump(mode="json", include={"derived"} if model.derived else None)
            for name, model in given.items()
        }

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

    @property
    def undecidable(self) -> list[str]:
        """One sentence per family of tests in which none could reject at .05, whatever the data."""
        from herbarium.statistics.inference import least_adjusted, least_p_value  # slower than the rest of the start

        said = []
        for section in self.sections:
            for family in section.families():
                alone = [least_p_value(family.arrangements, family.tails)] * family.n
                least = max(least_adjusted(alone, family.correction) if family.correction else alone)
                if least >= _ALPHA:
                    of = f"with {family.n} in a family " if family.n > 1 else ""
                    limit = f"{of}no p-value can fall below {least:.2g}, so no test can reject."
                    said.append(f"{family.key}: {family.tests}: {limit}")
        return said

    def training_seed(self, model: str) -> int:
        """The seed of a planted model's training: its own, or the study's."""
        own = self.models[model].training_seed
        return self.seed if own is None else own

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

    def compared_in(self, task: str) -> list[of_comparisons.Compared]:
        """As `compared`, for the models of a downstream task; and each model with its predictions decided again."""
        entry = self.downstream.tasks[task]
        decided = [(of.base, name, of.base, name) for name, of in entry.constrained.items() if of.base in entry.models]
        return [*self.compared(entry.models), *decided]

    def of_models_in(self, task: str) -> list[str]:
        """The models of a downstream task, and their predictions decided again, by name."""
        entry = self.downstream.tasks[task]
        return sorted([*entry.models, *(name for name, of in entry.constrained.items() if of.base in entry.models)])

    def compared_sources(self, sources: Iterable[str]) -> list[of_comparisons.Compared]:
        """As `compared`, for sources of vectors."""
        declared = of_comparisons.compared(self.pairs, self.models, set(self.models))
        return of_sources.compared(self.vectors, declared, set(sources))

    def families(self, which: str) -> dict[str, dict[str, str]]:
        """Models whose checkpoints are `which`, "steps" or "seeds" -> the models of each, and the checkpoint of
        each."""
        return families(self.models, which)

    @property
    def trainings(self) -> dict[str, list[str]]:
        """What was trained several times with one recipe -> its models, which differ in their seed."""
        seeds = {name: list(models) for name, models in self.families("seeds").items()}
        found = of_comparisons.own(self.models) | seeds
        return {name: models for name, models in found.items() if len(models) > 1}

    @property
    def treated(self) -> list[Treated]:
        """What was done to each model."""
        return treated(self.models, self.corpora)

    def is_tiny(self, model: str) -> bool:
        """Whether a model is from the testbed, or derived from one that is: small enough for one core.

        False for a name that is not one of the study's models.
        """
        known = self.models.get(self.origin(model))
        return known is not None and known.planted is not None

    def origin(self, model: str) -> str:
        """The model at the beginning of the chain that a model is derived from; itself if it is not derived."""
        return self._line(model)[-1]

    def is_made_from(self, first: str, second: str) -> bool:
        """Whether a model is derived from another, directly or through others."""
        return first in self._line(second)[1:]

    def is_trained(self, model: str) -> bool:
        """Whether a model was trained by the study with a seed of its own, or comes from one that was."""
        derived = (self.models[name].derived for name in self._line(model))
        return any(of is not None and of.by.is_random for of in derived)

    def is_trained_source(self, source: str) -> bool:
        """Whether a source's vectors were learned by the study with a seed, or come from a model that was."""
        of = self.vectors[source]
        if of.debiased is not None:
            return self.is_trained_source(of.debiased.source)
        return of.trained is not None or (of.model is not None and self.is_trained(of.model))

    @property
    def neutralised(self) -> dict[str, str]:
        """Model without weights of its own -> the model whose scores, of texts and of their swaps, it averages."""
        derived = {name: model.derived for name, model in self.models.items() if model.derived}
        return {name: of.base for name, of in derived.items() if not of.by.has_weights}

    @property
    def weighted(self) -> set[str]:
        """Models that are asked for the attention to tokens, with which `aula` weights them."""
        asked = {name for entry in self.sentence_sets.values() if entry.quantity == AULA for name in entry.models}
        return {self.neutralised.get(name, name) for name in asked}

    def _line(self, model: str) -> list[str]:
        """A model, the one that it is derived from, and so on."""
        line = [model]
        while (known := self.models.get(line[-1])) is not None and known.derived is not None:
            line.append(known.derived.base)
        return line

    @property
    def work(self) -> str:
        """The folder for what stands between the sentences and the tables, figures and report."""
        return f"{self.results}/{WORK}"

    def is_tuned(self, model: str) -> bool:
        """Whether the fastest way to score a model is measured: not for a tiny one that stays in float32."""
        return not self.is_tiny(model) or self.models[model].dtype != "float32"

    @model_validator(mode="after")
    def _models_can_be_scored(self) -> "Study":
        """ValueError if a key names an unknown model, or one that cannot give what its metric needs."""
        neutralised = self.neutralised
        for section in self.sections:
            for key, wanted, kinds, what, not_neutralised, only_scores in section.needs():
                for name in self.models if wanted is None else [wanted]:
                    require_known(key, name, self.models, "models")
                    kind = self.models[name].kind
                    if kind not in kinds:
                        raise ValueError(f"{key}: '{name}' is {kind}; {what} needs {a_model(kinds)}")
                    if not_neutralised and name in neutralised:
                        raise ValueError(f"{key}: '{name}' is neutralised: {not_neutralised}")
                    if not only_scores and self.models[name].served is not None:
                        raise ValueError(
                            f"{key}: '{name}' is served, and a server only scores texts; {what} needs a model with "
                            "weights on this machine"
                        )
                    if not only_scores and self.models[name].chat_template is not None:
                        raise ValueError(
                            f"{key}: '{name}' has a 'chat_template', which only applies to scores of texts; {what} "
                            "would ignore it. Name a model without it"
                        )
        return self

    @model_validator(mode="after")
    def _what_is_referred_to_is_known(self) -> "Study":
        self.texts_of_recipes.require_for(self.models)
        for section in self.sections:
            for key, name, to in section.refers():
                require_known(key, name, attrgetter(to)(self), to)
        return self

    def references(self) -> Iterator[Reference]:
        """Every name of a corpus, of parallel texts, of a source of vectors or of an entry of another section, where it
        is used."""
        for section in self.sections:
            yield from section.refers()
            yield from (Reference(key, source, "vectors") for key, source, _ in section.vectors_wanted())
        for name, model in self.models.items():
            for key, to in (("corpus", "corpora"), ("parallel", "parallel")):
                if model.derived and (text := getattr(model.derived.by, key, None)):
                    yield Reference(f"models.{name}.derived.by.{key}", text, to)
        for name, corpus in self.corpora.items():
            if corpus.swapped:
                yield Reference(f"corpora.{name}.swapped.from", corpus.swapped.corpus, "corpora")

    @model_validator(mode="after")
    def _sources_of_vectors_are_known(self) -> "Study":
        self.sources_of_vectors.require_debiasable()
        for section in self.sections:
            for key, name, in_sentences in section.vectors_wanted():
                require_known(key, name, self.vectors, "vectors")
                if in_sentences and not self.vectors[name].is_contextual:
                    raise ValueError(
                        f"{key}: '{name}' has one vector per word, whatever the sentence; name a source with `model` "
                        "and `layers: all`, or a list of layers"
                    )
        return self

    @model_validator(mode="after")
    def _questions_of_recipes_are_known(self) -> "Study":
        recipes = {name: model.derived.by for name, model in self.models.items() if model.derived}
        for name, by in recipes.items():
            if by.recipe == "advice":
                at = f"models.{name}.derived.by.questions"
                require_known(at, by.questions, self.interventions.questions, "questions of 'interventions'")
        return self

    @model_validator(mode="after")
    def _comparisons_are_of_models(self) -> "Study":
        of_comparisons.require(self.comparisons or [], self.models)
        return self

    @model_validator(mode="after")
    def _names_are_told_apart(self) -> "Study":
        """By the files that are named after them, even if the file system ignores case."""
        named = {"models": self.models}
        for section in self.sections:
            named |= section.named()
            for place, names in section.further_models().items():
                if taken := [name for name in names if name in self.models]:
                    raise ValueError(f"{place}: '{taken[0]}' is already the name of a model")
                named[place] = [*self.models, *names]
        for place, names in named.items():
            seen: dict[str, str] = {}
            for name in names:
                if (other := seen.setdefault(name.casefold(), name)) != name:
                    raise ValueError(f"{place}: '{other}' and '{name}' differ only in capitals")
                if place != "models" and name in type(self).model_fields:
                    raise ValueError(f"{place}: '{name}' is the name of other results")
        return self

    @model_validator(mode="after")
    def _planted_in_metrics(self) -> "Study":
        for name, model in self.models.items():
            for metric in model.planted_in or ():
                if metric not in PLANTED:
                    hint = did_you_mean(metric, PLANTED)
                    raise ValueError(f"models.{name}.planted_in: no text for '{metric}' is planted{hint}")
        return self

    @model_validator(mode="after")
    def _regions_are_known(self) -> "Study":
        for section in self.sections:
            for places in section.places():
                self.regions.require(places)
        return self

    @model_validator(mode="after")
    def _results_are_apart(self) -> "Study":
        results = Path(self.results).resolve()
        if taken := next((folder for folder in (results, *results.parents) if folder.is_file()), None):
            raise ValueError(f"results: '{taken}' is a file; name a folder")
        for name, taken in {
            "the current folder": Path.cwd(),
            "your home folder": Path(expanded("~")).resolve(),
        }.items():
            if taken.is_relative_to(results):
                raise ValueError(f"results: '{self.results}' contains {name}; give the results a folder of their own")
        for path in paths(self, of_models=False):  # a study may measure models that another one has trained
            if path.resolve().is_relative_to(results):
                raise ValueError(
                    f"results: '{self.results}' contains '{path}', which the study reads; name another folder"
                )
        for place in (results, Path(os.path.abspath(self.results))):  # noqa: PTH100 - resolve would follow a link in the clone
            in_clone = place.relative_to(CLONE).parts[:1] if place.is_relative_to(CLONE) else ()
            if ".git" in place.parts or (in_clone and in_clone[0].casefold() in OURS):
                raise ValueError(f"results: '{self.results}' is a folder of the project itself; name another one")
        return self


def load(values: dict[str, Any], files: Iterable[str | Path] = ()) -> Study:
    """The study that `values` configure.

    values: the merged configuration. files: the YAML files it came from, for the places in messages and for duplicate
    keys, which YAML readers drop silently.

    Raises a HerbariumError that lists every fault.
    """
    lines: dict[tuple[str, ...], str] = {}
    faults: list[str] = []
    for file in files:
        _index_keys(Path(file), lines, faults)
    faults += _control_characters(values, lines)
    study = None
    try:
        study = Study.model_validate(values)
    except ValidationError as error:
        faults += dict.fromkeys(_explain(fault, lines) for fault in _of_the_nearest_branch(error.errors()))
    if faults:
        raise HerbariumError("The configuration is not valid.\n" + "\n".join(f"  - {fault}" for fault in faults))
    return study


def _index_keys(file: Path, lines: dict[tuple[str, ...], str], faults: list[str]) -> None:
    """Record the place of each key in a YAML file, and the keys that are given twice."""

    walked = set()  # aliases may repeat the same lines any number of times, even inside themselves

    def walk(node: yaml.Node, place: tuple[str, ...]) -> None:
        if isinstance(node, yaml.MappingNode) and id(node) not in walked:
            walked.add(id(node))
            seen = {}
            for key, value in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    continue  # a list, for example, is not a key of ours: the types reject it
                where = f"{file}, line {key.start_mark.line + 1}"
                if key.value in seen:
                    faults.append(
                        f"{where}: '{'.'.join((*place, key.value))}' is already given in line {seen[key.value]}"
                    )
                seen[key.value] = key.start_mark.line + 1
                lines[(*place, key.value)] = where
                walk(value, (*place, key.value))

    walk(read_yaml(file), ())


def _control_characters(value: Any, lines: dict[tuple[str, ...], str], place: tuple[str, ...] = ()) -> Iterator[str]:
    """Texts of the configuration with invisible characters, for which YAML has escapes."""
    if isinstance(value, str) and (found := CONTROL.search(value)):
        yield f"{_line(place, lines)}: {'.'.join(place)}: it has the control character {unseen(found[0])}; remove it"
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from _control_characters(inner, lines, (*place, str(key)))


def require_file(file: Path) -> None:
    """Raise HerbariumError if a configuration file is missing, or cannot be read."""
    if not file.exists():
        raise HerbariumError(f"{file}: no such configuration file; give another with `--configfile FILE`.")
    if not isinstance(read_yaml(file), yaml.MappingNode):
        raise HerbariumError(
            f"{file}: it is empty, or not a mapping; it should have lines `key: value` (config/README.md)."
        )


def require_files(files: Iterable[Path]) -> None:
    """End the process with a message if a configuration file is missing, or cannot be read."""
    try:
        for file in files:
            require_file(file)
    except HerbariumError as error:
        sys.exit(f"Error: {error}")


def _of_the_nearest_branch(faults: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The faults, without those in branches of a union that got less far than another: pydantic reports every
    branch."""

    def place(fault: dict[str, Any]) -> tuple[str | int, ...]:
        return tuple(itertools.takewhile(lambda part: not _is_branch(part), fault["loc"]))

    def reached(fault: dict[str, Any]) -> tuple[bool, int]:
        return fault["type"] == "value_error", len(fault["loc"])

    of_unions = [fault for fault in faults if any(map(_is_branch, fault["loc"]))]
    furthest = {at: max(map(reached, group)) for at, group in itertools.groupby(of_unions, place)}
    return [fault for fault in faults if fault not in of_unions or reached(fault) == furthest[place(fault)]]


def _is_branch(part: str | int) -> bool:
    """Whether a part of a place is the branch of a union ("list[str]", "literal['all']"), not a key or number."""
    return re.search(r"\w\[", str(part)) is not None


def _explain(fault: dict[str, Any], lines: dict[tuple[str, ...], str]) -> str:
    """A fault that pydantic reports, as a sentence with its place and, for an unknown key, the nearest valid one."""
    place, section = _keys_at(tuple(map(str, fault["loc"])))
    if fault["type"] != "extra_forbidden" and place[-1:] == ("[key]",):  # how pydantic marks a faulty name
        place = place[:-1]
    where = _line(place, lines)
    # pydantic names the branch of a union that it tried ("list[str]", "literal['all']"); people know only keys
    shown = ".".join(part for part in place if not _is_branch(part)) or "the study"
    if fault["type"] == "extra_forbidden":
        if (now := RENAMED.get(".".join(place))) is not None:
            return f"{where}: '{shown}' is now called '{now}'"
        return f"{where}: unknown key '{shown}'{did_you_mean(place[-1], _keys(section))}"
    message = fault["msg"].removeprefix("Value error, ")
    given = fault.get("input")
    if fault["type"] == "union_tag_invalid":
        shown, given, message = f"{shown}.{BRANCH}", None, f"Input should be one of {fault['ctx']['expected_tags']}"
    if fault["type"] == "value_error":
        # it may name the faulty key when pydantic knows only the section
        key = tuple(message.partition(": ")[0].split("."))
        if key[0] in Study.model_fields and key[: len(place)] == place:
            return f"{_line(key, lines)}: {message}"
        return f"{where}: {shown}: {message}"
    if fault["type"] == "string_type" and isinstance(given, bool):
        words = "NO, no and off" if given is False else "YES, yes and on"
        return f"{where}: {shown}: YAML reads {words} as {str(given).lower()}; put the word in quotes"
    if fault["type"] == "string_pattern_mismatch":
        message = PATTERNS.get(fault["ctx"]["pattern"], message)
    likely = _meant(fault) if isinstance(given, str) else None
    hint = f"; did you mean '{likely}'?" if likely else ""
    shows_input = isinstance(given, str | int | float | bool)
    return f"{where}: {shown}: {message}{f' (it is {given!r}{hint})' if shows_input else ''}"


def _meant(fault: dict[str, Any]) -> str | None:
    """The valid text that an invalid one is likely to stand for, if one is known."""
    if fault["type"] in ("enum", "literal_error"):
        return nearest(fault["input"], re.findall("'([^']*)'", fault["ctx"]["expected"]))
    if fault["type"] == "string_pattern_mismatch" and fault["ctx"]["pattern"] == HUB_OF_MODELS:
        return hub.meant(fault["input"])
    return None


def _line(place: tuple[str, ...], lines: dict[tuple[str, ...], str]) -> str:
    """The place of a key, or else that of the nearest one above it."""
    above = (lines[place[:n]] for n in range(len(place), 0, -1) if place[:n] in lines)
    return next(above, "command line or default")


def _keys_at(place: tuple[str, ...]) -> tuple[tuple[str, ...], type[Section]]:
    """A place from pydantic as keys, and the section class that they lead to.

    For a section that is one of several, pydantic names the one that it chose, which is not a key.
    """
    section: type[Section] = Study
    keys, branches = [], {}
    for part in place:
        if part in branches:
            section, branches = branches[part], {}
            continue
        keys.append(part)
        if part in _keys(section) and (found := _sections_of(_keys(section)[part].annotation)):
            section = found[0]
            branches = {_branch(of): of for of in found if len(found) > 1}
    return tuple(keys), section


def _branch(section: type[Section]) -> str:
    """The value under `BRANCH` of a section that is one of several."""
    return typing.get_args(section.model_fields[BRANCH].annotation)[0]


def _keys(section: type[Section]) -> dict[str, FieldInfo]:
    """The fields of a section by their keys: `from` is a Python keyword, so its field has another name."""
    return {field.alias or name: field for name, field in section.model_fields.items()}


def _sections_of(annotation: Any) -> list[type[Section]]:
    """The Sections inside an annotation such as `dict[Name, Model]`, `Herb | None` or `Toxic | Continued`."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    return [section for of in typing.get_args(annotation) for section in _sections_of(of)]


def parameter_table() -> str:
    """Every key as a row of a Markdown table: key, type, default, meaning."""
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]

    def walk(section: type[Section], prefix: str, branch: str = "") -> None:
        for name, field in _keys(section).items():
            inner = _sections_of(field.annotation)
            named = typing.get_origin(field.annotation) is dict
            default = "*required*" if field.is_required() else "" if inner else _show_default(field.default)
            kind = "section" if len(inner) > 1 else _show_type(field.annotation) + _show_bounds(field)
            rows.append(f"| `{prefix}{name}`{branch} | {kind} | {default} | {field.description} |")
            for of in inner:
                of_branch = f" of `{_branch(of)}`" if len(inner) > 1 else branch
                walk(of, f"{prefix}{name}.{'{name}.' if named else ''}", of_branch)

    walk(Study, "")
    return "\n".join(rows)


def _show_type(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        of_files = {Path: "file", int: "whole number"}.get(arguments[0], "text")
        return {Name: "name", Part: "name", Value: "text or number", LocalPath: "path"}.get(annotation, of_files)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_show_type(part) for part in arguments if part is not type(None))
    if origin is list:
        return f"list of {_show_type(arguments[0])}"
    if origin is dict:
        return f"{_show_type(arguments[0])}: {_show_type(arguments[1])}"
    if issubclass(annotation, Section):
        return "section"
    if issubclass(annotation, StrEnum):
        return ", ".join(f"`{value}`" for value in annotation)
    return {str: "text", int: "whole number", float: "number", bool: "`true`, `false`", Path: "path"}[annotation]


def bounds(field: FieldInfo) -> dict[str, float]:
    """The bounds of a number, or of the numbers in a list: "ge" or "gt", and "le" or "lt"."""
    metadata = [*field.metadata, *_inner_metadata(field.annotation)]
    return {name: getattr(of, name) for of in metadata for name in _BOUNDS if hasattr(of, name)}


def _inner_metadata(annotation: Any) -> list[object]:
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is Annotated:
        return [of for told in arguments[1:] if isinstance(told, FieldInfo) for of in told.metadata]
    return [of for inner in arguments for of in _inner_metadata(inner)]


def _show_bounds(field: FieldInfo) -> str:
    return "".join(f", {_BOUNDS[name]} {value:,}" for name, value in bounds(field).items())


def _show_default(default: Any) -> str:
    if default in (None, [], {}):
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{', '.join(map(str, default)) if isinstance(default, list | dict) else default}`"
