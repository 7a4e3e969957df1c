"""Metrics: tidy numbers from scores.

Input: results/scores/, results/embeddings/, results/regions.parquet. Output: results/likelihoods/{model}.parquet,
results/associations/{model}/{language}.parquet, results/metrics/, results/summary.*.
"""


rule assemble_herb:
    """Lay f(S) out by region and description, wording by wording."""
    input:
        regions="<results>/regions.parquet",
        names="<results>/names.parquet",
        probes=expand(
            "<results>/probes/{probe}/{shard}.parquet", probe=HERB_PROBES, shard=SHARDS
        ),
        scores=expand("<results>/scores/{{model}}/{probe}.parquet", probe=HERB_PROBES),
    output:
        "<results>/likelihoods/{model}.parquet",
    log:
        "<logs>/assemble_herb/{model}.log",
    benchmark:
        "<benchmarks>/assemble_herb/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        wordings=WORDINGS,
        padded=list(PADDED),
        code=code("assemble_herb"),
    message:
        "Assembling the likelihoods of {wildcards.model}"
    script:
        "../scripts/assemble_herb.py"


rule measure_herb:
    """HERB of every region of every level, with bootstrap intervals over descriptions, sub-regions and both."""
    input:
        regions="<results>/regions.parquet",
        likelihoods="<results>/likelihoods/{model}.parquet",
    output:
        numbers="<results>/metrics/herb/{model}.parquet",
        intervals="<results>/metrics/herb_intervals/{model}.parquet",
        replicates="<results>/metrics/herb_replicates/{model}.parquet",
    log:
        "<logs>/measure_herb/{model}.log",
    benchmark:
        "<benchmarks>/measure_herb/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 8
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        topics=TOPICS,
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
        code=code("measure_herb"),
    message:
        "Measuring HERB of {wildcards.model}"
    script:
        "../scripts/measure_herb.py"


rule measure_herb_hierarchy:
    """Test whether regions of one region lie closer to each other than chance has it."""
    input:
        regions="<results>/regions.parquet",
        likelihoods="<results>/likelihoods/{model}.parquet",
    output:
        "<results>/metrics/herb_hierarchy/{model}.parquet",
    log:
        "<logs>/measure_herb_hierarchy/{model}.log",
    benchmark:
        "<benchmarks>/measure_herb_hierarchy/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 8
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        topics=TOPICS,
        bootstrap=plain(STUDY.herb.bootstrap),
        tests=plain(STUDY.herb.tests),
        seed=STUDY.seed,
        code=code("measure_herb_hierarchy"),
    message:
        "Testing the hierarchy of regions in {wildcards.model}"
    script:
        "../scripts/measure_herb_hierarchy.py"


rule compare_herb:
    """Differences of HERB between models and between continents, on the same resamples."""
    input:
        regions="<results>/regions.parquet",
        numbers=expand(
            "<results>/metrics/herb/{model}.parquet", model=STUDY.herb_models
        ),
        replicates=expand(
            "<results>/metrics/herb_replicates/{model}.parquet",
            model=STUDY.herb_models,
        ),
    output:
        "<results>/metrics/herb_differences.parquet",
    log:
        "<logs>/compare_herb.log",
    benchmark:
        "<benchmarks>/compare_herb.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    params:
        models=STUDY.herb_models,
        level=STUDY.herb.bootstrap.level,
        correction=STUDY.herb.tests.correction,
        code=code("compare_herb"),
    message:
        "Comparing HERB of models and continents"
    script:
        "../scripts/compare_herb.py"


rule ablate_herb:
    """HERB with other words, topics, templates, names, without hierarchy, and as the released code has it."""
    input:
        regions="<results>/regions.parquet",
        likelihoods="<results>/likelihoods/{model}.parquet",
    output:
        "<results>/metrics/herb_ablations/{model}.parquet",
    log:
        "<logs>/ablate_herb/{model}.log",
    benchmark:
        "<benchmarks>/ablate_herb/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 8
    resources:
        mem_mb=growing(4000),
        runtime=growing(120),
    params:
        topics=TOPICS,
        substituted=list(STUDY.herb.substitutes),
        departures=STUDY.herb.departures,
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
        code=code("ablate_herb"),
    message:
        "Measuring what HERB of {wildcards.model} hangs on"
    script:
        "../scripts/ablate_herb.py"


rule measure_herb_space:
    """Whether countries of one continent lie close together in a model's representations of their names."""
    input:
        regions="<results>/regions.parquet",
        embeddings="<results>/embeddings/{model}/herb.parquet",
    output:
        "<results>/metrics/herb_space/{model}.parquet",
    log:
        "<logs>/measure_herb_space/{model}.log",
    benchmark:
        "<benchmarks>/measure_herb_space/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    params:
        seed=STUDY.seed,
        code=code("measure_herb_space"),
    message:
        "Measuring how {wildcards.model} lays out countries"
    script:
        "../scripts/measure_herb_space.py"


rule assemble_categorical_bias:
    """Lay log P' out by template, attribute and target of a language's lists."""
    input:
        probe="<results>/probes/categorical_bias/{language}/0.parquet",
        scores="<results>/scores/{model}/categorical_bias/{language}.parquet",
    output:
        "<results>/associations/{model}/{language}.parquet",
    log:
        "<logs>/assemble_categorical_bias/{model}-{language}.log",
    benchmark:
        "<benchmarks>/assemble_categorical_bias/{model}-{language}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        code=code("assemble_categorical_bias"),
    message:
        "Assembling the associations of {wildcards.model} in {wildcards.language}"
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
    benchmark:
        "<benchmarks>/measure_categorical_bias/{model}-{language}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        lists=lists,
        ddof=STUDY.categorical_bias.ddof,
        bootstrap=plain(STUDY.categorical_bias.bootstrap),
        tests=plain(STUDY.categorical_bias.tests),
        seed=STUDY.seed,
        code=code("measure_categorical_bias"),
    message:
        "Measuring Categorical Bias of {wildcards.model} in {wildcards.language}"
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
    benchmark:
        "<benchmarks>/compare_categorical_bias.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    params:
        languages=LANGUAGES,
        level=STUDY.categorical_bias.bootstrap.level,
        correction=STUDY.categorical_bias.tests.correction,
        code=code("compare_categorical_bias"),
    message:
        "Comparing Categorical Bias of models, languages and lists"
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
    benchmark:
        "<benchmarks>/measure_divergences.tsv"
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
    message:
        "Measuring how far languages lie apart"
    script:
        "../scripts/measure_divergences.py"


rule observe_mixed_effects:
    """Of each gendered word the sentence with the least pseudo-perplexity, balanced by pairs, and its association."""
    input:
        model="<results>/models/{model}.json",
        lists=probe_files,
        probe=expand(
            "<results>/probes/mixed_effects/{{name}}/{shard}.parquet", shard=SHARDS
        ),
        scores="<results>/scores/{model}/mixed_effects/{name}.parquet",
    output:
        "<results>/observations/{model}/mixed_effects/{name}.parquet",
    log:
        "<logs>/observe_mixed_effects/{model}-{name}.log",
    benchmark:
        "<benchmarks>/observe_mixed_effects/{model}-{name}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(20),
    params:
        lists=lambda wildcards: MIXED_PROBES[wildcards.name]["lists"],
        code=code("observe_mixed_effects"),
    message:
        "Choosing the sentences of {wildcards.name} that {wildcards.model} finds least perplexing"
    script:
        "../scripts/observe_mixed_effects.py"


rule observe_crows_pairs:
    """Lay out the scores of CrowS-Pairs by pair and side."""
    input:
        probe="<results>/probes/crows_pairs/0.parquet",
        scores="<results>/scores/{model}/crows_pairs.parquet",
    output:
        "<results>/observations/{model}/crows_pairs.parquet",
    log:
        "<logs>/observe_crows_pairs/{model}.log",
    benchmark:
        "<benchmarks>/observe_crows_pairs/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        code=code("observe_crows_pairs"),
    message:
        "Laying out the scores of CrowS-Pairs by {wildcards.model}"
    script:
        "../scripts/observe_crows_pairs.py"


rule measure_mixed_effects:
    """Fit the mixed models of all probes of a model with lme4, and the intervals of R²."""
    input:
        observations=observations,
        crows_pairs=crows_pairs_observations,
        lists=lambda wildcards: tables(observed_probes(wildcards).values()),
    output:
        fits="<results>/metrics/mixed_effects/{model}.parquet",
        levels="<results>/metrics/mixed_effects_levels/{model}.parquet",
        bins="<results>/metrics/mixed_effects_bins/{model}.parquet",
        crows_pairs="<results>/metrics/crows_pairs/{model}.parquet",
    log:
        "<logs>/measure_mixed_effects/{model}.log",
    benchmark:
        "<benchmarks>/measure_mixed_effects/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(120),
    params:
        probes=observed_probes,
        settings=MIXED_SETTINGS,
        seed=STUDY.seed,
        code=code("measure_mixed_effects"),
    message:
        "Fitting the mixed models of {wildcards.model}"
    script:
        "../scripts/measure_mixed_effects.py"


rule measure_mixed_effects_further:
    """Fit mixed models with other random effects and with fewer templates."""
    input:
        observations=observations,
        lists=lambda wildcards: tables(observed_probes(wildcards).values()),
    output:
        "<results>/metrics/mixed_effects_further/{model}.parquet",
    log:
        "<logs>/measure_mixed_effects_further/{model}.log",
    benchmark:
        "<benchmarks>/measure_mixed_effects_further/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(240),
    params:
        probes=observed_probes,
        asked=MIXED_EFFECTS["sensitivity"],
        settings=MIXED_SETTINGS,
        seed=STUDY.seed,
        code=code("measure_mixed_effects_further"),
    message:
        "Fitting further mixed models of {wildcards.model}"
    script:
        "../scripts/measure_mixed_effects_further.py"


rule measure_mixed_effects_groups:
    """Fit the mixed model to scores of HERB and Categorical Bias."""
    input:
        regions="<results>/regions.parquet",
        likelihoods=grouped_likelihoods,
        associations=grouped_associations,
    output:
        "<results>/metrics/mixed_effects_groups/{model}.parquet",
    log:
        "<logs>/measure_mixed_effects_groups/{model}.log",
    benchmark:
        "<benchmarks>/measure_mixed_effects_groups/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(240),
    params:
        templates=TEMPLATE_WORDINGS,
        topics=TOPICS,
        leading=grouped_languages,
        settings=MIXED_SETTINGS,
        seed=STUDY.seed,
        code=code("measure_mixed_effects_groups"),
    message:
        "Fitting mixed models of continents and languages of {wildcards.model}"
    script:
        "../scripts/measure_mixed_effects_groups.py"


rule adjust_mixed_effects:
    """Put the fits of all models into one table, with p-values adjusted."""
    input:
        MIXED_FITS,
    output:
        fits="<results>/metrics/mixed_effects_fits.parquet",
        numbers="<results>/metrics/mixed_effects.parquet",
    log:
        "<logs>/adjust_mixed_effects.log",
    benchmark:
        "<benchmarks>/adjust_mixed_effects.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        correction=STUDY.mixed_effects.tests.correction,
        code=code("adjust_mixed_effects"),
    message:
        "Adjusting the p-values of the mixed models"
    script:
        "../scripts/adjust_mixed_effects.py"


rule summarize:
    """Put every number of the study into one table."""
    input:
        HERB_NUMBERS,
        TOXIC_NUMBERS,
        CATEGORICAL_BIAS_NUMBERS,
        MIXED_NUMBERS,
        DOWNSTREAM_NUMBERS,
    output:
        parquet="<results>/summary.parquet",
        csv="<results>/summary.csv",
    log:
        "<logs>/summarize.log",
    benchmark:
        "<benchmarks>/summarize.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(10),
    params:
        code=code("summarize"),
    message:
        "Summarizing every number"
    script:
        "../scripts/summarize.py"
