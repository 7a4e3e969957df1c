"""The permutation null of local group bias: data in which groups are treated equally, and the p-value against them.

What is permuted follows from how texts got their groups:

- Matched: every text stands in both groups, with one region and with another. Chance decides for each text which of the
  two was classified correctly; features, which may differ between the groups, stay.
- Drawn: each text was put into a group at random. Groups are permuted among all texts, as they were drawn.
- Given: a text's group is its own, as a column of the data says. Groups may write about different things, of which some
  are harder to classify than others. So groups are permuted among texts of the same kind only: of one K-Means cluster,
  which does not depend on groups. The null hypothesis is that among texts of a kind, a text's group says nothing about
  whether it is classified correctly. Kinds are not those of one class: a classifier that gives all texts of a kind the
  same label is right more often for the group that has this label more often, and this is a gap.
"""

import numpy as np

from herbarium.metrics.local_group_bias.score import kinds


def matched(
    group: np.ndarray, correct: np.ndarray, pair: np.ndarray, permutations: int, random: np.random.Generator
) -> np.ndarray:
    """(permutations, n) kinds in which the two instances of a pair exchange their outcomes, or not.

    group, correct: (n,). pair: (n,) numbers of pairs, of one instance of each group.
    """
    first, second = np.lexsort([group, pair]).reshape(-1, 2).T
    swapped = random.random((permutations, len(first))) < 0.5
    drawn = np.broadcast_to(correct, (permutations, len(correct))).copy()
    drawn[:, first] = np.where(swapped, correct[second], correct[first])
    drawn[:, second] = np.where(swapped, correct[first], correct[second])
    return kinds(np.broadcast_to(group, drawn.shape), drawn)


def free(group: np.ndarray, correct: np.ndarray, permutations: int, random: np.random.Generator) -> np.ndarray:
    """(permutations, n) kinds in which groups are permuted among all instances. group, correct: (n,)."""
    drawn = np.stack([random.permutation(group) for _ in range(permutations)])
    return kinds(drawn, np.broadcast_to(correct, drawn.shape))


def within(
    group: np.ndarray, correct: np.ndarray, stratum: np.ndarray, permutations: int, random: np.random.Generator
) -> np.ndarray:
    """(permutations, n) kinds in which groups are permuted among the instances of each stratum. All (n,)."""
    drawn = np.empty((permutations, len(group)), dtype=np.int8)
    in_strata = np.argsort(stratum, kind="stable")
    for row in drawn:
        row[in_strata] = group[np.lexsort([random.random(len(group)), stratum])]
    return kinds(drawn, np.broadcast_to(correct, drawn.shape))


def p_value(observed: float, null: np.ndarray) -> float:
    """One-sided, (1 + as high under the null) / (1 + permutations); nan if nothing was observed.

    null: (permutations,); nan if no cluster was large enough to be reported, so that no gap was found.
    """
    if np.isnan(observed):
        return np.nan
    return float((1 + (null >= observed).sum()) / (1 + len(null)))
