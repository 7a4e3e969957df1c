"""The targets of named-entity recognition."""

from functools import partial

from herbarium.core.errors import check_all
from herbarium.core.files import placed
from herbarium.core.targets import Files, Source, Targets, filled
from herbarium.metrics.tagging import sentences

METRIC = "tagging"
FILES = Files(METRIC, source="Ahn and Oh 2021")
SENTENCES = "<work>/tagging/{task}/sentences.parquet"
# What the tagger of a training set predicts for the test sentences.
PREDICTIONS = "<work>/tagging/{task}/{model}/set-{set}.parquet"
# What a model's taggers cost, from a sample.
SAMPLE = "<work>/estimate/tagging/{task}/{model}.parquet"
NUMBERS = "<work>/metrics/tagging/{task}/{model}.parquet"
CHANGES = "<work>/changes/tagging/{task}.parquet"
TABLES = {"table6": "F1 of named entities, as published and ours"}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without a task."""
    section = study.tagging
    if not section.tasks:
        return Targets()
    return Targets(
        sources=[
            Source(
                f"tagging.tasks.{task}.data", entry.data.model_dump(mode="json"), True, "read_tagging", {"task": task}
            )
            for task, entry in section.tasks.items()
            if entry.data.hub
        ],
        numbers=[
            filled(NUMBERS, task=task, model=model) for task, entry in section.tasks.items() for model in entry.models
        ],
        costs={
            (model, f"{METRIC}/{task}"): filled(SAMPLE, task=task, model=study.origin(model))
            for task, entry in section.tasks.items()
            for model in entry.models
        },
        changes=[filled(CHANGES, task=task) for task, entry in section.tasks.items() if study.compared(entry.models)],
        validity=[FILES.validity],
        published=[FILES.published],
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def files(section, task: str) -> list[str]:
    """The local source files of a task's sentences."""
    entry = section.tasks[task]
    if entry.data.path is None:
        return []
    return [str(entry.data.path / name) for name in (*entry.train, *entry.test)] or [str(entry.data.path)]


def predictions(study, task: str, model: str) -> list[str]:
    """The predictions of a model's taggers, by training set. Real paths."""
    sets = range(1, study.tagging.training.sets + 1)
    return [placed(filled(PREDICTIONS, task=task, model=model, set=number), study.results) for number in sets]


def require_files(section) -> None:
    """Raise HerbariumError, with all of them, for local files that do not fit the tasks."""
    check_all(
        [
            partial(sentences.read_local, entry.data.path, [*entry.train, *entry.test])
            for entry in section.tasks.values()
            if entry.data.path
        ]
    )


def states(study) -> dict[str, str]:
    """For each model with a counterpart in Table 6, whether it is "aligned" to another or "not aligned"."""
    by_model = {}
    for name, model in study.models.items():
        if model.derived is None:
            by_model[name] = "not aligned"
        elif model.derived.by.recipe == "alignment" and model.derived.by.to is not None:
            by_model[name] = "aligned"
    return by_model
