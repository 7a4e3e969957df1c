"""A line for every number, which a paper can cite in a footnote: which number it is and what it depends on.

    herbarium 0.1.0 | some_metric | paper | bert@cd5ef92 | unit:continent | group:Asia |
    hub:google-bert/bert-base-cased | dtype:float32 | lists:1f0c2aa | settings:77b1e09 | code:3e3d56f | seed:0 |
    run:79efe62

The version, metric, definition and model come first; those of `FIELDS` that a number has follow in order, each as
`key:value`. Hashes and commits are cut to seven digits.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, unquote

import pandas as pd

from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.core.provenance import value_hash
from herbarium.statistics.tidy import KEY
from herbarium.study import run

_TOOL = "herbarium"
_FIRST = ("version", "metric", "definition", "model")
# The further fields, in words.
FIELDS = {
    "variant": "the variant of the metric",
    "unit": "the unit",
    "group": "the group",
    "hub": "the model on the hub",
    "dtype": "the number format that the model ran in",
    "models": "the models that the number comes from",
    "lists": "the word lists and data",
    "settings": "the settings of the steps that made it",
    "code": "the code of the steps that made it",
    "seed": "the seed",
    "run": "the configuration of the whole study",
}
_DIGITS = 7
_EMPTY = "%"  # an empty text; a percent sign in a text is written %25
# What separates fields; what a shell, YAML or a line break in a paper would change; and a space that is not between two
# words.
_UNSAFE = re.compile(r"""[%|@#"$`\\!\x00-\x1f\x7f]|:(?=\s|$)|[^\S ]|^ | $|(?<=\s) """)


def signature(parts: Mapping[str, str]) -> str:
    """The line for a number. parts: "version", "metric", "definition", "model", and any of "revision" and `FIELDS`."""
    version, metric, definition, model = (_escaped(parts[key]) for key in _FIRST)
    if "revision" in parts:
        model = f"{model}@{_escaped(parts['revision'])}"
    fields = [f"{key}:{_escaped(parts[key])}" for key in FIELDS if key in parts]
    return " | ".join([f"{_TOOL} {version}", metric, definition, model, *fields])


def parse(line: str) -> dict[str, str]:
    """The arguments of `signature`. Line breaks and double spaces, as copied from a paper, make no difference.

    Raises HerbariumError, with what is wrong, for a line that is not a signature.
    """
    first, *others = (" ".join(field.split()) for field in line.split("|"))
    tool, _, version = first.partition(" ")
    if tool != _TOOL or not version or len(others) < len(_FIRST) - 1:
        raise HerbariumError(
            f"'{line}' is not the signature of a number, which begins with "
            f"'{_TOOL} VERSION | metric | definition | model@revision'."
        )
    metric, definition, model, *fields = others
    model, at, revision = model.partition("@")
    parts = dict(zip(_FIRST, map(_read, (version, metric, definition, model)), strict=True))
    if at:
        parts["revision"] = _read(revision)
    for field in fields:
        key, colon, value = field.partition(":")
        if not colon or key not in FIELDS:
            raise HerbariumError(
                f"signature: '{field}' is not a `key:value` with a known key{did_you_mean(key, FIELDS)}."
            )
        if key in parts:
            raise HerbariumError(f"signature: '{key}' is given twice.")
        parts[key] = _read(value)
    return parts


def _escaped(text: str) -> str:
    return _UNSAFE.sub(lambda match: quote(match[0], safe="", errors="surrogatepass"), text) or _EMPTY


def _read(text: str) -> str:
    return "" if text == _EMPTY else unquote(text, errors="surrogatepass")


def of_row(row: Mapping[str, object], origin: Mapping[str, str]) -> str:
    """The signature of a row of the summary. origin: from `origin`, for its file and model."""
    return signature({key: row[key] for key in KEY if not pd.isna(row[key])} | origin)


def origin(record: Mapping[str, dict], place: str, model: str, seed: int, results: str) -> dict[str, str]:
    """What a model's numbers in a file depend on: the part of a signature that is not in a row.

    record: of a run, or of some of its files: "files", what each says about itself, and "models", by their files.
    place: the file's path within the results. results: the folder, as steps name it.
    """
    files, models = record["files"], record["models"]
    entry = files[place]
    places = list(run.behind(files, place))
    records = [models[path] for path in places if path in models and models[path]["name"] == model]
    formats = {record["dtype"] for record in records if "tuned" in record} or {
        record["dtype"] for record in records if "dtype" in record
    }
    hubs = {record["hub"] for record in records if record.get("hub")}
    lists = run.outside(files, places, results)
    fields = {
        "version": entry["libraries"][_TOOL],
        "revision": _short(entry["models"].get(model)),
        "hub": "+".join(sorted(hubs)),
        "dtype": "+".join(sorted(formats)),
        "models": None if model in entry["models"] else _hashed(entry["models"]),
        "lists": _hashed(sorted({*lists.values()})),
        "settings": _hashed(sorted({(files[path]["rule"], files[path]["config"]) for path in places})),
        "code": _hashed(sorted({(files[path]["rule"], files[path]["code"]) for path in places})),
        "seed": str(seed),
        "run": entry["run"][:_DIGITS],
    }
    return {key: value for key, value in fields.items() if value}


def _short(model: dict | None) -> str | None:
    """The commit of a hub model, or the hash of all files of any other."""
    return model and (model["revision"] or model["files"])[:_DIGITS]


def _hashed(value: object) -> str | None:
    return value_hash(value)[:_DIGITS] if value else None


def table(
    record: Mapping[str, dict], numbers: Iterable[tuple[str, pd.DataFrame]], seed: int, results: str
) -> pd.DataFrame:
    """`KEY` and "signature" of every number. numbers: each file's path in the results, and its rows of the summary.

    The other arguments are as for `origin`.
    """
    return pd.DataFrame(_rows(record, numbers, seed, results), columns=[*KEY, "signature"])


def _rows(
    record: Mapping[str, dict], numbers: Iterable[tuple[str, pd.DataFrame]], seed: int, results: str
) -> Iterator[dict]:
    for place, rows in numbers:
        origins = {model: origin(record, place, model, seed, results) for model in rows["model"].unique()}
        for row in rows[[*KEY]].to_dict("records"):
            yield row | {"signature": of_row(row, origins[row["model"]])}


def in_order(rows: pd.DataFrame, lines: Iterable[str]) -> list[str]:
    """The signature of each row of a summary, from the signatures of all its numbers in any order."""
    line_by_key = by_key(lines)
    keys = rows[[*KEY]].astype(object).where(rows[[*KEY]].notna(), None)
    return [line_by_key[key] for key in keys.itertuples(index=False, name=None)]


def by_key(lines: Iterable[str]) -> dict[tuple[str | None, ...], str]:
    """Signatures by the `KEY` of their numbers; None for a field that a number does not have."""
    parsed = ((parse(line), line) for line in lines)
    return {tuple(fields.get(key) for key in KEY): line for fields, line in parsed}
