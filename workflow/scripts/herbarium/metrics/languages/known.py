"""What planted vectors (`vectors.planted`) imply for the mean gap."""

import numpy as np

from herbarium.metrics.languages.stimuli import LEAN
from herbarium.vectors.planted import BY_DEFINITION, DIMENSIONS, NOISE


def expected(strength: float, is_strong: np.ndarray) -> float:
    """The expectation of `score.lean` over concepts, seeds and noise, exactly.

    Two words of other concepts are independent, and symmetric but for the gender direction g. So the expectation of
    their cosine is the product of those of both cosines with g: c(α) c(β), of a word at α on g. Of a strong pair, at
    8 + s and s − 8, the mean gap is c(s − 8) c(−8) − c(8 + s) c(8), of a weak one, at s, −2 c(s) c(8).

    is_strong: (n,) whether the forms of each occupation differ.
    """
    at, at_origin = LEAN * strength, _cosine(BY_DEFINITION)
    strong = at_origin * (_cosine(BY_DEFINITION - at) - _cosine(BY_DEFINITION + at))
    return float(np.where(is_strong, strong, -2 * at_origin * _cosine(at)).mean())


def _cosine(along: float) -> float:
    """c(α): the expected cosine with g of a vector that is normal, in units of 1/√d with the variance 1 + NOISE², about
    α on g. On g over the rest it is a noncentral t."""
    from scipy.stats import nct  # longer to import than most steps take

    if not along:
        return 0.0
    df = DIMENSIONS - 1
    t = nct(df, along / np.sqrt(1 + NOISE**2))
    return float(t.expect(lambda x: x / np.sqrt(x**2 + df)))
