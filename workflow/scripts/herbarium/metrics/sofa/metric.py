"""Social bias probing as a metric: the functions of its steps, and what it makes."""

from herbarium.core.metric import Metric
from herbarium.metrics.sofa import calibration, lists, numbers, planted

METRIC = Metric(
    package=__package__,
    entries="tables",
    instantiate=lists.instantiate,
    measure=numbers.measure,
    calibrate=calibration.calibrate,
    plant=planted.plant,
    tables={
        "categories": (
            numbers.categories,
            "Every category: SoFa score as published, and the variance between identities that stereotypes share",
        ),
        "identities": (numbers.identities, "How surprising stereotypes are after each identity, and its rank"),
        "stereotypes": (numbers.stereotypes, "How far apart identities are in each stereotype, as published"),
    },
    figures={"categories": "Variance between identities by category"},
)
FILES, targets = METRIC.files, METRIC.targets
