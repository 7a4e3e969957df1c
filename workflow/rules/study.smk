"""The whole study: files of one schema from every metric, one below the other; the page; the record of the run.

Input: what the metrics' targets list. Output: results/summary.*, results/tables/, results/figures/calibration.*, results/report/index.html,
results/run.json, results/comparison/{changes,causes}.csv.
"""


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
    conda:
        "../../envs/analysis.yaml"
    params:
        code=code("summarize"),
    script:
        "../scripts/summarize.py"


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
    conda:
        "../../envs/analysis.yaml"
    params:
        code=code("table_reproduction"),
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
    conda:
        "../../envs/analysis.yaml"
    params:
        scored=SCORED,
        code=code("table_refusals"),
    script:
        "../scripts/table_refusals.py"


rule figure_calibration:
    """Each metric against the strength of planted bias."""
    input:
        summary="<results>/summary.parquet",
        regions="<results>/regions.parquet" if STUDY.herb_models else [],
    output:
        **figure_files("study", "calibration"),
    log:
        "<logs>/figure_calibration.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        planted=PLANTED,
        tasks=PLANTED_TEXTS,
        code=code("figure_calibration"),
    script:
        "../scripts/figure_calibration.py"


rule write_report:
    """Write the page that a study ends in."""
    input:
        summary="<results>/summary.parquet",
        regions="<results>/regions.parquet" if STUDY.herb_models or PROBED else [],
        models=[scoring_record(model, "herb") for model in STUDY.herb_models],
        languages=[
            scoring_record(model, f"categorical_bias/{language}")
            for model, language in (measured.split("/") for measured in MEASURED)
        ],
        fits="<results>/metrics/mixed_effects_fits.parquet" if MIXED_FITS else [],
        mixed_models=[
            scoring_record(*measured.split("/", 1)) for measured in MIXED_MEASURED
        ],
        pictures=expand("<results>/figures/{figure}.png", figure=FIGURES),
        tables=expand("<results>/figures/{figure}.csv", figure=FIGURES),
        countries="resources/maps/countries.geojson",
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
        reproduction="<results>/tables/reproduction.csv",
        refusals="<results>/tables/refusals.csv",
    output:
        html="<results>/report/index.html",
    log:
        "<logs>/write_report.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        study=plain(STUDY),
        languages=[measured.split("/")[1] for measured in MEASURED],
        code=code("write_report"),
    script:
        "../scripts/write_report.py"


rule record_run:
    """Record what made every file that the study ends in, back to its sources."""
    input:
        "<results>/summary.parquet",
        "<results>/summary.csv",
        rules.table_herb.output if STUDY.herb_models else [],
        rules.table_categorical_bias.output if MEASURED else [],
        rules.table_mixed_effects.output if MIXED_FITS else [],
        rules.table_downstream.output if PROBED else [],
        rules.table_reproduction.output,
        rules.table_refusals.output,
        FIGURE_FILES,
        "<results>/report/index.html",
    output:
        # earlier configurations stay while files of theirs are in use
        update("<results>/run.json"),
    log:
        "<logs>/record_run.log",
    conda:
        "../../envs/scoring.yaml"
    params:
        study=plain(STUDY),
        code=code("record_run"),
    script:
        "../scripts/record_run.py"


rule verify:
    """Compute every checksum anew, and say what is not as the record of the run says."""
    log:
        "<logs>/verify.log",
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(60),
    params:
        results=STUDY.results,
        code=code("verify"),
    script:
        "../scripts/verify.py"


rule compare_runs:
    """Say which numbers that are there differ from those of an earlier results folder, and what can be the cause."""
    log:
        "<logs>/compare_runs.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        base=str(STUDY.base) if STUDY.base else None,
        results=STUDY.results,
        code=code("compare_runs"),
    script:
        "../scripts/compare_runs.py"
