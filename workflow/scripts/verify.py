"""Check everything against the record of the run (rule verify)."""

from herbarium.core.console import log, start_log
from herbarium.core.errors import HerbariumError
from herbarium.study import verification

start_log(snakemake.log[0])
results, signature = snakemake.params.results, snakemake.params.signature
result = verification.verified(results, signature)
if result.faults:
    raise HerbariumError("\n".join([f"{len(result.faults)} faults in {results}:", *result.faults]))
log.info("Everything in %s is as its record says. %s", results, result)
