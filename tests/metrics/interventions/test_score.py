"""Preferences between subjects against a slow literal transcription, hand-computed toys and invariants."""

import itertools
from collections import defaultdict
from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from herbarium.metrics.interventions import score
from herbarium.metrics.interventions.score import Answers

RANDOM = np.random.default_rng(7)


def scores(n=1, random=RANDOM):
    """S of questions, (n, subject, order, polarity)."""
    return random.uniform(0.01, 0.99, (n, *score.SCORES_SHAPE))


def design(subjects, attributes, templates, interventions=1):
    """The places of all answers of a crossed design: first, second, attribute, template, intervention."""
    pairs = list(itertools.combinations(range(subjects), 2))
    places = itertools.product(pairs, range(attributes), range(templates), range(interventions))
    return np.array([(*pair, *rest) for pair, *rest in places]).T


def answers(c, *parts):
    return Answers(np.asarray(c, dtype=float), *parts)


def drawn(*parts, random=RANDOM):
    places = design(*parts)
    return answers(random.normal(size=places.shape[1]), *places)


def literal_comparative(s):
    """Li et al. (2020), Section 4, term by term. s: one question."""
    of_x1 = 0.5 * (s[0, 0, 0] + s[0, 1, 0]) - 0.5 * (s[0, 0, 1] + s[0, 1, 1])
    of_x2 = 0.5 * (s[1, 0, 0] + s[1, 1, 0]) - 0.5 * (s[1, 0, 1] + s[1, 1, 1])
    return 0.5 * (of_x1 - of_x2)


def literal_errors(s):
    """Position error as |S(x|x first) - S(x|x second)|, attribute error as |S(x1|a) - S(x2|ā)|, averaged as the
    released analysis does over all four of a question."""
    position = [abs(s[x, 0, q] - s[x, 1, q]) for x in (0, 1) for q in (0, 1)]
    attribute = [abs(s[x, order, 0] - s[1 - x, order, 1]) for x in (0, 1) for order in (0, 1)]
    return sum(position) / 4, sum(attribute) / 4


def literal_numbers(given_answers):
    """μ, η and θ as the released analysis adds them up, dictionary by dictionary."""
    by_subject, by_pair = {}, {}
    for c, first, second, attribute, *_ in zip(*astuple(given_answers), strict=True):
        by_subject.setdefault(first, {}).setdefault(attribute, []).append(c)
        by_subject.setdefault(second, {}).setdefault(attribute, []).append(-c)
        by_pair.setdefault((first, second), {}).setdefault(attribute, []).append(c)
    mu, eta = [], []
    for row in by_subject.values():
        mu.append(max(abs(sum(v) / len(v)) for v in row.values()))
        eta.append(np.mean([abs(sum(np.sign(p) for p in v) / len(v)) for v in row.values()]))
    theta = [max(abs(np.mean(v)) for v in row.values()) for row in by_pair.values()]
    return np.mean(mu), np.mean(eta), np.mean(theta)


def literal_shared(given_answers):
    """The product of C in one template and in another, over all pairs of these, one by one."""
    cells = {}
    for c, *place, _ in zip(*astuple(given_answers), strict=True):
        cells.setdefault(tuple(place), []).append(c)
    means = {place: np.mean(values) for place, values in cells.items()}
    products = [
        one * other
        for (place, one), (place2, other) in itertools.product(means.items(), means.items())
        if place[:3] == place2[:3] and place[3] != place2[3]
    ]
    return np.mean(products) if products else np.nan


def test_every_question_as_the_paper_has_it():
    s = scores(40)
    np.testing.assert_allclose(score.comparative(s), [literal_comparative(question) for question in s], atol=1e-15)
    position, attribute = zip(*map(literal_errors, s), strict=True)
    np.testing.assert_allclose(score.position_error(s), position, atol=1e-15)
    np.testing.assert_allclose(score.attribute_error(s), attribute, atol=1e-15)


@pytest.mark.parametrize(
    ("sizes", "share"), [((5, 3, 2, 4), 1), ((2, 1, 1, 1), 1), ((7, 2, 3, 1), 1), ((6, 3, 3, 3), 0.4)]
)
def test_numbers_as_the_released_code_adds_them_up(sizes, share):
    """Also of a sample, as in the authors' files: not every pair in every template."""
    result = drawn(*map(int, sizes))
    result = result.of(RANDOM.random(len(result.c)) < share)
    ours = score.mu(result), score.eta(result), score.theta(result)
    np.testing.assert_allclose(ours, literal_numbers(result), rtol=1e-12)
    np.testing.assert_allclose(score.shared(result).estimate, literal_shared(result), rtol=1e-12)
    turned = replace(result, c=-result.c, first=result.second, second=result.first)  # whichever is called the first
    np.testing.assert_allclose([score.mu(turned), score.eta(turned)], ours[:2])


def test_by_hand():
    """Two subjects, one attribute: the first is chosen with .9 for a, with .2 for ā, in either order."""
    s = np.zeros((1, 2, 2, 2))
    s[0, 0] = [[0.9, 0.2], [0.9, 0.2]]
    s[0, 1] = 1 - s[0, 0]
    assert score.comparative(s) == pytest.approx([0.7])
    assert score.position_error(s) == pytest.approx([0])
    assert score.attribute_error(s) == pytest.approx([0.1])  # |.9 - .8|, |.1 - .2|
    given_answers = answers([0.7, 0.5], *np.array([[0, 0], [1, 1], [0, 0], [0, 1], [0, 0]]))
    assert score.mu(given_answers) == pytest.approx(0.6)
    assert (score.eta(given_answers), score.theta(given_answers)) == (1, pytest.approx(0.6))
    assert score.shared(given_answers).estimate == pytest.approx(0.35)


@given(st.integers(0, 10_000))
def test_neither_place_nor_polarity_nor_the_frequency_of_a_name_is_a_preference(seed):
    random = np.random.default_rng(seed)
    s = scores(3, random)
    c = score.comparative(s)
    place, polarity, name = random.normal(size=(3, 2))
    shifted = s + place[None, None, :, None] + polarity[None, None, None, :] + name[None, :, None, None]
    np.testing.assert_allclose(score.comparative(shifted), c, atol=1e-12)


@given(st.integers(0, 10_000))
def test_the_other_way_round(seed):
    s = scores(3, np.random.default_rng(seed))
    c = score.comparative(s)
    np.testing.assert_allclose(score.comparative(s[:, ::-1]), -c, atol=1e-15)  # x1 is x2
    np.testing.assert_allclose(score.comparative(s[..., ::-1]), -c, atol=1e-15)  # a is ā
    np.testing.assert_allclose(score.comparative(s[:, :, ::-1]), c, atol=1e-15)  # the order of the contexts


@given(st.integers(0, 10_000))
def test_normalised_scores_add_up_to_one(seed):
    log_s = np.random.default_rng(seed).normal(-300, 50, (4, *score.SCORES_SHAPE))
    s = score.normalised(log_s)
    np.testing.assert_allclose(s.sum(axis=1), 1)
    assert (np.abs(score.comparative(s)) <= 1).all()
    np.testing.assert_allclose(score.normalised(log_s + 7.0), s, rtol=1e-9)


@pytest.mark.parametrize("factor", [0.0, 0.3, 1.0, 2.0])
def test_of_preferences_that_are_multiplied_that_much_is_kept(factor):
    without = drawn(5, 3, 3)
    places = design(5, 3, 3, 4)
    c = dict(zip(zip(*design(5, 3, 3)[:4], strict=True), without.c, strict=True))
    given_answers = answers([factor * c[place] for place in zip(*places[:4], strict=True)], *places)
    assert score.kept(given_answers, without).estimate == pytest.approx(factor)
    # an attribute that no intervention is about is in neither part of what is kept
    assert score.kept(without.of(without.attribute == 0), without).estimate == pytest.approx(1)
    assert np.isnan(score.shared(drawn(5, 2, 1)).estimate)  # one template shares nothing


def test_what_templates_do_not_share_is_not_kept_and_not_shared():
    """Noise that an intervention adds, or takes away, changes neither in expectation."""
    random = np.random.default_rng(3)
    shared, kept = [], []
    for _ in range(100):
        stable = random.normal(size=(6, 2))
        first, second, attribute, *rest = design(6, 2, 4)
        c = stable[first, attribute] - stable[second, attribute]
        without, given_answers = (
            answers(c + random.normal(size=len(c)), first, second, attribute, *rest) for _ in range(2)
        )
        noise = answers(random.normal(size=len(c)), first, second, attribute, *rest)
        shared.append(score.shared(noise).estimate)
        kept.append(score.kept(given_answers, without).estimate)
    assert np.mean(shared) == pytest.approx(0, abs=4 * np.std(shared) / 100**0.5)
    assert np.median(kept) == pytest.approx(1, abs=0.1)


def test_a_jackknife_over_subjects():
    """Of a mean of C over pairs it is that of leaving each subject out, computed here by hand."""
    given_answers = drawn(6, 1, 2, 4)
    others = [(given_answers.first != x) & (given_answers.second != x) for x in range(6)]
    values = np.array([given_answers.c[of].mean() for of in others])
    result = score.by_leaving_out(lambda table: float(table.c.mean()), given_answers)
    assert result.estimate == pytest.approx(given_answers.c.mean())
    assert result.variance == pytest.approx(5 / 6 * ((values - values.mean()) ** 2).sum())
    assert result.df == 5
    few = drawn(3, 2, 2)  # too few subjects for an error
    for side in (score.by_leaving_out(score.mu, few), score.shared(few), score.kept(few, few)):
        assert np.isfinite(side.estimate)
        assert np.isnan(side.variance)


def test_pairs_with_a_subject_in_common_go_together():
    """Of a mean over all pairs it is the jackknife over subjects, with what single pairs have once."""
    first, second = np.array(list(itertools.combinations(range(6), 2))).T
    values = RANDOM.normal(size=len(first)) + RANDOM.normal(size=6)[first]
    left = np.array([values[(first != x) & (second != x)].mean() for x in range(6)])
    jackknife = 5 / 6 * ((left - values.mean()) ** 2).sum()
    influence = (values - values.mean()) / len(values)
    alone = (influence**2).sum()
    assert score.over_pairs(influence, first, second) == pytest.approx(max(jackknife - alone, alone))


@pytest.mark.parametrize(
    ("of_subjects", "of_pairs", "most"),
    # of pairs alone it is too large, as it never falls below what they have by themselves
    [(1.0, 0.0, 1.15), (0.0, 1.0, 1.6), (1.0, 1.0, 1.15)],
)
def test_the_error_of_a_mean_over_pairs_is_that_of_drawing_subjects_anew(of_subjects, of_pairs, most):
    random, n = np.random.default_rng(5), 10
    first, second = np.array(list(itertools.combinations(range(n), 2))).T
    means, variances = [], []
    for _ in range(2000):
        subjects = of_subjects * random.normal(size=n)
        values = subjects[first] + subjects[second] + of_pairs * random.normal(size=len(first))
        means.append(values.mean())
        variances.append(score.over_pairs((values - values.mean()) / len(values), first, second))
    assert 0.87 < np.mean(variances) / np.var(means) < most


def test_errors_of_what_is_kept_by_hand():
    """Clustered by pairs with common subjects and by interventions, both; each part added up answer by answer."""
    without, places = drawn(6, 2, 2), design(6, 2, 2, 4)
    given_answers = answers(RANDOM.normal(size=places.shape[1]), *places)
    before = dict(zip(zip(*design(6, 2, 2)[:4], strict=True), without.c, strict=True))
    left, whole, of_intervention, of_both = (defaultdict(float) for _ in range(4))
    mean = defaultdict(list)
    for c, *place, _ in zip(given_answers.c, *places, strict=True):
        mean[tuple(place)].append(c)
    for (x, y, a, t), values in mean.items():
        other = before[x, y, a, 1 - t]
        left[x, y] += np.mean(values) * other
        whole[x, y] += before[x, y, a, t] * other
        for i, c in enumerate(values):
            moved = other * (c - np.mean(values)) / 4
            of_intervention[i] += moved
            of_both[x, y, i] += moved
    total = sum(whole.values())
    share = sum(left.values()) / total
    influence = np.array([(left[pair] - share * whole[pair]) / total for pair in left])
    pairs = score.over_pairs(influence, *np.array(list(left)).T)
    interventions = 4 / 3 * sum(value**2 for value in of_intervention.values()) / total**2
    both = sum(value**2 for value in of_both.values()) / total**2
    result = score.kept(given_answers, without)
    assert result.estimate == pytest.approx(share)
    assert result.variance == pytest.approx(max(pairs + interventions - both, pairs, interventions))
    # of a difference interventions are others, pairs are the same: what pairs add to both cancels
    other = answers(RANDOM.normal(size=places.shape[1]), *places)
    difference = score.kept_difference(given_answers, other, without)
    assert difference.estimate == pytest.approx(share - score.kept(other, without).estimate)
    same = score.kept_difference(given_answers, given_answers, without)
    assert same.estimate == 0
    assert same.variance == pytest.approx(max(2 * interventions - 2 * both, interventions))
