"""Write the present commit of every unpinned hub model to the lock file (rule pin_models)."""

from pathlib import Path

from herbarium.core.console import log, start_log
from herbarium.models import loading

start_log(snakemake.log[0])
lock = Path(snakemake.params.lock)
pinned = loading.read_lock(lock)
new = loading.latest_revisions([pin for pin in snakemake.params.pins if pin not in pinned])
loading.write_lock(lock, new)
log.info("Pinned %s in %s; %d were pinned before.", ", ".join(new) or "nothing new", lock, len(pinned))
