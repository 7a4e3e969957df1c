"""Named entities: how well models that are trained to tag them find them, before and after a change."""

from herbarium.metrics.tagging import targets as tagging_targets

with told_plainly():
    tagging_targets.require_files(STUDY.tagging)
TAGGING = tagging_targets.targets(STUDY)
TAGGED = any_of(STUDY.tagging.tasks)


rule read_tagging:
    """Read the tagged sentences of a task, or make planted ones, and divide them into training and test sentences."""
    input:
        files=lambda wildcards: tagging_targets.files(STUDY.tagging, wildcards.task),
        nonsense=ancient(ours("resources/regions/made_up_names.txt")),
    output:
        # sentences that were read from elsewhere are compared with those that are read again
        update(tagging_targets.SENTENCES),
    wildcard_constraints:
        task=TAGGED,
    conda:
        "../../envs/scoring.yaml"
    params:
        task=lambda wildcards: STUDY.tagging.tasks[wildcards.task].reading,
        contents=contents(ours("resources/regions/made_up_names.txt")),
        sets=STUDY.tagging.training.sets,
        seed=STUDY.seed,
    script:
        "../scripts/read_tagging.py"


rule train_tagging:
    """Train a tagger on a model, and tag the test sentences. Checkpoints are kept next to the output until the end."""
    input:
        model=shared.MODEL,
        weights=weights,
        sentences=tagging_targets.SENTENCES,
    output:
        tagging_targets.PREDICTIONS,
    wildcard_constraints:
        task=TAGGED,
        set=r"\d+",
    group:
        device_group
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(480),
    params:
        training=STUDY.tagging.training.model_dump(exclude={"sets"}),
        seed=STUDY.seed,
    script:
        "../scripts/train_tagging.py"


rule sample_tagging:
    """Train a tagger for some seconds, and estimate what all of a model's taggers will take."""
    input:
        unpack(timed_model),
        sentences=tagging_targets.SENTENCES,
    output:
        tagging_targets.SAMPLE,
    wildcard_constraints:
        task=TAGGED,
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        training=STUDY.tagging.training.model_dump(exclude={"sets"}),
        seed=STUDY.seed,
    script:
        "../scripts/sample_tagging.py"


rule measure_tagging:
    """Measure how well the entities of a task are found."""
    input:
        sentences=tagging_targets.SENTENCES,
        predictions=lambda wildcards: tagging_targets.predictions(STUDY, wildcards.task, wildcards.model),
    output:
        tagging_targets.NUMBERS,
    wildcard_constraints:
        task=TAGGED,
    group:
        "metrics"
    params:
        level=STUDY.tagging.level,
    script:
        "../scripts/measure_tagging.py"


rule compare_tagging:
    """Compare how well entities are found before and after a change of a model."""
    input:
        sentences=tagging_targets.SENTENCES,
        predictions=lambda wildcards: [
            file
            for model in sorted(STUDY.tagging.tasks[wildcards.task].models)
            for file in tagging_targets.predictions(STUDY, wildcards.task, model)
        ],
    output:
        tagging_targets.CHANGES,
    wildcard_constraints:
        task=TAGGED,
    params:
        compared=lambda wildcards: STUDY.compared(STUDY.tagging.tasks[wildcards.task].models),
        models=lambda wildcards: sorted(STUDY.tagging.tasks[wildcards.task].models),
        level=STUDY.tagging.level,
    script:
        "../scripts/compare_tagging.py"


rule table_tagging:
    """Compare the published table on named-entity recognition with our numbers."""
    input:
        numbers=TAGGING.numbers,
        published=ancient(ours("resources/tagging/published.csv")),
    output:
        **written("tagging", **tagging_targets.TABLES),
        published=tagging_targets.FILES.published,
    params:
        states=tagging_targets.states(STUDY),
        training=plain(STUDY.tagging.training),
        contents=contents(ours("resources/tagging/published.csv")),
    script:
        "../scripts/table_tagging.py"


rule part_tagging:
    """Write the part of the page on named-entity recognition."""
    input:
        numbers=TAGGING.numbers,
        sentences=expand(tagging_targets.SENTENCES, task=STUDY.tagging.tasks),
        models=expand(
            shared.MODEL, model=dict.fromkeys(model for task in STUDY.tagging.tasks.values() for model in task.models)
        ),
    output:
        tagging_targets.FILES.part,
    params:
        training=plain(STUDY.tagging.training),
        level=STUDY.tagging.level,
    script:
        "../scripts/part_tagging.py"
