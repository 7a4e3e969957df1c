"""Answers: what the first screen of the page says of a number of a metric, in every model.

An answer is plain data of a part. Its verdicts follow from the metric's own intervals and tests alone, and from whether
the interval of a model has a value in common with that of the control, the planted model without bias: no p-value is
made here.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from herbarium.drawing import style
from herbarium.report.numbers import number, p_text
from herbarium.report.planted import overlap
from herbarium.statistics.tidy import KEY

_NUMBERS = ["planted", "estimate", "ci_low", "ci_high", "p_adjusted", "within", "n", "published"]
COLUMNS = ["model", "label", "of", *_NUMBERS, "source", "note"]
_SCALED = ["scaled", "scaled_low", "scaled_high", "scaled_published"]
_FURTHER = ["title", "unit", "section", "null", "is_control", "origin", "range", *_SCALED, "verdict", "said"]
# Verdicts, by what is drawn for them: more or less than the control; not the null value, but no other than the control;
# not told apart; equivalent; none without a value.
MORE, LESS, UNCLEAR, OPEN, EQUIVALENT, NONE = "more", "less", "unclear", "open", "equivalent", "none"


class Answer(NamedTuple):
    """
    - title: of the metric, and of the number where it has several. measures: one line of plain English. unit: of the
      number. section: that has more of it.
    - null: its value without bias; None where that is not known, and only the control says it.
    - rows: of `COLUMNS`, plain data. `of`: what a row is of besides its model, such as a task. `planted`: the strength
      of what it should find; 0 is the control. `within`: of rows whose equivalence test rejects, its bound.
      `published`: the same number of the same model in a paper, and `source`, where it stands there. With the `KEY` of
      the number in the tidy table, so that it can be cited; None where it is not in that table.
    """

    title: str
    measures: str
    unit: str
    section: str
    null: float | None
    rows: list[dict]


class Verdict(NamedTuple):
    """What a row says: of MORE, LESS, UNCLEAR, OPEN, EQUIVALENT and NONE, and a sentence."""

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
    """rows: of the tidy table, one a model, or one a model and `of`; with a `label` of their models, or with `planted`,
    where these are not those of models. planted: strength of the models that have one; models are put into the order of
    figures. A row without the `KEY` of the tidy table is shown, but has nothing to be cited by."""
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
    """All rows of answers, one below the other, with `title`, `unit`, `section`, `null`, and

    `is_control`: planted strength 0. `origin`, `range`: the null value, or the control's where none is known, and how
    far the strongest planted bias lies from it, or without any the farthest value, ours or published. `scaled`,
    `scaled_low`, `scaled_high`, `scaled_published`: number, interval and published number, as shares of that range from
    the origin. `verdict`, `said`: of `verdict`.
    """
    tables = [_of_answer(of) for of in answers if of.rows]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=[*COLUMNS, *_FURTHER])


def _of_answer(answer: Answer) -> pd.DataFrame:
    rows = pd.DataFrame(answer.rows, columns=COLUMNS).astype(dict.fromkeys(_NUMBERS, float))
    rows = rows.assign(of=rows["of"].fillna(""), title=answer.title, unit=answer.unit, section=answer.section)
    rows = rows.assign(null=float("nan") if answer.null is None else answer.null, is_control=rows["planted"] == 0)
    controls = {of: control_of(rows, of) for of in rows["of"].unique()}
    verdicts = [verdict(row, answer.null, controls[row["of"]]) for _, row in rows.iterrows()]
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
    return rows.assign(verdict=[of.kind for of in verdicts], said=[of.sentence for of in verdicts])


def control_of(rows: pd.DataFrame, of: str) -> pd.Series | None:
    """The control that rows of `of` are compared with: that of the same, or else the first with an interval."""
    controls = rows[(rows["planted"] == 0) & rows["estimate"].notna()]
    found = controls.assign(other=controls["of"] != of, bare=controls["ci_low"].isna())
    return None if found.empty else found.sort_values(["bare", "other"], kind="stable").iloc[0]


def verdict(row: pd.Series, null: float | None, control: pd.Series | None) -> Verdict:
    """What a row says beside its null value and its control."""
    if pd.isna(row["estimate"]):
        return Verdict(NONE, f"No value: {row['note']}." if row["note"] else "No value.")
    is_apart, against = _is_apart(row, null), "" if null is None else f"{null:g}"
    p = "" if pd.isna(row["p_adjusted"]) else f", p {_equals(p_text(row['p_adjusted']))}"
    if row["planted"] == 0:
        return _of_control(is_apart, against, p)
    if pd.notna(row["within"]):
        return Verdict(EQUIVALENT, f"Equivalent to {against} within ±{row['within']:.3g}, by the test of equivalence.")
    base = control["estimate"] if null is None and control is not None else (null or 0.0)
    kind, word = (MORE, "More") if row["estimate"] >= base else (LESS, "Less")
    is_other = control is not None and _are_disjoint(row, control)
    than = control is not None and f"the control ({number(control, scale=1)['value']})"
    if is_apart is None and null is None and is_other:
        return Verdict(kind, f"{word} than {than}.")
    if is_apart is None:
        has_both = control is not None and row[["ci_low", "ci_high"]].notna().all()
        said = "Not distinguishable from the control." if has_both else "There is neither a test nor an interval."
        return Verdict(OPEN, said)
    if is_apart and control is None:
        return Verdict(kind, f"{word} than {against or 'chance'}{p}; the study has no control.")
    if is_apart and (is_other or pd.isna(control["ci_low"])):
        return Verdict(kind, f"{word} than {than if is_other or null is None else against}{p}.")
    if is_apart:
        return Verdict(UNCLEAR, f"Different from {against or 'chance'}{p}, but not distinguishable from the control.")
    return Verdict(OPEN, f"Not distinguishable from {against or 'chance'}{p}.")


def _of_control(is_apart: bool | None, against: str, p: str) -> Verdict:
    if is_apart and against:
        return Verdict(UNCLEAR, f"Control without bias. It differs from {against}{p}: compare with it.")
    return Verdict(OPEN, f"Control without bias{f': not distinguishable from {against}{p}' if against else ''}.")


def _is_apart(row: pd.Series, null: float | None) -> bool | None:
    """Whether the metric's own test rejects; without one, whether the interval leaves the null value out."""
    if pd.notna(row["p_adjusted"]):
        return bool(row["p_adjusted"] < style.ALPHA)
    if null is None or row[["ci_low", "ci_high"]].isna().any():
        return None
    return not row["ci_low"] <= null <= row["ci_high"]


def _are_disjoint(row: pd.Series, control: pd.Series) -> bool:
    bounds = [*row[["ci_low", "ci_high"]], *control[["ci_low", "ci_high"]]]
    return not pd.isna(pd.Series(bounds)).any() and not overlap(row, control)


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"
