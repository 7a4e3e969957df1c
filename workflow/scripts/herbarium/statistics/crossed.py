"""The difference of two groups of words over templates and targets, with all three as samples.

Every word occurs in every template with every target. The estimate is the mean of the first group's words minus that of
the second's; words, templates and targets count equally. Other words, templates and targets would give another
estimate, so its error variance adds up the contribution of each, as for errors clustered in several ways (Cameron,
Gelbach and Miller 2011, J. Bus. Econ. Stat. 29, 238-249):

    V = V_words + V_cells - V_shared.

V_words is the variance of the means of words: Welch's, as words of one group may differ more than those of the other;
paired words are one cluster. V_cells is the variance of the difference between groups over cells of template and
target. Both include the interactions of single words with single templates and targets; V_shared subtracts these once.
V is no less than any of its parts, and has Satterthwaite's degrees of freedom. It is what the maximal mixed model
estimates from balanced data, by mean squares: there is nothing to converge, and no variance to be estimated as 0.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from herbarium.statistics.inference import Mean

# Templates, targets and words of each group. With fewer the test rejects too often.
FEWEST = 4
_AXES = ("template", "target")


@dataclass(frozen=True)
class Words:
    """Scores, (n_words, n_templates, n_targets); for each word whether it is in the first group, and its cluster."""

    scores: np.ndarray
    is_first: np.ndarray
    cluster: np.ndarray

    @property
    def counts(self) -> dict[str, int]:
        """The size of each sample."""
        of_words = min(len(set(self.cluster[members])) for members in (self.is_first, ~self.is_first))
        return {"words of a group": of_words, **dict(zip(("templates", "targets"), self.scores.shape[1:], strict=True))}


def too_few(sample: Words) -> str | None:
    """The samples with fewer than `FEWEST`, in words; None if all are large enough for an error."""
    few = [f"{n} {what}" for what, n in sample.counts.items() if n < FEWEST]
    return f"{', '.join(few)}: fewer than {FEWEST} do not generalise to others" if few else None


def table(data: pd.DataFrame) -> pd.DataFrame:
    """One row per group and word, one column per template and target, all of them with scores.

    data: one row per sentence, with `association`, `group` (1 or 0), `template`, `target` and `word`. Sentences of one
    word in one template with one target are averaged. A template or target without a score for any word is left out,
    then every word that still lacks a score.
    """
    cells = data.pivot_table("association", ["group", "word"], _AXES, "mean", dropna=True)
    whole = pd.MultiIndex.from_product([cells.columns.unique(axis) for axis in _AXES], names=_AXES)
    return cells.reindex(columns=whole).dropna(axis="index")


def words(data: pd.DataFrame) -> Words:
    """The scores of `table`. data: as there, with `pair`. Words in one pair, directly or through others, form one
    cluster."""
    keys = ["group", "word"]
    cells = table(data)
    pairs = data[[*keys, "pair"]].drop_duplicates()
    names, of_pair = pd.factorize(pd.MultiIndex.from_frame(pairs[keys])), pd.factorize(pairs["pair"])[0]
    n = len(names[1])
    links = coo_array((np.ones(len(pairs)), (names[0], n + of_pair)), shape=[n + len(pairs)] * 2)
    cluster = pd.Series(connected_components(links, directed=False)[1][:n], names[1]).reindex(cells.index)
    scores = cells.to_numpy().reshape(len(cells), *(len(cells.columns.unique(axis)) for axis in _AXES))
    return Words(scores, cells.index.get_level_values("group") == 1, cluster.to_numpy())


def difference(sample: Words) -> Mean:
    """The first group's words minus the second's; variance nan if nothing varies. A dimension with one template or
    target is treated as fixed."""
    groups = (sample.is_first, 1), (~sample.is_first, -1)
    cells = sum(sign * sample.scores[is_group].mean(axis=0) for is_group, sign in groups)
    added = np.empty_like(sample.scores)  # contribution of each word to the difference, without the mean of its group
    for is_group, sign in groups:
        added[is_group] = sign * (sample.scores[is_group] - sample.scores[is_group].mean(axis=0)) / is_group.sum()
    parts, shared = [], 0.0
    for stratum in _strata(sample, added):
        n = len(stratum)
        if n > 1:
            parts.append((n / (n - 1) * (stratum.mean(axis=(1, 2)) ** 2).sum(), n - 1))
            shared += n / (n - 1) * sum(_of_cells(table) for table in stratum)
    of_words = sum(variance for variance, _ in parts)
    parts += [(means.var(ddof=1) / n, n - 1) for means in map(cells.mean, (1, 0)) if (n := len(means)) > 1]
    variance = max(of_words + _of_cells(cells) - shared, of_words, *(part for part, _ in parts)) if parts else 0.0
    estimate = float(cells.mean())
    if variance <= 1e-24 * (sample.scores**2).mean():  # rounding
        return Mean(estimate, np.nan, np.nan)
    df = variance**2 / sum(part**2 / df for part, df in parts)
    return Mean(estimate, float(variance), float(df))


def _strata(sample: Words, added: np.ndarray) -> list[np.ndarray]:
    """The contributions of clusters, (n_clusters, n_templates, n_targets) each: those with words of the first group
    only, of the second only, and of both."""
    clusters, place = np.unique(sample.cluster, return_inverse=True)
    total = np.zeros((len(clusters), *added.shape[1:]))
    np.add.at(total, place, added)
    has = [np.bincount(place, is_group, len(clusters)) > 0 for is_group in (sample.is_first, ~sample.is_first)]
    return [total[has[0] & ~has[1]], total[~has[0] & has[1]], total[has[0] & has[1]]]


def _of_cells(table: np.ndarray) -> float:
    """Variance of the mean of a table whose rows and columns are both samples: by mean squares, (MS_rows + MS_columns -
    MS_cells) / cells."""
    by_row, by_column = table.mean(axis=1), table.mean(axis=0)
    rows, columns = table.shape
    variance = (by_row.var(ddof=1) / rows if rows > 1 else 0.0) + (
        by_column.var(ddof=1) / columns if columns > 1 else 0.0
    )
    if rows > 1 and columns > 1:
        rest = table - by_row[:, None] - by_column + table.mean()
        variance -= (rest**2).sum() / ((rows - 1) * (columns - 1)) / table.size
    return variance
