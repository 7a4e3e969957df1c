"""Propagation: whether what a model encodes about regions predicts what its classifiers do with them."""

from herbarium.metrics.propagation import targets as propagation_targets

PROPAGATION = propagation_targets.targets(STUDY)
# (task, model) of everything that is correlated, and of what is so over countries.
PROPAGATION_MEASURED = propagation_targets.measured(STUDY)
OVER_COUNTRIES = propagation_targets.over_countries(STUDY)


rule measure_propagation:
    """Correlate what a model encodes about countries with their effects in tasks, over countries."""
    input:
        measures=herb_targets.MEASURES,
        vectors=herb_targets.VECTORS,
        prefixes=downstream_targets.PREFIXES,
        downstream=downstream_targets.NUMBERS,
        by_set=downstream_targets.ITEMS,
    output:
        numbers=propagation_targets.OF_COUNTRIES,
        countries=propagation_targets.COUNTRIES,
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
        regions=shared.REGIONS,
        herb=herb_targets.of_models(herb_targets.NUMBERS, HERB_MODELS),
        measures=propagation_targets.measures_of_models(STUDY),
        downstream=propagation_targets.of(downstream_targets.NUMBERS, PROPAGATION_MEASURED),
    output:
        propagation_targets.OF_MODELS,
    params:
        tasks=list(dict.fromkeys(task for task, _ in PROPAGATION_MEASURED)),
        tests=plain(STUDY.propagation.tests),
        seed=STUDY.seed,
    script:
        "../scripts/compare_propagation.py"


rule draw_propagation:
    """Plot what a model encodes about countries against their effects in tasks."""
    input:
        regions=shared.REGIONS,
        countries=propagation_targets.of(propagation_targets.COUNTRIES, OVER_COUNTRIES),
        correlations=PROPAGATION.numbers,
        numbers=[
            *herb_targets.of_models(herb_targets.NUMBERS, HERB_MODELS),
            *propagation_targets.of(downstream_targets.NUMBERS, OVER_COUNTRIES),
        ],
    output:
        **drawn("propagation", **propagation_targets.FIGURES),
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
        propagation_targets.FILES.part,
    params:
        tasks=STUDY.downstream.planted,
        measured=PROPAGATION_MEASURED,
        planted=STUDY.strengths,
        settings=plain(STUDY.propagation),
    script:
        "../scripts/part_propagation.py"
