"""The room of the page on the words that drive each number."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from herbarium.drawing import style
from herbarium.page.build import Room, room
from herbarium.report.numbers import text
from herbarium.report.part import Part, heading
from herbarium.study.words import SHOWN


def by_part(table: pd.DataFrame, parts: Iterable[Part]) -> dict[str, pd.DataFrame]:
    """The rows of each part of the page, by its name. table: of `study.words`."""
    part_of = {test.metric: part.name for part in parts for test in part.tested}
    names = table["metric"].map(lambda metric: part_of.get(metric, metric))
    return dict(list(table.groupby(names, sort=False)))


def drivers(ranked: Mapping[str, pd.DataFrame], parts: Sequence[Part]) -> Room:
    """ranked: of `by_part`. parts: those of the metrics that were measured."""
    headings = {part.name: heading(part) for part in parts}
    planted = {model["name"]: model["planted"] for part in parts for model in part.models}
    metrics = [
        {"id": name, "name": headings.get(name) or name, "rows": list(_rows(rows, planted))}
        for name, rows in ranked.items()
    ]
    return room("drivers", "Words", {"metrics": metrics, "most": SHOWN})


def _rows(table: pd.DataFrame, planted: dict) -> Iterator[dict]:
    """A row for each model and what is ranked in it, measured models first."""
    by_kind = table.assign(is_planted=table["model"].map(planted).notna()).sort_values("is_planted", kind="stable")
    for (model, measure, what), rows in by_kind.groupby(["model", "measure", "what"], sort=False):
        first = rows.iloc[0]
        is_high = rows["rank"] <= min(SHOWN, first["n"] / 2)
        yield {
            "model": model,
            "label": style.label(model, planted.get(model)),
            "what": f"{what} of {measure}",
            "n": int(first["n"]),
            "high": [_named(row) for row in rows[is_high].to_dict("records")],
            "low": [_named(row) for row in rows[~is_high].iloc[::-1].to_dict("records")],
            "mean": text(first["mean"]),
            "without": [text(first[end]) for end in ("without_low", "without_high")],
        }


def _named(row: dict) -> dict:
    return {"name": row["name"], "value": text(row["value"])}
