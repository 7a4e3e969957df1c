"""Structured outputs decided within constraints, compared by algorithm: for planted fields, and potentials in the
authors' formats."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core import resources, store
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.decisions import lagrangian
from herbarium.decisions.names import EXACT, POSTERIOR
from herbarium.decisions.recipes import LAGRANGIAN
from herbarium.metrics.amplification import crf, formats, score, structured
from herbarium.metrics.amplification.methods import AS_IT_IS
from herbarium.metrics.amplification.numbers import METRIC
from herbarium.metrics.amplification.structured import Counted, ManyObjects, OneActivity, Scenes, Situations

MODEL = "structured"  # in tables that have tasks of models
PLANNED, BOUND = (
    "planned",
    "bound",
)  # by an observer who knows what is planted; the least loss of outputs that meet all constraints
SETS = 3  # of planted data
TRAINING, DECIDED = 200, 50  # planted instances of an activity
_FROM, _TO = 0.1, 0.9  # rates of men that are planted
_LARGEST = 20_000  # most outputs of all instances for the integer program: seconds

MEASURES = (
    *("violations", "expected_violations", "amplification", "expected_amplification", "without_rate"),
    *("lost", "accuracy", "iterations"),
)
# One row per method, the mean over training sets.
STRUCTURED = schema(
    "amplification_structured",
    *((name, pa.string()) for name in ("name", "method")),
    *((name, pa.int32()) for name in ("sets", "instances", "activities")),
    *((name, pa.float64()) for name in ("margin", *MEASURES)),
    nullable=MEASURES,
)


def read(paths: Sequence[str]) -> pd.DataFrame:
    """Rows of STRUCTURED, of all tables; without any, none."""
    return store.read_frames(paths, STRUCTURED.name) if paths else pd.DataFrame(columns=STRUCTURED.fields.names)


class Posed(NamedTuple):
    """Instances to decide, and the rates to keep. potentials: of m constrained activities. rate: (m,) theirs in
    training. labels: of the instances, if known. planned: decisions of an observer who knows what is planted."""

    potentials: OneActivity | ManyObjects
    rate: np.ndarray
    labels: Situations | None = None
    planned: Situations | None = None


def planted(n_activities: int, seed: int) -> list[Posed]:
    """The field of each of `SETS` planted training sets, which decides its own instances. seed: of the study."""
    design = crf.Design(np.linspace(_FROM, _TO, n_activities))
    parts = []
    for number in range(SETS):
        random = stream(seed, METRIC, "structured", number)
        training, test = (crf.draw(design, n * n_activities, random) for n in (TRAINING, DECIDED))
        field = crf.potentials(crf.fit(*training, n_activities), test.features)
        rate = training.labels.counted(field.constrained).rates()
        parts.append(Posed(field, rate, test.labels, crf.potentials(crf.planted(design), test.features).best()))
    return parts


def of_coco(potentials: str | Path, labels: str | Path, least: int) -> Posed:
    """MS-COCO: the objects that at least this number of training labels have with a man or a woman, with their rates.

    Raises HerbariumError, with the file, if there are none, and as `formats.read_coco`.
    """
    instances = formats.read_coco(potentials)
    counted = formats.read_coco_labels(labels).counted(instances.constrained)
    constrained_objects = np.flatnonzero(sum(part.sum(axis=0) for part in counted) >= least)
    if not len(constrained_objects):
        raise HerbariumError(f"{labels}: no object is with a man or a woman in {least} labels; lower 'least_texts'.")
    return Posed(replace(instances, constrained=constrained_objects), counted.rates()[constrained_objects])


def of_imsitu(folder: str | Path, arguments: str | Path, words: str | Path, rates: str | Path) -> Posed:
    """imSitu: the activities of a table `activity, rate` with their rates in training.

    Raises HerbariumError, with file and row, for an activity that is not in the potentials or is repeated, and a rate
    that is not between 0 and 1; and as `formats.read_imsitu`.
    """
    situations, names = formats.read_imsitu(folder, arguments, words)
    table = resources.read_text_table(rates, ["activity", "rate"])
    number = {name: place for place, name in enumerate(names)}
    rate = resources.shares(rates, table["rate"])
    for wrong, what in (
        (~table["activity"].isin(list(number)), f"'{{}}' is not among the activities of {arguments}"),
        (table["activity"].duplicated(), "'{}' is repeated"),
    ):
        if wrong.any():
            row = int(wrong.idxmax())
            raise HerbariumError(f"{rates}, row {row + 1}: {what.format(table['activity'].iloc[row])}.")
    constrained = table["activity"].map(number).to_numpy(int)
    return Posed(replace(situations, constrained=constrained), rate.to_numpy())


class Found(NamedTuple):
    """The result of a method: outputs, counts expected by its distribution, violations along its iterations, if any."""

    output: Situations | Scenes
    expected: Counted | None = None
    violations: np.ndarray | None = None


def ways(posed: Posed, margin: float) -> Iterator[tuple[str, Found]]:
    """Every method for these instances, by name."""
    potentials, rate = posed.potentials, posed.rate
    yield AS_IT_IS, Found(potentials.best(), potentials.expected())
    if posed.planned is not None:
        yield PLANNED, Found(posed.planned)
    for method, variant in LAGRANGIAN.items():
        infer = structured.inference(potentials, variant == lagrangian.RELEASED)
        solution = lagrangian.solve(infer, rate, margin, variant)
        yield method, Found(solution.output, violations=solution.violations)
    q = structured.regularised(potentials, rate, margin)
    yield POSTERIOR, Found(q.best(), q.expected())
    if isinstance(potentials, OneActivity) and np.isfinite(potentials.outputs).sum() <= _LARGEST:
        yield EXACT, Found(structured.optimum(potentials, rate, margin))


def judged(posed: Posed, margin: float, outcome: Found) -> dict:
    """MEASURES. violations, amplification: of decisions, over activities with a rate in them; expected_*: of the
    distribution; without_rate: activities without men and women in decisions; lost: nats per instance against the best
    outputs without constraints; accuracy: share of instances whose whole output is right."""
    potentials, rates = posed.potentials, outcome.output.counted(posed.potentials.constrained).rates()
    row = dict.fromkeys(MEASURES, np.nan) | _apart(posed.rate, rates, margin, "")
    row["without_rate"] = int(np.isnan(rates).sum())
    row["lost"] = float((potentials.scores(potentials.best()) - potentials.scores(outcome.output)).mean())
    if outcome.expected is not None:
        row |= _apart(posed.rate, outcome.expected.rates(), margin, "expected_")
    if posed.labels is not None:
        equal = [ours == theirs for ours, theirs in zip(outcome.output, posed.labels, strict=True)]
        row["accuracy"] = float(np.logical_and(*equal).mean())
    if outcome.violations is not None:
        row["iterations"] = len(outcome.violations) - 1
    return row


def _apart(training: np.ndarray, rates: np.ndarray, margin: float, prefix: str) -> dict:
    has = ~np.isnan(rates)
    amplified = float(score.mean_amplification(training[has], rates[has])) if has.any() else np.nan
    return {
        f"{prefix}violations": int(score.violations(training, rates, margin)),
        f"{prefix}amplification": amplified,
    }


def side_by_side(
    name: str, sets: Sequence[Posed], margin: float, report: Callable[[str], None]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of STRUCTURED, and of `numbers.ITERATIONS` with the name as task. report: called with each method when it
    has ended."""
    rows, iterations = [], []
    for number, posed in enumerate(sets, start=1):
        potentials = posed.potentials
        best = potentials.scores(potentials.best())
        for method, outcome in ways(posed, margin):
            rows.append({"method": method} | judged(posed, margin, outcome))
            along = [] if outcome.violations is None else outcome.violations
            iterations += [
                {"task": name, "method": method, "set": number, "iteration": place, "violations": violations}
                for place, violations in enumerate(along)
            ]
            report(f"{name}, set {number}: {method}")
        if isinstance(potentials, OneActivity):
            least = best.mean() - structured.bound(potentials, posed.rate, margin) / len(best)
            rows.append(dict.fromkeys(MEASURES, np.nan) | {"method": BOUND, "lost": float(least)})
    means = pd.DataFrame(rows).groupby("method", sort=False).mean().reset_index()
    size = {"sets": len(sets), "instances": len(best), "activities": len(potentials.constrained)}
    means = means.assign(name=name, margin=margin, **size)[STRUCTURED.fields.names]
    return means, pd.DataFrame(iterations).assign(model=MODEL)
