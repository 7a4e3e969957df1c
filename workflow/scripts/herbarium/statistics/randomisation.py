"""Randomisation tests of means within units: under the null hypothesis labels can be permuted.

A unit (a pair of sentences, say) has one number per label. Under the null hypothesis the labels of a unit are
exchangeable: any of its numbers could have had any label, and units are independent of one another. Nothing else is
assumed: no distribution, no equal spread. With two labels this is the sign-flip test of paired differences (Fisher
1935, Section 21), with more the approximate randomisation of Noreen (1989).
"""

import itertools

import numpy as np

from herbarium.statistics import inference

# All permutations of labels are enumerated if there are no more than this: with two labels, up to 15 units.
EXACT = 2**15
DRAWS = 9999
_BLOCK = 2_000_000  # numbers drawn at once


def is_exact(n_units: int, n_labels: int) -> bool:
    """Whether the permutations of this number of units are enumerated."""
    return n_labels**n_units <= EXACT


def sign_flip(differences: np.ndarray, random: np.random.Generator) -> float:
    """Two-sided p-value of the hypothesis that differences are symmetric about 0.

    differences: (n_units,), finite. random: the stream of this test; not used if all flips are enumerated.
    """
    return float(exchange(np.column_stack([differences, -differences]), random)[0])


def exchange(values: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Two-sided p-value of each label, (n_labels,), of the hypothesis that labels are exchangeable within units.

    values: (n_units, n_labels), finite, those of a unit with the sum 0: each label's deviation from the mean of its
    unit. A label's statistic is its mean over units; under permutation, each unit gives it any of its numbers. The
    p-value is the share of all such means that are at least as far from 0 as the label's own. If there are too many to
    enumerate, `DRAWS` of them are used, including the label's own, so that it is never 0 and its error rate is not
    above its level (Phipson and Smyth 2010). Raises ValueError without units.
    """
    n_units, n_labels = values.shape
    if not n_units:
        raise ValueError("no unit")
    # sums in another order differ in their last bits
    observed = np.abs(values.sum(axis=0)) - 1e-12 * np.abs(values).sum()
    if is_exact(n_units, n_labels):
        at_random = np.abs(_all_sums(values))
        return (at_random >= observed[:, None]).mean(axis=1)
    as_far = np.zeros(n_labels, dtype=int)
    for n in _blocks(n_units):
        dealt = random.integers(n_labels, size=(n, n_units))
        at_random = np.abs(values[np.arange(n_units), dealt].sum(axis=1))
        as_far += (at_random >= observed[:, None]).sum(axis=1)
    return (1 + as_far) / (1 + DRAWS)


def signs(n_units: int, random: np.random.Generator) -> np.ndarray:
    """Ways to flip the signs of units, (n_ways, n_units) of 1 and -1, the first of them to flip none.

    All ways, up to a flip of all signs, if units are few (`is_exact`), else DRAWS random ones after the first: for
    statistics that do not change if all signs flip, such as squares. The p-value is the share of ways whose statistic
    is at least that of the first.
    """
    if is_exact(n_units, 2):
        return np.array([(1.0, *rest) for rest in itertools.product((1.0, -1.0), repeat=n_units - 1)])
    return np.vstack([np.ones(n_units), random.choice([1.0, -1.0], size=(DRAWS, n_units))])


def least_p_value(n_units: int, n_labels: int = 2) -> float:
    """The least p-value that this number of units can give. With two labels, a mean and its negative are equally far
    from 0."""
    if is_exact(n_units, n_labels):
        return inference.least_p_value(n_labels**n_units, extreme=2 if n_labels == 2 else 1)
    return inference.least_p_value(1 + DRAWS)


def _all_sums(values: np.ndarray) -> np.ndarray:
    """The sum of every choice of one number per unit, (n_labels ** n_units,)."""
    sums = np.zeros(1)
    for of_unit in values:
        sums = np.add.outer(sums, of_unit).ravel()
    return sums


def _blocks(n_units: int) -> list[int]:
    """The sizes of successive blocks of draws; they depend only on the number of units."""
    size = max(1, _BLOCK // n_units)
    return [min(size, DRAWS - first) for first in range(0, DRAWS, size)]
