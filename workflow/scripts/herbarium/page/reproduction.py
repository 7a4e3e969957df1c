"""The part of the report on published figures: facts here, sentences in `reproduction.html.j2`."""

from collections.abc import Collection

import pandas as pd

from herbarium.page.build import Part
from herbarium.study import reproduction
from herbarium.study.reproduction import AGREEMENTS, NOT_MEASURED

# Metric -> the paper that its figures stand in, and the part of the page that says what ours are.
PAPERS = {
    "herb": ("HERB (Li et al., 2022)", "herb"),
    "downstream": ("HERB (Li et al., 2022), tasks", "downstream"),
    "categorical_bias": ("Categorical Bias (Ahn and Oh, 2021)", "ethnic"),
    "mixed_effects": ("Mixed effects (Shrestha et al., 2025)", "mixed"),
}


def part(table: pd.DataFrame, measured: Collection[str]) -> Part:
    """The part of the page, with all that its template says.

    table: of `metrics.reproduction`, `published` as text. measured: the metrics that have a part of the page.
    """
    counts = reproduction.counts(table)
    tables = [
        {
            "paper": PAPERS[of["metric"]][0],
            "part": PAPERS[of["metric"]][1] if of["metric"] in measured else None,
            "title": _title(of["table"]),
            "id": f"reproduction-{of['metric']}-{of['table']}".replace(".", "-"),
            "n": of["n"],
            "n_measured": of["n"] - of[NOT_MEASURED],
            "counts": [of[agreement] for agreement in AGREEMENTS[:-1]],
            "exact": of["exact"],
            "rows": _rows(table[(table["metric"] == of["metric"]) & (table["table"] == of["table"])]),
        }
        for of in counts.to_dict("records")
    ]
    facts = {
        "agreements": AGREEMENTS[:-1],
        "tables": tables,
        "total": {
            "n": int(counts["n"].sum()),
            "n_measured": int((counts["n"] - counts[NOT_MEASURED]).sum()),
            "counts": [int(counts[agreement].sum()) for agreement in AGREEMENTS[:-1]],
            "exact": int(counts["exact"].sum()),
        },
    }
    return Part("", [("reproduction", "Reproduction")], "reproduction.html.j2", facts)


def _title(table: str) -> str:
    """A table, or where else figures stand."""
    kind = "Table" if table.isdigit() else "Appendix" if table[0].isalpha() else "Section"
    return f"{kind} {table}"


def _rows(table: pd.DataFrame) -> list[dict]:
    """The figures that there is something to compare with."""
    shown = table[table["agreement"] != NOT_MEASURED]
    return [
        {
            **{key: row[key] for key in ("row", "column", "published", "agreement")},
            "mark": row["agreement"].replace(" ", "-"),
            **{key: _text(row[key]) for key in ("paper", "released", "difference", "tolerance")},
            "note": row["note"] if isinstance(row["note"], str) else None,
        }
        for row in shown.to_dict("records")
    ]


def _text(value: float) -> str | None:
    return None if pd.isna(value) else f"{value:.4g}".replace("-", "−")
