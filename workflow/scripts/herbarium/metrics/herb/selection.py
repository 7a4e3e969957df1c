"""What can be measured of a model: regions and descriptions whose sentences were all scored."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.metrics.herb import score
from herbarium.metrics.herb.likelihoods import frame


@dataclass(frozen=True)
class Likelihoods:
    """The data of HERB: regions and descriptions whose sentences were all scored."""

    regions: pd.DataFrame  # table "regions", those that can be measured
    f: np.ndarray  # (n_regions, n_descriptions)
    f_name: np.ndarray  # (n_regions,)
    parent: np.ndarray  # (n_regions,) rows, -1 for the root
    topic_of: np.ndarray  # (n_descriptions,)
    notes: np.ndarray  # (n_regions,) str or None
    lost: pd.DataFrame  # table "regions", the others
    kept: np.ndarray  # (n_regions of the study,) bool: which regions these are
    used: np.ndarray  # (n_descriptions of the study,) bool


def select(regions: pd.DataFrame, topics: Mapping[str, list[str]], likelihoods: pa.Table) -> Likelihoods:
    """What can be measured of a model.

    regions: table "regions". topics: topic -> its descriptions; a word in two topics is two dimensions. likelihoods:
    rows of one wording.
    """
    by_region = frame(likelihoods, topics)
    topic_of = by_region.columns.get_level_values(0).to_numpy()
    f = by_region.reindex(regions["region"]).to_numpy()
    of_region = likelihoods.select(["region", "f_name", "note"]).to_pandas().set_index("region")
    of_region = of_region.reindex(regions["region"])
    f_name = of_region["f_name"].to_numpy(dtype=float)
    is_scorable, used = score.scorable(f, f_name, rows_of_parents(regions))
    unknown = sorted({word for (_, word), is_used in zip(by_region.columns, used, strict=True) if not is_used})
    of_all = [f"without the descriptions that the tokenizer does not know: {', '.join(unknown)}"] if unknown else []
    notes = ["; ".join([note] * isinstance(note, str) + of_all) or None for note in of_region["note"]]
    if is_scorable.sum() == 1:  # the root, which has no score without them
        notes = ["not measured: sentences about every region were refused"] * len(regions)
    measured = regions[is_scorable].reset_index(drop=True)
    return Likelihoods(
        regions=measured,
        f=f[is_scorable][:, used],
        f_name=f_name[is_scorable],
        parent=rows_of_parents(measured),
        topic_of=topic_of[used],
        notes=np.array(notes, dtype=object)[is_scorable],
        lost=regions[~is_scorable],
        kept=is_scorable,
        used=used,
    )


def rows_of_parents(regions: pd.DataFrame) -> np.ndarray:
    """(n_regions,) the row of each region's parent, -1 for the root."""
    row = pd.Series(np.arange(len(regions)), index=regions["region"])
    return regions["parent"].map(row).fillna(-1).to_numpy(dtype=int)
