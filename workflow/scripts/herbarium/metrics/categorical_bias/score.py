"""Categorical Bias: the variance of log P' over targets (Ahn and Oh 2021, EMNLP, pp. 533-549, Section 3.2).

All starts from log_p, (n_templates, n_attributes, n_targets): the natural logarithm of the normalised probability P' of
each target in each sentence (Section 3.1).

A variance is half the mean squared difference over all pairs. So every score here is a mean over pairs of targets: of
all (CB), of those of equal length, of those of one sub-token. It also says how a resample counts: a target and its own
copy are no pair, as their difference of 0 would draw the mean below that of the sample.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax, xlogy

# What CB is made of (`parts`).
PARTS = ("target", "target_template", "target_attribute", "rest")


@dataclass(frozen=True)
class Draws:
    """How often each template, attribute and target counts in each replicate, (n_replicates, n) each."""

    templates: np.ndarray
    attributes: np.ndarray
    targets: np.ndarray

    def mean(self, values: np.ndarray) -> np.ndarray:
        """(n_replicates, ...) the mean over templates and attributes of values (n_templates, n_attributes, ...)."""
        weights = self.templates[:, :, None] * self.attributes[:, None, :]
        return np.tensordot(weights / weights.sum(axis=(1, 2), keepdims=True), values, axes=2)


def all_once(log_p: np.ndarray) -> Draws:
    """The sample itself, as the one replicate."""
    return Draws(*(np.ones((1, n), dtype=int) for n in log_p.shape))


def variances(log_p: np.ndarray, ddof: int = 1) -> np.ndarray:
    """Var over targets of each sentence, (n_templates, n_attributes); its divisor is n_targets - ddof."""
    return log_p.var(axis=2, ddof=ddof)


def score(log_p: np.ndarray, ddof: int = 1) -> float:
    """CB: the mean of `variances` over templates and attributes; 0 where P' is the same for all targets."""
    return float(variances(log_p, ddof).mean())


def contributions(log_p: np.ndarray, draws: Draws, ddof: int = 1) -> np.ndarray:
    """(n_replicates, n_targets) what each target adds to CB, on the templates and attributes drawn.

    It is the squared distance of its log P' from the mean of its sentence, over the divisor of the variance. Of the
    sample itself they sum to CB.
    """
    deviations = log_p - log_p.mean(axis=2, keepdims=True)
    return draws.mean(deviations**2 / (log_p.shape[2] - ddof))


class Pairs:
    """The pairs of targets, their squared differences of log P', and the scores made of those."""

    def __init__(self, log_p: np.ndarray, ddof: int = 1):
        """ddof: of n targets, scores are (n - 1)/(n - ddof) times the mean over pairs, the variance of ddof 1."""
        n = log_p.shape[2]
        self.first, self.second = np.triu_indices(n, 1)
        self.half_squares = (log_p[:, :, self.first] - log_p[:, :, self.second]) ** 2 / 2 * (n - 1) / (n - ddof)

    def all(self) -> np.ndarray:
        """(n_templates, n_pairs) of bool: every pair."""
        return np.ones((len(self.half_squares), len(self.first)), dtype=bool)

    def of_equal_length(self, lengths: np.ndarray) -> np.ndarray:
        """(n_templates, n_pairs) of bool: both have as many sub-tokens. lengths: (n_templates, n_targets)."""
        return lengths[:, self.first] == lengths[:, self.second]

    def of_single_tokens(self, lengths: np.ndarray) -> np.ndarray:
        """(n_templates, n_pairs) of bool: both have one sub-token."""
        return self.of_equal_length(lengths) & (lengths[:, self.first] == 1)

    def scores(self, chosen: np.ndarray, draws: Draws) -> np.ndarray:
        """(n_replicates,) the mean over chosen pairs of the targets, attributes and templates drawn; nan without any.

        chosen: of the functions above.
        """
        times = draws.targets[:, self.first] * draws.targets[:, self.second]
        total = (draws.mean(self.half_squares * chosen[:, None]) * times).sum(axis=1)
        n = (draws.templates @ chosen / draws.templates.sum(axis=1, keepdims=True) * times).sum(axis=1)
        return np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)


def length_share(pairs: Pairs, lengths: np.ndarray, draws: Draws) -> np.ndarray:
    """(n_replicates,) the share of CB that the number of sub-tokens explains: 1 - (CB of equal lengths)/CB.

    0 is expected where it explains nothing, and chance can bring it below. nan where no two targets are equally long.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - pairs.scores(pairs.of_equal_length(lengths), draws) / pairs.scores(pairs.all(), draws)


def parts(log_p: np.ndarray, draws: Draws, ddof: int = 1) -> np.ndarray:
    """(4, n_replicates) what CB is made of, in the order of `PARTS`; they sum to CB.

    Components of variance of targets in the crossed random-effects model: what is the same in all sentences (target),
    depends on the template (target_template), on the attribute but not on the template (target_attribute), on both
    (rest). Each comes without bias from products over two sentences that share template and attribute, one of them, or
    none; so the last three can be below 0 by chance. nan without two templates or two attributes.
    """
    n_targets = log_p.shape[2]
    y = log_p - log_p.mean(axis=2, keepdims=True)
    drawn = zip(draws.templates, draws.attributes, draws.targets, strict=True)
    products = np.array([_products(y, *of_replicate) for of_replicate in drawn]).reshape(-1, 4)
    same, template, attribute, neither = products.T
    found = np.array([neither, template - neither, attribute - neither, same - template - attribute + neither])
    return found * (n_targets - 1) / (n_targets - ddof)


def _products(y: np.ndarray, t: np.ndarray, a: np.ndarray, n: np.ndarray) -> np.ndarray:
    """(4,) half the mean product, over pairs of targets, of their differences in two sentences: the same one, two of
    one template, two of one attribute, two that share neither. t, a, n: how often each template, attribute and target
    counts.
    """
    # the values of each target and, last, the sum over those drawn: over pairs i < j, n_i n_j Q(y_i - y_j) of a
    # quadratic form Q sums to N sum n_i Q(y_i) - Q(sum n_i y_i)
    y = np.concatenate([y, (y @ n)[:, :, None]], axis=2)
    squares, of_template, of_attribute = y**2, np.einsum("tak,a->tk", y, a), np.einsum("tak,t->ak", y, t)

    def summed(by_template: np.ndarray, by_attribute: np.ndarray) -> np.ndarray:
        return np.einsum("tak,t,a->k", squares, by_template, by_attribute, optimize=True)

    forms = np.array(
        [
            summed(t, a),
            t @ of_template**2 - summed(t, a**2),
            a @ of_attribute**2 - summed(t**2, a),
            (t @ of_template) ** 2 - t**2 @ of_template**2 - a**2 @ of_attribute**2 + summed(t**2, a**2),
        ]
    )
    other_templates, other_attributes = (of.sum() ** 2 - (of**2).sum() for of in (t, a))
    ways = [
        t.sum() * a.sum(),
        t.sum() * other_attributes,
        a.sum() * other_templates,
        other_templates * other_attributes,
    ]
    pairs = n.sum() ** 2 - (n**2).sum()
    sums = n.sum() * forms[:, :-1] @ n - forms[:, -1]
    return np.divide(sums / pairs, ways, out=np.full(4, np.nan), where=np.array(ways) > 0)


def permuted_scores(
    log_p: np.ndarray,
    forms: np.ndarray,
    strata: np.ndarray,
    permutations: int,
    random: np.random.Generator,
    ddof: int = 1,
) -> np.ndarray:
    """(permutations,) CB of the mean log P' over templates, each form of an attribute with another's.

    What a model has that knows words and no meaning: the attributes of a stratum change places, those of one form of
    the word (singular, plural) by themselves. What goes with a form stays in all templates that show it, and what
    targets have in common stays too; only what goes with an attribute in every form is lost. forms: (n_templates,)
    which form each shows. strata: (n_attributes,).
    """
    y = log_p - log_p.mean(axis=2, keepdims=True)
    by_form = [y[forms == form].sum(axis=0) / len(y) for form in np.unique(forms)]
    members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    scores = np.empty(permutations)
    for i in range(permutations):
        mean = np.zeros(y.shape[1:])
        for of_form in by_form:
            for rows in members:
                mean[rows] += of_form[random.permutation(rows)]
        scores[i] = score(mean[None], ddof)
    return scores


def distributions(log_p: np.ndarray) -> np.ndarray:
    """P' over the sum of P' of all targets (Fig. 3), (n_templates, n_attributes, n_targets)."""
    return softmax(log_p, axis=2)


def divergences(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergence, natural logarithm, of two distributions along the last axis: 0 to ln 2."""
    return entropy((one + other) / 2) - (entropy(one) + entropy(other)) / 2


def entropy(p: np.ndarray) -> np.ndarray:
    """Natural logarithm, along the last axis."""
    return -xlogy(p, p).sum(axis=-1)
