"""The room of the page that compares published figures with ours."""

from collections.abc import Iterable

import pandas as pd

from herbarium.page.build import Room, room
from herbarium.report.numbers import text
from herbarium.report.part import Part
from herbarium.statistics.agreement import AGREEMENTS, NOT_MEASURED, counts
from herbarium.study.reproduction import COUNTS, title


def reproduction(table: pd.DataFrame, parts: Iterable[Part], sources: pd.DataFrame, rest: pd.DataFrame) -> Room:
    """table: with the schema "published", `published` as text. parts: those of the metrics that were measured, with
    their papers. sources: of `study.reproduction.by_source`. rest: what the study has no file of, of `scope.left`."""
    by_table = counts(table)
    # if several parts have figures of the same paper, the first has more of them
    papers = {metric: (paper, section) for part in [*parts][::-1] for metric, paper, section in part.papers}
    tables = [
        {
            "paper": papers[row["metric"]][0],
            "part": papers[row["metric"]][1],
            "title": title(row["table"]),
            "id": f"reproduction-{row['metric']}-{row['table']}".replace(".", "-").replace(" ", "-"),
            "n": row["n"],
            "n_measured": row["n"] - row[NOT_MEASURED],
            "counts": [row[agreement] for agreement in AGREEMENTS[:-1]],
            "exact": row["exact"],
            "rows": _rows(table[(table["metric"] == row["metric"]) & (table["table"] == row["table"])]),
        }
        for row in by_table.to_dict("records")
    ]
    facts = {
        "agreements": AGREEMENTS[:-1],
        "tables": tables,
        "counted": [name.replace("_", " ") for name in COUNTS],
        "sources": sources[["source", *COUNTS]].to_numpy().tolist(),
        "rest": rest.to_dict("records"),
        "n_papers": len({paper.partition(",")[0] for paper, _ in papers.values()}),
        "total": {
            "n": int(by_table["n"].sum()),
            "n_measured": int((by_table["n"] - by_table[NOT_MEASURED]).sum()),
            "counts": [int(by_table[agreement].sum()) for agreement in AGREEMENTS[:-1]],
            "exact": int(by_table["exact"].sum()),
        },
    }
    return room("reproduction", "Reproduction", facts)


def _rows(table: pd.DataFrame) -> list[dict]:
    """The figures that can be compared: those measured in this study."""
    shown = table[table["agreement"] != NOT_MEASURED]
    return [
        {
            **{key: row[key] for key in ("row", "column", "published", "agreement")},
            "mark": row["agreement"].replace(" ", "-"),
            **{key: text(row[key], ".4g") for key in ("paper", "released", "difference", "tolerance")},
            "note": row["note"] if isinstance(row["note"], str) else None,
        }
        for row in shown.to_dict("records")
    ]
