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
    threads: 8
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


rule ablate_herb:
    """HERB without each topic, without hierarchy, and with each departure of the released code."""
    input:
        regions="<results>/regions.parquet",
        descriptions=DESCRIPTIONS.values(),
        probe="<results>/probes/herb.parquet",
        scores="<results>/scores/{model}/herb.parquet",
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
        topics=list(DESCRIPTIONS),
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
