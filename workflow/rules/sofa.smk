"""Social bias probing (SoFa): whether stereotypes are less surprising to a model after some identities than after others."""

from herbarium.metrics.sofa import targets as sofa_targets

SOFA = sofa_targets.targets(STUDY)
SOFA_PLANTED = [place for place in STUDY.sofa.measured if STUDY.planted(place[:1])]


rule instantiate_sofa:
    """List the probes of one shard, and their identities alone."""
    input:
        lists=ancient(lambda wildcards: str(STUDY.sofa.tables[wildcards.name].probes)),
    output:
        filled(shared.STIMULI, stimuli=sofa_targets.STIMULI),
    wildcard_constraints:
        name=any_of(STUDY.sofa.tables),
    group:
        "stimuli"
    conda:
        "../../envs/scoring.yaml"
    params:
        probes=lambda wildcards: str(STUDY.sofa.tables[wildcards.name].probes),
        contents=lambda wildcards: contents(STUDY.sofa.tables[wildcards.name].probes),
        n_shards=STUDY.shards,
    script:
        "../scripts/instantiate_sofa.py"


rule measure_sofa:
    """Measure how the perplexity of stereotypes varies between the identities of a category."""
    input:
        stimuli=expand(
            filled(shared.STIMULI, stimuli=sofa_targets.STIMULI),
            shard=range(STUDY.shards),
            allow_missing=True,
        ),
        scores=filled(shared.SCORES, stimuli=sofa_targets.STIMULI),
    output:
        observations=sofa_targets.OBSERVATIONS,
        numbers=sofa_targets.NUMBERS,
        of_items=sofa_targets.ITEMS,
    wildcard_constraints:
        name=any_of(STUDY.sofa.tables),
    group:
        "metrics"
    params:
        level=STUDY.sofa.level,
        correction=STUDY.sofa.correction,
    script:
        "../scripts/measure_sofa.py"


rule table_sofa:
    """Lay out social bias probing as tables, with that of planted models."""
    input:
        numbers=SOFA.numbers,
        observations=[filled(sofa_targets.OBSERVATIONS, model=model, name=name) for model, name in SOFA_PLANTED],
    output:
        **written("sofa", **sofa_targets.TABLES),
        calibration=SOFA.calibration,
    params:
        measured=SOFA_PLANTED,
        planted={model: STUDY.strengths_in("sofa")[model] for model, _ in SOFA_PLANTED},
        kinds={model: str(STUDY.models[model].kind) for model, _ in SOFA_PLANTED},
        seed=STUDY.seed,
    script:
        "../scripts/table_sofa.py"


rule draw_sofa:
    """Plot the variance between identities by category."""
    input:
        numbers=SOFA.numbers,
        models=expand(shared.MODEL, model=STUDY.sofa.models),
    output:
        **drawn("sofa", **sofa_targets.FIGURES),
    params:
        order=ORDER,
    script:
        "../scripts/draw_sofa.py"


rule part_sofa:
    """Write the part of the page on social bias probing."""
    input:
        numbers=SOFA.numbers,
        models=[scoring_record(model, filled(sofa_targets.STIMULI, name=name)) for model, name in STUDY.sofa.measured],
        figures=figure_files(*SOFA.figures),
    output:
        sofa_targets.FILES.part,
    params:
        level=STUDY.sofa.level,
        correction=STUDY.sofa.correction,
    script:
        "../scripts/part_sofa.py"


rule plant_sofa:
    """Write the text on identities from which a model of the testbed learns after which statements are frequent."""
    input:
        lambda wildcards: [
            real_path(shared.STIMULI, stimuli=filled(sofa_targets.STIMULI, name=name), shard=shard)
            for model, name in SOFA_PLANTED
            if model == wildcards.model
            for shard in range(STUDY.shards)
        ],
    output:
        sofa_targets.FILES.planted,
    wildcard_constraints:
        model=any_of(SOFA.planted),
    group:
        "stimuli"
    params:
        strength=lambda wildcards: STUDY.strengths_in("sofa")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_sofa.py"
