"""The targets of a study: those of every metric, one after the other."""

import sys
from collections.abc import Callable, Mapping
from operator import attrgetter
from pathlib import PurePath

from herbarium.core import shared
from herbarium.core.errors import HerbariumError
from herbarium.core.metric import Metric
from herbarium.core.section import Section
from herbarium.core.targets import Files, Targets, figure_files, titled
from herbarium.metrics.amplification import targets as amplification
from herbarium.metrics.biographies import targets as biographies
from herbarium.metrics.categorical_bias import targets as categorical_bias
from herbarium.metrics.counterfactual import targets as counterfactual
from herbarium.metrics.crows_pairs import targets as crows_pairs
from herbarium.metrics.discrimination_scores import metric as discrimination_scores
from herbarium.metrics.downstream import targets as downstream
from herbarium.metrics.gender_in_context import targets as gender_in_context
from herbarium.metrics.herb import targets as herb
from herbarium.metrics.honest import metric as honest
from herbarium.metrics.interventions import targets as interventions
from herbarium.metrics.languages import targets as languages
from herbarium.metrics.likelihood_bias import metric as likelihood_bias
from herbarium.metrics.local_group_bias import targets as local_group_bias
from herbarium.metrics.matched_guise import metric as matched_guise
from herbarium.metrics.mixed_effects import targets as mixed_effects
from herbarium.metrics.perplexity import targets as perplexity
from herbarium.metrics.propagation import targets as propagation
from herbarium.metrics.regions_in_context import targets as regions_in_context
from herbarium.metrics.sentence_sets import targets as sentence_sets
from herbarium.metrics.sofa import metric as sofa
from herbarium.metrics.tagging import targets as tagging
from herbarium.metrics.word_associations import targets as word_associations
from herbarium.study.config import Study
from herbarium.study.left_out import MADE_FROM_IT, Answers
from herbarium.training import targets as training
from herbarium.vectors import targets as vectors

# Results of the whole study.
FILES = Files("study")
SUMMARY, SUMMARY_TABLE, HEADLINE = "<results>/summary.parquet", "<results>/summary.csv", "<results>/headline.csv"
PAGE, RUN = "<results>/report/index.html", "<results>/run.json"
EXCHANGE = "<results>/exchange"
SIGNATURES = f"{EXCHANGE}/signatures.csv"
# What the study will cost, and a sample of the scoring.
ESTIMATE = "<results>/estimate.csv"
SAMPLE = "<work>/estimate/scores/{model}/{stimuli}.parquet"
REPRODUCTION = {"reproduction": "Every published figure compared with ours"}
SOURCES = {"sources": "Published figures by source: how many are compared with ours, and how they agree"}
REFUSALS = {"refusals": "Models and data that were left out, sentences that were refused, and why"}
SENTENCES = {"sentences": "Some sentences of every set, and what each model scored"}
TABLES = REPRODUCTION | SOURCES | REFUSALS | SENTENCES
RELIABILITY = {"reliability": "Would other words, or another form, put the same things in the same order?"}
WORDS = {"words": "The words with the largest and the smallest values: what drives each primary number"}
ANSWERS = {"answers": "The primary number of every metric in every model"}
CALIBRATION = {"calibration": "Each metric against the strength of planted bias"}
CHANGES = {"changes": "Two models compared by every metric, such as one before and after a change"}
CHECKPOINTS = {"checkpoints": "Each metric along training"}

# In the order of the summary and the page.
METRICS = (
    *(herb, categorical_bias, mixed_effects, crows_pairs, sentence_sets, interventions),
    *(likelihood_bias, sofa, matched_guise, discrimination_scores, honest),
    *(word_associations, gender_in_context, regions_in_context, languages, biographies),
    *(downstream, amplification, propagation, local_group_bias, perplexity, tagging),
)
# Those whose steps are rules of workflow/rules/metric.smk.
DECLARED = {module.METRIC.name: module.METRIC for module in METRICS if isinstance(vars(module).get("METRIC"), Metric)}
_SECTIONS = {metric.__name__.split(".")[-2]: metric for metric in METRICS}
# Metrics with published figures (resources/{metric}/published.csv) -> whose these are, as in resources/scope.csv.
PUBLISHED = {metric.FILES.metric: metric.FILES.source for metric in METRICS if metric.FILES.source}


def title(metric: str) -> str:
    """What a metric is called on the page and in captions, also one from outside; "study": what is of no metric."""
    packages = (sys.modules[module.__package__] for module in (*METRICS, counterfactual))
    titles = {package.__name__.rpartition(".")[2]: package.TITLE for package in packages}
    return ({"study": "The whole study"} | titles).get(metric, titled(metric))


def regions_of(items: list[str]) -> str | list[str]:
    """The file with the names of regions, or none, as Snakemake takes it: if some of these files of items have regions,
    by their ids, as objects."""
    metrics = {PurePath(file).parts[2] for file in items}  # <work>/items/{metric}/…
    return shared.REGIONS if metrics & {herb.FILES.metric, downstream.FILES.metric} else []


def planted_text(study: Study, asked: Targets, model: str) -> list[str]:
    """The files with the text that a planted model learns. Raises HerbariumError if no metric provides one."""
    if model not in asked.planted:
        raise HerbariumError(
            f"models.{model}.planted: there is no text for it to learn, as only metrics that measure it "
            f"plant one; have it measured by one of {', '.join(study.planting)}."
        )
    return asked.planted[model]


def swapped(study: Study, asked: Targets) -> Targets:
    """The further targets of neutralised models: all stimuli that they score, with gendered words swapped."""
    models = study.neutralised
    places = {neutralised(model, stimuli): stimuli for model, stimuli in asked.scored if model in models}
    return Targets(
        shards={other: asked.shards[stimuli] for other, stimuli in places.items()},
        # the number format is that in which the original sentences were scored
        tuned_by={other: asked.tuned_by.get(stimuli, stimuli) for other, stimuli in places.items()},
    )


def neutralised(model: str, stimuli: str) -> str:
    """The name of stimuli with gendered words swapped, by the terms of a model."""
    return f"neutralised/{model}/{stimuli}"


def run(study: Study, asked: Targets) -> list[tuple[str, str]]:
    """(model, stimuli) for all that models are run on; a neutralised model is not run itself, but the one that it comes
    from."""
    pairs, bases = [], study.neutralised
    for model, stimuli in asked.scored:
        base = bases.get(model)
        pairs += [(base, stimuli), (base, neutralised(model, stimuli))] if base else [(model, stimuli)]
    return list(dict.fromkeys(pairs))


# Sections of named entries, and of settings -> what would use one, besides metrics.
USES = {
    "corpora": "a model by its recipe, another corpus, a source of vectors",
    "parallel": "a model by its recipe",
    "vectors": "a source that is debiased",
    "sentence_sets": "a model, by its key `models`",
    "testbed": "a model with `planted`",
}


def uses(study: Study, place: str) -> str:
    """What would use an entry of a section, in words."""
    metrics = [f"`{name}`" for name, section in study.sections.items() if place in section.takes]
    return ", ".join([USES[place], f"or a metric: {', '.join(metrics)}"] if metrics else [USES[place]])


def require_used(study: Study) -> None:
    """Raise HerbariumError, with all of them, for entries that nothing uses: they would be ignored in silence.

    A model may be listed without being measured. Rule files of one's own may use anything.
    """
    if study.rules:
        return
    used = {(kind, name) for _, name, kind in study.references()}
    used |= {("sentence_sets", name) for name in sentence_sets.with_models(study)}
    used |= {("testbed", key) for key in _changed(study.testbed) if study.planted(study.models)}
    unused = [
        (f"{place}.{name}", uses(study, place))
        for place in USES
        for name in _entries(getattr(study, place))
        if (place, name) not in used
    ]
    unused += [entry for section in study.sections.values() for entry in section.unused()]
    if unused:
        told = [f"{key}: nothing uses it, so that it would be ignored; what could: {what}." for key, what in unused]
        raise HerbariumError("\n".join(told))


def _entries(section: Section | dict) -> list[str]:
    """The names of entries, or the settings of a section."""
    return list(section) if isinstance(section, dict) else _changed(section)


def _changed(section: Section) -> list[str]:
    """The settings of a section that are not the default ones."""
    default = type(section)()
    return [key for key in section.model_fields_set if getattr(section, key) != getattr(default, key)]


def ignored(study: Study, name: str, asked: Targets) -> list[str]:
    """The settings of a section from which nothing follows.

    name: of the section of a metric. asked: the targets of that metric. What is measured may be left out with an empty
    list (`tasks: []`), or without mixed models (`mixed_models.engine: none`).
    """
    section = getattr(study, name)
    if asked != Targets() or not isinstance(section, Section):
        return []
    is_left_out = any(getattr(section, key) in ([], {}) for key in section.model_fields_set)
    if is_left_out or (section.only_with and not attrgetter(section.only_with)(study)):
        return []
    return _changed(section)


def idle(study: Study) -> dict[str, list[str]]:
    """The sections of metrics with settings from which nothing follows, and these."""
    settings = {name: ignored(study, name, metric.targets(study)) for name, metric in _SECTIONS.items()}
    return {name: names for name, names in settings.items() if names}


def without_idle(load: Callable[[Answers], Study], answers: Answers) -> tuple[Study, Mapping[str, str]]:
    """A study without some of its entries, and without the sections that would measure nothing but these; what it is
    without, and why, by key. load: as `left_out.load`."""
    study, missing = load(answers), answers.left_out
    while missing and (idle_now := idle(study).keys() - missing.keys()):
        missing = missing | dict.fromkeys(idle_now, MADE_FROM_IT)
        study = load(answers._replace(left_out=missing))
    return study, missing


def require_effect(settings: Mapping[str, list[str]]) -> None:
    """Raise HerbariumError, with all of them, for settings that would be ignored in silence, by section."""
    told = [
        f"{name}: nothing is measured with these settings, so that {', '.join(names)} would be ignored; "
        "say what it measures (config/README.md lists its keys), or leave the section out."
        for name, names in settings.items()
        if names
    ]
    if told:
        raise HerbariumError("\n".join(told))


def of(study: Study) -> Targets:
    """All targets of a study."""
    targets = training.targets(study)
    targets.add(vectors.targets(study))
    for metric in METRICS:
        targets.add(metric.targets(study))
    if targets.items:
        targets.validity.append("resources/reliability/validity.csv")
    if targets.changes:
        targets.validity.append("resources/changes/validity.csv")
    if targets.parts:
        targets.validity.append("resources/verdicts/validity.csv")
    return targets


def shown(asked: Targets) -> list[str]:
    """The files of tables and figures for people, from the results folder on."""
    return [file.partition("/")[2] for file in [*asked.tables, *figure_files(*asked.figures)]]
