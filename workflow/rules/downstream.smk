"""Downstream: what a region changes in the tasks that models are used for.

Input: data sets of the hub, tables, the regions. Output: results/downstream/{task}/: examples.parquet, prefixes.parquet.
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
        mem_mb=4000,
        runtime=30,
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
        mem_mb=2000,
        runtime=10,
    params:
        template=lambda wildcards: TASKS[wildcards.task].prefix,
        controls=lambda wildcards: TASKS[wildcards.task].controls,
        regions=plain(STUDY.downstream.regions),
        code=code("instantiate_prefixes"),
    message:
        "Putting regions into the prefix of {wildcards.task}"
    script:
        "../scripts/instantiate_prefixes.py"
