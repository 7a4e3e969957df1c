"""Regions in context: how naming a region changes the vectors of other words, and whether words lean towards the regions of their stereotypes."""

from herbarium.metrics.regions_in_context import stimuli as regions_in_context_stimuli
from herbarium.metrics.regions_in_context import targets as regions_in_context_targets

with told_plainly():
    REGIONS_IN_CONTEXT = regions_in_context_targets.targets(STUDY)
REGIONS_IN_CONTEXT_SETS = STUDY.regions_in_context.sets
REGIONS_IN_CONTEXT_MODELS = {source: MODEL_OF[source] for source, _ in STUDY.regions_in_context.measured}


rule instantiate_regions_in_context:
    """List the places in sentences on regions whose vectors are needed."""
    input:
        regions=shared.REGIONS,
        lists=ancient(lambda wildcards: regions_in_context_targets.lists_of(REGIONS_IN_CONTEXT_SETS[wildcards.name])),
        stereotypes=ancient(
            lambda wildcards: (
                str(regions.stereotypes)
                if regions_in_context_targets.has_list(regions := REGIONS_IN_CONTEXT_SETS[wildcards.name])
                else []
            )
        ),
    output:
        words=filled(shared.WORDS, words=regions_in_context_targets.WORDS),
        design=regions_in_context_targets.DESIGN,
    wildcard_constraints:
        name=any_of(REGIONS_IN_CONTEXT_SETS),
    group:
        "stimuli"
    params:
        texts=lambda wildcards: regions_in_context_targets.texts_of(REGIONS_IN_CONTEXT_SETS[wildcards.name]),
        contents=lambda wildcards: contents(
            *regions_in_context_targets.lists_of(REGIONS_IN_CONTEXT_SETS[wildcards.name])
        ),
        is_planted=lambda wildcards: (
            REGIONS_IN_CONTEXT_SETS[wildcards.name].stereotypes == regions_in_context_stimuli.PLANTED
        ),
        max_regions=STUDY.regions_in_context.max_regions,
        seed=STUDY.seed,
    script:
        "../scripts/instantiate_regions_in_context.py"


rule measure_regions_in_context:
    """Measure how naming a region changes the vectors of words, layer by layer."""
    input:
        design=regions_in_context_targets.DESIGN,
        vectors=filled(shared.VECTORS, words=regions_in_context_targets.WORDS),
    output:
        regions_in_context_targets.NUMBERS,
    wildcard_constraints:
        source=any_of(REGIONS_IN_CONTEXT_MODELS),
        name=any_of(REGIONS_IN_CONTEXT_SETS),
    group:
        "metrics"
    resources:
        mem_mb=growing(16000),
        runtime=growing(120),
    params:
        settings=dict(
            folds=STUDY.regions_in_context.folds,
            level=STUDY.regions_in_context.level,
            seed=STUDY.seed,
        ),
    script:
        "../scripts/measure_regions_in_context.py"


rule table_regions_in_context:
    """Lay out regions in context as a table, and compare it with what is planted."""
    input:
        REGIONS_IN_CONTEXT.numbers,
    output:
        **written("regions_in_context", **regions_in_context_targets.TABLES),
        calibration=REGIONS_IN_CONTEXT.calibration,
    params:
        planted=regions_in_context_targets.planted(STUDY),
        sets=regions_in_context_targets.planted_sets(STUDY),
    script:
        "../scripts/table_regions_in_context.py"


rule draw_regions_in_context:
    """Plot regions in context layer by layer."""
    input:
        REGIONS_IN_CONTEXT.numbers,
    output:
        **drawn("regions_in_context", **regions_in_context_targets.FIGURES),
    params:
        order=ORDER,
    script:
        "../scripts/draw_regions_in_context.py"


rule part_regions_in_context:
    """Write the part of the page on regions in context."""
    input:
        numbers=REGIONS_IN_CONTEXT.numbers,
        models=expand(shared.MODEL, model=sorted(set(REGIONS_IN_CONTEXT_MODELS.values()))),
        figures=figure_files(*REGIONS_IN_CONTEXT.figures),
    output:
        regions_in_context_targets.FILES.part,
    params:
        model_of=REGIONS_IN_CONTEXT_MODELS,
        level=STUDY.regions_in_context.level,
    script:
        "../scripts/part_regions_in_context.py"
