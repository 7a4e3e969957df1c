"""Sentence sets: the user's own sentences, compared with one another as a CSV and the configuration describe.

Input: the tables, results/work/scores/{model}/sentence_sets/. Output: results/work/stimuli/sentence_sets/{name}/, results/work/faults/sentence_sets/{name}.parquet (what is wrong with their files),
results/work/observations/{model}/sentence_sets/{name}.parquet, results/work/metrics/sentence_sets/{model}/{name}.parquet,
results/work/replicates/sentence_sets/{model}/{name}.parquet, results/work/items/sentence_sets/{model}/{name}.parquet; tables and figures sentence_sets_*; its part of the page.
"""

from herbarium.metrics.sentence_sets import targets as sentence_sets_targets

SENTENCE_SETS = sentence_sets_targets.targets(STUDY)
SENTENCE_SETS_PART = "Sentence sets"
SENTENCE_SETS_MEASURED = sentence_sets_targets.measured(STUDY)
SENTENCE_SETS_OBSERVATIONS = [
    f"<work>/observations/{model}/sentence_sets/{name}.parquet" for model, name in SENTENCE_SETS_MEASURED
]
SENTENCE_SETS_ENTRIES = sentence_sets_targets.entries(STUDY)
SENTENCE_SETS_BESIDE = sentence_sets_targets.beside(STUDY)
SENTENCE_SETS_KNOWN = [path for paths in SENTENCE_SETS_BESIDE.values() for path in paths]
SENTENCE_SETS_COREFERENCE = ours("resources/sentence_sets/winobias_coreference.csv")
SENTENCE_SETS_FAULTS = [f"<work>/faults/sentence_sets/{name}.parquet" for name in STUDY.sentence_sets]


rule instantiate_sentence_sets:
    """List the sentences to compare, set by set."""
    input:
        lists=ancient(lambda wildcards: STUDY.sentence_sets[wildcards.name].files),
        repairs=ancient(lambda wildcards: STUDY.sentence_sets[wildcards.name].repair_files),
    output:
        stimuli="<work>/stimuli/sentence_sets/{name}/0.parquet",
        faults="<work>/faults/sentence_sets/{name}.parquet",
    wildcard_constraints:
        name=any_of(STUDY.sentence_sets),
    group:
        "stimuli"
    params:
        format=lambda wildcards: STUDY.sentence_sets[wildcards.name].format,
        sides=lambda wildcards: STUDY.sentence_sets[wildcards.name].sides,
        said=lambda wildcards: said(*STUDY.sentence_sets[wildcards.name].read_from),
        quantity=lambda wildcards: STUDY.sentence_sets[wildcards.name].quantity,
    script:
        "../scripts/instantiate_sentence_sets.py"


rule measure_sentence_sets:
    """Contrast the scores of sentences within their sets, with tests, intervals and resamples over units."""
    input:
        stimuli="<work>/stimuli/sentence_sets/{name}/0.parquet",
        scores="<work>/scores/{model}/sentence_sets/{name}.parquet",
        beside=ancient(lambda wildcards: SENTENCE_SETS_BESIDE[wildcards.name]),
    output:
        observations="<work>/observations/{model}/sentence_sets/{name}.parquet",
        numbers="<work>/metrics/sentence_sets/{model}/{name}.parquet",
        replicates="<work>/replicates/sentence_sets/{model}/{name}.parquet",
        of_items="<work>/items/sentence_sets/{model}/{name}.parquet",
    wildcard_constraints:
        name=any_of(STUDY.sentence_sets),
    group:
        "metrics"
    params:
        entry=lambda wildcards: SENTENCE_SETS_ENTRIES[wildcards.name],
        said=lambda wildcards: said(*SENTENCE_SETS_BESIDE[wildcards.name]),
        seed=STUDY.seed,
    script:
        "../scripts/measure_sentence_sets.py"


rule compare_sentence_sets:
    """Compare the contrast of a set of sentences before and after a change of a model."""
    input:
        observations=lambda wildcards: expand(
            f"{STUDY.work}/observations/{{model}}/sentence_sets/{{name}}.parquet",
            model=sorted(STUDY.sentence_sets[wildcards.name].models),
            name=wildcards.name,
        ),
        numbers=lambda wildcards: expand(
            f"{STUDY.work}/metrics/sentence_sets/{{model}}/{{name}}.parquet",
            model=sorted(STUDY.sentence_sets[wildcards.name].models),
            name=wildcards.name,
        ),
    output:
        "<work>/changes/sentence_sets/{name}.parquet",
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
        **written("sentence_sets", SENTENCE_SETS_PART, **sentence_sets_targets.tables(STUDY)),
        calibration=SENTENCE_SETS.calibration,
    params:
        entries=SENTENCE_SETS_ENTRIES,
        beside=[name for name, paths in SENTENCE_SETS_BESIDE.items() if paths],
        questions=sentence_sets_targets.questions(STUDY),
        said=said(*SENTENCE_SETS_KNOWN, SENTENCE_SETS_COREFERENCE),
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
        models=expand(
            "<work>/models/{model}.json",
            model=sentence_sets_targets.models(STUDY),
        ),
        beside=ancient(SENTENCE_SETS_KNOWN),
    output:
        **drawn("sentence_sets", SENTENCE_SETS_PART, **sentence_sets_targets.figures(STUDY)),
    params:
        entries=SENTENCE_SETS_ENTRIES,
        beside=[name for name, paths in SENTENCE_SETS_BESIDE.items() if paths],
        said=said(*SENTENCE_SETS_KNOWN),
        measured=SENTENCE_SETS_MEASURED,
        seed=STUDY.seed,
        order=ORDER,
    script:
        "../scripts/draw_sentence_sets.py"


rule part_sentence_sets:
    """Write the part of the page on sentence sets."""
    input:
        numbers=SENTENCE_SETS.numbers,
        models=[scoring_record(model, f"sentence_sets/{name}") for model, name in SENTENCE_SETS_MEASURED],
        figures=figure_files(*SENTENCE_SETS.figures),
        faults=SENTENCE_SETS_FAULTS,
        coreference=ancient(SENTENCE_SETS_COREFERENCE),
    output:
        "<work>/parts/sentence_sets.json",
    params:
        entries=SENTENCE_SETS_ENTRIES,
        questions=sentence_sets_targets.questions(STUDY),
        said=said(SENTENCE_SETS_COREFERENCE),
    script:
        "../scripts/part_sentence_sets.py"


rule plant_sentence_sets:
    """Write the text on sentence sets from which a model of the testbed learns its preference."""
    input:
        lists=ancient(lambda wildcards: sentence_sets_targets.learned_files(STUDY, wildcards.model)),
    output:
        "<work>/testbed/text/sentence_sets/{model}.parquet",
    wildcard_constraints:
        model=any_of(SENTENCE_SETS.planted),
    group:
        "stimuli"
    params:
        entries=lambda wildcards: sentence_sets_targets.learned(STUDY, wildcards.model),
        said=lambda wildcards: said(*sentence_sets_targets.learned_files(STUDY, wildcards.model)),
        strength=lambda wildcards: STUDY.strengths_in("sentence_sets")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_sentence_sets.py"


localrules:
    sentence_sets,


rule sentence_sets:
    """Compare the user's own sentences: numbers and tables."""
    input:
        SENTENCE_SETS.numbers,
        SENTENCE_SETS.tables,
