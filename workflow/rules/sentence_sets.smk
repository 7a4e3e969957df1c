"""Sentence sets: the user's own sentences, compared with one another as a CSV and the configuration describe."""

from herbarium.metrics.sentence_sets import targets as sentence_sets_targets

SENTENCE_SETS = sentence_sets_targets.targets(STUDY)
SENTENCE_SETS_MEASURED = sentence_sets_targets.measured(STUDY)
SENTENCE_SETS_OBSERVATIONS = sentence_sets_targets.files(sentence_sets_targets.OBSERVATIONS, SENTENCE_SETS_MEASURED)
SENTENCE_SETS_ENTRIES = sentence_sets_targets.entries(STUDY)
SENTENCE_SETS_BESIDE = sentence_sets_targets.beside(STUDY)
SENTENCE_SETS_KNOWN = [path for paths in SENTENCE_SETS_BESIDE.values() for path in paths]
SENTENCE_SETS_COREFERENCE = ours("resources/sentence_sets/winobias_coreference.csv")
SENTENCE_SETS_FAULTS = expand(sentence_sets_targets.FAULTS, name=sentence_sets_targets.with_models(STUDY))


rule instantiate_sentence_sets:
    """List the sentences to compare, set by set."""
    input:
        lists=ancient(lambda wildcards: STUDY.sentence_sets[wildcards.name].files),
        repairs=ancient(lambda wildcards: STUDY.sentence_sets[wildcards.name].repair_files),
    output:
        stimuli=filled(shared.STIMULI, stimuli=sentence_sets_targets.STIMULI, shard=0),
        faults=sentence_sets_targets.FAULTS,
    wildcard_constraints:
        name=any_of(STUDY.sentence_sets),
    group:
        "stimuli"
    params:
        format=lambda wildcards: STUDY.sentence_sets[wildcards.name].format,
        reading=lambda wildcards: STUDY.sentence_sets[wildcards.name].reading,
        sides=lambda wildcards: STUDY.sentence_sets[wildcards.name].sides,
        contents=lambda wildcards: contents(*STUDY.sentence_sets[wildcards.name].read_from),
        quantity=lambda wildcards: STUDY.sentence_sets[wildcards.name].quantity,
        sample=lambda wildcards: (limit := STUDY.sentence_sets[wildcards.name].limit) and [limit, STUDY.seed],
    script:
        "../scripts/instantiate_sentence_sets.py"


rule measure_sentence_sets:
    """Contrast the scores of sentences within their sets, with tests, intervals and resamples over units."""
    input:
        stimuli=filled(shared.STIMULI, stimuli=sentence_sets_targets.STIMULI, shard=0),
        scores=filled(shared.SCORES, stimuli=sentence_sets_targets.STIMULI),
        beside=ancient(lambda wildcards: SENTENCE_SETS_BESIDE[wildcards.name]),
    output:
        observations=sentence_sets_targets.OBSERVATIONS,
        numbers=sentence_sets_targets.NUMBERS,
        replicates=sentence_sets_targets.REPLICATES,
        of_items=sentence_sets_targets.ITEMS,
    wildcard_constraints:
        name=any_of(STUDY.sentence_sets),
    group:
        "metrics"
    params:
        entry=lambda wildcards: SENTENCE_SETS_ENTRIES[wildcards.name],
        contents=lambda wildcards: contents(*SENTENCE_SETS_BESIDE[wildcards.name]),
        seed=STUDY.seed,
    script:
        "../scripts/measure_sentence_sets.py"


rule compare_sentence_sets:
    """Compare the contrast of a set of sentences before and after a change of a model."""
    input:
        observations=lambda wildcards: real_paths(
            sentence_sets_targets.OBSERVATIONS, model=sorted(STUDY.sentence_sets[wildcards.name].models)
        ),
        numbers=lambda wildcards: real_paths(
            sentence_sets_targets.NUMBERS, model=sorted(STUDY.sentence_sets[wildcards.name].models)
        ),
    output:
        sentence_sets_targets.CHANGES,
    wildcard_constraints:
        name=any_of(STUDY.sentence_sets),
    params:
        compared=lambda wildcards: STUDY.compared(STUDY.sentence_sets[wildcards.name].models),
        models=lambda wildcards: sorted(STUDY.sentence_sets[wildcards.name].models),
        entry=lambda wildcards: SENTENCE_SETS_ENTRIES[wildcards.name],
    script:
        "../scripts/compare_sentence_sets.py"


rule table_sentence_sets:
    """Lay out numbers and scores of sentence sets as tables, with the numbers of planted models."""
    input:
        numbers=SENTENCE_SETS.numbers,
        observations=SENTENCE_SETS_OBSERVATIONS,
        faults=SENTENCE_SETS_FAULTS,
        beside=ancient(SENTENCE_SETS_KNOWN),
        coreference=ancient(SENTENCE_SETS_COREFERENCE),
    output:
        **written("sentence_sets", **sentence_sets_targets.tables(STUDY)),
        calibration=SENTENCE_SETS.calibration,
    params:
        entries=SENTENCE_SETS_ENTRIES,
        beside=[name for name, paths in SENTENCE_SETS_BESIDE.items() if paths],
        questions=sentence_sets_targets.questions(STUDY),
        contents=contents(*SENTENCE_SETS_KNOWN, SENTENCE_SETS_COREFERENCE),
        measured=SENTENCE_SETS_MEASURED,
        calibrated=sentence_sets_targets.calibrated(STUDY),
        planted={model: STUDY.strengths_in("sentence_sets")[model] for model in sentence_sets_targets.models(STUDY)},
    script:
        "../scripts/table_sentence_sets.py"


rule draw_sentence_sets:
    """Plot the contrasts of sentence sets by group and model."""
    input:
        numbers=SENTENCE_SETS.numbers,
        observations=SENTENCE_SETS_OBSERVATIONS,
        models=expand(shared.MODEL, model=sentence_sets_targets.models(STUDY)),
        beside=ancient(SENTENCE_SETS_KNOWN),
    output:
        **drawn("sentence_sets", **sentence_sets_targets.figures(STUDY)),
    params:
        entries=SENTENCE_SETS_ENTRIES,
        beside=[name for name, paths in SENTENCE_SETS_BESIDE.items() if paths],
        contents=contents(*SENTENCE_SETS_KNOWN),
        measured=SENTENCE_SETS_MEASURED,
        seed=STUDY.seed,
        order=ORDER,
    script:
        "../scripts/draw_sentence_sets.py"


rule part_sentence_sets:
    """Write the part of the page on sentence sets."""
    input:
        numbers=SENTENCE_SETS.numbers,
        models=[
            scoring_record(model, filled(sentence_sets_targets.STIMULI, name=name))
            for model, name in SENTENCE_SETS_MEASURED
        ],
        figures=figure_files(*SENTENCE_SETS.figures),
        faults=SENTENCE_SETS_FAULTS,
        coreference=ancient(SENTENCE_SETS_COREFERENCE),
    output:
        sentence_sets_targets.FILES.part,
    params:
        entries=SENTENCE_SETS_ENTRIES,
        questions=sentence_sets_targets.questions(STUDY),
        contents=contents(SENTENCE_SETS_COREFERENCE),
    script:
        "../scripts/part_sentence_sets.py"


rule plant_sentence_sets:
    """Write the text on sentence sets from which a model of the testbed learns its preference."""
    input:
        lists=ancient(lambda wildcards: sentence_sets_targets.learned_files(STUDY, wildcards.model)),
    output:
        sentence_sets_targets.FILES.planted,
    wildcard_constraints:
        model=any_of(SENTENCE_SETS.planted),
    group:
        "stimuli"
    params:
        entries=lambda wildcards: sentence_sets_targets.learned(STUDY, wildcards.model),
        contents=lambda wildcards: contents(*sentence_sets_targets.learned_files(STUDY, wildcards.model)),
        strength=lambda wildcards: STUDY.strengths_in("sentence_sets")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_sentence_sets.py"
