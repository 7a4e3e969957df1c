"""The files of local group bias that the configuration asks for."""

from herbarium.core.targets import Files, Targets, filled
from herbarium.metrics.local_group_bias.names import METRIC

FILES = Files(METRIC)
# The texts that are compared, and their embeddings by the first classifier of a model.
INSTANCES = "<work>/local_group_bias/{task}/instances.parquet"
FEATURES = "<work>/local_group_bias/{task}/{model}/features.parquet"
NUMBERS = "<work>/metrics/local_group_bias/{task}/{model}.parquet"
CLUSTERS = "<work>/metrics/local_group_bias_clusters/{task}/{model}.parquet"
TABLES = {"clusters": "Clusters of texts in which groups are treated unequally"}


def targets(study) -> Targets:
    """For a study (`study.config.Study`) that names groups to compare, and has tasks; else nothing."""
    section = study.local_group_bias
    if not study.downstream.measured or not (section.pairs or section.continents):
        return Targets()
    return Targets(
        numbers=of(NUMBERS, study),
        tables=FILES.tables(TABLES),
        validity=[FILES.validity],
        parts=[FILES.part],
    )


def of(pattern: str, study) -> list[str]:
    """The files of a pattern for everything that is measured in tasks, one per task and model."""
    return [filled(pattern, task=task, model=model) for task, model in study.downstream.measured]


def run(study, task: str, model: str) -> str:
    """The classifier whose predictions are clustered: that of the first training set, or the published one."""
    return study.downstream.runs(task, model)[0]


def has_sets(study) -> bool:
    """Whether any model is trained on several sets, only the first of which is used."""
    return any(len(study.downstream.runs(task, model)) > 1 for task, model in study.downstream.measured)
