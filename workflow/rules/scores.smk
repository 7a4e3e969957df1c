"""Scores: the answers of each shard, gathered into the cache of f(S).

Input: results/models/{model}.json, results/plans/. Output: results/scores/{model}/{probe}.parquet, and
results/models/{model}/{probe}.json: the model's record with what was measured before it scored the probe. Beside them,
results/passes/{model}/{probe}.json: how many tokens a pass takes, which is measured by time and changes no number.
Models of the testbed are not measured so: they score as results/models/{model}.json says. And
results/embeddings/{model}/herb.parquet: what the model makes of the names of countries.
"""


rule tune_scoring:
    """Measure on sentences of the probe which number format, and how many tokens a pass, suit model and device."""
    input:
        model="<results>/models/{model}.json",
        weights=weights,
        # a sample of the sentences as they first were: a new word must not run a model again on all others
        probe=ancient(shards("probes/{probe}/{shard}.parquet")),
    output:
        model="<results>/models/{model}/{probe}.json",
        passes="<results>/passes/{model}/{probe}.json",
    log:
        "<logs>/tune_scoring/{model}/{probe}.log",
    benchmark:
        "<benchmarks>/tune_scoring/{model}/{probe}.tsv"
    group:
        device_group
    conda:
        "../../envs/scoring.yaml"
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(30),
    params:
        precision=plain(STUDY.precision),
        seed=STUDY.seed,
        code=code("tune_scoring"),
    message:
        "Tuning the scoring of {wildcards.probe} with {wildcards.model}"
    script:
        "../scripts/tune_scoring.py"


rule score_shard:
    """Run those inputs of one shard that it has no answers to through the model: on a GPU if there is one."""
    input:
        model=lambda wildcards: scoring_record(wildcards.model, wildcards.probe),
        passes=lambda wildcards: passes(wildcards.model, wildcards.probe),
        weights=weights,
        inputs="<results>/plans/{model}/{probe}/inputs-{shard}.parquet",
        requests="<results>/plans/{model}/{probe}/requests-{shard}.parquet",
    output:
        update("<results>/scores/{model}/{probe}/shard-{shard}.parquet"),
    log:
        "<logs>/score_shard/{model}/{probe}-{shard}.log",
    benchmark:
        "<benchmarks>/score_shard/{model}/{probe}-{shard}.tsv"
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
        code=code("score_shard"),
    message:
        "Scoring {wildcards.probe} with {wildcards.model}, shard {wildcards.shard}"
    script:
        "../scripts/score_shard.py"


rule gather_scores:
    """Combine the answers of all shards into one value a sentence."""
    input:
        inputs=shards("plans/{model}/{probe}/inputs-{shard}.parquet"),
        requests=shards("plans/{model}/{probe}/requests-{shard}.parquet"),
        sentences=shards("plans/{model}/{probe}/sentences-{shard}.parquet"),
        answers=shards("scores/{model}/{probe}/shard-{shard}.parquet"),
    output:
        "<results>/scores/{model}/{probe}.parquet",
    log:
        "<logs>/gather_scores/{model}/{probe}.log",
    benchmark:
        "<benchmarks>/gather_scores/{model}/{probe}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        code=code("gather_scores"),
    message:
        "Gathering the scores of {wildcards.probe} with {wildcards.model}"
    script:
        "../scripts/gather_scores.py"


rule embed_regions:
    """Run the bare name of each country through the model, and keep what it makes of it."""
    input:
        model="<results>/models/{model}.json",
        weights=weights,
        regions="<results>/regions.parquet",
    output:
        "<results>/embeddings/{model}/herb.parquet",
    log:
        "<logs>/embed_regions/{model}.log",
    benchmark:
        "<benchmarks>/embed_regions/{model}.tsv"
    group:
        device_group
    conda:
        "../../envs/scoring.yaml"
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(30),
    params:
        code=code("embed_regions"),
    message:
        "Embedding the names of countries with {wildcards.model}"
    script:
        "../scripts/embed_regions.py"
