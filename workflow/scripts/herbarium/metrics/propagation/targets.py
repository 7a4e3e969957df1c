"""The files of propagation that the configuration asks for."""

from herbarium.core.targets import Targets

METRIC = "propagation"


def targets(study) -> Targets:
    """For a study (`study.config.Study`) that has both intrinsic scores and tasks; else nothing."""
    if not (measured(study) and (herb(study) or measures_of_models(study))):
        return Targets()
    countries = over_countries(study)
    return Targets(
        numbers=[*of(METRIC, countries), f"<work>/metrics/{METRIC}.parquet"],
        figures=[f"{METRIC}_scatter"] if countries else [],
        validity=[f"resources/{METRIC}/validity.csv"],
        parts=[f"<work>/parts/{METRIC}.json"],
    )


def measured(study) -> list[tuple[str, str]]:
    """(task, model) of everything in tasks that is correlated with intrinsic measures."""
    tasks = study.propagation.tasks
    return [(task, model) for task, model in study.downstream.measured if tasks is None or task in tasks]


def over_countries(study) -> list[tuple[str, str]]:
    """(task, model) of all models in tasks whose countries HERB has measured."""
    described = study.herb.measured(study.models)
    return [(task, model) for task, model in measured(study) if model in described]


def of(metric: str, measured: list[tuple[str, str]]) -> list[str]:
    """The files of a metric on tasks. measured: (task, model)."""
    return [f"<work>/metrics/{metric}/{task}/{model}.parquet" for task, model in measured]


def herb(study) -> list[str]:
    """HERB's numbers of all models."""
    return [f"<work>/metrics/herb/{model}.parquet" for model in study.herb.measured(study.models)]


def measures_of_models(study) -> list[str]:
    """The files in which other metrics write their numbers of whole models."""
    return [file for section in study.sections for file in section.measures_of_models()]
