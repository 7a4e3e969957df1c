"""Categorical Bias as tidy numbers: from log P' through `score` to one row per score.

A group is {language}/{list}, or {language}/{list}/{key} for one template, attribute or target.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.stimuli import BASE, FORMS, Lists, form
from herbarium.statistics.inference import adjust, percentile_interval
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.tidy import tidy

METRIC = "categorical_bias"
# Variant -> whether the additional attributes, and the additional targets, are among the words (Table 7).
WORDS = {
    "cb": (False, False),
    "cb_additional_attributes": (True, False),
    "cb_additional_targets": (False, True),
    "cb_additional_both": (True, True),
}
# The fewest attributes that can change places to any effect.
_FEWEST = 3


@dataclass(frozen=True)
class Cube:
    """log P' of one list and definition, without the attributes and targets that lack a value somewhere."""

    words: Lists  # what was asked for
    lists: Lists  # what is left of it
    log_p: np.ndarray  # (n_templates, n_attributes, n_targets), in the order of `lists`
    log_prior: np.ndarray  # likewise
    lengths: np.ndarray  # (n_templates, n_targets): sub-tokens
    left_out: list[str]  # keys

    @property
    def fault(self) -> str | None:
        """Why there is nothing to measure: CB compares two targets, at least, in a sentence. None: there is."""
        _, n_attributes, n_targets = self.log_p.shape
        if n_attributes and n_targets > 1:
            return None
        if len(self.words.targets) < 2:
            return "not measured: of one target there is no variance"
        return "not measured: sentences of all attributes, or of all targets but one, were refused"


def cube(associations: pd.DataFrame, lists: Lists, additional_attributes: bool, additional_targets: bool) -> Cube:
    """The values of one list and definition, with or without its additional words.

    associations: rows of the table "associations". Where a sentence was refused, the attribute or target that lacks the
    largest share of its values is left out, until none is lacking: a variance over other targets in one sentence than
    in the next would not be one score.
    """
    attributes, targets = (
        table if additional else table[table["set"] == BASE]
        for table, additional in ((lists.attributes, additional_attributes), (lists.targets, additional_targets))
    )
    tables = [table.sort_values("key") for table in (lists.templates, attributes, targets)]
    keys = pd.MultiIndex.from_product([table["key"] for table in tables])
    rows = associations.set_index(["template", "attribute", "target"]).reindex(keys)
    log_p, log_prior, n_tokens = (
        rows[column].to_numpy(float).reshape([len(table) for table in tables])
        for column in ("log_p", "log_prior", "n_tokens")
    )
    kept = [np.ones(n, dtype=bool) for n in log_p.shape[1:]]
    while (missing := np.isnan(log_p) & kept[0][:, None] & kept[1]).any():
        shares = [missing.mean(axis=axes) / of.mean() for axes, of in (((0, 2), kept[1]), ((0, 1), kept[0]))]
        which = int(shares[1].max() > shares[0].max())
        kept[which][shares[which].argmax()] = False
    chosen = np.ix_(np.ones(len(tables[0]), dtype=bool), *kept)
    return Cube(
        Lists(templates=tables[0], attributes=tables[1], targets=tables[2]),
        Lists(templates=tables[0], attributes=tables[1][kept[0]], targets=tables[2][kept[1]]),
        log_p[chosen],
        log_prior[chosen],
        n_tokens[chosen].max(axis=1, initial=0).astype(int),
        [key for table, of in zip(tables[1:], kept, strict=True) for key in table["key"][~of]],
    )


def draw(of: Cube, replicates: int, seed: int) -> cb.Draws:
    """Templates, attributes and targets drawn with replacement, as many as there are, each by itself (crossed).

    The draws of what was left out are lost; targets are drawn until two others are among them.
    """
    counts = []
    for whole, left, least in (
        (of.words.templates, of.lists.templates, 1),
        (of.words.attributes, of.lists.attributes, 1),
        (of.words.targets, of.lists.targets, 2),
    ):
        kept = whole["key"].isin(left["key"]).to_numpy()
        counts.append(draw_keys(whole["key"], replicates, seed, kept, min(least, kept.sum())))
    return cb.Draws(*counts)


def draw_keys(
    keys: Sequence[str], replicates: int, seed: int, kept: np.ndarray | slice = slice(None), least: int = 1
) -> np.ndarray:
    """(replicates, n_kept) how often each key is drawn when as many as there are are drawn with replacement.

    What is drawn depends on the seed and the keys alone. kept: which of them count, (n_keys,) of bool; of these,
    `least` distinct ones are drawn at least.
    """
    n, random = len(keys), stream(seed, "bootstrap", "categorical_bias", *keys)

    def drawn(replicates: int) -> np.ndarray:
        return (random.integers(n, size=(replicates, n))[:, :, None] == np.arange(n)).sum(axis=1)[:, kept]

    counts = drawn(replicates)
    while (few := (counts > 0).sum(axis=1) < least).any():
        counts[few] = drawn(few.sum())
    return counts


def measure(
    model: str,
    language: str,
    lists: dict[str, Lists],
    associations: pd.DataFrame,
    ddof: int,
    bootstrap: dict,
    tests: dict,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tidy rows of metric "categorical_bias" of a model in a language, and the replicates of those of unit "list", of
    the schema "replicates": with equal draws for every model, list and language that has the same keys.

    lists: by their names. associations: of this schema. ddof: of the variance. bootstrap: `replicates` over templates,
    attributes and targets (crossed), `level` of the percentile intervals. tests: `permutations`, and the `correction`
    of the p-values of a model and language. `n` is the number of targets.

    Unit "list": CB with each set of words (`WORDS`); with the base words `cb_equal_length`, `cb_single_token` and
    `length_share`; `part_{target, ...}` (`score.PARTS`); and `cb_of_mean`, CB of the mean log P' over
    templates of the attributes that can be permuted, with its p-value, beside `cb_of_mean_null`, the mean over
    permutations, whose bounds are quantiles of these. Units "template" and "attribute": CB of each, base words, the
    other two drawn. Unit "target": `cb_contribution`, templates and attributes drawn, and `n_tokens`, the mean number
    of sub-tokens. Words that leave nothing to compare (`Cube.fault`) have `cb`, and the base words `cb_of_mean`,
    without estimate, and with a note.
    """
    rows, replicates = [], []
    titles = list(associations.groupby(["list", "definition"], sort=False))
    for (name, definition), of_list in tracked(
        titles, len(titles), "scores", f"Categorical Bias of {model}, {language}"
    ):
        place = {"definition": definition, "group": f"{language}/{name}"}
        cubes = _with_words(of_list, lists[name])
        measurable = {variant: of for variant, of in cubes.items() if of.fault is None}
        for variant in ["cb_of_mean", *cubes]:
            of = cubes.get(variant, cubes["cb"])
            if of.fault is not None:
                rows.append({**place, **_row(of, "list", variant, np.nan), "note": of.fault})
        drawn = {variant: draw(of, bootstrap["replicates"], seed) for variant, of in measurable.items()}
        found = [*_of_words(measurable, drawn, ddof)]
        if "cb" in measurable:
            found += _of_base(cubes["cb"], drawn["cb"], ddof)
        for row, values in found:
            rows.append({**place, **row, **interval(values, bootstrap["level"])})
            if row["unit"] == "list" and not np.isnan(values).any():
                table = pd.DataFrame({**place, "unit": "list", "variant": row["variant"], "value": values})
                replicates.append(table.rename_axis("replicate").reset_index())
        if "cb" in measurable:
            rows += [{**place, **row} for row in _against_chance(cubes["cb"], ddof, bootstrap["level"], tests, seed)]
    numbers = pd.DataFrame(rows)
    within = numbers["group"].where(numbers["unit"] == "list", numbers["group"] + "/" + numbers["key"].fillna(""))
    numbers = tidy(numbers.drop(columns="key").assign(group=within, model=model, metric=METRIC))
    numbers["p_adjusted"] = adjust(numbers["p_value"].to_numpy(float), tests["correction"])
    nothing = pd.DataFrame(columns=["replicate", "definition", "group", "unit", "variant", "value"])
    replicates = pd.concat(replicates or [nothing], ignore_index=True).assign(model=model, metric=METRIC)
    return numbers, replicates[REPLICATES.fields.names]


def _with_words(associations: pd.DataFrame, lists: Lists) -> dict[str, Cube]:
    """The cube of each of `WORDS` that a list has."""
    has_additional = [(table["set"] != BASE).any() for table in (lists.attributes, lists.targets)]
    return {
        variant: cube(associations, lists, *additional)
        for variant, additional in WORDS.items()
        if all(has or not wanted for has, wanted in zip(has_additional, additional, strict=True))
    }


Found = Iterator[tuple[dict, np.ndarray]]  # a row without its interval, and its replicates


def _of_words(cubes: dict[str, Cube], drawn: dict[str, cb.Draws], ddof: int) -> Found:
    """CB of each of `WORDS`."""
    for variant, of in cubes.items():
        pairs = cb.Pairs(of.log_p, ddof)
        yield _row(of, "list", variant, cb.score(of.log_p, ddof)), pairs.scores(pairs.all(), drawn[variant])


def _of_base(of: Cube, drawn: cb.Draws, ddof: int) -> Found:
    """What the base words have besides CB."""
    once, pairs = cb.all_once(of.log_p), cb.Pairs(of.log_p, ddof)
    for variant, chosen in (
        ("cb_equal_length", pairs.of_equal_length(of.lengths)),
        ("cb_single_token", pairs.of_single_tokens(of.lengths)),
    ):
        row = _row(of, "list", variant, pairs.scores(chosen, once)[0])
        if not chosen.any():
            row["note"] = "no two targets are so"
        yield row, pairs.scores(chosen, drawn)
    row = _row(of, "list", "length_share", cb.length_share(pairs, of.lengths, once)[0])
    if np.isnan(row["estimate"]):
        row["note"] = "no two targets are equally long, or CB is 0"
    yield row, cb.length_share(pairs, of.lengths, drawn)
    for part, estimate, values in zip(
        cb.PARTS, cb.parts(of.log_p, once, ddof), cb.parts(of.log_p, drawn, ddof), strict=True
    ):
        row = _row(of, "list", f"part_{part}", estimate[0])
        if np.isnan(row["estimate"]):
            row["note"] = "CB is parted among two templates and two attributes at least"
        yield row, values
    for axis, unit in enumerate(("template", "attribute")):
        others = [drawn.templates, drawn.attributes, drawn.targets]
        others[axis] = np.ones((len(drawn.targets), 1), dtype=int)
        for row, key in enumerate((of.lists.templates, of.lists.attributes)[axis]["key"]):
            log_p = of.log_p.take([row], axis=axis)
            of_key = cb.Pairs(log_p, ddof)
            yield _row(of, unit, "cb", cb.score(log_p, ddof), key), of_key.scores(of_key.all(), cb.Draws(*others))
    estimates, values = cb.contributions(of.log_p, once, ddof)[0], cb.contributions(of.log_p, drawn, ddof)
    for column, key in enumerate(of.lists.targets["key"]):
        yield _row(of, "target", "cb_contribution", estimates[column], key), values[:, column]
        yield _row(of, "target", "n_tokens", of.lengths[:, column].mean(), key), np.empty(0)


def _row(of: Cube, unit: str, variant: str, estimate: float, key: str | None = None) -> dict:
    note = f"without {', '.join(of.left_out)}: sentences were refused" if of.left_out else None
    return {"unit": unit, "variant": variant, "key": key, "estimate": estimate, "n": of.log_p.shape[2], "note": note}


def interval(values: np.ndarray, level: float) -> dict:
    """Standard error and bounds of the percentile interval, by column of the tidy table; of none where a replicate has
    no value, or there are fewer than two.
    """
    if len(values) < 2 or np.isnan(values).any():
        return {}
    low, high = percentile_interval(values, level)
    return {"std_error": values.std(ddof=1), "ci_low": low, "ci_high": high}


def _against_chance(of: Cube, ddof: int, level: float, tests: dict, seed: int) -> Iterator[dict]:
    """`cb_of_mean` and its null. Attributes change places that have the same prior in every sentence, and whose forms
    have no word in common: what a model has learned of a word goes with it into both its forms, meaning or not.
    """
    forms = np.array([form(text) for text in of.lists.templates["text"]])
    table = of.lists.attributes
    apart = np.ones(len(table), dtype=bool)
    if len(set(forms)) == len(FORMS):
        apart = [
            not set(one.split()) & set(other.split()) for one, other in zip(*(table[of] for of in FORMS), strict=True)
        ]
    prior = pd.Series([tuple(values.ravel()) for values in of.log_prior.swapaxes(0, 1)])
    strata = np.unique(pd.factorize(prior)[0], return_inverse=True)[1]
    apart &= np.bincount(strata, weights=apart)[strata] > 1
    row = _row(of, "list", "cb_of_mean", np.nan)
    if len(set(forms)) < len(FORMS) or apart.sum() < _FEWEST:
        fault = (
            "attributes have one form only" if len(set(forms)) < len(FORMS) else "too few attributes can change places"
        )
        yield {**row, "note": f"no chance to compare with: {fault}"}
        return
    log_p = of.log_p[:, apart]
    row["estimate"] = cb.score(log_p.mean(axis=0, keepdims=True), ddof)
    random = stream(seed, "permutation", "categorical_bias")
    drawn = cb.permuted_scores(log_p, forms, strata[apart], tests["permutations"], random, ddof)
    p = (1 + (drawn >= row["estimate"]).sum()) / (1 + len(drawn))
    note = f"{apart.sum()} attributes"
    yield {**row, "p_value": p, "note": note}
    low, high = percentile_interval(drawn, level)
    yield {**_row(of, "list", "cb_of_mean_null", drawn.mean()), "ci_low": low, "ci_high": high, "note": note}
