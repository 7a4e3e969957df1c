"""Plans: the unique inputs that a model needs for a shard's sentences.

Input: results/models/, results/probes/. Output: results/plans/{model}/{probe}/.
"""


rule plan_scoring:
    """Tokenize a shard's sentences, find the unique inputs and the requests on them."""
    input:
        model="<results>/models/{model}.json",
        weights=weights,
        probe="<results>/probes/{probe}/{shard}.parquet",
    output:
        inputs="<results>/plans/{model}/{probe}/inputs-{shard}.parquet",
        requests="<results>/plans/{model}/{probe}/requests-{shard}.parquet",
        sentences="<results>/plans/{model}/{probe}/sentences-{shard}.parquet",
    log:
        "<logs>/plan_scoring/{model}/{probe}-{shard}.log",
    benchmark:
        "<benchmarks>/plan_scoring/{model}/{probe}-{shard}.tsv"
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        code=code("plan_scoring"),
    message:
        "Planning the scoring of {wildcards.probe} with {wildcards.model}, shard {wildcards.shard}"
    script:
        "../scripts/plan_scoring.py"
