"""Categorical Bias as tidy numbers: from log P' through `score` to one row per score.

A group is {language}/{list}, or {language}/{list}/{key} for one template, attribute or target.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.stimuli import BASE, FIRST, FORMS, Lists, form
from herbarium.statistics import inference
from herbarium.statistics.items import CROSSED
from herbarium.statistics.items import items as as_items
from herbarium.statistics.tidy import tidy

METRIC = "categorical_bias"
# Variant -> whether the additional attributes, and the additional targets, are among the words (Table 7).
WORDS = {
    "cb": (False, False),
    "cb_additional_attributes": (True, False),
    "cb_additional_targets": (False, True),
    "cb_additional_both": (True, True),
}
# The fewest attributes for the covariance of forms.
_FEWEST = 6
# The primary number, and the smallest bound at which it would be called equivalent to 0.
PRIMARY, BOUND = "cross_form", "cross_form_bound"
# The error rate of its equivalence test (two one-sided tests, an interval of coverage 1 - 2 alpha).
_ALPHA = 0.05


@dataclass(frozen=True)
class Cube:
    """log P' of one list and definition, without the attributes and targets that lack a value somewhere."""

    words: Lists  # what was requested
    lists: Lists  # what is left of it
    log_p: np.ndarray  # (n_templates, n_attributes, n_targets), in the order of `lists`
    log_prior: np.ndarray  # likewise
    beside: np.ndarray  # likewise: as in "associations"
    lengths: np.ndarray  # (n_templates, n_targets): sub-tokens
    left_out: list[str]  # keys

    @property
    def fault(self) -> str | None:
        """Why nothing can be measured: CB compares at least two targets in a sentence. None if it can."""
        _, n_attributes, n_targets = self.log_p.shape
        if n_attributes and n_targets > 1:
            return None
        if len(self.words.targets) < 2:
            return "not measured: one target has no variance"
        return "not measured: sentences with all attributes, or with all targets but one, were refused"


def cube(associations: pd.DataFrame, lists: Lists, additional_attributes: bool, additional_targets: bool) -> Cube:
    """The values of one list and definition, with or without its additional words.

    associations: rows of the table "associations". If a sentence was refused, the attribute or target with the largest
    share of missing values is left out, until none is missing: variances over different targets in different sentences
    would not be one score.
    """
    attributes, targets = (
        table if additional else table[table["set"] == BASE]
        for table, additional in ((lists.attributes, additional_attributes), (lists.targets, additional_targets))
    )
    tables = [table.sort_values("key") for table in (lists.templates, attributes, targets)]
    keys = pd.MultiIndex.from_product([table["key"] for table in tables])
    rows = associations.set_index(["template", "attribute", "target"]).reindex(keys)
    log_p, log_prior, beside, n_tokens = (
        rows[column].to_numpy(float).reshape([len(table) for table in tables])
        for column in ("log_p", "log_prior", "beside", "n_tokens")
    )
    masks = [np.ones(n, dtype=bool) for n in log_p.shape[1:]]
    while (missing := np.isnan(log_p) & masks[0][:, None] & masks[1]).any():
        shares = [
            missing.mean(axis=axes) / is_kept.mean() for axes, is_kept in (((0, 2), masks[1]), ((0, 1), masks[0]))
        ]
        which = int(shares[1].max() > shares[0].max())
        masks[which][shares[which].argmax()] = False
    chosen = np.ix_(np.ones(len(tables[0]), dtype=bool), *masks)
    return Cube(
        Lists(templates=tables[0], attributes=tables[1], targets=tables[2]),
        Lists(templates=tables[0], attributes=tables[1][masks[0]], targets=tables[2][masks[1]]),
        log_p[chosen],
        log_prior[chosen],
        beside[chosen],
        n_tokens[chosen].max(axis=1, initial=0).astype(int),
        [key for table, is_kept in zip(tables[1:], masks, strict=True) for key in table["key"][~is_kept]],
    )


# Form -> attribute -> its sub-tokens.
Tokens = Mapping[str, Mapping[str, set[int]]]


def tokens_of(cut: pd.DataFrame, name: str) -> Tokens:
    """The sub-tokens of a list's attributes. cut: of the schema "attribute_tokens"."""
    rows = cut[cut["list"] == name]
    return {form: rows[rows["form"] == form].groupby("attribute")["token"].agg(set).to_dict() for form in FORMS}


@dataclass(frozen=True)
class Cells:
    """The values of sentences (or pairs of sentences) whose mean is a score; with the keys along each axis."""

    values: np.ndarray
    keys: tuple[np.ndarray, ...]

    @property
    def mean(self) -> inference.Mean:
        return inference.crossed_mean(self.values)


@dataclass(frozen=True)
class CrossForm:
    """The covariance of the forms of attributes, and its words."""

    forms: cb.Forms
    templates: tuple[np.ndarray, np.ndarray]  # keys of the templates of one form, and of the other
    attributes: np.ndarray  # keys
    targets: np.ndarray  # keys

    @property
    def cells(self) -> Cells:
        return Cells(self.forms.products().mean(axis=3), (*self.templates, self.attributes))

    @property
    def note(self) -> str:
        return f"{len(self.attributes)} attributes whose forms no shared sub-token links"


def cross_form(base: Cube, tokens: Tokens) -> CrossForm | str:
    """The covariance of forms of a list's base words, or why it has none.

    Attributes are in one stratum if they have the same prior in every sentence (the same number of masks, the same
    article), of causal models the same words beside them and as many tokens. Targets are in one class if they have the
    same number of sub-tokens in every template. A word alone in its stratum or class carries no information.
    """
    shown = np.array([form(text) for text in base.lists.templates["text"]])
    if len(set(shown)) < len(FORMS):
        return "attributes have only one form, and its words are in every sentence of an attribute"
    keys = base.lists.attributes["key"].to_numpy()
    is_usable = cb.unlinked([tuple(tokens[of_form][key] for of_form in FORMS) for key in keys])
    _, classes = np.unique(base.lengths, axis=1, return_inverse=True)
    both = np.stack([base.log_prior, base.beside], axis=-1)
    priors = pd.Series([tuple(values.ravel()) for values in both.swapaxes(0, 1)])
    strata, classes = pd.factorize(priors)[0], classes.ravel()
    is_usable &= np.bincount(strata, weights=is_usable)[strata] > 1
    compared = np.bincount(classes)[classes] > 1
    if is_usable.sum() < _FEWEST or not compared.any():
        left = f"{is_usable.sum()} attributes whose forms share no sub-token"
        return f"the tokenizer leaves {left}, or no two targets of equal length"
    forms = cb.Forms.of(
        base.log_p[:, is_usable][:, :, compared], shown == FORMS[0], strata[is_usable], classes[compared]
    )
    templates = base.lists.templates["key"].to_numpy()
    return CrossForm(
        forms,
        (templates[shown == FORMS[0]], templates[shown == FORMS[1]]),
        keys[is_usable],
        base.lists.targets["key"].to_numpy()[compared],
    )


def cells(base: Cube, ddof: int) -> dict[str, Cells]:
    """The cells of CB of the base words: of all targets, of those of equal length, of those of one sub-token."""
    keys = base.lists.templates["key"].to_numpy(), base.lists.attributes["key"].to_numpy()
    by_variant = {
        "cb": cb.variances(base.log_p, ddof),
        "cb_equal_length": cb.pair_variances(base.log_p, base.lengths, ddof),
        "cb_single_token": cb.pair_variances(base.log_p, np.where(base.lengths == 1, 1, -1), ddof),
    }
    has_pairs = {variant: np.isfinite(values).all(axis=1) for variant, values in by_variant.items()}
    return {
        variant: Cells(values[has_pairs[variant]], (keys[0][has_pairs[variant]], keys[1]))
        for variant, values in by_variant.items()
    }


def measure(
    model: str,
    language: str,
    lists: dict[str, Lists],
    associations: pd.DataFrame,
    cut: pd.DataFrame,
    ddof: int,
    level: float,
    tests: dict,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tidy rows of metric "categorical_bias" of a model in a language, and the items of its primary number.

    lists: by their names. associations, cut: of the schemas "associations" and "attribute_tokens". ddof: of the
    variance. level: coverage of the intervals, over templates and attributes. tests: `permutations` and `correction`,
    of the primary number; a family is all lists and definitions. seed: of the permutations.

    Units: "list" (`WORDS`, and for the base words only `PRIMARY`, CB of pairs of targets and its components),
    "template", "attribute", "target". What cannot be measured is a row with a note and no number.
    """
    rows, items = [], []
    titles = associations.groupby(["list", "definition"])
    for (name, definition), of_list in tracked(
        titles, len(titles), "scores", f"Categorical Bias of {model}, {language}"
    ):
        place = {"definition": definition, "group": f"{language}/{name}"}
        cubes = _with_words(of_list, lists[name])
        base = cubes["cb"]
        for variant, variant_cube in cubes.items():
            if variant_cube.fault is None:
                rows.append(
                    {
                        **place,
                        **_row(variant_cube, "list", variant),
                        **of_variance(cells(variant_cube, ddof)["cb"].mean, level),
                    }
                )
            else:
                rows.append({**place, **_row(variant_cube, "list", variant), "note": variant_cube.fault})
        if base.fault is not None:
            rows.append({**place, **_row(base, "list", PRIMARY), "note": base.fault})
            continue
        rows += [{**place, **row} for row in _of_base(base, ddof, level)]
        primary = cross_form(base, tokens_of(cut, name))
        rows += [{**place, **row} for row in _primary(base, primary, level, tests, seed)]
        if definition in FIRST and not isinstance(primary, str):
            primary_items = _items(primary)
            items.append(primary_items.assign(model=model, metric=METRIC, measure=f"{PRIMARY}, {language}, {name}"))
    numbers = pd.DataFrame(rows)
    within = numbers["group"].where(numbers["unit"] == "list", numbers["group"] + "/" + numbers["key"].fillna(""))
    numbers = tidy(numbers.drop(columns="key").assign(group=within, model=model, metric=METRIC), over="countries")
    numbers["p_adjusted"] = inference.adjust(numbers["p_value"].to_numpy(float), tests["correction"])
    return numbers, as_items(pd.concat([pd.DataFrame(), *items]))


def _with_words(associations: pd.DataFrame, lists: Lists) -> dict[str, Cube]:
    """The cube of each of `WORDS` that a list has."""
    has_additional = [(table["set"] != BASE).any() for table in (lists.attributes, lists.targets)]
    return {
        variant: cube(associations, lists, *additional)
        for variant, additional in WORDS.items()
        if all(has or not wanted for has, wanted in zip(has_additional, additional, strict=True))
    }


def _row(base: Cube, unit: str, variant: str, estimate: float = np.nan, key: str | None = None) -> dict:
    note = f"without {', '.join(base.left_out)}: sentences were refused" if base.left_out else None
    return {"unit": unit, "variant": variant, "key": key, "estimate": estimate, "n": base.log_p.shape[2], "note": note}


def _inferred(mean: inference.Mean, interval: Callable, level: float) -> dict:
    """By column of the tidy table; only an estimate if nothing was sampled twice."""
    if np.isnan(mean.variance):
        return {"estimate": mean.estimate}
    low, high = interval(mean, level)
    return {"estimate": mean.estimate, "std_error": np.sqrt(mean.variance), "ci_low": low, "ci_high": high}


def of_variance(mean: inference.Mean, level: float) -> dict:
    """A mean that is never negative, by column of the tidy table."""
    return _inferred(mean, inference.log_interval, level)


def _of_base(base: Cube, ddof: int, level: float) -> Iterator[dict]:
    """Scores of the base words in addition to CB."""
    by_variant = cells(base, ddof)
    for variant in ("cb_equal_length", "cb_single_token"):
        if by_variant[variant].values.size:
            yield {**_row(base, "list", variant), **of_variance(by_variant[variant].mean, level)}
        else:
            yield {**_row(base, "list", variant), "note": "no two such targets"}
    yield {**_row(base, "list", "length_share"), **length_share(by_variant, level)}
    for part, estimate in zip(cb.PARTS, cb.parts(base.log_p, ddof), strict=True):
        fault = np.isnan(estimate)
        row = _row(base, "list", f"part_{part}", estimate)
        yield row | ({"note": "components of CB need at least two templates and two attributes"} if fault else {})
    everything = cb.contributions(base.log_p, ddof)
    for axis, (unit, words) in enumerate((("template", base.lists.templates), ("attribute", base.lists.attributes))):
        for place, key in enumerate(words["key"]):
            mean = inference.crossed_mean(by_variant["cb"].values.take(place, axis=axis))
            yield {**_row(base, unit, "cb", key=key), **of_variance(mean, level)}
    for place, key in enumerate(base.lists.targets["key"]):
        mean = inference.crossed_mean(everything[:, :, place])
        yield {**_row(base, "target", "cb_contribution", key=key), **of_variance(mean, level)}
        yield _row(base, "target", "n_tokens", base.lengths[:, place].mean(), key)


def length_share(by_variant: dict[str, Cells], level: float) -> dict:
    """1 - (CB of equal lengths)/CB; its interval is that of the logarithm of the ratio."""
    whole, equal = (by_variant[variant] for variant in ("cb", "cb_equal_length"))
    if not equal.values.size or not equal.values.any():
        return {"note": "no two targets are equally long, or CB is 0"}
    of_whole = whole.values[np.isin(whole.keys[0], equal.keys[0])]
    ratio = equal.values.mean() / whole.values.mean()
    errors = inference.crossed_mean(equal.values / equal.values.mean() - of_whole / of_whole.mean())
    high, low = (1 - ratio * np.exp(bound) for bound in inference.t_interval(errors, level))
    return {"estimate": 1 - ratio, "std_error": ratio * np.sqrt(errors.variance), "ci_low": low, "ci_high": high}


def _primary(base: Cube, cross: CrossForm | str, level: float, tests: dict, seed: int) -> Iterator[dict]:
    """The covariance of forms with its p-value, its equivalence bound, and the covariance of each attribute.

    One-sided: without bias, attributes of a stratum are exchangeable in one of their forms.
    """
    row = _row(base, "list", PRIMARY)
    if isinstance(cross, str):
        yield {**row, "note": f"no covariance of forms: {cross}"}
        return
    forms, of_cells = cross.forms, cross.cells
    mean = of_cells.mean
    random = stream(seed, "permutation", "categorical_bias")
    p_value = permutation_p_value(forms, tests["permutations"], random)
    note = "; ".join(filter(None, [row["note"], cross.note]))
    yield {**row, **_inferred(mean, covariance_interval(forms), level), "p_value": p_value, "note": note}
    yield {**_row(base, "list", BOUND, equivalence_bound(forms, mean)), "note": "a bound has no interval"}
    # one attribute has one word in each form, and no sample of either
    for key, estimate in zip(cross.attributes, of_cells.values.mean(axis=(0, 1)), strict=True):
        yield _row(base, "attribute", PRIMARY, estimate, key)


def covariance_interval(forms: cb.Forms) -> Callable[[inference.Mean, float], tuple[float, float]]:
    return lambda mean, level: inference.stabilised_interval(mean, forms.null_error(), level)


def equivalence_bound(forms: cb.Forms, mean: inference.Mean) -> float:
    """The smallest bound at which two one-sided tests at 5 % would call the covariance equivalent to 0."""
    return inference.least_bound(*covariance_interval(forms)(mean, 1 - 2 * _ALPHA))


def permutation_p_value(forms: cb.Forms, permutations: int, random: np.random.Generator) -> float:
    """One-sided; with one added to each side, as a p-value of permutations cannot be 0 (Phipson and Smyth 2010)."""
    observed = forms.covariance()
    as_far = (
        forms.permuted(permutations, random) >= observed - 1e-12 * abs(observed)
    ).sum()  # rounding of sums in another order
    return float((1 + as_far) / (1 + permutations))


def _items(cross: CrossForm) -> pd.DataFrame:
    """The mean over words and forms of `value` is the covariance of an attribute (`object`)."""
    values = cross.forms.products()
    axes = ["one", "other", "object", "word"]
    index = pd.MultiIndex.from_product([*cross.templates, cross.attributes, cross.targets], names=axes)
    table = pd.DataFrame({"value": values.ravel()}, index=index).reset_index()
    return table.assign(form=table.pop("one") + CROSSED + table.pop("other"))
