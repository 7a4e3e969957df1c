"""Categorical Bias' tidy numbers as tables to read: scores, targets, templates, attributes, differences, divergences.

`numbers` are tidy rows of all models. `n_tokens` is the mean number of sub-tokens of the base targets, over templates;
for a list, over targets too.
"""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.categorical_bias.numbers import BOUND, PRIMARY
from herbarium.metrics.categorical_bias.stimuli import DEFINITIONS, Languages, by_first_definition, leading
from herbarium.statistics.paired import MINUS

_INFERENCE = ["estimate", "std_error", "ci_low", "ci_high"]
_PLACE = ["model", "language", "list", "definition"]
_SIDES = ["language", "other_language", "list", "other_list", "n_tokens", "other_n_tokens"]


def scores(numbers: pd.DataFrame) -> pd.DataFrame:
    """Every score of a list: one row per model, list, definition and variant (`numbers.measure`).

    `equivalence_bound`, of the primary number: the smallest at which it would be called equivalent to 0. `n_tokens` is
    null if the words include additional targets.
    """
    rows = parted(_of(numbers, "list"))
    is_bound = rows["variant"] == BOUND
    bounds = rows[is_bound].assign(variant=PRIMARY).rename(columns={"estimate": "equivalence_bound"})
    key = [*_PLACE, "variant"]
    rows = rows[~is_bound].merge(bounds[[*key, "equivalence_bound"]], on=key, how="left", validate="one_to_one")
    rows["n_tokens"] = _looked_up(rows, mean_lengths(numbers))
    rows["n_tokens"] = rows["n_tokens"].mask(rows["variant"].isin(["cb_additional_targets", "cb_additional_both"]))
    return rows[[*key, *_INFERENCE, "equivalence_bound", "p_value", "p_adjusted", "n", "n_tokens", "note"]]


def targets(numbers: pd.DataFrame) -> pd.DataFrame:
    """The contribution of each target to CB: by each definition, with bounds, its `_share` of CB, and `n_tokens`."""
    rows = _of(numbers, "target")
    contributions = rows[rows["variant"] == "cb_contribution"]
    table = _side_by_side(contributions, "target")
    for definition in DEFINITIONS:
        total = table.groupby(["model", "language", "list"])[definition].transform("sum")
        table[f"{definition}_share"] = table[definition] / total
    lengths = parted(by_first_definition(rows[rows["variant"] == "n_tokens"]))
    lengths = lengths.rename(columns={"key": "target", "estimate": "n_tokens"})
    key = ["model", "language", "list", "target"]
    table = table.merge(lengths[[*key, "n_tokens"]], on=key, validate="one_to_one")
    return table[[*key, *_columns("share"), "n", "n_tokens", "note"]]


def templates(numbers: pd.DataFrame) -> pd.DataFrame:
    """CB of each template, by each definition, with bounds."""
    return _of_key(numbers, "template")


def attributes(numbers: pd.DataFrame) -> pd.DataFrame:
    """CB of each attribute, by each definition, with bounds; and the covariance of its forms, by the first one."""
    table = _of_key(numbers, "attribute")
    primary = parted(by_first_definition(_of(numbers, "attribute")))
    primary = primary[primary["variant"] == PRIMARY].rename(columns={"key": "attribute", "estimate": PRIMARY})
    key = ["model", "language", "list", "attribute"]
    table = table.merge(primary[[*key, PRIMARY]], on=key, how="left", validate="one_to_one")
    return table[[*key, PRIMARY, *table.columns.drop([*key, PRIMARY])]]


def differences(numbers: pd.DataFrame, languages: Languages) -> pd.DataFrame:
    """Differences between models, languages and lists, with p-values.

    `language` and `list` are those of the first side, `other_` those of the second if they differ; `n_tokens` and
    `other_n_tokens` are those of the first and second side.
    """
    rows = numbers[numbers["metric"] == "categorical_bias_differences"]
    columns = ["unit", "model", *_SIDES[:4], "definition", "variant", *_INFERENCE, "p_value", "p_adjusted", "n"]
    return _with_sides(rows, languages, mean_lengths(numbers))[[*columns, *_SIDES[4:], "note"]]


def divergences(numbers: pd.DataFrame, languages: Languages) -> pd.DataFrame:
    """Divergences between languages, with the columns of `differences`."""
    rows = numbers[numbers["metric"] == "categorical_bias_divergences"]
    columns = ["model", *_SIDES[:4], "definition", "variant", *_INFERENCE, "n", *_SIDES[4:], "note"]
    return _with_sides(rows, languages, mean_lengths(numbers))[columns]


def parted(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with `language`, `list` and `key`, the parts of the group {language}/{list} or {language}/{list}/{key}.

    A key may contain a slash, the other two may not.
    """
    parts = rows["group"].str.extract(r"^(?P<language>[^/]+)/(?P<list>[^/]+)(?:/(?P<key>.*))?$")
    return pd.concat([rows, parts], axis=1)


def mean_lengths(numbers: pd.DataFrame) -> dict[tuple[str, str, str], float]:
    """(model, {language}/{list}, definition) -> `n_tokens`."""
    rows = parted(_of(numbers, "target"))
    rows = rows[rows["variant"] == "n_tokens"]
    return rows.groupby(["model", rows["language"] + "/" + rows["list"], "definition"])["estimate"].mean().to_dict()


def first_lengths(numbers: pd.DataFrame) -> dict[tuple[str, str], float]:
    """(model, {language}/{list}) -> `n_tokens` by the first definition of its kind."""
    return {place[:2]: n for place, n in mean_lengths(by_first_definition(numbers)).items()}


def _of(numbers: pd.DataFrame, unit: str) -> pd.DataFrame:
    return numbers[(numbers["metric"] == "categorical_bias") & (numbers["unit"] == unit)].reset_index(drop=True)


def _of_key(numbers: pd.DataFrame, unit: str) -> pd.DataFrame:
    rows = _of(numbers, unit)
    table = _side_by_side(rows[rows["variant"] == "cb"], unit)
    groups, lengths = table["language"] + "/" + table["list"], first_lengths(numbers)
    table["n_tokens"] = [lengths.get(place) for place in zip(table["model"], groups, strict=True)]
    return table[["model", "language", "list", unit, *_columns(), "n", "n_tokens", "note"]]


def _side_by_side(rows: pd.DataFrame, unit: str) -> pd.DataFrame:
    """One row per model, list and key, whose column is named after the unit; `n` and `note` are those of
    the first definition of its kind."""
    key = ["model", "language", "list", unit]
    rows = parted(rows).rename(columns={"key": unit})
    table = rows[key].drop_duplicates()
    for definition in DEFINITIONS:
        names = {"estimate": definition, "ci_low": f"{definition}_low", "ci_high": f"{definition}_high"}
        of_definition = rows[rows["definition"] == definition].rename(columns=names)
        table = table.merge(of_definition[[*key, *names.values()]], on=key, how="left", validate="1:1")
    return table.merge(by_first_definition(rows)[[*key, "n", "note"]], on=key, how="left", validate="1:1")


def _columns(*more: str) -> list[str]:
    return [
        f"{definition}{suffix}"
        for definition in DEFINITIONS
        for suffix in ("", "_low", "_high", *(f"_{name}" for name in more))
    ]


def _looked_up(rows: pd.DataFrame, lengths: Mapping[tuple[str, str, str], float]) -> list[float | None]:
    groups = rows["language"] + "/" + rows["list"]
    return [lengths.get(key) for key in zip(rows["model"], groups, rows["definition"], strict=True)]


def _with_sides(
    rows: pd.DataFrame, languages: Languages, lengths: Mapping[tuple[str, str, str], float]
) -> pd.DataFrame:
    """The rows with `_SIDES`."""
    sides = []
    for row in rows.itertuples():
        first, second = _sides(row.model, row.unit, row.group, languages)
        (_, language, name), (_, other_language, other_name) = first, second
        side = {"language": language, "list": name}
        side["other_language"] = other_language if other_language != language else None
        side["other_list"] = other_name if (other_language, other_name) != (language, name) else None
        for prefix, (model, *group) in (("", first), ("other_", second)):
            side[f"{prefix}n_tokens"] = lengths.get((model, "/".join(group), row.definition))
        sides.append(side)
    return pd.concat([rows, pd.DataFrame(sides, index=rows.index, columns=_SIDES)], axis=1).reset_index(drop=True)


def _sides(model: str, unit: str, group: str, languages: Languages) -> list[tuple[str, str, str]]:
    """The (model, language, list) of each side of a difference or divergence."""
    models = model.split(MINUS)
    if unit == "languages":
        places = [(language, leading(languages)[language]) for language in group.split(MINUS)]
    else:
        language, names = group.split("/")
        places = [(language, name) for name in names.split(MINUS)]
    # a value that is not a pair is the same on both sides
    return [(models[side], *places[side]) for side in (0, -1)]
