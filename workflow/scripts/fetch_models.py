"""Complete the hub models and data sets of the study in the local cache (rule fetch_models)."""

from functools import partial
from pathlib import Path

from herbarium.core.console import log, start_log
from herbarium.core.errors import HerbariumError
from herbarium.core.resources import place
from herbarium.models import loading, sources

start_log(snakemake.log[0])
params = snakemake.params
wanted = []  # what it is called, and what completes it
for name, entry in params.models.items():
    commit = loading.revision(name, entry, Path(params.lock))
    complete = partial(loading.fetch_missing, entry["hub"], commit, loading.wanted_files(entry))
    wanted.append((f"{entry['hub']} at {commit[:12]}", complete))
for source in params.sources:
    entry = source["entry"]
    if source["is_data"]:
        if entry["hub"] or entry["git"]:
            wanted.append((place(entry), partial(sources.fetch_missing, entry)))
    elif entry["hub"]:
        complete = partial(loading.fetch_missing, entry["hub"], entry["revision"], loading.wanted_files(entry))
        wanted.append((f"{entry['hub']} at {entry['revision'][:12]}", complete))
faults = []
for what, complete in wanted:
    try:
        n_files = complete()
    except HerbariumError as error:  # one that requires accepting a licence, for example: the others are still fetched
        faults.append(str(error))
    else:
        log.info("%s: %s.", what, f"{n_files} files fetched" if n_files else "was there")
if faults:
    raise HerbariumError("\n".join(faults))
