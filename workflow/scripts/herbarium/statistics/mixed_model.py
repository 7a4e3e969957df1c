"""Linear mixed models with crossed random intercepts and known weights: exact REML fits of many responses at once.

The model is that of lme4 (Bates, Mächler, Bolker and Walker 2015, J. Stat. Softw. 67(1)):

    y = X beta + sum_k Z_k b_k + e,   b_k ~ N(0, sigma^2 theta_k^2 I),   e_i ~ N(0, sigma^2 / w_i),   theta_k >= 0.

With W = diag(w), let Q_x be an orthonormal basis of W^(1/2) X, and Q_z A the part of W^(1/2) Z orthogonal to it, Q_z
orthonormal too. Only h = Q_z' W^(1/2) y and |e|^2, the squared length of W^(1/2) y outside both bases, depend on the
response. With gamma_k = theta_k^2, Gamma = diag(gamma) over all levels, and N = I + A Gamma A' the profiled REML
criterion (their Section 3.4) is

    log|X'WX| - sum log w + log|N| + (n - p) (1 + log(2 pi r^2 / (n - p))),   r^2 = |e|^2 + h' N^-1 h,

in which no matrix is larger than there are levels. The same A serves all replicates of a bootstrap. The criterion is
minimised over gamma, where its derivatives are informative on the boundary too (with respect to theta they are 0
there).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from herbarium.core.errors import HerbariumError

# Newton's method has converged when a step promises to lower the criterion by less: a millionth of a standard error of
# theta, and what remains after that step is the square of that.
_ARRIVED = 1e-12
_MOST_STEPS = 100
# Least eigenvalue of the second derivatives, in units of the information, that counts as convex.
_CONVEX = 1e-8
# Greatest variance of a random intercept, in units of that of the mean residual of a level: beyond it the residuals
# explain nothing.
_LARGEST = 1e12
# Rounding can raise the criterion by this share of it.
_ROUNDING = 1e-13
# Tolerances of `agree` between two programs: of parameters, relative, and how far their criterion may be above ours.
_TOLERANCE, _SHORT = 1e-5, 1e-4
# Numbers held in memory at once.
_CELLS = 2**22


@dataclass(frozen=True)
class Design:
    """The part shared by all responses; made by `design`. q is the total number of levels of all groups."""

    x: np.ndarray  # (n, p)
    codes: np.ndarray  # (K, n): the column of z of each row, for each group
    weights: np.ndarray  # (n,)
    group: np.ndarray  # (q, K) of 0 and 1: the group of each column of z
    basis: np.ndarray  # (n, p + rank): Q_x and Q_z
    to_beta: np.ndarray  # (p, p): from coordinates in Q_x to beta; times its transpose it is (X'WX)^-1
    a: np.ndarray  # (rank, q): A
    f: np.ndarray  # (q, p): Z'WX (X'WX)^-1
    constant: float  # the terms of the criterion that depend on neither y nor theta

    @property
    def level_weights(self) -> np.ndarray:
        """(K,) the sum of weights of a level, on average over the levels of each group."""
        return self.weights.sum() / self.group.sum(axis=0)

    @property
    def residual_df(self) -> int:
        """n - p."""
        return self.x.shape[0] - self.x.shape[1]


@dataclass(frozen=True)
class Fits:
    """REML fits of R responses to one design; without the first axis for a single response of shape (n,)."""

    beta: np.ndarray  # (R, p)
    std_error: np.ndarray  # (R, p): of beta, as if theta were known
    df: np.ndarray  # (R, p): Satterthwaite's degrees of freedom of beta / std_error
    theta: np.ndarray  # (R, K): standard deviation of each random intercept over sigma; 0 on the boundary
    sigma: np.ndarray  # (R,): standard deviation of a residual of weight 1
    reml: np.ndarray  # (R,): -2 log restricted likelihood
    converged: np.ndarray  # (R,) of bool


def design(x: np.ndarray, groups: Sequence[np.ndarray], weights: np.ndarray) -> Design:
    """Precompute what does not depend on the response.

    x: (n, p) the matrix of fixed effects, with its column of ones. groups: K arrays (n,) of the level of each row,
    numbered from 0 without a gap. weights: (n,) positive.

    Raises HerbariumError if the model is not defined: a weight that is not positive, dependent columns of x, a group
    with one level or one level per row.
    """
    x, weights = np.asarray(x, dtype=float), np.asarray(weights, dtype=float)
    n, p = x.shape
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise HerbariumError("The weights of a mixed model must be finite and above 0.")
    if np.linalg.matrix_rank(x) < p:
        raise HerbariumError("The fixed-effect columns of a mixed model are linearly dependent.")
    sizes = [len(np.unique(codes)) for codes in groups]
    for size in sizes:
        if not 2 <= size < n:
            raise HerbariumError(
                f"A random intercept has {size} levels in {n} rows: it needs at least two, and fewer than rows."
            )
    codes = np.array(groups) + (np.cumsum(sizes) - sizes)[:, None]
    group = np.repeat(np.eye(len(sizes)), sizes, axis=0)
    root = np.sqrt(weights)
    z = np.zeros((n, len(group)))
    for of_group in codes:
        z[np.arange(n), of_group] = root
    of_x, r = np.linalg.qr(root[:, None] * x)
    to_beta = np.linalg.inv(r)
    shared = z.T @ of_x
    of_z, lengths, directions = np.linalg.svd(z - of_x @ shared.T, full_matrices=False)
    # the levels of a group sum to the intercept, and levels may be nested
    has_length = lengths > np.sqrt(z.shape[0]) * np.finfo(float).eps * np.linalg.norm(z)
    return Design(
        x=x,
        codes=codes,
        weights=weights,
        group=group,
        basis=np.concatenate([of_x, of_z[:, has_length]], axis=1),
        to_beta=to_beta,
        a=lengths[has_length, None] * directions[has_length],
        f=shared @ to_beta.T,
        constant=2 * np.log(np.abs(np.diag(r))).sum() - np.log(weights).sum(),
    )


def fit(model: Design, y: np.ndarray) -> Fits:
    """REML fit of each response. y: (R, n), or (n,) for one.

    Raises HerbariumError if a response is not finite, or the fixed effects explain all of it.
    """
    y = np.asarray(y, dtype=float)
    rows = np.atleast_2d(y)
    fits = _joined([_fit_block(model, rows[block]) for block in _blocks(model, len(rows))])
    return fits if y.ndim > 1 else Fits(*(value[0] for value in vars(fits).values()))


def _blocks(model: Design, n_responses: int) -> Iterator[slice]:
    """Slices of the responses that fit into memory."""
    n, q = len(model.x), len(model.group)
    step = max(1, _CELLS // (n + q**2))
    return (slice(first, min(first + step, n_responses)) for first in range(0, n_responses, step))


def _joined(blocks: Sequence[Fits]) -> Fits:
    return Fits(*(np.concatenate(values) for values in zip(*(vars(block).values() for block in blocks), strict=True)))


def _fit_block(model: Design, y: np.ndarray) -> Fits:
    y = y * np.sqrt(model.weights)
    total = (y**2).sum(axis=1)
    coordinates = y @ model.basis
    y -= coordinates @ model.basis.T
    p = model.x.shape[1]
    beta, h, outside = coordinates[:, :p] @ model.to_beta.T, coordinates[:, p:], (y**2).sum(axis=1)
    # a response explained by the fixed effects leaves only rounding
    if not ((h**2).sum(axis=1) + outside > 1e-20 * total).all():
        raise HerbariumError("A response of a mixed model is not finite, or the fixed effects explain all of it.")
    return _summarise(model, beta, h, outside, *_minimise(model, h, outside))


@dataclass(frozen=True)
class _Point:
    """The criterion without its constant, and the terms of its derivatives by gamma, for R responses.

    With T = A' N^-1 A and t = A' N^-1 h, the derivative of log|N| is the trace of T_kk, and that of r^2 is -t_k't_k.
    """

    value: np.ndarray  # (R,)
    residual: np.ndarray  # (R,): r^2
    t: np.ndarray  # (R, q)
    trace: np.ndarray  # (R, K): of T_kk
    squares: np.ndarray  # (R, K, K): the sum of the squares of T_jk
    quadratic: np.ndarray  # (R, K): t_k't_k
    cubic: np.ndarray  # (R, K, K): t_j' T_jk t_k

    def gradient(self, df: int) -> np.ndarray:
        """(R, K)."""
        return self.trace - df * self.quadratic / self.residual[:, None]

    def hessian(self, df: int) -> np.ndarray:
        """(R, K, K)."""
        ratio = self.quadratic / self.residual[:, None]
        return df * (2 * self.cubic / self.residual[:, None, None] - _outer(ratio)) - self.squares


def _outer(values: np.ndarray) -> np.ndarray:
    return values[:, :, None] * values[:, None, :]


def _evaluate(model: Design, h: np.ndarray, outside: np.ndarray, gamma: np.ndarray) -> _Point:
    """h: (R, rank). outside: (R,) |e|^2. gamma: (R, K)."""
    factor = np.linalg.cholesky(_n(model, gamma))
    right = np.concatenate([np.broadcast_to(model.a, (len(h), *model.a.shape)), h[:, :, None]], axis=2)
    solved = np.linalg.solve(factor, right)
    of_a, of_h = solved[:, :, :-1], solved[:, :, -1]
    T, t = of_a.swapaxes(1, 2) @ of_a, (of_h[:, None, :] @ of_a)[:, 0]
    residual = outside + (of_h**2).sum(axis=1)
    of_group = t[:, :, None] * model.group
    log_determinant = 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    return _Point(
        value=log_determinant + model.residual_df * np.log(residual),
        residual=residual,
        t=t,
        trace=np.diagonal(T, axis1=1, axis2=2) @ model.group,
        squares=model.group.T @ (T**2 @ model.group),
        quadratic=t**2 @ model.group,
        cubic=of_group.swapaxes(1, 2) @ (T @ of_group),
    )


def _n(model: Design, gamma: np.ndarray) -> np.ndarray:
    """(R, rank, rank) N."""
    return np.eye(len(model.a)) + (model.a * (gamma @ model.group.T)[:, None, :]) @ model.a.T


def _minimise(model: Design, h: np.ndarray, outside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """gamma, (R, K), at the minimum of the criterion, and whether the search converged, (R,).

    Newton's method, projected on gamma >= 0: a component on the boundary that the gradient holds there stays out of the
    step (Bertsekas 1982, SIAM J. Control Optim. 20, 221-246). If the criterion is not convex the expected information
    replaces its second derivatives, and a step that does not lower it is halved.
    """
    # the variance of each group is that of a residual of mean weight, so the start does not depend on the weights'
    # scale
    gamma = np.full((len(h), model.group.shape[1]), 1 / model.weights.mean())
    most = _LARGEST / model.level_weights
    point = _evaluate(model, h, outside, gamma)
    value = point.value
    step, promise = _step(point, gamma, model.residual_df)
    share = np.ones(len(h))
    converged = np.zeros(len(h), dtype=bool)
    for _ in range(_MOST_STEPS):
        rows = np.flatnonzero(~converged)
        if not len(rows):
            break
        tried = np.clip(gamma[rows] + share[rows, None] * step[rows], 0, most)
        point = _evaluate(model, h[rows], outside[rows], tried)
        lower = point.value <= value[rows] + _ROUNDING * np.abs(value[rows])
        share[rows] = np.where(lower, 1, share[rows] / 2)
        converged[rows] = lower & (promise[rows] < _ARRIVED)
        improved = rows[lower]
        gamma[improved], value[improved] = tried[lower], point.value[lower]
        reached = _Point(*(one[lower] for one in vars(point).values()))
        step[improved], promise[improved] = _step(reached, gamma[improved], model.residual_df)
    return gamma, converged


def _step(point: _Point, gamma: np.ndarray, df: int) -> tuple[np.ndarray, np.ndarray]:
    """(R, K) the step of each response, and (R,) twice the fall of the criterion that it promises."""
    gradient, hessian = point.gradient(df), point.hessian(df)
    held = (gamma == 0) & (gradient >= 0)
    # the expected information of gamma if sigma were known
    information = point.squares
    scale = 1 / np.sqrt(np.diagonal(information, axis1=1, axis2=2))
    gradient = np.where(held, 0, gradient * scale)
    hessian, information = (_without(held, matrix * _outer(scale)) for matrix in (hessian, information))
    convex = np.linalg.eigvalsh(hessian)[:, 0] > _CONVEX
    # two groups with the same levels are not identified separately
    chosen = np.where(convex[:, None, None], hessian, information + _CONVEX * np.eye(gamma.shape[1]))
    step = -np.linalg.solve(chosen, gradient[:, :, None])[:, :, 0]
    return step * scale, -(step * gradient).sum(axis=1)


def _without(held: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """The matrix, (R, K, K), with the rows and columns of held components replaced by those of the identity."""
    apart = held[:, :, None] | held[:, None, :]
    return np.where(apart, np.eye(held.shape[1]), matrix)


def _summarise(
    model: Design, beta: np.ndarray, h: np.ndarray, outside: np.ndarray, gamma: np.ndarray, converged: np.ndarray
) -> Fits:
    """The fits at the best gamma. beta: (R, p) without random effects."""
    point = _evaluate(model, h, outside, gamma)
    by_column = gamma @ model.group.T
    variance = point.residual / model.residual_df
    # (R, q, p) the inverse of I + A'A Gamma, times f
    u = model.f - model.a.T @ np.linalg.solve(_n(model, gamma), model.a @ (by_column[:, :, None] * model.f))
    unscaled = (model.to_beta**2).sum(axis=1) + np.einsum("ql,rq,rql->rl", model.f, by_column, u)
    squares = variance[:, None] * unscaled
    return Fits(
        # Henderson's equation of beta, at the predicted random effects Gamma t
        beta=beta - (by_column * point.t) @ model.f,
        std_error=np.sqrt(squares),
        df=_satterthwaite(model, point, gamma, variance, squares, u),
        theta=np.sqrt(gamma),
        sigma=np.sqrt(variance),
        reml=model.constant + point.value + model.residual_df * (1 + np.log(2 * np.pi / model.residual_df)),
        converged=converged,
    )


def _satterthwaite(
    model: Design, point: _Point, gamma: np.ndarray, variance: np.ndarray, squares: np.ndarray, u: np.ndarray
) -> np.ndarray:
    """(R, p) Satterthwaite's degrees of freedom of each coefficient, as in lmerTest (Kuznetsova, Brockhoff and
    Christensen 2017, J. Stat. Softw. 82(13)): 2 v^2 / (g'Ag) of the squared standard error v, its gradient g by
    the parameters of variance and their asymptotic covariance A.

    The parameters are log sigma^2 and gamma, each gamma in units of itself: at a minimum the choice makes no
    difference. One on the boundary is taken as known, as it is with respect to theta. variance: (R,) sigma^2. squares:
    (R, p) v. u: (R, q, p) of `_summarise`: the squares of its entries sum to the derivatives of v / sigma^2 by gamma.
    """
    K = gamma.shape[1]
    hessian = np.empty((len(gamma), K + 1, K + 1))
    hessian[:, :K, :K] = 2 * point.cubic / variance[:, None, None] - point.squares
    hessian[:, :K, K] = hessian[:, K, :K] = point.quadratic / variance[:, None]
    hessian[:, K, K] = model.residual_df
    gradient = np.concatenate([variance[:, None, None] * (model.group.T @ u**2), squares[:, None, :]], axis=1)
    unit = np.concatenate([gamma, np.ones((len(gamma), 1))], axis=1)
    gradient *= unit[:, :, None]
    # two groups with the same levels are not identified separately
    inverse = np.linalg.pinv(hessian * _outer(unit), hermitian=True)
    return squares**2 / (gradient * (inverse @ gradient)).sum(axis=1)


def r2_marginal(model: Design, fits: Fits, at_weight: float = 1) -> np.ndarray:
    """(R,) the share of the variance that the fixed effects explain (Nakagawa and Schielzeth 2013, Methods Ecol. Evol.
    4, 133-142, eq. 26): var(X beta) / (var(X beta) + sum_k sigma^2 theta_k^2 + residual variance).

    var has the divisor n - 1. A residual has the variance sigma^2 / w, so the share depends on the weight at which it
    is taken. at_weight 1 is what partR2 and insight compute, and changes with the scale of the weights: with weights
    w/c the same fit has sigma^2/c and the same variances of random intercepts. So at_weight c is what they would
    compute for w/c, and the mean weight makes the share the same on every scale.
    """
    covariance = np.atleast_2d(np.cov(model.x, rowvar=False))
    fixed = np.einsum("...j,jk,...k->...", fits.beta, covariance, fits.beta)
    return fixed / (fixed + fits.sigma**2 * ((fits.theta**2).sum(axis=-1) + 1 / at_weight))


def simulate(model: Design, fitted: Fits, n_responses: int, random: np.random.Generator, weighted: bool) -> np.ndarray:
    """(n_responses, n) responses of the fitted model, with new random intercepts (parametric bootstrap).

    fitted: one response's fit. weighted: residuals have the standard deviation sigma/sqrt(w), as the model says; else
    sigma, as `simulate` of lme4 1.1 draws them and, through it, partR2. Each response takes the next q + n standard
    normal numbers: those of its levels, then those of its rows.
    """
    n, q = len(model.x), len(model.group)
    normal = random.standard_normal((n_responses, q + n))
    intercepts = normal[:, :q] * (model.group @ fitted.theta)
    y = normal[:, q:]
    if weighted:
        y /= np.sqrt(model.weights)
    for of_group in model.codes:
        y += intercepts[:, of_group]
    y *= fitted.sigma
    y += model.x @ fitted.beta
    return y


def bootstrap(model: Design, fitted: Fits, replicates: int, random: np.random.Generator, weighted: bool) -> Fits:
    """Fits of simulated responses; their `r2_marginal` are the replicates of R².

    All are fitted with the weights, drawn with or without them (`simulate`). They are drawn and fitted in blocks; a
    replicate uses the same numbers of the stream whatever the blocks. If the draws ignore the weights, the simulation
    depends on the weights' scale: for another scale, start from the design and the fit with those weights.
    """
    blocks = _blocks(model, replicates)
    return _joined([fit(model, simulate(model, fitted, at.stop - at.start, random, weighted)) for at in blocks])


def agree(
    model: Design, fitted: Fits, beta: Mapping[str, float], theta: Mapping[str, float], sigma: float, reml: float
) -> None:
    """Compare the fit of one response with that of another program; HerbariumError names parameters that differ.

    beta, theta: by name, in the order of the design. reml: its -2 log restricted likelihood. The tolerance of
    parameters is 1e-5, relative, with a floor where one can be 0. A coefficient counts by its standard error if that is
    larger. theta counts by theta^2 + 1/W, the variance of the mean of a level in units of sigma^2 (W: `level_weights`):
    the data cannot tell it from 0 far below 1/sqrt(W).

    theta may be further off if the other criterion is not below ours and at most 1e-4 above it: by a hundredth of a
    standard error. lme4 searches without derivatives, and may stop short of the least value: of a theta of 100 and
    17,000 rows it was found to be 9e-4 off, and its criterion 3e-5 higher.
    """
    theirs = np.array([*beta.values()]), np.array([*theta.values()])
    is_short = -10 * _ROUNDING * abs(reml) <= reml - fitted.reml <= _SHORT
    of_theta = np.inf if is_short else _TOLERANCE
    beta_scale = np.maximum(np.abs(theirs[0]), fitted.std_error)
    theta_scale = 2 * (theirs[1] ** 2 + 1 / model.level_weights)
    by_beta = np.abs(fitted.beta - theirs[0]) / beta_scale
    by_theta = np.abs(fitted.theta**2 - theirs[1] ** 2) / theta_scale
    compared = [
        *((name, *values, _TOLERANCE) for name, *values in zip(beta, fitted.beta, theirs[0], by_beta, strict=True)),
        *(
            (f"theta of {name}", *values, of_theta)
            for name, *values in zip(theta, fitted.theta, theirs[1], by_theta, strict=True)
        ),
        ("sigma", fitted.sigma, sigma, abs(fitted.sigma - sigma) / sigma, _TOLERANCE),
    ]
    differing = [
        f"{name} is {one:.8g}, not {other:.8g}: a relative difference above {tolerance:g}"
        for name, one, other, difference, tolerance in compared
        if not difference <= tolerance
    ]
    if differing:
        raise HerbariumError(f"Two fits of one mixed model differ: {'; '.join(differing)}.")
