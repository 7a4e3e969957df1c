"""The part of the page on custom sentence sets."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.sentence_sets import TITLE
from herbarium.metrics.sentence_sets.bbq_contrast import BBQ, CHOICES
from herbarium.metrics.sentence_sets.figures import difference, forest
from herbarium.metrics.sentence_sets.numbers import METRIC, WORTH, contrast_of
from herbarium.metrics.sentence_sets.published import NUMBERS
from herbarium.metrics.sentence_sets.stereoset_contrast import STEREOSET
from herbarium.report.answers import Answer, answer
from herbarium.report.numbers import least_p, noted, number, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown
from herbarium.statistics import randomisation
from herbarium.statistics.sets import ALL, RIGHT
from herbarium.statistics.within_sets import ACCURACY, CANDIDATES, PAIRS, SHARE

_HERE = Path(__file__).parent
SECTION = "sentence-sets"
_FOREST, _EACH, _DIFFERENCE = "sentence_sets_forest", "sentence_sets_each", "sentence_sets_difference"
_ABSENT = {
    PAIRS.name: "0",
    SHARE.name: "50 per cent",
    CANDIDATES.name: "0",
    ACCURACY.name: "50 per cent (0 for the difference)",
    STEREOSET.name: "50 per cent (for ss)",
    BBQ.name: "0 (for difference and bias)",
    CHOICES.name: "0 (for difference and bias), 33.3 per cent (for each letter)",
}


def part(
    numbers: pd.DataFrame,
    correlations: pd.DataFrame,
    coreference: pd.DataFrame,
    faults: pd.DataFrame,
    entries: Mapping[str, Mapping],
    models: list[dict],
    pictures: Mapping[str, Picture],
) -> Part:
    """numbers: of `numbers.with_contrasts`. correlations: of `each.correlations`. coreference: of
    `published.beside`. faults: of `formats.by_set`. entries: `sentence_sets` of the configuration. models: model
    records, by strength. pictures: by the names of figures.
    """
    picture = pictures[_FOREST]
    facts = {
        "sets": [
            of_set(name, entry, numbers[numbers["stimuli"] == name]) | {"faults": counted(faults, name)}
            for name, entry in entries.items()
        ],
        "picture": shown(picture, forest.describe(picture.table), _FOREST, forest.panels(picture.table)),
        "difference": shown_difference(pictures.get(_DIFFERENCE)),
        "of_each": shown_each(pictures.get(_EACH)),
        "coreference": [system(entry) for entry in coreference.to_dict("records")],
        "correlations": [correlation(entry, models) for entry in correlations.to_dict("records")],
    }
    return Part(
        name=METRIC,
        title=f"{TITLE}: " + ", ".join(titled(*entry) for entry in entries.items()),
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", {}),
        tested=[tested(entries)],
        models=models,
        lead=render(_HERE, "lead.html.j2", facts),
        topics=[group for group in numbers["group"].unique() if group != ALL],
        answers=[set_answer(name, entry, numbers[numbers["stimuli"] == name]) for name, entry in entries.items()],
    )


def set_answer(name: str, entry: Mapping, rows: pd.DataFrame) -> Answer:
    """The first screen for a set of sentences: its contrast over all of them; for candidates that of each side, and if
    there are several numbers with a null value, the last, which is the difference. rows: as for `of_set`."""
    contrast = contrast_of(entry)
    tested_sides = [side for side in contrast.rows(entry["sides"]) if pd.notna(contrast.scale(side).null)]
    sides = tested_sides if contrast is CANDIDATES else tested_sides[-1:]
    overall_rows = with_least(rows[rows["group"] == ALL], entry)
    overall_rows = overall_rows[overall_rows["side"].isna() if sides == [None] else overall_rows["side"].isin(sides)]
    p = overall_rows["p_adjusted"].fillna(overall_rows["p_value"]).mask(overall_rows["least_alone"] >= style.ALPHA)
    planted = overall_rows.drop_duplicates("model").set_index("model")["planted"]
    return answer(
        f"Sentences: {titled(name, entry)}",
        f"{forest.axis(overall_rows.iloc[0]).partition(' (')[0].capitalize()}.",
        "per cent" if contrast.is_percentage else "nats",
        SECTION,
        overall_rows.assign(
            p_adjusted=p, of=overall_rows["side"].fillna("") if len(sides) > 1 else "", caveat=overall_rows["note"]
        ),
        planted,
        null=contrast.scale(sides[0]).null,
        directions=directions(entry),
    )


def titled(name: str, entry: Mapping) -> str:
    """What a set of sentences is called: a sample of it has not its name."""
    return f"{name}, a sample" if entry.get("limit") else name


def directions(entry: Mapping) -> tuple[str, str]:
    """What a value above the null value means, and one below, by the sides of a set."""
    contrast = contrast_of(entry)
    if contrast is CANDIDATES:
        return "likelier than the mean of its set", "less likely than the mean of its set"
    sides = contrast.sides or entry["sides"]
    one, other = (sides[0], sides[2]) if contrast is ACCURACY else sides[:2]
    one, other = one.removesuffix(RIGHT), other.removesuffix(RIGHT)
    return f"{one} over {other}", f"{other} over {one}"


def shown_each(picture: Picture | None) -> dict | None:
    """The figure of each value of a column; None if no set has one."""
    return picture and shown(picture, forest.describe_each(picture.table), _EACH, forest.panels(picture.table))


def shown_difference(picture: Picture | None) -> dict | None:
    """The figure of differences of accuracies; None if no set has any."""
    if picture is None:
        return None
    return shown(picture, difference.describe(picture.table), _DIFFERENCE, difference.panels(picture.table))


def correlation(entry: Mapping, models: list[dict]) -> dict:
    """A row of the table of correlations. entry: a row of `each.correlations`."""
    planted = {model["name"]: model["planted"] for model in models}
    plain = {"estimate": entry["correlation"], "ci_low": entry["ci_low"], "ci_high": entry["ci_high"]}
    corrected = {name: entry[f"corrected{end}"] for name, end in zip(plain, ("", "_low", "_high"), strict=True)}
    return {
        **{"name": entry["stimuli"], "each": entry["each"], "n": int(entry["n"]), "p": p_text(entry["p_value"])},
        "label": style.label(entry["model"], planted[entry["model"]]),
        "plain": number(plain, scale=1) | {"note": None},
        "corrected": number(corrected, scale=1) | {"note": None if pd.isna(entry["note"]) else entry["note"]},
    }


def system(entry: Mapping) -> dict:
    """A row of the comparison with published figures. entry: a row of `published.beside`."""
    shown_of = ("split", "type", "task", "system")
    note = None if pd.isna(entry["note"]) else entry["note"] or None
    return {name: entry[name] for name in shown_of} | {
        "note": note,
        "numbers": [text(entry[n], ".1f") for n in NUMBERS],
    }


def counted(faults: pd.DataFrame, name: str) -> list[dict]:
    """The frequency of each fault in the files of a set of sentences: `fault`, `n`, `is_left_out`."""
    of_set = faults[faults["stimuli"] == name]
    return of_set.groupby(["fault", "is_left_out"]).size().rename("n").reset_index().to_dict("records")


def tested(entries: Mapping[str, Mapping]) -> Tested:
    """How p-values are adjusted: in the same way for all sets of sentences, or differently for some."""
    others = [name for name, entry in entries.items() if entry["correction"] == "fdr_bh"]
    family = "the groups of a model and set of sentences"
    if 0 < len(others) < len(entries):
        return Tested(METRIC, TITLE, SECTION, f"{family}; in {', '.join(others)} {CORRECTIONS['fdr_bh']}, else", "holm")
    return Tested(METRIC, TITLE, SECTION, family, "fdr_bh" if others else "holm")


def of_set(name: str, entry: Mapping, rows: pd.DataFrame) -> dict:
    """The findings for a set of sentences. rows: its numbers."""
    contrast = contrast_of(entry)
    return {
        "name": name,
        "title": titled(name, entry),
        "contrast": contrast.name,
        "is_share": contrast is SHARE,
        "axis": forest.axis(rows.iloc[0]),
        "first": entry["sides"][0],
        "sides": entry["sides"],
        "quantity": entry["quantity"],
        "over": " or ".join(rows.loc[rows["group"] == ALL, "over"].dropna().unique()),
        "is_crossed": entry["crossed_with"] is not None,
        "null": _ABSENT[contrast.name],
        "worth": f"{WORTH[contrast.name]:g}{' percentage points' if contrast.is_percentage else ''}",
        "level": f"{100 * entry['bootstrap']['level']:g}",
        "correction": CORRECTIONS[entry["correction"]],
        "rows": [row(set_row) for _, set_row in with_least(rows, entry).iterrows()],
        "tasks": of_tasks(rows) if contrast.tasks else [],
    }


def of_tasks(rows: pd.DataFrame) -> list[dict]:
    """Whether each measured model does the task: its `label`, and the `fault` if not. rows: as for `of_set`."""
    models = rows[rows["planted"].isna()].drop_duplicates("model")
    return [
        {"label": style.label(model.model, None), "fault": None if pd.isna(model.unable) else model.unable}
        for model in models.itertuples()
    ]


def with_least(rows: pd.DataFrame, entry: Mapping) -> pd.DataFrame:
    """The rows of a set of sentences with the least p-value that each test can give: `least_alone`, and adjusted
    `least`."""
    labels = contrast_of(entry).n_labels(entry["sides"])
    if entry["crossed_with"]:  # tested by t, which has no least p-value
        alone = [0.0] * len(rows)
    else:
        alone = [randomisation.least_p_value(max(int(n), 1), labels) for n in rows["n"]]
    rows = rows.assign(least_alone=alone, is_all=rows["group"] == ALL)
    return rows.assign(least=least_p(rows, rows["least_alone"], ["model", "is_all"], entry["correction"]))


def row(series: pd.Series) -> dict:
    """A number as shown on the page. p: of the test of all sets, or adjusted over the groups."""
    return {
        "group": series["group"] if pd.isna(series["side"]) else f"{series['side']}, {series['group']}",
        "is_all": series["group"] == ALL,
        "topic": None if series["group"] == ALL else series["group"],
        "side": None if pd.isna(series["side"]) else series["side"],
        "label": style.label(series["model"], series["planted"]),
        "n": int(series["n"]),
        "number": noted(series),
        "p": p_text(series["p_value"], series["least_alone"]),
        "p_adjusted": p_text(series["p_adjusted"], series["least"]),
        "bound": text(series["equivalence_bound"]),
        "shown": text(series["least_shown"]),
        "needed": text(series["n_needed"], ",.0f"),
    }
