"""Mixed effects.

"""


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
    conda:
        "../../envs/analysis.yaml"
    params:
        probes={name: probe["lists"] for name, probe in MIXED_PROBES.items()},
        observed=OBSERVED,
        causal=[name for name, model in STUDY.models.items() if model.kind == "causal"],
        code=code("table_mixed_effects"),
    script:
        "../scripts/table_mixed_effects.py"


rule observe_mixed_effects:
    """Of each gendered word the sentence with the least pseudo-perplexity, balanced by pairs, and its association."""
    input:
        model="<results>/models/{model}.json",
        lists=probe_files,
        probe=expand(
            "<results>/stimuli/mixed_effects/{{name}}/{shard}.parquet", shard=SHARDS
        ),
        scores="<results>/scores/{model}/mixed_effects/{name}.parquet",
    output:
        "<results>/observations/{model}/mixed_effects/{name}.parquet",
    log:
        "<logs>/observe_mixed_effects/{model}-{name}.log",
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(20),
    params:
        lists=lambda wildcards: MIXED_PROBES[wildcards.name]["lists"],
        code=code("observe_mixed_effects"),
    script:
        "../scripts/observe_mixed_effects.py"


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
    conda:
        "../../envs/analysis.yaml"
    params:
        correction=STUDY.mixed_effects.tests.correction,
        code=code("adjust_mixed_effects"),
    script:
        "../scripts/adjust_mixed_effects.py"


rule figure_mixed_effects_scores:
    """Bias scores of mixed models by dimension and model, beside those of the maximal model."""
    input:
        fits="<results>/metrics/mixed_effects_fits.parquet",
        models=expand("<results>/models/{model}.json", model=MIXED_MODELS),
    output:
        **figure_files("mixed_effects", "scores"),
    log:
        "<logs>/figure_mixed_effects_scores.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        probes=MIXED_DATA,
        interval_level=MIXED_EFFECTS["bootstrap"]["level"],
        equivalence_ratio=MIXED_EFFECTS["tests"]["equivalence_ratio"],
        code=code("figure_mixed_effects_scores"),
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
    conda:
        "../../envs/analysis.yaml"
    params:
        probes=MIXED_DATA,
        interval_level=MIXED_EFFECTS["bootstrap"]["level"],
        code=code("figure_mixed_effects_effect_sizes"),
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
    conda:
        "../../envs/analysis.yaml"
    params:
        probes=list(MIXED_PROBES),
        code=code("figure_mixed_effects_levels"),
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
    conda:
        "../../envs/analysis.yaml"
    params:
        probes=list(MIXED_PROBES),
        code=code("figure_mixed_effects_bins"),
    script:
        "../scripts/figure_mixed_effects_bins.py"


rule instantiate_mixed_effects_probe:
    """Put every gendered word, with every determiner, and the targets of one shard into the templates of a probe."""
    input:
        probe_files,
    output:
        "<results>/stimuli/mixed_effects/{name}/{shard}.parquet",
    log:
        "<logs>/instantiate_mixed_effects_probe/{name}-{shard}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        probe=lambda wildcards: MIXED_PROBES[wildcards.name],
        n_shards=STUDY.shards,
        code=code("instantiate_mixed_effects_probe"),
    script:
        "../scripts/instantiate_mixed_effects_probe.py"
