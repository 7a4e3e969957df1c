"""Numbers of preferences and their change by interventions, as tidy rows."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.metrics.interventions import score, stimuli
from herbarium.metrics.interventions.score import Answers
from herbarium.metrics.interventions.stimuli import IRRELEVANT, KEYS, NONE
from herbarium.scoring.quantities import LL, SLOT, SPAN, SPAN_RELEASED
from herbarium.scoring.sentences import tokens
from herbarium.statistics import repeats
from herbarium.statistics.changes import as_changes, by_mean, change
from herbarium.statistics.inference import Mean, adjust, t_interval, t_p_value
from herbarium.statistics.tidy import tidy

METRIC = "interventions"
OWN, PAPER, RELEASED = "own", "paper", "released"
# Keys of numbers as published.
PUBLISHED = {"mu": score.mu, "eta": score.eta, "theta": score.theta}
ERRORS = ("position_error", "attribute_error")
PREFERENCE, KEPT, DIFFERENCE = "preference", "kept", "kept_difference"
UNCHANGED = 1.0  # of what is kept
# Questions with a model's preference: C by each definition, above 0 if `first` is preferred; for the paper's also both
# errors. Null if one of the eight sentences was refused, or if both subjects are the same to the model.
OBSERVATIONS = schema(
    "interventions_observations",
    *((name, pa.string()) for name in KEYS),
    *((name, pa.float64()) for name in (OWN, PAPER, RELEASED, *ERRORS)),
    ("n_tokens_differ", pa.bool_()),
    ("is_same", pa.bool_()),
    nullable=(OWN, PAPER, RELEASED, *ERRORS),
)
_NOT_SHARED = "no pair of subjects occurs in two templates for one attribute"
# Columns of the tables for readers: of numbers, and of subjects.
COLUMNS = [
    *("unit", "group", "model", "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high"),
    *("p_value", "p_adjusted", "note"),
]
COLUMNS_STORED = ["unit", "group", "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high"]
OF_SUBJECTS = ["unit", "group", "model", "subject", "gamma", "eta", "n"]


def scores_of(log_s: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """S by definition, (n, *score.SCORES_SHAPE) each. log_s: of `stimuli.log_scores`.

    `normalised` is normalised over the two subjects for all models. `paper` is the probability of a masked subject, or
    sqrt(p_start · p_end) of a span; for a causal model, which gives the likelihood of a whole text, it is normalised
    too. `released` is the latter with the words around a span, as the released code reads it.
    """
    quantity = next(name for name in (SLOT, LL, SPAN) if name in log_s)
    normalised = score.normalised(log_s[quantity])
    by_definition = {OWN: normalised, PAPER: normalised if quantity == LL else np.exp(log_s[quantity])}
    return by_definition | ({RELEASED: np.exp(log_s[SPAN_RELEASED])} if SPAN_RELEASED in log_s else {})


def observe(sentences: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """A table of the schema "interventions_observations". sentences: of the schema "interventions_stimuli". scores: of
    the schema "scores"."""
    s = scores_of(stimuli.log_scores(sentences, scores))
    errors = (error(s[PAPER]) for error in (score.position_error, score.attribute_error))
    columns = {name: score.comparative(scores) for name, scores in s.items()} | dict(zip(ERRORS, errors, strict=True))
    n_tokens = stimuli.of_questions(sentences, tokens(scores)["n_tokens"])
    given = stimuli.of_questions(sentences, tokens(scores)["given"])
    table = stimuli.asked_of(sentences).assign(
        **columns,
        n_tokens_differ=n_tokens[:, 0, 0, 0] != n_tokens[:, 1, 0, 0],
        # each subject in the place of the other
        is_same=(given[:, 0, 0] == given[:, 1, 1]).all(axis=-1),
    )
    table[list(columns)] = table[list(columns)].mask(table["is_same"])
    return table.reindex(columns=OBSERVATIONS.fields.names)


def answers(observations: pd.DataFrame, definition: str) -> dict[str, Answers]:
    """The answers after each type of intervention, without one first, for questions with a score; there may be none.

    Codes of subjects, attributes, templates and interventions are the same in all.
    """
    known = observations.dropna(subset=definition)
    subjects = sorted({*observations["first"], *observations["second"]})
    codes = {
        name: known[name].map({subject: place for place, subject in enumerate(subjects)})
        for name in ("first", "second")
    }
    codes |= {name: pd.factorize(known[name], sort=True)[0] for name in ("attribute", "template", "intervention")}
    columns = [
        np.asarray(codes[name], dtype=np.int64) for name in ("first", "second", "attribute", "template", "intervention")
    ]
    whole = Answers(known[definition].to_numpy(float), *columns)
    return {name: whole.of(known["type"].eq(name).to_numpy()) for name in stimuli.types(observations)}


def distinct(observations: pd.DataFrame) -> pd.DataFrame:
    """The questions that differ: of those whose templates and attributes are alike, the first."""
    first = {name: repeats.alike(observations[name]) for name in ("attribute", "template")}
    return observations.assign(**first).drop_duplicates(KEYS)


def measure(model: str, name: str, observations: pd.DataFrame, level: float, correction: str) -> pd.DataFrame:
    """Tidy rows: `unit` is the name of the questions, `group` the type of intervention, `n` counts subjects.

    `preference`: the signed root of `score.shared`. `kept` (`score.kept`) and `kept_difference`, from that after
    irrelevant interventions, only if the preference without an intervention is above its error. P-values are those of
    the latter, adjusted over the types; with few interventions it has neither p-value nor interval.
    """
    asked, observations = observations, distinct(observations)
    repeated = repeats.remark(len(asked), len(observations), "questions")
    rows = list(_own(answers(observations, OWN), level))
    for definition in (OWN, PAPER, RELEASED):
        if observations[definition].notna().any() or definition != RELEASED:
            rows += [{**row, "definition": definition} for row in _published(answers(observations, definition), level)]
    for error in ERRORS:
        of_type = observations.groupby("type", sort=False)[error].mean()
        rows += [
            {"definition": PAPER, "variant": error, "group": question_type, "estimate": value}
            for question_type, value in of_type.items()
        ]
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    table["p_adjusted"] = adjust(table["p_value"].to_numpy(float), correction)
    of_sides = _of_sides(observations)
    notes = [
        "; ".join(filter(None, [None if pd.isna(note) else note, *of_sides[group], repeated])) or None
        for note, group in zip(table["note"], table["group"], strict=True)
    ]
    return tidy(table.assign(note=notes, model=model, metric=METRIC, unit=name), over="subjects")


def _of_sides(observations: pd.DataFrame) -> dict[str, list[str]]:
    """Notes about questions without a score, and about subjects of different length, by type."""
    notes = {}
    for type_, type_rows in observations.groupby("type"):
        has_none, is_same = type_rows[OWN].isna(), type_rows["is_same"]
        counts = {
            "questions left out: a sentence has no score": has_none & ~is_same,
            "questions left out: to the model, both subjects are the same": is_same,
            "questions are between subjects that differ in their number of tokens": ~has_none
            & type_rows["n_tokens_differ"],
        }
        notes[type_] = [f"{rows.sum()} of {len(type_rows)} {what}" for what, rows in counts.items() if rows.any()]
    return notes


def _own(of_type: Mapping[str, Answers], level: float) -> Iterator[dict]:
    without, control = of_type.get(NONE), of_type.get(IRRELEVANT)
    nothing_to_keep = _nothing_to_keep(without, level)
    for type_, type_answers in of_type.items():
        place = {"definition": OWN, "group": type_, "n": len(type_answers.subjects)}
        yield place | {"variant": PREFERENCE} | (_preference(type_answers, level) if len(type_answers.c) else {})
        if type_ == NONE:
            continue
        why_not = nothing_to_keep if len(type_answers.c) else ""
        yield (
            place | {"variant": KEPT} | (_kept(type_answers, without, level) if why_not is None else {"note": why_not})
        )
        if type_ != IRRELEVANT:
            if why_not is None and (control is None or not len(control.c)):
                why_not = "no questions after irrelevant interventions, which are the control"
            note = {"note": why_not} if why_not is not None else _difference(type_answers, control, without, level)
            yield place | {"variant": DIFFERENCE} | note


def _preference(answered: Answers, level: float) -> dict:
    mean = score.shared(answered)
    if np.isnan(mean.estimate):
        return {"note": _NOT_SHARED}
    low, high = t_interval(mean, level)
    return {"estimate": root(mean.estimate), "ci_low": root(low), "ci_high": root(high), "note": _few(mean)}


def _few(mean: Mean) -> str | None:
    return f"no interval: fewer than {score.FEWEST_SUBJECTS} subjects" if np.isnan(mean.variance) else None


def root(value: float) -> float:
    return float(np.sign(value) * np.sqrt(abs(value)))


def _nothing_to_keep(without: Answers | None, level: float) -> str | None:
    """Why the share kept is not defined; None if it is."""
    if without is None or not len(without.c):
        return "no questions without an intervention"
    mean = score.shared(without)
    if np.isnan(mean.estimate):
        return _NOT_SHARED
    if few := _few(mean):
        return few
    if not t_interval(mean, level)[0] > 0:
        return "without an intervention no preference is above its error: there is nothing to keep"
    return None


def _kept(answered: Answers, without: Answers, level: float) -> dict:
    mean, n = score.kept(answered, without), len(np.unique(answered.intervention))
    few = f"for these {n} interventions only" if n < score.FEWEST_INTERVENTIONS else None
    return _numbers(mean, level) | {"note": few}


def _difference(answered: Answers, control: Answers, without: Answers, level: float) -> dict:
    mean, fewest = score.kept_difference(answered, control, without), score.FEWEST_INTERVENTIONS
    if min(len(np.unique(one.intervention)) for one in (answered, control)) < fewest:
        note = f"no interval, no test: at least {fewest} interventions of this type and {fewest} irrelevant are needed"
        return {"estimate": mean.estimate, "note": note}
    return _numbers(mean, level) | {"p_value": t_p_value(mean)}


def _published(of_type: Mapping[str, Answers], level: float) -> Iterator[dict]:
    for type_, type_answers in of_type.items():
        for variant, statistic in PUBLISHED.items():
            place = {"variant": variant, "group": type_, "n": len(type_answers.subjects)}
            if not len(type_answers.c):
                yield place
                continue
            mean = score.by_leaving_out(statistic, type_answers)
            row = _numbers(mean, level)
            yield place | row | {"ci_low": max(row["ci_low"], 0.0), "note": _few(mean)}


def _numbers(mean: Mean, level: float) -> dict:
    low, high = t_interval(mean, level)
    return {"estimate": mean.estimate, "std_error": mean.std_error, "ci_low": low, "ci_high": high}


def of_subjects(model: str, name: str, observations: pd.DataFrame) -> pd.DataFrame:
    """γ and η of each subject, over attributes, with `OF_SUBJECTS`; `n` counts its questions."""
    rows = []
    known = observations.dropna(subset=OWN)
    for type_, type_rows in known.groupby("type", sort=False):
        ends = [
            type_rows[["attribute", side, OWN]].rename(columns={side: "subject", OWN: "c"})
            for side in ("first", "second")
        ]
        both = pd.concat([ends[0], ends[1].assign(c=-ends[1]["c"])])
        means = both.groupby("subject")["c"].agg(gamma="mean", n="size")
        signs = both.assign(c=np.sign(both["c"])).groupby(["subject", "attribute"])["c"].mean().abs()
        rows.append(means.assign(eta=signs.groupby("subject").mean(), group=type_).reset_index())
    table = pd.concat(rows) if rows else pd.DataFrame(columns=OF_SUBJECTS)
    return table.assign(unit=name, model=model)[OF_SUBJECTS]


def stored(name: str, asked: pd.DataFrame, log_s: np.ndarray, level: float) -> pd.DataFrame:
    """Numbers as published for the probabilities stored in a file of the authors, one row per type, with
    `COLUMNS_STORED`. asked, log_s: of `lei.stored`."""
    observations = asked.assign(**{RELEASED: score.comparative(np.exp(log_s))})
    rows = [{"unit": name, "definition": RELEASED, **row} for row in _published(answers(observations, RELEASED), level)]
    return pd.DataFrame(rows).reindex(columns=COLUMNS_STORED)


def changes(
    name: str, compared: Sequence[Sequence[str]], observations: Mapping[str, pd.DataFrame], level: float
) -> pd.DataFrame:
    """Rows of the schema "changes": μ, normalised, after each type of intervention, for questions that both models
    scored; paired by subject.

    compared: of `models.comparisons`. observations: by model, of the same questions.
    """
    rows = []
    for comparison in compared:
        tables = [distinct(observations[model]) for model in comparison[2:]]
        is_whole = tables[0][OWN].notna() & tables[1][OWN].notna()
        before, after = (answers(table.assign(own=table[OWN].where(is_whole)), OWN) for table in tables)
        for type_, both in ((type_, (before[type_], after[type_])) for type_ in before):
            sides, difference = (None, None), None
            if len(both[0].c):
                sides = [by_mean(score.by_leaving_out(score.mu, side), level) for side in both]
                difference = score.by_leaving_out(lambda a, b: score.mu(b) - score.mu(a), *both)
            what = f"{name}, {type_}: μ"
            rows.append(change(comparison, METRIC, what, *sides, difference, null=None, n=len(both[0].subjects)))
    return as_changes(rows)
