"""The targets of likelihood bias."""

from herbarium.core.targets import Files, Targets, filled

FILES = Files("likelihood_bias")
STIMULI = "likelihood_bias/{name}"
OBSERVATIONS = "<work>/observations/{model}/likelihood_bias/{name}.parquet"
NUMBERS = "<work>/metrics/likelihood_bias/{model}/{name}.parquet"
FIGURES = {"axes": "Variance between descriptors by axis"}
TABLES = {
    "axes": "Every axis: variance between its descriptors, and share of pairs that differ, as published",
    "templates": "Share of pairs that differ in each template, as published",
    "descriptors": "How much the sentences of each descriptor surprise a model",
}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without stimuli."""
    section = study.likelihood_bias
    if not section.stimuli:
        return Targets()
    planted = study.planted(section.models)
    return Targets(
        shards={filled(STIMULI, name=name): study.shards for name in section.stimuli},
        scored=[(model, filled(STIMULI, name=name)) for model, name in section.measured],
        planted={model: [filled(FILES.planted, model=model)] for model in planted},
        numbers=[filled(NUMBERS, model=model, name=name) for model, name in section.measured],
        calibration=[FILES.calibration] if planted else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )
