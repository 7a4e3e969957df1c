"""Metrics: tidy numbers from scores.

Input: results/scores/, results/regions.parquet. Output: results/likelihoods/{model}.parquet,
results/metrics/{metric}/{model}.parquet, results/summary.*.
"""


rule assemble_herb:
    """Lay f(S) out by region and description, wording by wording."""
    input:
        regions="<results>/regions.parquet",
        names="<results>/names.parquet",
        probes=expand(
            "<results>/probes/{probe}/{shard}.parquet", probe=HERB_PROBES, shard=SHARDS
        ),
        scores=expand("<results>/scores/{{model}}/{probe}.parquet", probe=HERB_PROBES),
    output:
        "<results>/likelihoods/{model}.parquet",
    log:
        "<logs>/assemble_herb/{model}.log",
    benchmark:
        "<benchmarks>/assemble_herb/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=8000,
        runtime=30,
    params:
        wordings=WORDINGS,
        padded=list(PADDED),
        code=code("assemble_herb"),
    message:
        "Assembling the likelihoods of {wildcards.model}"
    script:
        "../scripts/assemble_herb.py"


rule measure_herb:
    """HERB of every region of every level, with bootstrap intervals over descriptions."""
    input:
        regions="<results>/regions.parquet",
        likelihoods="<results>/likelihoods/{model}.parquet",
    output:
        "<results>/metrics/herb/{model}.parquet",
    log:
        "<logs>/measure_herb/{model}.log",
    benchmark:
        "<benchmarks>/measure_herb/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 8
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        topics=TOPICS,
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
        code=code("measure_herb"),
    message:
        "Measuring HERB of {wildcards.model}"
    script:
        "../scripts/measure_herb.py"


rule ablate_herb:
    """HERB without each topic, without hierarchy, and with each departure of the released code."""
    input:
        regions="<results>/regions.parquet",
        likelihoods="<results>/likelihoods/{model}.parquet",
    output:
        "<results>/metrics/herb_ablations/{model}.parquet",
    log:
        "<logs>/ablate_herb/{model}.log",
    benchmark:
        "<benchmarks>/ablate_herb/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        topics=TOPICS,
        code=code("ablate_herb"),
    message:
        "Measuring what HERB of {wildcards.model} hangs on"
    script:
        "../scripts/ablate_herb.py"


rule summarize:
    """Put every number of the study into one table."""
    input:
        HERB_NUMBERS,
    output:
        parquet="<results>/summary.parquet",
        csv="<results>/summary.csv",
    log:
        "<logs>/summarize.log",
    benchmark:
        "<benchmarks>/summarize.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=4000,
        runtime=10,
    params:
        code=code("summarize"),
    message:
        "Summarizing every number"
    script:
        "../scripts/summarize.py"
