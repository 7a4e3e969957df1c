"""Tasks: what naming a region before a text changes in the predictions of fine-tuned classifiers.

A run of a classifier is a training set, or "published".
"""

from herbarium.metrics.downstream import targets as downstream_targets

with told_plainly():
    downstream_targets.require_files(STUDY.downstream)
DOWNSTREAM = downstream_targets.targets(STUDY)
TASKS = STUDY.downstream.tasks
# What predicts in a task: models that are fine-tuned, and published classifiers.
ASKED = any_of({model for _, model in STUDY.downstream.asked})
# In addition, their predictions decided again within constraints.
SAYING = any_of({model for _, model in STUDY.downstream.measured})


rule read_downstream:
    """Read the labelled texts of a task, or make planted ones, and divide them into training and test texts."""
    input:
        regions=lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "regions"),
        nonsense=ancient(lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "nonsense")),
        words=ancient(lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "words")),
        table=lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "table"),
    output:
        # texts that were read elsewhere are compared with those that are read again
        update(downstream_targets.EXAMPLES),
    wildcard_constraints:
        task=any_of(TASKS),
    conda:
        "../../envs/scoring.yaml"
    params:
        task=lambda wildcards: TASKS[wildcards.task].reading,
        contents=lambda wildcards: contents(*downstream_targets.planted_words(STUDY, wildcards.task)),
        validation_share=STUDY.downstream.training.validation_share,
        sets=lambda wildcards: STUDY.downstream.trained(wildcards.task).sets,
        seed=STUDY.seed,
    script:
        "../scripts/read_downstream.py"


rule instantiate_downstream:
    """Put every region and every control into the sentence that comes before the texts of a task."""
    input:
        regions=shared.REGIONS,
        nonsense=ancient(str(STUDY.downstream.nonsense)),
    output:
        downstream_targets.PREFIXES,
    wildcard_constraints:
        task=any_of(TASKS),
    group:
        "stimuli"
    params:
        contents=contents(STUDY.downstream.nonsense),
        template=lambda wildcards: TASKS[wildcards.task].prefix,
        controls=lambda wildcards: TASKS[wildcards.task].controls,
        regions=plain(STUDY.downstream.regions),
    script:
        "../scripts/instantiate_downstream.py"


rule finetune_downstream:
    """Fine-tune a model on a task. Checkpoints are kept next to the output until the end, so that a killed run continues."""
    input:
        model=shared.MODEL,
        weights=weights,
        examples=downstream_targets.EXAMPLES,
    output:
        classifier=weight_files(filled(downstream_targets.CLASSIFIER, run="set-{set}")),
        record=filled(downstream_targets.RECORD, run="set-{set}"),
    wildcard_constraints:
        task=any_of(TASKS),
        set=r"\d+",
    group:
        device_group
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(480),
    params:
        # what a classifier depends on in addition to its texts
        training=STUDY.downstream.training.model_dump(exclude={"sets", "validation_share"}),
        precision=plain(STUDY.precision),
        seed=STUDY.seed,
    script:
        "../scripts/finetune_downstream.py"


rule resolve_downstream:
    """Fetch a published classifier, check it, and record what it is."""
    input:
        weights=lambda wildcards: downstream_targets.published_weights(
            STUDY.downstream, wildcards.task, wildcards.model
        ),
        examples=downstream_targets.EXAMPLES,
    output:
        filled(downstream_targets.RECORD, run="published"),
    wildcard_constraints:
        task=any_of(TASKS),
        model=ASKED,
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        entry=lambda wildcards: plain(TASKS[wildcards.task].classifiers[wildcards.model]),
        max_tokens=STUDY.downstream.training.max_tokens,
        precision=plain(STUDY.precision),
        seed=STUDY.seed,
    script:
        "../scripts/resolve_downstream.py"


rule predict_downstream:
    """Classify every test text with every prefix of a shard, on a GPU if there is one."""
    input:
        classifier=downstream_targets.RECORD,
        weights=lambda wildcards: downstream_targets.weights(STUDY, wildcards.task, wildcards.model, wildcards.run),
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
    output:
        downstream_targets.PREDICTIONS,
    wildcard_constraints:
        task=any_of(TASKS),
        model=ASKED,
    group:
        device_group
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(240),
    params:
        shards=STUDY.shards,
    script:
        "../scripts/predict_downstream.py"


rule sample_downstream:
    """Train and predict on a sample of a task's texts for some seconds, and estimate what all of it will take."""
    input:
        # models of the testbed are not trained for it, and so not timed
        model=lambda wildcards: (
            downstream_targets.begun_from(STUDY, wildcards.task, wildcards.model) if gpus(wildcards) else []
        ),
        weights=lambda wildcards: (
            downstream_targets.published_weights(STUDY.downstream, wildcards.task, wildcards.model)
            if wildcards.model in TASKS[wildcards.task].classifiers
            else weights(wildcards) if gpus(wildcards) else []
        ),
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
    output:
        downstream_targets.SAMPLE,
    wildcard_constraints:
        task=any_of(TASKS),
        model=any_of({*STUDY.models, *(name for task in TASKS.values() for name in task.classifiers)}),
    group:
        device_group
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        shards=STUDY.shards,
        # None for a published classifier, which is not trained
        training=lambda wildcards: (
            None
            if wildcards.model in TASKS[wildcards.task].classifiers
            else plain(STUDY.downstream.trained(wildcards.task))
        ),
        max_tokens=STUDY.downstream.training.max_tokens,
        seed=STUDY.seed,
    script:
        "../scripts/sample_downstream.py"


rule measure_downstream:
    """Measure what naming a region changes, and how far groups of texts are apart: labels, probabilities, accuracy, error rates, with intervals and tests."""
    input:
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
        predictions=lambda wildcards: downstream_targets.all_predictions(STUDY, wildcards.task, wildcards.model),
        # the regions by which planted texts lean
        regions=lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "regions"),
    output:
        numbers=downstream_targets.NUMBERS,
        by_word=downstream_targets.ITEMS,
    wildcard_constraints:
        task=any_of(TASKS),
        model=SAYING,
    resources:
        mem_mb=growing(16000),
        runtime=growing(60),
    params:
        shards=STUDY.shards,
        bootstrap=plain(STUDY.downstream.bootstrap),
        tests=plain(STUDY.downstream.tests),
        planted=lambda wildcards: STUDY.downstream.planted[wildcards.task],
        groups=lambda wildcards: STUDY.downstream.groups(wildcards.task),
        seed=STUDY.seed,
    script:
        "../scripts/measure_downstream.py"


rule compare_downstream:
    """Compare the effects of regions in a task, and its accuracy, before and after a change of a model."""
    input:
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
        predictions=lambda wildcards: [
            file
            for model in STUDY.downstream.of_models(wildcards.task)
            for file in downstream_targets.all_predictions(STUDY, wildcards.task, model)
        ],
        numbers=lambda wildcards: real_paths(
            downstream_targets.NUMBERS, model=STUDY.downstream.of_models(wildcards.task)
        ),
    output:
        downstream_targets.CHANGES,
    wildcard_constraints:
        task=any_of(TASKS),
    params:
        compared=lambda wildcards: STUDY.downstream.compared(wildcards.task, STUDY),
        models=lambda wildcards: STUDY.downstream.of_models(wildcards.task),
        shards=STUDY.shards,
    script:
        "../scripts/compare_downstream.py"


rule table_downstream:
    """Compare HERB's published tables on tasks with our numbers."""
    input:
        numbers=DOWNSTREAM.numbers,
        prefixes=expand(downstream_targets.PREFIXES, task=TASKS),
        published=ancient(ours("resources/downstream/published.csv")),
    output:
        **written("downstream", **downstream_targets.TABLES),
        published=downstream_targets.FILES.published,
    params:
        tasks=list(TASKS),
        others=compared(downstream_targets.original_data),
        contents=contents(ours("resources/downstream/published.csv")),
    script:
        "../scripts/table_downstream.py"


rule calibrate_downstream:
    """Compare what was measured on planted texts with what was planted in them."""
    input:
        DOWNSTREAM.numbers,
    output:
        downstream_targets.FILES.calibration,
    group:
        "report"
    params:
        planted=STUDY.downstream.planted,
    script:
        "../scripts/calibrate_downstream.py"


rule draw_downstream:
    """Plot what naming a country before a text changes: maps, rankings, and measured against planted effects."""
    input:
        numbers=DOWNSTREAM.numbers,
        prefixes=expand(downstream_targets.PREFIXES, task=TASKS),
        countries=ours("resources/maps/countries.geojson"),
        regions=shared.REGIONS,
    output:
        **drawn("downstream", **downstream_targets.figures(STUDY.downstream)),
    params:
        measured=STUDY.downstream.measured,
        planted=STUDY.strengths,
        strengths=STUDY.downstream.planted,
        seed=STUDY.seed,
    script:
        "../scripts/draw_downstream.py"


rule part_downstream:
    """Write the part of the page on tasks."""
    input:
        numbers=DOWNSTREAM.numbers,
        examples=expand(downstream_targets.EXAMPLES, task=TASKS),
        prefixes=expand(downstream_targets.PREFIXES, task=TASKS),
        classifiers=downstream_targets.records(STUDY.downstream),
        regions=shared.REGIONS,
        table4=downstream_targets.FILES.table("table4"),
        table5=downstream_targets.FILES.table("table5"),
        figures=figure_files(*DOWNSTREAM.figures),
    output:
        downstream_targets.FILES.part,
    params:
        settings=plain(STUDY.downstream),
    script:
        "../scripts/part_downstream.py"
