"""The files of bias amplification that the configuration asks for."""

from pathlib import Path

from herbarium.core.errors import HerbariumError
from herbarium.core.provenance import file_hash
from herbarium.core.targets import Files, Targets, filled
from herbarium.models import originals
from herbarium.regions.mentions import LEVELS

METRIC = "amplification"
FILES = Files(METRIC, source="Zhao 2021")
NUMBERS = "<work>/metrics/amplification/{task}/{model}.parquet"
BY_METHOD = "<work>/metrics/amplification_methods/{task}/{model}.parquet"
ITERATIONS = "<work>/metrics/amplification_iterations/{task}/{model}.parquet"
STRUCTURED = "<work>/metrics/amplification_structured/{name}.parquet"
STRUCTURED_ITERATIONS = "<work>/metrics/amplification_structured_iterations/{name}.parquet"
CHANGES = "<work>/changes/amplification/{task}.parquet"
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
        numbers=of(NUMBERS, measured(study)),
        changes=[filled(CHANGES, task=task) for task in compared(study)],
        calibration=[FILES.calibration] if planted(study) else [],
        validity=[FILES.validity],
        published=[FILES.published] if study.amplification.ratios or study.amplification.structured else [],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def measured(study) -> list[tuple[str, str]]:
    """(task, model) of all whose predictions are measured."""
    return [(task, model) for task, model in study.downstream.measured if task in study.amplification.tasks]


def of(pattern: str, measured: list[tuple[str, str]]) -> list[str]:
    """The files of a pattern for everything that is measured, one per task and model."""
    return [filled(pattern, task=task, model=model) for task, model in measured]


def undecided(study) -> list[tuple[str, str]]:
    """(task, model) of those with their own predictions, for which methods are compared."""
    return [pair for pair in measured(study) if pair in study.downstream.asked]


def compared(study) -> list[str]:
    """The measured tasks in which models are compared."""
    return [task for task in study.amplification.tasks if study.downstream.compared(task, study)]


def planted(study) -> dict[str, float]:
    """The strength of the texts of each measured task with planted texts, if groups are regions, which lean."""
    if study.amplification.groups not in LEVELS:
        return {}
    return {
        task: strength
        for task, strength in study.downstream.planted.items()
        if task in study.amplification.tasks and strength is not None
    }


def require_groups(study) -> None:
    """Raise HerbariumError for a task that does not have the groups whose rates are compared."""
    section = study.amplification
    for task in section.tasks:
        if section.groups not in (*LEVELS, *study.downstream.groups(task)):
            raise HerbariumError(
                f"amplification.groups: '{section.groups}' is neither of {', '.join(LEVELS)} nor among the groups of "
                f"the task '{task}'; name it under downstream.tasks.{task}.groups."
            )


def original_data(study) -> dict[str, str]:
    """Reasons why data are not those of published figures (`models.originals`), by name of the table."""
    ratios = study.amplification.ratios
    return originals.data("amplification", {name: file_hash(Path(entry.table)) for name, entry in ratios.items()})
