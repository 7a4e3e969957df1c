"""Write the numbers of docs/real_models.md anew, and its picture: the last step of `make real-models`.

PYTHONPATH=workflow/scripts:docs python docs/real_models/page.py, after the study and peers.py.
"""

import os
from pathlib import Path

import pandas as pd
import pictures
from generate import grid, with_parts

import herbarium
from herbarium.models import devices

PAGE, PICTURE = Path("docs/real_models.md"), Path("docs/real_models/first_screen.png")
RESULTS = Path("results/real_models")
PUBLISHED = Path(__file__).with_name("published.csv")


def shown(table: pd.DataFrame) -> str:
    return "\n".join(grid([*table.columns], table.to_numpy().tolist()))


def number(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.3g}".replace("-", "−")


def numbers(headline: pd.DataFrame) -> str:
    """The first screen of the page. headline: of a study."""
    intervals = [f"{number(low)} to {number(high)}" for low, high in headline[["ci_low", "ci_high"]].to_numpy()]
    return shown(
        pd.DataFrame(
            {
                "metric": headline["metric_title"],
                "of": headline["about"].fillna(""),
                "model": headline["model"],
                "number": headline["estimate"].map(number),
                "interval": intervals,
                "without bias": headline["null"].map(number),
                "verdict": headline["sentence"],
            }
        )
    )


def beside_peers(peers: pd.DataFrame) -> str:
    """peers: of peers.py."""
    return shown(
        pd.DataFrame(
            {
                "model": peers["model"],
                "software": peers["software"].str.replace("|", r"\|"),
                "stereotypical sentence likelier, %": peers["share"].map("{:.2f}".format),
                "largest difference of a log-likelihood from ours": peers["largest"].map("{:.1g}".format),
                "CPU seconds": peers["cpu_s"].map("{:.0f}".format),
                "memory, MB": peers["memory_mb"].map("{:,.0f}".format),
            }
        )
    )


def published(figures: pd.DataFrame) -> str:
    """figures: of published.csv."""
    return shown(
        pd.DataFrame(
            {
                "model": figures["model"],
                "published share, %": figures["share"].map("{:.2f}".format),
                "its standard error": figures["std_error"].map("{:.2f}".format),
                "ours, %": "not measured",
            }
        )
    )


def main(results: Path) -> None:
    parts = {
        "numbers": numbers(herbarium.results(results).headline()),
        "processor": f"On {os.cpu_count()} cores of {devices.name(devices.CPU)}:",
        "peers": beside_peers(pd.read_csv(results / "peers.csv")),
        "published": published(pd.read_csv(PUBLISHED, comment="#")),
    }
    PAGE.write_text(with_parts(PAGE.read_text(encoding="utf-8"), parts), encoding="utf-8")
    pictures.take(results / "report/index.html", PICTURE)


if __name__ == "__main__":
    main(RESULTS)
