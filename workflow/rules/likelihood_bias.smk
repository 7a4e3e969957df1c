"""Likelihood bias: whether sentences are more surprising to a model if they name some groups."""

from herbarium.metrics.likelihood_bias import targets as likelihood_bias_targets

LIKELIHOOD_BIAS = likelihood_bias_targets.targets(STUDY)
LIKELIHOOD_BIAS_PLANTED = [place for place in STUDY.likelihood_bias.measured if STUDY.planted(place[:1])]


rule instantiate_likelihood_bias:
    """Put the descriptors of one shard before every noun into every template."""
    input:
        lists=ancient(lambda wildcards: STUDY.likelihood_bias.stimuli[wildcards.name].files),
    output:
        filled(shared.STIMULI, stimuli=likelihood_bias_targets.STIMULI),
    wildcard_constraints:
        name=any_of(STUDY.likelihood_bias.stimuli),
    group:
        "stimuli"
    params:
        entry=lambda wildcards: STUDY.likelihood_bias.stimuli[wildcards.name].entry,
        contents=lambda wildcards: contents(*STUDY.likelihood_bias.stimuli[wildcards.name].files),
        n_shards=STUDY.shards,
    script:
        "../scripts/instantiate_likelihood_bias.py"


rule measure_likelihood_bias:
    """Measure how the perplexity of sentences varies between the descriptors of an axis."""
    input:
        stimuli=expand(
            filled(shared.STIMULI, stimuli=likelihood_bias_targets.STIMULI),
            shard=range(STUDY.shards),
            allow_missing=True,
        ),
        scores=filled(shared.SCORES, stimuli=likelihood_bias_targets.STIMULI),
    output:
        observations=likelihood_bias_targets.OBSERVATIONS,
        numbers=likelihood_bias_targets.NUMBERS,
    wildcard_constraints:
        name=any_of(STUDY.likelihood_bias.stimuli),
    group:
        "metrics"
    params:
        level=STUDY.likelihood_bias.level,
        correction=STUDY.likelihood_bias.correction,
    script:
        "../scripts/measure_likelihood_bias.py"


rule table_likelihood_bias:
    """Lay out likelihood bias as tables, with that of planted models."""
    input:
        numbers=LIKELIHOOD_BIAS.numbers,
        observations=[
            filled(likelihood_bias_targets.OBSERVATIONS, model=model, name=name)
            for model, name in LIKELIHOOD_BIAS_PLANTED
        ],
    output:
        **written("likelihood_bias", **likelihood_bias_targets.TABLES),
        calibration=LIKELIHOOD_BIAS.calibration,
    params:
        measured=LIKELIHOOD_BIAS_PLANTED,
        planted={model: STUDY.strengths_in("likelihood_bias")[model] for model, _ in LIKELIHOOD_BIAS_PLANTED},
        kinds={model: str(STUDY.models[model].kind) for model, _ in LIKELIHOOD_BIAS_PLANTED},
        seed=STUDY.seed,
    script:
        "../scripts/table_likelihood_bias.py"


rule draw_likelihood_bias:
    """Plot the variance between descriptors by axis."""
    input:
        numbers=LIKELIHOOD_BIAS.numbers,
        models=expand(shared.MODEL, model=STUDY.likelihood_bias.models),
    output:
        **drawn("likelihood_bias", **likelihood_bias_targets.FIGURES),
    params:
        order=ORDER,
    script:
        "../scripts/draw_likelihood_bias.py"


rule part_likelihood_bias:
    """Write the part of the page on likelihood bias."""
    input:
        numbers=LIKELIHOOD_BIAS.numbers,
        models=[
            scoring_record(model, filled(likelihood_bias_targets.STIMULI, name=name))
            for model, name in STUDY.likelihood_bias.measured
        ],
        figures=figure_files(*LIKELIHOOD_BIAS.figures),
    output:
        likelihood_bias_targets.FILES.part,
    params:
        level=STUDY.likelihood_bias.level,
        correction=STUDY.likelihood_bias.correction,
    script:
        "../scripts/part_likelihood_bias.py"


rule plant_likelihood_bias:
    """Write the text on descriptors from which a model of the testbed learns which are frequent."""
    input:
        lambda wildcards: [
            real_path(shared.STIMULI, stimuli=filled(likelihood_bias_targets.STIMULI, name=name), shard=shard)
            for model, name in LIKELIHOOD_BIAS_PLANTED
            if model == wildcards.model
            for shard in range(STUDY.shards)
        ],
    output:
        likelihood_bias_targets.FILES.planted,
    wildcard_constraints:
        model=any_of(LIKELIHOOD_BIAS.planted),
    group:
        "stimuli"
    params:
        strength=lambda wildcards: STUDY.strengths_in("likelihood_bias")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_likelihood_bias.py"
