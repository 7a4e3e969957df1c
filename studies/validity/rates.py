"""Shares of simulated studies in which something happened, with their binomial intervals, and whether they will do."""

from collections import defaultdict

from scipy import stats

from herbarium.statistics import inference

COLUMNS = ["metric", "variant", "design", "what", "share", "low", "high", "studies", "holds"]
# (least, greatest) share that will do, and the greatest upper bound of its 95 % interval.
_TYPE_I = (0.0, 0.06), 0.09
_COVERAGE = (0.93, 0.97), 1.0


class Rates:
    """What happened in the simulated studies of one design."""

    def __init__(self, metric: str, design: str):
        self.metric, self.design = metric, design
        self.happened: dict[tuple[str, str], list[bool]] = defaultdict(list)

    def add(self, what: str, variant: str, happened: bool) -> None:
        """what: "type I error", "coverage", "power"; with ", withdrawn" of a test that is not printed any more, with
        ", not advised" of one that the documentation advises against."""
        self.happened[what, variant].append(bool(happened))

    def rows(self) -> list[dict]:
        return [self._row(what, variant, happened) for (what, variant), happened in self.happened.items()]

    def _row(self, what: str, variant: str, happened: list[bool]) -> dict:
        result = stats.binomtest(sum(happened), len(happened))
        low, high = result.proportion_ci(method="wilson")
        row = {"metric": self.metric, "variant": variant, "design": self.design, "what": what}
        numbers = {"share": result.statistic, "low": low, "high": high}
        return (
            row
            | {name: round(value, 4) for name, value in numbers.items()}
            | {
                "studies": len(happened),
                "holds": holds(what, result.statistic, high),
            }
        )


def printed(rows: list[dict], n_sets: int) -> list[dict]:
    """Rows of a design with this number of training sets, in which tests and intervals that are not printed for so few
    are marked as withdrawn."""
    fewest = {"coverage": inference.FEWEST_SETS_OF_INTERVAL}
    return [
        row
        if n_sets >= fewest.get(row["what"], inference.FEWEST_SETS_OF_TEST) or "," in row["what"]
        else row | {"what": f"{row['what']}, withdrawn", "holds": ""}
        for row in rows
    ]


def holds(what: str, share: float, high: float) -> str:
    """ "yes" or "no"; "" where nothing is asked of the share."""
    asked = {"type I error": _TYPE_I, "coverage": _COVERAGE}.get(what)
    if asked is None:
        return ""
    (least, most), highest = asked
    return "yes" if least <= share <= most and high <= highest else "no"
