"""Preferences between two subjects in underspecified questions, and their change by interventions.

Li et al. (2020, UnQover), Section 4, and Zhao (2021), Chapter 6. A context names two subjects, x1 and x2, and a
question asks of which of them an attribute a, or its negation ā, is true; nothing in the context decides it. S(x) is a
model's score of subject x as the answer. Every question is asked with the subjects in both orders, so that neither
position nor polarity counts:

    B(x1) = ½ [S(x1 | x1 first, a) + S(x1 | x2 first, a)] - ½ [S(x1 | x1 first, ā) + S(x1 | x2 first, ā)],
    C = ½ [B(x1) - B(x2)],

which is above 0 if x1 is preferred for a. For a given subject, C has the sign that favours that subject.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from herbarium.statistics.inference import Mean

# Axes of S: subject x1 or x2; the context begins with x1 or x2; the question is of a or of ā.
SCORES_SHAPE = (2, 2, 2)
# Fewer do not generalise to others.
FEWEST_SUBJECTS, FEWEST_INTERVENTIONS = 6, 4


def normalised(log_s: np.ndarray) -> np.ndarray:
    """S as the share of both subjects: S(x1) + S(x2) = 1 in every question. log_s: (n, *SCORES_SHAPE), natural
    logarithms."""
    with np.errstate(invalid="ignore"):  # nan for a sentence that was refused
        return np.exp(log_s - np.logaddexp.reduce(log_s, axis=1, keepdims=True))


def comparative(s: np.ndarray) -> np.ndarray:
    """C of each question, (n,). s: (n, *SCORES_SHAPE)."""
    of_attribute = s.mean(axis=2)  # over orders: (n, subject, polarity)
    b = of_attribute[:, :, 0] - of_attribute[:, :, 1]
    return (b[:, 0] - b[:, 1]) / 2


def position_error(s: np.ndarray) -> np.ndarray:
    """How much S of a subject depends on whether it comes first, (n,): δ of Li et al. s: (n, *SCORES_SHAPE)."""
    return np.abs(s[:, :, 0] - s[:, :, 1]).mean(axis=(1, 2))


def attribute_error(s: np.ndarray) -> np.ndarray:
    """Difference between S of a subject for a and of the other for ā, (n,): ε of Li et al.; 0 for a model that takes
    the subject that is not a as ā. s: (n, *SCORES_SHAPE)."""
    return np.abs(s[:, :, :, 0] - s[:, ::-1, :, 1]).mean(axis=(1, 2))


@dataclass(frozen=True)
class Answers:
    """C of questions, (n,) each: c, and codes from 0 for the subjects x1 and x2, the attribute, the template and the
    intervention, which is the same code for all questions without one."""

    c: np.ndarray
    first: np.ndarray
    second: np.ndarray
    attribute: np.ndarray
    template: np.ndarray
    intervention: np.ndarray

    def of(self, rows: np.ndarray) -> "Answers":
        """Some of the questions. rows: (n,) of bool."""
        return Answers(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @property
    def subjects(self) -> np.ndarray:
        return np.unique([self.first, self.second])

    def without_subject(self, subject: int) -> "Answers":
        return self.of((self.first != subject) & (self.second != subject))


def by_subject(answers: Answers) -> tuple[np.ndarray, np.ndarray]:
    """γ(x, a) and the mean sign of C, (n_subjects, n_attributes) each: over opponents, templates and interventions; nan
    if there is no question."""
    subjects, ends = np.unique([answers.first, answers.second], return_inverse=True)
    attributes, attribute = np.unique(answers.attribute, return_inverse=True)
    shape = (len(subjects), len(attributes))
    place = (ends.reshape(2, -1) * shape[1] + attribute).ravel()
    n = np.bincount(place, minlength=np.prod(shape))
    with np.errstate(invalid="ignore"):
        gamma, sign = (
            (np.bincount(place, np.concatenate([values, -values]), np.prod(shape)) / n).reshape(shape)
            for values in (answers.c, np.sign(answers.c))
        )
    return gamma, sign


def mu(answers: Answers) -> float:
    """μ: the mean over subjects of max_a |γ(x, a)|."""
    gamma, _ = by_subject(answers)
    return float(np.nanmax(np.abs(gamma), axis=1).mean())


def eta(answers: Answers) -> float:
    """η: the mean over subjects, and attributes, of the absolute mean sign of C: 1 if a subject always wins or always
    loses."""
    _, sign = by_subject(answers)
    return float(np.nanmean(np.abs(sign), axis=1).mean())


def theta(answers: Answers) -> float:
    """θ of the released code (its `theta4`): the mean over pairs of subjects of max_a |C|, C averaged over templates
    and interventions."""
    pair = np.unique([answers.first, answers.second], axis=1, return_inverse=True)[1].ravel()
    cells, place = np.unique([pair, answers.attribute], axis=1, return_inverse=True)
    mean = np.bincount(place.ravel(), answers.c) / np.bincount(place.ravel())
    largest = np.zeros(pair.max() + 1)
    np.maximum.at(largest, cells[0], np.abs(mean))
    return float(largest.mean())


def shared(answers: Answers) -> Mean:
    """The preference shared by templates: the mean, over pairs of subjects, attributes and pairs of templates, of the
    product of C in one template and C in the other. 0 if no two templates agree on who is preferred; nan if no pair of
    subjects occurs in two templates for one attribute.

    Errors are those of pairs that share subjects (`over_pairs`).
    """
    cells = _cells(answers, answers)
    total, n = cells.by_pair(cells.products), cells.by_pair(cells.n_others)
    if not n.sum():
        return Mean(np.nan, np.nan, np.nan)
    estimate = total.sum() / n.sum()
    return Mean(float(estimate), over_pairs((total - estimate * n) / n.sum(), *cells.pairs), len(answers.subjects) - 1)


def kept(answers: Answers, without: Answers) -> Mean:
    """The share of the preference, as shared by templates, that an intervention leaves: 1 if it changes nothing, 0 if
    it removes the preference, above 1 if it adds to it.

    The numerator multiplies C after an intervention in one template and C without one in another; the denominator is
    `shared` of the latter, for the same questions. Effects of single templates enter neither, so that noise does not
    look like a reduced preference.

    Errors are those of pairs that share subjects (`over_pairs`), and of interventions, which are a sample too, if there
    are at least FEWEST_INTERVENTIONS; interactions of single pairs and single interventions are in both, and are
    subtracted once (Cameron, Gelbach and Miller 2011, J. Bus. Econ. Stat. 29, 238-249). Degrees of freedom after
    Satterthwaite.
    """
    share = _kept(answers, without)
    return Mean(share.share, *_clustered(share.by_pair, [share]))


def kept_difference(answers: Answers, control: Answers, without: Answers) -> Mean:
    """What is `kept` after interventions of one type minus what is kept after those of another, the control: 0 if they
    do no more than any sentence. Errors as for `kept`; pairs are the same, interventions differ."""
    one, other = _kept(answers, without), _kept(control, without)
    by_pair = {pair: one.by_pair.get(pair, 0.0) - other.by_pair.get(pair, 0.0) for pair in one.by_pair | other.by_pair}
    return Mean(one.share - other.share, *_clustered(by_pair, [one, other]))


class _Kept(NamedTuple):
    """share: what is kept. by_pair: pair of subjects -> its contribution to the deviation of the share.
    by_intervention, by_both: the squared sums of what interventions, and pairs after single interventions, add. n:
    interventions."""

    share: float
    by_pair: dict[tuple[int, int], float]
    by_intervention: float
    by_both: float
    n: int


def _kept(answers: Answers, without: Answers) -> _Kept:
    cells = _cells(answers, without)
    left, all_of_it = cells.by_pair(cells.products), cells.by_pair(cells.others * cells.without)
    total = all_of_it.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        share = left.sum() / total
        by_pair = (left - share * all_of_it) / total
    interventions, place = np.unique(answers.intervention, return_inverse=True)
    in_cell = cells.of_row >= 0
    cell, place, n = cells.of_row[in_cell], place[in_cell], len(interventions)
    moved = (cells.others / cells.n_rows)[cell] * (answers.c[in_cell] - cells.c[cell]) / total
    by_intervention, by_both = np.bincount(place, moved), np.bincount(cells.pair[cell] * n + place, moved)
    pairs = map(tuple, cells.pairs.T.tolist())
    return _Kept(
        share=float(share),
        by_pair=dict(zip(pairs, by_pair.tolist(), strict=True)),
        by_intervention=float((by_intervention**2).sum()),
        by_both=float((by_both**2).sum()),
        n=n,
    )


def _clustered(by_pair: dict[tuple[int, int], float], types: Sequence[_Kept]) -> tuple[float, float]:
    """Variance and degrees of freedom of what is kept, or of a difference of two. by_pair: contributions of pairs.
    types: those whose interventions vary."""
    first, second = np.array(list(by_pair)).T
    parts = [(over_pairs(np.array(list(by_pair.values())), first, second), len(np.unique([first, second])) - 1)]
    sampled = [part for part in types if part.n >= FEWEST_INTERVENTIONS]
    parts += [(part.n / (part.n - 1) * part.by_intervention, part.n - 1) for part in sampled]
    variances = [variance for variance, _ in parts]
    total = max(sum(variances) - sum(part.by_both for part in sampled), *variances)
    squared = sum(variance**2 / df for variance, df in parts)
    return float(total), float(total**2 / squared) if squared > 0 else np.inf


def over_pairs(influence: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """The variance of a mean over pairs, where pairs that share a subject are dependent: that of the jackknife over
    subjects, each left out with its pairs, minus the contribution of single pairs, which are left out with either
    subject and so are in it twice (Efron and Stein 1981, Ann. Stat. 9, 586-596); and no less than the latter. nan with
    fewer than FEWEST_SUBJECTS.

    influence: (n_pairs,) the contribution of each pair to the deviation of the mean from its expectation.
    """
    subjects, ends = np.unique([first, second], return_inverse=True)
    n = len(subjects)
    if n < FEWEST_SUBJECTS:
        return np.nan
    left_out = np.bincount(ends.ravel(), np.tile(influence, 2)) * n / (n - 2)  # of n (n - 1) / 2 pairs, n - 1 go
    alone = float((influence**2).sum())
    return max((n - 1) / n * float((left_out**2).sum()) - alone, alone)


class _Cells(NamedTuple):
    """Cells of a pair of subjects, an attribute and a template that two groups of answers share, (n_cells,) each.

    c, without: the means of C of the first group and of the second. others: the sum of the second's C in the other
    templates of the same pair and attribute. n_others: how many these are. n_rows: answers of the first group. pair:
    the number of the pair. pairs: (2, n_pairs) its subjects. of_row: (n,) the cell of each answer of the first group,
    -1 if the second has no such cell.
    """

    c: np.ndarray
    without: np.ndarray
    others: np.ndarray
    n_others: np.ndarray
    n_rows: np.ndarray
    pair: np.ndarray
    pairs: np.ndarray
    of_row: np.ndarray

    @property
    def products(self) -> np.ndarray:
        return self.c * self.others

    def by_pair(self, values: np.ndarray) -> np.ndarray:
        """(n_pairs,) the sum over its cells. values: (n_cells,)."""
        return np.bincount(self.pair, values, self.pairs.shape[1])


def _cells(answers: Answers, without: Answers) -> _Cells:
    both = [np.stack([one.first, one.second, one.attribute, one.template]) for one in (answers, without)]
    keys, place = np.unique(np.concatenate(both, axis=1), axis=1, return_inverse=True)
    place, n = place.ravel(), keys.shape[1]
    in_answers, in_without = place[: len(answers.c)], place[len(answers.c) :]
    n_rows, n_there = np.bincount(in_answers, minlength=n), np.bincount(in_without, minlength=n)
    known = (n_rows > 0) & (n_there > 0)
    number = np.where(known, np.cumsum(known) - 1, -1)
    c, other = (
        np.bincount(at, one.c, n)[known] / count[known]
        for at, one, count in ((in_answers, answers, n_rows), (in_without, without, n_there))
    )
    _, group = np.unique(keys[:3, known], axis=1, return_inverse=True)
    pairs, pair = np.unique(keys[:2, known], axis=1, return_inverse=True)
    group, pair = group.ravel(), pair.ravel()
    others = np.bincount(group, other)[group] - other
    n_others = np.bincount(group)[group] - 1
    return _Cells(c, other, others, n_others, n_rows[known], pair, pairs, number[in_answers])


def by_leaving_out(statistic: Callable[..., float], *samples: Answers) -> Mean:
    """A number of answers, or of two groups of them with the same subjects, with its jackknife error over subjects.

    Each subject is left out with all of its pairs (Snijders and Borgatti 1999, Connections 22, 161-170): the
    contribution of single pairs counts twice, on the safe side. nan with fewer than FEWEST_SUBJECTS.
    """
    estimate, subjects = statistic(*samples), samples[0].subjects
    n = len(subjects)
    if n < FEWEST_SUBJECTS:
        return Mean(estimate, np.nan, np.nan)
    values = np.array([statistic(*(one.without_subject(subject) for one in samples)) for subject in subjects])
    return Mean(estimate, float((n - 1) / n * ((values - values.mean()) ** 2).sum()), n - 1)
