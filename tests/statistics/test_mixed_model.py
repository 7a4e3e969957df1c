"""The engine of mixed models against the REML criterion as printed, and the coverage of its intervals."""

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

from herbarium.statistics import mixed_model as mm
from herbarium.statistics.inference import percentile_interval

pytestmark = pytest.mark.slow  # fits models in R


def data(n=60, seed=0, sds=(0.5, 1.0), levels=(4, 5), spread=1.0):
    """(x, groups, weights, y) of a model with an intercept, gender, and crossed random intercepts."""
    random = np.random.default_rng(seed)
    groups = [np.concatenate([np.arange(m), random.integers(m, size=n - m)]) for m in levels]
    x = np.column_stack([np.ones(n), np.arange(n) % 2])
    weights = random.lognormal(-2, spread, size=n)
    y = x @ [0.3, 0.5] + random.normal(size=n) / np.sqrt(weights) / 3
    y += sum(sd * random.normal(size=m)[codes] for sd, m, codes in zip(sds, levels, groups, strict=True))
    return x, groups, weights, y


def criterion(theta, x, groups, weights, y):
    """-2 log restricted likelihood at the best sigma, and beta, its covariance and sigma: dense, as in any textbook."""
    n, p = x.shape
    V = np.diag(1 / weights)
    for value, codes in zip(theta, groups, strict=True):
        V += value**2 * (codes[:, None] == codes)
    inverse = np.linalg.inv(V)
    information = x.T @ inverse @ x
    beta = np.linalg.solve(information, x.T @ inverse @ y)
    left = y - x @ beta
    variance = left @ inverse @ left / (n - p)
    determinants = np.linalg.slogdet(V)[1] + np.linalg.slogdet(information)[1]
    value = determinants + (n - p) * (1 + np.log(2 * np.pi * variance))
    return value, beta, variance * np.linalg.inv(information), np.sqrt(variance)


def least(x, groups, weights, y):
    """theta at the least criterion, by a search that knows no derivatives."""

    def value(theta):
        return criterion(theta, x, groups, weights, y)[0]

    start = np.full(len(groups), 1 / np.sqrt(weights.mean()))
    options = {"xatol": 1e-9, "fatol": 1e-10, "maxiter": 4000, "maxfev": 4000}
    bounds = [(0, None)] * len(groups)
    return scipy.optimize.minimize(value, start, method="Nelder-Mead", bounds=bounds, options=options).x


@pytest.mark.parametrize(
    "drawn",
    [
        data(),
        data(seed=1, levels=(3,), sds=(0.7,)),
        data(n=90, seed=2, levels=(4, 5, 6), sds=(0.5, 1, 0.3)),
        data(seed=3, spread=2),
        data(seed=4, sds=(30, 20)),
    ],
    ids=["two", "one", "three", "uneven weights", "large"],
)
def test_fit_is_the_minimum_of_the_criterion_as_printed(drawn):
    x, groups, weights, y = drawn
    fit = mm.fit(mm.design(x, groups, weights), y)
    value, beta, covariance, sigma = criterion(fit.theta, x, groups, weights, y)
    assert fit.converged
    assert fit.reml == pytest.approx(value, abs=1e-8)
    np.testing.assert_allclose(fit.beta, beta, rtol=1e-8)
    np.testing.assert_allclose(fit.std_error, np.sqrt(np.diag(covariance)), rtol=1e-8)
    np.testing.assert_allclose(fit.sigma, sigma, rtol=1e-8)
    result = least(x, groups, weights, y)
    np.testing.assert_allclose(fit.theta, result, rtol=1e-4)
    assert fit.reml <= criterion(result, x, groups, weights, y)[0] + 1e-9


def boundary(seeds=range(40)):
    """Data whose first random intercept has no variance: (x, groups, weights) and responses (R, n)."""
    x, groups, weights, _ = data(n=80)
    random = np.random.default_rng(5)
    noise = random.normal(size=(len(seeds), len(x))) / np.sqrt(weights)
    return x, groups, weights, noise + random.normal(size=(len(seeds), 5))[:, groups[1]]


def test_a_variance_on_the_boundary_is_exactly_zero_and_the_fit_that_without_it():
    x, groups, weights, y = boundary()
    fits = mm.fit(mm.design(x, groups, weights), y)
    assert fits.converged.all()
    at_zero = np.flatnonzero((fits.theta[:, 0] == 0) & (fits.theta[:, 1] > 0))
    assert len(at_zero) > 10
    assert (fits.theta[:, 0] > 0).any()
    without = mm.fit(mm.design(x, groups[1:], weights), y[at_zero])
    for name in ("beta", "std_error", "df", "sigma", "reml"):
        np.testing.assert_allclose(getattr(fits, name)[at_zero], getattr(without, name), rtol=1e-8, err_msg=name)
    for replicate in at_zero[:5]:
        assert least(x, groups, weights, y[replicate])[0] == pytest.approx(0, abs=0.05)
        inside = criterion([0.1, fits.theta[replicate, 1]], x, groups, weights, y[replicate])[0]
        assert fits.reml[replicate] < inside


def test_without_any_random_effect_it_is_weighted_least_squares():
    x, groups, weights, _ = data()
    random = np.random.default_rng(1)
    y = random.normal(size=(200, len(x))) / np.sqrt(weights)
    fits = mm.fit(mm.design(x, groups, weights), y)
    (none, *_) = np.flatnonzero((fits.theta == 0).all(axis=1))
    root = np.sqrt(weights)
    beta, squares, *_ = np.linalg.lstsq(root[:, None] * x, root * y[none], rcond=None)
    np.testing.assert_allclose(fits.beta[none], beta, rtol=1e-10)
    np.testing.assert_allclose(fits.sigma[none], np.sqrt(squares[0] / (len(x) - 2)), rtol=1e-10)
    np.testing.assert_allclose(fits.df[none], len(x) - 2, rtol=1e-10)


def test_many_responses_are_fitted_as_each_by_itself():
    x, groups, weights, y = boundary(range(6))
    design = mm.design(x, groups, weights)
    together = mm.fit(design, y)
    for replicate, response in enumerate(y):
        for name, value in vars(mm.fit(design, response)).items():
            np.testing.assert_allclose(value, getattr(together, name)[replicate], rtol=1e-9, err_msg=name)


problems = st.builds(data, n=st.integers(30, 60), seed=st.integers(0, 10**6), spread=st.floats(0, 2))


def assert_same(one, other, but=(), rtol=1e-6):
    for name in {"beta", "std_error", "df", "theta", "sigma", "reml"} - {*but}:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=rtol, atol=1e-7, err_msg=name)


@settings(max_examples=40)
@given(problems, st.randoms(use_true_random=False))
def test_order_of_rows_and_names_of_levels_do_not_matter(drawn, random):
    x, groups, weights, y = drawn
    rows, names = list(range(len(y))), [list(range(codes.max() + 1)) for codes in groups]
    for order in (rows, *names):
        random.shuffle(order)
    relabelled = [np.array(new)[codes][rows] for new, codes in zip(names, groups, strict=True)]
    assert_same(
        mm.fit(mm.design(x, groups, weights), y), mm.fit(mm.design(x[rows], relabelled, weights[rows]), y[rows])
    )


@settings(max_examples=40)
@given(problems, st.floats(1e-3, 1e3))
def test_scale_of_the_weights_moves_sigma_and_theta_alone(drawn, scale):
    x, groups, weights, y = drawn
    one, other = mm.fit(mm.design(x, groups, weights), y), mm.fit(mm.design(x, groups, weights * scale), y)
    assert_same(one, other, but=("theta", "sigma"))
    np.testing.assert_allclose(other.sigma, one.sigma * np.sqrt(scale), rtol=1e-6)
    np.testing.assert_allclose(other.theta * other.sigma, one.theta * one.sigma, rtol=1e-6, atol=1e-7)


@settings(max_examples=40)
@given(problems, st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(0.01, 100))
def test_what_the_fixed_effects_add_moves_beta_alone_and_a_factor_moves_the_scale(drawn, shift, gender, factor):
    x, groups, weights, y = drawn
    design = mm.design(x, groups, weights)
    one, other = mm.fit(design, y), mm.fit(design, (y + x @ [shift, gender]) * factor)
    np.testing.assert_allclose(
        other.beta, (one.beta + np.array([shift, gender])) * factor, rtol=1e-6, atol=1e-6 * factor
    )
    np.testing.assert_allclose(other.std_error, one.std_error * factor, rtol=1e-6)
    np.testing.assert_allclose(other.theta, one.theta, rtol=1e-6, atol=1e-7)


@settings(max_examples=40)
@given(problems)
def test_no_search_finds_less(drawn):
    x, groups, weights, y = drawn
    fit = mm.fit(mm.design(x, groups, weights), y)
    assert fit.converged
    assert fit.reml <= criterion(least(x, groups, weights, y), x, groups, weights, y)[0] + 1e-6


def test_undefined_models_are_refused():
    x, groups, weights, y = data()
    with refused(None, "weights"):
        mm.design(x, groups, np.where(np.arange(len(y)) == 3, 0, weights))
    with refused(None, "fixed-effect columns"):
        mm.design(np.column_stack([x, 1 - x[:, 1]]), groups, weights)
    with refused(None, "1 levels", "60 rows"):
        mm.design(x, [groups[0], np.zeros(60, dtype=int)], weights)
    with refused(None, "60 levels", "60 rows"):
        mm.design(x, [np.arange(60)], weights)
    design = mm.design(x, groups, weights)
    for nothing in (x @ [1.0, 2.0], np.zeros(60), np.where(np.arange(60) == 5, np.nan, y)):
        with refused(None, "response"):
            mm.fit(design, nothing)


def test_a_response_with_no_minimum_is_said_not_to_have_converged():
    x, groups, weights, _ = data()
    y = np.random.default_rng(0).normal(size=4)[groups[0]]
    assert not mm.fit(mm.design(x, groups, weights), y).converged


def test_two_groups_with_the_same_levels_share_one_variance():
    x, groups, weights, y = data()
    one = mm.fit(mm.design(x, groups, weights), y)
    twice = mm.fit(mm.design(x, [groups[0], *groups], weights), y)
    assert twice.converged
    assert_same(one, twice, but=("theta", "df"))
    assert (twice.theta[:2] ** 2).sum() == pytest.approx(one.theta[0] ** 2, rel=1e-6)
    np.testing.assert_allclose(twice.df, one.df, rtol=1e-4)


def test_r2_by_hand_and_on_every_scale_of_the_weights():
    x, groups, weights, y = data()
    design = mm.design(x, groups, weights)
    fit = mm.fit(design, y)
    explained = np.var(x @ fit.beta, ddof=1)
    random = (fit.sigma * fit.theta) ** 2
    assert mm.r2_marginal(design, fit) == pytest.approx(explained / (explained + random.sum() + fit.sigma**2))
    for c in (0.2, weights.mean(), 30):
        scaled = mm.design(x, groups, weights / c)
        assert mm.r2_marginal(design, fit, c) == pytest.approx(mm.r2_marginal(scaled, mm.fit(scaled, y)), rel=1e-7)


def known(x, beta, theta, sigma):
    """A model to simulate from."""
    nothing = np.full(x.shape[1], np.nan)
    return mm.Fits(np.array(beta), nothing, nothing, np.array(theta), np.array(sigma), np.array(np.nan), np.array(True))


@pytest.mark.parametrize("weighted", [True, False])
def test_simulated_responses_have_the_covariance_of_the_model(weighted):
    x, groups, weights, _ = data(n=12, levels=(3, 4))
    design = mm.design(x, groups, weights)
    R = 40_000
    y = mm.simulate(design, known(x, [1.0, 2.0], [0.5, 2.0], 1.5), R, np.random.default_rng(0), weighted)
    V = np.diag(1 / weights if weighted else np.ones(12))
    for value, codes in zip([0.5, 2.0], groups, strict=True):
        V = V + value**2 * (codes[:, None] == codes)
    V *= 1.5**2
    np.testing.assert_allclose(y.mean(axis=0), x @ [1.0, 2.0], atol=5 * np.sqrt(np.diag(V).max() / R))
    # the variance of a sample covariance of normal variables
    error = np.sqrt((V**2 + np.outer(np.diag(V), np.diag(V))) / R)
    assert (np.abs(np.cov(y, rowvar=False) - V) < 5 * error).all()


def test_replicates_are_the_same_whatever_the_blocks(monkeypatch):
    x, groups, weights, y = data()
    design = mm.design(x, groups, weights)
    fit = mm.fit(design, y)
    whole = mm.bootstrap(design, fit, 50, np.random.default_rng(1), weighted=True)
    monkeypatch.setattr(mm, "_CELLS", 7 * (60 + 9**2))
    pieces = mm.bootstrap(design, fit, 50, np.random.default_rng(1), weighted=True)
    assert_same(whole, pieces, rtol=1e-9)
    assert whole.converged.all()
    more = mm.bootstrap(design, fit, 60, np.random.default_rng(1), weighted=True)
    np.testing.assert_allclose(more.beta[:50], whole.beta, rtol=1e-9)


def test_disagreement_names_the_parameter():
    x, groups, weights, y = data()
    design = mm.design(x, groups, weights)
    fit = mm.fit(design, y)
    beta, theta = dict(zip(["(Intercept)", "male"], fit.beta, strict=True)), {"template": 1.0, "trait": 1.0}
    theta = dict(zip(theta, fit.theta, strict=True))
    worse = fit.reml + 2e-4
    mm.agree(design, fit, beta, theta, fit.sigma, worse)
    with refused("male", "1e-05") as caught:
        mm.agree(
            design,
            fit,
            {**beta, "male": fit.beta[1] + 2e-5 * abs(fit.beta[1]) + 2e-5 * fit.std_error[1]},
            theta,
            fit.sigma,
            worse,
        )
    assert "theta" not in str(caught.value)
    with refused("theta of trait", "1e-05"):
        mm.agree(design, fit, beta, {**theta, "trait": theta["trait"] * 1.0001}, fit.sigma, worse)
    with refused("sigma", "1e-05"):
        mm.agree(design, fit, beta, theta, fit.sigma * 1.0001, worse)
    with refused("sigma", "nan"):
        mm.agree(design, fit, beta, theta, float("nan"), worse)


def test_where_the_other_search_stops_short_theta_may_be_further_off():
    x, groups, weights, y = data()
    design = mm.design(x, groups, weights)
    fit = mm.fit(design, y)
    beta, theta = dict(enumerate(fit.beta)), {"template": fit.theta[0], "trait": fit.theta[1] * 1.0001}
    mm.agree(design, fit, beta, theta, fit.sigma, fit.reml + 5e-5)
    for reml in (fit.reml + 2e-4, fit.reml - 1e-8, float("nan")):
        with refused("theta of trait", "1e-05"):
            mm.agree(design, fit, beta, theta, fit.sigma, reml)
    with refused("sigma", "1e-05"):
        mm.agree(design, fit, beta, theta, fit.sigma * 1.0001, fit.reml)


def test_agreement_on_the_boundary_is_by_what_the_data_can_tell():
    x, groups, weights, y = boundary()
    design = mm.design(x, groups, weights)
    fits = mm.fit(design, y)
    fit = mm.Fits(*(value[np.flatnonzero(fits.theta[:, 0] == 0)[0]] for value in vars(fits).values()))
    beta, rest = {"one": fit.beta[0], "two": fit.beta[1]}, {"trait": fit.theta[1]}
    worse = fit.reml + 2e-4
    of_level = 1 / np.sqrt(design.level_weights[0])
    mm.agree(design, fit, beta, {"template": 0.004 * of_level, **rest}, fit.sigma, worse)
    with refused("theta of template", "0"):
        mm.agree(design, fit, beta, {"template": 0.005 * of_level, **rest}, fit.sigma, worse)


def study(n, seed, sds, traits=10, spread=1.0):
    """Scores as in the study, as a table and as the engine takes them: (table, design, responses)."""
    random = np.random.default_rng(seed)
    gender, template, trait = random.integers(2, size=n), random.integers(6, size=n), random.integers(traits, size=n)
    weights = 1 / random.lognormal(3, spread, size=n)
    score = 0.3 + 0.25 * gender + random.normal(size=n) / np.sqrt(weights / weights.mean())
    score += sds[0] * random.normal(size=6)[template] + sds[1] * random.normal(size=traits)[trait]
    table = pd.DataFrame(
        {
            "score": score,
            "gender": pd.Categorical(np.array(["female", "male"])[gender]),
            "template": [f"t{number}" for number in template],
            "trait": [f"word{number:02}" for number in trait],
            "weight": weights,
        }
    )
    return table, mm.design(np.column_stack([np.ones(n), gender]), [template, trait], weights), score


@pytest.mark.nightly
def test_coverage_of_nominal_95_percent_intervals():
    """500 data sets of 6 templates and 10 traits, their weights lognormal; the released way, far below, of 100."""
    data_sets, replicates, beta, sds = 500, 399, np.array([0.3, 0.25]), np.array([0.4, 0.7])
    _, raw, _ = study(1500, 0, sds)
    mean = raw.weights.mean()
    truth = known(raw.x, beta, sds / np.sqrt(mean), np.sqrt(mean))
    responses = mm.simulate(raw, truth, data_sets, np.random.default_rng(1), weighted=True)
    covered: dict[str, list[bool]] = {}

    def note(name, bounds, value):
        covered.setdefault(name, []).append(bounds[0] <= value <= bounds[1])

    for number, y in enumerate(responses):
        fit = mm.fit(raw, y)
        half = scipy.stats.t.ppf(0.975, fit.df) * fit.std_error
        note("beta, t", (fit.beta[1] - half[1], fit.beta[1] + half[1]), beta[1])
        drawn = mm.bootstrap(raw, fit, replicates, np.random.default_rng([2, number]), weighted=True)
        note("beta, model", percentile_interval(drawn.beta[:, 1], 0.95), beta[1])
        for scale, at_weight in (("raw", 1), ("mean1", mean)):
            true = mm.r2_marginal(raw, truth, at_weight)
            note(f"R2 {scale}, model", percentile_interval(mm.r2_marginal(raw, drawn, at_weight), 0.95), true)
        if number < 100:
            released = mm.bootstrap(raw, fit, replicates, np.random.default_rng([3, number]), weighted=False)
            note("beta raw, released", percentile_interval(released.beta[:, 1], 0.95), beta[1])
            true = mm.r2_marginal(raw, truth, 1)
            note("R2 raw, released", percentile_interval(mm.r2_marginal(raw, released), 0.95), true)
    shares = {name: np.mean(hits) for name, hits in covered.items()}
    print("\n".join(f"{name:22} {share:.3f}" for name, share in shares.items()))
    for name in ("beta, t", "beta, model", "R2 raw, model", "R2 mean1, model"):
        assert 0.93 <= shares[name] <= 0.97, name
    for name in ("beta raw, released", "R2 raw, released"):
        assert shares[name] < 0.9, name
