"""Differences of Categorical Bias between models, languages and lists, paired by what both share (tidy numbers)."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.core.console import tracked
from herbarium.metrics.categorical_bias.numbers import METRIC, PRIMARY, Cells, cells, cross_form, cube, tokens_of
from herbarium.metrics.categorical_bias.stimuli import DEFINITIONS, Languages, Lists, by_first_definition, leading
from herbarium.statistics import inference
from herbarium.statistics.changes import as_changes, change
from herbarium.statistics.paired import MINUS, Pair, Side
from herbarium.statistics.tidy import tidy

VARIANTS = (PRIMARY, "cb", "cb_equal_length")


def differences(
    associations: pd.DataFrame,
    cut: pd.DataFrame,
    lists: Mapping[str, Lists],
    languages: Languages,
    ddof: int,
    level: float,
    method: str,
) -> pd.DataFrame:
    """Tidy rows of metric "categorical_bias_differences", of each definition and of `VARIANTS`.

    associations, cut: of the schemas "associations" and "attribute_tokens", of every model and language. lists: by
    {language}/{list}. level: coverage of the intervals. method: of `inference.adjust`; one family of p-values per unit,
    definition and variant.

    Unit "models": pairs of models, "{a} − {b}", on one list; group {language}/{list}. Unit "languages": the pairs of
    `language_pairs`, leading lists, group "{a} − {b}". Unit "lists": pairs of lists by one model, group
    "{language}/{a} − {b}". `n` is the number of targets if it is the same on both sides, else null. Models of different
    kinds have no definition in common, and are not compared.
    """
    units = {"models": _of_models(languages), "languages": _of_languages(languages), "lists": _of_lists(languages)}
    wanted = {side for pairs in units.values() for *_, a, b in pairs for side in (a, b)}
    of_sides = _cells_of_sides(associations, cut, lists, wanted, ddof)
    known = associations.groupby("model")["definition"].agg(set).to_dict()
    tables = [pd.DataFrame()]
    for definition, variant, (unit, pairs) in itertools.product(DEFINITIONS, VARIANTS, units.items()):
        rows = [
            {
                "model": model,
                "group": group,
                **_compared(*(of_sides.get((*s, definition, variant)) for s in pair), level),
            }
            for model, group, *pair in pairs
            if all(definition in known.get(name, DEFINITIONS) for name, _ in pair)
        ]
        if rows:
            table = pd.DataFrame(rows)
            table["p_adjusted"] = inference.adjust(table["p_value"].to_numpy(float), method)
            tables.append(table.assign(unit=unit, definition=definition, variant=variant))
    return tidy(pd.concat(tables, ignore_index=True).assign(metric="categorical_bias_differences"), over="countries")


def difference(one: Cells, other: Cells) -> inference.Mean:
    """The difference of two means of cells.

    Equal keys on both sides are one draw, and what they share cancels; keys of one side only are separate draws, so
    that two lists without a common key are two independent samples.
    """
    keys = [np.union1d(*both) for both in zip(one.keys, other.keys, strict=True)]
    errors = inference.crossed_mean(_errors(one, keys) - _errors(other, keys))
    return errors._replace(estimate=float(one.values.mean() - other.values.mean()))


def _errors(cells: Cells, keys: list[np.ndarray]) -> np.ndarray:
    """Cells minus their mean, by keys, with 0 for absent ones, scaled so that errors of means do not change."""
    errors = np.zeros([len(values) for values in keys])
    places = [np.searchsorted(values, cell_keys) for values, cell_keys in zip(keys, cells.keys, strict=True)]
    errors[np.ix_(*places)] = (cells.values - cells.values.mean()) * (errors.size / cells.values.size)
    return errors


Measured = tuple[Cells, int]  # and the number of targets


def _cells_of_sides(
    associations: pd.DataFrame, cut: pd.DataFrame, lists: Mapping[str, Lists], wanted: set[Side], ddof: int
) -> dict[tuple[str, str, str, str], Measured]:
    """(model, group, definition, variant) -> the cells of a side that was measured."""
    by_place = {}
    groups = associations.groupby(["model", "language", "list", "definition"])
    for (model, language, name, definition), rows in tracked(groups, len(groups), "scores", "Differences"):
        group = f"{language}/{name}"
        measured = cube(rows, lists[group], additional_attributes=False, additional_targets=False)
        if (model, group) not in wanted or measured.fault is not None:
            continue
        tokens = cut[(cut["model"] == model) & (cut["language"] == language)]
        primary = cross_form(measured, tokens_of(tokens, name))
        by_variant = cells(measured, ddof) | ({} if isinstance(primary, str) else {PRIMARY: primary.cells})
        for variant, of_variant in by_variant.items():
            if of_variant.values.size:
                by_place[model, group, definition, variant] = of_variant, measured.log_p.shape[2]
    return by_place


def _compared(one: Measured | None, other: Measured | None, level: float) -> dict:
    """A pair by column of the tidy table."""
    if one is None or other is None:
        return {"p_value": np.nan, "note": "a side was not measured"}
    (a, n), (b, m) = one, other
    mean = difference(a, b)
    low, high = inference.t_interval(mean, level)
    return {
        "estimate": mean.estimate,
        "std_error": np.sqrt(mean.variance),
        "ci_low": low,
        "ci_high": high,
        "p_value": inference.t_p_value(mean),
        "n": n if n == m else None,
        "note": None if n == m else "the sides have different numbers of targets",
    }


@dataclass(frozen=True)
class LanguagePair:
    """Two languages, each by a model and its leading list; or one language by two models."""

    models: tuple[str, str]
    languages: tuple[str, str]
    lists: tuple[str, str]

    @property
    def model(self) -> str:
        """The model of the tidy row, or "{a} − {b}" if each language has its own."""
        return MINUS.join(dict.fromkeys(self.models))

    @property
    def group(self) -> str:
        """The languages of the tidy row, or the language if both sides have the same."""
        return MINUS.join(dict.fromkeys(self.languages))

    @property
    def sides(self) -> list[Side]:
        titles = map("/".join, zip(self.languages, self.lists, strict=True))
        return list(zip(self.models, titles, strict=True))


def language_pairs(languages: Languages) -> Iterator[LanguagePair]:
    """Every pair of languages: for each model measured in both, and for the languages' own models, if these differ."""
    lists_of = leading(languages)
    for pair in itertools.combinations(languages, 2):
        a, b = (languages[language]["models"] for language in pair)
        lists = tuple(lists_of[language] for language in pair)
        by_models = [*((model, model) for model in a if model in b), (a[0], b[0])]
        yield from (LanguagePair(models, pair, lists) for models in dict.fromkeys(by_models))


def changed_pairs(languages: Languages, changed: Sequence[Sequence[str]]) -> Iterator[LanguagePair]:
    """Each language by a model before and after a change, if both are measured in it."""
    lists_of = leading(languages)
    for language, entry in languages.items():
        for models in map(tuple, changed):
            if set(models) <= set(entry["models"]):
                yield LanguagePair(models, (language, language), (lists_of[language], lists_of[language]))


def _of_models(languages: Languages) -> list[Pair]:
    return [
        (f"{a}{MINUS}{b}", f"{language}/{name}", (a, f"{language}/{name}"), (b, f"{language}/{name}"))
        for language, entry in languages.items()
        for name in entry["lists"]
        for a, b in itertools.combinations(entry["models"], 2)
    ]


def _of_languages(languages: Languages) -> list[Pair]:
    return [(pair.model, pair.group, *pair.sides) for pair in language_pairs(languages)]


def _of_lists(languages: Languages) -> list[Pair]:
    return [
        (model, f"{language}/{a}{MINUS}{b}", (model, f"{language}/{a}"), (model, f"{language}/{b}"))
        for language, entry in languages.items()
        for a, b in itertools.combinations(entry["lists"], 2)
        for model in entry["models"]
    ]


def changes(
    compared: Sequence[Sequence[str]],
    numbers: pd.DataFrame,
    associations: pd.DataFrame,
    cut: pd.DataFrame,
    lists: Mapping[str, Lists],
    languages: Languages,
) -> pd.DataFrame:
    """Rows of the schema "changes": the primary number of each language's leading list, which has no ddof.

    compared: of `models.comparisons`. numbers: tidy rows of metric "categorical_bias". Other arguments as for
    `differences`.
    """
    groups = {language: f"{language}/{name}" for language, name in leading(languages).items()}
    wanted = {(model, group) for group in groups.values() for comparison in compared for model in comparison[2:]}
    of_sides = _cells_of_sides(by_first_definition(associations), cut, lists, wanted, ddof=0)
    numbers = by_first_definition(numbers[(numbers["variant"] == PRIMARY) & (numbers["unit"] == "list")])
    numbers = numbers.set_index(["model", "group"])
    rows = []
    for comparison, (language, group) in itertools.product(compared, groups.items()):
        places = [(model, group) for model in comparison[2:]]
        if not set(comparison[2:]) <= set(languages[language]["models"]):
            continue
        before, after = (numbers.loc[place] if place in numbers.index else None for place in places)
        cells = [
            of_sides.get((*place, row["definition"], PRIMARY)) if row is not None else None
            for place, row in zip(places, (before, after), strict=True)
        ]
        mean = difference(cells[1][0], cells[0][0]) if all(cells) else None
        rows.append(
            change(comparison, METRIC, f"Categorical Bias, {group}", before, after, mean, n=mean and cells[1][1])
        )
    return as_changes(rows)
