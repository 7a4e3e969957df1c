"""Bias amplification: whether groups of regions are further apart in predictions than in training, and decisions under constraint.

Input: the texts, prefixes, classifiers and predictions of tasks (results/work/downstream/). Output: results/work/downstream/{task}/{name}/, predictions
decided again within constraints; results/work/metrics/amplification/{task}/{model}.parquet, a comparison of the ways to decide in
amplification_methods/, and their iterations in amplification_iterations/; and what every metric gives: figures, a table, its part of the page.
"""

from herbarium.metrics.amplification import targets as amplification_targets
from herbarium.metrics.downstream import targets as downstream_targets

AMPLIFICATION = amplification_targets.targets(STUDY)
AMPLIFIED = amplification_targets.measured(STUDY)
AMPLIFICATION_STRUCTURED = STUDY.amplification.structured
AMPLIFICATION_GROUPS = STUDY.amplification.model_dump(include={"groups", "least_texts", "texts"})


localrules:
    amplification,


rule constrain_amplification:
    """Decide a classifier's predictions again, so that groups of regions keep their rates in training."""
    input:
        classifier=lambda wildcards: "{}/downstream/{}/{}/{}/classifier.json".format(
            STUDY.work, wildcards.task, STUDY.downstream.base(wildcards.task, wildcards.model), wildcards.run
        ),
        examples="<work>/downstream/{task}/examples.parquet",
        prefixes="<work>/downstream/{task}/prefixes.parquet",
        regions="<work>/regions.parquet",
        predictions=lambda wildcards: downstream_targets.predictions(
            STUDY, wildcards.task, STUDY.downstream.base(wildcards.task, wildcards.model), wildcards.run
        ),
    output:
        record="<work>/downstream/{task}/{model}/{run}/classifier.json",
        predictions=expand(
            "<work>/downstream/{{task}}/{{model}}/{{run}}/predictions-{shard}.parquet", shard=range(STUDY.shards)
        ),
    wildcard_constraints:
        task=any_of(STUDY.downstream.tasks),
        model=any_of({name for entry in STUDY.downstream.tasks.values() for name in entry.constrained}),
    resources:
        mem_mb=growing(16000),
        runtime=growing(60),
    params:
        by=lambda wildcards: plain(STUDY.downstream.tasks[wildcards.task].constrained[wildcards.model]),
        runs=lambda wildcards: STUDY.downstream.runs(wildcards.task, wildcards.model),
        seed=STUDY.seed,
    script:
        "../scripts/constrain_amplification.py"


rule measure_amplification:
    """Measure whether groups of regions are further apart in predictions than in training, and compare ways to decide within constraints."""
    input:
        examples="<work>/downstream/{task}/examples.parquet",
        prefixes="<work>/downstream/{task}/prefixes.parquet",
        regions="<work>/regions.parquet",
        predictions=lambda wildcards: downstream_targets.all_predictions(STUDY, wildcards.task, wildcards.model),
    output:
        numbers="<work>/metrics/amplification/{task}/{model}.parquet",
        by_method="<work>/metrics/amplification_methods/{task}/{model}.parquet",
        iterations="<work>/metrics/amplification_iterations/{task}/{model}.parquet",
    wildcard_constraints:
        task=any_of(STUDY.downstream.tasks),
        model=any_of({model for _, model in STUDY.downstream.measured}),
    resources:
        mem_mb=growing(16000),
        runtime=growing(120),
    params:
        groups=AMPLIFICATION_GROUPS,
        settings=STUDY.amplification.model_dump(include={"margin", "margins", "level", "correction"}),
        is_decided=lambda wildcards: (wildcards.task, wildcards.model) not in STUDY.downstream.asked,
        shards=STUDY.shards,
        seed=STUDY.seed,
    script:
        "../scripts/measure_amplification.py"


rule decide_amplification:
    """Decide structured outputs within constraints, with each algorithm."""
    input:
        lambda wildcards: AMPLIFICATION_STRUCTURED[wildcards.name].files,
    output:
        numbers="<work>/metrics/amplification_structured/{name}.parquet",
        iterations="<work>/metrics/amplification_structured_iterations/{name}.parquet",
    wildcard_constraints:
        name=any_of(AMPLIFICATION_STRUCTURED),
    resources:
        mem_mb=growing(16000),
        runtime=growing(120),
    params:
        entry=lambda wildcards: plain(AMPLIFICATION_STRUCTURED[wildcards.name]),
        margin=STUDY.amplification.margin,
        least=STUDY.amplification.least_texts,
        seed=STUDY.seed,
    script:
        "../scripts/decide_amplification.py"


rule compare_amplification:
    """Compare amplification and accuracy before and after a change of a model, or with and without constraints."""
    input:
        examples="<work>/downstream/{task}/examples.parquet",
        prefixes="<work>/downstream/{task}/prefixes.parquet",
        regions="<work>/regions.parquet",
        predictions=lambda wildcards: [
            file
            for model in STUDY.downstream.of_models(wildcards.task)
            for file in downstream_targets.all_predictions(STUDY, wildcards.task, model)
        ],
        numbers=lambda wildcards: expand(
            f"{STUDY.work}/metrics/amplification/{{task}}/{{model}}.parquet",
            model=STUDY.downstream.of_models(wildcards.task),
            task=wildcards.task,
        ),
    output:
        "<work>/changes/amplification/{task}.parquet",
    wildcard_constraints:
        task=any_of(STUDY.downstream.tasks),
    params:
        compared=lambda wildcards: STUDY.downstream.compared(wildcards.task, STUDY),
        models=lambda wildcards: STUDY.downstream.of_models(wildcards.task),
        groups=AMPLIFICATION_GROUPS,
        shards=STUDY.shards,
    script:
        "../scripts/compare_amplification.py"


rule table_amplification:
    """Lay out the comparison of ways to decide within constraints."""
    input:
        by_method=amplification_targets.of("amplification_methods", AMPLIFIED),
        structured=amplification_targets.structured("amplification_structured", STUDY),
    output:
        **written("amplification", "Bias amplification", **amplification_targets.TABLES),
    script:
        "../scripts/table_amplification.py"


rule reproduce_amplification:
    """Compare the published amplification with what the authors' own tables of rates give. It is Table 5.2 of the thesis."""
    input:
        words=ancient([str(of.table) for of in STUDY.amplification.ratios.values()]),
        published=ancient(ours("resources/amplification/published.csv")),
    output:
        "<work>/published/amplification.parquet",
    group:
        "report"
    params:
        names=list(STUDY.amplification.ratios),
        others=lambda wildcards: amplification_targets.original_data(STUDY),
        said=said(
            ours("resources/amplification/published.csv"), *(of.table for of in STUDY.amplification.ratios.values())
        ),
    script:
        "../scripts/reproduce_amplification.py"


rule calibrate_amplification:
    """Compare amplification in planted texts with what a classifier that knows the plan would show."""
    input:
        numbers=AMPLIFICATION.numbers,
        examples=[f"<work>/downstream/{task}/examples.parquet" for task in amplification_targets.planted(STUDY)],
        regions="<work>/regions.parquet",
        words=ancient([str(path) for path in STUDY.downstream.words]),
    output:
        "<work>/calibration/amplification.parquet",
    group:
        "report"
    params:
        planted=amplification_targets.planted(STUDY),
        groups=STUDY.amplification.groups,
        said=said(*STUDY.downstream.words),
        seed=STUDY.seed,
    script:
        "../scripts/calibrate_amplification.py"


rule draw_amplification:
    """Draw rates in predictions against rates in training, iterations of algorithms, and what margins cost."""
    input:
        numbers=AMPLIFICATION.numbers,
        by_method=amplification_targets.of("amplification_methods", AMPLIFIED),
        iterations=[
            *amplification_targets.of("amplification_iterations", AMPLIFIED),
            *amplification_targets.structured("amplification_structured_iterations", STUDY),
        ],
        regions="<work>/regions.parquet",
    output:
        **drawn("amplification", "Bias amplification", **amplification_targets.FIGURES),
    params:
        measured=AMPLIFIED,
        structured=list(AMPLIFICATION_STRUCTURED),
        planted=STUDY.strengths,
        strengths=STUDY.downstream.planted,
        margin=STUDY.amplification.margin,
    script:
        "../scripts/draw_amplification.py"


rule part_amplification:
    """Write the part of the page on bias amplification."""
    input:
        numbers=AMPLIFICATION.numbers,
        by_method=amplification_targets.of("amplification_methods", AMPLIFIED),
        structured=amplification_targets.structured("amplification_structured", STUDY),
        regions="<work>/regions.parquet",
        figures=figure_files(*AMPLIFICATION.figures),
    output:
        "<work>/parts/amplification.json",
    params:
        texts=STUDY.downstream.planted,
        measured=AMPLIFIED,
        planted=STUDY.strengths,
        settings=plain(STUDY.amplification),
    script:
        "../scripts/part_amplification.py"


rule amplification:
    """Measure bias amplification: its numbers and table."""
    input:
        AMPLIFICATION.numbers,
        AMPLIFICATION.tables,
