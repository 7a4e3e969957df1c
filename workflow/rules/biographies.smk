"""Biographies: how well a person's occupation is predicted from their biography, for women and for men.

A source is a source of vectors, or a fine-tuned model.
"""

from herbarium.metrics.biographies import targets as biographies_targets

with told_plainly():
    biographies_targets.require_files(STUDY.biographies)
    BIOGRAPHIES = biographies_targets.targets(STUDY)
BIOGRAPHIES_TASKS = STUDY.biographies.tasks
BIOGRAPHIES_OCCUPATIONS = [
    filled(biographies_targets.OCCUPATIONS, source=source, name=name) for source, name in STUDY.biographies.measured
]
# Sources with vectors for words only are asked for the words of the texts, whose vectors are averaged.
BIOGRAPHIES_READ = {
    source: (
        biographies_targets.VOCABULARY if biographies_targets.is_of_words(STUDY, source) else biographies_targets.TEXTS
    )
    for source, _ in STUDY.biographies.probed
}
BIOGRAPHIES_FINETUNED = STUDY.biographies.finetuned


rule read_biographies:
    """Read the biographies of a task, or write planted ones, scrub them, and divide them into training and test texts."""
    input:
        table=lambda wildcards: str(table) if (table := BIOGRAPHIES_TASKS[wildcards.name].data.path) else [],
        gendered=ancient(lambda wildcards: str(BIOGRAPHIES_TASKS[wildcards.name].gendered)),
        titles=ancient(lambda wildcards: str(BIOGRAPHIES_TASKS[wildcards.name].titles)),
    output:
        words=filled(shared.WORDS, words=biographies_targets.TEXTS),
        vocabulary=filled(shared.WORDS, words=biographies_targets.VOCABULARY),
        # texts that were read elsewhere are compared with those that are read again
        design=update(biographies_targets.DESIGN),
        counted=biographies_targets.COUNTED,
    wildcard_constraints:
        name=any_of(BIOGRAPHIES_TASKS),
    conda:
        "../../envs/scoring.yaml"
    params:
        task=lambda wildcards: BIOGRAPHIES_TASKS[wildcards.name].reading,
        contents=lambda wildcards: contents(
            BIOGRAPHIES_TASKS[wildcards.name].gendered, BIOGRAPHIES_TASKS[wildcards.name].titles
        ),
        min_texts=STUDY.biographies.min_texts,
        seed=STUDY.seed,
    script:
        "../scripts/read_biographies.py"


rule finetune_biographies:
    """Fine-tune a model to predict occupations, and apply it. Checkpoints are kept next to the output until the end."""
    input:
        model=shared.MODEL,
        weights=weights,
        design=biographies_targets.DESIGN,
        texts=filled(shared.WORDS, words=biographies_targets.TEXTS),
    output:
        biographies_targets.PREDICTIONS,
    wildcard_constraints:
        name=any_of(BIOGRAPHIES_TASKS),
        model=any_of({model for model, _ in BIOGRAPHIES_FINETUNED}),
        form="as_is|scrubbed",
        set=r"\d+",
    group:
        device_group
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(480),
    params:
        training=plain(STUDY.biographies.training),
        sets=STUDY.biographies.sets,
        min_texts=STUDY.biographies.min_texts,
        precision=plain(STUDY.precision),
        seed=STUDY.seed,
    script:
        "../scripts/finetune_biographies.py"


rule sample_biographies:
    """Fine-tune a model for some seconds, and estimate what all of its trainings will take."""
    input:
        unpack(timed_model),
        design=biographies_targets.DESIGN,
        texts=filled(shared.WORDS, words=biographies_targets.TEXTS),
    output:
        biographies_targets.SAMPLE,
    wildcard_constraints:
        name=any_of(BIOGRAPHIES_TASKS),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        training=plain(STUDY.biographies.training),
        sets=STUDY.biographies.sets,
        min_texts=STUDY.biographies.min_texts,
        seed=STUDY.seed,
    script:
        "../scripts/sample_biographies.py"


rule count_biographies:
    """Count the biographies that probes are trained on."""
    input:
        design=biographies_targets.DESIGN,
    output:
        biographies_targets.PROBES,
    wildcard_constraints:
        name=any_of(BIOGRAPHIES_TASKS),
    group:
        "stimuli"
    conda:
        "../../envs/scoring.yaml"
    params:
        min_texts=STUDY.biographies.min_texts,
    script:
        "../scripts/count_biographies.py"


rule measure_biographies:
    """Measure how well probes or a fine-tuned model predict occupations from biographies, for women and for men."""
    input:
        design=biographies_targets.DESIGN,
        words=filled(shared.WORDS, words=biographies_targets.TEXTS),
        vocabulary=filled(shared.WORDS, words=biographies_targets.VOCABULARY),
        vectors=lambda wildcards: (
            real_path(shared.VECTORS, words=BIOGRAPHIES_READ[wildcards.source])
            if (wildcards.source, wildcards.name) in STUDY.biographies.probed
            else []
        ),
        as_is=lambda wildcards: biographies_targets.predictions(STUDY, wildcards.source, wildcards.name, "as_is"),
        scrubbed=lambda wildcards: biographies_targets.predictions(STUDY, wildcards.source, wildcards.name, "scrubbed"),
    output:
        numbers=biographies_targets.NUMBERS,
        occupations=biographies_targets.OCCUPATIONS,
    wildcard_constraints:
        source=any_of({source for source, _ in STUDY.biographies.measured}),
        name=any_of(BIOGRAPHIES_TASKS),
    group:
        "metrics"
    resources:
        mem_mb=growing(16000),
        runtime=growing(240),
    params:
        settings=STUDY.biographies.model_dump(exclude={"tasks", "training"}) | {"seed": STUDY.seed},
        is_of_words=lambda wildcards: BIOGRAPHIES_READ.get(wildcards.source) == biographies_targets.VOCABULARY,
    script:
        "../scripts/measure_biographies.py"


rule table_biographies:
    """Lay out the results on biographies as tables, and compare them with what is planted."""
    input:
        numbers=BIOGRAPHIES.numbers,
        occupations=BIOGRAPHIES_OCCUPATIONS,
    output:
        **written("biographies", **biographies_targets.TABLES),
        calibration=BIOGRAPHIES.calibration,
    params:
        planted=biographies_targets.planted(STUDY.biographies),
    script:
        "../scripts/table_biographies.py"


rule reproduce_biographies:
    """Compare the published tables on biographies with our numbers. They are Tables 3.10 to 3.16 of the thesis."""
    input:
        numbers=BIOGRAPHIES.numbers,
        counted=expand(biographies_targets.COUNTED, name=BIOGRAPHIES_TASKS),
        published=ancient(ours("resources/biographies/published.csv")),
    output:
        biographies_targets.FILES.published,
    group:
        "report"
    params:
        tasks=list(BIOGRAPHIES_TASKS),
        contents=contents(ours("resources/biographies/published.csv")),
    script:
        "../scripts/reproduce_biographies.py"


rule draw_biographies:
    """Plot the gap of each occupation against the share of women in it."""
    input:
        BIOGRAPHIES_OCCUPATIONS,
    output:
        **drawn("biographies", **biographies_targets.FIGURES),
    script:
        "../scripts/draw_biographies.py"


rule part_biographies:
    """Write the part of the page on biographies."""
    input:
        numbers=BIOGRAPHIES.numbers,
        models=expand(
            shared.MODEL,
            model=dict.fromkeys(
                [
                    *STUDY.sources_of_vectors.models(source for source, _ in STUDY.biographies.probed),
                    *(model for model, _ in BIOGRAPHIES_FINETUNED),
                ]
            ),
        ),
        counted=expand(biographies_targets.COUNTED, name=BIOGRAPHIES_TASKS),
        figures=figure_files(*BIOGRAPHIES.figures),
    output:
        biographies_targets.FILES.part,
    params:
        tasks=list(BIOGRAPHIES_TASKS),
        planted=biographies_targets.planted(STUDY.biographies),
        level=STUDY.biographies.level,
        correction=STUDY.biographies.correction,
    script:
        "../scripts/part_biographies.py"
