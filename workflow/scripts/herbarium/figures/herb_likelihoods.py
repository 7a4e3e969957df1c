"""f(S) of a model as one matrix: what the figures of HERB are drawn from."""

from pathlib import Path

import numpy as np
import pandas as pd

from herbarium import resources, store
from herbarium.errors import HerbariumError
from herbarium.figures import style
from herbarium.probes.herb import QUANTITY, likelihoods


def load(
    probe: Path, scores: list[Path], descriptions: dict[str, Path], regions: pd.DataFrame, models: list[dict]
) -> dict[str, pd.DataFrame]:
    """The matrix of every model, by its name, from files: the probe, and each model's scores in the order of `models`.

    descriptions: topic -> its word list. regions: table "regions". models: model records.
    """
    topics = {topic: resources.read_words(path) for topic, path in descriptions.items()}
    sentences = store.read_frame(probe, "herb_probe", ["sentence_id", "region_name", "description"])
    return {
        model["name"]: matrix(
            sentences, store.read_frame(path, "scores", ["sentence_id", "quantity", "value"]), regions, topics
        )
        for model, path in zip(models, scores, strict=True)
    }


def matrix(
    probe: pd.DataFrame, scores: pd.DataFrame, regions: pd.DataFrame, topics: dict[str, list[str]]
) -> pd.DataFrame:
    """f(S) in nats a token: regions but the root by (topic, description), null where the sentence was refused.

    probe, scores, regions: tables "herb_probe", "scores", "regions". topics: topic -> its descriptions; a word in two
    topics is two columns.
    """
    below_root = regions[regions["parent"].notna()]
    columns = [(topic, word) for topic, words in topics.items() for word in words]
    own = scores[scores["quantity"] == QUANTITY]
    f, _ = likelihoods(probe, own, below_root["name"].tolist(), [word for _, word in columns])
    return pd.DataFrame(
        f,
        index=pd.Index(below_root["region"], name="region"),
        columns=pd.MultiIndex.from_tuples(columns, names=["topic", "description"]),
    )


def of_description(
    f_by_model: dict[str, pd.DataFrame], shown: pd.DataFrame, models: list[dict], description: str
) -> pd.DataFrame:
    """What models say of one description: a row a model (planted ones by strength) and region shown.

    f_by_model: of `matrix`, by model name. shown: rows of table "regions", or some columns, `region` among them.
    models: model records, in any order.

    Gives `model, planted, description`, the columns of `shown`, `f`, and `f_relative`: f minus the region's mean over
    all descriptions, a word in two topics once. Names differ in how likely any sentence with them is; f_relative leaves
    that out. Raises HerbariumError if the study lacks the description.
    """
    parts = []
    for model in style.by_strength(models):
        f = f_by_model[model["name"]]
        once = f.loc[:, ~f.columns.get_level_values("description").duplicated()].droplevel("topic", axis=1)
        if description not in once:
            raise HerbariumError(
                f"The figures are to show '{description}', but that is none of the descriptions of the study. "
                "Take a word from the files under herb.descriptions."
            )
        rows = shown.join(
            pd.DataFrame({"f": once[description], "f_relative": once[description] - once.mean(axis=1)}), on="region"
        )
        planted = np.nan if model["planted"] is None else float(model["planted"])
        parts.append(rows.assign(model=model["name"], planted=planted, description=description))
    return pd.concat(parts, ignore_index=True)
