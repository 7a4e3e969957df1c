"""The report: one self-contained page.

Input: results/summary.parquet, results/metrics/mixed_effects_fits.parquet, results/models/, results/downstream/,
results/figures/, results/tables/. Output: results/report/index.html.
"""


rule write_report:
    """Write the page that a study ends in."""
    input:
        summary="<results>/summary.parquet",
        regions="<results>/regions.parquet" if STUDY.herb_models or PROBED else [],
        models=expand("<results>/models/{model}/herb.json", model=STUDY.herb_models),
        languages=[
            "<results>/models/{0}/categorical_bias/{1}.json".format(
                *measured.split("/")
            )
            for measured in MEASURED
        ],
        fits="<results>/metrics/mixed_effects_fits.parquet" if MIXED_FITS else [],
        mixed_models=expand("<results>/models/{measured}.json", measured=MIXED_MEASURED),
        pictures=expand("<results>/figures/{figure}.png", figure=FIGURES),
        tables=expand("<results>/figures/{figure}.csv", figure=FIGURES),
        implied="<results>/tables/herb_implied.csv" if STUDY.herb_models else [],
        remarks="<results>/tables/cb_lists.csv" if MEASURED else [],
        examples=expand("<results>/downstream/{task}/examples.parquet", task=TASKS),
        prefixes=TASK_PREFIXES,
        classifiers=[
            f"{run}/classifier.json" for probed in PROBED for run in runs(probed)
        ],
        table4="<results>/tables/downstream_table4.csv" if PROBED else [],
        table5="<results>/tables/downstream_table5.csv" if PROBED else [],
        local_groups="<results>/tables/downstream_local_groups.csv" if PROBED else [],
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
        languages=[measured.split("/")[1] for measured in MEASURED],
        code=code("write_report"),
    message:
        "Writing the report"
    script:
        "../scripts/write_report.py"
