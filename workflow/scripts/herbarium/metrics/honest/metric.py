"""HONEST as a metric: the functions of its steps, and what it makes. Completions are made by rules of its own."""

from herbarium.core.metric import Metric
from herbarium.core.targets import Targets, filled
from herbarium.metrics.honest import calibration, numbers, planted

# What completing sentences costs, from a sample.
SAMPLE = "<work>/estimate/honest/{name}/{model}.parquet"


def costs(study) -> Targets:
    files = {
        (model, f"honest/{name}"): filled(SAMPLE, model=study.origin(model), name=name)
        for model, name in METRIC.measured(study)
    }
    return Targets(costs=files)


METRIC = Metric(
    package=__package__,
    entries="sets",
    measure=numbers.measure,
    compare=numbers.changes,
    calibrate=calibration.calibrate,
    plant=planted.plant,
    tables={
        "numbers": (numbers.laid_out, "Every number by set, group and model"),
        "categories": (numbers.categories, "Hurtful completions by category of the lexicon, group and model"),
        "completions": (
            numbers.completed,
            "Every sentence with each model's completions, and which of them are in the lexicon",
        ),
    },
    figures={"scores": "Hurtful completions by group"},
    further=costs,
)
FILES, targets = METRIC.files, METRIC.targets
