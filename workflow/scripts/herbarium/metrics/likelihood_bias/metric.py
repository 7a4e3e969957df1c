"""Likelihood bias as a metric: the functions of its steps, and what it makes."""

from herbarium.core.metric import Metric
from herbarium.metrics.likelihood_bias import calibration, numbers, planted, stimuli

METRIC = Metric(
    package=__package__,
    entries="stimuli",
    instantiate=stimuli.instantiate,
    measure=numbers.measure,
    calibrate=calibration.calibrate,
    plant=planted.plant,
    tables={
        "axes": (
            numbers.axes,
            "Every axis: variance between its descriptors, and share of pairs that differ, as published",
        ),
        "templates": (numbers.templates, "Share of pairs that differ in each template, as published"),
        "descriptors": (numbers.descriptors, "How much the sentences of each descriptor surprise a model"),
    },
    figures={"axes": "Variance between descriptors by axis"},
)
FILES, targets = METRIC.files, METRIC.targets
