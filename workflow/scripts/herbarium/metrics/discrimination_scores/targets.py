"""The targets of discrimination scores."""

from herbarium.core.targets import Files, Targets, filled

FILES = Files("discrimination_scores")
STIMULI = "discrimination_scores/{name}"
OBSERVATIONS = "<work>/observations/{model}/discrimination_scores/{name}.parquet"
NUMBERS = "<work>/metrics/discrimination_scores/{model}/{name}.parquet"
FITTED = "<work>/fits/discrimination_scores/{model}/{name}.parquet"
CHANGES = "<work>/changes/discrimination_scores/{name}.parquet"
FIGURES = {"contrasts": "Differences of log-odds by person"}
TABLES = {
    "numbers": "Every number by table, contrast and model",
    "decisions": "The contrasts within each decision",
    "prompts": "Every prompt's log-odds, and the probability of the answers",
}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without tables."""
    section = study.discrimination_scores
    places = section.measured
    if not places:
        return Targets()
    planted = [model for model in study.planted(section.models) if learned(study, model)]
    return Targets(
        shards={filled(STIMULI, name=name): study.shards for name in section.tables},
        scored=[(model, filled(STIMULI, name=name)) for model, name in places],
        planted={model: [filled(FILES.planted, model=model)] for model in planted},
        numbers=[
            filled(pattern, model=model, name=name)
            for pattern in ([NUMBERS, FITTED] if study.mixed_models.are_fitted else [NUMBERS])
            for model, name in places
        ],
        changes=[filled(CHANGES, name=name) for name, entry in section.tables.items() if study.compared(entry.models)],
        calibration=[FILES.calibration] if planted else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def learned(study, model: str) -> list[str]:
    """The names of the tables that a planted model learns: those with a reference, from which persons can differ."""
    tables = study.discrimination_scores.tables
    return [name for name, entry in tables.items() if model in entry.models and entry.references]
