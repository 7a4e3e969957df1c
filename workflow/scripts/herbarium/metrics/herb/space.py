"""Whether countries of one continent lie close together in a model's representations (Li et al. 2022, Section 4.3).

The paper shows it on a picture (Fig. 3). Here are two numbers for it, both computed in the representation space itself,
never in a picture of it, and both compared with their values if countries are randomly permuted over continents. The
distance is 1 - cosine: representations differ in length for reasons that are not geography, such as how often a name
occurs.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from herbarium.statistics.inference import adjust
from herbarium.statistics.tidy import tidy

NEIGHBOURS = 10
PERMUTATIONS = 999


def matrix(embeddings: pd.DataFrame, regions: pd.Series) -> np.ndarray:
    """The representations of the named regions, (n_regions, hidden), nan if there is none.

    embeddings: table "embeddings". regions: identifiers.
    """
    known = embeddings.dropna(subset="representation").set_index("region")["representation"]
    rows = np.full((len(regions), len(known.iloc[0]) if len(known) else 1), np.nan)
    is_known = regions.isin(known.index).to_numpy()
    if is_known.any():
        rows[is_known] = np.stack(known[regions[is_known]])
    return rows


def distances(representations: np.ndarray) -> np.ndarray:
    """(n, n) cosine distances of representations (n, hidden); exactly 0 on the diagonal."""
    from sklearn.metrics import pairwise_distances  # longer to import than most steps take

    cosines = pairwise_distances(representations, metric="cosine")
    np.fill_diagonal(cosines, 0)
    return cosines


def silhouette(distance: np.ndarray, label: np.ndarray) -> float:
    """Mean silhouette (Rousseeuw 1987), -1 to 1: how much nearer a country is to its own continent than to the next.

    distance: (n, n). label: (n,) continents, at least two, each of at least two countries.
    """
    from sklearn.metrics import silhouette_score

    return float(silhouette_score(distance, label, metric="precomputed"))


def nearest(distance: np.ndarray, k: int) -> np.ndarray:
    """(n, k) the k nearest others of each, nearest first; ties by order. k < n."""
    others = distance.copy()
    np.fill_diagonal(others, np.inf)
    return np.argsort(others, axis=1, kind="stable")[:, :k]


def purity(neighbours: np.ndarray, label: np.ndarray) -> float:
    """Mean share of a country's nearest neighbours that lie on its continent, 0 to 1.

    neighbours: (n, k) of `nearest`. label: (n,).
    """
    return float((label[neighbours] == label[:, None]).mean())


def chance_purity(label: np.ndarray) -> float:
    """The mean purity if the labels (n,) are permuted: the probability that two countries share one."""
    _, size = np.unique(label, return_counts=True)
    return float((size * (size - 1)).sum() / (len(label) * (len(label) - 1)))


def permuted(
    statistic: Callable[[np.ndarray], float], label: np.ndarray, n: int, random: np.random.Generator
) -> np.ndarray:
    """(n,) the statistic for each permutation of the labels."""
    return np.array([statistic(random.permutation(label)) for _ in range(n)])


def measure(model: str, countries: pd.DataFrame, embeddings: pd.DataFrame, random: np.random.Generator) -> pd.DataFrame:
    """Tidy rows of one model: silhouette and kNN purity by continent, each with its mean under the permutation null.

    countries: of `hierarchy.countries`. embeddings: table "embeddings".

    Variants `silhouette` and `knn_purity`: the estimate, with the one-sided p-value (1 + as high under the null) / (1 +
    permutations), adjusted over the two (Holm). Variants `silhouette_null` and `knn_purity_null`: the mean over
    permutations. A country without representation, or the only one on its continent, is left out, and the note says so.
    If fewer than two continents are left, or no more countries than neighbours, the estimates are null.
    """
    representation = matrix(embeddings, countries["region"])
    known = np.isfinite(representation).all(axis=1)
    label = countries["continent"].to_numpy()
    alone = known & ~pd.Series(label).where(known).duplicated(keep=False).to_numpy()
    used = known & ~alone
    notes = [f"{(~known).sum()} without representation left out"] * bool((~known).any())
    notes += [f"{alone.sum()} alone on its continent left out"] * bool(alone.any())
    label, n = label[used], int(used.sum())
    rows = pd.DataFrame({"variant": ["silhouette", "knn_purity", "silhouette_null", "knn_purity_null"], "n": n})
    if len(np.unique(label)) < 2:
        notes.append("not measured: fewer than two continents with two countries")
    elif n <= NEIGHBOURS:
        notes.append(f"not measured: {n} countries are too few for {NEIGHBOURS} nearest neighbours")
    else:
        distance = distances(representation[used])
        neighbours = nearest(distance, NEIGHBOURS)
        observed, null = [], []
        for statistic in (lambda label: silhouette(distance, label), lambda label: purity(neighbours, label)):
            observed.append(statistic(label))
            null.append(permuted(statistic, label, PERMUTATIONS, random))
        p = [(1 + (drawn >= value).sum()) / (1 + PERMUTATIONS) for drawn, value in zip(null, observed, strict=True)]
        rows["estimate"] = [*observed, *(drawn.mean() for drawn in null)]
        rows.loc[:1, "p_value"] = p
        rows.loc[:1, "p_adjusted"] = adjust(np.array(p), "holm")
    level = "/".join(countries["level"].drop_duplicates())
    note = "; ".join(notes) or None
    return tidy(
        rows.assign(model=model, metric="herb_space", definition="paper", unit="level", group=level, note=note),
        over="names",
    )
