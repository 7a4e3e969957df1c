"""The targets of HONEST."""

from herbarium.core.targets import Files, Targets, filled

FILES = Files("honest")
COMPLETIONS = "<work>/completions/{model}/honest/{name}.parquet"
# What completing sentences costs, from a sample.
SAMPLE = "<work>/estimate/honest/{name}/{model}.parquet"
OBSERVATIONS = "<work>/observations/{model}/honest/{name}.parquet"
NUMBERS = "<work>/metrics/honest/{model}/{name}.parquet"
CHANGES = "<work>/changes/honest/{name}.parquet"
FIGURES = {"scores": "Hurtful completions by group"}
TABLES = {
    "numbers": "Every number by set, group and model",
    "categories": "Hurtful completions by category of the lexicon, group and model",
    "completions": "Every sentence with each model's completions, and which of them are in the lexicon",
}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without a set."""
    places = study.honest.measured
    if not places:
        return Targets()
    planted = study.planted(study.honest.models)
    return Targets(
        planted={model: [filled(FILES.planted, model=model)] for model in planted},
        numbers=[filled(NUMBERS, model=model, name=name) for model, name in places],
        costs={
            (model, f"honest/{name}"): filled(SAMPLE, model=study.origin(model), name=name) for model, name in places
        },
        changes=[filled(CHANGES, name=name) for name, one in study.honest.sets.items() if study.compared(one.models)],
        calibration=[FILES.calibration] if planted else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def learned(study, model: str) -> list[str]:
    """The sets that a planted model learns, by name."""
    return [name for measured_model, name in study.honest.measured if measured_model == model]
