"""A conditional random field with one activity per instance, and planted data on which its decisions amplify.

The potentials are affine in the features x of an instance, as in Zhao (2021), thesis, Section 5.1.4: f(v, a) =
w_v · x + u_va · x. It learns by maximum likelihood with a squared penalty on all weights except the intercepts.

In planted data the activity is drawn first, then its agent with the rate b*(v), then features with normal noise that
identify both in part. An observer who knows this distribution decides for the likelier output, and so amplifies,
without any training or error. Its probabilities do not amplify: their expected rates are those of the data.
"""

from typing import NamedTuple

import numpy as np

from herbarium.metrics.amplification.structured import MAN, NEITHER, WOMAN, OneActivity, Situations

PENALTY = 1e-3  # of the mean log-likelihood: half of it a squared weight
_ITERATIONS = 500


class Weights(NamedTuple):
    """activity: (d + 1, V), agent: (d + 1, V, 3), the last row of each has the intercepts."""

    activity: np.ndarray
    agent: np.ndarray


def potentials(weights: Weights, features: np.ndarray) -> OneActivity:
    """Potentials of instances, all activities constrained. features: (n, d)."""
    x = _with_one(features)
    agent = np.einsum("nd,dva->nva", x, weights.agent)
    return OneActivity(x @ weights.activity, agent, np.arange(agent.shape[1]))


def _with_one(features: np.ndarray) -> np.ndarray:
    return np.column_stack([features, np.ones(len(features))])


def loss(weights: Weights, features: np.ndarray, labels: Situations, penalty: float = PENALTY) -> tuple[float, Weights]:
    """Minus the mean log-likelihood of labels, in nats, with the penalty; and its gradient. features: (n, d)."""
    scores = potentials(weights, features)
    n, v, _ = scores.agent.shape
    observed = np.zeros((n, v, 3))
    observed[np.arange(n), labels.activity, labels.agent] = 1
    beyond = (scores.probabilities() - observed) / n
    x = _with_one(features)
    shrunk = Weights(*(penalty * _without_intercepts(part) for part in weights))
    value = (scores.log_z() - scores.scores(labels)).mean() + sum(
        (part * small).sum() / 2 for part, small in zip(weights, shrunk, strict=True)
    )
    gradient = Weights(x.T @ beyond.sum(axis=2), np.einsum("nd,nva->dva", x, beyond))
    return float(value), Weights(*(part + small for part, small in zip(gradient, shrunk, strict=True)))


def _without_intercepts(part: np.ndarray) -> np.ndarray:
    return np.concatenate([part[:-1], np.zeros_like(part[-1:])])


def fit(features: np.ndarray, labels: Situations, n_activities: int, penalty: float = PENALTY) -> Weights:
    """Weights of the greatest penalised likelihood, by L-BFGS. features: (n, d).

    As intercepts are not penalised, expected rates of the training instances equal those of their labels.
    """
    from scipy.optimize import minimize  # longer to import than most steps take

    size = (features.shape[1] + 1) * n_activities

    def parts(flat: np.ndarray) -> Weights:
        return Weights(flat[:size].reshape(-1, n_activities), flat[size:].reshape(-1, n_activities, 3))

    def flattened(flat: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = loss(parts(flat), features, labels, penalty)
        return value, np.concatenate([part.ravel() for part in gradient])

    solution = minimize(
        flattened, np.zeros(4 * size), jac=True, method="L-BFGS-B", options={"maxiter": _ITERATIONS, "gtol": 1e-6}
    )
    return parts(solution.x)


class Design(NamedTuple):
    """The planted distribution. rate: (V,) b*, share of men among men and women of an activity, between 0 and 1,
    exclusive. neither: share of instances whose agent is neither. of_activity, of_gender: the distances of activities,
    and of genders, in the features, in standard deviations of their noise."""

    rate: np.ndarray
    neither: float = 0.2
    of_activity: float = 2.0
    of_gender: float = 0.7


DESIGN = Design(np.linspace(0.1, 0.9, 12))


class Data(NamedTuple):
    features: np.ndarray  # (n, V + 2)
    labels: Situations


def draw(design: Design, n: int, random: np.random.Generator) -> Data:
    """n instances, activities equally likely."""
    activity = random.integers(len(design.rate), size=n)
    agent = np.where(random.random(n) < design.rate[activity], MAN, WOMAN)
    agent[random.random(n) < design.neither] = NEITHER
    features = _centres(design)[activity, agent] + random.normal(size=(n, len(design.rate) + 2))
    return Data(features, Situations(activity, agent))


def _centres(design: Design) -> np.ndarray:
    """(V, 3, V + 2) mean features of each output: one dimension per activity, one between man and woman, one for
    neither."""
    v = len(design.rate)
    centres = np.zeros((v, 3, v + 2))
    centres[np.arange(v), :, np.arange(v)] = design.of_activity
    centres[:, MAN, v], centres[:, WOMAN, v] = design.of_gender / 2, -design.of_gender / 2
    centres[:, NEITHER, v + 1] = design.of_activity
    return centres


def planted(design: Design) -> Weights:
    """Weights of an observer who knows what is planted: log p(v, a | x) is affine in x, as all noise has the same
    variance.

    Their best outputs are Bayes-optimal: over many instances, their b̃ is that of a perfect learner.
    """
    gendered = np.stack([design.rate, 1 - design.rate], axis=1) * (1 - design.neither)
    prior = np.column_stack([gendered, np.full(len(design.rate), design.neither)])
    centres = _centres(design)
    intercept = np.log(prior) - (centres**2).sum(axis=2) / 2
    agent = np.concatenate([np.moveaxis(centres, 2, 0), intercept[None]])
    return Weights(np.zeros(agent.shape[:2]), agent)
