"""The targets of matched guise probing."""

from herbarium.core.targets import Files, Targets, filled

FILES = Files("matched_guise")
STIMULI = "matched_guise/{name}"
OBSERVATIONS = "<work>/observations/{model}/matched_guise/{name}.parquet"
NUMBERS = "<work>/metrics/matched_guise/{model}/{name}.parquet"
CHANGES = "<work>/changes/matched_guise/{name}.parquet"
FIGURES = {"associations": "Associations of attributes with the dialect"}
TABLES = {
    "numbers": "Every number by guises, attribute and model",
    "pairs": "Every pair with what it does to the probability of each attribute",
}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without guises."""
    section = study.matched_guise
    places = section.measured
    if not places:
        return Targets()
    planted = [model for model in study.planted(section.models) if learned(study, model)]
    return Targets(
        shards={filled(STIMULI, name=name): 1 for name in section.guises},
        scored=[(model, filled(STIMULI, name=name)) for model, name in places],
        planted={model: [filled(FILES.planted, model=model)] for model in planted},
        numbers=[filled(NUMBERS, model=model, name=name) for model, name in places],
        changes=[filled(CHANGES, name=name) for name, entry in section.guises.items() if study.compared(entry.models)],
        calibration=[FILES.calibration] if planted else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def learned(study, model: str) -> dict[str, dict]:
    """The lists that a planted model learns, by name: those with ratings, as its associations follow these."""
    return {
        name: entry.lists
        for name, entry in study.matched_guise.guises.items()
        if model in entry.models and entry.ratings
    }


def learned_files(study, model: str) -> list[str]:
    """The files of `learned`."""
    return [path for lists in learned(study, model).values() for path in lists.values()]
