"""Mixed effects (Shrestha et al. 2025): how much more likely gendered words are next to targets, as effect sizes.

The fits of all metrics are collected by groups.smk.
"""

from herbarium.metrics.mixed_effects import targets as mixed_effects_targets

MIXED_EFFECTS = mixed_effects_targets.targets(STUDY)
MIXED_EFFECTS_STIMULI = filled(shared.STIMULI, stimuli=mixed_effects_targets.STIMULI)
# In the order of the study's models: the order in which a set of stimuli lists its models changes nothing.
MIXED_EFFECTS_MODELS = [model for model in STUDY.models if model in STUDY.mixed_effects.models]
MIXED_EFFECTS_MEASURED = [
    (model, name) for model in MIXED_EFFECTS_MODELS for name in STUDY.mixed_effects.lists_of(model)
]
MIXED_EFFECTS_LISTS = {name: str(entry.lists) for name, entry in STUDY.mixed_effects.stimuli.items()}
mixed_effects_designs = lambda wildcards: real_paths(
    mixed_effects_targets.DESIGN, name=STUDY.mixed_effects.lists_of(wildcards.model)
)
mixed_effects_observations = lambda wildcards: real_paths(
    mixed_effects_targets.OBSERVATIONS, name=STUDY.mixed_effects.lists_of(wildcards.model)
)


rule design_mixed_effects:
    """Write what all other rules need of the lists of a set of stimuli."""
    input:
        lists=ancient(lambda wildcards: list_tables(MIXED_EFFECTS_LISTS[wildcards.name])),
    output:
        mixed_effects_targets.DESIGN,
    wildcard_constraints:
        name=any_of(STUDY.mixed_effects.stimuli),
    group:
        "stimuli"
    params:
        folder=lambda wildcards: MIXED_EFFECTS_LISTS[wildcards.name],
        contents=lambda wildcards: contents(*list_tables(MIXED_EFFECTS_LISTS[wildcards.name])),
    script:
        "../scripts/design_mixed_effects.py"


rule instantiate_mixed_effects:
    """Put every gendered word, with every determiner, and the targets of one shard into the templates."""
    input:
        design=mixed_effects_targets.DESIGN,
    output:
        MIXED_EFFECTS_STIMULI,
    wildcard_constraints:
        name=any_of(STUDY.mixed_effects.stimuli),
    group:
        "stimuli"
    params:
        sentences=lambda wildcards: STUDY.mixed_effects.stimuli[wildcards.name].model_dump(
            mode="json", include={"determiners", "lowercase"}
        ),
        n_shards=STUDY.shards,
    script:
        "../scripts/instantiate_mixed_effects.py"


rule observe_mixed_effects:
    """Take the sentence with the lowest pseudo-perplexity for each gendered word, balanced by pairs, and its association."""
    input:
        design=mixed_effects_targets.DESIGN,
        model=shared.MODEL,
        stimuli=expand(MIXED_EFFECTS_STIMULI, shard=range(STUDY.shards), allow_missing=True),
        scores=filled(shared.SCORES, stimuli=mixed_effects_targets.STIMULI),
    output:
        mixed_effects_targets.OBSERVATIONS,
    wildcard_constraints:
        name=any_of(STUDY.mixed_effects.stimuli),
    group:
        "metrics"
    resources:
        mem_mb=growing(8000),
    script:
        "../scripts/observe_mixed_effects.py"


rule measure_mixed_effects:
    """Fit the mixed models of all stimuli of a model with lme4, with intervals for R²."""
    input:
        designs=mixed_effects_designs,
        observations=mixed_effects_observations,
    output:
        fits=mixed_effects_targets.MAIN,
        levels=mixed_effects_targets.LEVELS,
        bins=mixed_effects_targets.BINS,
        of_items=mixed_effects_targets.ITEMS,
    resources:
        runtime=growing(120),
    params:
        names=lambda wildcards: list(STUDY.mixed_effects.lists_of(wildcards.model)),
        settings=STUDY.mixed_models.fitting,
        seed=STUDY.seed,
    script:
        "../scripts/measure_mixed_effects.py"


rule measure_mixed_effects_further:
    """Fit mixed models with other random effects and with fewer templates."""
    input:
        designs=mixed_effects_designs,
        observations=mixed_effects_observations,
    output:
        mixed_effects_targets.FURTHER,
    resources:
        runtime=growing(240),
    params:
        names=lambda wildcards: list(STUDY.mixed_effects.lists_of(wildcards.model)),
        asked=STUDY.mixed_effects.sensitivity,
        settings=STUDY.mixed_models.fitting,
        seed=STUDY.seed,
    script:
        "../scripts/measure_mixed_effects_further.py"


rule compare_mixed_effects:
    """Compare bias scores over crossed words, templates and targets before and after a change of a model."""
    input:
        design=mixed_effects_targets.DESIGN,
        observations=lambda wildcards: real_paths(
            mixed_effects_targets.OBSERVATIONS, model=sorted(STUDY.mixed_effects.stimuli[wildcards.name].models)
        ),
        fits=lambda wildcards: real_paths(
            mixed_effects_targets.MAIN, model=sorted(STUDY.mixed_effects.stimuli[wildcards.name].models)
        ),
    output:
        mixed_effects_targets.CHANGES,
    wildcard_constraints:
        name=any_of(STUDY.mixed_effects.stimuli),
    params:
        compared=lambda wildcards: STUDY.compared(STUDY.mixed_effects.stimuli[wildcards.name].models),
        models=lambda wildcards: sorted(STUDY.mixed_effects.stimuli[wildcards.name].models),
    script:
        "../scripts/compare_mixed_effects.py"


rule table_mixed_effects:
    """Compare the published study with our numbers, and lay out our numbers and those of planted models as tables."""
    input:
        designs=expand(mixed_effects_targets.DESIGN, name=MIXED_EFFECTS_LISTS),
        fits=statistics_targets.FITS,
        bins=expand(mixed_effects_targets.BINS, model=MIXED_EFFECTS_MODELS),
        observations=[
            filled(mixed_effects_targets.OBSERVATIONS, model=model, name=name)
            for model, name in MIXED_EFFECTS_MEASURED
        ],
        published=ancient(ours("resources/mixed_effects/published.csv")),
    output:
        **written("mixed_effects", **mixed_effects_targets.TABLES),
        beside=mixed_effects_targets.FILES.published,
        calibration=MIXED_EFFECTS.calibration,
    params:
        names=list(MIXED_EFFECTS_LISTS),
        measured=MIXED_EFFECTS_MEASURED,
        causal=[name for name, model in STUDY.models.items() if model.kind == "causal"],
        treated=[treated._asdict() for treated in STUDY.treated],
        planted={name: STUDY.strengths_in("mixed_effects")[name] for name in MIXED_EFFECTS_MODELS},
        seed=STUDY.seed,
        others=compared(mixed_effects_targets.original_data),
        contents=contents(ours("resources/mixed_effects/published.csv")),
    script:
        "../scripts/table_mixed_effects.py"


rule draw_mixed_effects:
    """Plot bias scores, effect sizes, random effects, and scores by pseudo-perplexity."""
    input:
        fits=statistics_targets.FITS,
        levels=expand(mixed_effects_targets.LEVELS, model=MIXED_EFFECTS_MODELS),
        bins=expand(mixed_effects_targets.BINS, model=MIXED_EFFECTS_MODELS),
        models=expand(shared.MODEL, model=MIXED_EFFECTS_MODELS),
    output:
        **drawn("mixed_effects", **mixed_effects_targets.FIGURES),
    params:
        stimuli=list(STUDY.mixed_effects.stimuli),
        level=STUDY.mixed_models.bootstrap.level,
        equivalence_ratio=STUDY.mixed_models.tests.equivalence_ratio,
        order=ORDER,
    script:
        "../scripts/draw_mixed_effects.py"


rule part_mixed_effects:
    """Write the part of the page on effect sizes."""
    input:
        fits=statistics_targets.FITS,
        models=[
            scoring_record(model, filled(mixed_effects_targets.STIMULI, name=name))
            for model, name in MIXED_EFFECTS_MEASURED
        ],
        figures=figure_files(*MIXED_EFFECTS.figures),
    output:
        mixed_effects_targets.FILES.part,
    params:
        stimuli=list(STUDY.mixed_effects.stimuli),
        settings=plain(STUDY.mixed_models),
    script:
        "../scripts/part_mixed_effects.py"


rule plant_mixed_effects:
    """Write the text on gendered words from which a model of the testbed learns its bias."""
    input:
        designs=mixed_effects_designs,
    output:
        mixed_effects_targets.FILES.planted,
    wildcard_constraints:
        model=any_of(MIXED_EFFECTS.planted),
    group:
        "stimuli"
    params:
        stimuli=lambda wildcards: [
            STUDY.mixed_effects.stimuli[name].model_dump(mode="json", include={"determiners", "lowercase"})
            for name in STUDY.mixed_effects.lists_of(wildcards.model)
        ],
        strength=lambda wildcards: STUDY.strengths_in("mixed_effects")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_mixed_effects.py"
