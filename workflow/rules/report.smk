"""The report: one self-contained page. The record of the run; whether all is as it says; what changed since another.

Input: results/summary.parquet, results/metrics/mixed_effects_fits.parquet, results/models/, results/downstream/,
results/figures/, results/tables/. Output: results/report/index.html, results/run.json,
results/comparison/{changes,causes}.csv.
"""


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
    benchmark:
        "<benchmarks>/write_report.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        study=plain(STUDY),
        languages=[measured.split("/")[1] for measured in MEASURED],
        code=code("write_report"),
    message:
        "Writing the report"
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
    benchmark:
        "<benchmarks>/record_run.tsv"
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(30),
    params:
        study=plain(STUDY),
        code=code("record_run"),
    message:
        "Recording the run"
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
    message:
        "Verifying {params.results}"
    script:
        "../scripts/verify.py"


rule compare_runs:
    """Say which numbers that are there differ from those of an earlier results folder, and what can be the cause."""
    log:
        "<logs>/compare_runs.log",
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        base=str(STUDY.base) if STUDY.base else None,
        results=STUDY.results,
        code=code("compare_runs"),
    message:
        "Comparing {params.results} with {params.base}"
    script:
        "../scripts/compare_runs.py"
