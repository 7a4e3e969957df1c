"""Herbarium. The workflow is workflow/Snakefile; this file lets `snakemake` find it from the root too."""


include: "workflow/Snakefile"


# that of an included file is lost
workflow.default_target = "all"
