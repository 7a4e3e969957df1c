"""Categorical Bias: the variance of log P' over targets (Ahn and Oh 2021, EMNLP, pp. 533-549, Section 3.2), and the
covariance across the forms of an attribute, which is 0 without bias.

Everything starts from log_p, (n_templates, n_attributes, n_targets): the natural logarithm of the normalised
probability P' of each target in each sentence (Section 3.1).

A score is about its targets. Templates and attributes are samples: a score is a mean over them of values of sentences,
its *cells*, from which `statistics.inference.crossed_mean` computes its standard error.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import softmax, xlogy

# Components of CB (`parts`).
PARTS = ("target", "target_template", "target_attribute", "rest")


def variances(log_p: np.ndarray, ddof: int = 1) -> np.ndarray:
    """Var over targets of each sentence, (n_templates, n_attributes); its divisor is n_targets - ddof."""
    return log_p.var(axis=2, ddof=ddof)


def score(log_p: np.ndarray, ddof: int = 1) -> float:
    """CB: the mean of `variances` over templates and attributes; 0 if P' is the same for all targets."""
    return float(variances(log_p, ddof).mean())


def contributions(log_p: np.ndarray, ddof: int = 1) -> np.ndarray:
    """(n_templates, n_attributes, n_targets) the contribution of each target to the variance of a sentence.

    It is the squared distance of its log P' from the mean of its sentence, over the divisor of the variance.
    """
    return (log_p - log_p.mean(axis=2, keepdims=True)) ** 2 / (log_p.shape[2] - ddof)


def pair_variances(log_p: np.ndarray, classes: np.ndarray, ddof: int = 1) -> np.ndarray:
    """(n_templates, n_attributes) the variance of each sentence over pairs of targets of the same class only.

    A variance is half the mean squared difference over all pairs, times (n - 1)/(n - ddof). classes: (n_templates,
    n_targets) of int, a negative one in no pair. nan in templates without a pair.
    """
    n = log_p.shape[2]
    first, second = np.triu_indices(n, 1)
    chosen = (classes[:, first] == classes[:, second]) & (classes[:, first] >= 0)
    halves = (log_p[:, :, first] - log_p[:, :, second]) ** 2 / 2 * (n - 1) / (n - ddof)
    total, pairs = np.einsum("tap,tp->ta", halves, chosen), chosen.sum(axis=1)[:, None]
    return np.divide(total, pairs, out=np.full_like(total, np.nan), where=pairs > 0)


def parts(log_p: np.ndarray, ddof: int = 1) -> np.ndarray:
    """(4,) the components of CB, in the order of `PARTS`; they sum to CB.

    Components of variance of targets in the crossed random-effects model: what is the same in all sentences (target),
    depends on the template (target_template), on the attribute but not on the template (target_attribute), on both
    (rest). Each is estimated without bias from products over two sentences that share template and attribute, one of
    them, or none; so the last three can be below 0 by chance. nan without two templates or two attributes.

    Templates that show one form of an attribute share its words. So noise in what a model learned about a word form is
    in target_attribute, which is above 0 without any bias; `Forms` has what two forms share.
    """
    n_templates, n_attributes, n_targets = log_p.shape
    if min(n_templates, n_attributes) < 2:
        return np.full(4, np.nan)
    y = log_p - log_p.mean(axis=2, keepdims=True)
    same = (y**2).sum()
    of_template, of_attribute = ((y.sum(axis=axis) ** 2).sum() for axis in (1, 0))
    products = np.array(
        [
            same / (n_templates * n_attributes),
            (of_template - same) / (n_templates * n_attributes * (n_attributes - 1)),
            (of_attribute - same) / (n_attributes * n_templates * (n_templates - 1)),
            ((y.sum(axis=(0, 1)) ** 2).sum() - of_template - of_attribute + same)
            / (n_templates * (n_templates - 1) * n_attributes * (n_attributes - 1)),
        ]
    )
    same, template, attribute, neither = products / (n_targets - ddof)
    return np.array([neither, template - neither, attribute - neither, same - template - attribute + neither])


def unlinked(tokens: list[tuple[set[int], set[int]]]) -> np.ndarray:
    """(n_attributes,) of bool: which attributes have two forms that no chain of shared sub-tokens links.

    tokens: of each attribute the sub-tokens of its two forms. What a model has learned about a sub-token is in every
    form that contains it, and in their contexts. So forms are linked in connected components. An attribute is kept if
    its two forms are in different ones, and no other attribute's are in the same two.
    """
    n = len(tokens)
    words = [tokens[i][form] for form in (0, 1) for i in range(n)]
    _, component = connected_components(np.array([[not one.isdisjoint(other) for other in words] for one in words]))
    first, second = component[:n], component[n:]
    pairs = np.sort([first, second], axis=0)
    _, of_pair, times = np.unique(pairs, axis=1, return_inverse=True, return_counts=True)
    return (first != second) & (times[of_pair.ravel()] == 1)


@dataclass(frozen=True)
class Forms:
    """What the two forms of attributes (singular, plural) have in common.

    If attributes mean nothing to a model, the effect of one form of an attribute on targets says nothing about the
    effect of the other: their covariance over targets is 0 in expectation, however large the noise of words that all
    templates of a form share. What attributes have in common, or targets, is removed first: every template is centred
    over the targets of a class, and over the attributes of a stratum.
    """

    one: np.ndarray  # (n_templates of one form, n_attributes, n_targets) log P', centred
    other: np.ndarray  # of the other form
    strata: np.ndarray  # (n_attributes,) of int
    classes: np.ndarray  # (n_targets,) of int
    df: int  # divisor of sums of products over attributes and targets

    @classmethod
    def of(cls, log_p: np.ndarray, is_one: np.ndarray, strata: np.ndarray, classes: np.ndarray) -> "Forms":
        """is_one: (n_templates,) of bool, which form each shows. strata: (n_attributes,) of int: attributes that are
        exchangeable without bias. classes: (n_targets,) of int: targets of equal length. A stratum or class of one
        carries no information."""
        y = _centred(_centred(log_p, classes, axis=2), strata, axis=1)
        df = (log_p.shape[1] - len(np.unique(strata))) * (log_p.shape[2] - len(np.unique(classes)))
        return cls(y[is_one], y[~is_one], strata, classes, df)

    def products(self) -> np.ndarray:
        """(n_templates of one form, of the other, n_attributes, n_targets): their mean is the covariance."""
        return self.one[:, None] * self.other * (self.one[0].size / self.df)

    def covariance(self) -> float:
        """The covariance over targets of two forms of an attribute: the variance of what both share."""
        return float((self.one.mean(axis=0) * self.other.mean(axis=0)).sum() / self.df)

    def _sums(self) -> np.ndarray:
        """(n_attributes, n_attributes) of the forms of two attributes."""
        return self.one.mean(axis=0) @ self.other.mean(axis=0).T

    def null_error(self) -> float:
        """The standard deviation of the covariance when attributes of a stratum are permuted in one form."""
        sums, variance = self._sums(), 0.0
        for stratum in np.unique(self.strata):
            rows = self.strata == stratum
            variance += (sums[np.ix_(rows, rows)] ** 2).sum() / max(rows.sum() - 1, 1)
        return float(np.sqrt(variance) / self.df)

    def permuted(self, permutations: int, random: np.random.Generator) -> np.ndarray:
        """(permutations,) the covariance with attributes of a stratum in another order in one form."""
        sums, n = self._sums(), len(self.strata)
        keys = random.random((permutations, n))
        orders = np.lexsort((keys, np.broadcast_to(self.strata, keys.shape)))
        places = np.argsort(self.strata, kind="stable")
        return sums[places, orders].sum(axis=1) / self.df


def _centred(values: np.ndarray, groups: np.ndarray, axis: int) -> np.ndarray:
    """Values minus their mean over the members of a group along an axis."""
    members = (groups[:, None] == np.unique(groups)).astype(float)  # (n, n_groups)
    means = np.moveaxis(np.moveaxis(values, axis, -1) @ (members / members.sum(axis=0)) @ members.T, -1, axis)
    return values - means


def distributions(log_p: np.ndarray) -> np.ndarray:
    """P' over the sum of P' of all targets (Fig. 3), (n_templates, n_attributes, n_targets)."""
    return softmax(log_p, axis=2)


def divergences(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergence, natural logarithm, of two distributions along the last axis: 0 to ln 2."""
    return entropy((one + other) / 2) - (entropy(one) + entropy(other)) / 2


def entropy(p: np.ndarray) -> np.ndarray:
    """Natural logarithm, along the last axis."""
    return -xlogy(p, p).sum(axis=-1)
