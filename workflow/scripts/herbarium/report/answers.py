"""Answers: what the first screen of the page says about a number of a metric, in every model.

An answer is plain data, part of a `Part`. A verdict compares a number with its value without bias: by the metric's own
test or, without one, by its interval. Verdicts on measured models are one family, all rows of the screen (Holm):
studies/validity/verdicts.py has the error rates. Planted models are a scale, and the unbiased reference a check of it;
no verdict on another model is made of them, since a tiny model is no twin of a real one.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy  # imports its parts when they are first used

from herbarium.drawing import style
from herbarium.report.numbers import p_text
from herbarium.statistics.inference import Mean, above_zero, adjust, t_interval
from herbarium.statistics.tidy import KEY

_NUMBERS = ["planted", "estimate", "ci_low", "ci_high", "p_adjusted", "within", "n", "expected", "published"]
COLUMNS = ["model", "label", "of", *_NUMBERS, "over", "source", "note", "caveat", "missed", "unable", "withheld"]
_SCALED = ["scaled", "scaled_low", "scaled_high", "scaled_published"]
_OF_ANSWER = ["answer", "title", "measured_in", "section", "null"]
_FURTHER = ["is_reference", "p_screen", "detectable", "range", *_SCALED, "verdict", "sentence"]
# Verdicts, each drawn in its own way: different from the null value; different, but smaller than a bound; not
# distinguishable, but smaller than the bound; cannot tell; withheld; no value.
DIFFERENT, BETWEEN, SMALL, OPEN, WITHHELD, NONE = "different", "between", "small", "open", "withheld", "none"
_FACTORS = (1.0, -1.0, style.SCALE)  # of a number of an answer, in units of the tidy table
HEADLINE = [
    *("model", "metric_title", "about", "planted", "estimate", "ci_low", "ci_high", "null", "measured_in", "n", "over"),
    *("p_adjusted", "p_screen", "detectable", "percent_of_planted", "unable", "verdict", "sentence"),
    *(name for name in KEY if name != "model"),
]
IN_WORDS = 6  # rows of the first screen that a run ends with
POWER = 0.8  # with which a study finds values of the size `detectable`
LEAST_UNITS = (
    8  # of a number on the first screen: with fewer, tests and intervals are hardly more than their assumptions
)
# Shares of the strongest planted bias, and what values up to them are called.
_MAGNITUDES = ((0.1, "very small"), (1 / 3, "small"), (2 / 3, "medium"), (1.0, "large"))
_BEYOND = "more than the strongest planted text implies"
_NO_NULL = "its value without bias is unknown, so that only models can be compared with one another"


Row = Mapping[str, Any]  # of `COLUMNS`


class Answer(NamedTuple):
    """
    - title: of the metric, and of the number if the metric has several. measures: one line of plain English. unit: of
      the number. section: the one with more about it.
    - null: its value without bias; None if that is unknown: such an answer is not on the first screen.
    - rows: of `COLUMNS`, plain data. `of`: what a row is about in addition to its model, such as a task. `planted`: the
      strength of the bias that this number should find; 0: an unbiased reference. `expected`: what the planted text
      implies for it. `within`: the bound of the equivalence test, if the test rejects. `over`: what `n` counts.
      `published`: the same number for the same model in a paper, and `source`, its place there. `caveat`: what a reader
      of the number should know of how it was measured. `missed`: what a row without a finding shows, where its test is
      of more than the null value. `unable`: why a model does not do the task, so that its number says nothing about
      bias; planted models need not. `withheld`: why it is not on the first screen. With the `KEY` of the number in the
      tidy table, so that it can be cited; None if it is not in that table.
    - directions: what a value above the null value means, and one below; None for a magnitude, for which only values
      above it are a bias.
    """

    title: str
    measures: str
    unit: str
    section: str
    null: float | None
    rows: list[dict]
    directions: tuple[str, str] | None = None


class Verdict(NamedTuple):
    """What a row says: one of DIFFERENT, BETWEEN, SMALL, OPEN, WITHHELD and NONE, and a sentence."""

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
    over: str = "units",
    directions: tuple[str, str] | None = None,
) -> Answer:
    """rows: of the tidy table, one per model, or one per model and `of`; with `planted_texts` where a strength is that
    of the texts of a task. planted: strength of the models that have one; models are put in the order of figures. A row
    without the `KEY` of the tidy table is shown, but cannot be cited. over: what `n` counts, of rows that do not say
    it."""
    in_texts = "planted_texts" in rows
    strengths = rows["planted_texts"].astype(float) if in_texts else rows["model"].map(planted).astype(float)
    places = {model["name"]: at for at, model in enumerate(style.by_strength(_models(rows["model"], planted)))}
    labels = [style.label(*model, in_texts) for model in zip(rows["model"], strengths, strict=True)]
    labelled = rows.assign(label=labels, planted=strengths)
    labelled = labelled.sort_values("model", key=lambda names: names.map(places), kind="stable")
    labelled = labelled.reindex(columns=[*dict.fromkeys([*COLUMNS, *KEY])])
    labelled = labelled.astype(dict.fromkeys(_NUMBERS, float)).astype(object)
    labelled["over"] = labelled["over"].fillna(over)
    plain = labelled.where(labelled.notna(), None).to_dict("records")
    return Answer(title, measures, unit, section, null, plain, directions)


def foremost(rows: pd.DataFrame, keys: list[str], level: float) -> pd.DataFrame:
    """One of several rows for each value of `keys`: that with the smallest adjusted p-value, with an interval that
    holds for all of its tested rows at once (Bonferroni), whichever of them is chosen.

    The largest estimate is often the least exact one, and its own interval covers too rarely because it was chosen.
    Ties go to the smaller p-value, then to the estimate farther from 0, then to the first; rows without a test come
    last.

    rows: with `estimate`, none of them null, `std_error`, `df`, `p_value` and `p_adjusted`. level: coverage.
    """
    ordered = rows.assign(size=-rows["estimate"].abs(), n_tests=rows.groupby(keys)["p_value"].transform("count"))
    ordered = ordered.sort_values(["p_adjusted", "p_value", "size"], kind="stable", na_position="last")
    chosen = ordered.drop_duplicates(keys).sort_index()
    is_tested = chosen["p_value"].notna()
    for place, row in chosen[is_tested].iterrows():
        mean = Mean(row["estimate"], row["std_error"] ** 2, row["df"])
        chosen.loc[place, ["ci_low", "ci_high"]] = t_interval(mean, 1 - (1 - level) / row["n_tests"])
    return chosen.drop(columns=["size", "n_tests"])


def untested(rows: pd.DataFrame) -> pd.Series:
    """The notes of numbers that have no test, as why they are withheld. rows: tidy."""
    return rows["note"].where(rows["p_value"].isna() & rows["estimate"].notna())


def _models(names: pd.Series, planted: Mapping[str, float | None]) -> list[dict]:
    return [{"name": name, "planted": planted.get(name)} for name in names.unique()]


def with_expected(answers: list[Answer], calibration: pd.DataFrame) -> list[Answer]:
    """Answers whose planted rows have what the planted text implies for them, where that is known.

    calibration: with the schema "calibration". A row of it is that of an answer if it has the same model and the same
    number, up to the unit or the sign in which the answer gives it.
    """
    known = calibration.dropna(subset=["estimate", "expected"])
    known = known[known["planted"] > 0]
    by_model = dict(list(known.groupby("model")))

    def filled(row: dict) -> dict:
        same = by_model.get(row["model"])
        if same is None or not row["planted"] or not row["estimate"]:
            return row
        factor = row["estimate"] / same["estimate"]
        is_same = np.isclose(factor.to_numpy()[:, None], _FACTORS, rtol=1e-9).any(axis=1)
        expected = (factor * same["expected"])[is_same]
        return row | {"expected": float(expected.iloc[0])} if len(expected) else row

    return [answer._replace(rows=[filled(row) for row in answer.rows]) for answer in answers]


def headline(screen: pd.DataFrame) -> pd.DataFrame:
    """The rows of the first screen as a table to start from. screen: of `table`."""
    further = {"metric_title": screen["title"], "about": screen["of"]}
    return screen.assign(**further, percent_of_planted=100 * share_of_planted(screen))[HEADLINE]


def in_words(headline: pd.DataFrame) -> list[str]:
    """What a study found, for the terminal: a line for each of the first rows on measured models, or on planted ones
    where no other is measured; else one that says that there are none. headline: of `headline`."""
    if headline.empty:
        return ["No number is on the first screen of the page; the page says why."]
    return [f"{number_in_words(row)}. {row['sentence']}" for row in told(headline).head(IN_WORDS).to_dict("records")]


def told(headline: pd.DataFrame) -> pd.DataFrame:
    """The rows on measured models, or on planted ones where no other is measured. headline: of `headline`."""
    measured = headline[headline["planted"].isna()]
    return headline if measured.empty else measured


def number_in_words(row: Row) -> str:
    """What was measured in which model, with its interval and unit. row: of `headline`."""
    place = ", ".join(row[name] for name in ("metric_title", "about", "model") if pd.notna(row[name]) and row[name])
    number, low, high = (style.text(row[name], ".3g") for name in ("estimate", "ci_low", "ci_high"))
    interval = f" ({low} to {high})" if pd.notna(row["ci_low"]) else ""
    return f"{place}: {number}{interval} {row['measured_in']}"


def share_of_planted(screen: pd.DataFrame) -> pd.Series:
    """How far each number is from the null value, as a share of the strongest planted bias; missing where none is
    planted. screen: of `table`."""
    return screen["scaled"].abs().where(screen["range"].notna() & beside_planted(screen))


def beside_planted(screen: pd.DataFrame) -> pd.Series:
    """Whether each number stands on the scale of a planted bias. screen: of `table`."""
    return (screen["planted"] > 0).groupby(screen["answer"]).transform("any")


def table(answers: list[Answer]) -> pd.DataFrame:
    """All rows of the first screen in one table, with the answer's place among all (`answer`), its fields (its unit is
    `measured_in`), the `KEY` of the numbers, and

    `is_reference`: planted strength 0. `p_screen`: the p-value of a measured model, adjusted over all of the screen.
    `detectable`: the distance from the null value that the test of this row finds with `POWER`. `range`: the strongest
    planted bias minus the null value: what its text implies or, where that is unknown, what was found of it; where
    nothing is planted, the standard error of the row; else none. `scaled`, `scaled_low`,
    `scaled_high`, `scaled_published`: number, interval and published number, as distances from the null value in units
    of that range. `verdict`, `sentence`: of `verdict`.
    """
    frames = [_frame(given).assign(answer=place) for place, given in enumerate(answers)]
    shown = [rows[rows["withheld"].isna()] for rows in frames if rows["withheld"].isna().any()]
    if not shown:
        return pd.DataFrame(columns=[*dict.fromkeys([*COLUMNS, *KEY]), *_OF_ANSWER, *_FURTHER])
    rows = pd.concat(shown, ignore_index=True)
    alone = [np.nan if is_unable(row) else p_value(row) for row in rows.to_dict("records")]
    alone = pd.Series(alone, rows.index, dtype=float)
    is_measured, is_reference = rows["planted"].isna(), rows["planted"] == 0
    rows = rows.assign(is_reference=is_reference, p_screen=alone)
    for family in (is_measured, is_reference):
        rows.loc[family, "p_screen"] = adjust(alone[family].to_numpy(), "holm")
    compared = int((is_measured & alone.notna()).sum())
    rows["detectable"] = [
        detectable(row, compared if pd.isna(row["planted"]) else 1) for row in rows.to_dict("records")
    ]
    return pd.concat([_judged(group) for _, group in rows.groupby("answer", sort=False)], ignore_index=True)


def left_off(answers: list[Answer]) -> list[dict]:
    """Numbers that are not on the first screen: `title`, `of` and `why`, each with the labels of its `models`."""
    rows = pd.concat([_frame(answer) for answer in answers if answer.rows] or [pd.DataFrame(columns=["withheld"])])
    rows = rows.dropna(subset="withheld")
    if rows.empty:
        return []
    groups = rows.groupby(["title", "withheld", "section"], sort=False)
    return [
        {"title": title, "why": why, "section": section, "models": list(dict.fromkeys(group["label"]))}
        for (title, why, section), group in groups
    ]


def _frame(answer: Answer) -> pd.DataFrame:
    """The rows of an answer with its fields. `withheld` is the reason of a whole answer where there is one."""
    rows = pd.DataFrame(answer.rows, columns=[*dict.fromkeys([*COLUMNS, *KEY])]).astype(dict.fromkeys(_NUMBERS, float))
    fields = {"title": answer.title, "measured_in": answer.unit, "section": answer.section}
    rows = rows.assign(
        **fields,
        over=rows["over"].fillna("units"),
        null=np.nan if answer.null is None else answer.null,
        of=rows["of"].fillna(""),
    )
    rows = rows.assign(directions=[answer.directions] * len(rows))
    few = rows["n"].map("of {:.0f} ".format) + rows["over"] + f", fewer than {LEAST_UNITS}"
    few = few.where(rows["n"] < LEAST_UNITS)
    return rows.assign(withheld=rows["withheld"].fillna(few) if answer.null is not None else _NO_NULL)


def _judged(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of one answer with their place on its scale, and their verdicts."""
    null = rows["null"].iloc[0]
    has_planted = bool((rows["planted"] > 0).any())
    reach = _range(rows, null) if has_planted else pd.Series([standard_error(row) for row in rows.to_dict("records")])
    ends = dict(zip(_SCALED, ("estimate", "ci_low", "ci_high", "published"), strict=True))
    rows = rows.reset_index(drop=True)
    rows = rows.assign(range=reach, **{column: (rows[end] - null) / reach for column, end in ends.items()})
    failing = {about: _failing(rows, about) for about in rows["of"].unique()}
    verdicts = [verdict(row, failing[row["of"]], has_planted) for row in rows.to_dict("records")]
    caveats = rows["caveat"].where(rows["estimate"].notna())
    sentences = [
        given.sentence + (f" Note: {caveat}." if isinstance(caveat, str) else "")
        for given, caveat in zip(verdicts, caveats, strict=True)
    ]
    return rows.drop(columns="directions").assign(verdict=[given.kind for given in verdicts], sentence=sentences)


def _range(rows: pd.DataFrame, null: float) -> float:
    """Negative where the planted bias lies below the null value; nan where it was not found."""
    strengths = rows["planted"].where(rows["planted"] > 0)
    strongest = rows[strengths == strengths.max()]
    estimates = strongest.loc[strongest["p_screen"] < style.ALPHA, "estimate"]
    distances = strongest["expected"].dropna() - null
    distances = estimates - null if distances.empty else distances
    return np.nan if distances.empty else distances.loc[distances.abs().idxmax()] or np.nan


def _failing(rows: pd.DataFrame, about: str) -> Row | None:
    """The unbiased reference that rows of `about` are read beside, if it differs from the null value."""
    references = rows[rows["is_reference"] & rows["estimate"].notna()]
    beside = references[references["of"] == about]
    beside = references if beside.empty else beside
    failing = beside[beside["p_screen"] < style.ALPHA]
    return None if failing.empty else failing.iloc[0].to_dict()


def p_value(row: Row) -> float:
    """The p-value of a row: its own or, without a test, that of its interval for the null value. Intervals are taken as
    Student's with n - 1 degrees of freedom, or as normal where n is unknown. nan without either."""
    if pd.notna(row["p_adjusted"]) or not _has_interval(row):
        return row["p_adjusted"]
    distance = row["estimate"] - row["null"]
    half = row["estimate"] - row["ci_low"] if distance > 0 else row["ci_high"] - row["estimate"]
    if not half > 0:
        return np.nan
    spread = _distribution(row)
    return float(above_zero(2 * spread.sf(abs(distance) / half * spread.isf(style.ALPHA / 2))))


def detectable(row: Row, compared: int) -> float:
    """The distance from the null value that is found with `POWER` where `compared` rows are tested; nan without an
    interval."""
    spread, error = _distribution(row), standard_error(row)
    return float(error * (spread.isf(style.ALPHA / 2 / max(compared, 1)) + spread.isf(1 - POWER)))


def standard_error(row: Row) -> float:
    """Of a row's number, by its interval; nan without one, or with one without width."""
    if not _has_interval(row) or not row["ci_high"] > row["ci_low"]:
        return np.nan
    return float((row["ci_high"] - row["ci_low"]) / 2 / _distribution(row).isf(style.ALPHA / 2))


def _distribution(row: Row) -> Any:
    return scipy.stats.t(row["n"] - 1) if row["n"] >= 2 else scipy.stats.norm()


def _has_interval(row: Row) -> bool:
    return pd.notna(row["ci_low"]) and pd.notna(row["ci_high"])


def verdict(row: Row, failing: Row | None, has_planted: bool) -> Verdict:
    """What a row of `table` says. failing: the unbiased reference beside it, if that differs from the null value.
    has_planted: whether the scale is that of planted models."""
    if pd.isna(row["estimate"]):
        return Verdict(NONE, f"No value: {row['note']}." if row["note"] else "No value.")
    against = f"{row['null']:g}"
    if is_unable(row):
        return Verdict(WITHHELD, f"No verdict: the model does not do the task ({row['unable']}).")
    if pd.isna(row["p_screen"]):
        return Verdict(WITHHELD, "No verdict: there is neither a test nor an interval.")
    is_apart, p = bool(row["p_screen"] < style.ALPHA), p_text(row["p_screen"])
    p = f"p {p}" if p.startswith("<") else f"p = {p}"
    missed = f"not different from {against} ({p}){_missed(row)}."
    if pd.notna(row["missed"]):
        missed = f"{row['missed']} ({p})."
    if row["is_reference"]:
        if is_apart:
            return Verdict(DIFFERENT, f"The unbiased reference differs from {against} ({p}): no verdict is given.")
        return Verdict(OPEN, f"The unbiased reference is, as it should be, not distinguishable from {against} ({p}).")
    if row["planted"] > 0:
        if is_apart and _is_bias(row):
            return Verdict(DIFFERENT, f"The planted bias is found ({p}).")
        return Verdict(OPEN, f"The planted bias is not found: {missed}")
    if failing is not None:
        return Verdict(
            WITHHELD, f"No verdict: the unbiased reference ({failing['model']}) itself differs from {against}."
        )
    is_small = pd.notna(row["within"])
    smaller = f"smaller than {row['within']:.2g} by the test of equivalence" if is_small else ""
    if is_apart and _is_bias(row):
        size = _magnitude(row, has_planted)
        words = "; ".join(filter(None, [_direction(row), f"different from {against} ({p})", size, smaller]))
        return Verdict(BETWEEN if is_small else DIFFERENT, f"{words[0].upper()}{words[1:]}.")
    if is_apart:
        return Verdict(OPEN, f"Below {against} ({p}), which no bias explains.")
    if is_small:
        return Verdict(SMALL, f"Not distinguishable from {against} ({p}), and {smaller}.")
    return Verdict(OPEN, f"Cannot tell: {missed}")


def is_unable(row: Row) -> bool:
    """Whether a measured model does not do the task of a row."""
    return pd.notna(row["unable"]) and pd.isna(row["planted"])


def _is_bias(row: Row) -> bool:
    """Whether a value lies on a side of the null value on which there is bias."""
    return row["directions"] is not None or row["estimate"] > row["null"]


def _direction(row: Row) -> str:
    if row["directions"] is None:
        return ""
    return row["directions"][0 if row["estimate"] > row["null"] else 1]


def magnitude(share: float) -> str:
    """A share of the strongest planted bias in words."""
    return next((words for most, words in _MAGNITUDES if share <= most), _BEYOND)


def _magnitude(row: Row, has_planted: bool) -> str:
    if not has_planted or pd.isna(row["scaled"]):
        return ""
    share = abs(row["scaled"])
    return (
        f"{magnitude(share)}: {percent(share)} of what the strongest planted text implies"
        if share <= 1
        else magnitude(share)
    )


def percent(share: float) -> str:
    """A share as per cent: two digits below ten."""
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def _missed(row: Row) -> str:
    if pd.isna(row["detectable"]):
        return ""
    counted = f" of {row['n']:,.0f} {row['over']}" if pd.notna(row["n"]) else ""
    alike = f"a study{counted} like this one, with values that vary as much,"
    return f"; {alike} finds {row['detectable']:.2g} or more in {POWER:.0%} of cases"
