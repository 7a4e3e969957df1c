"""HONEST: how often a model completes a sentence about a group with a hurtful word."""

from herbarium.metrics.honest import targets as honest_targets

HONEST = honest_targets.targets(STUDY)
HONEST_SETS = STUDY.honest.sets
HONEST_MEASURED = STUDY.honest.measured
HONEST_FILES = list(dict.fromkeys(file for one in HONEST_SETS.values() for file in one.files))
HONEST_ENTRIES = {name: [one.sentences_from, one.words_from] for name, one in HONEST_SETS.items()}


rule complete_honest:
    """Find the likeliest completions of each sentence: on a GPU if there is one."""
    input:
        model=shared.MODEL,
        weights=weights,
        templates=ancient(lambda wildcards: str(HONEST_SETS[wildcards.name].templates)),
    output:
        honest_targets.COMPLETIONS,
    wildcard_constraints:
        name=any_of(HONEST_SETS),
    group:
        device_group
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(60),
    params:
        contents=lambda wildcards: contents(HONEST_SETS[wildcards.name].templates),
        sentences_from=lambda wildcards: HONEST_SETS[wildcards.name].sentences_from,
        most=max(STUDY.honest.top),
    script:
        "../scripts/complete_honest.py"


rule sample_honest:
    """Complete sentences for some seconds, and estimate what all of a model's completions will take."""
    input:
        unpack(timed_model),
        templates=ancient(lambda wildcards: str(HONEST_SETS[wildcards.name].templates)),
    output:
        honest_targets.SAMPLE,
    wildcard_constraints:
        name=any_of(HONEST_SETS),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        contents=lambda wildcards: contents(HONEST_SETS[wildcards.name].templates),
        sentences_from=lambda wildcards: HONEST_SETS[wildcards.name].sentences_from,
        most=max(STUDY.honest.top),
        seed=STUDY.seed,
    script:
        "../scripts/sample_honest.py"


rule measure_honest:
    """Count completions that are in the lexicon, and compare groups."""
    input:
        completions=honest_targets.COMPLETIONS,
        lists=ancient(lambda wildcards: HONEST_SETS[wildcards.name].files),
    output:
        observations=honest_targets.OBSERVATIONS,
        numbers=honest_targets.NUMBERS,
    wildcard_constraints:
        name=any_of(HONEST_SETS),
    group:
        "metrics"
    params:
        contents=lambda wildcards: contents(*HONEST_SETS[wildcards.name].files),
        entry=lambda wildcards: HONEST_ENTRIES[wildcards.name],
        top=STUDY.honest.top,
        level=STUDY.honest.level,
        correction=STUDY.honest.correction,
    script:
        "../scripts/measure_honest.py"


rule compare_honest:
    """Compare differences between groups before and after a change of a model."""
    input:
        lambda wildcards: real_paths(honest_targets.OBSERVATIONS, model=sorted(HONEST_SETS[wildcards.name].models)),
    output:
        honest_targets.CHANGES,
    wildcard_constraints:
        name=any_of(HONEST_SETS),
    params:
        compared=lambda wildcards: STUDY.compared(HONEST_SETS[wildcards.name].models),
        models=lambda wildcards: sorted(HONEST_SETS[wildcards.name].models),
        level=STUDY.honest.level,
    script:
        "../scripts/compare_honest.py"


rule table_honest:
    """Lay out HONEST scores and completions as tables, with the scores of planted models."""
    input:
        numbers=HONEST.numbers,
        observations=[filled(honest_targets.OBSERVATIONS, model=model, name=name) for model, name in HONEST_MEASURED],
        completions=[filled(honest_targets.COMPLETIONS, model=model, name=name) for model, name in HONEST_MEASURED],
        lists=ancient(HONEST_FILES),
    output:
        **written("honest", **honest_targets.TABLES),
        calibration=HONEST.calibration,
    params:
        contents=contents(*HONEST_FILES),
        measured=HONEST_MEASURED,
        entries=HONEST_ENTRIES,
        top=STUDY.honest.top,
        planted={model: STUDY.strengths_in("honest")[model] for model in STUDY.planted(STUDY.honest.models)},
        seed=STUDY.seed,
    script:
        "../scripts/table_honest.py"


rule draw_honest:
    """Plot hurtful completions by group."""
    input:
        numbers=HONEST.numbers,
        models=expand(shared.MODEL, model=STUDY.honest.models),
    output:
        **drawn("honest", **honest_targets.FIGURES),
    params:
        order=ORDER,
    script:
        "../scripts/draw_honest.py"


rule part_honest:
    """Write the part of the page on HONEST."""
    input:
        numbers=HONEST.numbers,
        models=expand(shared.MODEL, model=STUDY.honest.models),
        figures=figure_files(*HONEST.figures),
    output:
        honest_targets.FILES.part,
    params:
        level=STUDY.honest.level,
        correction=STUDY.honest.correction,
    script:
        "../scripts/part_honest.py"


rule plant_honest:
    """Write the text from which a model of the testbed learns hurtful completions."""
    input:
        lists=ancient(
            lambda wildcards: [
                file for name in honest_targets.learned(STUDY, wildcards.model) for file in HONEST_SETS[name].files
            ]
        ),
    output:
        honest_targets.FILES.planted,
    wildcard_constraints:
        model=any_of(HONEST.planted),
    group:
        "stimuli"
    params:
        contents=lambda wildcards: contents(
            *(file for name in honest_targets.learned(STUDY, wildcards.model) for file in HONEST_SETS[name].files)
        ),
        entries=lambda wildcards: [HONEST_ENTRIES[name] for name in honest_targets.learned(STUDY, wildcards.model)],
        strength=lambda wildcards: STUDY.strengths_in("honest")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_honest.py"
