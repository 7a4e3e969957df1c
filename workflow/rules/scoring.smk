"""Scoring: from sentences to unique inputs, a model's answers to them, and the cache of f(S).

A model's record may differ by stimuli: what was measured before it scored them, of a model that may run in another number format than
float32, or that is on a server. Which prompts a server is asked again is in a file of its own: their answers differ each time.
"""

# The server that answers instead of each model, as plain data; None if the model itself does.
SERVED = {name: plain(model)["served"] for name, model in STUDY.models.items()}


rule plan_scoring:
    """Tokenize a shard's sentences, find the unique inputs and the requests on them."""
    input:
        model=shared.MODEL,
        weights=weights,
        stimuli=shared.STIMULI,
    output:
        inputs=filled(shared.INPUTS, origin="{model}"),
        requests=filled(shared.REQUESTS, origin="{model}"),
        sentences=filled(shared.SENTENCES, origin="{model}"),
    conda:
        "../../envs/scoring.yaml"
    resources:
        runtime=growing(60),
    script:
        "../scripts/plan_scoring.py"


rule tune_scoring:
    """Measure on sentences of the stimuli which number format suits model and device."""
    input:
        model=shared.MODEL,
        weights=weights,
        # a sample of the original sentences: a new word must not run a model again on all others
        stimuli=ancient(shards(shared.STIMULI)),
    output:
        model=shared.SCORING_MODEL,
    wildcard_constraints:
        model=any_of(name for name, served in SERVED.items() if not served and name not in NEUTRALISED),
    group:
        device_group
    threads: device_threads
    resources:
        gpu=lambda wildcards: gpus(wildcards) if loading.has_weights(plain(STUDY.models[wildcards.model])) else 0,
        mem_mb=growing(16000),
    params:
        served=lambda wildcards: SERVED[wildcards.model],
        precision=plain(STUDY.precision),
        seed=STUDY.seed,
    script:
        "../scripts/tune_scoring.py"


use rule tune_scoring as check_server with:
    output:
        model=shared.SCORING_MODEL,
        probes=shared.PROBES,
    wildcard_constraints:
        model=any_of(name for name, served in SERVED.items() if served),


rule score_shard:
    """Run the unanswered inputs of one shard through the model: on a GPU if there is one."""
    input:
        model=lambda wildcards: scoring_record(wildcards.model, wildcards.stimuli),
        probes=lambda wildcards: probes(wildcards.model, wildcards.stimuli),
        weights=weights,
        inputs=plan(shared.INPUTS),
        requests=plan(shared.REQUESTS),
    output:
        shared.ANSWERS,
    group:
        device_group
    threads: device_threads
    resources:
        gpu=lambda wildcards: 0 if SERVED[wildcards.model] else gpus(wildcards),
        mem_mb=growing(16000),
        # twice the time of a base model for a shard of 3.4 million inputs on two cores; a stopped one continues where it was
        runtime=growing(480),
    params:
        served=lambda wildcards: SERVED[wildcards.model],
        answered_by=lambda wildcards: code_called(ANSWERED_BY["a server" if SERVED[wildcards.model] else "a model"]),
        # the change that is accepted of a server since it was checked
        precision=lambda wildcards: plain(STUDY.precision) if SERVED[wildcards.model] else None,
    script:
        "../scripts/score_shard.py"


rule gather_scores:
    """Combine the answers of all shards into one value per sentence, and count what was refused."""
    input:
        inputs=shards(shared.INPUTS),
        requests=shards(shared.REQUESTS),
        sentences=shards(shared.SENTENCES),
        answers=shards(shared.ANSWERS),
    output:
        scores=shared.SCORES,
        refusals=shared.REFUSALS,
    wildcard_constraints:
        model=RUN_MODELS,
    resources:
        # measured: 3.5 GB for two shards of 3.4 million sentences, 45 million requests each; one is in memory at a time
        mem_mb=growing(6000),
    script:
        "../scripts/gather_scores.py"
