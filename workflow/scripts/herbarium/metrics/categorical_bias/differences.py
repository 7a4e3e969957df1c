"""Differences of Categorical Bias between models, languages and lists, paired by replicate (tidy numbers)."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.stimuli import Languages, leading
from herbarium.statistics import paired
from herbarium.statistics.paired import MINUS, Pair, Side
from herbarium.statistics.tidy import tidy

VARIANTS = ("cb", "cb_equal_length", "cb_single_token", "length_share", *(f"part_{part}" for part in cb.PARTS))


def differences(
    numbers: pd.DataFrame, replicates: pd.DataFrame, languages: Languages, level: float, method: str
) -> pd.DataFrame:
    """Tidy rows of metric "categorical_bias_differences", of each definition and of `VARIANTS`.

    numbers: tidy rows of metric "categorical_bias" of every model and language. replicates: of the schema "replicates",
    of all of them. level: coverage of the percentile intervals. method: of
    `inference.adjust`; a family of p-values is a unit's, definition's and variant's.

    Unit "models": pairs of models, "{a} − {b}", on one list; group {language}/{list}. Unit "languages": the pairs of
    `language_pairs`, leading lists, group "{a} − {b}". Unit "lists": pairs of lists by one model, group
    "{language}/{a} − {b}".

    What a replicate draws depends on the keys alone (`numbers.draw`). Models on one list share all draws.
    Two languages, or two lists, share those of targets and of attributes if the keys of these are the same in both,
    refused words among them, and so with templates: Chinese has others than English. Where draws are not shared the
    sides are independent, and the interval is the wider for it. `n` is the number of targets where it is one for both
    sides, else null.

    Raises ValueError where the replicates of two sides differ in number, so that they are not of the same draws.
    """
    if replicates.groupby(["model", "group", "definition", "variant"]).size().nunique() > 1:
        raise ValueError("replicates of different numbers are not of the same draws: sides cannot be paired")
    units = {"models": _of_models(languages), "languages": _of_languages(languages), "lists": _of_lists(languages)}
    # with one model, language and list, or without replicates, there is nothing to compare
    units = {unit: pairs for unit, pairs in units.items() if pairs and len(replicates)}

    numbers = numbers[(numbers["metric"] == "categorical_bias") & (numbers["unit"] == "list")]
    drawn = replicates["replicate"].unique()
    tables = [pd.DataFrame()]
    for definition, variant in itertools.product(numbers["definition"].unique(), VARIANTS):
        scores, values = (
            table[(table["definition"] == definition) & (table["variant"] == variant)]
            for table in (numbers, replicates)
        )
        scores = scores.set_index(["model", "group"])
        values = values.pivot(index="replicate", columns=["model", "group"], values="value").reindex(drawn)
        for unit, pairs in units.items():
            table = paired.family(
                pairs,
                scores,
                values,
                level,
                method,
                without_interval="a side has no interval",
                unequal="the sides are of different numbers of targets",
            )
            tables.append(table.assign(unit=unit, definition=definition, variant=variant))
    rows = pd.concat(tables, ignore_index=True)
    return tidy(rows.assign(metric="categorical_bias_differences"))


@dataclass(frozen=True)
class LanguagePair:
    """Two languages, each by a model and its leading list."""

    models: tuple[str, str]
    languages: tuple[str, str]
    lists: tuple[str, str]

    @property
    def model(self) -> str:
        """Of the tidy row: the model, or "{a} − {b}" where each language has its own."""
        return MINUS.join(dict.fromkeys(self.models))

    @property
    def group(self) -> str:
        return MINUS.join(self.languages)

    @property
    def sides(self) -> list[Side]:
        titles = map("/".join, zip(self.languages, self.lists, strict=True))
        return list(zip(self.models, titles, strict=True))


def language_pairs(languages: Languages) -> Iterator[LanguagePair]:
    """Every pair of languages: by each model that both are measured in, and by each language's own, if these differ."""
    lists_of = leading(languages)
    for pair in itertools.combinations(languages, 2):
        a, b = (languages[language]["models"] for language in pair)
        lists = tuple(lists_of[language] for language in pair)
        by_models = [*((model, model) for model in a if model in b), (a[0], b[0])]
        yield from (LanguagePair(models, pair, lists) for models in dict.fromkeys(by_models))


def _of_models(languages: Languages) -> list[Pair]:
    return [
        (f"{a}{MINUS}{b}", f"{language}/{name}", (a, f"{language}/{name}"), (b, f"{language}/{name}"))
        for language, of in languages.items()
        for name in of["lists"]
        for a, b in itertools.combinations(of["models"], 2)
    ]


def _of_languages(languages: Languages) -> list[Pair]:
    return [(pair.model, pair.group, *pair.sides) for pair in language_pairs(languages)]


def _of_lists(languages: Languages) -> list[Pair]:
    return [
        (model, f"{language}/{a}{MINUS}{b}", (model, f"{language}/{a}"), (model, f"{language}/{b}"))
        for language, of in languages.items()
        for a, b in itertools.combinations(of["lists"], 2)
        for model in of["models"]
    ]
