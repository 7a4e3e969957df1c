"""Categorical Bias as published (Ahn and Oh 2021) compared with our numbers.

`published` is the table of resources/categorical_bias/published.csv; `numbers` are tidy rows of all models; `treated`
is the treatment of each model of the study.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import pandas as pd

from herbarium.metrics.categorical_bias.numbers import METRIC
from herbarium.metrics.categorical_bias.overview import mean_lengths, parted
from herbarium.metrics.categorical_bias.stimuli import WHOLE, Languages, leading
from herbarium.models.treated import ALIGNED, Treated, matching
from herbarium.statistics import agreement
from herbarium.statistics.agreement import CELL, OURS
from herbarium.statistics.paired import MINUS

# Words of a published cell -> their variant.
WORDS = {
    "base": "cb",
    "additional attributes": "cb_additional_attributes",
    "additional targets": "cb_additional_targets",
    "additional attributes and targets": "cb_additional_both",
}
MONOLINGUAL = "monolingual"
SCHEDULES = ("ahn_oh",)  # the schedules of changed models that are compared with the paper's
RUNS = 5  # Appendix B: a figure is a mean of this number of runs

# The tables that have a number that we measure, by their numbers.
NUMBERS = ("2", "3", "4", "5", "7", "8", "9", "C")
_PUBLISHED_LIST = "published"
_CELL_OF = ["model", "treatment", "languages", "words", "measure"]  # the key of a cell of any table
_SIDES = (("language", "list"), ("other_language", "other_list"))
_BESIDE = ["published", *OURS, "difference", "difference_released"]
SCORES = ["model", "treatment", "measured", "language", "words", "list", *_BESIDE, "n", "n_tokens", "note", "doubt"]
DIVERGENCES = [
    *("model", "treatment", "measured", "language", "other_language", "list", "other_list", "measure", *_BESIDE, "n"),
    *("n_tokens", "other_n_tokens", "note", "doubt"),
]


def reasons(
    table: pd.DataFrame,
    figures: pd.DataFrame,
    languages: Languages,
    treated: Sequence[Treated],
    others: Mapping[str, Mapping],
) -> list[str]:
    """For each row of a table of `table`, why ours is of another model or of another list; empty if it is of the same.

    A changed model is held to be the one that it comes from. figures: all published ones. others: the reasons for
    "models", and for "data" by language and list, of `models.originals`.
    """
    source = {training: model.source for model in treated for training in model.trainings}
    models = {language: entry["models"][0] for language, entry in languages.items()}
    first = {language: source.get(model, model) for language, model in models.items()}
    reasons = []
    for row in table.to_dict("records"):
        sides = [(row[language], row[name]) for language, name in _SIDES if row.get(language)]
        names = {row["model"]} if row["model"] != MONOLINGUAL else {first[language] for language, _ in sides}
        if row["treatment"].startswith(ALIGNED):
            names.add(row["treatment"].removeprefix(ALIGNED))
        wrong = [
            f"'{first[language]}' is not the paper's model of {language}"
            for language, _ in sides
            if row["model"] == MONOLINGUAL and first[language] not in _monolingual(figures, language)
        ]
        of_models = (others["models"].get(name, f"'{name}' is not in this study") for name in sorted(names))
        of_lists = (others["data"][language][name] for language, name in sides)
        reasons.append(agreement.all_reasons(*wrong, *of_models, *of_lists))
    return reasons


def _monolingual(figures: pd.DataFrame, language: str) -> set[str]:
    """The models of one language alone that have a figure in it."""
    of_language = figures[(figures["language"] == language) & (figures["model"] != MONOLINGUAL)]
    n_languages = figures.groupby("model")["language"].nunique()
    return {model for model in of_language["model"] if n_languages[model] == 1}


def beside(published: pd.DataFrame, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Every published figure compared with ours: rows of the schema "published". tables: number -> of `table`,
    `agreement.marked`.

    Of a language's lists the published one is used if the study has it, else the leading one.
    """
    figures = _with_languages(published)
    figures = agreement.placed(figures, figures["table"].astype(str), _CELL_OF)
    ours = [_placed(rows, number) for number, rows in tables.items()]
    return agreement.beside(METRIC, figures, ours, trained_anew=figures["treatment"] != "")


def _placed(rows: pd.DataFrame, number: str) -> pd.DataFrame:
    """Ours by cell, one list per cell."""
    rows = _with_languages(rows)
    if "measure" not in rows:
        rows = rows.assign(measure="cb")
    rows = rows.assign(words=rows.get("words", "base"))
    names, notes = (rows[column].astype(object) for column in ("list", "note"))
    descriptions = ("list " + names + "; " + notes.fillna("")).str.removesuffix("; ")
    rows = agreement.placed(rows.assign(said=descriptions), number, _CELL_OF)
    rows = rows.sort_values("list", key=lambda column: column != _PUBLISHED_LIST, kind="stable")
    return rows.drop_duplicates([*CELL, "measured"])


def _with_languages(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the pair of their languages, in alphabetical order, or the single language."""
    pairs = zip(rows["language"], rows.get("other_language", pd.Series("", rows.index)), strict=True)
    return rows.assign(languages=[MINUS.join(sorted(filter(None, pair))) for pair in pairs])


def table(
    numbers: pd.DataFrame,
    published: pd.DataFrame,
    number: str,
    languages: Languages,
    treated: Sequence[Treated],
) -> pd.DataFrame:
    """A table of the paper compared with our numbers: one row per published cell, model of ours and list of the
    language, if it was measured.

    `published` is the figure as printed, `doubt` why it may not be what the table says. `measured` is the name of our
    model: the one with the paper's name or, for a figure after a treatment, every one derived from it by this treatment
    and the paper's own schedule. `paper` and `released` are ours, each with the bounds of its interval in `_low` and
    `_high`; for a changed model they are the mean of its trainings and the bounds of `agreement.over_trainings`.
    `difference` is `paper` minus `published` and `difference_released` is `released` minus it. `n` is the number of
    targets,
    `n_tokens` the mean number of sub-tokens of the base targets, null if the words include others.

    Columns of tables 3 and 9, of pairs of languages by their leading lists, are `DIVERGENCES`; there "monolingual"
    means each language's own model, the first of the study's, named in `measured`. Figures of Table 9 on one language
    are of a model before and after a treatment. The others have `SCORES`.
    """
    cells = published[published["table"] == number]
    if (cells["measure"] == "cb").all():
        return _filled(_score_cells(numbers, cells, treated), _ours(numbers, METRIC), SCORES)
    divergences = _divergence_cells(numbers, cells, languages, treated)
    return _filled(divergences, _ours(numbers, "categorical_bias_divergences"), DIVERGENCES)


def _score_cells(
    numbers: pd.DataFrame, cells: pd.DataFrame, treated: Sequence[Treated]
) -> Iterator[tuple[Treated, list[tuple], dict]]:
    """For each cell, model and list: the treatment of the model, the numbers of its trainings, and the rest of its
    row."""
    of_lists = parted(numbers[(numbers["metric"] == METRIC) & (numbers["unit"] == "list")])
    lists = of_lists.groupby(["model", "language"])["list"].unique()
    lengths = mean_lengths(numbers)
    for cell in cells.to_dict("records"):
        for entry in matching(treated, cell["model"], cell["treatment"], SCHEDULES):
            names = (lists.get((training, cell["language"]), ()) for training in entry.trainings)
            for name in dict.fromkeys(chain.from_iterable(names)):
                group = f"{cell['language']}/{name}"
                row = {**cell, "measured": entry.name, "list": name}
                if "targets" not in cell["words"]:
                    of_trainings = (lengths.get((training, group, "paper")) for training in entry.trainings)
                    row["n_tokens"] = next(filter(None, of_trainings), None)
                yield entry, [(training, group, WORDS[cell["words"]]) for training in entry.trainings], row


def _divergence_cells(
    numbers: pd.DataFrame, cells: pd.DataFrame, languages: Languages, treated: Sequence[Treated]
) -> Iterator[tuple[Treated, list[tuple], dict]]:
    lengths = mean_lengths(numbers)
    order = list(languages)
    known = {training: entry for entry in treated for training in entry.trainings}
    for cell in cells.to_dict("records"):
        if not cell["other_language"]:
            yield from _changed_cells(cell, languages, treated, lengths)
            continue
        pair = sorted((cell["language"], cell["other_language"]), key=lambda name: [*order, name].index(name))
        if not set(pair) <= set(order):
            continue
        lists = [leading(languages)[language] for language in pair]
        models = [cell["model"]] * 2
        if cell["model"] == MONOLINGUAL:
            models = [languages[language]["models"][0] for language in pair]
        treated_model = _of_pair(cell, pair, [known.get(model) for model in models])
        if treated_model is None:
            continue
        measured = MINUS.join(dict.fromkeys(models))
        row = {**cell, "measured": measured}
        for prefix, model, language, name in zip(("", "other_"), models, pair, lists, strict=True):
            row |= {f"{prefix}language": language, f"{prefix}list": name}
            row[f"{prefix}n_tokens"] = lengths.get((model, f"{language}/{name}", "paper"))
        yield treated_model, [(measured, MINUS.join(pair), cell["measure"])], row


def _changed_cells(
    cell: Mapping, languages: Languages, treated: Sequence[Treated], lengths: Mapping
) -> Iterator[tuple[Treated, list[tuple], dict]]:
    """For a cell on one language: its model before and after each treatment that the cell is about."""
    name = leading(languages).get(cell["language"])
    for entry in matching(treated, cell["model"], cell["treatment"], SCHEDULES):
        row = {**cell, "measured": entry.name, "list": name}
        row["n_tokens"] = lengths.get((entry.source, f"{cell['language']}/{name}", "paper"))
        pairs = [f"{entry.source}{MINUS}{training}" for training in entry.trainings]
        yield entry, [(pair, cell["language"], cell["measure"]) for pair in pairs], row


def _of_pair(cell: Mapping, pair: Sequence[str], sides: Sequence[Treated | None]) -> Treated | None:
    """The model of a cell's treatment, if the two have one: only that of the cell's second language."""
    if None in sides:
        return None
    by_language = dict(zip(pair, sides, strict=True))
    first, second = by_language[cell["language"]], by_language[cell["other_language"]]
    matches = matching([second], second.source, cell["treatment"], SCHEDULES)
    return second if matches and not first.treatment else None


def _ours(numbers: pd.DataFrame, metric: str) -> dict[tuple, dict]:
    """(model, group, variant) -> our columns of a row."""
    ours = {}
    whole = numbers[(numbers["metric"] == metric) & numbers["unit"].isin(["list", "languages"])]
    whole = whole[whole["definition"] != WHOLE]  # the paper's models are masked
    for number in whole.to_dict("records"):
        row = ours.setdefault((number["model"], number["group"], number["variant"]), {})
        bounds = {"": "estimate", "_low": "ci_low", "_high": "ci_high"}
        row |= {f"{number['definition']}{suffix}": number[column] for suffix, column in bounds.items()}
        row |= {"n": number["n"], "note": number["note"]} if number["definition"] == "paper" else {}
    return ours


def _filled(
    cells: Iterator[tuple[Treated, list[tuple], dict]], ours: dict[tuple, dict], columns: list[str]
) -> pd.DataFrame:
    """The cells with a number of ours, as a table of these columns."""
    filled = ((entry, row, [ours[key] for key in keys if key in ours]) for entry, keys, row in cells)
    rows = pd.DataFrame([{**row, **_as_one(entry, numbers)} for entry, row, numbers in filled if numbers])
    rows = rows.rename(columns={"value": "published"}).reindex(columns=columns)
    for definition, column in (("paper", "difference"), ("released", "difference_released")):
        rows[column] = rows[definition] - rows["published"]
    return rows


def _as_one(entry: Treated, trainings: list[dict]) -> dict:
    """Our columns of a row."""
    if not entry.treatment:
        return trainings[0]
    notes = dict.fromkeys(row["note"] for row in trainings if isinstance(row.get("note"), str))
    note = "; ".join([entry.said(len(trainings)), *notes])
    return {**trainings[0], **agreement.over_trainings(trainings, RUNS), "note": note}
