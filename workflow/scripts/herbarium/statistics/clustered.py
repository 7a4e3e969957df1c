"""Means of values with units of two kinds, and their errors, clustered both ways."""

import numpy as np

from herbarium.statistics.inference import Mean

# Crossed units of either kind, or as many equal ones as unequal ones are worth. With fewer the test rejects too often.
FEWEST_CROSSED = 4
_ROUNDING = 1e-12  # relative


def two_way(values: np.ndarray, crossed: np.ndarray) -> Mean | None:
    """The mean of sets, with an error clustered in both kinds of units (Cameron, Gelbach and Miller 2011, J. Bus. Econ.
    Stat. 29, 238-249): V = V_one + V_other - V_both, and no less than either. None if a kind has only one unit.

    Degrees of freedom after Satterthwaite (1946), each V with those of its own units (`_clustered`); no more than the
    units of the kind with fewer, less one, which is what they are if all units of a kind have as many sets. If each
    unit of one kind has one of the other kind (a pair its noun), the other kind alone counts.

    values: (n_sets,), finite. crossed: (n_sets, 2).
    """
    places = [np.unique(way, return_inverse=True)[1] for way in crossed.T]
    both = np.unique(places, axis=1, return_inverse=True)[1].ravel()
    n_units = [place.max(initial=-1) + 1 for place in places]
    if min(n_units) < 2:
        return None
    if both.max() + 1 in n_units:
        places = [places[int(np.argmin(n_units))]] * 2
        both = places[0]
    deviations = values - values.mean()
    of_ways = [_clustered(deviations, place) for place in places]
    variance = max(
        sum(variance_of_way for variance_of_way, _ in of_ways) - _clustered(deviations, both)[0],
        *(variance_of_way for variance_of_way, _ in of_ways),
    )
    if places[0] is places[1]:
        df = of_ways[0][1]
    elif not variance:
        df = np.inf
    else:
        df = sum(variance_of_way for variance_of_way, _ in of_ways) ** 2 / sum(
            variance_of_way**2 / of_way for variance_of_way, of_way in of_ways
        )
    return Mean(float(values.mean()), variance, float(min(df, min(n_units) - 1)))


def _clustered(deviations: np.ndarray, place: np.ndarray) -> tuple[float, float]:
    """Variance of a mean with errors in clusters, and its degrees of freedom.

    Both are those of clusters within which all values have the same error (Bell and McCaffrey 2002, Survey Methodology
    28, 169-181, with such errors as the working model): the variance is then unbiased, however unequal the clusters.
    With shares p of all values, the sum of a cluster has the variance p_g² (1 - 2 p_g + Σ p²) in units of that of an
    error. Of n equal clusters this is the usual variance, with the factor n / (n - 1), and n - 1 degrees of freedom.
    place: (n,) the cluster of each, 0, 1, …
    """
    sums, p = np.bincount(place, deviations), np.bincount(place) / len(place)
    if len(p) < 2:
        return 0.0, 1.0
    left = 1 - 2 * p + p @ p
    # The variance is a sum of squares of independent errors u: u'Mu, M = (I - 1p')' diag(w) (I - 1p'), trace p'p.
    w = p**2 / left
    pp, ww, pw, total = p @ p, w @ w, p @ w, w.sum()
    squares = ww - 4 * (w**2 @ p) + 2 * total * (w @ p**2) + 2 * (pp * ww + pw**2) - 4 * total * pw * pp
    df = pp**2 / (squares + (total * pp) ** 2)
    return float((sums**2 / left).sum() / len(place) ** 2), float(df)


def too_few(n: int, mean: Mean | None) -> str | None:
    """Why crossed units have no test, in words; None if they have. n: units of the kind with fewer. mean: `two_way`."""
    if n < FEWEST_CROSSED or mean is None:
        return f"{n} units of one kind: a test needs at least {FEWEST_CROSSED}"
    n_equal = mean.df + 1
    if n_equal < FEWEST_CROSSED - _ROUNDING * n_equal:
        return (
            f"units have so unequal numbers of sets that they say as much as {n_equal:.2g} equal ones: a test needs at "
            f"least {FEWEST_CROSSED}"
        )
    return None
