"""How well occupations are told from the vectors of biographies, of women and of men, as tidy numbers."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.metrics.biographies import score
from herbarium.metrics.biographies.stimuli import FEMALE, FORMS, MALE, SCRUBBED, TEST, TRAIN, few
from herbarium.statistics.inference import Mean, adjust, crossed_mean, t_interval
from herbarium.statistics.tidy import tidy
from herbarium.vectors.tables import Vectors

METRIC = "biographies"
SLOPE, DIFF, CHANCE, EXCESS = "slope", "absolute_difference", "absolute_difference_by_chance", "excess_difference"
ACCURACY, WOMEN, MEN = "accuracy", "accuracy_female", "accuracy_male"
CONTROL, SELECTIVITY, ODDS, GAP = "control_accuracy", "selectivity", "equalized_odds", "gap"
# Trained on all texts as they are found, or with women and men of each occupation weighted to count equally.
TRAININGS = (FOUND, BALANCED) = ("found", "balanced")
DEFINITIONS = {
    (form, training): form if training == FOUND else f"{form}_{training}" for training in TRAININGS for form in FORMS
}
IN_WORDS = {
    name: form.replace("_", " ") + ("" if training == FOUND else f", {training}")
    for (form, training), name in DEFINITIONS.items()
}
# That of the primary number.
LEADING = DEFINITIONS[SCRUBBED, FOUND]
# Of a layer as a whole.
OF_LAYER = (SLOPE, DIFF, CHANCE, EXCESS, ACCURACY, WOMEN, MEN, CONTROL, SELECTIVITY, ODDS)
FEWEST_OF_A_SLOPE = 3
_EQUAL = "no slope: the occupations have equal shares of women"
_NAMED = 5  # occupations that a note names
# What the gap of each occupation is set against.
OCCUPATIONS = schema(
    "biographies_occupations",
    *((name, pa.string()) for name in ("model", "unit", "definition", "group", "occupation")),
    ("share", pa.float64()),
    ("n_female", pa.int64()),
    ("n_male", pa.int64()),
    *((name, pa.float64()) for name in ("accuracy_female", "accuracy_male", "estimate", "ci_low", "ci_high")),
    ("p_adjusted", pa.float64()),
)


class Settings(NamedTuple):
    """sets: training sets. min_texts: of each gender, in an occupation, to train on and to test with. c, iterations: of
    the probes. level: of the intervals. correction: of the p-values of a family. seed: the study's."""

    sets: int
    min_texts: int
    c: float
    iterations: int
    level: float
    correction: str
    seed: int


class Measured(NamedTuple):
    """numbers: tidy. occupations: of the schema OCCUPATIONS."""

    numbers: pd.DataFrame
    occupations: pd.DataFrame


def measure(source: str, task: str, design: pd.DataFrame, vectors: Vectors, settings: Settings) -> Measured:
    """All numbers of a source and a task.

    source, task: what they are called. design: of the schema "biographies". vectors: row by row of the design. A
    biography without a vector, as it is or scrubbed, is left out of both. Where biographies have languages, each is
    trained on and tested with by itself, and tested with the probes of every other one.
    """
    usable = np.isfinite(vectors.values).all(axis=(1, 2))
    has = pd.Series(usable).groupby(design["biography"].to_numpy()).transform("all").to_numpy()
    note = f"{(~has).sum() // len(FORMS)} of {len(has) // len(FORMS)} biographies have no vector"
    note = None if has.all() else note
    rows, occupations = [], []
    kept, values = design[has].reset_index(drop=True), vectors.values[has]
    for unit, learned, asked in units(task, design):
        of = kept[((kept["part"] == TRAIN) & _of(kept, learned)) | ((kept["part"] == TEST) & _of(kept, asked))]
        found, by_occupation = _of_unit(of, values, unit, source, vectors.layers, settings, note)
        rows += [row | {"unit": unit} for row in found]
        occupations += [row | {"unit": unit} for row in by_occupation]
    numbers = tidy(pd.DataFrame([row | {"metric": METRIC, "model": source} for row in rows]))
    numbers["p_adjusted"] = numbers["p_adjusted"].astype(float)
    for variant in (SLOPE, DIFF):
        for _, of in numbers[numbers["variant"] == variant].groupby("unit"):
            numbers.loc[of.index, "p_adjusted"] = adjust(of["p_value"].to_numpy(float), settings.correction)
    table = pd.DataFrame(occupations, columns=[name for name in OCCUPATIONS.fields.names if name != "model"])
    return Measured(numbers, table.assign(model=source)[OCCUPATIONS.fields.names])


def units(task: str, design: pd.DataFrame) -> list[tuple[str, str | None, str | None]]:
    """What numbers are about, the language to train on and the one to test with; None where there are no languages."""
    languages = sorted(design["language"].dropna().unique())
    if len(languages) < 2:
        return [(task, None, None)]
    return [(f"{task}/{one}→{other}", one, other) for one in languages for other in languages]


def _of(design: pd.DataFrame, language: str | None) -> pd.Series:
    return pd.Series(True, design.index) if language is None else design["language"] == language


def _of_unit(
    design: pd.DataFrame, values: np.ndarray, unit: str, source: str, layers: Sequence[str], settings: Settings,
    note: str | None,
) -> tuple[list[dict], list[dict]]:  # fmt: skip
    """Rows of a unit, and of its occupations. design: its index is that of the values, (n, n_layers, dimensions)."""
    left_out = few(design[design["form"] == FORMS[0]], settings.min_texts)
    of = design[~design["occupation"].isin(left_out)]
    names, said = sorted(of["occupation"].unique()), [note, _told_of(left_out, settings.min_texts)]
    if len(names) < 2:
        why = f"{len(names)} occupations with enough biographies; 2 are wanted"
        said = " · ".join(filter(None, [why, *said]))
        common = {"n": int((of["part"] == TEST).sum()) // len(FORMS), "note": said}
        return [
            {"definition": definition, "variant": variant, "group": layer} | common
            for definition in DEFINITIONS.values()
            for layer in layers
            for variant in OF_LAYER
        ], []
    said, rows, occupations = " · ".join(filter(None, said)) or None, [], []
    work = [(*of_definition, place) for of_definition in DEFINITIONS.items() for place in range(len(layers))]
    for (form, training), definition, place in tracked(work, len(work), "layer", f"{source} {unit}"):
        own = of[of["form"] == form]
        common = {"definition": definition, "group": layers[place]}
        x = values[own.index, place].astype(float)
        found, by_occupation = _of_layer(own, x, names, unit, training == BALANCED, settings)
        rows += [_with(said, common | row) for row in found]
        gaps = [
            row | {"variant": GAP, "group": f"{common['group']}/{row['group']}", "definition": definition}
            for row in by_occupation["rows"]
        ]
        rows += [_with(said, row) for row in gaps]
        occupations += [row | common for row in by_occupation["table"]]
    return rows, occupations


def _told_of(left_out: dict[str, str], min_texts: int) -> str | None:
    if not left_out:
        return None
    first = "; ".join(f"{name}: {why}" for name, why in list(left_out.items())[:_NAMED])
    more = f"; and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else ""
    return f"{len(left_out)} occupations left out, of each gender {min_texts} biographies are wanted: {first}{more}"


def _with(said: str | None, row: dict) -> dict:
    return row | {"note": " · ".join(filter(None, (row.get("note"), said))) or None}


def _of_layer(
    design: pd.DataFrame, values: np.ndarray, names: list[str], unit: str, is_balanced: bool, settings: Settings
) -> tuple[list[dict], dict[str, list[dict]]]:
    """The numbers of a layer, and rows and table of its occupations. All layers and definitions have the same training
    sets, and the same exchanges of genders as far as probes say the same."""
    n, level = len(names), settings.level
    label = design["occupation"].map({name: place for place, name in enumerate(names)}).to_numpy()
    is_man = (design["gender"] == MALE).to_numpy()
    is_train, cell = (design["part"] == TRAIN).to_numpy(), 2 * label + is_man
    of_set = score.parts(cell[is_train], settings.sets, stream(settings.seed, METRIC, unit, "sets"))
    train, test = values[is_train], values[~is_train]

    def told_of(label: np.ndarray) -> score.Told:
        weight = score.balancing(2 * label + is_man[is_train], of_set) if is_balanced else None
        return score.told(train, label, of_set, test, settings.c, settings.iterations, weight)

    told = told_of(label[is_train])
    of_test, tested = cell[~is_train], label[~is_train]
    right = told.predicted == tested
    share = np.array([(~is_man[is_train & (label == one)]).mean() for one in range(n)])
    drawn = score.exchanged(right, of_test, n, stream(settings.seed, METRIC, unit, "exchanges"))
    gaps, n_test = score.gaps(right, of_test, n), len(of_test)

    def row(variant: str, mean: Mean, **more) -> dict:
        low, high = t_interval(mean, level)
        found = {"estimate": mean.estimate, "std_error": mean.std_error, "ci_low": low, "ci_high": high}
        return {"variant": variant, "n": n_test, "converged": told.converged} | found | more

    # by gender, cells count as the test texts have them
    sizes = np.bincount(of_test, minlength=2 * n) / 1.0
    women = np.where(np.arange(2 * n) % 2 == 0, sizes, 0.0)
    rows = list(_differences(gaps, drawn, n_test))
    rows += [
        row(variant, score.weighted(right, of_test, weights / weights.sum()))
        for variant, weights in ((ACCURACY, sizes), (WOMEN, women), (MEN, sizes - women))
    ]
    if n < FEWEST_OF_A_SLOPE or (weights := score.slope_weights(share)) is None:
        why = f"no slope: {n} occupations, {FEWEST_OF_A_SLOPE} are wanted" if n < FEWEST_OF_A_SLOPE else _EQUAL
        rows.append({"variant": SLOPE, "n": n_test, "note": why})
    else:
        p = score.p_value(np.abs(gaps.mean(axis=0) @ weights), np.abs(drawn.mean(axis=1) @ weights))
        mean = score.weighted(right, of_test, np.column_stack([weights, -weights]).ravel())
        rows.append(row(SLOPE, mean, p_value=float(p)))
    dealt = stream(settings.seed, METRIC, unit, "control").permutation(label)
    control = told_of(dealt[is_train]).predicted == dealt[~is_train]
    rows += [
        row(CONTROL, crossed_mean(control.astype(float))),
        row(SELECTIVITY, crossed_mean(right.astype(float) - control)),
    ]
    odds = score.equalized_odds(told.predicted, tested, is_man[~is_train], n).mean()
    rows.append({"variant": ODDS, "n": n_test, "estimate": float(odds), "note": "above 0 without bias, too"})
    p = score.p_value(np.abs(gaps.mean(axis=0)), np.abs(drawn.mean(axis=1)))
    adjusted = adjust(p, settings.correction)
    of_rows, table, accuracy = [], [], score.by_cell(right, of_test, 2 * n).mean(axis=0)
    for one, name in enumerate(names):
        mean = score.weighted(right, of_test, score.gap_weights(one, n))
        own = row(GAP, mean, p_value=float(p[one]), p_adjusted=float(adjusted[one]))
        n_women, n_men = int(sizes[2 * one]), int(sizes[2 * one + 1])
        of_rows.append(own | {"group": name, "n": n_women + n_men})
        table.append(
            {
                **{"occupation": name, "share": share[one], "n_female": n_women, "n_male": n_men},
                **{f"accuracy_{of}": accuracy[2 * one + place] for place, of in enumerate((FEMALE, MALE))},
                **{of: own[of] for of in ("estimate", "ci_low", "ci_high", "p_adjusted")},
            }
        )
    return rows, {"rows": of_rows, "table": table}


def _differences(gaps: np.ndarray, drawn: np.ndarray, n: int) -> Iterator[dict]:
    """|Diff|, which is above 0 without bias, too; what it is by chance; and what it has beyond that. gaps: (n_sets,
    n_occupations); drawn: the same after exchanges."""
    own, by_chance = np.abs(gaps).mean(), np.abs(drawn).mean(axis=(1, 2))
    expected = by_chance.mean()
    yield {
        **{"variant": DIFF, "n": n, "estimate": own, "p_value": float(score.p_value(own, by_chance))},
        "note": f"{expected:.3g} without bias",
    }
    yield {"variant": CHANCE, "n": n, "estimate": expected, "note": "the mean over exchanges of genders"}
    yield {"variant": EXCESS, "n": n, "estimate": own - expected, "note": "tested as absolute_difference"}
