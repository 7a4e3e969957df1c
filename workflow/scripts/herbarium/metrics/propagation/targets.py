"""The files of propagation that the configuration asks for."""

from herbarium.core.targets import Files, Targets, filled

METRIC = "propagation"
FILES = Files(METRIC)
# Over countries, with the data of the figure, and over models.
OF_COUNTRIES = "<work>/metrics/propagation/{task}/{model}.parquet"
COUNTRIES = "<work>/metrics/propagation_countries/{task}/{model}.parquet"
OF_MODELS = "<work>/metrics/propagation.parquet"
FIGURES = {"scatter": "What a model encodes about countries against their effects in tasks"}


def targets(study) -> Targets:
    """For a study (`study.config.Study`) that has both intrinsic scores and tasks; else nothing."""
    if not (measured(study) and (study.herb.measured(study.models) or measures_of_models(study))):
        return Targets()
    countries = over_countries(study)
    return Targets(
        numbers=[*of(OF_COUNTRIES, countries), OF_MODELS],
        figures=FILES.figures(FIGURES) if countries else [],
        validity=[FILES.validity],
        parts=[FILES.part],
    )


def measured(study) -> list[tuple[str, str]]:
    """(task, model) of everything in tasks that is correlated with intrinsic measures."""
    tasks = study.propagation.tasks
    return [(task, model) for task, model in study.downstream.measured if tasks is None or task in tasks]


def over_countries(study) -> list[tuple[str, str]]:
    """(task, model) of all models in tasks whose countries HERB has measured."""
    described = study.herb.measured(study.models)
    return [(task, model) for task, model in measured(study) if model in described]


def of(pattern: str, measured: list[tuple[str, str]]) -> list[str]:
    """The files of a pattern on tasks. measured: (task, model)."""
    return [filled(pattern, task=task, model=model) for task, model in measured]


def measures_of_models(study) -> list[str]:
    """The files in which other metrics write their numbers of whole models."""
    return [file for section in study.sections.values() for file in section.measures_of_models()]
