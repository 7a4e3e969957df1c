"""What a study asks for: the targets of every metric, one after the other."""

from herbarium.core.errors import HerbariumError
from herbarium.core.targets import Targets
from herbarium.metrics.categorical_bias import targets as categorical_bias
from herbarium.metrics.crows_pairs import targets as crows_pairs
from herbarium.metrics.downstream import targets as downstream
from herbarium.metrics.herb import targets as herb
from herbarium.metrics.local_group_bias import targets as local_group_bias
from herbarium.metrics.mixed_effects import targets as mixed_effects
from herbarium.metrics.perplexity import targets as perplexity
from herbarium.metrics.propagation import targets as propagation
from herbarium.metrics.sentence_sets import targets as sentence_sets
from herbarium.metrics.tagging import targets as tagging
from herbarium.study.config import PLANTED, Study
from herbarium.training import targets as training

# In the order of the summary and the page.
METRICS = (
    *(herb, categorical_bias, mixed_effects, crows_pairs, sentence_sets),
    *(downstream, propagation, local_group_bias, perplexity, tagging),
)


def planted_text(asked: Targets, model: str) -> list[str]:
    """The files with the text that a planted model learns. Raises HerbariumError where no metric has one for it."""
    if model not in asked.planted:
        raise HerbariumError(
            f"models.{model}.planted: there is no text for it to learn, since it is the metrics that it is measured by "
            f"which plant one; have it measured by one of {', '.join(PLANTED)}."
        )
    return asked.planted[model]


def of(study: Study) -> Targets:
    """All that a study asks for."""
    targets = training.targets(study)
    for metric in METRICS:
        targets.add(metric.targets(study))
    if targets.items:
        targets.validity.append("resources/reliability/validity.csv")
    if targets.changes:
        targets.validity.append("resources/changes/validity.csv")
    return targets
