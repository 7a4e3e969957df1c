"""Write the results in formats that other tools read (rule exchange)."""

import shutil
from pathlib import Path
from urllib.parse import quote

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.provenance import file_hash
from herbarium.core.step import begin
from herbarium.study import run, signatures
from herbarium.study.exchange import every_eval_ever, lm_eval
from herbarium.study.exchange.crate import CRATE, crate
from herbarium.study.exchange.croissant import STIMULI, Shards, croissant

made = begin(snakemake)
given, output = snakemake.input, snakemake.output
results = Path(made["results"])
record = run.read(results)
study, libraries = record["study"], record["libraries"]

with store.atomic(output.workflow) as partial:
    shutil.copyfile(given.workflow, partial)

summary = store.read_frame(given.summary, "tidy")
lines = store.read_csv(Path(given.signatures).read_bytes(), usecols=["signature"])["signature"]
numbers = summary.assign(signature=signatures.in_order(summary, lines))
# if a model has several records, one that says which number format it ran in
models = {model["name"]: model for model in sorted(record["models"].values(), key=lambda model: "tuned" in model)}
with store.atomic_folder(output.lm_eval) as folder:
    for name, rows in numbers.groupby("model", sort=False):
        if name not in models and name not in study["vectors"]:  # a difference of models, for example
            continue
        document = lm_eval.results(rows, name, models.get(name), libraries, study["seed"])
        store.write_json(folder / f"{quote(name, safe='')}.json", document)

folders = [output.lm_eval]
if chosen := study["exchange"]["every_eval_ever"]:
    every_eval_ever.require_measured(chosen["lower_is_better"], summary["metric"].unique())
    folders.append(output.every_eval_ever)
    with store.atomic_folder(output.every_eval_ever) as folder:
        for name, rows in numbers.groupby("model", sort=False):
            rows = rows[rows["metric"].isin(chosen["lower_is_better"].keys())]
            if name in models and len(rows):
                place, document = every_eval_ever.record(rows, models[name], study["exchange"], libraries)
                (folder / place).parent.mkdir(parents=True, exist_ok=True)
                store.write_json(folder / place, document)

sets = {}
for place, document in record["files"].items():
    if place.startswith(f"{STIMULI}/") and place.endswith(".parquet"):
        name = Path(place).parent.relative_to(STIMULI).as_posix()
        shards = sets.setdefault(name, Shards({}, store.read_schema(results / place).fields))
        shards.files[Path(place).relative_to(STIMULI).as_posix()] = document["sha256"]
store.write_json(output.croissant, croissant(sets, study["exchange"], libraries["herbarium"]))

files = [path for folder in folders for path in sorted(Path(folder).rglob("*.json"))]
written = [output.workflow, output.croissant, *files]
sha256 = {Path(path).relative_to(results).as_posix(): file_hash(path) for path in written}
store.write_json(output.crate, crate(record, study["exchange"], sha256))
store.write_record(output.files, {"sha256": sha256 | {CRATE: file_hash(output.crate)}}, made)
log.info("%d files for exchange, %d sets of sentences.", len(sha256), len(sets))
