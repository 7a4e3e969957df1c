"""Write the report page of a study (rule write_report)."""

from pathlib import Path

import yaml

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.drawing import style
from herbarium.page import changes
from herbarium.page.build import build
from herbarium.page.calibration import calibration
from herbarium.page.checkpoints import checkpoints
from herbarium.page.drivers import by_part, drivers
from herbarium.page.error_rates import error_rates
from herbarium.page.limits import limits
from herbarium.page.methods import methods, paragraphs
from herbarium.page.overview import looks, overview
from herbarium.page.provenance import provenance
from herbarium.page.reliability import reliability
from herbarium.page.reproduction import reproduction
from herbarium.page.sentences import sentences
from herbarium.page.uncertainty import uncertainty
from herbarium.report.part import from_record
from herbarium.report.pictures import read
from herbarium.report.reference import screened
from herbarium.statistics.agreement import NOT_MEASURED
from herbarium.study import scope, signatures
from herbarium.study.reproduction import read as read_reproduction
from herbarium.study.sentences import of_metrics

made = begin(snakemake)
style.order(snakemake.params.order)
given, study, output = snakemake.input, snakemake.params.study, snakemake.output[0]
parts = [from_record(store.read_record(path)) for path in given.parts]
# for a model in several parts, the first says how it scores
models = list({model["name"]: model for part in reversed(parts) for model in part.models}.values())
summary = store.read_frame(given.summary, "tidy")
text = {"keep_default_na": False, "na_values": [""]}
figures = read_reproduction(given.reproduction)
refusals = store.read_csv(Path(given.refusals).read_bytes(), dtype={"model": str}, **text)
pictures = read(given.answers + given.calibration + given.changes + given.checkpoints)
screen = screened(parts, pictures["calibration"].table if "calibration" in pictures else None, summary)
parts = screen.parts
before_after = pictures.get("changes")
flagged = changes.flagged(before_after.table) if before_after else []
lines = store.read_csv(Path(given.signatures).read_bytes(), usecols=["signature"])["signature"]
by_key = signatures.by_key(lines)
examples = store.read_csv(Path(given.sentences).read_bytes(), dtype={"model": str}, **text)
asked = [metric for metric, _ in of_metrics(examples)]
compared = bool(before_after) and not before_after.table.empty  # empty if only checkpoints of one training are compared
ranked = {}
if given.words:
    names = dict.fromkeys(("model", "name", "measure"), str)
    ranked = by_part(store.read_csv(Path(given.words).read_bytes(), dtype=names, **text), parts)
rooms = [
    overview(
        *(parts, models, flagged, pictures["answers"], by_key, screen.withdrawn, screen.chance),
        asked=asked,
        ranked=ranked,
        compared=compared,
    ),
    *parts,
]
if compared:
    rooms.append(changes.changes(before_after))
if "checkpoints" in pictures:
    rooms.append(checkpoints(pictures["checkpoints"]))
if "calibration" in pictures:
    rooms.append(calibration(pictures["calibration"]))
if ranked:
    rooms.append(drivers(ranked, parts))
if given.reliability:
    stability = store.read_csv(Path(given.reliability).read_bytes(), dtype={"model": str}, **text)
    rooms.append(reliability(stability.fillna({"model": "", "note": ""}), parts))
if asked:
    rooms.append(sentences(examples))
validity = [store.read_csv(Path(path).read_bytes(), comment="#", keep_default_na=False) for path in given.validity]
header = store.header(output, made)
rooms.append(error_rates(validity, parts))
if (figures["agreement"] != NOT_MEASURED).any():
    counted = store.read_csv(Path(given.sources).read_bytes())
    rest = scope.left(scope.read(given.scope), snakemake.params.shown)
    rooms.append(reproduction(figures, parts, counted, rest))
citation = yaml.safe_load(Path(given.citation).read_text())
described = paragraphs(parts, models, study, refusals, made, header["libraries"], citation)
rooms += [
    uncertainty(summary, refusals, parts),
    limits(parts),
    methods(described, parts, citation),
    provenance(made, study),
]
countries = store.read_json(given.countries)
store.write_page(output, build(rooms, models, study, header, countries, looks(parts)))
