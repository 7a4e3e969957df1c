"""Structured outputs: the activity, or the objects, of an instance together with the gender of the person.

Zhao (2021), thesis, chapter 5 (Zhao et al. 2017; Jia et al. 2020). Of two kinds, which both can

- be decided (`best`), and their outputs counted (`counted`): Eq. 5.1;
- be read as a distribution p(y | i) ∝ exp f(y, i) (Eq. 5.6), with `log_z` and `expected` counts in closed form;
- be charged for what counts as a man, or a woman (`charged`): again potentials of the same kind, so that Eq. 5.5 and
  the posterior of Eq. 5.12 are the same inference with other potentials.

n instances, V activities or objects, m of them constrained.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp

from herbarium.core.errors import HerbariumError
from herbarium.decisions import posterior
from herbarium.decisions.constraints import coefficients
from herbarium.decisions.lagrangian import Counts, Prices, prices_of

MAN, WOMAN, NEITHER = range(3)  # of agents
THERE, NOT_THERE = range(2)  # of an object
_SECONDS = 600  # for HiGHS


class Counted(NamedTuple):
    """(n, m) what counts as a man, and as a woman, of each constrained activity: 0 or 1, or expected."""

    man: np.ndarray
    woman: np.ndarray

    def rates(self) -> np.ndarray:
        """(m,) b of Eq. 5.1, or B of Eq. 5.7; nan of an activity with neither men nor women."""
        men, women = self.man.sum(axis=0), self.woman.sum(axis=0)
        with np.errstate(invalid="ignore"):
            return men / (men + women)


class Situations(NamedTuple):
    """Outputs, or labels, of one activity per instance. activity: (n,) its number. agent: (n,) MAN, WOMAN or
    NEITHER."""

    activity: np.ndarray
    agent: np.ndarray

    def counted(self, constrained: np.ndarray) -> Counted:
        """constrained: (m,) numbers of activities."""
        is_of = self.activity[:, None] == constrained
        return Counted(*(is_of & (self.agent == gender)[:, None] for gender in (MAN, WOMAN)))


class Scenes(NamedTuple):
    """Outputs, or labels, of many objects per instance. is_man: (n,) else a woman. there: (n, V) whether each object is
    there."""

    is_man: np.ndarray
    there: np.ndarray

    def counted(self, constrained: np.ndarray) -> Counted:
        """constrained: (m,) numbers of objects."""
        objects_there, is_man = self.there[:, constrained], self.is_man[:, None]
        return Counted(objects_there & is_man, objects_there & ~is_man)


@dataclass(frozen=True)
class OneActivity:
    """Potentials of one activity v per instance with its agent a, f(v, a) = activity[v] + agent[v, a]: vSRL.

    activity: (n, V). agent: (n, V, 3), of MAN, WOMAN and NEITHER, -inf if there is no such output. constrained: (m,)
    numbers of the activities whose rates are kept. Natural logarithms.

    Raises ValueError for shapes that do not fit, nan or +inf, and an instance without any output.
    """

    activity: np.ndarray
    agent: np.ndarray
    constrained: np.ndarray

    def __post_init__(self):
        if self.agent.shape != (*self.activity.shape, 3):
            raise ValueError(f"agent must be {(*self.activity.shape, 3)}, as activity; it is {self.agent.shape}")
        if not (self.outputs < np.inf).all():
            raise ValueError("potentials must be numbers, or -inf")
        if np.isneginf(self.outputs.max(axis=1)).any():
            raise ValueError("an instance without any output")

    @property
    def outputs(self) -> np.ndarray:
        """(n, 3V) the scores of all outputs, those of an activity adjacent."""
        return (self.activity[:, :, None] + self.agent).reshape(len(self.activity), -1)

    def best(self) -> Situations:
        """The output with the highest score, the first of equal ones."""
        return Situations(*np.divmod(self.outputs.argmax(axis=1), 3))

    def scores(self, output: Situations) -> np.ndarray:
        """(n,) f of outputs."""
        return np.take_along_axis(self.outputs, (3 * output.activity + output.agent)[:, None], axis=1)[:, 0]

    def charged(self, man: np.ndarray, woman: np.ndarray) -> "OneActivity":
        """With prices of outputs that count as a man, or a woman, of each constrained activity. Both (m,) or (n, m)."""
        agent = self.agent.copy()
        agent[:, self.constrained, MAN] -= man
        agent[:, self.constrained, WOMAN] -= woman
        return replace(self, agent=agent)

    def log_z(self) -> np.ndarray:
        """(n,) log Σ_y exp f(y, i)."""
        return logsumexp(self.outputs, axis=1)

    def probabilities(self) -> np.ndarray:
        """(n, V, 3) p(v, a | i), Eq. 5.6."""
        return np.exp(self.outputs - self.log_z()[:, None]).reshape(self.agent.shape)

    def expected(self) -> Counted:
        p = self.probabilities()[:, self.constrained]
        return Counted(p[..., MAN], p[..., WOMAN])


@dataclass(frozen=True)
class ManyObjects:
    """Potentials of a gender g and any objects with it per instance, f(g, y) = gender[g] + Σ_j objects[g, j, y_j]: MLC.

    gender: (n, 2), of MAN and WOMAN. objects: (n, 2, V, 2), of THERE and NOT_THERE. constrained: (m,) numbers of the
    objects whose rates are kept. Natural logarithms.

    Raises ValueError for shapes that do not fit, and values that are not finite.
    """

    gender: np.ndarray
    objects: np.ndarray
    constrained: np.ndarray

    def __post_init__(self):
        n, v = len(self.gender), self.objects.shape[2] if self.objects.ndim == 4 else 0
        if self.gender.shape != (n, 2) or self.objects.shape != (n, 2, v, 2):
            raise ValueError(f"gender must be (n, 2), objects (n, 2, V, 2): {self.gender.shape}, {self.objects.shape}")
        if not (np.isfinite(self.gender).all() and np.isfinite(self.objects).all()):
            raise ValueError("potentials must be finite")

    def _is_there(self) -> np.ndarray:
        """(n, 2, V) whether an object would be there, by gender; for equal scores it is not, as in the released
        code."""
        return self.objects[..., THERE] > self.objects[..., NOT_THERE]

    def best(self) -> Scenes:
        """The output with the highest score; for equal ones a woman, as in the released code."""
        total = self.gender + self.objects.max(axis=3).sum(axis=2)
        is_man = total[:, MAN] > total[:, WOMAN]
        return Scenes(is_man, np.where(is_man[:, None], *np.moveaxis(self._is_there(), 1, 0)))

    def scores(self, output: Scenes) -> np.ndarray:
        """(n,) f of outputs."""
        row, gender = np.arange(len(self.gender)), np.where(output.is_man, MAN, WOMAN)
        present, not_there = np.moveaxis(self.objects[row, gender], 2, 0)
        return self.gender[row, gender] + np.where(output.there, present, not_there).sum(axis=1)

    def charged(self, man: np.ndarray, woman: np.ndarray) -> "ManyObjects":
        """With prices of constrained objects that are there with a man, or a woman. Both (m,) or (n, m)."""
        objects = self.objects.copy()
        objects[:, MAN, self.constrained, THERE] -= man
        objects[:, WOMAN, self.constrained, THERE] -= woman
        return replace(self, objects=objects)

    def _log_genders(self) -> np.ndarray:
        """(n, 2) log of the sum over all outputs of each gender."""
        return self.gender + np.logaddexp(self.objects[..., THERE], self.objects[..., NOT_THERE]).sum(axis=2)

    def log_z(self) -> np.ndarray:
        """(n,) log Σ_y exp f(y, i): given the gender, objects are independent of one another."""
        return logsumexp(self._log_genders(), axis=1)

    def expected(self) -> Counted:
        of_gender = np.exp(self._log_genders() - self.log_z()[:, None])
        objects = self.objects[:, :, self.constrained]
        p = of_gender[:, :, None] * expit(objects[..., THERE] - objects[..., NOT_THERE])
        return Counted(p[:, MAN], p[:, WOMAN])


def inference(
    potentials: OneActivity | ManyObjects, released: bool = False
) -> Callable[[Prices], tuple[object, Counts]]:
    """The inference for `lagrangian.solve`, with the rates of the constrained activities: the best outputs under
    prices.

    released: as in `lagrangian.RELEASED`. Only the current best output of an instance is charged, on a fresh copy of
    the potentials; it is remembered, so every run needs its own. The released code charges the exact noun, whereas here
    all men, or women, of an activity are one output.
    """
    current = potentials.best().counted(potentials.constrained)

    def infer(prices: Prices) -> tuple[object, Counts]:
        nonlocal current
        output = potentials.charged(
            *(price * now for price, now in zip(prices, current, strict=True)) if released else prices
        )
        output = output.best()
        current = output.counted(potentials.constrained)
        return output, Counts(
            current.man.sum(axis=0), current.woman.sum(axis=0), float(potentials.scores(output).sum())
        )

    return infer


def dual(
    potentials: OneActivity | ManyObjects, rate: np.ndarray, margin: float, multipliers: np.ndarray
) -> tuple[float, np.ndarray]:
    """−Σ_i log Z_i(λ) (Eq. 5.13) and its gradient, (2, m). rate: (m,) b*. multipliers: (2, m), λ of upper and lower
    bounds."""
    phi = coefficients(rate, margin)
    q = potentials.charged(*prices_of(phi, multipliers))
    counts = np.stack([counted.sum(axis=0) for counted in q.expected()])
    return float((potentials.log_z() - q.log_z()).sum()), np.einsum("bsm,sm->bm", phi, counts)


def regularised(field: OneActivity | ManyObjects, rate: np.ndarray, margin: float) -> OneActivity | ManyObjects:
    """Potentials of q, the distribution nearest to that of `field` with expected rates within the margin (Eqs. 5.9 to
    5.13). As `decisions.posterior`: hard decisions by q can still violate the constraints. rate: (m,) b*."""
    multipliers = posterior.maximise(partial(dual, field, rate, margin), len(rate))
    return field.charged(*prices_of(coefficients(rate, margin), multipliers))


class _Program(NamedTuple):
    """Eq. 5.3 as a program over the existing outputs: their costs, numbers and constraints."""

    cost: np.ndarray
    output: np.ndarray
    constraints: list


def _program(potentials: OneActivity, rate: np.ndarray, margin: float) -> _Program:
    from scipy.optimize import LinearConstraint  # longer to import than most steps take
    from scipy.sparse import csr_array

    scores = potentials.outputs
    instance, output = np.nonzero(np.isfinite(scores))
    column = np.arange(len(output))
    one_each = csr_array((np.ones(len(output)), (instance, column)), shape=(len(scores), len(output)))
    man, woman = Situations(*np.divmod(output, 3)).counted(potentials.constrained)
    upper, lower = (rows[0] * man + rows[1] * woman for rows in coefficients(rate, margin))
    bounds = csr_array(np.concatenate([upper, lower], axis=1).T)
    return _Program(
        -scores[instance, output], output, [LinearConstraint(one_each, 1, 1), LinearConstraint(bounds, -np.inf, 0)]
    )


def _solve(program: _Program, integral: bool):
    from scipy.optimize import Bounds, milp

    solution = milp(
        program.cost,
        integrality=np.full(len(program.cost), int(integral)),
        bounds=Bounds(0, 1),
        constraints=program.constraints,
        options={"time_limit": _SECONDS, "mip_rel_gap": 0},
    )
    if solution.status == 2:
        raise HerbariumError("no outputs meet the constraints of all activities at once; take a wider margin.")
    if solution.status != 0:
        raise HerbariumError(f"no optimum was found in {_SECONDS} seconds ({solution.message}).")
    return solution


def optimum(potentials: OneActivity, rate: np.ndarray, margin: float) -> Situations:
    """The outputs with the greatest sum of scores that meet all constraints (Eq. 5.3), by HiGHS: for small corpora.

    rate: (m,) b*. Raises HerbariumError if no outputs meet them, or none were found in time.
    """
    program = _program(potentials, rate, margin)
    chosen = program.output[_solve(program, integral=True).x > 0.5]
    return Situations(*np.divmod(chosen, 3))


def bound(potentials: OneActivity, rate: np.ndarray, margin: float) -> float:
    """An upper bound of the sum of scores of outputs that meet all constraints: the optimum of the linear relaxation of
    Eq. 5.3. Arguments and errors as for `optimum`."""
    return -float(_solve(_program(potentials, rate, margin), integral=False).fun)
