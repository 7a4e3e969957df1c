"""The files of tasks that the configuration asks for."""

from functools import partial

from herbarium.core import shared
from herbarium.core.errors import check_all
from herbarium.core.files import placed
from herbarium.core.provenance import value_hash
from herbarium.core.targets import Files, Source, Targets, filled
from herbarium.models import folders, loading, originals, saving, sources

METRIC = "downstream"
FILES = Files(METRIC, source="Li et al. 2022")
EXAMPLES = "<work>/downstream/{task}/examples.parquet"
PREFIXES = "<work>/downstream/{task}/prefixes.parquet"
# A run is a training set, or "published".
CLASSIFIER = "<work>/downstream/{task}/{model}/{run}/classifier"
RECORD = f"{CLASSIFIER}.json"
PREDICTIONS = "<work>/downstream/{task}/{model}/{run}/predictions-{shard}.parquet"
SAMPLE = "<work>/estimate/downstream/{task}/{model}.parquet"
NUMBERS = "<work>/metrics/downstream/{task}/{model}.parquet"
ITEMS = "<work>/items/downstream/{task}/{model}.parquet"
CHANGES = "<work>/changes/downstream/{task}.parquet"
FIGURES = {
    "map": "World maps of the effect of naming a country before a text in a task",
    "ranking": "Countries ranked by their effect in a task, with meaningless names for comparison",
    "planted": "Measured effects against what was planted in the texts of tasks",
}
TABLES = {
    "table4": "Changes of probabilities in tasks, as published and ours",
    "table5": "Changes of labels in tasks, as published and ours",
}


def targets(study) -> Targets:
    """For the tasks of a study (`study.config.Study`); nothing if nothing is measured in any."""
    section = study.downstream
    if not section.measured:
        return Targets()
    return Targets(
        sources=[*_data(section), *_classifiers(section)],
        numbers=[filled(NUMBERS, task=task, model=model) for task, model in section.measured],
        costs={
            (model, f"{METRIC}/{task}"): filled(SAMPLE, task=task, model=study.origin(model))
            for task, model in section.asked
        },
        changes=[filled(CHANGES, task=task) for task in section.tasks if section.compared(task, study)],
        items=[filled(ITEMS, task=task, model=model) for task, model in section.measured],
        validity=[FILES.validity],
        published=[FILES.published],
        calibration=[FILES.calibration] if _has_planted(section) else [],
        figures=FILES.figures(figures(section)),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def figures(section) -> dict[str, str]:
    """The content of its figures, by name; that of planted texts only if such texts are measured."""
    return {name: shows for name, shows in FIGURES.items() if name != "planted" or _has_planted(section)}


def _has_planted(section) -> bool:
    return any(section.planted[task] is not None for task, _ in section.measured)


def _data(section) -> list[Source]:
    """The data sets that are fetched."""
    return [
        Source(
            f"downstream.tasks.{task}.data", entry.data.model_dump(mode="json"), True, "read_downstream", {"task": task}
        )
        for task, entry in section.tasks.items()
        if entry.data.hub or entry.data.git
    ]


def _classifiers(section) -> list[Source]:
    """The published classifiers that are fetched."""
    return [
        Source(
            f"downstream.tasks.{task}.classifiers.{name}",
            classifier.model_dump(mode="json"),
            False,
            "resolve_downstream",
            {"task": task, "model": name},
        )
        for task, entry in section.tasks.items()
        for name, classifier in entry.classifiers.items()
        if classifier.hub
    ]


def records(section) -> list[str]:
    """The record of each classifier, one file per task, model and run."""
    return [
        filled(RECORD, task=task, model=model, run=run)
        for task, model in section.measured
        for run in section.runs(task, model)
    ]


def texts(study, task: str) -> dict[str, object]:
    """The sources of a task's texts, by their names in its rule; nothing if they are fetched. Real paths, here and
    below."""
    section = study.downstream
    if section.planted[task] is not None:
        regions = placed(shared.REGIONS, study.results)
        return {"regions": regions, "nonsense": str(section.nonsense), "words": [str(path) for path in section.words]}
    table = section.tasks[task].data.path
    return {"table": str(table)} if table else {}


def texts_of(study, task: str, kind: str) -> object:
    """Those of one kind of `texts`; none of a task that has none of it."""
    return texts(study, task).get(kind, [])


def planted_words(study, task: str) -> list[str]:
    """The lists from which the texts of a task are made, if they are planted."""
    word_files = texts(study, task)
    return [word_files["nonsense"], *word_files["words"]] if "words" in word_files else []


def predictions(study, task: str, model: str, run: str) -> list[str]:
    """The predictions of a classifier: one file per shard."""
    pattern = placed(filled(PREDICTIONS, task=task, model=model, run=run), study.results)
    return [filled(pattern, shard=shard) for shard in range(study.shards)]


def all_predictions(study, task: str, model: str) -> list[str]:
    """The predictions of all classifiers of a model in a task: all shards of a run, then of the next."""
    runs = study.downstream.runs(task, model)
    return [file for run in runs for file in predictions(study, task, model, run)]


def weights(study, task: str, model: str, run: str) -> list[str]:
    """The weights of a classifier, if the workflow trains it."""
    model = study.downstream.base(task, model)
    folder = placed(filled(CLASSIFIER, task=task, model=model, run=run), study.results)
    return [] if model in study.downstream.tasks[task].classifiers else [f"{folder}/{file}" for file in saving.FILES]


def begun_from(study, task: str, model: str) -> str:
    """The record of a classifier's source: of the model that is fine-tuned, or of the published classifier."""
    is_published = model in study.downstream.tasks[task].classifiers
    pattern = filled(RECORD, task=task, run="published") if is_published else shared.MODEL
    return placed(filled(pattern, model=model), study.results)


def require_files(section) -> None:
    """Raise HerbariumError, with all of them, for local tables and classifiers that do not fit the tasks."""
    checks = []
    for entry in section.tasks.values():
        if entry.data.path:
            of_groups = (column for attribute in entry.groups.values() for column in attribute.read)
            columns = filter(None, (entry.text, entry.label, entry.id, entry.split.column, *of_groups))
            checks.append(partial(sources.require_columns, entry.data.path, columns))
        folders = {name: entry.path for name, entry in entry.classifiers.items() if entry.path}
        checks += [partial(loading.check_files, folder, name) for name, folder in folders.items()]
    check_all(checks)


def published_weights(section, task: str, model: str) -> list[str]:
    """The files of a published classifier in a local folder, so that a changed one is noticed."""
    folder = section.tasks[task].classifiers[model].path
    return list(map(str, folders.read_files(folder))) if folder else []


def original_data(study) -> dict[str, str]:
    """Reasons why data are not those of published figures (`models.originals`), by task. Groups do not change them."""
    tasks = {name: task.model_copy(update={"groups": {}}) for name, task in study.downstream.tasks.items()}
    return originals.data("downstream", {name: value_hash([task.reading, task.prefix]) for name, task in tasks.items()})
