"""Local group bias.

"""


rule choose_instances:
    """Choose the texts, and the regions put before them, among which groups are compared locally."""
    input:
        examples="<results>/downstream/{task}/examples.parquet",
        prefixes="<results>/downstream/{task}/prefixes.parquet",
    output:
        "<results>/downstream/{task}/instances.parquet",
    log:
        "<logs>/choose_instances/{task}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        pairs=LOCAL_GROUPS["pairs"],
        continents=LOCAL_GROUPS["continents"],
        seed=STUDY.seed,
        code=code("choose_instances"),
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
    script:
        "../scripts/embed_perturbed.py"


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
    script:
        "../scripts/measure_local_group_bias.py"
