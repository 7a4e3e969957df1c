"""Record what made every file of the study (rule record_run)."""

from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.study import run

made = begin(snakemake)
output = Path(snakemake.output[0])
record = run.record(output.parent, snakemake.params.study, snakemake.config, snakemake.params.left_out, made)
store.write_record(output, record, made)
log.info("Run %s: %d files recorded.", made["run"], len(record["files"]))
