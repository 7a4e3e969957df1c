"""Herbarium: social bias in language models, from templates through likelihood scores to metrics and a report.

The stages are in workflow/rules/, one file each; what they call is in workflow/scripts/; the keys of the configuration
are explained in config/README.md.
"""

from snakemake.utils import min_version

min_version("9.20")


# --configfile replaces the full study instead of being merged into it
if not workflow.overwrite_configfiles:

    configfile: "config/config.yaml"


include: "workflow/rules/common.smk"


pathvars:
    results=STUDY.results,
    logs=f"{STUDY.results}/logs",
    benchmarks=f"{STUDY.results}/benchmarks",


report: "workflow/report/workflow.rst"


onstart:
    require_models()
    claim_results()
    rest_between_jobs()


onsuccess:
    give_records()


onerror:
    give_records()


include: "workflow/rules/models.smk"
include: "workflow/rules/probes.smk"
include: "workflow/rules/plans.smk"
include: "workflow/rules/scores.smk"
include: "workflow/rules/toxic.smk"
include: "workflow/rules/downstream.smk"
include: "workflow/rules/metrics.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/report.smk"


localrules:
    all,
    herb,
    categorical_bias,
    mixed_effects,
    downstream,
    figures,
    report,
    pin_models,
    verify,
    compare_runs,
    fetch_models,


rule all:
    default_target: True
    input:
        rules.record_run.input,
        "<results>/run.json",


rule herb:
    input:
        HERB_NUMBERS,
        TOXIC_NUMBERS,
        rules.table_herb.output if STUDY.herb_models else [],


rule categorical_bias:
    input:
        CATEGORICAL_BIAS_NUMBERS,
        rules.table_categorical_bias.output if MEASURED else [],


rule mixed_effects:
    input:
        MIXED_NUMBERS,
        rules.table_mixed_effects.output if MIXED_FITS else [],


rule downstream:
    input:
        DOWNSTREAM_NUMBERS,
        rules.table_downstream.output if PROBED else [],


rule figures:
    input:
        FIGURE_FILES,


rule report:
    input:
        "<results>/report/index.html",
