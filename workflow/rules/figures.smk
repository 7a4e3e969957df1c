"""Figures, each with the table that it was drawn from.

Input: results/summary.parquet, results/scores/. Output: results/figures/{figure}.{pdf,png,csv}.
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
        pdf="<results>/figures/herb_map.pdf",
        png="<results>/figures/herb_map.png",
        csv="<results>/figures/herb_map.csv",
    log:
        "<logs>/figure_herb_map.log",
    benchmark:
        "<benchmarks>/figure_herb_map.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=4000,
        runtime=10,
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
        pdf="<results>/figures/herb_continents.pdf",
        png="<results>/figures/herb_continents.png",
        csv="<results>/figures/herb_continents.csv",
    log:
        "<logs>/figure_herb_continents.log",
    benchmark:
        "<benchmarks>/figure_herb_continents.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("figure_herb_continents"),
    message:
        "Drawing HERB by continent"
    script:
        "../scripts/figure_herb_continents.py"
