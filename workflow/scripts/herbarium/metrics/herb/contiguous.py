"""Whether regions differ more than other contiguous parts of the map would.

Names of neighbouring countries may resemble one another without any bias of continents. Then every region that is in
one piece has a crossed distance above 0, continents too. So the distance of the root is compared with that of the same
names under other partitions: the map is turned at random, and each name takes the region of a place that then lies near
it. It is the spin test of brain maps (Alexander-Bloch et al. 2018, NeuroImage 178), with places assigned one to one
(Markello and Misic 2021, NeuroImage 236), so that regions keep their sizes.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.transform import Rotation

from herbarium.metrics.herb import crossed
from herbarium.regions import levels
from herbarium.statistics.tidy import tidy

VARIANT = f"{crossed.VARIANT}_contiguous"
N_PARTITIONS = 499
FEWEST = 30  # names with a place; studies/validity/herb.py


def measure(
    model: str,
    regions: pd.DataFrame,
    topics: Mapping[str, list[str]],
    likelihoods: Mapping[str, pa.Table],
    positions: pd.DataFrame,
    random: np.random.Generator,
) -> pd.DataFrame:
    """The tidy row of the test of the root. positions: of `regions.positions`. random: of the study, the same for all
    models. The other arguments are those of `crossed.measure`."""
    countries = levels.countries(regions).set_index("region")["iso2"]
    places = positions.reindex(countries).set_index(countries.index).dropna()
    root = regions[regions["parent"].isna()].iloc[0]
    measured = row(crossed.study(regions, topics, likelihoods), places, random)
    key = {"metric": crossed.METRIC, "definition": crossed.DEFINITION, "variant": VARIANT}
    return tidy(
        pd.DataFrame([{"model": model, **key, "unit": root["level"], "group": root["region"], **measured}]),
        over="names",
    )


def row(stimuli: crossed.Study, places: pd.DataFrame, random: np.random.Generator) -> dict:
    """Fields of a tidy row: the `estimate` of the root over the `n` names with a place, its one-sided `p_value`, or a
    `note` that says why there is none.

    places: (n_places, 3) unit vectors, by region.
    """
    placed = stimuli.names.isin(places.index).to_numpy()
    at = places.loc[stimuli.names[placed]].to_numpy()
    n = int(placed.sum())
    if n < FEWEST:
        have = "name has" if n == 1 else "names have"
        return {
            "n": n,
            "note": f"no test against other regions of the map: {n} {have} a place there, it takes {FEWEST}",
        }
    if is_on_one_side(at):
        return {"n": n, "note": "no test against other regions of the map: all lie on one half of the globe"}
    names = [column[placed] for column in (stimuli.group, stimuli.kind, stimuli.unit)]
    group, kind, unit = (np.unique(column, return_inverse=True)[1] for column in names)
    alike = products(stimuli.y[:, placed])
    observed = of_root(alike, group, kind, unit)
    if observed is None:
        return {"n": n, "note": "not measured: too few names with the same number of tokens and a place on the map"}
    others = [of_root(alike, other, kind, unit) for other in islice(partitions(at, group, random), N_PARTITIONS)]
    p = p_value(observed, [other for other in others if other is not None])
    return {"n": n, "estimate": observed, "p_value": p, "p_adjusted": p}


def p_value(observed: float, others: list[float]) -> float:
    """One-sided, of a value among those of random partitions (Phipson and Smyth 2010, Stat. Appl. Genet. 9)."""
    return float((1 + (np.array(others) >= observed).sum()) / (1 + len(others)))


def partitions(positions: np.ndarray, group: np.ndarray, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Partitions of names into contiguous regions of the same sizes, without end.

    positions: (n_names, 3) unit vectors. group: (n_names,) regions. After a random rotation of the sphere every name
    takes the region of one turned place, and every place is taken once; of all such assignments the one with the least
    sum of squared distances.
    """
    while True:
        turned = positions @ Rotation.random(None, random).as_matrix()
        yield group[linear_sum_assignment(positions @ turned.T, maximize=True)[1]]


def products(y: np.ndarray) -> np.ndarray:
    """(n_names, n_names) the mean product of what two names do. y: (n_forms, n_names, n_words), of
    `crossed.profiles`."""
    return (y @ y.transpose(0, 2, 1)).mean(axis=0) / y.shape[2]


def of_root(alike: np.ndarray, group: np.ndarray, kind: np.ndarray, unit: np.ndarray) -> float | None:
    """D² of the root; None if nothing can be compared. alike: of `products`. group, kind, unit: as for
    `crossed.pairs`."""
    weights = crossed.pairs(group, kind, unit).of_root()
    return None if weights is None else float((weights * alike).sum())


def is_on_one_side(positions: np.ndarray) -> bool:
    """Whether one half of the globe has all places. Then a rotation mostly moves them to where no name is, and the test
    rejects too often without bias."""
    return bool(linprog(np.zeros(3), -positions, -np.ones(len(positions)), bounds=(None, None)).success)
