"""The first room of the page: what every metric answers about every model, in one figure and in sentences."""

from collections.abc import Collection, Iterable, Iterator, Mapping

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
    answers.MORE: "▲",
    answers.LESS: "▼",
    answers.UNCLEAR: "◐",
    answers.OPEN: "○",
    answers.EQUIVALENT: "≈",
    answers.NONE: "–",
}
_COUNTED = 5  # models whose verdicts are counted in sentences
_SHOWN = 6  # rows of an answer that are visible at first


def overview(
    parts: Iterable[Part],
    models: list[dict],
    flagged: list[dict],
    picture: Picture | None,
    signatures: Mapping[tuple[str | None, ...], str],
) -> Room:
    """parts: those of the metrics that were measured. models: records of all models. flagged: of `page.changes`.
    picture: the figure "answers"; None without answers. signatures: of `study.signatures.by_key`."""
    parts, real = list(parts), [model["name"] for model in models if model["planted"] is None]
    facts = {
        "real": real,
        "n_controls": sum(model["planted"] is not None for model in models),
        "flagged": flagged,
        "picture": picture and shown(picture, drawn.describe(picture.table), "answers", drawn.panels(picture.table)),
        "answers": [of for part in parts for of in answered(part, signatures)],
        "counted": counted(answers.table([of for part in parts for of in part.answers]), real),
        "has_published": picture is not None and drawn.has_published(picture.table),
        "most": _COUNTED,
        "has_parts": bool(parts),
    }
    return room("overview", "Overview", facts)


def counted(table: pd.DataFrame, real: Collection[str]) -> list[dict]:
    """How often each verdict is given to each model that is not a control, and to all controls with a planted bias.

    table: of `report.answers`. real: names of the models that are not controls.
    """
    rows = table.dropna(subset="estimate")
    groups = [*rows[rows["model"].isin(real)].groupby("label", sort=False)]
    groups.append(("Controls with a planted bias", rows[rows["planted"] > 0]))
    return [
        {"label": label, "n": len(own)} | {kind: int((own["verdict"] == kind).sum()) for kind in _MARKS}
        for label, own in groups
        if len(own)
    ]


def answered(part: Part, signatures: Mapping[tuple[str | None, ...], str]) -> Iterator[dict]:
    """What is said about each answer of a part: measured models first, then controls. signatures: of `overview`."""
    for nth, answer in enumerate(part.answers):
        lines = [signatures.get(tuple(row.get(key) for key in KEY)) for row in answer.rows]
        table = answers.table([answer]).sort_values("planted", na_position="first", kind="stable")
        rows = [
            _row(row) | {"signature": lines[at], "id": f"cite-{part.name}-{nth}-{at}"} for at, row in table.iterrows()
        ]
        said = {key: getattr(answer, key) for key in ("title", "measures", "unit", "section")}
        null = None if answer.null is None else f"{answer.null:g}"
        yield said | {"part": part.name, "null": null, "shown": rows[:_SHOWN], "more": rows[_SHOWN:]}


def _row(row: pd.Series) -> dict:
    said = {key: row[key] for key in ("model", "label", "of", "verdict", "said", "source")}
    published = None if pd.isna(row["published"]) else f"{row['published']:.3g}"
    return said | {"number": number(row, scale=1), "published": published, "mark": _MARKS[row["verdict"]]}


def looks(parts: Iterable[Part]) -> list[dict]:
    """The models that have answers, each with its colour and symbol, the same in every figure."""
    rows = [row for part in parts for answer in part.answers for row in answer.rows]
    found = style.looks(row["model"] for row in rows)
    labels = {row["model"]: row["label"] for row in reversed(rows)}  # the first label of a model marks controls
    return [
        {"name": name, "label": labels[name], "colour": look.colour, "symbol": panels.SYMBOLS[look.marker]}
        for name, look in found.items()
    ]
