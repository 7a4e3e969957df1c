"""Interventions: whom the model picks when the context is ambiguous, and whether advice changes its answer.

Masked and causal models fill in an answer (form "fill"), extractive ones find it ("span").
"""

from herbarium.metrics.interventions import stimuli as interventions_stimuli, targets as interventions_targets

INTERVENTIONS = interventions_targets.targets(STUDY)
INTERVENTIONS_MEASURED = STUDY.interventions.measured
INTERVENTIONS_OBSERVATIONS = [
    filled(interventions_targets.OBSERVATIONS, model=model, name=name) for model, name in INTERVENTIONS_MEASURED
]
INTERVENTIONS_OF_AUTHORS = interventions_targets.of_authors(STUDY)


rule instantiate_interventions:
    """Put every pair of subjects into the templates, with every question and intervention."""
    input:
        lists=ancient(lambda wildcards: STUDY.interventions.questions[wildcards.name].files),
    output:
        filled(shared.STIMULI, stimuli=interventions_targets.STIMULI, shard=0),
    wildcard_constraints:
        name=any_of(STUDY.interventions.questions),
        form=any_of(interventions_stimuli.FORMS),
    group:
        "stimuli"
    params:
        entry=lambda wildcards: STUDY.interventions.questions[wildcards.name].entry,
        contents=lambda wildcards: contents(*STUDY.interventions.questions[wildcards.name].files),
        seed=STUDY.seed,
    script:
        "../scripts/instantiate_interventions.py"


rule train_advice:
    """Train a model to answer questions after each type of intervention."""
    input:
        base=base_record,
        weights=lambda wildcards: weights_of(STUDY.models[wildcards.model].derived.base),
        stimuli=lambda wildcards: real_path(
            shared.STIMULI,
            stimuli=interventions_targets.stimuli_in(
                RECIPES[wildcards.model].questions, interventions_stimuli.SPAN_FORM
            ),
            shard=0,
        ),
        squad=lambda wildcards: str(RECIPES[wildcards.model].squad or "") or [],
    output:
        weights=weight_files(shared.DERIVED),
        record=f"{shared.DERIVED}.json",
    wildcard_constraints:
        model=any_of(name for name, by in RECIPES.items() if by.recipe == "advice"),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(240),
    params:
        settings=lambda wildcards: RECIPES[wildcards.model].settings,
        training_seed=lambda wildcards: STUDY.models[wildcards.model].derived.seed,
        seed=STUDY.seed,
    script:
        "../scripts/train_advice.py"


rule sample_interventions:
    """Train a model on some questions for some seconds, and estimate what all of its training to take advice will take."""
    input:
        unpack(timed_model),
        stimuli=lambda wildcards: real_path(
            shared.STIMULI,
            stimuli=interventions_targets.stimuli_in(
                RECIPES[wildcards.model].questions, interventions_stimuli.SPAN_FORM
            ),
            shard=0,
        ),
        squad=lambda wildcards: str(RECIPES[wildcards.model].squad or "") or [],
    output:
        training_targets.SAMPLE,
    wildcard_constraints:
        model=any_of(name for name, by in RECIPES.items() if by.recipe == "advice"),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        settings=lambda wildcards: RECIPES[wildcards.model].settings,
        recipe=lambda wildcards: RECIPES[wildcards.model].recipe,
        seed=STUDY.seed,
    script:
        "../scripts/sample_interventions.py"


rule measure_interventions:
    """Measure preferences between subjects, and how interventions change them."""
    input:
        stimuli=lambda wildcards: real_path(
            shared.STIMULI, stimuli=interventions_targets.stimuli_of(STUDY, **wildcards), shard=0
        ),
        scores=lambda wildcards: real_path(shared.SCORES, stimuli=interventions_targets.stimuli_of(STUDY, **wildcards)),
    output:
        observations=interventions_targets.OBSERVATIONS,
        numbers=interventions_targets.NUMBERS,
    wildcard_constraints:
        name=any_of(STUDY.interventions.questions),
    group:
        "metrics"
    params:
        level=STUDY.interventions.level,
        correction=STUDY.interventions.correction,
    script:
        "../scripts/measure_interventions.py"


rule compare_interventions:
    """Compare preferences by type of intervention before and after a change of a model."""
    input:
        lambda wildcards: real_paths(
            interventions_targets.OBSERVATIONS, model=sorted(STUDY.interventions.questions[wildcards.name].models)
        ),
    output:
        interventions_targets.CHANGES,
    wildcard_constraints:
        name=any_of(STUDY.interventions.questions),
    params:
        compared=lambda wildcards: STUDY.compared(STUDY.interventions.questions[wildcards.name].models),
        models=lambda wildcards: sorted(STUDY.interventions.questions[wildcards.name].models),
        level=STUDY.interventions.level,
    script:
        "../scripts/compare_interventions.py"


rule table_interventions:
    """Lay out preferences as tables, with those of planted models and of the authors' own."""
    input:
        numbers=INTERVENTIONS.numbers,
        observations=INTERVENTIONS_OBSERVATIONS,
        of_authors=ancient(list(INTERVENTIONS_OF_AUTHORS.values())),
    output:
        **written("interventions", **interventions_targets.tables(STUDY)),
        calibration=INTERVENTIONS.calibration,
    params:
        measured=INTERVENTIONS_MEASURED,
        of_authors=list(INTERVENTIONS_OF_AUTHORS),
        contents=contents(*INTERVENTIONS_OF_AUTHORS.values()),
        planted={
            model: STUDY.strengths_in("interventions")[model] for model in STUDY.planted(STUDY.interventions.models)
        },
        level=STUDY.interventions.level,
        seed=STUDY.seed,
    script:
        "../scripts/table_interventions.py"


rule draw_interventions:
    """Plot preferences by type of intervention."""
    input:
        numbers=INTERVENTIONS.numbers,
        models=expand(shared.MODEL, model=STUDY.interventions.models),
    output:
        **drawn("interventions", **interventions_targets.FIGURES),
    params:
        order=ORDER,
    script:
        "../scripts/draw_interventions.py"


rule part_interventions:
    """Write the part of the page on interventions."""
    input:
        numbers=INTERVENTIONS.numbers,
        models=[
            scoring_record(model, interventions_targets.stimuli_of(STUDY, model, name))
            for model, name in INTERVENTIONS_MEASURED
        ],
        figures=figure_files(*INTERVENTIONS.figures),
    output:
        interventions_targets.FILES.part,
    params:
        level=STUDY.interventions.level,
        correction=STUDY.interventions.correction,
    script:
        "../scripts/part_interventions.py"


rule plant_interventions:
    """Write the text on interventions from which a model of the testbed learns its preferences."""
    input:
        lambda wildcards: [
            real_path(
                shared.STIMULI, stimuli=interventions_targets.stimuli_in(name, interventions_stimuli.FILL), shard=0
            )
            for name in interventions_targets.learned(STUDY, wildcards.model)
        ],
    output:
        interventions_targets.FILES.planted,
    wildcard_constraints:
        model=any_of(INTERVENTIONS.planted),
    group:
        "stimuli"
    params:
        strength=lambda wildcards: STUDY.strengths_in("interventions")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_interventions.py"
