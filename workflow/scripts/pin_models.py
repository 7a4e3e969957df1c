"""Write the present commit of every unpinned hub model to the lock file (rule pin_models)."""

from pathlib import Path

import yaml

from herbarium import models, store
from herbarium.console import log, start_log

start_log(snakemake.log[0])
lock = Path(snakemake.params.lock)
pinned = models.read_lock(lock)
new = models.latest_revisions([hub for hub in snakemake.params.hubs if hub not in pinned])
store.write_text(
    lock, "# Hub id: pinned commit. Written by `snakemake pin_models`.\n" + yaml.safe_dump({**pinned, **new})
)
log.info("Pinned %s in %s; %d were pinned before.", ", ".join(new) or "nothing new", lock, len(pinned))
