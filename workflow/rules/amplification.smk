"""Bias amplification: whether groups of texts are further apart in predictions than in training, and decisions under constraint."""

from herbarium.metrics.amplification import targets as amplification_targets
from herbarium.metrics.downstream import targets as downstream_targets

with told_plainly():
    amplification_targets.require_groups(STUDY)
AMPLIFICATION = amplification_targets.targets(STUDY)
AMPLIFIED = amplification_targets.measured(STUDY)
AMPLIFICATION_STRUCTURED = STUDY.amplification.structured
AMPLIFICATION_GROUPS = STUDY.amplification.model_dump(include={"groups", "least_texts", "texts"})


rule constrain_amplification:
    """Decide a classifier's predictions again, so that groups keep their rates in training."""
    input:
        classifier=lambda wildcards: real_path(
            downstream_targets.RECORD, model=STUDY.downstream.base(wildcards.task, wildcards.model)
        ),
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
        regions=shared.REGIONS,
        predictions=lambda wildcards: downstream_targets.predictions(
            STUDY, wildcards.task, STUDY.downstream.base(wildcards.task, wildcards.model), wildcards.run
        ),
    output:
        record=downstream_targets.RECORD,
        predictions=expand(downstream_targets.PREDICTIONS, shard=range(STUDY.shards), allow_missing=True),
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
    """Measure whether groups of texts are further apart in predictions than in training, and compare ways to decide within constraints."""
    input:
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
        regions=shared.REGIONS,
        predictions=lambda wildcards: downstream_targets.all_predictions(STUDY, wildcards.task, wildcards.model),
    output:
        numbers=amplification_targets.NUMBERS,
        by_method=amplification_targets.BY_METHOD,
        iterations=amplification_targets.ITERATIONS,
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
        numbers=amplification_targets.STRUCTURED,
        iterations=amplification_targets.STRUCTURED_ITERATIONS,
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
        examples=downstream_targets.EXAMPLES,
        prefixes=downstream_targets.PREFIXES,
        regions=shared.REGIONS,
        predictions=lambda wildcards: [
            file
            for model in STUDY.downstream.of_models(wildcards.task)
            for file in downstream_targets.all_predictions(STUDY, wildcards.task, model)
        ],
        numbers=lambda wildcards: real_paths(
            amplification_targets.NUMBERS, model=STUDY.downstream.of_models(wildcards.task)
        ),
    output:
        amplification_targets.CHANGES,
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
        by_method=amplification_targets.of(amplification_targets.BY_METHOD, AMPLIFIED),
        structured=expand(amplification_targets.STRUCTURED, name=AMPLIFICATION_STRUCTURED),
    output:
        **written("amplification", **amplification_targets.TABLES),
    script:
        "../scripts/table_amplification.py"


rule reproduce_amplification:
    """Compare the published amplification with what tables of rates and potentials give. It is in Chapter 5 of the thesis."""
    input:
        structured=expand(amplification_targets.STRUCTURED, name=AMPLIFICATION_STRUCTURED),
        published=ancient(
            [
                ours("resources/amplification/published.csv"),
                *(str(ratios.table) for ratios in STUDY.amplification.ratios.values()),
            ]
        ),
    output:
        amplification_targets.FILES.published,
    group:
        "report"
    params:
        names=list(STUDY.amplification.ratios),
        others=lambda wildcards: amplification_targets.original_data(STUDY),
        contents=contents(
            ours("resources/amplification/published.csv"),
            *(ratios.table for ratios in STUDY.amplification.ratios.values()),
        ),
    script:
        "../scripts/reproduce_amplification.py"


rule calibrate_amplification:
    """Compare amplification in planted texts with what a classifier that knows the plan would show."""
    input:
        numbers=AMPLIFICATION.numbers,
        examples=expand(downstream_targets.EXAMPLES, task=amplification_targets.planted(STUDY)),
        regions=shared.REGIONS,
    output:
        amplification_targets.FILES.calibration,
    group:
        "report"
    params:
        planted=amplification_targets.planted(STUDY),
        groups=STUDY.amplification.groups,
        seed=STUDY.seed,
    script:
        "../scripts/calibrate_amplification.py"


rule draw_amplification:
    """Draw rates in predictions against rates in training, iterations of algorithms, and what margins cost."""
    input:
        numbers=AMPLIFICATION.numbers,
        by_method=amplification_targets.of(amplification_targets.BY_METHOD, AMPLIFIED),
        iterations=[
            *amplification_targets.of(amplification_targets.ITERATIONS, AMPLIFIED),
            *expand(amplification_targets.STRUCTURED_ITERATIONS, name=AMPLIFICATION_STRUCTURED),
        ],
        regions=shared.REGIONS,
    output:
        **drawn("amplification", **amplification_targets.FIGURES),
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
        by_method=amplification_targets.of(amplification_targets.BY_METHOD, AMPLIFIED),
        structured=expand(amplification_targets.STRUCTURED, name=AMPLIFICATION_STRUCTURED),
        regions=shared.REGIONS,
        figures=figure_files(*AMPLIFICATION.figures),
    output:
        amplification_targets.FILES.part,
    params:
        texts=STUDY.downstream.planted,
        measured=AMPLIFIED,
        planted=STUDY.strengths,
        settings=plain(STUDY.amplification),
    script:
        "../scripts/part_amplification.py"
