"""What the first screen shows: models that know something of their language, and planted models that learned the text
with the bias that a metric should find. A model is read beside planted models of its own kind only: what masked and
causal models are asked for are different quantities.

Numbers of any others are withheld from the first screen; they stay in the tables.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from herbarium.report.answers import Answer, with_expected
from herbarium.report.part import Part

# The least share of its text that the strongest planted model has learned (`statistics.calibration`). Squared numbers
# such as D² are then at least a sixteenth of a perfect model's; below it, "the strongest planted bias" would be almost
# none, and an unbiased model trained in the same way finds nothing because it has learned nothing.
LEAST = 0.25
# Share of the vocabulary at which a pseudo-perplexity is that of chance: all tokens equally likely give the whole.
# Trained models are at some hundredths of it at most; random weights that are not small give more than the whole.
CHANCE = 0.5
PERPLEXITY = "perplexity"  # the metric, and its variant


class Screen(NamedTuple):
    """parts: with what planted texts imply for their answers, and with what is withheld from the first screen.
    withdrawn: of `lines`. chance: of `at_chance`."""

    parts: list[Part]
    withdrawn: list[dict]
    chance: dict[str, str]


def screened(parts: list[Part], calibration: pd.DataFrame | None, summary: pd.DataFrame) -> Screen:
    """calibration: with the schema "calibration"; None if nothing is planted. summary: tidy rows of the study,
    of which those of PERPLEXITY are enough."""
    models = [model for part in parts for model in part.models]
    kinds = {model["name"]: str(model["kind"]) for model in models}
    chance = at_chance(summary, models)
    faults = {} if calibration is None else withdrawn(calibration, kinds)
    if calibration is not None:
        parts = [part._replace(answers=with_expected(part.answers, calibration)) for part in parts]
    parts = without_chance(without_reference(parts, faults, kinds), chance)
    parts = [
        part._replace(answers=[each for given in part.answers for each in by_kind(given, kinds)]) for part in parts
    ]
    return Screen(parts, lines(parts, faults), chance)


def by_kind(answer: Answer, kinds: Mapping[str, str]) -> list[Answer]:
    """An answer for each kind of its models, if one of them is planted; else the answer itself.

    kinds: of models, by name. What is planted in something that has no kind, such as vectors, is a scale for all."""
    of_rows = [kinds.get(row["model"]) for row in answer.rows]
    of_planted = {kind for kind, row in zip(of_rows, answer.rows, strict=True) if row["planted"] is not None}
    if not of_planted or None in of_planted or len({*of_rows} - {None}) < 2:
        return [answer]
    return [
        answer._replace(
            title=f"{answer.title}, {kind or 'other'} models",
            rows=[row for of_row, row in zip(of_rows, answer.rows, strict=True) if of_row == kind],
        )
        for kind in dict.fromkeys(of_rows)
    ]


def shares(calibration: pd.DataFrame) -> pd.DataFrame:
    """How much of its text each planted model has learned: `metric`, `model`, `planted`, `learned`.

    calibration: with the schema "calibration"; its primary panel of a metric has the metric's name. `learned` is the
    mean over the series of a metric, as these are one text; models of strength 0 have nothing planted to learn.
    """
    known = calibration[calibration["planted"] > 0].dropna(subset="learned")
    return (
        known.groupby(["panel", "model", "planted"], sort=False)["learned"]
        .mean()
        .reset_index()
        .rename(columns={"panel": "metric"})
    )


def withdrawn(calibration: pd.DataFrame, kinds: Mapping[str, str]) -> dict[tuple[str, str | None], dict]:
    """Metrics whose strongest planted model of a kind has learned too little: (metric, kind) -> its `model` and what it
    `learned`.

    calibration: as for `shares`. kinds: as for `by_kind`. A metric without a known share keeps its reference.
    """
    known = [(kinds.get(row["model"]), row) for row in shares(calibration).to_dict("records")]
    ordered = sorted(known, key=lambda each: each[1]["planted"])
    strongest = {(row["metric"], kind): row for kind, row in ordered}
    return {
        key: {"model": row["model"], "learned": row["learned"]}
        for key, row in strongest.items()
        if row["learned"] < LEAST
    }


def without_reference(
    parts: Iterable[Part], faults: dict[tuple[str, str | None], dict], kinds: Mapping[str, str]
) -> list[Part]:
    """The parts, without planted models in the answers of metrics whose reference is withdrawn, so that nothing marks
    the strongest planted bias. faults: of `withdrawn`. kinds: as for `by_kind`."""

    def why(part: Part, row: Mapping) -> str | None:
        fault = faults.get((part.name, kinds.get(row["model"])))
        if fault is None or row["planted"] is None:
            return None
        return (
            f"it is no reference, as {fault['model']} learned {fault['learned']:.2g} of its text, less than {LEAST:g}"
        )

    return [_without(part, why) for part in parts]


def at_chance(summary: pd.DataFrame, models: Iterable[Mapping]) -> dict[str, str]:
    """Models that predict held-out words no better than chance, such as those with random weights: model -> its
    pseudo-perplexity beside the size of its vocabulary, in words.

    summary: tidy rows; those of the metric PERPLEXITY count, and a model is at chance in the text that it predicts
    best. models: records, with `name` and `vocabulary`.
    """
    is_perplexity = (summary["metric"] == PERPLEXITY) & (summary["variant"] == PERPLEXITY)
    known = summary[is_perplexity].dropna(subset="estimate")
    best = known.groupby("model")["estimate"].min()
    size = {model["name"]: model.get("vocabulary") for model in models}
    return {
        model: f"its pseudo-perplexity is {value:,.0f}, and its vocabulary has {size[model]:,} tokens"
        for model, value in best.items()
        if size.get(model) and value >= CHANCE * size[model]
    }


def without_chance(parts: Iterable[Part], chance: Mapping[str, str]) -> list[Part]:
    """The parts, without the numbers of models at chance in their answers. chance: of `at_chance`."""

    def why(_: Part, row: Mapping) -> str | None:
        size = chance.get(row["model"])
        return size and f"this model predicts words no better than chance: {size}"

    return [_without(part, why) for part in parts]


def _without(part: Part, why: Callable[[Part, Mapping], str | None]) -> Part:
    """A part whose answers' rows are withheld where there is a reason."""
    answers = [
        answer._replace(rows=[row | {"withheld": why(part, row) or row["withheld"]} for row in answer.rows])
        for answer in part.answers
    ]
    return part._replace(answers=answers)


def lines(parts: Iterable[Part], faults: dict[tuple[str, str | None], dict]) -> list[dict]:
    """What the first screen says of each withdrawn reference: `title` of the metric, `model`, `learned` and `least`.

    parts: those of the study. faults: of `withdrawn`.
    """
    return [
        {"title": part.title, "model": fault["model"], "learned": f"{fault['learned']:.2g}", "least": f"{LEAST:g}"}
        for part in parts
        for (metric, _), fault in faults.items()
        if metric == part.name
    ]
