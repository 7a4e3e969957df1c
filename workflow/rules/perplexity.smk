"""Pseudo-perplexity: how well a model predicts texts that it has not learned from.

Input: results/corpora/, results/scores/{model}/perplexity/. Output: results/stimuli/perplexity/{corpus}/,
results/metrics/perplexity/{model}/{corpus}.parquet, results/changes/perplexity/; its part of the page.
"""

from herbarium.metrics.perplexity import targets as perplexity_targets

PERPLEXITY = perplexity_targets.targets(STUDY)


rule instantiate_perplexity:
    """Take held-out texts of a corpus, which no model has learned from."""
    input:
        "<results>/corpora/{corpus}.parquet",
    output:
        "<results>/stimuli/perplexity/{corpus}/0.parquet",
    log:
        "<logs>/instantiate_perplexity/{corpus}.log",
    wildcard_constraints:
        corpus=any_of(STUDY.perplexity.texts),
    conda:
        "../../envs/analysis.yaml"
    params:
        max_texts=STUDY.perplexity.max_texts,
        max_words=STUDY.perplexity.max_words,
        code=code("instantiate_perplexity"),
    script:
        "../scripts/instantiate_perplexity.py"


rule measure_perplexity:
    """Measure how well a model predicts held-out texts."""
    input:
        "<results>/scores/{model}/perplexity/{corpus}.parquet",
    output:
        "<results>/metrics/perplexity/{model}/{corpus}.parquet",
    log:
        "<logs>/measure_perplexity/{model}-{corpus}.log",
    wildcard_constraints:
        corpus=any_of(STUDY.perplexity.texts),
    group:
        "metrics"
    conda:
        "../../envs/analysis.yaml"
    params:
        level=STUDY.perplexity.level,
        code=code("measure_perplexity"),
    script:
        "../scripts/measure_perplexity.py"


rule compare_perplexity:
    """Compare pseudo-perplexity before and after a change of a model."""
    input:
        expand("<results>/scores/{model}/perplexity/{{corpus}}.parquet", model=sorted(STUDY.perplexity.models)),
    output:
        "<results>/changes/perplexity/{corpus}.parquet",
    log:
        "<logs>/compare_perplexity/{corpus}.log",
    wildcard_constraints:
        corpus=any_of(STUDY.perplexity.texts),
    group:
        "report"
    conda:
        "../../envs/analysis.yaml"
    params:
        compared=STUDY.compared(STUDY.perplexity.models),
        models=sorted(STUDY.perplexity.models),
        level=STUDY.perplexity.level,
        worst_ratio=STUDY.perplexity.worst_ratio,
        code=code("compare_perplexity"),
    script:
        "../scripts/compare_perplexity.py"


rule part_perplexity:
    """Write the part of the page on pseudo-perplexity."""
    input:
        numbers=PERPLEXITY.numbers,
        models=[
            scoring_record(model, f"perplexity/{corpus}")
            for corpus in STUDY.perplexity.texts
            for model in STUDY.perplexity.models
        ],
    output:
        "<results>/parts/perplexity.json",
    log:
        "<logs>/part_perplexity.log",
    group:
        "report"
    conda:
        "../../envs/analysis.yaml"
    params:
        level=STUDY.perplexity.level,
        max_words=STUDY.perplexity.max_words,
        code=code("part_perplexity"),
    script:
        "../scripts/part_perplexity.py"


localrules:
    perplexity,


rule perplexity:
    """Measure pseudo-perplexity: its numbers."""
    input:
        PERPLEXITY.numbers,
