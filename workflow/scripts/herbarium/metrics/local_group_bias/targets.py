"""The files of local group bias that the configuration asks for."""

from herbarium.core.targets import Targets
from herbarium.metrics.local_group_bias.names import METRIC


def targets(study) -> Targets:
    """For a study (`study.config.Study`) that names groups to compare, and has tasks; else nothing."""
    section = study.local_group_bias
    if not study.downstream.measured or not (section.pairs or section.continents):
        return Targets()
    return Targets(
        numbers=of(METRIC, study),
        tables=[f"<results>/tables/{METRIC}_clusters.csv"],
        validity=[f"resources/{METRIC}/validity.csv"],
        parts=[f"<work>/parts/{METRIC}.json"],
    )


def of(table: str, study) -> list[str]:
    """A table of everything that is measured in tasks, one file per task and model."""
    return [f"<work>/metrics/{table}/{task}/{model}.parquet" for task, model in study.downstream.measured]


def run(study, task: str, model: str) -> str:
    """The classifier whose predictions are clustered: that of the first training set, or the published one."""
    return study.downstream.runs(task, model)[0]


def classifier(study, task: str, model: str) -> str:
    """Its record. Real path."""
    return f"{study.work}/downstream/{task}/{model}/{run(study, task, model)}/classifier.json"


def has_sets(study) -> bool:
    """Whether any model is trained on several sets, only the first of which is used."""
    return any(len(study.downstream.runs(task, model)) > 1 for task, model in study.downstream.measured)
