"""What passes between the steps of a metric, as the annotations of its functions say.

A table is `Annotated[pd.DataFrame, Table(path, schema)]`, for which a module has a name, such as `Observations`. A
function that is given it for several places has an argument `dict[Model, Observations]`, by `Name` or `Place`; without
that, tables of several places stand one below the other. Handwritten texts are `Annotated[…, Text(read, keys)]`.
Every other argument is a wildcard or a setting, by its name.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, NewType, get_args, get_origin, get_type_hints

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.files import placed
from herbarium.core.store import Schema
from herbarium.core.targets import filled

# By what tables are told apart: a model, what is measured in it by name, or both.
Model, Name = NewType("Model", str), NewType("Name", str)
Place = tuple[Model, Name]
_BY = {Model: ("model",), Name: ("name",), Place: ("model", "name")}


class Table(NamedTuple):
    """path: a pattern, with wildcards. schema: of the table there. says: what its file says of itself besides."""

    path: str
    schema: Schema
    says: Mapping[str, Any] = MappingProxyType({})

    def values(self, file: str) -> dict[str, str]:
        """The wildcards of a file of this pattern."""
        parts = re.split(r"\{(\w+)\}", self.path.partition("/")[2])
        pattern = "".join(f"(?P<{part}>[^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
        return re.search(f"{pattern}$", file).groupdict()


class Text(NamedTuple):
    """read: what makes of handwritten files what a step is given. keys: of an entry, its arguments."""

    read: Callable
    keys: tuple[str, ...]


class Argument(NamedTuple):
    """passage: None for a wildcard or a setting. by: what tells apart several, if the function is given each by a key.
    kind: its type otherwise."""

    passage: Table | Text | None
    by: tuple[str, ...]
    kind: Any


def arguments(function: Callable) -> dict[str, Argument]:
    """The arguments of a function, by name."""
    hints = get_type_hints(function, include_extras=True)
    return {name: _argument(hints.get(name)) for name in inspect.signature(function).parameters}


def tables_written(function: Callable) -> list[Table]:
    """The tables that a function returns, in order."""
    returned = get_type_hints(function, include_extras=True).get("return")
    each = get_args(returned) if get_origin(returned) is tuple else [returned]
    return [table for one in each if isinstance(table := _argument(one).passage, Table)]


def _argument(hint: Any) -> Argument:
    by: tuple[str, ...] = ()
    if get_origin(hint) is dict and (key := get_args(hint)[0]) in _BY:
        by, hint = _BY[key], get_args(hint)[1]
    if get_origin(hint) is Annotated:
        kind, *more = get_args(hint)
        return Argument(next((one for one in more if isinstance(one, Table | Text)), None), by, kind)
    return Argument(None, by, hint)


def called(name: str) -> Any:
    """What is called `module:name`."""
    return resolve_name(name)


def take_step(job, made: dict) -> None:
    """Call the function that a job names, and write the tables that it returns. made: by `step.begin`."""
    returned, tables = result(job), tables_written(called(*job.params.does))
    for table, rows in zip(tables, returned if len(tables) > 1 else [returned], strict=True):
        path = placed(filled(table.path, **dict(job.wildcards.items())), job.config["results"])
        store.write_table(path, table.schema, rows, made | table.says)
        log.info("%s: %d rows.", table.schema.name, len(rows))


def result(job) -> Any:
    """What the function returns that a job names, called with what it asks for.

    job: with `input`, tables by argument, and the parameters `does`, `settings` and `texts`, by argument, too.
    """
    function, values = called(*job.params.does), {**dict(job.wildcards.items()), **job.params.settings}
    given = {}
    for name, (passage, by, kind) in arguments(function).items():
        match passage:
            case Table():
                given[name] = _tables(passage, by, job.input[name])
            case Text(read):
                texts = job.params.texts[name]
                given[name] = {one: read(*keys) for one, keys in texts.items()} if by else read(*texts)
            case None:
                given[name] = int(values[name]) if kind is int else values[name]
    return function(**given)


def _tables(table: Table, by: tuple[str, ...], files: Iterable[str]) -> Any:
    """The tables in some files: one below the other, or by what tells them apart."""
    if not by:
        return store.read_frames(files, table.schema.name)
    of_key: dict[Any, list[str]] = {}
    for file in files:
        values = table.values(file)
        key = tuple(values[wildcard] for wildcard in by)
        of_key.setdefault(key if len(by) > 1 else key[0], []).append(file)
    return {key: store.read_frames(of_key[key], table.schema.name) for key in of_key}
