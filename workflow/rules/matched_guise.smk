"""Matched guise: which attributes a model links to people who speak a dialect, by the same texts in the dialect and in the standard."""

from herbarium.metrics.matched_guise import targets as matched_guise_targets

MATCHED_GUISE = matched_guise_targets.targets(STUDY)
MATCHED_GUISE_MEASURED = STUDY.matched_guise.measured
MATCHED_GUISE_SENTENCES = filled(shared.STIMULI, stimuli=matched_guise_targets.STIMULI, shard=0)
MATCHED_GUISE_RATED = [name for name, entry in STUDY.matched_guise.guises.items() if entry.ratings]


rule instantiate_matched_guise:
    """Put both guises of every pair into the prompts, with every attribute."""
    input:
        lists=ancient(lambda wildcards: STUDY.matched_guise.guises[wildcards.name].files),
    output:
        MATCHED_GUISE_SENTENCES,
    wildcard_constraints:
        name=any_of(STUDY.matched_guise.guises),
    group:
        "stimuli"
    params:
        lists=lambda wildcards: STUDY.matched_guise.guises[wildcards.name].lists,
        contents=lambda wildcards: contents(*STUDY.matched_guise.guises[wildcards.name].files),
        pairs_per_unit=lambda wildcards: STUDY.matched_guise.guises[wildcards.name].pairs_per_unit,
    script:
        "../scripts/instantiate_matched_guise.py"


rule measure_matched_guise:
    """Measure the association of attributes with a dialect, and of their ratings with that."""
    input:
        stimuli=MATCHED_GUISE_SENTENCES,
        scores=filled(shared.SCORES, stimuli=matched_guise_targets.STIMULI),
    output:
        observations=matched_guise_targets.OBSERVATIONS,
        numbers=matched_guise_targets.NUMBERS,
    wildcard_constraints:
        name=any_of(STUDY.matched_guise.guises),
    group:
        "metrics"
    params:
        level=STUDY.matched_guise.level,
        correction=STUDY.matched_guise.correction,
        seed=STUDY.seed,
    script:
        "../scripts/measure_matched_guise.py"


rule compare_matched_guise:
    """Compare the slope on ratings before and after a change of a model."""
    input:
        lambda wildcards: real_paths(
            matched_guise_targets.OBSERVATIONS, model=sorted(STUDY.matched_guise.guises[wildcards.name].models)
        ),
    output:
        matched_guise_targets.CHANGES,
    wildcard_constraints:
        name=any_of(STUDY.matched_guise.guises),
    params:
        compared=lambda wildcards: STUDY.compared(STUDY.matched_guise.guises[wildcards.name].models),
        models=lambda wildcards: sorted(STUDY.matched_guise.guises[wildcards.name].models),
        level=STUDY.matched_guise.level,
    script:
        "../scripts/compare_matched_guise.py"


rule table_matched_guise:
    """Lay out associations as tables, with those of planted models."""
    input:
        numbers=MATCHED_GUISE.numbers,
        observations=[
            filled(matched_guise_targets.OBSERVATIONS, model=model, name=name)
            for model, name in MATCHED_GUISE_MEASURED
        ],
        stimuli=[filled(MATCHED_GUISE_SENTENCES, name=name) for name in MATCHED_GUISE_RATED],
    output:
        **written("matched_guise", **matched_guise_targets.TABLES),
        calibration=MATCHED_GUISE.calibration,
    params:
        measured=MATCHED_GUISE_MEASURED,
        rated=MATCHED_GUISE_RATED,
        planted={model: STUDY.strengths_in("matched_guise")[model] for model in MATCHED_GUISE.planted},
    script:
        "../scripts/table_matched_guise.py"


rule draw_matched_guise:
    """Plot the associations of attributes with the dialect."""
    input:
        numbers=MATCHED_GUISE.numbers,
        models=expand(shared.MODEL, model=STUDY.matched_guise.models),
    output:
        **drawn("matched_guise", **matched_guise_targets.FIGURES),
    params:
        order=ORDER,
    script:
        "../scripts/draw_matched_guise.py"


rule part_matched_guise:
    """Write the part of the page on matched guise probing."""
    input:
        numbers=MATCHED_GUISE.numbers,
        models=[
            scoring_record(model, filled(matched_guise_targets.STIMULI, name=name))
            for model, name in MATCHED_GUISE_MEASURED
        ],
        figures=figure_files(*MATCHED_GUISE.figures),
    output:
        matched_guise_targets.FILES.part,
    params:
        level=STUDY.matched_guise.level,
        correction=STUDY.matched_guise.correction,
    script:
        "../scripts/part_matched_guise.py"


rule plant_matched_guise:
    """Write the text in two guises from which a model of the testbed learns its associations."""
    input:
        lists=ancient(lambda wildcards: matched_guise_targets.learned_files(STUDY, wildcards.model)),
    output:
        matched_guise_targets.FILES.planted,
    wildcard_constraints:
        model=any_of(MATCHED_GUISE.planted),
    group:
        "stimuli"
    params:
        lists=lambda wildcards: matched_guise_targets.learned(STUDY, wildcards.model),
        contents=lambda wildcards: contents(*matched_guise_targets.learned_files(STUDY, wildcards.model)),
        strength=lambda wildcards: STUDY.strengths_in("matched_guise")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_matched_guise.py"
