"""The first room of the page: what every metric answers about every model, in one figure and in sentences."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import pandas as pd

from herbarium.drawing import panels, style
from herbarium.page import answers as drawn
from herbarium.page.build import Room, room
from herbarium.report import answers
from herbarium.report.numbers import number
from herbarium.report.part import Part
from herbarium.report.pictures import Picture, shown
from herbarium.statistics.tidy import KEY

_MARKS = {
    answers.DIFFERENT: "▲",
    answers.BETWEEN: "△",
    answers.SMALL: "≈",
    answers.OPEN: "○",
    answers.WITHHELD: "✕",
    answers.NONE: "–",
}
# What readers ask first, and the room with the answer.
QUESTIONS = {
    "changes": "Which of two models is more biased?",
    "drivers": "Which words drive a number?",
    "methods": "What do I write in the paper?",
}
_COUNTED = 5  # models whose verdicts are counted in sentences
_NAMED = 12  # models that the first sentence names; of more it says how many
_SHOWN = 6  # rows of an answer that are visible at first


def overview(
    parts: Iterable[Part],
    models: list[dict],
    flagged: list[dict],
    picture: Picture | None,
    signatures: Mapping[tuple[str | None, ...], str],
    withdrawn: Sequence[dict] = (),
    chance: Mapping[str, str] | None = None,
    asked: Collection[str] = (),
    ranked: Collection[str] = (),
    compared: bool = False,
) -> Room:
    """parts: those of the metrics that were measured. models: records of all models. flagged: of `page.changes`.
    picture: the figure "answers"; None without answers. signatures: of `study.signatures.by_key`. withdrawn, chance: of
    `report.reference.Screen`. asked, ranked: metrics of whose sentences, and of whose words, the page has some.
    compared: whether two models are."""
    parts, real = list(parts), [model["name"] for model in models if model["planted"] is None]
    given = [(part.name, answer) for part in parts for answer in part.answers]
    screen = answers.table([answer for _, answer in given])
    facts = {
        "real": real,
        "names_all": len(real) <= _NAMED,
        "n_planted": sum(model["planted"] is not None for model in models),
        "questions": {
            room: question
            for room, question in QUESTIONS.items()
            if {"changes": compared, "drivers": ranked, "methods": parts}[room]
        },
        "flagged": flagged,
        "failing": failing(screen),
        "withdrawn": withdrawn,
        "chance": chance or {},
        "cells": cells(
            screen,
            [
                {place: part for place, metrics in (("sentences", asked), ("words", ranked)) if part in metrics}
                for part, _ in given
            ],
            _bases(models),
        ),
        "picture": picture and shown(picture, drawn.describe(picture.table), "answers", drawn.panels(picture.table)),
        "answers": list(answered(given, screen, signatures)),
        "counted": counted(screen),
        "left_off": answers.left_off([answer for _, answer in given]),
        "has_band": picture is not None and drawn.has_band(picture.table),
        "is_cut": picture is not None and drawn.is_cut(picture.table),
        "has_published": picture is not None and drawn.has_published(picture.table),
        "most": _COUNTED,
        "has_parts": bool(parts),
    }
    return room("overview", "Overview", facts)


def failing(screen: pd.DataFrame) -> list[dict]:
    """Unbiased references that differ from the null value: no verdict is given beside them. screen: of
    `report.answers.table`."""
    rows = screen[screen["is_reference"].astype(bool) & (screen["verdict"] == answers.DIFFERENT)]
    return [{key: row[key] for key in ("title", "of", "model", "section")} for row in rows.to_dict("records")]


def counted(screen: pd.DataFrame) -> list[dict]:
    """How often each verdict is given to each measured model."""
    rows = screen[screen["planted"].isna()].dropna(subset="estimate")
    return [
        {"label": label, "n": len(group)} | {kind: int((group["verdict"] == kind).sum()) for kind in _MARKS}
        for label, group in rows.groupby("label", sort=False)
    ]


def _bases(models: Iterable[Mapping]) -> dict[str, str]:
    """Model that a recipe made -> the model that it was made from. models: records."""
    return {model["name"]: model["derived"]["from"] for model in models if model.get("derived")}


def cells(screen: pd.DataFrame, behind: Sequence[Mapping[str, str]], bases: Mapping[str, str]) -> dict:
    """The first table: `columns`, a number each, and `rows`, a model each, measured ones first, with its `cells`, null
    where a model has no such number; `has_shares`: whether any cell has a share of what is planted. behind: for each
    answer, the metric whose "sentences" and "words" the page has. bases: of models that were made from others."""
    columns = screen.drop_duplicates(["answer", "of"])[["answer", "title", "of", "measured_in", "null", "section"]]
    screen = screen.assign(share=answers.share_of_planted(screen))
    by_place = {(row["model"], row["answer"], row["of"]): row for row in screen.to_dict("records")}
    order = screen.sort_values("planted", na_position="first", kind="stable")
    # a model is planted for some numbers only: it stands where the first of them puts it
    models = screen.assign(is_planted=screen["planted"].notna()).groupby("model", sort=False)["is_planted"].any()
    names = sorted(order["model"].unique(), key=lambda name: bool(models[name]))
    rows = [
        {
            "model": name,
            "base": bases.get(name),
            "cells": [
                _cell(by_place.get((name, column["answer"], column["of"]))) for column in columns.to_dict("records")
            ],
        }
        for name in names
    ]
    return {
        "columns": [
            column | {"null": f"{column['null']:g}", "behind": behind[column["answer"]]}
            for column in columns.to_dict("records")
        ],
        "rows": rows,
        "has_shares": any(cell and cell["share"] for row in rows for cell in row["cells"]),
    }


def _cell(row: Mapping | None) -> dict | None:
    if row is None:
        return None
    strength = None if pd.isna(row["planted"]) else row["planted"]
    where = "planted" if row["label"] == style.label(row["model"], strength) else "planted in the task's texts"
    has_share = pd.notna(row["share"]) and strength is None and row["verdict"] in (answers.DIFFERENT, answers.BETWEEN)
    return {
        "mark": _MARKS[row["verdict"]],
        "verdict": row["verdict"],
        "sentence": row["sentence"],
        "number": number(row, scale=1),
        "planted": strength and f"{where}, strength {strength:g}",
        "is_reference": strength == 0,
        "share": answers.percent(row["share"]) if has_share else None,
        "section": row["section"],
    }


def answered(
    given: Iterable[tuple[str, answers.Answer]], screen: pd.DataFrame, signatures: Mapping[tuple[str | None, ...], str]
) -> Iterator[dict]:
    """What is said about each answer on the screen: measured models first, then planted ones. given: each answer with
    the name of its part. signatures: of `overview`."""
    for place, (part, answer) in enumerate(given):
        rows = screen[screen["answer"] == place].sort_values("planted", na_position="first", kind="stable")
        lines = [
            _row(row) | {"signature": signatures.get(tuple(row[key] for key in KEY)), "id": f"cite-{place}-{at}"}
            for at, row in enumerate(rows.to_dict("records"))
        ]
        if lines:
            facts = {key: getattr(answer, key) for key in ("title", "measures", "unit", "section")}
            yield facts | {"part": part, "null": f"{answer.null:g}", "shown": lines[:_SHOWN], "more": lines[_SHOWN:]}


def _row(row: Mapping) -> dict:
    plain = {key: row[key] for key in ("model", "label", "of", "verdict", "sentence", "source")}
    published = None if pd.isna(row["published"]) else f"{row['published']:.3g}"
    return plain | {"number": number(row, scale=1), "published": published, "mark": _MARKS[row["verdict"]]}


def looks(parts: Iterable[Part]) -> list[dict]:
    """The models that have answers, each with its colour and symbol, the same in every figure."""
    rows = [row for part in parts for answer in part.answers for row in answer.rows]
    model_looks = style.looks(row["model"] for row in rows)
    labels = {
        row["model"]: row["label"] for row in reversed(rows)
    }  # the first label of a model says what is planted in it
    return [
        {"name": name, "label": labels[name], "colour": look.colour, "symbol": panels.SYMBOLS[look.marker]}
        for name, look in model_looks.items()
    ]
