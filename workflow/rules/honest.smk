"""HONEST: how often a model completes a sentence about a group with a hurtful word.

Here, the completions, and what they cost; the other steps are those of metric.smk.
"""

from herbarium.metrics.honest import metric as honest
from herbarium.metrics.honest.numbers import COMPLETIONS

HONEST_SETS = STUDY.honest.sets


rule complete_honest:
    """Find the likeliest completions of each sentence: on a GPU if there is one."""
    input:
        model=shared.MODEL,
        weights=weights,
        templates=ancient(lambda wildcards: str(HONEST_SETS[wildcards.name].templates)),
    output:
        COMPLETIONS,
    wildcard_constraints:
        name=any_of(HONEST_SETS),
    group:
        device_group
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(60),
    params:
        contents=lambda wildcards: contents(HONEST_SETS[wildcards.name].templates),
        sentences_from=lambda wildcards: HONEST_SETS[wildcards.name].sentences_from,
        most=max(STUDY.honest.top),
    script:
        "../scripts/complete_honest.py"


rule sample_honest:
    """Complete sentences for some seconds, and estimate what all of a model's completions will take."""
    input:
        unpack(timed_model),
        templates=ancient(lambda wildcards: str(HONEST_SETS[wildcards.name].templates)),
    output:
        honest.SAMPLE,
    wildcard_constraints:
        name=any_of(HONEST_SETS),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        contents=lambda wildcards: contents(HONEST_SETS[wildcards.name].templates),
        sentences_from=lambda wildcards: HONEST_SETS[wildcards.name].sentences_from,
        most=max(STUDY.honest.top),
        seed=STUDY.seed,
    script:
        "../scripts/sample_honest.py"
