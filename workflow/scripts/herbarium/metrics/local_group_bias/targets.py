"""Which files the configuration asks for of local group bias."""

from herbarium.core.targets import Targets

METRIC = "local_group_bias"


def targets(study) -> Targets:
    """Of a study (`study.config.Study`) that names groups to compare, and has tasks; nothing of another."""
    section = study.local_group_bias
    if not study.downstream.measured or not (section.pairs or section.continents):
        return Targets()
    return Targets(
        numbers=of(METRIC, study),
        tables=[f"<results>/tables/{METRIC}_clusters.csv"],
        validity=[f"resources/{METRIC}/validity.csv"],
        parts=[f"<results>/parts/{METRIC}.json"],
    )


def of(table: str, study) -> list[str]:
    """A table of everything that is measured in tasks, one file per task and model."""
    return [f"<results>/metrics/{table}/{task}/{model}.parquet" for task, model in study.downstream.measured]


def run(study, task: str, model: str) -> str:
    """The classifier in whose predictions clusters are looked for: that of the first training set, or the published
    one."""
    return study.downstream.runs(task, model)[0]


def classifier(study, task: str, model: str) -> str:
    """Its record. Real path."""
    return f"{study.results}/downstream/{task}/{model}/{run(study, task, model)}/classifier.json"


def has_sets(study) -> bool:
    """Whether any model is trained on several sets, of which the first is looked at."""
    return any(len(study.downstream.runs(task, model)) > 1 for task, model in study.downstream.measured)
