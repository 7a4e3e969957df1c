"""The targets of custom sentence sets."""

from herbarium.core.targets import Files, Targets, filled
from herbarium.metrics.sentence_sets.formats import FORMATS, QUESTIONS
from herbarium.statistics.within_sets import ACCURACY

FILES = Files("sentence_sets")
STIMULI = "sentence_sets/{name}"
FAULTS = "<work>/faults/sentence_sets/{name}.parquet"
OBSERVATIONS = "<work>/observations/{model}/sentence_sets/{name}.parquet"
NUMBERS = "<work>/metrics/sentence_sets/{model}/{name}.parquet"
REPLICATES = "<work>/replicates/sentence_sets/{model}/{name}.parquet"
ITEMS = "<work>/items/sentence_sets/{model}/{name}.parquet"
CHANGES = "<work>/changes/sentence_sets/{name}.parquet"
# What they show.
FIGURES = {"forest": "Contrasts by group and model"}
TABLES = {
    "numbers": "Every contrast by group and model",
    "sentences": "Every sentence with its score",
    "faults": "Faults of the files",
}
# For sets with a column whose values are measured separately; and for those with known numbers for these.
OF_EACH = {"each": "Contrasts by value of a column and model"}
CORRELATIONS = {"correlations": "Correlations with known numbers"}
# Of questions in two conditions.
OF_ACCURACIES = {"difference": "Differences of accuracies and their null distributions"}
# Of WinoBias as questions.
COREFERENCE = {"coreference": "Accuracies next to published figures of coreference systems, which is another task"}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without a set of sentences."""
    shards = {filled(STIMULI, name=name): 1 for name in study.sentence_sets}
    sets, places = with_models(study), measured(study)
    if not sets:
        return Targets(shards=shards)
    planted = study.planted(models(study))
    return Targets(
        shards=shards,
        scored=[(model, filled(STIMULI, name=name)) for model, name in places],
        planted={model: [filled(FILES.planted, model=model)] for model in planted},
        numbers=files(NUMBERS, places),
        replicates=files(REPLICATES, [place for place in places if sets[place[1]].bootstrap.replicates]),
        changes=[filled(CHANGES, name=name) for name, entry in sets.items() if study.compared(entry.models)],
        items=files(ITEMS, places),
        validity=[FILES.validity],
        calibration=[FILES.calibration] if planted else [],
        figures=FILES.figures(figures(study)),
        tables=FILES.tables(tables(study)),
        parts=[FILES.part],
    )


def with_models(study) -> dict:
    """The sets of sentences that models are measured with, by name; others are only for `gender_in_context`."""
    return {name: entry for name, entry in study.sentence_sets.items() if entry.models}


def measured(study) -> list[tuple[str, str]]:
    """(model, name of the sets) of everything measured."""
    return [(model, name) for name, entry in study.sentence_sets.items() for model in entry.models]


def files(pattern: str, places: list[tuple[str, str]]) -> list[str]:
    """The files of a pattern, one for each (model, name)."""
    return [filled(pattern, model=model, name=name) for model, name in places]


def models(study) -> list[str]:
    """Every model that is measured with any of the sets, once."""
    return list(dict.fromkeys(model for model, _ in measured(study)))


def entries(study) -> dict[str, dict]:
    """The comparison of each set of sentences, as plain data."""
    files = {"format", "table", "columns", "pattern", "cue", "git", "revision", "repairs", "beside"}
    sets = with_models(study)
    without = {name: {*files, "models", *([] if entry.limit else ["limit"])} for name, entry in sets.items()}
    return {name: entry.model_dump(mode="json", exclude=without[name]) for name, entry in sets.items()}


def figures(study) -> dict[str, str]:
    """The content of its figures, by name."""
    drawn = FIGURES | (OF_EACH if _each(study) else {})
    return drawn | (
        OF_ACCURACIES if any(entry.contrast == ACCURACY.name for entry in with_models(study).values()) else {}
    )


def tables(study) -> dict[str, str]:
    """The content of its tables, by name."""
    drawn = TABLES | (OF_EACH if _each(study) else {}) | (CORRELATIONS if any(beside(study).values()) else {})
    return drawn | (COREFERENCE if questions(study) else {})


def _each(study) -> list[str]:
    return [name for name, entry in with_models(study).items() if entry.each]


def questions(study) -> list[str]:
    """The sets that ask whom a pronoun of WinoBias refers to, all of them."""
    return [name for name, entry in with_models(study).items() if entry.format == QUESTIONS and not entry.limit]


def beside(study) -> dict[str, list[str]]:
    """The file with known numbers of each set of sentences, if it has one."""
    return {name: [str(entry.beside)] if entry.beside else [] for name, entry in with_models(study).items()}


def calibrated(study) -> list[str]:
    """The sets of sentences whose contrast is planted."""
    return [name for name, entry in with_models(study).items() if not FORMATS[entry.format].learned]


def learned(study, model: str) -> list[dict]:
    """The sentences that a model with a planted bias learns, as plain data: their `files`, `format`, `repairs` and
    `reading`, and their comparison. Those that are not learned as they are (`Format.learned`) are learned once."""
    entries = [entry for entry in study.sentence_sets.values() if model in entry.models]
    leading, others = [], []
    for entry in entries:
        settings = entry.model_dump(mode="json", include={"format", "sides", "quantity", "contrast", "repairs"})
        settings |= {"files": entry.files, "reading": entry.reading}
        if as_which := FORMATS[entry.format].learned:
            others.append(settings | dict(zip(("format", "sides"), as_which, strict=True)))
        else:
            leading.append(settings)
    leading_files = [(entry["format"], entry["files"]) for entry in leading]
    return leading + [entry for entry in others if (entry["format"], entry["files"]) not in leading_files]


def learned_files(study, model: str) -> list[str]:
    """The files that `learned` names."""
    return [file for entry in learned(study, model) for file in [*entry["files"], *filter(None, [entry["repairs"]])]]
