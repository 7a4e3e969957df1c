"""Methods of deciding within constraints, compared on the same predictions."""

import warnings
from collections.abc import Mapping

import numpy as np
from scipy.special import expit

from herbarium.decisions.constraints import Problem, decided, objective
from herbarium.decisions.names import EXACT
from herbarium.decisions.recipes import Decided
from herbarium.metrics.amplification.score import calibration_error

AS_IT_IS = "as_it_is"
REDUCTIONS, THRESHOLDS = "fairlearn_reductions", "fairlearn_thresholds"
# Most groups for fairlearn's reductions: each adds a constraint and a column.
_MOST_REDUCED = 30


def by_fairlearn(problem: Problem, label: np.ndarray, seed: int) -> dict[str, Decided]:
    """Decisions (log-odds are ±1) of fairlearn's ThresholdOptimizer (Hardt et al. 2016) and ExponentiatedGradient
    (Agarwal et al. 2018) with demographic parity, by method; without the latter if there are many groups, and without
    both if groups are coupled.

    They equalise rates whereas the others keep those of training, and they learn from the labels of the texts that they
    decide, which the others do not see. label: (n,) 0 or 1. seed: of their draws.
    """
    if not problem.is_separable or len(problem.pairs) != len(problem.log_odds):
        return {}
    # Longer to import than most steps take.
    from fairlearn.postprocessing import ThresholdOptimizer
    from fairlearn.reductions import DemographicParity, ExponentiatedGradient
    from pandas.errors import PandasDeprecationWarning
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.linear_model import LogisticRegression

    class AsGiven(ClassifierMixin, BaseEstimator):
        """An already fitted classifier whose scores are its input."""

        def fit(self, *_):
            self.fitted_ = True
            return self

        def predict(self, scores):
            return scores[:, 0]

    group = np.empty(len(problem.log_odds), dtype=int)
    group[problem.instance] = problem.group
    scores = problem.log_odds[:, None]
    thresholds = ThresholdOptimizer(
        estimator=AsGiven().fit(scores, label), constraints="demographic_parity", prefit=True, predict_method="predict"
    ).fit(scores, label, sensitive_features=group)
    decisions = {THRESHOLDS: thresholds.predict(scores, sensitive_features=group, random_state=seed)}
    if len(problem.rate) <= _MOST_REDUCED and 0 < problem.margin < 1:
        columns = np.column_stack([scores, np.eye(len(problem.rate))[group]])
        parity = DemographicParity(difference_bound=problem.margin)
        reduced = ExponentiatedGradient(LogisticRegression(), parity, max_iter=20)
        with warnings.catch_warnings():
            # it grows tables in a way that pandas 4 will refuse; pandas is pinned below that
            warnings.simplefilter("ignore", PandasDeprecationWarning)
            reduced.fit(columns, label, sensitive_features=group)
        decisions[REDUCTIONS] = reduced.predict(columns, random_state=seed)
    return {method: Decided(2.0 * decisions - 1) for method, decisions in decisions.items()}


def judged(problem: Problem, by_method: Mapping[str, Decided], label: np.ndarray) -> list[dict]:
    """One row per method. problem: with the margin at which violations are counted; `AS_IT_IS` and `EXACT` among found.

    violations: of decisions, expected_violations: of B; largest_excess: the distance of the worst group beyond the
    margin; objective_gap: the loss of the objective per text against the optimum (below 0 if constraints are violated);
    accuracy, brier, calibration_error: against label; parity_difference: largest minus least rate; error_rise: the
    largest rise of a group's error rate over the classifier's own, worst_group: its number;
    iterations: nan without any.
    """
    best = objective(problem, decided(by_method[EXACT].log_odds))
    wrong = problem.rates((decided(problem.log_odds) != label).astype(float))
    rows = []
    for method, decision in by_method.items():
        decisions, p = decided(decision.log_odds), expit(decision.log_odds)
        rates = problem.rates(decisions)
        rise = problem.rates((decisions != label).astype(float)) - wrong
        row = {
            "method": method,
            "violations": problem.violations(rates),
            "largest_excess": max(float(problem.excess(rates).max()), 0.0),
            "objective_gap": (best - objective(problem, decisions)) / len(label),
            "accuracy": float((decisions == label).mean()),
            "parity_difference": float(np.ptp(rates)),
            "error_rise": float(rise.max()),
            "worst_group": int(rise.argmax()),
            "iterations": np.nan if decision.violations is None else len(decision.violations) - 1,
        }
        nothing = dict.fromkeys(("expected_violations", "brier", "calibration_error"), np.nan)
        of_p = (
            nothing
            if method in (REDUCTIONS, THRESHOLDS)
            else {
                "expected_violations": problem.violations(problem.rates(p)),
                "brier": float(((p - label) ** 2).mean()),
                "calibration_error": calibration_error(p, label),
            }
        )
        rows.append(row | of_p)
    return rows
