"""Local group bias: clusters of texts in which a classifier treats two groups of regions unequally (LOGAN).

Texts are embedded by the first classifier of a model.
"""

from herbarium.metrics.downstream import targets as downstream_targets
from herbarium.metrics.local_group_bias import targets as local_targets

LOCAL_GROUP_BIAS = local_targets.targets(STUDY)


rule choose_local_group_bias:
    """Choose the texts, and the regions before them, on which groups are compared locally."""
    input:
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
    output:
        local_targets.INSTANCES,
    wildcard_constraints:
        task=any_of(STUDY.downstream.tasks),
    params:
        pairs=STUDY.local_group_bias.pairs,
        continents=STUDY.local_group_bias.continents,
        seed=STUDY.seed,
    script:
        "../scripts/choose_local_group_bias.py"


rule embed_local_group_bias:
    """Embed those texts with a classifier, to cluster them by."""
    input:
        classifier=lambda wildcards: real_path(downstream_targets.RECORD, run=local_targets.run(STUDY, **wildcards)),
        weights=lambda wildcards: downstream_targets.weights(
            STUDY, wildcards.task, wildcards.model, local_targets.run(STUDY, wildcards.task, wildcards.model)
        ),
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
        instances=local_targets.INSTANCES,
    output:
        local_targets.FEATURES,
    wildcard_constraints:
        task=any_of(STUDY.downstream.tasks),
        model=any_of({model for _, model in STUDY.downstream.measured}),
    group:
        device_group
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(60),
    script:
        "../scripts/embed_local_group_bias.py"


rule measure_local_group_bias:
    """Find clusters of texts in which two groups of regions are treated unequally (LOGAN), against chance."""
    input:
        regions=shared.REGIONS,
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
        instances=local_targets.INSTANCES,
        predictions=lambda wildcards: downstream_targets.predictions(
            STUDY, wildcards.task, wildcards.model, local_targets.run(STUDY, wildcards.task, wildcards.model)
        ),
        features=local_targets.FEATURES,
    output:
        numbers=local_targets.NUMBERS,
        clusters=local_targets.CLUSTERS,
    wildcard_constraints:
        task=any_of(STUDY.downstream.tasks),
        model=any_of({model for _, model in STUDY.downstream.measured}),
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        settings=STUDY.local_group_bias.model_dump(exclude={"pairs", "continents"}),
        seed=STUDY.seed,
    script:
        "../scripts/measure_local_group_bias.py"


rule table_local_group_bias:
    """Put the clusters in which groups are treated unequally into one table."""
    input:
        local_targets.of(local_targets.CLUSTERS, STUDY),
    output:
        **written("local_group_bias", **local_targets.TABLES),
    script:
        "../scripts/table_local_group_bias.py"


rule part_local_group_bias:
    """Write the part of the page on local group bias."""
    input:
        numbers=LOCAL_GROUP_BIAS.numbers,
        clusters=local_targets.of(local_targets.CLUSTERS, STUDY),
        regions=shared.REGIONS,
        prefixes=expand(downstream_targets.PREFIXES, task=STUDY.downstream.tasks),
    output:
        local_targets.FILES.part,
    params:
        texts=STUDY.downstream.planted,
        measured=STUDY.downstream.measured,
        planted=STUDY.strengths,
        has_sets=local_targets.has_sets(STUDY),
        settings=plain(STUDY.local_group_bias),
    script:
        "../scripts/part_local_group_bias.py"
