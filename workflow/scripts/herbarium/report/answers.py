"""Answers: what the first screen of the page says about a number of a metric, in every model.

An answer is plain data, part of a `Part`. Its verdicts follow from the metric's own intervals and tests, and from
whether the interval of a model overlaps that of the control, the planted model without bias: no p-value is computed
here. Intervals are first widened for the number of comparisons (Bonferroni): tests/validity/verdicts.py has the error
rates.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
import scipy  # imports its parts when they are first used

from herbarium.drawing import style
from herbarium.report.numbers import number, p_text
from herbarium.report.planted import overlap
from herbarium.statistics.tidy import KEY

_NUMBERS = ["planted", "estimate", "ci_low", "ci_high", "p_adjusted", "within", "n", "published"]
COLUMNS = ["model", "label", "of", *_NUMBERS, "source", "note", "caveat"]
_SCALED = ["scaled", "scaled_low", "scaled_high", "scaled_published"]
_FURTHER = ["title", "unit", "section", "null", "is_control", "origin", "range", *_SCALED, "verdict", "said"]
# Verdicts, each drawn in its own way: more or less than the control; different from the null value, but not from the
# control; not distinguishable; equivalent; no value.
MORE, LESS, UNCLEAR, OPEN, EQUIVALENT, NONE = "more", "less", "unclear", "open", "equivalent", "none"


Row = Mapping[str, Any]  # of `COLUMNS`


class Answer(NamedTuple):
    """
    - title: of the metric, and of the number if the metric has several. measures: one line of plain English. unit: of
      the number. section: the one with more about it.
    - null: its value without bias; None if that is unknown, so that only the control shows it.
    - rows: of `COLUMNS`, plain data. `of`: what a row is about in addition to its model, such as a task. `planted`: the
      strength of the bias that it should find; 0 is the control. `within`: the bound of the equivalence test, if the
      test rejects. `published`: the same number for the same model in a paper, and `source`, its place there. `caveat`:
      what a reader of the number should know of how it was measured. With the `KEY` of the number in the tidy table, so
      that it can be cited; None if it is not in that table.
    """

    title: str
    measures: str
    unit: str
    section: str
    null: float | None
    rows: list[dict]


class Verdict(NamedTuple):
    """What a row says: one of MORE, LESS, UNCLEAR, OPEN, EQUIVALENT and NONE, and a sentence."""

    kind: str
    sentence: str


def answer(
    title: str,
    measures: str,
    unit: str,
    section: str,
    rows: pd.DataFrame,
    planted: Mapping[str, float | None],
    null: float | None = 0.0,
) -> Answer:
    """rows: of the tidy table, one per model, or one per model and `of`; with `label` or `planted`, if these should not
    be taken from the models. planted: strength of the models that have one; models are put in the order of figures. A
    row without the `KEY` of the tidy table is shown, but cannot be cited."""
    strengths = rows["model"].map(planted).astype(float)
    places = {of["name"]: at for at, of in enumerate(style.by_strength(_models(rows["model"], planted)))}
    known = {
        "label": [style.label(*of) for of in zip(rows["model"], strengths, strict=True)],
        "planted": strengths,
    }
    found = rows.assign(**{column: of for column, of in known.items() if column not in rows})
    found = found.sort_values("model", key=lambda of: of.map(places), kind="stable")
    found = found.reindex(columns=[*dict.fromkeys([*COLUMNS, *KEY])])
    found = found.astype(dict.fromkeys(_NUMBERS, float)).astype(object)
    return Answer(title, measures, unit, section, null, found.where(found.notna(), None).to_dict("records"))


def _models(names: pd.Series, planted: Mapping[str, float | None]) -> list[dict]:
    return [{"name": name, "planted": planted.get(name)} for name in names.unique()]


def table(answers: list[Answer]) -> pd.DataFrame:
    """All rows of all answers in one table, with `title`, `unit`, `section`, `null`, and

    `is_control`: planted strength 0. `origin`: the null value, or the control's value if none is known. `range`: how
    far the strongest planted bias lies from it, or without one, the farthest value, ours or published. `scaled`,
    `scaled_low`, `scaled_high`, `scaled_published`: number, interval and published number, as distances from the origin
    in units of that range. `verdict`, `said`: of `verdict`.
    """
    tables = [_of_answer(of) for of in answers if of.rows]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=[*COLUMNS, *_FURTHER])


def _of_answer(answer: Answer) -> pd.DataFrame:
    rows = pd.DataFrame(answer.rows, columns=COLUMNS).astype(dict.fromkeys(_NUMBERS, float))
    rows = rows.assign(of=rows["of"].fillna(""), title=answer.title, unit=answer.unit, section=answer.section)
    rows = rows.assign(null=float("nan") if answer.null is None else answer.null, is_control=rows["planted"] == 0)
    controls = {of: control_of(rows, of) for of in rows["of"].unique()}
    compared = int((~rows["is_control"] & rows["estimate"].notna()).sum())
    verdicts = [verdict(row, answer.null, controls[row["of"]], compared) for row in rows.to_dict("records")]
    origin = answer.null
    if origin is None:
        control = control_of(rows, rows["of"].iloc[0])
        origin = 0.0 if control is None else control["estimate"]
    far = (rows[["estimate", "published"]] - origin).abs()
    reach = far.loc[rows["planted"] > 0, "estimate"].max()
    reach = reach if reach > 0 else far.max(axis=None)
    ends = dict(zip(_SCALED, ("estimate", "ci_low", "ci_high", "published"), strict=True))
    rows = rows.assign(origin=origin, range=reach)
    rows = rows.assign(**{of: (rows[column] - origin) / (reach or 1.0) for of, column in ends.items()})
    caveats = rows["caveat"].where(rows["estimate"].notna())
    said = [
        of.sentence + (f" Note: {caveat}." if isinstance(caveat, str) else "")
        for of, caveat in zip(verdicts, caveats, strict=True)
    ]
    return rows.assign(verdict=[of.kind for of in verdicts], said=said)


def control_of(rows: pd.DataFrame, of: str) -> Row | None:
    """The control that rows of `of` are compared with: preferably one with an interval, and then one of the same `of`;
    None without any."""
    controls = rows[(rows["planted"] == 0) & rows["estimate"].notna()]
    found = controls.assign(other=controls["of"] != of, bare=controls["ci_low"].isna())
    return None if found.empty else found.sort_values(["bare", "other"], kind="stable").iloc[0].to_dict()


def verdict(row: Row, null: float | None, control: Row | None, compared: int) -> Verdict:
    """What a row says, given its null value and its control. compared: how many rows the answer compares with a
    control."""
    if pd.isna(row["estimate"]):
        return Verdict(NONE, f"No value: {row['note']}." if row["note"] else "No value.")
    is_apart, against = _is_apart(row, null), "" if null is None else f"{null:g}"
    has_test = pd.notna(row["p_adjusted"])
    p = f", p {_equals(p_text(row['p_adjusted']))}" if has_test else ""
    if row["planted"] == 0:
        return _of_control(is_apart, against, p)
    if pd.notna(row["within"]):
        return Verdict(EQUIVALENT, f"Equivalent to {against} within ±{row['within']:.3g}, by the test of equivalence.")
    has_control = control is not None and _has_interval(control)
    is_other = has_control and not overlap(_widened(row, compared), _widened(control, compared))
    if is_other and is_apart is not False:
        kind, word = _side(row, control["estimate"])
        return Verdict(kind, f"{word} than the control ({number(control, scale=1)['value']}){p}.")
    if is_apart is None:
        is_open = has_control and _has_interval(row)
        said = "Not distinguishable from the control." if is_open else "There is neither a test nor an interval."
        return Verdict(OPEN, said)
    if not is_apart:
        return Verdict(OPEN, f"Not distinguishable from {against or 'chance'}{p}.")
    if has_control:
        return Verdict(UNCLEAR, f"Different from {against or 'chance'}{p}, but not distinguishable from the control.")
    lacks = "the study has no control" if control is None else "the control has no interval"
    if has_test:
        kind, word = _side(row, null or 0.0)
        return Verdict(kind, f"{word} than {against or 'chance'}{p}; {lacks}.")
    return Verdict(UNCLEAR, f"Its interval excludes {against}; there is no test, and {lacks}.")


def _side(row: Row, base: float) -> tuple[str, str]:
    return (MORE, "More") if row["estimate"] >= base else (LESS, "Less")


def _of_control(is_apart: bool | None, against: str, p: str) -> Verdict:
    if is_apart and against:
        return Verdict(UNCLEAR, f"Control without bias. It differs from {against}{p}: compare with it.")
    return Verdict(OPEN, f"Control without bias{f': not distinguishable from {against}{p}' if against else ''}.")


def _is_apart(row: Row, null: float | None) -> bool | None:
    """Whether the metric's own test rejects; without a test, whether the interval excludes the null value; None if
    neither is known."""
    if pd.notna(row["p_adjusted"]):
        return bool(row["p_adjusted"] < style.ALPHA)
    if null is None or not _has_interval(row):
        return None
    return not row["ci_low"] <= null <= row["ci_high"]


def _has_interval(row: Row) -> bool:
    return pd.notna(row["ci_low"]) and pd.notna(row["ci_high"])


def _widened(row: Row, n: int) -> Row:
    """Its interval, widened for n simultaneous comparisons: both sides grow as they do for a normal estimate."""
    more = scipy.stats.norm.isf(style.ALPHA / 2 / max(n, 1)) / scipy.stats.norm.isf(style.ALPHA / 2)
    return {end: row["estimate"] + more * (row[end] - row["estimate"]) for end in ("ci_low", "ci_high")}


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"
