"""Which files the configuration asks for of tasks."""

from pathlib import Path

from herbarium.core.targets import Source, Targets

METRIC = "downstream"


def targets(study) -> Targets:
    """Of the tasks of a study (`study.config.Study`); nothing where nothing is measured in any."""
    section = study.downstream
    if not section.measured:
        return Targets()
    is_planted = any(section.planted[task] is not None for task, _ in section.measured)
    return Targets(
        sources=[*_data(section), *_classifiers(section)],
        grouped=_grouped(section) if study.mixed_models.engine == "lme4" else {},
        numbers=[f"<results>/metrics/{METRIC}/{task}/{model}.parquet" for task, model in section.measured],
        published=[f"<results>/published/{METRIC}.parquet"],
        calibration=[f"<results>/calibration/{METRIC}.parquet"] if is_planted else [],
        figures=[f"{METRIC}_{name}" for name in ("map", "ranking", *(["planted"] if is_planted else []))],
        tables=[f"<results>/tables/{METRIC}_{name}.csv" for name in ("table4", "table5")],
        parts=[f"<results>/parts/{METRIC}.json"],
    )


def _data(section) -> list[Source]:
    """The data sets that are fetched."""
    return [
        Source(f"downstream.tasks.{task}.data", entry.data.model_dump(mode="json"), True, "read_task", {"task": task})
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
            "resolve_classifier",
            {"task": task, "model": name},
        )
        for task, entry in section.tasks.items()
        for name, classifier in entry.classifiers.items()
        if classifier.hub
    ]


def _grouped(section) -> dict[tuple[str, str], str]:
    """Of what the mixed model of continents is fitted to."""
    if not section.groups:
        return {}
    return {
        (model, f"{METRIC}/{task}"): f"<results>/grouped/{model}/{METRIC}/{task}.parquet"
        for task, model in section.measured
    }


def records(section) -> list[str]:
    """What each classifier is, a file a task, model and run."""
    return [
        f"<results>/downstream/{task}/{model}/{run}/classifier.json"
        for task, model in section.measured
        for run in section.runs(task, model)
    ]


def of_tasks(section, file: str) -> list[str]:
    """A file of each task, in their order."""
    return [f"<results>/downstream/{task}/{file}" for task in section.tasks]


def predictions(study, task: str, model: str) -> list[str]:
    """What all classifiers of a model in a task say: those of all shards of a run, then of the next. Real paths."""
    folder = f"{study.results}/downstream/{task}/{model}"
    return [
        f"{folder}/{run}/predictions-{shard}.parquet"
        for run in study.downstream.runs(task, model)
        for shard in range(study.shards)
    ]


def local_files(folder: Path | None) -> list[str]:
    """The files of a classifier in a local folder, so that a changed one is noticed; of another, none."""
    return sorted(map(str, folder.glob("[!.]*"))) if folder else []
