"""The files of bias amplification that the configuration asks for."""

from pathlib import Path

from herbarium.core.provenance import file_hash
from herbarium.core.targets import Targets
from herbarium.models import originals

METRIC = "amplification"
FIGURES = {
    "rates": "Positive rates of groups in predictions against those in training",
    "iterations": "Violated constraints along the iterations of each algorithm",
    "margins": "Accuracy against violated constraints, over margins",
}
TABLES = {
    "methods": "Methods of deciding within constraints, compared",
    "structured": "The same for structured outputs",
}


def targets(study) -> Targets:
    """For a study (`study.config.Study`) that names tasks; else nothing."""
    if not measured(study):
        return Targets()
    return Targets(
        numbers=of(METRIC, measured(study)),
        changes=[f"<work>/changes/{METRIC}/{task}.parquet" for task in compared(study)],
        calibration=[f"<work>/calibration/{METRIC}.parquet"] if planted(study) else [],
        validity=[f"resources/{METRIC}/validity.csv"],
        published=[f"<work>/published/{METRIC}.parquet"] if study.amplification.ratios else [],
        figures=[f"{METRIC}_{name}" for name in FIGURES],
        tables=[f"<results>/tables/{METRIC}_{name}.csv" for name in TABLES],
        parts=[f"<work>/parts/{METRIC}.json"],
    )


def measured(study) -> list[tuple[str, str]]:
    """(task, model) of all whose predictions are measured."""
    return [(task, model) for task, model in study.downstream.measured if task in study.amplification.tasks]


def of(table: str, measured: list[tuple[str, str]]) -> list[str]:
    """A table of everything that is measured, one file per task and model."""
    return [f"<work>/metrics/{table}/{task}/{model}.parquet" for task, model in measured]


def structured(table: str, study) -> list[str]:
    """A table of all outputs with structure, one file for each name."""
    return [f"<work>/metrics/{table}/{name}.parquet" for name in study.amplification.structured]


def undecided(study) -> list[tuple[str, str]]:
    """(task, model) of those with their own predictions, for which methods are compared."""
    return [of for of in measured(study) if of in study.downstream.asked]


def compared(study) -> list[str]:
    """The measured tasks in which models are compared."""
    return [task for task in study.amplification.tasks if study.downstream.compared(task, study)]


def planted(study) -> dict[str, float]:
    """The strength of the texts of each measured task with planted texts."""
    return {
        task: strength
        for task, strength in study.downstream.planted.items()
        if task in study.amplification.tasks and strength is not None
    }


def original_data(study) -> dict[str, str]:
    """Reasons why data are not those of published figures (`models.originals`), by name of the table."""
    ratios = study.amplification.ratios
    return originals.data("amplification", {name: file_hash(Path(entry.table)) for name, entry in ratios.items()})
