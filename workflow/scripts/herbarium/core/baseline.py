"""What a run was planned from, and whether its jobs still find it.

A study runs for hours, and meanwhile people edit, pull and check out. A job that then imported or read something newer
would give its numbers the hashes of what the run was planned from; so it stops instead. That is written down before the
first job, next to the results, where jobs on other machines find it too.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.provenance import closure, file_hash, is_of_text, job_hash, source_hash, text_hash

# By which a file is known that nobody has written to since: size in bytes, and the dates of its content and its entry
# in the file system, in nanoseconds. The latter cannot be set back, as `cp -p` and `rsync -t` do the former.
State = list[int]

_LIBRARY = Path(__file__).parents[2]
_REMEDY = "Run snakemake again: it makes what that changes, and keeps the rest."
_MOST = 3  # files in a message


@dataclass(frozen=True)
class Baseline:
    """What a run was planned from.

    - study: a hash of each thing that decides which jobs there are, and with which parameters, by its name in words
    - code: the state of every file of the library and of the scripts, by its path
    - hashes: of all code of a job (`provenance.job_hash`), by its rule and what its script calls by name
    - sources: state and checksum of each input that no job makes, by its path
    """

    study: dict[str, str]
    code: dict[str, State | None]
    hashes: dict[str, str]
    sources: dict[str, tuple[State | None, str]]


def write(results: str | Path, baseline: Baseline) -> None:
    store.write_json(_place(results), asdict(baseline))


def read(results: str | Path) -> Baseline | None:
    """That of the run that writes these results; None if there is none."""
    place = _place(results)
    return Baseline(**store.read_json(place)) if place.exists() else None


def _place(results: str | Path) -> Path:
    return Path(results, ".snakemake", "baseline.json")


def state(file: str | Path) -> State | None:
    """None if there is no such file."""
    try:
        entry = Path(file).stat()
    except OSError:
        return None
    return [entry.st_size, entry.st_mtime_ns, entry.st_ctime_ns]


def states(files: Iterable[str | Path]) -> dict[str, State | None]:
    return {str(file): state(file) for file in sorted(files)}


def examine(sources: Mapping[str, bool], earlier: Baseline | None) -> dict[str, tuple[State | None, str]]:
    """`Baseline.sources`. sources: whether a file is a handwritten text, whose comments do not count, by its path.
    earlier: that of an earlier run; what it has of a file that nobody has written to is not worked out again."""
    examined = {}
    for file, is_text in sources.items():
        now = state(file)  # before its content: a change in between is noticed later
        before, checksum = (earlier.sources if earlier else {}).get(file, (None, ""))
        if now is None or before != now or is_of_text(checksum) != is_text:
            try:
                checksum = (text_hash if is_text else file_hash)(Path(file))
            except OSError:  # which the job that reads it tells
                checksum = ""
        examined[file] = (now, checksum)
    return examined


def require_same_study(baseline: Baseline, study: Mapping[str, str]) -> None:
    """Raise HerbariumError if another machine has read another configuration, lock or rule than the run was planned
    from. study: as in `Baseline`."""
    _refuse([name for name in sorted({*baseline.study, *study}) if baseline.study.get(name) != study.get(name)])


def job_key(rule: str, calls: Iterable[str]) -> str:
    """By what `Baseline.hashes` knows a job. calls: what its script calls by name."""
    return " ".join([rule, *calls])


def require_same_code(
    baseline: Baseline, rule: str, script: Path, library: Path = _LIBRARY, calls: Sequence[str] = ()
) -> None:
    """Raise HerbariumError if the code of a job is not what the run was planned from.

    library: the folder of `herbarium`. calls: what its script calls by name. The code is hashed, in a fifth of a
    second, only if a file was written to."""
    edited = [file for file, before in baseline.code.items() if state(file) != before]
    planned = baseline.hashes.get(job_key(rule, calls))
    if edited and planned and _code_now(script, library, calls) != planned:
        _refuse(edited)


def _code_now(script: Path, library: Path, calls: Sequence[str]) -> str | None:
    """None for code that is being written just now."""
    try:
        return job_hash(script, library, calls)
    except (OSError, SyntaxError, ValueError):
        return None


def require_same_sources(baseline: Baseline, files: Iterable[str]) -> None:
    """Raise HerbariumError if the content of any of these files is not what the run was planned from; those that jobs
    make are passed over."""
    planned = {file: baseline.sources[file] for file in files if file in baseline.sources}
    touched = [file for file, (before, _) in planned.items() if state(file) != before]
    _refuse([file for file in touched if _checksum_now(file, planned[file][1]) != planned[file][1]])


def _checksum_now(file: str, recorded: str) -> str | None:
    try:
        return source_hash(Path(file), recorded)
    except OSError:
        return None


def in_use(baseline: Baseline, files: Iterable[str]) -> dict[str, State | None]:
    """The states of all code, and of those files, that the run was planned from."""
    return states({*files} & baseline.sources.keys() | baseline.code.keys())


def written_meanwhile(
    baseline: Baseline,
    before: Mapping[str, State | None],
    script: Path,
    library: Path = _LIBRARY,
    calls: Sequence[str] = (),
) -> str | None:
    """What to warn of if a file that a script reaches or reads was written to, though it is still what was planned.

    It may have been another in between, or somebody only saved, touched or linked it: that cannot be told apart, and so
    stops nothing. before: `in_use` when the job began. library: the folder of `herbarium`.
    """
    written = [file for file, was in before.items() if state(file) != was]
    if any(file in baseline.code for file in written):
        reached = {path.resolve() for path in closure(script, library, calls)}
        written = [file for file in written if file not in baseline.code or Path(file).resolve() in reached]
    if not written:
        return None
    return (
        f"{_named(written)}: written to while this job ran, though nothing that counts is other than planned. If "
        "it was other in between, delete what this job made, and run snakemake again."
    )


def _named(files: list[str]) -> str:
    return f"{', '.join(files[:_MOST])}{', …' * (len(files) > _MOST)}"


def _refuse(edited: list[str]) -> None:
    if edited:
        raise HerbariumError(
            f"{_named(edited)}: changed since this run was planned, so that a number would not come from what it says. "
            f"{_REMEDY}"
        )
