"""Files of Zhao et al. (2017), as github.com/uclanlp/reducingbias reads them: potentials and labels of MS-COCO, and
potentials of imSitu.

They are not ours to release. Those of MS-COCO are pickles of Python 2, and a pickle can run any code: only arrays of
numbers, lists, dictionaries, texts and numbers are read here. `.npz` and `.npy` are read, too.
"""

import io
import math
import pickle
import re
import zipfile
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd

from herbarium.core import resources
from herbarium.core.errors import HerbariumError
from herbarium.metrics.amplification.structured import MAN, NEITHER, WOMAN, ManyObjects, OneActivity, Scenes

OBJECTS = 80  # of MS-COCO
# Columns: man, woman, then for each object whether it is present or not, with a man, and the same with a woman.
WIDTH = 2 + 2 * 2 * OBJECTS
LARGEST = 4_000_000_000  # bytes; of potentials for all images of a data set
LARGEST_UNPACKED = 1_000_000_000  # bytes of the arrays in an archive, which can be a thousand times its own
# Of the released config.ini. A noun counts as a man if one of them is among its names.
MEN, WOMEN = ("man",), ("woman",)
AGENTS = ("agent", "agents")
_MAP = ["arg", "verb", "role", "noun", "verb_number", "role_number", "noun_number"]
_NUMBERS = ["arg", "verb_number", "role_number", "noun_number"]
_NO_NOUN = "null"  # in the map, but not among the words


def _latin1(text: str, encoding: str) -> str:
    """The stand-in for bytes in old-protocol pickles of Python 3; encoded where they are read."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"bytes as '{encoding}'")
    return text


# Instead of numpy's own, which trusts a pickle with the computer's memory: a pickle can name the same bytes any number
# of times, so that nothing is copied before it is counted.
class _Type:
    def __init__(self, name: str, *_):
        if not re.fullmatch("[biuf][1248]", name):
            raise pickle.UnpicklingError(f"an array of '{name}'")
        self.name, self.order = name, "|"

    def __setstate__(self, state: tuple):
        self.order = state[1]

    def read(self, content: str | bytes, shape: tuple[int, ...], order: str = "C") -> np.ndarray:
        if len(content) != int(self.name[1]) * math.prod(shape):
            raise pickle.UnpicklingError("an array of another shape")
        raw = content.encode("latin1") if isinstance(content, str) else bytes(content)
        return np.frombuffer(raw, np.dtype(self.order + self.name)).reshape(shape, order=order).astype(float)


class _Array:
    """An array of numbers, as `np.asarray` takes it."""

    def __init__(self, *_):
        self.size, self.values = 0, partial(np.zeros, 0)

    def __setstate__(self, state: tuple):
        _, shape, of_type, is_fortran, content = state
        self.size, self.values = math.prod(shape), partial(of_type.read, content, shape, "F" if is_fortran else "C")

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.values(), dtype, copy=copy)


def _scalar(of_type: _Type, content: str | bytes) -> float:
    return float(of_type.read(content, ()))


def _from_buffer(content: bytes, of_type: _Type, shape: tuple[int, ...], order: str) -> _Array:
    array = _Array()
    array.__setstate__((1, shape, of_type, order == "F", content))
    return array


_ALLOWED = {
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Type,
    **{
        (f"numpy.{core}.{name}", function): place
        for core in ("core", "_core")
        for name, function, place in (
            ("multiarray", "_reconstruct", _Array),
            ("multiarray", "scalar", _scalar),
            ("numeric", "_frombuffer", _from_buffer),
        )
    },
    ("_codecs", "encode"): _latin1,
}


class _ForbiddenError(Exception):
    pass


class _Safe(pickle._Unpickler):  # the implementation in Python: a damaged number makes the one in C fill the memory
    # The hash of tuples within tuples that refer to one another takes twice the time with each: no sets, and as keys
    # of dictionaries only texts and numbers.
    dispatch: ClassVar = {
        code: load
        for code, load in pickle._Unpickler.dispatch.items()
        if code not in (*pickle.EMPTY_SET, *pickle.FROZENSET, *pickle.ADDITEMS)
    }

    def find_class(self, module: str, name: str) -> object:
        if (module, name) not in _ALLOWED:
            raise _ForbiddenError(ascii(f"{module}.{name}"))
        return _ALLOWED[module, name]

    def _load_items(self) -> None:
        items = self.pop_mark()
        self.stack[-1].update(_items(items))

    def _load_item(self) -> None:
        items = [self.stack.pop(), self.stack.pop()][::-1]
        self.stack[-1].update(_items(items))

    def _load_dict(self) -> None:
        items = self.pop_mark()
        self.append(_items(items))

    dispatch |= {pickle.SETITEMS[0]: _load_items, pickle.SETITEM[0]: _load_item, pickle.DICT[0]: _load_dict}


def _items(pairs: list) -> dict:
    """The dictionary of keys and values in turn."""
    if not all(isinstance(key, str | bytes | int | float) for key in pairs[::2]):
        raise pickle.UnpicklingError("a key is neither a text nor a number")
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


def _n_numbers(value: object, known: dict[int, int]) -> int:
    """The numbers in an array, or in lists within lists, each as often as it is referred to. known: of lists, by
    `id`."""
    if isinstance(value, _Array | np.ndarray):
        return value.size
    if not isinstance(value, list | tuple):
        return 1
    if id(value) not in known:
        known[id(value)] = sum(_n_numbers(item, known) for item in value)
    return known[id(value)]


def read_coco(path: str | Path) -> ManyObjects:
    """Potentials of MS-COCO, all objects constrained: a pickle of a list of dictionaries, whose `output` are (n, 322);
    or an array of all of them, `.npy`, or `output` of an `.npz`.

    Raises HerbariumError, with the file, for one that is damaged, would run code, or has other columns or values.
    """
    table = _table(path, "output")
    n = len(table)
    objects = table[:, 2:].reshape(n, 2, OBJECTS, 2)
    return ManyObjects(table[:, :2], objects, np.arange(OBJECTS))


def read_coco_labels(path: str | Path) -> Scenes:
    """Labels of MS-COCO: as `read_coco`, from `annotation`, 1 if true; everyone who is not a man counts as a woman, as
    in the released code."""
    table = _table(path, "annotation") == 1
    is_man = table[:, MAN]
    objects_there = table[:, 2:].reshape(len(table), 2, OBJECTS, 2)[..., 0]
    return Scenes(is_man, np.where(is_man[:, None], objects_there[:, MAN], objects_there[:, WOMAN]))


def _table(path: str | Path, key: str) -> np.ndarray:
    """(n, WIDTH) finite numbers."""
    wanted = f"needed are rows of {WIDTH} numbers, '{key}' of each part"
    loaded = _arrays(path, [key])[key] if Path(path).suffix in (".npz", ".npy") else _unpickled(path)
    try:
        if not isinstance(loaded, np.ndarray | _Array):
            loaded = [part[key] for part in loaded]
            if _n_numbers(loaded, {}) > Path(path).stat().st_size:
                raise ValueError("it says the same numbers many times")
            loaded = np.concatenate([np.atleast_2d(np.asarray(part, dtype=float)) for part in loaded])
        loaded = np.asarray(loaded, dtype=float)
    except KeyError:
        raise HerbariumError(f"{path}: a part has no '{key}'; {wanted}.") from None
    except (TypeError, ValueError, IndexError, RecursionError, pickle.UnpicklingError) as error:
        raise HerbariumError(f"{path}: {wanted} ({error}).") from None
    if loaded.ndim != 2 or loaded.shape[1] != WIDTH or not len(loaded):
        raise HerbariumError(f"{path}: the shape is {loaded.shape}; {wanted}.")
    finite = np.isfinite(loaded).all(axis=1)
    if not finite.all():
        raise HerbariumError(f"{path}, row {finite.argmin() + 1}: not all numbers are finite; {wanted}.")
    return loaded


def _unpickled(path: str | Path) -> object:
    resources.require_regular(path, LARGEST)
    try:
        return _Safe(io.BytesIO(Path(path).read_bytes()), encoding="latin1").load()
    except _ForbiddenError as error:
        raise HerbariumError(
            f"{path}: it names {error}, so it could run code; only arrays of numbers, lists, dictionaries, texts and "
            "numbers are read."
        ) from None
    except OSError as error:
        raise HerbariumError(f"{path}: it cannot be read ({error}).") from None
    except Exception as error:  # a damaged pickle can raise almost anything
        raise HerbariumError(f"{path}: not a readable pickle ({error}).") from None


def _arrays(path: str | Path, names: Collection[str]) -> dict[str, np.ndarray]:
    """Arrays of an `.npz`, or the one of an `.npy` by all the names."""
    resources.require_regular(path, LARGEST)
    try:
        if zipfile.is_zipfile(path):
            _require_small(path)
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return dict.fromkeys(names, loaded)
        with loaded:
            return {name: loaded[name] for name in names}
    except KeyError:
        raise HerbariumError(f"{path}: an array is missing; needed are {', '.join(names)}.") from None
    except HerbariumError:
        raise
    except Exception as error:  # as for a damaged pickle
        raise HerbariumError(f"{path}: its arrays cannot be read ({error}).") from None


def _require_small(archive: str | Path) -> None:
    """Raise HerbariumError if the files of an archive unpack to more than is read."""
    with zipfile.ZipFile(archive) as opened:
        size = sum(file.file_size for file in opened.infolist())
    if size > LARGEST_UNPACKED:
        raise HerbariumError(
            f"{archive}: unpacked, it has {size / 1e6:,.0f} MB; at most {LARGEST_UNPACKED / 1e6:,.0f} MB are read."
        )


class Situation(NamedTuple):
    """Potentials of imSitu, all activities constrained, and the names of the activities, by their numbers."""

    potentials: OneActivity
    activities: list[str]


def read_imsitu(
    folder: str | Path,
    arguments: str | Path,
    words: str | Path,
    men: Collection[str] = MEN,
    women: Collection[str] = WOMEN,
) -> Situation:
    """Potentials of imSitu: files `0.npz`, `1.npz`, … of a folder, with `verb`, (n, V), and `arg`, (n, R), for all
    nouns that a role of a verb can have.

    For a role other than the agent, the best noun adds to the potential of its verb. The agent is the best man, woman
    or other noun; a noun that is both a man and a woman is among the others, whereas the released code counts it as
    both, and so is the agent of a verb without one.

    arguments: lines of number, verb, role, noun, and numbers of the verb, the role and the noun, separated by tabs.
    words: lines of noun, tab, its names, which decide whether a noun is a man or a woman.
    Raises HerbariumError, with file and line or array, for what does not fit.
    """
    of_map = _read_map(arguments)
    kind = _kinds(of_map, arguments, _read_words(words), words, men, women)
    agents = of_map[kind >= 0].groupby("verb")["role_number"].nunique()
    if (agents > 1).any():
        raise HerbariumError(f"{arguments}: the verb '{agents.idxmax()}' has {agents.max()} agents; it must have one.")
    activities = of_map.drop_duplicates("verb_number").set_index("verb_number")["verb"].sort_index()
    if activities.index.tolist() != list(range(len(activities))):
        raise HerbariumError(f"{arguments}: the numbers of verbs must be 0, 1, 2 and so on, without gaps.")
    files = _numbered(folder)
    read = [_reduced(file, of_map, kind, len(activities)) for file in files]
    activity, agent = (np.concatenate(parts) for parts in zip(*read, strict=True))
    return Situation(OneActivity(activity, agent, np.arange(len(activities))), activities.tolist())


def _numbered(folder: str | Path) -> list[Path]:
    files = {path.stem: path for path in Path(folder).glob("*.npz")}
    paths = [files[str(number)] for number in range(len(files)) if str(number) in files]
    if not files or len(paths) < len(files):
        raise HerbariumError(f"{folder}: it must have files 0.npz, 1.npz, 2.npz and so on, without gaps.")
    return paths


def _read_map(path: str | Path) -> pd.DataFrame:
    """Columns _MAP, sorted by `arg`."""
    rows = [(number, line.split("\t")) for number, line in resources.numbered(path)]
    for number, row in rows:
        if len(row) != len(_MAP) or not all(row[_MAP.index(name)].strip().isdecimal() for name in _NUMBERS):
            raise HerbariumError(
                f"{path}, line {number}: a line must have number, verb, role, noun, and the numbers of verb, role and "
                "noun, separated by tabs."
            )
    table = pd.DataFrame([row for _, row in rows], columns=_MAP)
    table[_NUMBERS] = table[_NUMBERS].astype(int)
    table = table.sort_values("arg", ignore_index=True)
    if table.empty or table["arg"].tolist() != list(range(len(table))):
        raise HerbariumError(f"{path}: the numbers of its lines must be 0, 1, 2 and so on, each once.")
    return table


def _read_words(path: str | Path) -> dict[str, set[str]]:
    """noun -> its names and their words."""
    nouns = {_NO_NOUN: set()}
    for number, line in resources.numbered(path):
        noun, tab, names = line.partition("\t")
        if not tab:
            raise HerbariumError(f"{path}, line {number}: a line must have a noun and its names, separated by a tab.")
        nouns[noun] = set(re.split(", | ", names.strip()))
    return nouns


def _kinds(
    of_map: pd.DataFrame,
    map_path: str | Path,
    names: dict[str, set[str]],
    words_path: str | Path,
    men: Collection[str],
    women: Collection[str],
) -> np.ndarray:
    """(R,) MAN, WOMAN or NEITHER of agents, -1 of other roles."""
    unknown = ~of_map["noun"].isin(list(names))
    if unknown.any():
        noun = of_map["noun"][unknown.idxmax()]
        raise HerbariumError(f"{map_path}: the noun '{noun}' is not in {words_path}.")
    is_man, is_woman = (
        of_map["noun"].map({noun: bool(nouns & set(words)) for noun, nouns in names.items()}).to_numpy(bool)
        for words in (men, women)
    )
    kind = np.where(is_man & ~is_woman, MAN, np.where(is_woman & ~is_man, WOMAN, NEITHER))
    return np.where(of_map["role"].str.casefold().isin(AGENTS), kind, -1)


def _reduced(path: Path, of_map: pd.DataFrame, kind: np.ndarray, v: int) -> tuple[np.ndarray, np.ndarray]:
    """(n, V) and (n, V, 3) of one file."""
    arrays = _arrays(path, ["verb", "arg"])
    n = len(arrays["verb"])
    for name, width in (("verb", v), ("arg", len(of_map))):
        values = arrays[name]
        if values.shape != (n, width):
            raise HerbariumError(
                f"{path}, '{name}': the shape is {values.shape}; it must have {width} columns, as the map does, and "
                f"{n} rows, as 'verb' does."
            )
        if values.dtype.kind not in "fiu" or not np.isfinite(values).all():
            raise HerbariumError(f"{path}, '{name}': not all are finite numbers.")
    role = of_map[["verb_number", "role_number"]].assign(kind=kind)
    number = role.groupby(["verb_number", "role_number", "kind"]).ngroup().to_numpy()
    order = np.argsort(number, kind="stable")
    first = np.flatnonzero(np.diff(number[order], prepend=-1))
    best = np.maximum.reduceat(arrays["arg"].astype(float)[:, order], first, axis=1)
    of_best = role.iloc[order[first]]
    is_agent = (of_best["kind"] >= 0).to_numpy()
    activity = arrays["verb"].astype(float)
    np.add.at(activity, (slice(None), of_best["verb_number"].to_numpy()[~is_agent]), best[:, ~is_agent])
    agent = np.full((len(activity), v, 3), -np.inf)
    agent[:, of_best["verb_number"][is_agent], of_best["kind"][is_agent]] = best[:, is_agent]
    without = np.isneginf(agent).all(axis=(0, 2))
    agent[:, without, NEITHER] = 0
    return activity, agent
