"""Mixed models of a probe's observations: which questions are asked of which sentences, and one row an answer.

lme4 fits every model whose row this module writes as a `FITS` row. The interval of R² comes from our own engine, whose
fit must equal lme4's first (`mixed_model.agree`); it alone fits the many small models of bins.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.stats import t

from herbarium.console import tracked
from herbarium.lme4 import Fit
from herbarium.metrics import mixed_effects, mixed_model
from herbarium.probes.mixed_effects import FEMALE, MALE, NEGATIVE, NEO, POSITIVE, Lists, dimensions
from herbarium.statistics import percentile_interval, stream
from herbarium.store import schema

# What a row is of: a probe, the sentences of one subset, a dimension, and two groups of words, "first-second".
_KEYS = tuple(
    (name, pa.string()) for name in ("model", "probe", "definition", "subset", "structure", "dimension", "contrast")
)
# Standard deviations and intra-class correlations are of weights whose mean is 1, as is `r2`; `r2_raw` is of weights
# 1/pseudo-perplexity as they are. `mde` is the minimum detectable effect.
_NUMBERS = (
    *("estimate", "std_error", "df", "t", "p_value", "ci_low", "ci_high", "p_equivalence", "mde"),
    *("sd_template", "sd_target", "sd_pair", "sd_residual", "icc_template", "icc_target", "icc_pair"),
    *("r2", "r2_low", "r2_high", "r2_raw", "r2_raw_low", "r2_raw_high"),
)
FITS = schema(
    "mixed_effects_fits",
    *_KEYS,
    *((name, pa.float64()) for name in _NUMBERS),
    ("n", pa.int64()),
    ("n_refused", pa.int64()),
    ("converged", pa.bool_()),
    ("singular", pa.bool_()),
    ("note", pa.string()),
    nullable=(*_NUMBERS, "converged", "singular", "note"),
)
# What is predicted for each level of a random intercept: `std_error` is conditional on the variances.
RANDOM_EFFECTS = schema(
    "mixed_effects_levels",
    *_KEYS,
    ("group", pa.string()),
    ("level", pa.string()),
    ("estimate", pa.float64()),
    ("std_error", pa.float64()),
)
# The bias score of sentences by their pseudo-perplexity (Appendix A.4): from `low` to `high`, which is not among them.
BINS = schema(
    "mixed_effects_bins",
    *_KEYS,
    ("low", pa.float64()),
    ("high", pa.float64()),
    ("estimate", pa.float64()),
    ("std_error", pa.float64()),
    ("p_value", pa.float64()),
    ("r2", pa.float64()),
    ("n", pa.int64()),
    ("share", pa.float64()),
    nullable=("estimate", "std_error", "p_value", "r2"),
)
BIN_WIDTH, N_BINS = 5, 20

ALL, SHARED, WITH_NEGATIVE, COMMON = "all", "shared", "with_negative", "common"
INTERCEPTS, PAIRS, SLOPES = "intercepts", "pairs", "slopes"
FORMULAS = {
    INTERCEPTS: "association ~ gender + (1 | template) + (1 | target)",
    PAIRS: "association ~ gender + (1 | template) + (1 | target) + (1 | pair)",
    SLOPES: "association ~ gender + (1 + gender | template) + (1 + gender | target) + (1 | pair)",
}
SLOPED = re.compile(r"\(1 \+ gender \|")
FEWEST = 20  # sentences of a bin that a model is fitted to
CONTRASTS = ((MALE, FEMALE), (MALE, NEO), (FEMALE, NEO))


@dataclass(frozen=True)
class Question:
    """A bias score: of which sentences, and of which words against which.

    subset: `all` are the positive targets in all templates; `shared` the same in the templates that take negative
    targets too, `with_negative` those with the negative ones, their association reversed (Table 5); `common` the
    smaller set of pairs (Table 6); any other the kind of some templates (Table 7), or "without " and a template's key.
    """

    dimension: str
    first: str
    second: str
    subset: str = ALL
    structure: str = INTERCEPTS

    @property
    def contrast(self) -> str:
        return f"{self.first}-{self.second}"


def questions(lists: Lists) -> list[Question]:
    """All that the paper asks, as far as a probe's tables have what it takes."""
    has_neo = NEO in set(lists.pronouns["gender"])
    subsets = []
    if NEGATIVE in set(lists.targets["polarity"]):
        subsets += [SHARED, WITH_NEGATIVE]
    if _has(lists.pairs, "common"):
        subsets.append(COMMON)
    kinds = _kinds(lists)
    subsets += kinds if len(kinds) > 1 else []
    found = []
    for dimension in dimensions(lists):
        found += [Question(dimension, *contrast) for contrast in CONTRASTS if has_neo or NEO not in contrast]
        found += [Question(dimension, MALE, FEMALE, subset) for subset in subsets]
    return found


def further_questions(lists: Lists, asked: list[str]) -> list[Question]:
    """What the paper does not ask: of male against female words, with other random effects, or fewer templates.

    asked: of "pairs", "slopes" and "templates".
    """
    structures = [structure for structure in (PAIRS, SLOPES) if structure in asked]
    keys = lists.templates["key"] if "templates" in asked and len(lists.templates) > 2 else []
    found = []
    for dimension in dimensions(lists):
        found += [Question(dimension, MALE, FEMALE, structure=structure) for structure in structures]
        found += [Question(dimension, MALE, FEMALE, f"without {key}") for key in keys]
    return found


def _has(table: pd.DataFrame, column: str) -> bool:
    return column in table.columns and (table[column] == "yes").any()


def _kinds(lists: Lists) -> list[str]:
    return [kind for kind in dict.fromkeys(lists.templates.get("kind", [])) if kind]


def select(observations: pd.DataFrame, lists: Lists, question: Question) -> tuple[pd.DataFrame, int]:
    """The rows that a model is fitted to, and how many were refused.

    observations: of one definition, of the schema "observations". Columns: `association`, `gender` (1 for the first
    group, 0 for the second), `template`, `target`, `pair` (the word itself where it has none), `weight`.
    """
    templates = lists.templates
    if question.subset in (SHARED, WITH_NEGATIVE):
        templates = templates[templates.get("negative", "yes") == "yes"]
    elif question.subset in _kinds(lists):
        templates = templates[templates["kind"] == question.subset]
    else:
        templates = templates[("without " + templates["key"]) != question.subset]
    rows = observations[
        observations["template"].isin(templates["key"]) & observations["gender"].isin([question.first, question.second])
    ]
    if question.subset == COMMON:
        common = lists.pairs[lists.pairs["common"] == "yes"]
        rows = rows[rows["pair"].isin(common[FEMALE] + "-" + common[MALE])]
    of_polarity = [(POSITIVE, 1)] + [(NEGATIVE, -1)] * (question.subset == WITH_NEGATIVE)
    parts = []
    for polarity, sign in of_polarity:
        targets = dimensions(lists, [polarity]).get(question.dimension, [])
        part = rows[rows["target"].isin(targets)]
        parts.append(part.assign(association=sign * part["association"]))
    rows = pd.concat(parts)
    refused = rows["association"].isna()
    rows = rows[~refused]
    data = pd.DataFrame(
        {
            "association": rows["association"],
            "gender": (rows["gender"] == question.first).astype(float),
            "template": rows["template"],
            "target": rows["target"],
            "pair": rows["pair"].fillna(rows["word"]),
            "weight": 1 / rows["pppl"],
        }
    )
    return data.reset_index(drop=True), int(refused.sum())


@dataclass(frozen=True)
class Settings:
    """What a study chooses; see the configuration."""

    level: float
    replicates: int
    weighted: bool
    alpha: float
    power: float
    equivalence_bound: float
    seed: int


def measure(
    name: dict[str, str],
    lists: Lists,
    observations: pd.DataFrame,
    asked: Sequence[Question],
    fit: Callable[[pd.DataFrame, str, str], Fit],
    settings: Settings,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows "mixed_effects_fits" and "mixed_effects_levels" of questions, for each definition.

    name: `model` and `probe`. observations: of the schema "observations". fit: `lme4.fit`.
    """
    rows, levels = [], []
    by_definition = list(observations.groupby("definition", sort=False))
    for definition, of_definition in tracked(by_definition, "definitions"):
        for question in tracked(asked, f"fits, {definition}"):
            keys = name | {"definition": definition} | _keys(question)
            data, n_refused = select(of_definition, lists, question)
            row, random_effects = answer(data, FORMULAS[question.structure], fit, settings, tuple(keys.values()))
            rows.append(keys | row | {"n_refused": n_refused})
            levels.append(random_effects.assign(**keys))
    return (
        pd.DataFrame(rows).reindex(columns=FITS.fields.names),
        pd.concat(levels).reindex(columns=RANDOM_EFFECTS.fields.names),
    )


def _keys(question: Question) -> dict[str, str]:
    keys = ("subset", "structure", "dimension", "contrast")
    return {key: getattr(question, key) for key in keys}


def answer(
    data: pd.DataFrame,
    formula: str,
    fit: Callable[[pd.DataFrame, str, str], Fit],
    settings: Settings,
    name: Sequence[str],
) -> tuple[dict, pd.DataFrame]:
    """The numbers of a model of `data`, as a row of "mixed_effects_fits", and its random effects.

    data: of `select`; any formula whose one fixed effect is `gender`. name: what the model is of, for the random stream.
    A random intercept of a group of one level is left out, and the row says so. Raises HerbariumError when lme4 and our
    engine do not agree.
    """
    groups, notes = _groups(formula), []
    for group in [group for group in groups if data[group].nunique() < 2]:
        formula = formula.replace(f" + (1 | {group})", "")
        notes.append(f"one {group} only: no random intercept of it")
    raw = data["weight"].to_numpy()
    fitted = fit(data.assign(weight=raw / raw.mean()), formula, "weight")
    gender = fitted.fixed.set_index("term").loc["gender"]
    estimate, std_error, df = (float(gender[column]) for column in ("estimate", "std_error", "df"))
    low, high = mixed_effects.interval(estimate, std_error, df, settings.level)
    intercepts = fitted.variances[fitted.variances["term"] == "(Intercept)"].set_index("group")["sd"].to_dict()
    shares = mixed_effects.intra_class_correlations({g: sd**2 for g, sd in intercepts.items()}, fitted.sigma**2)
    row = {
        **{column: float(gender[column]) for column in ("estimate", "std_error", "df", "t", "p_value")},
        "ci_low": low,
        "ci_high": high,
        "p_equivalence": mixed_effects.equivalence_p_value(estimate, std_error, df, settings.equivalence_bound),
        "mde": mixed_effects.minimum_detectable_effect(std_error, df, settings.alpha, settings.power),
        **{f"sd_{group}": sd for group, sd in intercepts.items()},
        "sd_residual": fitted.sigma,
        "n": len(data),
        "converged": fitted.converged,
        "singular": fitted.singular,
        "note": "; ".join([*notes, *fitted.notes]) or None,
    }
    if not SLOPED.search(formula):
        row |= {f"icc_{group}": share for group, share in shares.items()}
        row |= effect_sizes(data, list(intercepts), fitted, settings, name)
    return row, fitted.random_effects[fitted.random_effects["term"] == "(Intercept)"]


def _groups(formula: str) -> list[str]:
    return re.findall(r"\(1 \| (\w+)\)", formula)


def effect_sizes(
    data: pd.DataFrame, groups: Sequence[str], fitted: Fit, settings: Settings, name: Sequence[str]
) -> dict[str, float]:
    """R² with its parametric bootstrap interval, of weights whose mean is 1 and of weights as they are.

    fitted: lme4's fit with the former. R² hangs on the scale of the weights, as the variance of a residual of weight 1
    is another one on each scale, while all else stays; so does, if the simulation ignores weights, its interval.
    """
    x = np.column_stack([np.ones(len(data)), data["gender"]])
    codes = [pd.factorize(data[group])[0] for group in groups]
    raw = data["weight"].to_numpy()
    random = stream(settings.seed, "mixed effects", *name)
    found = {}
    for column, scale in (("r2", raw.mean()), ("r2_raw", 1.0)):
        if column == "r2" or not settings.weighted:
            of = mixed_model.design(x, codes, raw / scale)
            point = mixed_model.fit(of, data["association"].to_numpy())
            replicates = mixed_model.bootstrap(of, point, settings.replicates, random, settings.weighted)
        if column == "r2":
            beta = dict(zip(fitted.fixed["term"], fitted.fixed["estimate"], strict=True))
            mixed_model.agree(of, point, beta, {group: fitted.theta[group] for group in groups}, fitted.sigma)
        at_weight = of.weights.mean() * scale / raw.mean()
        found[column] = float(mixed_model.r2_marginal(of, point, at_weight))
        if settings.replicates:
            bounds = percentile_interval(mixed_model.r2_marginal(of, replicates, at_weight), settings.level)
            found[f"{column}_low"], found[f"{column}_high"] = map(float, bounds)
    return found


def bins(name: dict[str, str], lists: Lists, observations: pd.DataFrame) -> pd.DataFrame:
    """The rows "mixed_effects_bins" (Figure 1): male against female words among sentences of a pseudo-perplexity.

    Bins are BIN_WIDTH wide; those that begin at 0 are cumulative, and the last of them has every sentence. Where a bin
    has too few sentences for a model, its numbers are null.
    """
    rows = []
    cumulative = [(0, BIN_WIDTH * (i + 1)) for i in range(N_BINS)]
    single = [(BIN_WIDTH * i, BIN_WIDTH * (i + 1)) for i in range(1, N_BINS)]
    for definition, of_definition in observations.groupby("definition", sort=False):
        for dimension in dimensions(lists):
            question = Question(dimension, MALE, FEMALE)
            data, _ = select(of_definition, lists, question)
            keys = name | {"definition": definition} | _keys(question)
            pppl = 1 / data["weight"]
            for low, high in [*cumulative, (0, np.inf), *single]:
                rows_of_bin = data[(pppl >= low) & (pppl < high)]
                share = len(rows_of_bin) / len(data)
                numbers = _bin(rows_of_bin) | {"n": len(rows_of_bin), "share": share}
                rows.append(keys | {"low": low, "high": high} | numbers)
    return pd.DataFrame(rows).reindex(columns=BINS.fields.names)


def _bin(data: pd.DataFrame) -> dict[str, float]:
    groups = [group for group in ("template", "target") if 1 < data[group].nunique() < len(data)]
    if data["gender"].nunique() < 2 or not groups or len(data) < FEWEST:
        return {}
    x = np.column_stack([np.ones(len(data)), data["gender"]])
    weights = data["weight"].to_numpy()
    of = mixed_model.design(x, [pd.factorize(data[group])[0] for group in groups], weights / weights.mean())
    fitted = mixed_model.fit(of, data["association"].to_numpy())
    estimate, std_error, df = fitted.beta[1], fitted.std_error[1], fitted.df[1]
    return {
        "estimate": estimate,
        "std_error": std_error,
        "p_value": 2 * t.sf(abs(estimate / std_error), df),
        "r2": float(mixed_model.r2_marginal(of, fitted)),
    }
