"""Write a line to cite for every number of the study (rule sign_numbers)."""

import os
from pathlib import Path

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.study import run, signatures

made = begin(snakemake)
results = made["results"]
places = [Path(os.path.relpath(path, results)).as_posix() for path in snakemake.input]
walked = run.walk(Path(results), places)
record = {"files": {place: header for place, (_, header) in walked.said.items()}, "models": walked.models}
numbers = ((place, store.read_frame(Path(results, place), "tidy")) for place in places)
store.write_csv(snakemake.output.csv, signatures.table(record, numbers, snakemake.params.seed, results), made)
