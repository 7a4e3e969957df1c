"""Tasks: what naming a region before a text changes in the predictions of fine-tuned classifiers.

Input: results/work/models/, results/work/regions.parquet, the texts of the tasks. Output: results/work/downstream/{task}/examples.parquet and
prefixes.parquet; results/work/downstream/{task}/{model}/{run}/, a classifier and its predictions, where a run is a training set or "published";
results/work/metrics/downstream/{task}/{model}.parquet, and results/work/items/downstream/, the items that its numbers average; and what every metric gives: figures, tables, its part of the page.
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


localrules:
    downstream,


rule read_downstream:
    """Read the labelled texts of a task, or make planted ones, and divide them into training and test texts."""
    input:
        regions=lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "regions"),
        nonsense=ancient(lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "nonsense")),
        words=ancient(lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "words")),
        table=lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "table"),
    output:
        # texts that were read elsewhere are compared with those that are read again
        update("<work>/downstream/{task}/examples.parquet"),
    wildcard_constraints:
        task=any_of(TASKS),
    conda:
        "../../envs/scoring.yaml"
    params:
        task=lambda wildcards: TASKS[wildcards.task].reading,
        said=lambda wildcards: said(*downstream_targets.planted_words(STUDY, wildcards.task)),
        validation_share=STUDY.downstream.training.validation_share,
        sets=STUDY.downstream.training.sets,
        seed=STUDY.seed,
    script:
        "../scripts/read_downstream.py"


rule instantiate_downstream:
    """Put every region and every control into the sentence that comes before the texts of a task."""
    input:
        regions="<work>/regions.parquet",
        nonsense=ancient(str(STUDY.downstream.nonsense)),
    output:
        "<work>/downstream/{task}/prefixes.parquet",
    wildcard_constraints:
        task=any_of(TASKS),
    group:
        "stimuli"
    params:
        said=said(STUDY.downstream.nonsense),
        template=lambda wildcards: TASKS[wildcards.task].prefix,
        controls=lambda wildcards: TASKS[wildcards.task].controls,
        regions=plain(STUDY.downstream.regions),
    script:
        "../scripts/instantiate_downstream.py"


rule finetune_downstream:
    """Fine-tune a model on a task. Checkpoints are kept next to the output until the end, so that a killed run continues."""
    input:
        model="<work>/models/{model}.json",
        weights=weights,
        examples="<work>/downstream/{task}/examples.parquet",
    output:
        classifier=weight_files("<work>/downstream/{task}/{model}/set-{set}/classifier"),
        record="<work>/downstream/{task}/{model}/set-{set}/classifier.json",
    wildcard_constraints:
        task=any_of(TASKS),
        set=r"\d+",
    group:
        device_group
    conda:
        "../../envs/scoring.yaml"
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
        examples="<work>/downstream/{task}/examples.parquet",
    output:
        "<work>/downstream/{task}/{model}/published/classifier.json",
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
        classifier="<work>/downstream/{task}/{model}/{run}/classifier.json",
        weights=lambda wildcards: downstream_targets.weights(STUDY, wildcards.task, wildcards.model, wildcards.run),
        examples="<work>/downstream/{task}/examples.parquet",
        prefixes="<work>/downstream/{task}/prefixes.parquet",
    output:
        "<work>/downstream/{task}/{model}/{run}/predictions-{shard}.parquet",
    wildcard_constraints:
        task=any_of(TASKS),
        model=ASKED,
    group:
        device_group
    conda:
        "../../envs/scoring.yaml"
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
        examples="<work>/downstream/{task}/examples.parquet",
        prefixes="<work>/downstream/{task}/prefixes.parquet",
    output:
        "<work>/estimate/downstream/{task}/{model}.parquet",
    wildcard_constraints:
        task=any_of(TASKS),
        model=any_of({model for of in (STUDY.models, *(task.classifiers for task in TASKS.values())) for model in of}),
    group:
        device_group
    conda:
        "../../envs/scoring.yaml"
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        shards=STUDY.shards,
        # None for a published classifier, which is not trained
        training=lambda wildcards: (
            None if wildcards.model in TASKS[wildcards.task].classifiers else plain(STUDY.downstream.training)
        ),
        max_tokens=STUDY.downstream.training.max_tokens,
        seed=STUDY.seed,
    script:
        "../scripts/sample_downstream.py"


rule measure_downstream:
    """Measure what naming a region changes: labels, probabilities, accuracy, error rates, with intervals and tests."""
    input:
        examples="<work>/downstream/{task}/examples.parquet",
        prefixes="<work>/downstream/{task}/prefixes.parquet",
        predictions=lambda wildcards: downstream_targets.all_predictions(STUDY, wildcards.task, wildcards.model),
        # the regions by which planted texts lean
        regions=lambda wildcards: downstream_targets.texts_of(STUDY, wildcards.task, "regions"),
    output:
        numbers="<work>/metrics/downstream/{task}/{model}.parquet",
        by_word="<work>/items/downstream/{task}/{model}.parquet",
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
        seed=STUDY.seed,
    script:
        "../scripts/measure_downstream.py"


rule compare_downstream:
    """Compare the effects of regions in a task, and its accuracy, before and after a change of a model."""
    input:
        examples="<work>/downstream/{task}/examples.parquet",
        prefixes="<work>/downstream/{task}/prefixes.parquet",
        predictions=lambda wildcards: [
            file
            for model in STUDY.downstream.of_models(wildcards.task)
            for file in downstream_targets.all_predictions(STUDY, wildcards.task, model)
        ],
        numbers=lambda wildcards: expand(
            f"{STUDY.work}/metrics/downstream/{{task}}/{{model}}.parquet",
            model=STUDY.downstream.of_models(wildcards.task),
            task=wildcards.task,
        ),
    output:
        "<work>/changes/downstream/{task}.parquet",
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
        prefixes=downstream_targets.of_tasks(STUDY.downstream, "prefixes.parquet"),
        published=ancient(ours("resources/downstream/published.csv")),
    output:
        **written("downstream", "Downstream tasks", **downstream_targets.TABLES),
        published="<work>/published/downstream.parquet",
    params:
        tasks=list(TASKS),
        others=compared(downstream_targets.original_data),
        said=said(ours("resources/downstream/published.csv")),
    script:
        "../scripts/table_downstream.py"


rule calibrate_downstream:
    """Compare what was measured on planted texts with what was planted in them."""
    input:
        DOWNSTREAM.numbers,
    output:
        "<work>/calibration/downstream.parquet",
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
        prefixes=downstream_targets.of_tasks(STUDY.downstream, "prefixes.parquet"),
        countries=ours("resources/maps/countries.geojson"),
        regions="<work>/regions.parquet",
    output:
        **drawn(
            "downstream",
            "Downstream tasks",
            **downstream_targets.figures(STUDY.downstream),
        ),
    params:
        measured=STUDY.downstream.measured,
        planted=STUDY.strengths,
        strengths=STUDY.downstream.planted,
        level=STUDY.downstream.bootstrap.level,
        seed=STUDY.seed,
    script:
        "../scripts/draw_downstream.py"


rule part_downstream:
    """Write the part of the page on tasks."""
    input:
        numbers=DOWNSTREAM.numbers,
        examples=downstream_targets.of_tasks(STUDY.downstream, "examples.parquet"),
        prefixes=downstream_targets.of_tasks(STUDY.downstream, "prefixes.parquet"),
        classifiers=downstream_targets.records(STUDY.downstream),
        regions="<work>/regions.parquet",
        table4="<results>/tables/downstream_table4.csv",
        table5="<results>/tables/downstream_table5.csv",
        figures=figure_files(*DOWNSTREAM.figures),
    output:
        "<work>/parts/downstream.json",
    params:
        settings=plain(STUDY.downstream),
    script:
        "../scripts/part_downstream.py"


rule downstream:
    """Measure what regions change in tasks: numbers and tables."""
    input:
        DOWNSTREAM.numbers,
        DOWNSTREAM.tables,
