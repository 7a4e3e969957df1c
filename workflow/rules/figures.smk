"""Figures: each with the table that it was drawn from.

Input: results/summary.parquet, results/likelihoods/, results/associations/, results/embeddings/,
results/metrics/mixed_effects*, results/metrics/downstream/, results/metrics/propagation*, results/downstream/. Output:
results/figures/{figure}.{svg,pdf,png,csv}.
"""


rule figure_herb_map:
    """World map of what a model thinks of one description, country by country."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        likelihoods=expand(
            "<results>/likelihoods/{model}.parquet", model=STUDY.herb_models
        ),
        countries="resources/maps/countries.geojson",
    output:
        **figure_files("herb", "map"),
    log:
        "<logs>/figure_herb_map.log",
    benchmark:
        "<benchmarks>/figure_herb_map.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        topics=TOPICS,
        description=STUDY.herb.shown_description,
        code=code("figure_herb_map"),
    message:
        "Drawing the map of '{params.description}'"
    script:
        "../scripts/figure_herb_map.py"


rule figure_herb_continents:
    """HERB of the Earth and its continents, model beside model, with intervals."""
    input:
        summary="<results>/summary.parquet",
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
    output:
        **figure_files("herb", "continents"),
    log:
        "<logs>/figure_herb_continents.log",
    benchmark:
        "<benchmarks>/figure_herb_continents.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        code=code("figure_herb_continents"),
    message:
        "Drawing HERB by continent"
    script:
        "../scripts/figure_herb_continents.py"


rule figure_herb_ranking:
    """Countries and continents, ranked by what a model thinks of one description."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        likelihoods=expand(
            "<results>/likelihoods/{model}.parquet", model=STUDY.herb_models
        ),
    output:
        **figure_files("herb", "ranking"),
    log:
        "<logs>/figure_herb_ranking.log",
    benchmark:
        "<benchmarks>/figure_herb_ranking.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        topics=TOPICS,
        description=STUDY.herb.shown_description,
        code=code("figure_herb_ranking"),
    message:
        "Ranking regions by '{params.description}'"
    script:
        "../scripts/figure_herb_ranking.py"


rule figure_herb_heatmap:
    """Descriptive vectors of the continents, topic by topic; those of the countries as a table."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        likelihoods=expand(
            "<results>/likelihoods/{model}.parquet", model=STUDY.herb_models
        ),
    output:
        **figure_files("herb", "heatmap"),
        countries="<results>/figures/herb_heatmap_countries.csv",
    log:
        "<logs>/figure_herb_heatmap.log",
    benchmark:
        "<benchmarks>/figure_herb_heatmap.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        topics=TOPICS,
        code=code("figure_herb_heatmap"),
    message:
        "Drawing descriptive vectors"
    script:
        "../scripts/figure_herb_heatmap.py"


rule figure_herb_words:
    """Which descriptions drive the bias of the root and of each continent."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        likelihoods=expand(
            "<results>/likelihoods/{model}.parquet", model=STUDY.herb_models
        ),
    output:
        **figure_files("herb", "words"),
    log:
        "<logs>/figure_herb_words.log",
    benchmark:
        "<benchmarks>/figure_herb_words.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        topics=TOPICS,
        code=code("figure_herb_words"),
    message:
        "Ranking descriptions by their share in each region's bias"
    script:
        "../scripts/figure_herb_words.py"


rule figure_herb_space:
    """Countries as models represent their names, beside the real map."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        embeddings=expand(
            "<results>/embeddings/{model}/herb.parquet", model=STUDY.herb_models
        ),
        numbers=expand(
            "<results>/metrics/herb_space/{model}.parquet", model=STUDY.herb_models
        ),
        countries="resources/maps/countries.geojson",
    output:
        **figure_files("herb", "space"),
    log:
        "<logs>/figure_herb_space.log",
    benchmark:
        "<benchmarks>/figure_herb_space.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    params:
        seed=STUDY.seed,
        code=code("figure_herb_space"),
    message:
        "Drawing countries as models represent them"
    script:
        "../scripts/figure_herb_space.py"


rule figure_categorical_bias_distributions:
    """Which targets a model expects with some attributes, language beside language."""
    input:
        summary="<results>/summary.parquet",
        models=expand(
            "<results>/models/{model}.json", model=STUDY.categorical_bias.models
        ),
        associations=expand(
            "<results>/associations/{measured}.parquet", measured=MEASURED
        ),
        lists=tables(LEADING.values()),
    output:
        **figure_files("categorical_bias", "distributions"),
    log:
        "<logs>/figure_categorical_bias_distributions.log",
    benchmark:
        "<benchmarks>/figure_categorical_bias_distributions.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        languages=LANGUAGES,
        shown=STUDY.categorical_bias.shown,
        code=code("figure_categorical_bias_distributions"),
    message:
        "Drawing distributions over targets"
    script:
        "../scripts/figure_categorical_bias_distributions.py"


rule figure_categorical_bias_heatmap:
    """Which targets a model expects with which attributes, those that are alike side by side."""
    input:
        models=expand(
            "<results>/models/{model}.json", model=STUDY.categorical_bias.models
        ),
        associations=expand(
            "<results>/associations/{measured}.parquet", measured=MEASURED
        ),
        lists=tables(LEADING.values()),
    output:
        **figure_files("categorical_bias", "heatmap"),
    log:
        "<logs>/figure_categorical_bias_heatmap.log",
    benchmark:
        "<benchmarks>/figure_categorical_bias_heatmap.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        languages=LANGUAGES,
        code=code("figure_categorical_bias_heatmap"),
    message:
        "Drawing targets by attributes"
    script:
        "../scripts/figure_categorical_bias_heatmap.py"


rule figure_categorical_bias_scores:
    """Categorical Bias by language and model, and what is left of it among targets of equal length."""
    input:
        summary="<results>/summary.parquet",
        models=expand(
            "<results>/models/{model}.json", model=STUDY.categorical_bias.models
        ),
    output:
        **figure_files("categorical_bias", "scores"),
    log:
        "<logs>/figure_categorical_bias_scores.log",
    benchmark:
        "<benchmarks>/figure_categorical_bias_scores.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        languages=LANGUAGES,
        code=code("figure_categorical_bias_scores"),
    message:
        "Drawing Categorical Bias by language and model"
    script:
        "../scripts/figure_categorical_bias_scores.py"


rule figure_categorical_bias_lengths:
    """What each target adds to Categorical Bias, by its number of sub-tokens."""
    input:
        summary="<results>/summary.parquet",
        models=expand(
            "<results>/models/{model}.json", model=STUDY.categorical_bias.models
        ),
    output:
        **figure_files("categorical_bias", "lengths"),
    log:
        "<logs>/figure_categorical_bias_lengths.log",
    benchmark:
        "<benchmarks>/figure_categorical_bias_lengths.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        languages=LANGUAGES,
        code=code("figure_categorical_bias_lengths"),
    message:
        "Drawing Categorical Bias by the length of targets"
    script:
        "../scripts/figure_categorical_bias_lengths.py"


rule figure_mixed_effects_scores:
    """Bias scores of mixed models by dimension and model, beside those of the maximal model."""
    input:
        fits="<results>/metrics/mixed_effects_fits.parquet",
        models=expand("<results>/models/{model}.json", model=MIXED_MODELS),
    output:
        **figure_files("mixed_effects", "scores"),
    log:
        "<logs>/figure_mixed_effects_scores.log",
    benchmark:
        "<benchmarks>/figure_mixed_effects_scores.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        probes=MIXED_DATA,
        interval_level=MIXED_EFFECTS["bootstrap"]["level"],
        equivalence_ratio=MIXED_EFFECTS["tests"]["equivalence_ratio"],
        code=code("figure_mixed_effects_scores"),
    message:
        "Drawing bias scores of mixed models"
    script:
        "../scripts/figure_mixed_effects_scores.py"


rule figure_mixed_effects_effect_sizes:
    """R² of mixed models by dimension and model, over Cohen's bands."""
    input:
        fits="<results>/metrics/mixed_effects_fits.parquet",
        models=expand("<results>/models/{model}.json", model=MIXED_MODELS),
    output:
        **figure_files("mixed_effects", "effect_sizes"),
    log:
        "<logs>/figure_mixed_effects_effect_sizes.log",
    benchmark:
        "<benchmarks>/figure_mixed_effects_effect_sizes.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        probes=MIXED_DATA,
        interval_level=MIXED_EFFECTS["bootstrap"]["level"],
        code=code("figure_mixed_effects_effect_sizes"),
    message:
        "Drawing effect sizes of mixed models"
    script:
        "../scripts/figure_mixed_effects_effect_sizes.py"


rule figure_mixed_effects_levels:
    """What mixed models predict for each template and each target."""
    input:
        levels=expand(
            "<results>/metrics/mixed_effects_levels/{model}.parquet",
            model=MIXED_MODELS,
        ),
        models=expand("<results>/models/{model}.json", model=MIXED_MODELS),
    output:
        **figure_files("mixed_effects", "levels"),
    log:
        "<logs>/figure_mixed_effects_levels.log",
    benchmark:
        "<benchmarks>/figure_mixed_effects_levels.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        probes=list(MIXED_PROBES),
        code=code("figure_mixed_effects_levels"),
    message:
        "Drawing random effects of templates and targets"
    script:
        "../scripts/figure_mixed_effects_levels.py"


rule figure_mixed_effects_bins:
    """Bias score and R² of mixed models by pseudo-perplexity."""
    input:
        bins=expand(
            "<results>/metrics/mixed_effects_bins/{model}.parquet", model=MIXED_MODELS
        ),
        models=expand("<results>/models/{model}.json", model=MIXED_MODELS),
    output:
        **figure_files("mixed_effects", "bins"),
    log:
        "<logs>/figure_mixed_effects_bins.log",
    benchmark:
        "<benchmarks>/figure_mixed_effects_bins.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        probes=list(MIXED_PROBES),
        code=code("figure_mixed_effects_bins"),
    message:
        "Drawing bias scores by pseudo-perplexity"
    script:
        "../scripts/figure_mixed_effects_bins.py"


rule figure_downstream_map:
    """World maps of what a country before a text changes in a task."""
    input:
        numbers=DOWNSTREAM_MEASURES,
        prefixes=TASK_PREFIXES,
        countries="resources/maps/countries.geojson",
    output:
        **figure_files("downstream", "map"),
    log:
        "<logs>/figure_downstream_map.log",
    benchmark:
        "<benchmarks>/figure_downstream_map.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        tasks=list(TASKS),
        probed=PROBED,
        planted=PLANTED,
        code=code("figure_downstream_map"),
    message:
        "Drawing the maps of downstream tasks"
    script:
        "../scripts/figure_downstream_map.py"


rule figure_downstream_ranking:
    """Countries ranked by what they change in a task, beside names that mean nothing."""
    input:
        numbers=DOWNSTREAM_MEASURES,
        prefixes=TASK_PREFIXES,
    output:
        **figure_files("downstream", "ranking"),
    log:
        "<logs>/figure_downstream_ranking.log",
    benchmark:
        "<benchmarks>/figure_downstream_ranking.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        tasks=list(TASKS),
        probed=PROBED,
        level=STUDY.downstream.bootstrap.level,
        planted=PLANTED,
        code=code("figure_downstream_ranking"),
    message:
        "Ranking countries by what they change in tasks"
    script:
        "../scripts/figure_downstream_ranking.py"


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
    benchmark:
        "<benchmarks>/figure_downstream_propagation.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        probed=PROPAGATED,
        level=STUDY.downstream.bootstrap.level,
        planted=PLANTED,
        code=code("figure_downstream_propagation"),
    message:
        "Drawing intrinsic against extrinsic measures"
    script:
        "../scripts/figure_downstream_propagation.py"


rule figure_downstream_planted:
    """What the texts of tasks were planted with against what is measured."""
    input:
        regions="<results>/regions.parquet",
        numbers=DOWNSTREAM_MEASURES,
        prefixes=TASK_PREFIXES,
    output:
        **figure_files("downstream", "planted"),
    log:
        "<logs>/figure_downstream_planted.log",
    benchmark:
        "<benchmarks>/figure_downstream_planted.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        probed=PROBED,
        strengths=PLANTED_TEXTS,
        level=STUDY.downstream.bootstrap.level,
        seed=STUDY.seed,
        planted=PLANTED,
        code=code("figure_downstream_planted"),
    message:
        "Drawing what was planted and what is found"
    script:
        "../scripts/figure_downstream_planted.py"


rule figure_calibration:
    """Each metric against the strength of planted bias."""
    input:
        summary="<results>/summary.parquet",
        regions="<results>/regions.parquet" if STUDY.herb_models else [],
    output:
        **figure_files("study", "calibration"),
    log:
        "<logs>/figure_calibration.log",
    benchmark:
        "<benchmarks>/figure_calibration.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        planted=PLANTED,
        tasks=PLANTED_TEXTS,
        code=code("figure_calibration"),
    message:
        "Drawing every metric against the strength of planted bias"
    script:
        "../scripts/figure_calibration.py"
