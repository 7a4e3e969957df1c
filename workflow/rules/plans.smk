"""Plans: the unique inputs that a model needs for a probe's sentences, cut into shards of equal cost.

Input: results/models/, results/probes/. Output: results/plans/{model}/{probe}/.
"""


rule plan_scoring:
    """Tokenize a probe's sentences, find the unique inputs and the requests on them."""
    input:
        model="<results>/models/{model}.json",
        weights=weights,
        probe="<results>/probes/{probe}.parquet",
    output:
        inputs=expand(
            "<results>/plans/{{model}}/{{probe}}/inputs-{shard}.parquet", shard=SHARDS
        ),
        requests=expand(
            "<results>/plans/{{model}}/{{probe}}/requests-{shard}.parquet",
            shard=SHARDS,
        ),
        sentences="<results>/plans/{model}/{probe}/sentences.parquet",
    log:
        "<logs>/plan_scoring/{model}/{probe}.log",
    benchmark:
        "<benchmarks>/plan_scoring/{model}/{probe}.tsv"
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        code=code("plan_scoring"),
    message:
        "Planning the scoring of {wildcards.probe} with {wildcards.model}"
    script:
        "../scripts/plan_scoring.py"
