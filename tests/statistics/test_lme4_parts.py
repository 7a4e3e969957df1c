"""What a fit of lme4 is read as, without R."""

import pytest

from herbarium.statistics import lme4


class Parts(dict):
    """What R returns, by name."""

    rx2 = dict.__getitem__


def parts(optimizer):
    tables = {name: [[] for _ in columns] for name, columns in lme4._TABLES.items()}
    tables["variances"] = [["template", "target", "target"], ["(Intercept)", "(Intercept)", "group"], [1.0, 2.0, 3.0]]
    single = {"sigma": 2.0, "reml": 7.0, "n": 9, "singular": False, "optimizer": optimizer}
    return Parts(tables | {name: [value] for name, value in single.items()})


@pytest.mark.parametrize(
    ("optimizer", "notes", "converged"),
    [
        (0, [], True),
        (0, ["boundary (singular) fit: see help('isSingular')"], True),
        (0, ["Model failed to converge with max|grad| = 0.01"], False),  # the optimizer alone is content
        (0, ["fine", "Model is nearly unidentifiable: very large eigenvalue"], False),
        (5, [], False),
        (5, ["Model failed to converge"], False),
    ],
)
def test_a_fit_has_converged_if_optimizer_and_messages_agree(optimizer, notes, converged):
    assert lme4._fit(parts(optimizer), notes).converged is converged


def test_theta_is_of_groups_with_an_intercept_alone():
    assert lme4._fit(parts(0), []).theta == {"template": 0.5}
