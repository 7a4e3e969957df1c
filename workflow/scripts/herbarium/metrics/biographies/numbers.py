"""How well occupations are predicted from biographies of women and of men, as tidy numbers: by probes on vectors, or by
fine-tuned models."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.metrics.biographies import score
from herbarium.metrics.biographies.learning import Divided, divided, usable
from herbarium.metrics.biographies.stimuli import FEMALE, FORMS, MALE, SCRUBBED, TEST, TRAIN
from herbarium.statistics.inference import (
    FEWEST_SETS_OF_INTERVAL,
    FEWEST_SETS_OF_TEST,
    Mean,
    adjust,
    crossed_mean,
    few_sets,
    t_interval,
    t_p_value,
)
from herbarium.statistics.tidy import tidy
from herbarium.vectors.tables import Vectors

METRIC = "biographies"
SLOPE, DIFF, CHANCE, EXCESS = "slope", "absolute_difference", "absolute_difference_by_chance", "excess_difference"
ACCURACY, WOMEN, MEN = "accuracy", "accuracy_female", "accuracy_male"
# The variant in place of a layer for fine-tuned models.
FINETUNED = "fine-tuned"
CONTROL, SELECTIVITY, ODDS, GAP = "control_accuracy", "selectivity", "equalized_odds", "gap"
# Trained on all texts as found, or with women and men of each occupation weighted equally.
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
# For a layer, or a fine-tuned model, as a whole.
OF_LAYER = (SLOPE, DIFF, CHANCE, EXCESS, ACCURACY, WOMEN, MEN, CONTROL, SELECTIVITY, ODDS)
FEWEST_OF_A_SLOPE = 3
# Gaps that depend on the training run exceed those under exchanged genders.
_NO_TEST = "no test: models that differ only by training have such differences, too"
_NO_CONTROL = "only for probes: models are not fine-tuned on randomly assigned occupations"
_EQUAL = "no slope: the occupations have equal shares of women"
_NAMED = 5  # occupations that a note names
# The regressors of occupations' gaps.
OCCUPATIONS = schema(
    "biographies_occupations",
    *((name, pa.string()) for name in ("model", "unit", "definition", "group", "occupation")),
    ("share", pa.float64()),
    ("n_female", pa.int64()),
    ("n_male", pa.int64()),
    *((name, pa.float64()) for name in ("accuracy_female", "accuracy_male", "estimate", "ci_low", "ci_high")),
    ("p_adjusted", pa.float64()),
    nullable=("ci_low", "ci_high", "p_adjusted"),
)


class Settings(NamedTuple):
    """sets: training sets. min_texts: of each gender, in an occupation, for training and for testing. c, iterations: of
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


class _Teller(NamedTuple):
    """A predictor of occupations for one form of the texts. definition, group: the names of its numbers. told: its
    predictions from biographies (rows of the design), their division and the labels to learn. is_probe: whether it has
    a control, and is tested by exchanges of genders; others, which differ by training run, are tested by the variance
    over trainings and texts."""

    form: str
    definition: str
    group: str
    told: Callable[[pd.DataFrame, Divided, np.ndarray], score.Told]
    is_probe: bool


def measure(source: str, task: str, design: pd.DataFrame, vectors: Vectors, settings: Settings) -> Measured:
    """All numbers of a source and a task.

    source, task: their names. design: of the schema "biographies". vectors: row by row of the design. A biography
    without a vector, as it is or scrubbed, is left out of both. If biographies have languages, each is used for
    training and testing separately, and tested with the probes of every other one.
    """
    design = design.reset_index(drop=True)
    has = np.isfinite(vectors.values).all(axis=(1, 2))
    has = pd.Series(has).groupby(design["biography"].to_numpy()).transform("all").to_numpy()
    note = f"{(~has).sum() // len(FORMS)} of {len(has) // len(FORMS)} biographies have no vector"
    tellers = [
        _Teller(
            form, definition, layer, partial(_probed, vectors.values[:, place], training == BALANCED, settings), True
        )
        for (form, training), definition in DEFINITIONS.items()
        for place, layer in enumerate(vectors.layers)
    ]
    return _measured(source, task, design[has], tellers, settings, None if has.all() else note)


def measure_finetuned(
    model: str, task: str, design: pd.DataFrame, predictions: Mapping[str, Sequence[pd.DataFrame]], settings: Settings
) -> Measured:
    """All numbers of a fine-tuned model and a task.

    predictions: of each form of the texts, tables of the schema "biographies_predictions", one per training set.
    """
    tellers = [
        _Teller(form, DEFINITIONS[form, FOUND], FINETUNED, partial(_looked_up, tables), False)
        for form, tables in predictions.items()
    ]
    cut = {form: int(tables[0]["truncated"].sum()) for form, tables in predictions.items()}
    notes = [f"{n} test biographies, {form.replace('_', ' ')}, were cut at the end" for form, n in cut.items() if n]
    return _measured(model, task, design, tellers, settings, "; ".join(notes) or None)


def _probed(
    values: np.ndarray, is_balanced: bool, settings: Settings, design: pd.DataFrame, split: Divided, label: np.ndarray
) -> score.Told:
    """The predictions of probes from vectors, (n_design, dimensions), for the rows in the index of `design`."""
    train, test = (values[design.index[part]].astype(float) for part in (split.is_train, ~split.is_train))
    label, is_man = label[split.is_train], split.is_man[split.is_train]
    weight = score.balancing(2 * label + is_man, split.of_set) if is_balanced else None
    return score.told(train, label, split.of_set, test, settings.c, settings.iterations, weight)


def _looked_up(tables: Sequence[pd.DataFrame], texts: pd.DataFrame, split: Divided, _: np.ndarray) -> score.Told:
    biographies, number = (
        texts.loc[~split.is_train, "biography"],
        {name: place for place, name in enumerate(split.names)},
    )
    predictions = [
        table.set_index("biography")["occupation"].loc[biographies].map(number).to_numpy() for table in tables
    ]
    return score.Told(np.array(predictions), None)


def _measured(
    model: str, task: str, design: pd.DataFrame, tellers: Sequence[_Teller], settings: Settings, note: str | None
) -> Measured:
    rows, occupations = [], []
    for unit, learned, tested_language in units(task, design):
        unit_design = design[
            ((design["part"] == TRAIN) & _of(design, learned))
            | ((design["part"] == TEST) & _of(design, tested_language))
        ]
        unit_rows, by_occupation = _of_unit(unit_design, tellers, unit, model, settings, note)
        rows += [row | {"unit": unit} for row in unit_rows]
        occupations += [row | {"unit": unit} for row in by_occupation]
    numbers = tidy(pd.DataFrame([row | {"metric": METRIC, "model": model} for row in rows]), over="biographies")
    numbers["p_adjusted"] = numbers["p_adjusted"].astype(float)
    for variant in (SLOPE, DIFF):
        for _, unit_design in numbers[numbers["variant"] == variant].groupby("unit"):
            numbers.loc[unit_design.index, "p_adjusted"] = adjust(
                unit_design["p_value"].to_numpy(float), settings.correction
            )
    table = pd.DataFrame(occupations, columns=[name for name in OCCUPATIONS.fields.names if name != "model"])
    return Measured(numbers, table.assign(model=model)[OCCUPATIONS.fields.names])


def units(task: str, design: pd.DataFrame) -> list[tuple[str, str | None, str | None]]:
    """The subject of numbers, the training language and the test language; None without languages."""
    languages = sorted(design["language"].dropna().unique())
    if len(languages) < 2:
        return [(task, None, None)]
    return [(f"{task}/{one}→{other}", one, other) for one in languages for other in languages]


def _of(design: pd.DataFrame, language: str | None) -> pd.Series:
    return pd.Series(True, design.index) if language is None else design["language"] == language


def _of_unit(
    design: pd.DataFrame, tellers: Sequence[_Teller], unit: str, model: str, settings: Settings, note: str | None
) -> tuple[list[dict], list[dict]]:
    """Rows of a unit, and of its occupations."""
    usable_rows, left_out = usable(design, settings.min_texts)
    n, notes = usable_rows["occupation"].nunique(), [note, _told_of(left_out, settings.min_texts)]
    if n < 2:
        notes = " · ".join(filter(None, [f"{n} occupations with enough biographies; at least 2 are needed", *notes]))
        common = {"n": int((usable_rows["part"] == TEST).sum()) // len(FORMS), "note": notes}
        return [
            {"definition": teller.definition, "variant": variant, "group": teller.group} | common
            for teller in tellers
            for variant in OF_LAYER
        ], []
    notes, rows, occupations = " · ".join(filter(None, notes)) or None, [], []
    for teller in tracked(tellers, len(tellers), "layer", f"{model} {unit}"):
        common = {"definition": teller.definition, "group": teller.group}
        layer_rows, by_occupation = _of_teller(teller, usable_rows[usable_rows["form"] == teller.form], unit, settings)
        rows += [_with(notes, common | row) for row in layer_rows]
        gaps = [
            row | {"variant": GAP, "group": f"{teller.group}/{row['group']}", "definition": teller.definition}
            for row in by_occupation["rows"]
        ]
        rows += [_with(notes, row) for row in gaps]
        occupations += [row | common for row in by_occupation["table"]]
    return rows, occupations


def _told_of(left_out: dict[str, str], min_texts: int) -> str | None:
    if not left_out:
        return None
    first = "; ".join(f"{name}: {why}" for name, why in list(left_out.items())[:_NAMED])
    more = f"; and {len(left_out) - _NAMED} more" if len(left_out) > _NAMED else ""
    return f"{len(left_out)} occupations left out, with under {min_texts} biographies of a gender: {first}{more}"


def _with(note: str | None, row: dict) -> dict:
    return row | {"note": " · ".join(filter(None, (row.get("note"), note))) or None}


def _of_teller(
    teller: _Teller, design: pd.DataFrame, unit: str, settings: Settings
) -> tuple[list[dict], dict[str, list[dict]]]:
    """The numbers of a layer or a fine-tuned model, and rows and table of its occupations. All share the training sets,
    and the exchanges of genders if their predictions agree."""
    split, level = divided(design, settings.sets, unit, settings.seed), settings.level
    n, label, is_man, is_train = len(split.names), split.label, split.is_man, split.is_train
    told = teller.told(design, split, label)
    of_test, tested = split.cell[~is_train], label[~is_train]
    right = told.predicted == tested
    share = np.array([(~is_man[is_train & (label == one)]).mean() for one in range(n)])
    drawn = score.exchanged(right, of_test, n, stream(settings.seed, METRIC, unit, "exchanges"))
    gaps, n_test = score.gaps(right, of_test, n), len(of_test)

    def row(variant: str, mean: Mean, **more) -> dict:
        numbers = {"estimate": mean.estimate, "note": None if teller.is_probe else few_sets(len(right))}
        if teller.is_probe or len(right) >= FEWEST_SETS_OF_INTERVAL:
            low, high = t_interval(mean, level)
            numbers |= {"std_error": mean.std_error, "ci_low": low, "ci_high": high}
        return {"variant": variant, "n": n_test, "converged": told.converged} | numbers | more

    def tested_by(mean: Mean, by_exchange: float) -> dict:
        if teller.is_probe:
            return {"p_value": float(by_exchange)}
        return {"p_value": t_p_value(mean) if len(right) >= FEWEST_SETS_OF_TEST else np.nan}

    # by gender, cells are weighted by their test texts
    sizes = np.bincount(of_test, minlength=2 * n) / 1.0
    women = np.where(np.arange(2 * n) % 2 == 0, sizes, 0.0)
    rows = list(_differences(gaps, drawn, n_test, teller.is_probe))
    rows += [
        row(variant, score.weighted(right, of_test, weights / weights.sum()))
        for variant, weights in ((ACCURACY, sizes), (WOMEN, women), (MEN, sizes - women))
    ]
    if n < FEWEST_OF_A_SLOPE or (weights := score.slope_weights(share)) is None:
        why = f"no slope: {n} occupations; at least {FEWEST_OF_A_SLOPE} are needed" if n < FEWEST_OF_A_SLOPE else _EQUAL
        rows.append({"variant": SLOPE, "n": n_test, "note": why})
    else:
        p = score.p_value(np.abs(gaps.mean(axis=0) @ weights), np.abs(drawn.mean(axis=1) @ weights))
        mean = score.weighted(right, of_test, np.column_stack([weights, -weights]).ravel())
        rows.append(row(SLOPE, mean, **tested_by(mean, p)))
    if teller.is_probe:
        dealt = stream(settings.seed, METRIC, unit, "control").permutation(label)
        control = teller.told(design, split, dealt).predicted == dealt[~is_train]
        rows += [
            row(CONTROL, crossed_mean(control.astype(float))),
            row(SELECTIVITY, crossed_mean(right.astype(float) - control)),
        ]
    else:
        rows += [{"variant": variant, "n": n_test, "note": _NO_CONTROL} for variant in (CONTROL, SELECTIVITY)]
    odds = score.equalized_odds(told.predicted, tested, is_man[~is_train], n).mean()
    rows.append({"variant": ODDS, "n": n_test, "estimate": float(odds), "note": "above 0 even without bias"})
    p = score.p_value(np.abs(gaps.mean(axis=0)), np.abs(drawn.mean(axis=1)))
    means = [score.weighted(right, of_test, score.gap_weights(one, n)) for one in range(n)]
    tests = [tested_by(mean, by_exchange) for mean, by_exchange in zip(means, p, strict=True)]
    adjusted = adjust(np.array([test["p_value"] for test in tests]), settings.correction)
    of_rows, table, accuracy = [], [], score.by_cell(right, of_test, 2 * n).mean(axis=0)
    for one, occupation in enumerate(split.names):
        gap_row = row(GAP, means[one], **tests[one], p_adjusted=float(adjusted[one]))
        n_women, n_men = int(sizes[2 * one]), int(sizes[2 * one + 1])
        of_rows.append(gap_row | {"group": occupation, "n": n_women + n_men})
        table.append(
            {
                **{"occupation": occupation, "share": share[one], "n_female": n_women, "n_male": n_men},
                **{f"accuracy_{gender}": accuracy[2 * one + place] for place, gender in enumerate((FEMALE, MALE))},
                **{name: gap_row.get(name, np.nan) for name in ("estimate", "ci_low", "ci_high", "p_adjusted")},
            }
        )
    return rows, {"rows": of_rows, "table": table}


def _differences(gaps: np.ndarray, drawn: np.ndarray, n: int, is_tested: bool) -> Iterator[dict]:
    """|Diff|, which is above 0 even without bias; its value by chance; and the excess over that. gaps: (n_sets,
    n_occupations); drawn: the same after exchanges."""
    difference, by_chance = np.abs(gaps).mean(), np.abs(drawn).mean(axis=(1, 2))
    expected = by_chance.mean()
    yield {
        **{"variant": DIFF, "n": n, "estimate": difference},
        "p_value": float(score.p_value(difference, by_chance)) if is_tested else np.nan,
        "note": f"{expected:.3g} without bias" + ("" if is_tested else f" in these models; {_NO_TEST}"),
    }
    yield {"variant": CHANCE, "n": n, "estimate": expected, "note": "the mean over exchanges of genders"}
    note = "tested as absolute_difference" if is_tested else _NO_TEST
    yield {"variant": EXCESS, "n": n, "estimate": difference - expected, "note": note}
