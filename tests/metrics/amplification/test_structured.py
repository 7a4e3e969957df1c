"""Structured outputs: by hand, against all outputs tried one by one, and against a literal transcription of RBA."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from tests.metrics.amplification import structures
from tests.refusals import refused

from herbarium.decisions import lagrangian
from herbarium.decisions.lagrangian import OWN, PAPER, RELEASED
from herbarium.metrics.amplification import crf, structured
from herbarium.metrics.amplification.score import violations
from herbarium.metrics.amplification.structured import ManyObjects, OneActivity, Scenes, Situations

RATE, MARGIN = np.array([0.3, 0.8]), 0.1


def same(first, second):
    return all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def test_one_activity_by_hand():
    agent = np.array([[[0, 1, -np.inf], [2, 0, 0]], [[0, 0, 1.0], [-np.inf, -np.inf, 0]]])
    field = OneActivity(np.array([[1.0, 0], [0, 0]]), agent, np.array([0, 1]))
    assert same(field.best(), ([0, 0], [1, 2]))  # a tie of (0, woman) and (1, man), the first is taken; then neither
    assert field.scores(field.best()).tolist() == [2, 1]
    e = math.e
    assert field.log_z() == pytest.approx([math.log(e + e**2 + e**2 + 1 + 1), math.log(1 + 1 + e + 1)])
    man, woman = field.expected()
    assert man[0] == pytest.approx(np.array([e, e**2]) / (e + 2 * e**2 + 2))
    assert woman[1] == pytest.approx(np.array([1, 0]) / (3 + e))
    charged = field.charged(np.array([0.0, 0.5]), np.array([1.5, 0]))
    assert same(charged.best(), ([1, 0], [0, 2]))
    assert field.agent[0, 0, 1] == 1  # as it was


def test_many_objects_by_hand():
    objects = np.array([[[[2.0, 0], [0, 1]], [[0, 1], [0, 0]]]])
    field = ManyObjects(np.array([[0.0, 1]]), objects, np.array([0, 1]))
    assert same(field.best(), ([True], [[True, False]]))  # 0 + 2 + 1 against 1 + 1 + 0
    assert field.scores(field.best()).tolist() == [3]
    charged = field.charged(np.array([1.5, 0]), np.array([0, -1.0]))
    assert same(charged.best(), ([False], [[False, True]]))  # 0 + .5 + 1 against 1 + 1 + 1
    even = ManyObjects(np.zeros((1, 2)), np.zeros((1, 2, 1, 2)), np.array([0]))
    assert same(even.best(), ([False], [[False]]))  # as in the released code
    man, woman = even.expected()
    assert man.tolist() == woman.tolist() == [[0.25]]


def test_rates_of_labels_by_hand():
    labels = Situations(np.array([0, 0, 0, 0, 2, 1, 1]), np.array([0, 0, 1, 2, 0, 1, 1]))
    rates = labels.counted(np.array([0, 1, 3])).rates()
    np.testing.assert_array_equal(rates, [2 / 3, 0, np.nan])
    assert violations(rates, np.array([0.6, 0.1, 0.5]), 0.07) == 1
    assert violations(np.array([0.55]), np.array([0.5]), 0.05) == 0  # the edge of the margin
    scenes = Scenes(np.array([True, True, False]), np.array([[1, 0], [1, 1], [1, 0]], bool))
    assert scenes.counted(np.array([0, 1])).rates() == pytest.approx([2 / 3, 1])


@pytest.mark.parametrize("shape", structures.SHAPES)
def test_decisions_and_expected_counts_against_all_outputs_one_by_one(shape):
    field = shape(1)
    man, woman = field.expected()
    best, chosen = field.best(), []
    for i in range(12):
        all_of = list(structures.outputs(field, i))
        z = sum(math.exp(score) for score, *_ in all_of)
        assert field.log_z()[i] == pytest.approx(math.log(z), rel=1e-12)
        for side, expected in enumerate((man, woman)):
            for k in range(2):
                p = sum(math.exp(score) for score, kinds, _ in all_of if k in kinds[side]) / z
                assert expected[i, k] == pytest.approx(p, abs=1e-12)
        chosen.append(max(all_of, key=lambda output: output[0]))
    assert same(best, structures.as_output(field, [output for *_, output in chosen]))
    assert field.scores(best) == pytest.approx([score for score, *_ in chosen])
    for side, counted in enumerate(best.counted(field.constrained)):
        assert counted.tolist() == [[k in kinds[side] for k in range(2)] for _, kinds, _ in chosen]


def literal_rba(field, variant, step, iterations):
    """Instance by instance and output by output, Eqs. 5.4 and 5.5; of RELEASED only what the current best output counts
    as is charged. The objective and the violations along the way, and the last outputs."""
    n = len(field.log_z())
    a_upper = [{0: 1 - b - MARGIN, 1: -(b + MARGIN)} for b in RATE]
    a_lower = [{0: b - MARGIN - 1, 1: b - MARGIN} for b in RATE]
    upper, lower = [0.0, 0.0], [0.0, 0.0]
    current = [max(structures.outputs(field, i), key=lambda output: output[0]) for i in range(n)]
    path = []
    for iteration in range(iterations + 1):
        new = []
        for i in range(n):
            best = None
            for output in structures.outputs(field, i):
                score, kinds, _ = output
                for side in (0, 1):
                    for k in kinds[side]:
                        if variant == RELEASED and k not in current[i][1][side]:
                            continue
                        score -= upper[k] * a_upper[k][side] + lower[k] * a_lower[k][side]
                if best is None or score > best[0]:
                    best = (score, output)
            new.append(best[1])
        current = new
        counts = [[sum(k in kinds[side] for _, kinds, _ in current) for k in (0, 1)] for side in (0, 1)]
        sums = [[sum(a[k][side] * counts[side][k] for side in (0, 1)) for k in (0, 1)] for a in (a_upper, a_lower)]
        violated = sum(max(of_bound[k] for of_bound in sums) > 1e-9 for k in (0, 1))
        path.append((violated, sum(score for score, *_ in current)))
        if not violated or iteration == iterations:
            break
        upper, lower = (
            [max(0.0, multiplier + step * amount) for multiplier, amount in zip(of_bound, amounts, strict=True)]
            for of_bound, amounts in zip((upper, lower), sums, strict=True)
        )
    return path, structures.as_output(field, [output for *_, output in current])


@pytest.mark.parametrize("shape", structures.SHAPES)
@pytest.mark.parametrize("variant", [PAPER, RELEASED])
def test_the_loop_against_a_literal_transcription(shape, variant):
    iterations = set()
    for seed in range(4):
        field = shape(seed)
        infer = structured.inference(field, variant == RELEASED)
        result = lagrangian.solve(infer, RATE, MARGIN, variant, step=0.07, iterations=12)
        path, output = literal_rba(field, variant, 0.07, 12)
        assert result.violations.tolist() == [violated for violated, _ in path]
        assert result.objective == pytest.approx([objective for _, objective in path])
        assert same(result.output, output)
        iterations.add(len(path))
    assert max(iterations) > 3


def test_the_released_code_is_not_the_published_algorithm():
    field = structures.one_activity(0, n=60)
    paper, released = (
        lagrangian.solve(structured.inference(field, variant == RELEASED), RATE, MARGIN, variant, iterations=8)
        for variant in (PAPER, RELEASED)
    )
    assert not same(paper.output, released.output)


@pytest.mark.parametrize("shape", structures.SHAPES)
def test_the_dual_by_enumeration_and_its_gradient(shape):
    field = shape(2)
    multipliers = np.random.default_rng(0).uniform(0, 1, (2, 2))
    total = 0.0
    for i in range(12):
        z, charged = 0.0, 0.0
        for score, kinds, _ in structures.outputs(field, i):
            phi = 0.0
            for k, b in enumerate(RATE):
                if k in kinds[0]:
                    phi += multipliers[0, k] * (1 - b - MARGIN) + multipliers[1, k] * (-1 + b - MARGIN)
                if k in kinds[1]:
                    phi += multipliers[0, k] * (-b - MARGIN) + multipliers[1, k] * (b - MARGIN)
            z += math.exp(score)
            charged += math.exp(score - phi)
        total -= math.log(charged / z)
    value, gradient = structured.dual(field, RATE, MARGIN, multipliers)
    assert value == pytest.approx(total, rel=1e-10)
    slopes = optimize.approx_fprime(
        multipliers.ravel(), lambda flat: structured.dual(field, RATE, MARGIN, flat.reshape(2, 2))[0]
    )
    np.testing.assert_allclose(gradient.ravel(), slopes, atol=1e-5)


@pytest.mark.parametrize("shape", structures.SHAPES)
def test_expected_rates_of_the_posterior_are_within_the_margin_where_decisions_may_not_be(shape):
    left = 0
    for seed in range(4):
        field = shape(seed, n=80)
        before = field.expected().rates()
        q = structured.regularised(field, RATE, 0.02)
        after = q.expected().rates()
        was_outside = np.abs(before - RATE) > 0.02
        assert was_outside.any()
        np.testing.assert_allclose(np.abs(after - RATE)[was_outside], 0.02, atol=1e-4)
        left += violations(q.best().counted(q.constrained).rates(), RATE, 0.02)
    assert left > 3


def test_the_posterior_of_what_meets_the_constraints_is_the_model():
    field = structures.one_activity(3)
    q = structured.regularised(field, field.expected().rates(), 0.05)
    np.testing.assert_array_equal(q.agent, field.agent)


def best_by_enumeration(field):
    result = -np.inf
    for outputs in itertools.product(*(list(structures.outputs(field, i)) for i in range(len(field.activity)))):
        men, women = ([sum(k in kinds[side] for _, kinds, _ in outputs) for k in (0, 1)] for side in (0, 1))
        if all(b - MARGIN <= m / (m + w) <= b + MARGIN for b, m, w in zip(RATE, men, women, strict=True) if m + w):
            result = max(result, sum(score for score, *_ in outputs))
    return result


def test_the_optimum_is_the_best_of_all_outputs():
    for seed in range(3):
        field = structures.one_activity(seed, n=5, v=2)
        result = structured.optimum(field, RATE, MARGIN)
        wanted = best_by_enumeration(field)
        assert field.scores(result).sum() == pytest.approx(wanted, abs=1e-9)
        assert violations(result.counted(field.constrained).rates(), RATE, MARGIN) == 0
        assert wanted - 1e-9 <= structured.bound(field, RATE, MARGIN) <= field.scores(field.best()).sum() + 1e-9


@settings(max_examples=10)
@given(seed=st.integers(0, 10_000), margin=st.sampled_from([0.05, 0.2]))
def test_the_optimum_is_never_beaten(seed, margin):
    field = structures.one_activity(seed, n=25)
    result = structured.optimum(field, RATE, margin)
    best = field.scores(result).sum()
    assert violations(result.counted(field.constrained).rates(), RATE, margin) == 0
    assert best <= structured.bound(field, RATE, margin) + 1e-6
    others = [structured.regularised(field, RATE, margin).best()]
    for variant in (PAPER, RELEASED, OWN):
        infer = structured.inference(field, variant == RELEASED)
        others.append(lagrangian.solve(infer, RATE, margin, variant).output)
    for output in others:
        if violations(output.counted(field.constrained).rates(), RATE, margin) == 0:
            assert field.scores(output).sum() <= best + 1e-6


def test_where_no_outputs_meet_the_constraints():
    only_men = np.full((3, 1, 3), -np.inf)
    only_men[..., 0] = 0
    field = OneActivity(np.zeros((3, 1)), only_men, np.array([0]))
    for way in (structured.optimum, structured.bound):
        with refused(None, "constraints"):
            way(field, np.array([0.5]), 0.1)


def test_our_own_relaxation_comes_near_the_optimum_of_planted_data():
    random = np.random.default_rng(0)
    training, test = (crf.draw(crf.DESIGN, 1500, random) for _ in range(2))
    field = crf.potentials(crf.planted(crf.DESIGN), test.features)
    rate = training.labels.counted(field.constrained).rates()
    result = lagrangian.solve(structured.inference(field), rate, 0.05, OWN)
    assert result.violations.min() <= result.violations[0] / 2
    unconstrained, most = field.scores(field.best()).sum(), structured.bound(field, rate, 0.05)
    assert unconstrained - result.objective[result.iteration] < 2 * (unconstrained - most)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"agent": np.zeros((2, 3, 2))}, ("agent", "(2, 3, 3)", "(2, 3, 2)")),
        ({"activity": np.array([[0, np.nan, 0], [0, 0, 0]])}, ("potentials", "-inf")),
        ({"agent": np.full((2, 3, 3), np.inf)}, ("potentials", "-inf")),
        ({"agent": np.full((2, 3, 3), -np.inf)}, ("instance", "output")),
    ],
)
def test_potentials_of_one_activity_that_are_none(changed, fault):
    parts = {"activity": np.zeros((2, 3)), "agent": np.zeros((2, 3, 3)), "constrained": np.arange(3)}
    with refused(None, *fault, kind=ValueError):
        OneActivity(**parts | changed)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"gender": np.zeros((2, 3))}, ("gender", "(n, 2)", "(2, 3)")),
        ({"objects": np.zeros((2, 2, 3))}, ("objects", "(n, 2, V, 2)", "(2, 2, 3)")),
        ({"gender": np.array([[0, 0], [0, -np.inf]])}, ("potentials", "finite")),
    ],
)
def test_potentials_of_many_objects_that_are_none(changed, fault):
    parts = {"gender": np.zeros((2, 2)), "objects": np.zeros((2, 2, 3, 2)), "constrained": np.arange(3)}
    with refused(None, *fault, kind=ValueError):
        ManyObjects(**parts | changed)
