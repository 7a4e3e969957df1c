"""f(S) of a model as one matrix: the data of HERB's figures."""

from pathlib import Path

import numpy as np
import pandas as pd

from herbarium.core import store
from herbarium.drawing import style
from herbarium.metrics.herb.likelihoods import frame
from herbarium.metrics.herb.stimuli import PAPER


def load(paths: list[Path], topics: dict[str, list[str]], models: list[dict]) -> dict[str, pd.DataFrame]:
    """f(S) of the published wording by model name: regions except the root by (topic, description).

    paths: tables "likelihoods", in the order of `models`. topics: topic -> its descriptions; a word in two topics has
    two columns. models: model records. Natural-log means, nan if the sentence was refused.
    """
    return {
        model["name"]: frame(store.read_where(path, "likelihoods", "wording", PAPER), topics)
        for model, path in zip(models, paths, strict=True)
    }


def of_description(
    f_by_model: dict[str, pd.DataFrame], shown: pd.DataFrame, models: list[dict], description: str
) -> pd.DataFrame:
    """f(S) of one description: one row per model (planted ones by strength) and region shown.

    f_by_model: of `load`. shown: rows of table "regions", or some columns, `region` among them.
    models: model records, in any order.

    Gives `model, planted, description`, the columns of `shown`, `f`, and `f_relative`: f minus the region's mean over
    all descriptions, a word in two topics once. Names differ in how likely any sentence with them is; f_relative
    removes that.
    """
    parts = []
    for model in style.by_strength(models):
        f = f_by_model[model["name"]]
        once = f.loc[:, ~f.columns.get_level_values("description").duplicated()].droplevel("topic", axis=1)
        rows = shown.join(
            pd.DataFrame({"f": once[description], "f_relative": once[description] - once.mean(axis=1)}), on="region"
        )
        planted = np.nan if model["planted"] is None else float(model["planted"])
        parts.append(rows.assign(model=model["name"], planted=planted, description=description))
    return pd.concat(parts, ignore_index=True)
