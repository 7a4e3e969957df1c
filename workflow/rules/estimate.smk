"""What the study will cost, before it runs: samples of its work, planned and timed.

It depends on the clock, so nothing else is made from it.
"""


rule sample_scoring:
    """Plan a sample of the stimuli, run it for some seconds, and estimate what scoring all of them will take."""
    input:
        # models of the testbed are not trained for it, and so not timed
        model=lambda wildcards: scoring_record(wildcards.model, wildcards.stimuli) if gpus(wildcards) else [],
        weights=lambda wildcards: weights(wildcards) if gpus(wildcards) else [],
        stimuli=shards(shared.STIMULI),
    output:
        targets.SAMPLE,
    group:
        device_group
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        seed=STUDY.seed,
    script:
        "../scripts/sample_scoring.py"


RUNS = targets.run(STUDY, TARGETS)
# Scoring a derived model, which is another one after training, costs what it costs for that one.
COSTS = {
    (model, stimuli): real_path(targets.SAMPLE, model=STUDY.origin(model), stimuli=stimuli) for model, stimuli in RUNS
} | {kind: placed(file, STUDY.results) for kind, file in TARGETS.costs.items()}
# The shards of all stimuli that any model scores.
SCORED = {
    stimuli: [real_path(shared.STIMULI, stimuli=stimuli, shard=shard) for shard in range(TARGETS.shards[stimuli])]
    for stimuli in dict.fromkeys(stimuli for _, stimuli in RUNS)
}


rule estimate:
    """Estimate what the study will cost: sentences, inputs, tokens, hours, disk, and where most of it goes."""
    input:
        stimuli=[file for files in SCORED.values() for file in files],
        costs=sorted(set(COSTS.values())),
    output:
        csv=targets.ESTIMATE,
        sidecar=sidecars(targets.ESTIMATE),
        text="<results>/estimate.txt",
    group:
        "report"
    conda:
        "../../envs/scoring.yaml"
    params:
        stimuli=SCORED,
        costs=[[model, file] for (model, _), file in COSTS.items()],
    script:
        "../scripts/estimate.py"
