"""Assembly: the rows of a model, definition, strength or set of templates are the same whatever stands beside it.

A toy calls the function, and what it is called with is called again with a twin: everything that a name has, once more
under another name, with other values and one of them missing. The rows of all others must be the same to the bit and
in the same order, whether the twin stands first or last.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

TWIN = "‡"
FIRST, LAST = f"{TWIN}first", f"{TWIN}last"  # end the names of twins
OTHER = 0.8  # what values of a twin are multiplied by: signs, shares and the order of an interval's ends stay


class Twin(NamedTuple):
    """Of a key's name, what it is called, and whether it stands before all others or behind them."""

    key: str
    name: str
    called: str
    is_first: bool


class Assembly(NamedTuple):
    """
    - function: makes the rows. toy: calls it; its first call counts.
    - rows: of each key, such as `model`, a name whose twin has rows of its own. nothing: one whose twin has none, such
      as a definition of which the function shows nothing.
    - family: by column that is, by definition, over several rows, the keys whose twins change it for others.
    - over_all: a query of rows that are about everything that is there, and so no other's.
    - in_order: whether the order of rows is that of what stands beside, too.
    - leading: keys of which the first name is another than the rest, so that a twin can only stand last.
    """

    function: Callable
    toy: Callable[[], Any]
    rows: Mapping[str, str] = {}
    nothing: Mapping[str, str] = {}
    family: Mapping[str, tuple[str, ...]] = {}
    leading: tuple[str, ...] = ()
    over_all: str = ""
    in_order: bool = True

    @property
    def name(self) -> str:
        return _name(self.function)


def _name(function: Callable) -> str:
    return f"{function.__module__.removeprefix('herbarium.')}.{function.__name__}"


def assert_assembled(assembly: Assembly) -> None:
    given = arguments(assembly.function, assembly.toy)
    alone = _rows(assembly.function(**given), assembly)
    assert len(alone), "the toy has no rows"
    for key, name in assembly.rows.items():
        over_it = [column for column, keys in assembly.family.items() if key in keys]
        others = _beside(assembly, given, {key: name}, key)
        _assert_same(others.drop(columns=over_it), alone.drop(columns=over_it), key)
        unchanged = [column for column in over_it if others[column].equals(alone[column])]
        assert not unchanged, f"another {key} changes no {unchanged} of others"
    if assembly.nothing:
        _assert_same(_beside(assembly, given, assembly.nothing, None), alone, str([*assembly.nothing]))


def _beside(assembly: Assembly, given: Mapping[str, Any], names: Mapping[str, str], key: str | None) -> pd.DataFrame:
    """What a function gives with twins of these names, without the rows of the twins. key: the one that has rows."""
    twins = [
        Twin(column, name, name + mark, mark == FIRST)
        for column, name in names.items()
        for mark in (FIRST, LAST)
        if mark == LAST or column not in assembly.leading
    ]
    beside = dict(given)
    for twin in twins:
        beside = {argument: _with_twin(value, twin) for argument, value in beside.items()}
    result = _rows(assembly.function(**beside), assembly)
    for twin in twins:
        has_rows = result.map(lambda cell, called=twin.called: called in str(cell)).any(axis=None)
        assert has_rows == (key is not None), f"another {twin.key} has {'' if has_rows else 'no '}rows"
    is_twin = result.map(lambda cell: TWIN in str(cell)).any(axis=1)
    return result[~is_twin].drop(columns=[name for name in result if TWIN in str(name)]).reset_index(drop=True)


def _assert_same(others: pd.DataFrame, alone: pd.DataFrame, key: str) -> None:
    pd.testing.assert_frame_equal(others, alone, check_dtype=False, rtol=1e-9, obj=f"rows beside another {key}: ")


class _CalledError(Exception):
    """Carries what a function was called with."""


def arguments(function: Callable, toy: Callable[[], Any]) -> dict[str, Any]:
    """What a toy first calls a function with, by whatever name it has imported it."""

    def caught(*args, **kwargs):
        from tests.assembly import _CalledError  # the function's own module has not imported it

        raise _CalledError(args, kwargs)

    code, defaults, by_name = function.__code__, function.__defaults__, function.__kwdefaults__
    function.__code__, function.__defaults__, function.__kwdefaults__ = caught.__code__, None, None
    try:
        toy()
    except _CalledError as call:
        args, kwargs = call.args
    else:
        raise AssertionError("the toy does not call the function")
    finally:
        function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, by_name
    return inspect.signature(function).bind(*args, **kwargs).arguments


def made(fixture: Any) -> Callable:
    """The function behind a fixture."""
    return fixture._get_wrapped_function()


def tables_of_tables(module: ModuleType) -> list[str]:
    """The public functions of a module that take tables and give one."""
    functions = [function for _, function in inspect.getmembers(module, inspect.isfunction)]
    return [
        _name(function)
        for function in functions
        if function.__module__ == module.__name__ and not function.__name__.startswith("_")
        if "DataFrame" in str(inspect.signature(function).return_annotation)
        if any("DataFrame" in str(given.annotation) for given in inspect.signature(function).parameters.values())
    ]


def in_folder(test: Callable) -> Callable:
    """A test of one folder, as a toy."""

    def toy() -> None:
        with TemporaryDirectory() as folder:
            test(Path(folder))

    return toy


def _rows(result: Any, assembly: Assembly) -> pd.DataFrame:
    if isinstance(result, Mapping):
        result = [{"key": key, "value": value} for key, value in result.items()]
    if not isinstance(result, pd.DataFrame):
        result = pd.DataFrame(list(result))
    named = [name for name in result.index.names if name is not None]
    result = result.reset_index(named).reset_index(drop=True)
    if assembly.over_all:
        result = result.query(f"not ({assembly.over_all})")
    if not assembly.in_order:
        result = result.loc[result.map(str).agg(" ".join, axis=1).sort_values(kind="stable").index]
    result = result.reset_index(drop=True)
    return result.assign(**{c: result[c].where(result[c].notna(), None) for c in result if result[c].dtype == object})


def _is_record(value: Any) -> bool:
    return hasattr(value, "_asdict") or (is_dataclass(value) and not isinstance(value, type))


def _parts(value: Any) -> Iterator[Any]:
    """What a key of a mapping or an entry of a list is made of."""
    if isinstance(value, Mapping):
        yield from value.values()
    elif _is_record(value) and not isinstance(value, tuple):
        yield from (getattr(value, field.name) for field in fields(value))
    elif isinstance(value, (list, tuple, set)):
        yield from value
    else:
        yield value


def _is_of(value: Any, name: str) -> bool:
    return any(isinstance(part, str) and part == name for part in _parts(value))


def _with_twin(value: Any, twin: Twin) -> Any:
    """A value with the twin of a name: rows of a table, entries of a mapping or a list, or within a record."""
    if isinstance(value, pd.DataFrame):
        return _table_with_twin(value, twin)
    if isinstance(value, pd.Series):
        return pd.Series(_with_twin(value.to_dict(), twin)) if twin.name in value.index else value
    if isinstance(value, Mapping):
        rest = {k: v if _is_of(k, twin.name) else _with_twin(v, twin) for k, v in value.items()}
        twins = {_twin(k, twin): _twin(v, twin) for k, v in value.items() if _is_of(k, twin.name)}
        return twins | rest if twin.is_first else rest | twins
    if _is_record(value):
        changed = {part: _with_twin(of_part, twin) for part, of_part in _items(value)}
        return value._replace(**changed) if isinstance(value, tuple) else replace(value, **changed)
    if isinstance(value, (list, tuple, set)):
        rest = [v if _is_of(v, twin.name) else _with_twin(v, twin) for v in value]
        twins = [_twin(v, twin) for v in value if _is_of(v, twin.name)]
        return type(value)(twins + rest if twin.is_first else rest + twins)
    return value


def _items(record: Any) -> list[tuple[str, Any]]:
    return list(record._asdict().items()) if isinstance(record, tuple) else list(vars(record).items())


def _table_with_twin(table: pd.DataFrame, twin: Twin) -> pd.DataFrame:
    named = [level for level in table.index.names if level is not None]
    flat = table.reset_index(named)
    if twin.key not in flat or not (flat[twin.key] == twin.name).any():
        return table
    other = _twin(flat[flat[twin.key] == twin.name], twin)
    numbers = other.columns[[kind.kind == "f" for kind in map(np.dtype, map(_plain, other.dtypes))]].difference(named)
    if len(other) > 1:
        other.iloc[len(other) // 2, other.columns.get_indexer(numbers)] = np.nan
    both = pd.concat([other, flat] if twin.is_first else [flat, other], ignore_index=not named)
    return both.set_index(named) if named else both


def _plain(kind: Any) -> Any:
    return kind if isinstance(kind, np.dtype) else object


def _twin(value: Any, twin: Twin) -> Any:
    """The same under the twin's name, with other values."""
    if isinstance(value, str):
        return twin.called if value == twin.name else value
    if isinstance(value, float):
        return OTHER * value
    if isinstance(value, np.ndarray):
        return OTHER * value if value.dtype.kind == "f" else value
    if isinstance(value, pd.DataFrame):
        columns = {place: _twin_column(column, twin) for place, (_, column) in enumerate(value.items())}
        return pd.DataFrame(columns, value.index).set_axis(value.columns, axis="columns")
    if isinstance(value, pd.Series):
        return _twin_column(value, twin)
    if isinstance(value, Mapping):
        return {_twin(key, twin): _twin(part, twin) for key, part in value.items()}
    if _is_record(value):
        changed = {part: _twin(of_part, twin) for part, of_part in _items(value)}
        return value._replace(**changed) if isinstance(value, tuple) else replace(value, **changed)
    if isinstance(value, (list, tuple, set)):
        return type(value)(_twin(part, twin) for part in value)
    return value


def _twin_column(column: pd.Series, twin: Twin) -> pd.Series:
    if pd.api.types.is_float_dtype(column):
        return OTHER * column
    return column.replace(twin.name, twin.called) if (column == twin.name).any() else column
