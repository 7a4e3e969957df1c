"""Gender in context: what the gender of a sentence does to the vectors of its other words.

Input: results/stimuli/sentence_sets/{set}/; results/vectors/{source}/geometry/; corpora. Output: results/words/geometry/{name}.parquet, the words whose vectors are wanted, and results/designs/geometry/{name}.parquet, what they are
there for; results/metrics/geometry/{source}/{name}.parquet, with curves, accuracies and places in results/observations/{source}/geometry/; tables and figures geometry_*; its part of the page.
"""

from herbarium.metrics.geometry import targets as geometry_targets

with told_plainly():
    GEOMETRY = geometry_targets.targets(STUDY)
GEOMETRY_PART = "Gender in context"
GEOMETRY_MEASURED = STUDY.geometry.measured
GEOMETRY_SETS = {name: STUDY.sentence_sets[of.sentences] for name, of in STUDY.geometry.sets.items()}
GEOMETRY_OBSERVATIONS = [f"<results>/observations/{source}/geometry/{name}" for source, name in GEOMETRY_MEASURED]
GEOMETRY_MODELS = {source: STUDY.vectors[source].model for source, _ in GEOMETRY_MEASURED}


rule instantiate_geometry:
    """Lay out the words in pairs of sentences whose vectors are wanted."""
    input:
        sentences=lambda wildcards: f"{STUDY.results}/stimuli/sentence_sets/{STUDY.geometry.sets[wildcards.name].sentences}/0.parquet",
        lists=ancient(lambda wildcards: str(STUDY.geometry.sets[wildcards.name].neutral)),
    output:
        words="<results>/words/geometry/{name}.parquet",
        design="<results>/designs/geometry/{name}.parquet",
    log:
        "<logs>/instantiate_geometry/{name}.log",
    wildcard_constraints:
        name=any_of(STUDY.geometry.sets),
    group:
        "stimuli"
    conda:
        "../../envs/analysis.yaml"
    params:
        said=lambda wildcards: said(STUDY.geometry.sets[wildcards.name].neutral),
        word=lambda wildcards: STUDY.geometry.sets[wildcards.name].word,
        stereotype=lambda wildcards: STUDY.geometry.sets[wildcards.name].stereotype,
        sides=lambda wildcards: GEOMETRY_SETS[wildcards.name].sides,
        code=code("instantiate_geometry"),
    script:
        "../scripts/instantiate_geometry.py"


rule measure_geometry:
    """Measure what the gender of a sentence does to the vectors of its words, layer by layer."""
    input:
        design="<results>/designs/geometry/{name}.parquet",
        vectors="<results>/vectors/{source}/geometry/{name}.parquet",
        model=lambda wildcards: f"{STUDY.results}/models/{GEOMETRY_MODELS[wildcards.source]}.json",
    output:
        numbers="<results>/metrics/geometry/{source}/{name}.parquet",
        curves="<results>/observations/{source}/geometry/{name}/curves.parquet",
        accuracies="<results>/observations/{source}/geometry/{name}/accuracies.parquet",
        places="<results>/observations/{source}/geometry/{name}/places.parquet",
    log:
        "<logs>/measure_geometry/{source}-{name}.log",
    wildcard_constraints:
        source=any_of(GEOMETRY_MODELS),
        name=any_of(STUDY.geometry.sets),
    group:
        "metrics"
    conda:
        "../../envs/analysis.yaml"
    resources:
        runtime=growing(240),
    params:
        settings=dict(
            nu=STUDY.geometry.nu,
            folds=STUDY.geometry.folds,
            max_pairs=STUDY.geometry.max_pairs,
            level=STUDY.geometry.level,
            correction=STUDY.geometry.correction,
            seed=STUDY.seed,
        ),
        sides=lambda wildcards: GEOMETRY_SETS[wildcards.name].sides,
        code=code("measure_geometry"),
    script:
        "../scripts/measure_geometry.py"


rule count_geometry:
    """Count gendered pronouns in corpora, and occupations beside them."""
    input:
        corpora=expand("<results>/corpora/{corpus}.parquet", corpus=STUDY.geometry.corpora),
        lists=ancient(str(STUDY.geometry.occupations)),
    output:
        **written("geometry", GEOMETRY_PART, **geometry_targets.COUNTS),
    log:
        "<logs>/count_geometry.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        corpora=STUDY.geometry.corpora,
        said=said(STUDY.geometry.occupations),
        code=code("count_geometry"),
    script:
        "../scripts/count_geometry.py"


rule table_geometry:
    """Lay out gender in context as tables to read, and beside what is planted."""
    input:
        numbers=GEOMETRY.numbers,
        accuracies=[f"{of}/accuracies.parquet" for of in GEOMETRY_OBSERVATIONS],
        places=[f"{of}/places.parquet" for of in GEOMETRY_OBSERVATIONS],
    output:
        **written("geometry", GEOMETRY_PART, **geometry_targets.TABLES),
        calibration=GEOMETRY.calibration,
    log:
        "<logs>/table_geometry.log",
    group:
        "report"
    conda:
        "../../envs/analysis.yaml"
    params:
        planted=geometry_targets.planted(STUDY),
        code=code("table_geometry"),
    script:
        "../scripts/table_geometry.py"


rule draw_geometry:
    """Draw gender in context layer by layer, and the shares of principal directions."""
    input:
        numbers=GEOMETRY.numbers,
        curves=[f"{of}/curves.parquet" for of in GEOMETRY_OBSERVATIONS],
    output:
        **drawn("geometry", GEOMETRY_PART, **geometry_targets.FIGURES),
    log:
        "<logs>/draw_geometry.log",
    group:
        "report"
    conda:
        "../../envs/analysis.yaml"
    params:
        code=code("draw_geometry"),
    script:
        "../scripts/draw_geometry.py"


rule part_geometry:
    """Write what the page says of gender in context."""
    input:
        numbers=GEOMETRY.numbers,
        models=expand("<results>/models/{model}.json", model=sorted(set(GEOMETRY_MODELS.values()))),
        figures=figure_files(*GEOMETRY.figures),
    output:
        "<results>/parts/geometry.json",
    log:
        "<logs>/part_geometry.log",
    group:
        "report"
    conda:
        "../../envs/analysis.yaml"
    params:
        model_of=GEOMETRY_MODELS,
        level=STUDY.geometry.level,
        correction=STUDY.geometry.correction,
        code=code("part_geometry"),
    script:
        "../scripts/part_geometry.py"
