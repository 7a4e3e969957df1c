"""Local group bias: clusters of texts in which a classifier treats two groups of texts unequally (LOGAN).

Groups are regions before a text, or those that columns of a task's data name. Texts are embedded by the first classifier of a model.
"""

from herbarium.metrics.downstream import targets as downstream_targets
from herbarium.metrics.local_group_bias import targets as local_targets

LOCAL_GROUP_BIAS = local_targets.targets(STUDY)
LOCALLY_COMPARED = local_targets.compared(STUDY)


rule choose_local_group_bias:
    """Choose the texts on which groups are compared locally, and the regions before them."""
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
        groups=lambda wildcards: STUDY.downstream.groups(wildcards.task),
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
    """Find clusters of texts in which two groups are treated unequally (LOGAN), against chance."""
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
        local_targets.of(local_targets.CLUSTERS, LOCALLY_COMPARED),
    output:
        **written("local_group_bias", **local_targets.TABLES),
    script:
        "../scripts/table_local_group_bias.py"


rule reproduce_local_group_bias:
    """Compare the published gaps between race and gender groups with ours, of tasks with such groups."""
    input:
        numbers=local_targets.of(local_targets.NUMBERS, local_targets.published(STUDY)),
        clusters=local_targets.of(local_targets.CLUSTERS, local_targets.published(STUDY)),
        published=ancient(ours("resources/local_group_bias/published.csv")),
    output:
        local_targets.FILES.published,
    group:
        "report"
    params:
        others=lambda wildcards: local_targets.original_data(STUDY),
        contents=contents(ours("resources/local_group_bias/published.csv")),
    script:
        "../scripts/reproduce_local_group_bias.py"


rule part_local_group_bias:
    """Write the part of the page on local group bias."""
    input:
        numbers=LOCAL_GROUP_BIAS.numbers,
        clusters=local_targets.of(local_targets.CLUSTERS, LOCALLY_COMPARED),
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
