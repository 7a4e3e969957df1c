"""Propagation.

"""


rule measure_propagation:
    """Correlate what a model holds of countries with what they change, over countries."""
    input:
        regions="<results>/regions.parquet",
        prefixes=of_task("prefixes.parquet"),
        likelihoods=of_model("likelihoods/{model}.parquet"),
        embeddings=of_model("embeddings/{model}/herb.parquet"),
        herb=of_model("metrics/herb/{model}.parquet"),
        downstream="<results>/metrics/downstream/{probed}.parquet",
    output:
        numbers="<results>/metrics/propagation/{probed}.parquet",
        countries="<results>/metrics/propagation_countries/{probed}.parquet",
    log:
        "<logs>/measure_propagation/{probed}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        topics=TOPICS,
        bootstrap=plain(STUDY.downstream.bootstrap),
        tests=plain(STUDY.downstream.tests),
        seed=STUDY.seed,
        code=code("measure_propagation"),
    script:
        "../scripts/measure_propagation.py"


rule compare_propagation:
    """Correlate intrinsic scores with what regions change, over models."""
    input:
        regions="<results>/regions.parquet",
        intrinsic=expand(
            "<results>/metrics/herb/{model}.parquet", model=STUDY.herb_models
        )
        + expand(
            "<results>/metrics/categorical_bias/{measured}.parquet", measured=MEASURED
        ),
        downstream=DOWNSTREAM_MEASURES,
    output:
        "<results>/metrics/propagation.parquet",
    log:
        "<logs>/compare_propagation.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        tasks=list(TASKS),
        leading=categorical_bias.leading(LANGUAGES),
        tests=plain(STUDY.downstream.tests),
        seed=STUDY.seed,
        code=code("compare_propagation"),
    script:
        "../scripts/compare_propagation.py"


rule figure_downstream_propagation:
    """What a model holds of countries against what these change in tasks."""
    input:
        regions="<results>/regions.parquet",
        countries=expand(
            "<results>/metrics/propagation_countries/{probed}.parquet",
            probed=PROPAGATED,
        ),
        correlations=[
            *expand(
                "<results>/metrics/propagation/{probed}.parquet", probed=PROPAGATED
            ),
            "<results>/metrics/propagation.parquet",
        ],
        numbers=[
            *expand("<results>/metrics/herb/{model}.parquet", model=STUDY.herb_models),
            *expand(
                "<results>/metrics/downstream/{probed}.parquet", probed=PROPAGATED
            ),
        ],
    output:
        **figure_files("downstream", "propagation"),
    log:
        "<logs>/figure_downstream_propagation.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        probed=PROPAGATED,
        level=STUDY.downstream.bootstrap.level,
        planted=PLANTED,
        code=code("figure_downstream_propagation"),
    script:
        "../scripts/figure_downstream_propagation.py"
