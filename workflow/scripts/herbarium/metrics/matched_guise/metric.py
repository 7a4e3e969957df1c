"""Matched guise probing as a metric: the functions of its steps, and what it makes."""

from operator import attrgetter

from herbarium.core.metric import Metric
from herbarium.metrics.matched_guise import calibration, numbers, planted, stimuli

METRIC = Metric(
    package=__package__,
    entries="guises",
    instantiate=stimuli.instantiate,
    in_shards=False,
    measure=numbers.measure,
    compare=numbers.changes,
    calibrate=calibration.calibrate,
    plant=planted.plant,
    learns=attrgetter("ratings"),  # associations follow them
    tables={
        "numbers": (numbers.laid_out, "Every number by guises, attribute and model"),
        "pairs": (numbers.pairs, "Every pair with what it does to the probability of each attribute"),
    },
    figures={"associations": "Associations of attributes with the dialect"},
)
FILES, targets = METRIC.files, METRIC.targets
