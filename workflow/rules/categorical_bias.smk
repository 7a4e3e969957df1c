"""Categorical Bias.

"""


rule table_categorical_bias:
    """Categorical Bias as published beside our numbers, and our numbers as tables to read."""
    input:
        numbers=CATEGORICAL_BIAS_NUMBERS,
        published="resources/published/categorical_bias.csv",
    output:
        **table_files(
            "categorical_bias",
            table2="CB of multilingual and monolingual models, as published and ours",
            table3="Divergences between languages, as published and ours",
            table4="CB in six languages, as published and ours",
            table5="CB in English, as published and ours",
            table7="CB with additional words, as published and ours",
            table8="CB in Arabic and Greek, as published and ours",
            table9="Divergences from English, as published and ours",
            tableC="CB of XLM-RoBERTa, as published and ours",
            scores="Every score of every list",
            targets="What each target adds, and its sub-tokens",
            templates="CB by template",
            attributes="CB by attribute",
            differences="Differences between models, languages and lists, tested",
            divergences="Divergences between languages",
        ),
    log:
        "<logs>/table_categorical_bias.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        languages=LANGUAGES,
        code=code("table_categorical_bias"),
    script:
        "../scripts/table_categorical_bias.py"


rule check_lists:
    """Say what is odd about the lists of Categorical Bias."""
    input:
        tables(
            folder
            for language in LANGUAGES.values()
            for folder in language["lists"].values()
        ),
    output:
        **table_files("categorical_bias", lists="What is odd about the lists"),
    log:
        "<logs>/check_lists.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        lists={name: language["lists"] for name, language in LANGUAGES.items()},
        code=code("check_lists"),
    script:
        "../scripts/check_lists.py"


rule assemble_categorical_bias:
    """Lay log P' out by template, attribute and target of a language's lists."""
    input:
        probe="<results>/stimuli/categorical_bias/{language}/0.parquet",
        scores="<results>/scores/{model}/categorical_bias/{language}.parquet",
    output:
        "<results>/associations/{model}/{language}.parquet",
    log:
        "<logs>/assemble_categorical_bias/{model}-{language}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        code=code("assemble_categorical_bias"),
    script:
        "../scripts/assemble_categorical_bias.py"


rule measure_categorical_bias:
    """Categorical Bias of a model in a language, with intervals, and against chance."""
    input:
        associations="<results>/associations/{model}/{language}.parquet",
        lists=list_files,
    output:
        numbers="<results>/metrics/categorical_bias/{model}/{language}.parquet",
        replicates="<results>/metrics/categorical_bias_replicates/{model}/{language}.parquet",
    log:
        "<logs>/measure_categorical_bias/{model}-{language}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        lists=lists,
        ddof=STUDY.categorical_bias.ddof,
        bootstrap=plain(STUDY.categorical_bias.bootstrap),
        tests=plain(STUDY.categorical_bias.tests),
        seed=STUDY.seed,
        code=code("measure_categorical_bias"),
    script:
        "../scripts/measure_categorical_bias.py"


rule compare_categorical_bias:
    """Differences of Categorical Bias between models, languages and lists, on the same resamples."""
    input:
        numbers=expand(
            "<results>/metrics/categorical_bias/{measured}.parquet", measured=MEASURED
        ),
        replicates=expand(
            "<results>/metrics/categorical_bias_replicates/{measured}.parquet",
            measured=MEASURED,
        ),
    output:
        "<results>/metrics/categorical_bias_differences.parquet",
    log:
        "<logs>/compare_categorical_bias.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        languages=LANGUAGES,
        level=STUDY.categorical_bias.bootstrap.level,
        correction=STUDY.categorical_bias.tests.correction,
        code=code("compare_categorical_bias"),
    script:
        "../scripts/compare_categorical_bias.py"


rule measure_divergences:
    """How far the distributions over targets of two languages lie apart."""
    input:
        associations=expand(
            "<results>/associations/{measured}.parquet", measured=MEASURED
        ),
        lists=tables(LEADING.values()),
    output:
        "<results>/metrics/categorical_bias_divergences.parquet",
    log:
        "<logs>/measure_divergences.log",
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        languages=LANGUAGES,
        bootstrap=plain(STUDY.categorical_bias.bootstrap),
        seed=STUDY.seed,
        code=code("measure_divergences"),
    script:
        "../scripts/measure_divergences.py"


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
    conda:
        "../../envs/analysis.yaml"
    params:
        languages=LANGUAGES,
        shown=STUDY.categorical_bias.shown,
        code=code("figure_categorical_bias_distributions"),
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
    conda:
        "../../envs/analysis.yaml"
    params:
        languages=LANGUAGES,
        code=code("figure_categorical_bias_heatmap"),
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
    conda:
        "../../envs/analysis.yaml"
    params:
        languages=LANGUAGES,
        code=code("figure_categorical_bias_scores"),
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
    conda:
        "../../envs/analysis.yaml"
    params:
        languages=LANGUAGES,
        code=code("figure_categorical_bias_lengths"),
    script:
        "../scripts/figure_categorical_bias_lengths.py"


rule instantiate_categorical_bias_probe:
    """Put every target and attribute into the templates of a language's lists."""
    input:
        list_files,
    output:
        "<results>/stimuli/categorical_bias/{language}/0.parquet",
    log:
        "<logs>/instantiate_categorical_bias_probe/{language}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        lists=lists,
        code=code("instantiate_categorical_bias_probe"),
    script:
        "../scripts/instantiate_categorical_bias_probe.py"
