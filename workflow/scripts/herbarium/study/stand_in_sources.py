"""What takes the place of texts, lists and vectors from elsewhere: demonstrations of ours, and files that are made.

Configurations are plain data; a place is the keys that lead to a part of one, as in `study.left_out`.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from herbarium.core import resources
from herbarium.core.downloads import is_address
from herbarium.core.errors import HerbariumError
from herbarium.core.places import located
from herbarium.study import stand_in_texts

DEMONSTRATIONS = Path("resources/stand_ins/sources.csv")
# Sections whose texts or vectors are made, and the end of their files' names.
MADE = {"corpora": ".txt", "parallel": ".txt", "vectors": ".vec"}
# Keys that say where something is from; of an entry that is made, those that it keeps.
_ORIGIN, _KEPT = ("hub", "git", "revision", "subset"), ("max_texts", "lowercase")
_PARENT, _ANY = "../", "*"

Place = tuple[str, ...]


def demonstrations() -> pd.DataFrame:
    """`source, key, value`, all as text; the comments of the file say what they hold."""
    return resources.read_text_table(located(DEMONSTRATIONS), ["source", "key", "value"])


def made_file(place: Place, folder: Path) -> Path:
    """Where the file of an entry of a section in MADE is. place: of the entry, or of a language's parallel texts."""
    section, *names = (part for part in place if part != "texts")
    return folder.joinpath(section, *names[:-1], names[-1] + MADE[section])


def replaced(value: Any, rows: pd.DataFrame, folder: Path, place: Place = ()) -> Any:
    """A configuration, or a part of one, without anything from elsewhere but models.

    rows: of `demonstrations`. folder: of the files that are made. Raises HerbariumError for what has no stand-in.
    """
    if place == ("models",):
        return value
    if isinstance(value, list):
        return [replaced(item, rows, folder, place) for item in value]
    if isinstance(value, str):
        return _demonstration(value, rows, place) if is_address(value) and place[-1] != "git" else value
    if not isinstance(value, dict):
        return value
    changes = _of(source := origin(value), rows)
    if source in stand_in_texts.LAYOUTS or (source and changes.empty):
        return _made(value, source, folder, place)
    new = {key: replaced(item, rows, folder, (*place, str(key))) for key, item in value.items()}
    for item in value.values():
        above = _of(origin(item), rows) if isinstance(item, dict) else rows.iloc[:0]
        above = above[above["key"].str.startswith(_PARENT)]
        new = _changed(new, above.assign(key=above["key"].str.removeprefix(_PARENT)))
    return {key: item for key, item in _changed(new, changes).items() if not source or key not in _ORIGIN}


def _made(entry: dict[str, Any], source: str, folder: Path, place: Place) -> dict[str, Any]:
    """What takes the place of an entry whose texts or vectors are made."""
    if source in stand_in_texts.LAYOUTS:
        return {"path": str(folder / f"{place[-2]}.csv")}
    if place[0] not in MADE:
        raise _unknown(source, place)
    return {"path": str(made_file(place, folder)), **{key: entry[key] for key in _KEPT if key in entry}}


def _demonstration(address: str, rows: pd.DataFrame, place: Place) -> Any:
    """What takes the place of the address of a file."""
    changes = _of(address, rows)
    changes = changes[changes["key"].isin([place[-1], _ANY])]
    if changes.empty:
        raise _unknown(address, place)
    return yaml.safe_load(changes["value"].iloc[0])


def _unknown(source: str, place: Place) -> HerbariumError:
    return HerbariumError(f"{'.'.join(place)}: there is no stand-in for {source}; add one to {DEMONSTRATIONS}.")


def origin(value: Any) -> str | None:
    """The data set, repository or file from elsewhere that a part of a configuration names itself, if it names one."""
    if isinstance(value, str):
        return value if is_address(value) else None
    if not isinstance(value, dict):
        return None
    named = (value.get("hub"), value.get("git"), origin(value.get("path")))
    return next((name for name in named if isinstance(name, str)), None)


def _of(source: str | None, rows: pd.DataFrame) -> pd.DataFrame:
    if source is None:
        return rows.iloc[:0]
    is_beginning = rows["source"].map(lambda beginning: beginning.endswith("/") and source.startswith(beginning))
    return rows[(rows["source"] == source) | is_beginning]


def _changed(entry: dict[str, Any], changes: pd.DataFrame) -> dict[str, Any]:
    new = {key: value for key, value in zip(changes["key"], changes["value"], strict=True) if key in entry}
    given = {key: yaml.safe_load(value) for key, value in new.items() if value}
    return {key: value for key, value in (entry | given).items() if new.get(key) != ""}
