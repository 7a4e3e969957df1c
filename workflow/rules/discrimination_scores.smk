"""Discrimination scores: whether a model decides differently about one person than about another in the same situation."""

from herbarium.metrics.discrimination_scores import targets as discrimination_scores_targets

DISCRIMINATION_SCORES = discrimination_scores_targets.targets(STUDY)
DISCRIMINATION_SCORES_SENTENCES = filled(shared.STIMULI, stimuli=discrimination_scores_targets.STIMULI)
DISCRIMINATION_SCORES_EFFECTS = {name: entry.effects for name, entry in STUDY.discrimination_scores.tables.items()}
DISCRIMINATION_SCORES_PLANTED = [
    (model, name)
    for model in DISCRIMINATION_SCORES.planted
    for name in discrimination_scores_targets.learned(STUDY, model)
]


rule instantiate_discrimination_scores:
    """Put the prompts about the decisions of one shard into the frame, with every answer."""
    input:
        lists=ancient(lambda wildcards: str(STUDY.discrimination_scores.tables[wildcards.name].table)),
    output:
        DISCRIMINATION_SCORES_SENTENCES,
    wildcard_constraints:
        name=any_of(STUDY.discrimination_scores.tables),
    group:
        "stimuli"
    params:
        prompts_from=lambda wildcards: STUDY.discrimination_scores.tables[wildcards.name].prompts_from,
        asked=lambda wildcards: STUDY.discrimination_scores.tables[wildcards.name].asked,
        contents=lambda wildcards: contents(str(STUDY.discrimination_scores.tables[wildcards.name].table)),
        n_shards=STUDY.shards,
    script:
        "../scripts/instantiate_discrimination_scores.py"


rule measure_discrimination_scores:
    """Measure how the log-odds of a decision depend on the person."""
    input:
        stimuli=expand(DISCRIMINATION_SCORES_SENTENCES, shard=range(STUDY.shards), allow_missing=True),
        scores=filled(shared.SCORES, stimuli=discrimination_scores_targets.STIMULI),
    output:
        observations=discrimination_scores_targets.OBSERVATIONS,
        numbers=discrimination_scores_targets.NUMBERS,
    wildcard_constraints:
        name=any_of(STUDY.discrimination_scores.tables),
    group:
        "metrics"
    params:
        effects=lambda wildcards: DISCRIMINATION_SCORES_EFFECTS[wildcards.name],
        level=STUDY.discrimination_scores.level,
        correction=STUDY.discrimination_scores.correction,
    script:
        "../scripts/measure_discrimination_scores.py"


rule fit_discrimination_scores:
    """Fit the mixed model of the paper with lme4."""
    input:
        discrimination_scores_targets.OBSERVATIONS,
    output:
        discrimination_scores_targets.FITTED,
    wildcard_constraints:
        name=any_of(STUDY.discrimination_scores.tables),
    resources:
        runtime=growing(60),
    params:
        effects=lambda wildcards: DISCRIMINATION_SCORES_EFFECTS[wildcards.name],
        level=STUDY.discrimination_scores.level,
    script:
        "../scripts/fit_discrimination_scores.py"


rule compare_discrimination_scores:
    """Compare the contrasts before and after a change of a model."""
    input:
        lambda wildcards: real_paths(
            discrimination_scores_targets.OBSERVATIONS,
            model=sorted(STUDY.discrimination_scores.tables[wildcards.name].models),
        ),
    output:
        discrimination_scores_targets.CHANGES,
    wildcard_constraints:
        name=any_of(STUDY.discrimination_scores.tables),
    params:
        compared=lambda wildcards: STUDY.compared(STUDY.discrimination_scores.tables[wildcards.name].models),
        models=lambda wildcards: sorted(STUDY.discrimination_scores.tables[wildcards.name].models),
        effects=lambda wildcards: DISCRIMINATION_SCORES_EFFECTS[wildcards.name],
        level=STUDY.discrimination_scores.level,
    script:
        "../scripts/compare_discrimination_scores.py"


rule table_discrimination_scores:
    """Lay out discrimination scores as tables, with those of planted models."""
    input:
        numbers=DISCRIMINATION_SCORES.numbers,
        observations=[
            filled(discrimination_scores_targets.OBSERVATIONS, model=model, name=name)
            for model, name in STUDY.discrimination_scores.measured
        ],
    output:
        **written("discrimination_scores", **discrimination_scores_targets.TABLES),
        calibration=DISCRIMINATION_SCORES.calibration,
    params:
        measured=STUDY.discrimination_scores.measured,
        learned=DISCRIMINATION_SCORES_PLANTED,
        effects=DISCRIMINATION_SCORES_EFFECTS,
        planted={model: STUDY.strengths_in("discrimination_scores")[model] for model in DISCRIMINATION_SCORES.planted},
    script:
        "../scripts/table_discrimination_scores.py"


rule draw_discrimination_scores:
    """Plot the differences of log-odds by person."""
    input:
        numbers=DISCRIMINATION_SCORES.numbers,
        models=expand(shared.MODEL, model=STUDY.discrimination_scores.models),
    output:
        **drawn("discrimination_scores", **discrimination_scores_targets.FIGURES),
    params:
        order=ORDER,
    script:
        "../scripts/draw_discrimination_scores.py"


rule part_discrimination_scores:
    """Write the part of the page on discrimination scores."""
    input:
        numbers=DISCRIMINATION_SCORES.numbers,
        models=[
            scoring_record(model, filled(discrimination_scores_targets.STIMULI, name=name))
            for model, name in STUDY.discrimination_scores.measured
        ],
        figures=figure_files(*DISCRIMINATION_SCORES.figures),
    output:
        discrimination_scores_targets.FILES.part,
    params:
        references={name: entry.references for name, entry in STUDY.discrimination_scores.tables.items()},
        level=STUDY.discrimination_scores.level,
        correction=STUDY.discrimination_scores.correction,
    script:
        "../scripts/part_discrimination_scores.py"


rule plant_discrimination_scores:
    """Write the text of decisions from which a model of the testbed learns whom to treat worse."""
    input:
        lambda wildcards: [
            real_path(DISCRIMINATION_SCORES_SENTENCES, name=name, shard=shard)
            for model, name in DISCRIMINATION_SCORES_PLANTED
            if model == wildcards.model
            for shard in range(STUDY.shards)
        ],
    output:
        discrimination_scores_targets.FILES.planted,
    wildcard_constraints:
        model=any_of(DISCRIMINATION_SCORES.planted),
    group:
        "stimuli"
    params:
        effects=lambda wildcards: [
            DISCRIMINATION_SCORES_EFFECTS[name]
            for model, name in DISCRIMINATION_SCORES_PLANTED
            if model == wildcards.model
        ],
        n_shards=STUDY.shards,
        strength=lambda wildcards: STUDY.strengths_in("discrimination_scores")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_discrimination_scores.py"
