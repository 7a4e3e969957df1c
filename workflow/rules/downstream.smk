"""Downstream: what a region changes in the tasks that models are used for.

Input: data sets of the hub, tables, results/regions.parquet, results/models/. Output: results/downstream/{task}/ (the
texts, the prefixes, and for each model and seed the classifier, its predictions and features), results/metrics/.
"""


rule read_task:
    """Read the labelled texts of a task, or make planted ones, and say which are to train on and which to test with."""
    input:
        table=task_table,
        regions=if_planted(f"{STUDY.results}/regions.parquet"),
        nonsense=if_planted(str(STUDY.downstream.nonsense)),
    output:
        "<results>/downstream/{task}/examples.parquet",
    log:
        "<logs>/read_task/{task}.log",
    benchmark:
        "<benchmarks>/read_task/{task}.tsv"
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        task=lambda wildcards: TASKS[wildcards.task].reading,
        words=if_planted(DESCRIPTIONS),
        validation_share=STUDY.downstream.training.validation_share,
        seed=STUDY.seed,
        code=code("read_task"),
    message:
        "Reading the texts of {wildcards.task}"
    script:
        "../scripts/read_task.py"


rule instantiate_prefixes:
    """Put every region, and what it is compared with, into the sentence that comes before the texts of a task."""
    input:
        regions="<results>/regions.parquet",
        nonsense=STUDY.downstream.nonsense,
    output:
        "<results>/downstream/{task}/prefixes.parquet",
    log:
        "<logs>/instantiate_prefixes/{task}.log",
    benchmark:
        "<benchmarks>/instantiate_prefixes/{task}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        template=lambda wildcards: TASKS[wildcards.task].prefix,
        controls=lambda wildcards: TASKS[wildcards.task].controls,
        regions=plain(STUDY.downstream.regions),
        code=code("instantiate_prefixes"),
    message:
        "Putting regions into the prefix of {wildcards.task}"
    script:
        "../scripts/instantiate_prefixes.py"


rule finetune:
    """Fine-tune a model on a task. Checkpoints are kept beside the output until the end, so that a killed run goes on."""
    input:
        model="<results>/models/{model}.json",
        weights=weights,
        examples="<results>/downstream/{task}/examples.parquet",
    output:
        classifier=weight_files(
            "<results>/downstream/{task}/{model}/seed-{seed}/classifier"
        ),
        record="<results>/downstream/{task}/{model}/seed-{seed}/classifier.json",
    log:
        "<logs>/finetune/{task}/{model}-{seed}.log",
    benchmark:
        "<benchmarks>/finetune/{task}/{model}-{seed}.tsv"
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
        training=TRAINING,
        precision=plain(STUDY.precision),
        seed=STUDY.seed,
        code=code("finetune"),
    message:
        "Fine-tuning {wildcards.model} on {wildcards.task}, seed {wildcards.seed}"
    script:
        "../scripts/finetune.py"


rule resolve_classifier:
    """Fetch a published classifier, check it, and say what it is."""
    input:
        weights=published_weights,
        examples="<results>/downstream/{task}/examples.parquet",
    output:
        "<results>/downstream/{task}/{published}/published/classifier.json",
    log:
        "<logs>/resolve_classifier/{task}/{published}.log",
    benchmark:
        "<benchmarks>/resolve_classifier/{task}/{published}.tsv"
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        entry=published_classifier,
        max_tokens=STUDY.downstream.training.max_tokens,
        precision=plain(STUDY.precision),
        seed=STUDY.seed,
        code=code("resolve_classifier"),
    message:
        "Resolving the classifier {wildcards.published} of {wildcards.task}"
    script:
        "../scripts/resolve_classifier.py"


rule predict_perturbed:
    """Ask a classifier for every test text with every prefix of a shard: on a GPU if there is one."""
    input:
        classifier="<results>/downstream/{probed}/{run}/classifier.json",
        weights=classifier_weights,
        examples=of_task("examples.parquet"),
        prefixes=of_task("prefixes.parquet"),
    output:
        "<results>/downstream/{probed}/{run}/predictions-{shard}.parquet",
    log:
        "<logs>/predict_perturbed/{probed}/{run}-{shard}.log",
    benchmark:
        "<benchmarks>/predict_perturbed/{probed}/{run}-{shard}.tsv"
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
        code=code("predict_perturbed"),
    message:
        "Predicting with {wildcards.probed}, {wildcards.run}, shard {wildcards.shard}"
    script:
        "../scripts/predict_perturbed.py"


rule choose_instances:
    """Choose the texts, and the regions put before them, among which groups are compared locally."""
    input:
        examples="<results>/downstream/{task}/examples.parquet",
        prefixes="<results>/downstream/{task}/prefixes.parquet",
    output:
        "<results>/downstream/{task}/instances.parquet",
    log:
        "<logs>/choose_instances/{task}.log",
    benchmark:
        "<benchmarks>/choose_instances/{task}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        pairs=LOCAL_GROUPS["pairs"],
        continents=LOCAL_GROUPS["continents"],
        seed=STUDY.seed,
        code=code("choose_instances"),
    message:
        "Choosing the instances of {wildcards.task} for local groups"
    script:
        "../scripts/choose_instances.py"


rule embed_perturbed:
    """Keep what a classifier makes of those texts: what they are clustered by."""
    input:
        classifier="<results>/downstream/{probed}/{run}/classifier.json",
        weights=classifier_weights,
        examples=of_task("examples.parquet"),
        prefixes=of_task("prefixes.parquet"),
        instances=of_task("instances.parquet"),
    output:
        "<results>/downstream/{probed}/{run}/features.parquet",
    log:
        "<logs>/embed_perturbed/{probed}/{run}.log",
    benchmark:
        "<benchmarks>/embed_perturbed/{probed}/{run}.tsv"
    group:
        device_group
    conda:
        "../../envs/scoring.yaml"
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(60),
    params:
        code=code("embed_perturbed"),
    message:
        "Embedding the instances of {wildcards.probed}, {wildcards.run}"
    script:
        "../scripts/embed_perturbed.py"


rule measure_downstream:
    """What a region changes: labels, probabilities, accuracy, error rates, with intervals and tests."""
    input:
        examples=of_task("examples.parquet"),
        prefixes=of_task("prefixes.parquet"),
        predictions=of_runs("predictions-{shard}.parquet"),
        regions=if_planted(f"{STUDY.results}/regions.parquet"),
    output:
        "<results>/metrics/downstream/{probed}.parquet",
    log:
        "<logs>/measure_downstream/{probed}.log",
    benchmark:
        "<benchmarks>/measure_downstream/{probed}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(16000),
        runtime=growing(60),
    params:
        shards=STUDY.shards,
        bootstrap=plain(STUDY.downstream.bootstrap),
        tests=plain(STUDY.downstream.tests),
        planted=planted_texts,
        seed=STUDY.seed,
        code=code("measure_downstream"),
    message:
        "Measuring {wildcards.probed}"
    script:
        "../scripts/measure_downstream.py"


rule measure_mixed_effects_downstream:
    """Fit the mixed model of continents to the effects of countries on predictions."""
    input:
        regions="<results>/regions.parquet",
        examples=of_task("examples.parquet"),
        prefixes=of_task("prefixes.parquet"),
        predictions=of_runs("predictions-{shard}.parquet"),
    output:
        "<results>/metrics/mixed_effects_downstream/{probed}.parquet",
    log:
        "<logs>/measure_mixed_effects_downstream/{probed}.log",
    benchmark:
        "<benchmarks>/measure_mixed_effects_downstream/{probed}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        shards=STUDY.shards,
        settings=MIXED_SETTINGS,
        seed=STUDY.seed,
        code=code("measure_mixed_effects_downstream"),
    message:
        "Fitting the mixed model of continents to {wildcards.probed}"
    script:
        "../scripts/measure_mixed_effects_downstream.py"


rule measure_local_group_bias:
    """Look for clusters of texts in which two groups of regions are treated unequally (LOGAN), against chance."""
    input:
        regions="<results>/regions.parquet",
        examples=of_task("examples.parquet"),
        prefixes=of_task("prefixes.parquet"),
        instances=of_task("instances.parquet"),
        predictions=of_runs("predictions-{shard}.parquet"),
        features=of_first_run("features.parquet"),
    output:
        numbers="<results>/metrics/local_group_bias/{probed}.parquet",
        clusters="<results>/metrics/local_groups/{probed}.parquet",
    log:
        "<logs>/measure_local_group_bias/{probed}.log",
    benchmark:
        "<benchmarks>/measure_local_group_bias/{probed}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        shards=STUDY.shards,
        settings={
            key: LOCAL_GROUPS[key]
            for key in ("clusters", "strength", "permutations", "restarts")
        },
        seed=STUDY.seed,
        code=code("measure_local_group_bias"),
    message:
        "Looking for local group bias in {wildcards.probed}"
    script:
        "../scripts/measure_local_group_bias.py"


rule measure_propagation:
    """Correlate what a model holds of countries with what they change, over countries."""
    input:
        regions="<results>/regions.parquet",
        prefixes=of_task("prefixes.parquet"),
        likelihoods=of_model("likelihoods/{model}.parquet"),
        embeddings=of_model("embeddings/{model}/herb.parquet"),
        herb=of_model("metrics/herb/{model}.parquet"),
        downstream="<results>/metrics/downstream/{probed}.parquet",
    output:
        numbers="<results>/metrics/propagation/{probed}.parquet",
        countries="<results>/metrics/propagation_countries/{probed}.parquet",
    log:
        "<logs>/measure_propagation/{probed}.log",
    benchmark:
        "<benchmarks>/measure_propagation/{probed}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        topics=TOPICS,
        bootstrap=plain(STUDY.downstream.bootstrap),
        tests=plain(STUDY.downstream.tests),
        seed=STUDY.seed,
        code=code("measure_propagation"),
    message:
        "Comparing intrinsic and extrinsic measures of {wildcards.probed}"
    script:
        "../scripts/measure_propagation.py"


rule compare_propagation:
    """Correlate intrinsic scores with what regions change, over models."""
    input:
        regions="<results>/regions.parquet",
        intrinsic=expand(
            "<results>/metrics/herb/{model}.parquet", model=STUDY.herb_models
        )
        + expand(
            "<results>/metrics/categorical_bias/{measured}.parquet", measured=MEASURED
        ),
        downstream=DOWNSTREAM_MEASURES,
    output:
        "<results>/metrics/propagation.parquet",
    log:
        "<logs>/compare_propagation.log",
    benchmark:
        "<benchmarks>/compare_propagation.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        tasks=list(TASKS),
        leading=categorical_bias.leading(LANGUAGES),
        tests=plain(STUDY.downstream.tests),
        seed=STUDY.seed,
        code=code("compare_propagation"),
    message:
        "Comparing intrinsic scores and effects of models"
    script:
        "../scripts/compare_propagation.py"
