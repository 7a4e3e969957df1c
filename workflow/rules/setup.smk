"""What surrounds a run: models that must be there, one run at a time in a results folder, and records of what made each
file, which travel with the results.
"""

import errno
import fcntl
import filecmp
import json
import os
import shutil
from base64 import urlsafe_b64decode
from contextlib import suppress
from pathlib import Path


def rest_between_jobs():
    """Look at what waits when a job ends, and not once a second more for every job that has ended.

    Snakemake does the latter for a limit that it sets by itself, 100 starts a second: a fifth of a core after two hundred
    jobs, and ever more. A limit that the user asks for stays.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


def require_models():
    """Stop before the first job when a model or data set of this run can not be had."""

    jobs = [
        (job.rule.name, dict(job.wildcards.items()))
        for job in workflow.dag.needrun_jobs()
    ]
    resolved = [
        wildcards["model"] for rule, wildcards in jobs if rule == "resolve_model"
    ]
    wanted = {f"models.{name}": plain(STUDY.models[name]) for name in sorted(resolved)}
    read = [of for of in TARGETS.sources if (of.rule, of.wildcards) in jobs]
    wanted |= {of.key: of.entry for of in read if not of.is_data}
    try:
        loading.require_available(wanted, STUDY.lock)
        sources.require_available({of.key: of.entry for of in read if of.is_data})
    except HerbariumError as error:
        raise WorkflowError(str(error)) from None


# Snakemake's records of what made each file (parameters, inputs with their checksums). Those of the results travel with
# them, so that a folder of results that is copied into a fresh clone is as good as one that was made there.
RECORDS = Path(".snakemake", "metadata")
TRAVELLING = Path(STUDY.results, RECORDS)
# Older than any input of a study: Snakemake compares only such inputs by content as are newer than what hangs on them.
LONG_AGO = 946_684_800  # 2000-01-01, seconds since 1970


def records(folder):
    """The records in a folder, each with the file that it is of: Snakemake names them by that, encoded and cut."""
    for path in sorted(folder.rglob("[!.]*")):
        if path.is_file():
            parts = path.relative_to(folder).parts
            encoded = "".join(part.removeprefix("@") for part in parts)
            yield path.relative_to(folder), Path(urlsafe_b64decode(encoded).decode())


def copy_record(name, source, target):
    """Copy a record whole or not at all: a run can be killed at any time."""
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    partial = target / f".{os.getpid()}.partial"
    try:
        shutil.copy2(source / name, partial)
        os.replace(partial, target / name)
    finally:
        partial.unlink(missing_ok=True)


def give_records():
    """After a run: put the records of the results beside them."""
    try:
        for name, file in records(RECORDS):
            known = TRAVELLING / name
            if file.is_relative_to(STUDY.results) and not (
                known.exists() and filecmp.cmp(RECORDS / name, known)
            ):
                copy_record(name, RECORDS, TRAVELLING)
    except OSError as error:
        logger.warning(
            f"What made each result could not be written beside them, for copies of the folder: {error}"
        )


def is_of(record, file):
    """Whether a record is of the file that is there: made when the record says, not put in the place of that."""
    try:
        made = json.loads(record.read_text())["endtime"]
    except (OSError, ValueError):
        return False
    return abs(file.stat().st_mtime - made) < 1  # s; some network file systems round


def take_records():
    """Before Snakemake looks at records: take those that came with results which were not made in this folder."""
    for name, file in records(TRAVELLING):
        known = RECORDS / name
        if (
            file.is_file()
            and not (known.exists() and filecmp.cmp(TRAVELLING / name, known))
            and not is_of(known, file)
        ):
            with suppress(OSError):  # a dry run on results that are not one's own
                os.utime(file, (LONG_AGO, LONG_AGO))
            copy_record(name, TRAVELLING, RECORDS)


def claim_results():
    """Stop before the first job when the results cannot be written, or are being written by a run of another clone, which
    Snakemake's own lock knows nothing of."""
    lock = TRAVELLING.with_name("lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        # never closed: the lock holds until the process ends, however it does
        claimed = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        fcntl.flock(claimed, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise WorkflowError(
            f"Another run writes into {STUDY.results} now. Wait for its end: what it makes is not made again."
        ) from None
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):
            raise WorkflowError(
                f"{error.filename}: {error.strerror}. Snakemake must be able to write there; `results:` in the "
                "configuration says where else."
            ) from None


if workflow.is_main_process:
    # its absence would be taken for that of a folder of an old Snakemake
    RECORDS.with_name("incomplete").mkdir(parents=True, exist_ok=True)
    take_records()
