"""Discrimination scores: whether a model decides differently about one person than about another in the same situation.

Here, the mixed model of the paper; the other steps are those of metric.smk.
"""

from herbarium.core import steps
from herbarium.metrics.discrimination_scores import metric as discrimination_scores


rule fit_discrimination_scores:
    """Fit the mixed model of the paper with lme4."""
    input:
        filled(steps.OBSERVATIONS, metric="discrimination_scores"),
    output:
        discrimination_scores.FITTED,
    wildcard_constraints:
        name=any_of(STUDY.discrimination_scores.tables),
    resources:
        runtime=growing(60),
    params:
        effects=lambda wildcards: STUDY.discrimination_scores.tables[wildcards.name].effects,
        level=STUDY.discrimination_scores.level,
    script:
        "../scripts/fit_discrimination_scores.py"
