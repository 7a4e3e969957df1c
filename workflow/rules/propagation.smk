"""Propagation: whether what a model encodes about regions predicts what its classifiers do with them.

Input: results/work/metrics/country_measures/ and country_vectors/ (by HERB), the numbers of HERB and tasks, and what
other metrics write about whole models (the schema "model_measures"). Output:
results/work/metrics/propagation/{task}/{model}.parquet over countries, with the data of the figure in propagation_countries/;
results/work/metrics/propagation.parquet over models; a figure and the part of the page.
"""

from herbarium.metrics.propagation import targets as propagation_targets

PROPAGATION = propagation_targets.targets(STUDY)
# (task, model) of everything that is correlated, and of what is so over countries.
PROPAGATION_MEASURED = propagation_targets.measured(STUDY)
OVER_COUNTRIES = propagation_targets.over_countries(STUDY)


localrules:
    propagation,


rule measure_propagation:
    """Correlate what a model encodes about countries with their effects in tasks, over countries."""
    input:
        measures="<work>/metrics/country_measures/{model}.parquet",
        vectors="<work>/metrics/country_vectors/{model}.parquet",
        prefixes="<work>/downstream/{task}/prefixes.parquet",
        downstream="<work>/metrics/downstream/{task}/{model}.parquet",
        by_set="<work>/items/downstream/{task}/{model}.parquet",
    output:
        numbers="<work>/metrics/propagation/{task}/{model}.parquet",
        countries="<work>/metrics/propagation_countries/{task}/{model}.parquet",
    wildcard_constraints:
        task=any_of(STUDY.downstream.tasks),
    group:
        "report"
    params:
        bootstrap=plain(STUDY.propagation.bootstrap),
        tests=plain(STUDY.propagation.tests),
        seed=STUDY.seed,
    script:
        "../scripts/measure_propagation.py"


rule compare_propagation:
    """Correlate intrinsic scores with the effects of regions in tasks, over models."""
    input:
        regions="<work>/regions.parquet",
        herb=propagation_targets.herb(STUDY),
        measures=propagation_targets.measures_of_models(STUDY),
        downstream=propagation_targets.of("downstream", PROPAGATION_MEASURED),
    output:
        "<work>/metrics/propagation.parquet",
    params:
        tasks=list(dict.fromkeys(task for task, _ in PROPAGATION_MEASURED)),
        tests=plain(STUDY.propagation.tests),
        seed=STUDY.seed,
    script:
        "../scripts/compare_propagation.py"


rule draw_propagation:
    """Plot what a model encodes about countries against their effects in tasks."""
    input:
        regions="<work>/regions.parquet",
        countries=propagation_targets.of("propagation_countries", OVER_COUNTRIES),
        correlations=PROPAGATION.numbers,
        numbers=[
            *propagation_targets.herb(STUDY),
            *propagation_targets.of("downstream", OVER_COUNTRIES),
        ],
    output:
        **drawn(
            "propagation",
            "Propagation",
            scatter="What a model encodes about countries against their effects in tasks",
        ),
    params:
        measured=OVER_COUNTRIES,
        planted=STUDY.strengths,
        level=STUDY.propagation.bootstrap.level,
    script:
        "../scripts/draw_propagation.py"


rule part_propagation:
    """Write the part of the page on intrinsic and extrinsic measures."""
    input:
        numbers=PROPAGATION.numbers,
        figures=figure_files(*PROPAGATION.figures),
    output:
        "<work>/parts/propagation.json",
    params:
        tasks=STUDY.downstream.planted,
        measured=PROPAGATION_MEASURED,
        planted=STUDY.strengths,
        settings=plain(STUDY.propagation),
    script:
        "../scripts/part_propagation.py"


rule propagation:
    """Measure propagation: its numbers."""
    input:
        PROPAGATION.numbers,
