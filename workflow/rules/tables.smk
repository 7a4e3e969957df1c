"""Tables: published figures beside ours.

Input: results/metrics/, resources/published/. Output: results/tables/*.csv.
"""


rule table_herb:
    """HERB's published tables beside our numbers, and our numbers as tables to read."""
    input:
        numbers=HERB_NUMBERS,
        regions="<results>/regions.parquet",
        published="resources/published/herb.csv",
        n_countries="resources/published/herb_regions.csv",
    output:
        table1="<results>/tables/herb_table1.csv",
        table2="<results>/tables/herb_table2.csv",
        table3="<results>/tables/herb_table3.csv",
        table6="<results>/tables/herb_table6.csv",
        intervals="<results>/tables/herb_intervals.csv",
        wordings="<results>/tables/herb_wordings.csv",
        differences="<results>/tables/herb_differences.csv",
        hierarchy="<results>/tables/herb_hierarchy.csv",
        departures="<results>/tables/herb_departures.csv",
        implied="<results>/tables/herb_implied.csv",
    log:
        "<logs>/table_herb.log",
    benchmark:
        "<benchmarks>/table_herb.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        topics=list(TOPICS),
        cities=STUDY.herb.regions.cities_in_words,
        code=code("table_herb"),
    message:
        "Writing the tables of HERB"
    script:
        "../scripts/table_herb.py"


rule table_categorical_bias:
    """Categorical Bias as published beside our numbers, and our numbers as tables to read."""
    input:
        numbers=CATEGORICAL_BIAS_NUMBERS,
        published="resources/published/categorical_bias.csv",
    output:
        table2="<results>/tables/cb_table2.csv",
        table3="<results>/tables/cb_table3.csv",
        table4="<results>/tables/cb_table4.csv",
        table5="<results>/tables/cb_table5.csv",
        table7="<results>/tables/cb_table7.csv",
        table8="<results>/tables/cb_table8.csv",
        table9="<results>/tables/cb_table9.csv",
        tableC="<results>/tables/cb_tableC.csv",
        scores="<results>/tables/cb_scores.csv",
        targets="<results>/tables/cb_targets.csv",
        templates="<results>/tables/cb_templates.csv",
        attributes="<results>/tables/cb_attributes.csv",
        differences="<results>/tables/cb_differences.csv",
        divergences="<results>/tables/cb_divergences.csv",
    log:
        "<logs>/table_categorical_bias.log",
    benchmark:
        "<benchmarks>/table_categorical_bias.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        languages=LANGUAGES,
        code=code("table_categorical_bias"),
    message:
        "Writing the tables of Categorical Bias"
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
        "<results>/tables/cb_lists.csv",
    log:
        "<logs>/check_lists.log",
    benchmark:
        "<benchmarks>/check_lists.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        lists={name: language["lists"] for name, language in LANGUAGES.items()},
        code=code("check_lists"),
    message:
        "Checking the lists of Categorical Bias"
    script:
        "../scripts/check_lists.py"


rule table_mixed_effects:
    """The mixed-effects study as published beside our numbers, and our numbers as tables to read."""
    input:
        fits="<results>/metrics/mixed_effects_fits.parquet",
        bins=expand(
            "<results>/metrics/mixed_effects_bins/{model}.parquet", model=MIXED_MODELS
        ),
        crows_pairs=expand(
            "<results>/metrics/crows_pairs/{model}.parquet", model=MIXED_MODELS
        ),
        observations=[
            f"<results>/observations/{model}/mixed_effects/{name}.parquet"
            for model, name in OBSERVED
        ],
        lists=tables(probe["lists"] for probe in MIXED_PROBES.values()),
        published="resources/published/mixed_effects.csv",
    output:
        table2="<results>/tables/mixed_effects_table2.csv",
        table3="<results>/tables/mixed_effects_table3.csv",
        table4="<results>/tables/mixed_effects_table4.csv",
        table5="<results>/tables/mixed_effects_table5.csv",
        table6="<results>/tables/mixed_effects_table6.csv",
        table7="<results>/tables/mixed_effects_table7.csv",
        table13="<results>/tables/mixed_effects_table13.csv",
        table14="<results>/tables/mixed_effects_table14.csv",
        table15="<results>/tables/mixed_effects_table15.csv",
        text="<results>/tables/mixed_effects_text.csv",
        scores="<results>/tables/mixed_effects_scores.csv",
        bins="<results>/tables/mixed_effects_bins.csv",
        sentences="<results>/tables/mixed_effects_sentences.csv",
    log:
        "<logs>/table_mixed_effects.log",
    benchmark:
        "<benchmarks>/table_mixed_effects.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        probes={name: probe["lists"] for name, probe in MIXED_PROBES.items()},
        observed=OBSERVED,
        causal=[name for name, model in STUDY.models.items() if model.kind == "causal"],
        code=code("table_mixed_effects"),
    message:
        "Writing the tables of the mixed models"
    script:
        "../scripts/table_mixed_effects.py"


rule table_downstream:
    """HERB's tables on tasks beside our numbers, and the clusters in which groups were treated unequally."""
    input:
        numbers=DOWNSTREAM_MEASURES,
        clusters=expand("<results>/metrics/local_groups/{probed}.parquet", probed=LOCAL),
        prefixes=TASK_PREFIXES,
        published="resources/published/herb.csv",
    output:
        table4="<results>/tables/downstream_table4.csv",
        table5="<results>/tables/downstream_table5.csv",
        local_groups="<results>/tables/downstream_local_groups.csv",
    log:
        "<logs>/table_downstream.log",
    benchmark:
        "<benchmarks>/table_downstream.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        tasks=list(TASKS),
        code=code("table_downstream"),
    message:
        "Writing the tables of downstream tasks"
    script:
        "../scripts/table_downstream.py"
