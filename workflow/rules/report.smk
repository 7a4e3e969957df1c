"""The report: one self-contained page.

Input: results/summary.parquet, results/models/, results/figures/, results/tables/. Output: results/report/index.html.
"""


rule write_report:
    """Write the page that a study ends in."""
    input:
        summary="<results>/summary.parquet",
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}/herb.json", model=STUDY.herb_models),
        pictures=expand("<results>/figures/herb_{figure}.png", figure=FIGURES),
        tables=expand("<results>/figures/herb_{figure}.csv", figure=FIGURES),
        implied="<results>/tables/herb_implied.csv",
    output:
        html="<results>/report/index.html",
    log:
        "<logs>/write_report.log",
    benchmark:
        "<benchmarks>/write_report.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        study=plain(STUDY),
        figures=FIGURES,
        code=code("write_report"),
    message:
        "Writing the report"
    script:
        "../scripts/write_report.py"
