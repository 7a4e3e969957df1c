"""Herbarium. The workflow is workflow/Snakefile; this file lets `snakemake` find it from the root too."""


include: "workflow/Snakefile"
