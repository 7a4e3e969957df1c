"""The targets of social bias probing."""

from herbarium.core.targets import Files, Targets, filled

FILES = Files("sofa")
STIMULI = "sofa/{name}"
OBSERVATIONS = "<work>/observations/{model}/sofa/{name}.parquet"
NUMBERS = "<work>/metrics/sofa/{model}/{name}.parquet"
ITEMS = "<work>/items/sofa/{model}/{name}.parquet"
FIGURES = {"categories": "Variance between identities by category"}
TABLES = {
    "categories": "Every category: SoFa score as published, and the variance between identities that stereotypes share",
    "identities": "How surprising stereotypes are after each identity, and its rank",
    "stereotypes": "How far apart identities are in each stereotype, as published",
}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without tables."""
    section = study.sofa
    if not section.tables:
        return Targets()
    planted = study.planted(section.models)
    return Targets(
        shards={filled(STIMULI, name=name): study.shards for name in section.tables},
        scored=[(model, filled(STIMULI, name=name)) for model, name in section.measured],
        planted={model: [filled(FILES.planted, model=model)] for model in planted},
        numbers=[filled(NUMBERS, model=model, name=name) for model, name in section.measured],
        items=[filled(ITEMS, model=model, name=name) for model, name in section.measured],
        calibration=[FILES.calibration] if planted else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )
