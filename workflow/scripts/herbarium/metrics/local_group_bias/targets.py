"""The files of local group bias that the configuration asks for."""

from herbarium.core.attributes import pairs
from herbarium.core.targets import Files, Targets, filled
from herbarium.metrics.local_group_bias.names import METRIC, are_published
from herbarium.models import originals

FILES = Files(METRIC, source="Zhao 2021")
# The texts that are compared, and their embeddings by the first classifier of a model.
INSTANCES = "<work>/local_group_bias/{task}/instances.parquet"
FEATURES = "<work>/local_group_bias/{task}/{model}/features.parquet"
NUMBERS = "<work>/metrics/local_group_bias/{task}/{model}.parquet"
CLUSTERS = "<work>/metrics/local_group_bias_clusters/{task}/{model}.parquet"
TABLES = {"clusters": "Clusters of texts in which groups are treated unequally"}


def targets(study) -> Targets:
    """For a study (`study.config.Study`) that compares groups in its tasks; else nothing."""
    if not compared(study):
        return Targets()
    return Targets(
        numbers=of(NUMBERS, compared(study)),
        published=[FILES.published] if published(study) else [],
        tables=FILES.tables(TABLES),
        validity=[FILES.validity],
        parts=[FILES.part],
    )


def compared(study) -> list[tuple[str, str]]:
    """(task, model) of everything that is measured in tasks whose groups are compared: regions, or those of columns."""
    section = study.local_group_bias
    of_regions = section.pairs or section.continents
    return [(task, model) for task, model in study.downstream.measured if of_regions or study.downstream.groups(task)]


def published(study) -> list[tuple[str, str]]:
    """(task, model) of those with groups that the published figures are about."""

    def has_groups(task: str) -> bool:
        return any(are_published(pair.attribute, pair[1:]) for pair in pairs(study.downstream.groups(task)))

    return [(task, model) for task, model in compared(study) if has_groups(task)]


def original_data(study) -> dict[str, str]:
    """Reasons why data are not those of published figures (`models.originals`), by task. None is known to be: the
    authors' sample of comments is not published."""
    return originals.data(METRIC, dict.fromkeys(task for task, _ in published(study)))


def of(pattern: str, measured: list[tuple[str, str]]) -> list[str]:
    """The files of a pattern, one per task and model."""
    return [filled(pattern, task=task, model=model) for task, model in measured]


def run(study, task: str, model: str) -> str:
    """The classifier whose predictions are clustered: that of the first training set, or the published one."""
    return study.downstream.runs(task, model)[0]


def has_sets(study) -> bool:
    """Whether any model is trained on several sets, only the first of which is used."""
    return any(len(study.downstream.runs(task, model)) > 1 for task, model in compared(study))
