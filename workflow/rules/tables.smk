"""Tables: published figures beside ours.

Input: results/metrics/, results/scores/, resources/published/. Output: results/tables/*.csv.
"""


rule table_herb:
    """HERB's published tables beside our numbers, and our numbers as tables to read."""
    input:
        numbers=HERB_NUMBERS,
        regions="<results>/regions.parquet",
        published="resources/published/herb.csv",
        n_countries="resources/published/herb_regions.csv",
    output:
        **table_files(
            "herb",
            table1="C_w and C_z, as published and ours",
            table2="Sparseness without hierarchy, as published and ours",
            table3="C_w with each topic left out, as published and ours",
            table6="C_w with each topic's words replaced, as published and ours",
            intervals="Scores with intervals of every kind",
            wordings="Scores by template and by names of regions",
            differences="Differences between models and between continents, tested",
            hierarchy="Whether regions lie closer to their siblings than chance has it",
            departures="What each departure of the released code does",
            implied="The mean distances that the published Table 1 implies",
        ),
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
        **table_files("categorical_bias", lists="What is odd about the lists"),
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
        **table_files(
            "mixed_effects",
            table2="Professions and nouns, as published and ours",
            table3="Traits, male against female, as published and ours",
            table4="Traits, all contrasts, as published and ours",
            table5="Negative traits among the targets, as published and ours",
            table6="Common pairs of words, as published and ours",
            table7="Direct and indirect templates, as published and ours",
            table13="Sentences by template and dimension, as published and ours",
            table14="A causal model, as published and ours",
            table15="CrowS-Pairs, as published and ours",
            text="Figures in the text of the paper, and ours",
            scores="Every fit",
            bins="Scores and R² by pseudo-perplexity",
            sentences="Sentences by template and dimension",
        ),
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
        **table_files(
            "downstream",
            table4="Changes of probabilities in tasks, as published and ours",
            table5="Changes of labels in tasks, as published and ours",
            local_groups="Clusters of texts in which groups are treated unequally",
        ),
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


rule table_reproduction:
    """Every published figure beside ours, and whether they agree."""
    input:
        published=expand(
            "resources/published/{name}.csv",
            name=["herb", "categorical_bias", "mixed_effects"],
        ),
        herb=(
            expand("<results>/tables/herb_table{number}.csv", number=[1, 2, 3, 6])
            if STUDY.herb_models
            else []
        ),
        categorical_bias=(
            expand(
                "<results>/tables/cb_table{number}.csv",
                number=[2, 3, 4, 5, 7, 8, 9, "C"],
            )
            if MEASURED
            else []
        ),
        mixed_effects=(
            expand(
                "<results>/tables/mixed_effects_{name}.csv",
                name=[
                    *(f"table{number}" for number in [2, 3, 4, 5, 6, 7, 13, 14, 15]),
                    "text",
                ],
            )
            if MIXED_FITS
            else []
        ),
        downstream=(
            expand("<results>/tables/downstream_table{number}.csv", number=[4, 5])
            if PROBED
            else []
        ),
    output:
        **table_files("study", reproduction="Every published figure beside ours"),
    log:
        "<logs>/table_reproduction.log",
    benchmark:
        "<benchmarks>/table_reproduction.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        code=code("table_reproduction"),
    message:
        "Comparing every published figure with ours"
    script:
        "../scripts/table_reproduction.py"


rule table_refusals:
    """How many sentences of each model were refused, and why."""
    input:
        scores=expand("<results>/scores/{scored}.parquet", scored=SCORED),
    output:
        **table_files("study", refusals="Sentences that were refused, and why"),
    log:
        "<logs>/table_refusals.log",
    benchmark:
        "<benchmarks>/table_refusals.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        scored=SCORED,
        code=code("table_refusals"),
    message:
        "Counting refused sentences"
    script:
        "../scripts/table_refusals.py"
