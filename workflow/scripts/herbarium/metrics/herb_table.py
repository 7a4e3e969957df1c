"""HERB as tidy numbers: from the probe's scores through `metrics.herb` to one row a region and variant."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from herbarium.console import tracked
from herbarium.metrics import herb
from herbarium.metrics.tidy import tidy
from herbarium.probes.herb import QUANTITY, likelihoods
from herbarium.statistics import percentile_interval, stream

VARIANTS = ("C_w", "C_z", "C_w_size_free", "C_z_size_free", "sparseness")


@dataclass(frozen=True)
class Likelihoods:
    """What HERB is computed from: regions and descriptions whose sentences were all scored."""

    regions: pd.DataFrame  # table "regions", those that can be measured
    f: np.ndarray  # (n_regions, n_descriptions)
    f_name: np.ndarray  # (n_regions,)
    parent: np.ndarray  # (n_regions,) rows, -1 for the root
    topic_of: np.ndarray  # (n_descriptions,)
    notes: np.ndarray  # (n_regions,) str or None
    lost: pd.DataFrame  # table "regions", the others


def select(
    regions: pd.DataFrame, topics: dict[str, list[str]], probe: pd.DataFrame, scores: pd.DataFrame
) -> Likelihoods:
    """What can be measured of a model. Arguments as for `measure`."""
    descriptions = [word for words in topics.values() for word in words]
    topic_of = np.repeat(list(topics), [len(words) for words in topics.values()])
    f, f_name = likelihoods(probe, scores[scores["quantity"] == QUANTITY], regions["name"].tolist(), descriptions)
    kept, used = herb.scorable(f, f_name, rows_of_parents(regions))
    unused = {word for word, is_used in zip(descriptions, used, strict=True) if not is_used}
    measured = regions[kept].reset_index(drop=True)
    return Likelihoods(
        regions=measured,
        f=f[kept][:, used],
        f_name=f_name[kept],
        parent=rows_of_parents(measured),
        topic_of=topic_of[used],
        notes=_notes(regions, probe, scores, unused)[kept],
        lost=regions[~kept],
    )


def measure(
    model: str,
    regions: pd.DataFrame,
    topics: dict[str, list[str]],
    probe: pd.DataFrame,
    scores: pd.DataFrame,
    bootstrap: dict,
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """The tidy rows of one model, definition `paper`.

    regions: table "regions". topics: topic -> its descriptions; a word in two topics is two dimensions. probe, scores:
    tables "herb_probe" and "scores". bootstrap: `replicates` over descriptions within topics, `level` of the intervals.

    `n` is the number of sub-regions; a leaf, for which all variants agree (Eq. 8, l = 1), has 0 and one row, C_w. A
    region that could not be measured has one row without estimate, and a note.
    """
    selected = select(regions, topics, probe, scores)
    f, f_name, parent = selected.f, selected.f_name, selected.parent
    n_below = np.bincount(parent[parent >= 0], minlength=len(parent))
    estimates = herb.herb(f, f_name, parent)
    random = stream(seed, "bootstrap", "herb", model)
    n = bootstrap["replicates"]
    replicates = herb.bootstrap(f, f_name, parent, selected.topic_of, n, random, threads)
    replicates = list(tracked(replicates, n, "replicates", f"Bootstrap of {model}"))

    tables = []
    for variant in VARIANTS:
        table = pd.DataFrame(
            {
                "variant": variant,
                "unit": selected.regions["level"],
                "group": selected.regions["region"],
                "estimate": getattr(estimates, variant),
                "n": n_below,
                "note": selected.notes,
            }
        )
        if n > 1:
            drawn = np.array([getattr(scores, variant) for scores in replicates])
            table["std_error"] = drawn.std(axis=0, ddof=1)
            table["ci_low"], table["ci_high"] = percentile_interval(drawn, bootstrap["level"])
        applies = n_below >= (2 if variant == "sparseness" else 0 if variant == "C_w" else 1)
        tables.append(table[applies])
    lost = selected.lost
    tables.append(
        pd.DataFrame(
            {
                "variant": "C_w",
                "unit": lost["level"],
                "group": lost["region"],
                "note": "not measured: sentences on it, or on the region it lies in, were refused",
            }
        )
    )
    return tidy(pd.concat(tables, ignore_index=True).assign(model=model, metric="herb", definition="paper"))


def _notes(regions: pd.DataFrame, probe: pd.DataFrame, scores: pd.DataFrame, left_out: set[str]) -> np.ndarray:
    """(n_regions,) what is to be said of each region's numbers, None where there is nothing."""
    remarked = scores.loc[scores["note"].notna() & scores["value"].notna(), "sentence_id"]
    partly_known = probe.loc[probe["sentence_id"].isin(remarked) & probe["description"].isna(), "region_name"]
    of_all = [f"without the descriptions that the tokenizer does not know: {', '.join(sorted(left_out))}"] * bool(
        left_out
    )
    of_some = ["the tokenizer knows only a part of the name"]
    rows = [of_some * is_partly_known + of_all for is_partly_known in regions["name"].isin(partly_known)]
    return np.array(["; ".join(notes) or None for notes in rows], dtype=object)


def rows_of_parents(regions: pd.DataFrame) -> np.ndarray:
    """(n_regions,) the row of each region's parent, -1 for the root."""
    row = pd.Series(np.arange(len(regions)), index=regions["region"])
    return regions["parent"].map(row).fillna(-1).to_numpy(dtype=int)
