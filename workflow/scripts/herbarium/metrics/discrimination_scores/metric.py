"""Discrimination scores as a metric: the functions of its steps, and what it makes. Fits have a rule of their own."""

from operator import attrgetter

from herbarium.core.metric import Metric
from herbarium.core.targets import Targets, filled
from herbarium.metrics.discrimination_scores import calibration, numbers, planted, stimuli

FITTED = "<work>/fits/discrimination_scores/{model}/{name}.parquet"


def fits(study) -> Targets:
    places = METRIC.measured(study) if study.mixed_models.are_fitted else []
    return Targets(numbers=[filled(FITTED, model=model, name=name) for model, name in places])


METRIC = Metric(
    package=__package__,
    entries="tables",
    instantiate=stimuli.instantiate,
    measure=numbers.measure,
    compare=numbers.changes,
    calibrate=calibration.calibrate,
    plant=planted.plant,
    learns=attrgetter("references"),  # from which persons can differ
    tables={
        "numbers": (numbers.laid_out, "Every number by table, contrast and model"),
        "decisions": (numbers.decisions, "The contrasts within each decision"),
        "prompts": (numbers.prompts, "Every prompt's log-odds, and the probability of the answers"),
    },
    figures={"contrasts": "Differences of log-odds by person"},
    part=("references", "level", "correction"),
    further=fits,
)
FILES, targets = METRIC.files, METRIC.targets
