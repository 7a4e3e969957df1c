"""Metrics: tidy numbers from scores.

Input: results/scores/, results/regions.parquet. Output: results/metrics/{metric}/{model}.parquet, results/summary.*.
"""


rule measure_herb:
    """HERB of every region of every level, with bootstrap intervals over descriptions."""
    input:
        regions="<results>/regions.parquet",
        descriptions=DESCRIPTIONS.values(),
        probe="<results>/probes/herb.parquet",
        scores="<results>/scores/{model}/herb.parquet",
    output:
        "<results>/metrics/herb/{model}.parquet",
    log:
        "<logs>/measure_herb/{model}.log",
    benchmark:
        "<benchmarks>/measure_herb/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        topics=list(DESCRIPTIONS),
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
        code=code("measure_herb"),
    message:
        "Measuring HERB of {wildcards.model}"
    script:
        "../scripts/measure_herb.py"


rule summarize:
    """Put every number of the study into one table."""
    input:
        expand("<results>/metrics/herb/{model}.parquet", model=STUDY.herb_models),
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
