"""The page that a study ends in (rule write_report)."""

from pathlib import Path

import pandas as pd

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.categorical_bias.report import part as categorical_bias
from herbarium.metrics.downstream.report import part as downstream
from herbarium.metrics.herb.report import part as herb
from herbarium.metrics.mixed_effects.report import part as mixed_effects
from herbarium.page import build, calibration, limits, overview, provenance, reproduction, uncertainty
from herbarium.report.pictures import Picture, read_csv
from herbarium.statistics.fits_overview import ADJUSTED
from herbarium.statistics.grouped import TASK

made = begin(snakemake)
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


models = [store.read_record(path) for path in given.models]
regions = store.read_frame(given.regions, "regions") if given.regions else None
parts = {}
if models:
    implied = pd.read_csv(given.implied, keep_default_na=False)  # the code NA is a place
    parts["herb"] = herb.part(summary, regions, models, of_part("herb"), implied, study)
measured = [
    (language, store.read_record(path)) for language, path in zip(params.languages, given.languages, strict=True)
]
if measured:
    remarks = pd.read_csv(given.remarks, keep_default_na=False)
    parts["categorical_bias"] = categorical_bias.part(summary, measured, of_part("categorical_bias"), remarks, study)
classifiers = [store.read_record(path) for path in given.classifiers]
tasks = [
    downstream.Task(
        name,
        store.read_header(examples, "task_examples"),
        store.read_frame(prefixes, "task_prefixes"),
        [record for record in classifiers if record["task"] == name],
    )
    for name, examples, prefixes in zip(study["downstream"]["tasks"], given.examples, given.prefixes, strict=True)
]
every_model = downstream.bases(tasks) | {
    model["name"]: model
    for model in [*map(store.read_record, given.mixed_models), *(model for _, model in measured), *models]
}
fits = pd.DataFrame(columns=ADJUSTED.fields.names)
if given.fits:
    fits = store.read_frame(given.fits, "mixed_effects_adjusted")
of_tasks = fits["probe"].astype(str).str.startswith(TASK)
if not of_tasks.all():
    own = fits[~of_tasks]
    parts["mixed_effects"] = mixed_effects.part(
        own, summary, list(every_model.values()), of_part("mixed_effects"), study
    )
if tasks:
    names = ("table4", "table5", "local_groups")
    tables = {name: read_csv(Path(given[name]).read_bytes()) for name in names}
    parts["downstream"] = downstream.part(summary, fits[of_tasks], tasks, regions, tables, of_part("downstream"), study)
figures = pd.read_csv(given.reproduction, keep_default_na=False, na_values=[""], dtype={"table": str, "published": str})
refusals = pd.read_csv(given.refusals, keep_default_na=False, na_values=[""], dtype={"model": str})
sections = frozenset(section for part in parts.values() for section, _ in part.sections)
page = [
    overview.part(parts, list(every_model.values())),
    *parts.values(),
    *([calibration.part(pictures["calibration"])] if "calibration" in pictures else []),
    reproduction.part(figures, parts),
    uncertainty.part(summary, fits, refusals, study, sections),
    limits.part(parts),
    provenance.part(made, study),
]
said = store.header(snakemake.output.html, made)
text = build.build(page, list(every_model.values()), study, said, store.read_json(given.countries))
store.write_text(snakemake.output.html, text)
