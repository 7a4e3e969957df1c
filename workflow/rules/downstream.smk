"""Downstream tasks.

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
    conda:
        "../../envs/scoring.yaml"
    params:
        task=lambda wildcards: TASKS[wildcards.task].reading,
        words=if_planted(DESCRIPTIONS),
        validation_share=STUDY.downstream.training.validation_share,
        seed=STUDY.seed,
        code=code("read_task"),
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
    conda:
        "../../envs/analysis.yaml"
    params:
        template=lambda wildcards: TASKS[wildcards.task].prefix,
        controls=lambda wildcards: TASKS[wildcards.task].controls,
        regions=plain(STUDY.downstream.regions),
        code=code("instantiate_prefixes"),
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
    script:
        "../scripts/predict_perturbed.py"


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
    script:
        "../scripts/measure_mixed_effects_downstream.py"


rule table_downstream:
    """HERB's tables on tasks beside our numbers, and the clusters in which groups were treated unequally."""
    input:
        numbers=DOWNSTREAM_MEASURES,
        clusters=expand("<results>/metrics/local_groups/{probed}.parquet", probed=LOCAL),
        prefixes=TASK_PREFIXES,
        published="resources/published/herb.csv",
    output:
        **table_files(
            "downstream",
            table4="Changes of probabilities in tasks, as published and ours",
            table5="Changes of labels in tasks, as published and ours",
            local_groups="Clusters of texts in which groups are treated unequally",
        ),
    log:
        "<logs>/table_downstream.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        tasks=list(TASKS),
        code=code("table_downstream"),
    script:
        "../scripts/table_downstream.py"


rule figure_downstream_map:
    """World maps of what a country before a text changes in a task."""
    input:
        numbers=DOWNSTREAM_MEASURES,
        prefixes=TASK_PREFIXES,
        countries="resources/maps/countries.geojson",
    output:
        **figure_files("downstream", "map"),
    log:
        "<logs>/figure_downstream_map.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        tasks=list(TASKS),
        probed=PROBED,
        planted=PLANTED,
        code=code("figure_downstream_map"),
    script:
        "../scripts/figure_downstream_map.py"


rule figure_downstream_ranking:
    """Countries ranked by what they change in a task, beside names that mean nothing."""
    input:
        numbers=DOWNSTREAM_MEASURES,
        prefixes=TASK_PREFIXES,
    output:
        **figure_files("downstream", "ranking"),
    log:
        "<logs>/figure_downstream_ranking.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        tasks=list(TASKS),
        probed=PROBED,
        level=STUDY.downstream.bootstrap.level,
        planted=PLANTED,
        code=code("figure_downstream_ranking"),
    script:
        "../scripts/figure_downstream_ranking.py"


rule figure_downstream_planted:
    """What the texts of tasks were planted with against what is measured."""
    input:
        regions="<results>/regions.parquet",
        numbers=DOWNSTREAM_MEASURES,
        prefixes=TASK_PREFIXES,
    output:
        **figure_files("downstream", "planted"),
    log:
        "<logs>/figure_downstream_planted.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        probed=PROBED,
        strengths=PLANTED_TEXTS,
        level=STUDY.downstream.bootstrap.level,
        seed=STUDY.seed,
        planted=PLANTED,
        code=code("figure_downstream_planted"),
    script:
        "../scripts/figure_downstream_planted.py"
