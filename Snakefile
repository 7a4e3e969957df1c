"""Herbarium. The workflow is workflow/Snakefile; this file lets `snakemake` find it from the root too."""


include: "workflow/Snakefile"


# that of a file that is included is forgotten
workflow.default_target = "all"
