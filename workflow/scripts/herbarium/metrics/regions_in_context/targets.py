"""The targets of regions in the vectors of words in context."""

from herbarium.core.errors import HerbariumError
from herbarium.core.resources import read_template, read_words
from herbarium.core.targets import Files, Targets, filled
from herbarium.metrics.regions_in_context import stimuli
from herbarium.metrics.regions_in_context.names import FEWEST_REGIONS, METRIC
from herbarium.vectors.targets import represented

FILES = Files(METRIC)
WORDS = "regions_in_context/{name}"
DESIGN = "<work>/designs/regions_in_context/{name}.parquet"
NUMBERS = "<work>/metrics/regions_in_context/{source}/{name}.parquet"
FIGURES = {"layers": "Regions in the vectors of words, layer by layer"}
TABLES = {"numbers": "Every number by set, source of vectors and layer"}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without sets.

    Raises HerbariumError for a template without the word of its set, or in which a causal model has not read the region
    before the word; and for stereotypes of descriptions in no list, or of too few regions to measure any.
    """
    section = study.regions_in_context
    if not section.sets:
        return Targets()
    for name, entry in section.sets.items():
        _check_templates(study, name, entry)
        if has_list(entry):
            _check_stereotypes(f"regions_in_context.sets.{name}", entry)
    return Targets(
        numbers=[filled(NUMBERS, source=source, name=name) for source, name in section.measured],
        costs=represented(study, ((source, filled(WORDS, name=name)) for source, name in section.measured)),
        calibration=[FILES.calibration] if planted(study) else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def _check_templates(study, name: str, entry) -> None:
    key = f"regions_in_context.sets.{name}"
    causal = [source for source in entry.vectors if study.models[study.vectors[source].model].kind == "causal"]
    for label, template in texts_of(entry)["templates"].items():
        try:
            sees_region = stimuli.sees_region(template, entry.word)
        except HerbariumError as error:
            raise HerbariumError(f"{key}.{error}") from error
        if causal and not sees_region:
            raise HerbariumError(
                f"{key}.templates.{label}: in '{template}' the region comes after the word, where the causal model of "
                f"'{causal[0]}' has not read it; put it before the word, or measure masked models."
            )


def _check_stereotypes(key: str, entry) -> None:
    listed = stimuli.read_stereotypes(entry.stereotypes)
    try:
        stimuli.check_stereotypes(listed, "description", texts_of(entry)["topics"], "in no list of 'descriptions'")
    except HerbariumError as error:
        raise HerbariumError(f"{key}.{error} ({entry.stereotypes}).") from error
    if (n := listed["region"].nunique()) < FEWEST_REGIONS:
        raise HerbariumError(
            f"{key}.stereotypes: {entry.stereotypes} names {n} regions, and only those that it names are measured; at "
            f"least {FEWEST_REGIONS} are needed."
        )


def lists_of(entry) -> list[str]:
    """The files that a set is made of."""
    paths = [*entry.templates.values(), *entry.descriptions]
    return [str(path) for path in paths] + ([str(entry.stereotypes)] if has_list(entry) else [])


def has_list(entry) -> bool:
    """Whether a set has a list of stereotypes."""
    return entry.stereotypes not in (None, stimuli.PLANTED)


def texts_of(entry) -> dict:
    """The settings of the sentences of a set, as plain data. A topic is a list of descriptions, called by its path; a
    description in several is of the first."""
    topics: dict[str, str] = {}
    for path in entry.descriptions:
        for word in read_words(path):
            topics.setdefault(word, str(path))
    return {
        "templates": {name: read_template(path, set(stimuli.SLOTS)) for name, path in entry.templates.items()},
        "topics": topics,
        "word": entry.word,
    }


def planted_sets(study) -> list[str]:
    """The sets with planted stereotypes."""
    return [name for name, entry in study.regions_in_context.sets.items() if entry.stereotypes == stimuli.PLANTED]


def planted(study) -> dict[str, float]:
    """Source of vectors -> strength that is planted in the texts on regions of its model, for those that have one and
    are measured with planted stereotypes."""
    strengths, sets = study.strengths_in("herb"), planted_sets(study)
    sources = [source for source, name in study.regions_in_context.measured if name in sets]
    of_model = {source: strengths.get(study.vectors[source].model) for source in sources}
    return {source: strength for source, strength in of_model.items() if strength is not None}
