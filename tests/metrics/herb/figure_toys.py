"""Toys of the figures: three models of 18 countries on three continents."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.drawing.marks import BOUNDS
from tests.regions.toy import hierarchy

from herbarium.metrics.herb import toxic as toxic_metric
from herbarium.metrics.herb.figures import continents, heatmap, map, ranking, space, toxic, words
from herbarium.regions import levels
from herbarium.statistics.tidy import TIDY

COUNTRIES = json.loads(Path("resources/maps/countries.geojson").read_text())
CONTINENTS = {"AF": "NA EG KE ML GA TG", "AS": "IN JP NP QA LA", "EU": "FR AD DE ES IT PL PT"}
REGIONS = hierarchy(CONTINENTS, french=["Paris", "Lyon"])
# "weak" is of two topics, as in the paper
TOPICS = {"looks": ["bald", "weak"], "mind": ["wise", "weak", "dull"]}
COLUMNS = [(topic, word) for topic, words in TOPICS.items() for word in words]
MODELS = [{"name": "hub", "planted": None}, {"name": "strong", "planted": 2.0}, {"name": "none", "planted": 0.0}]


def likelihoods(seed):
    below_root = REGIONS["region"][1:]
    f = np.random.default_rng(seed).normal(-4, 1, (len(below_root), len(COLUMNS)))
    f[:, 3] = f[:, 1]
    return pd.DataFrame(f, index=below_root, columns=pd.MultiIndex.from_tuples(COLUMNS, names=["topic", "description"]))


F = {model["name"]: likelihoods(seed) for seed, model in enumerate(MODELS)}


def tidy(models=("hub", "strong", "none"), regions=("earth", "continent:AF", "continent:EU")):
    rows = [
        {
            "model": model,
            "metric": "herb" if variant.startswith("C_w") else "herb_crossed",
            "definition": definition if variant.startswith("C_w") else "crossed",
            "variant": variant,
            "unit": region.partition(":")[0],
            "group": region,
            "estimate": 0.001 * (1 + i + 3 * j),
            "ci_low": 0.0009 * (1 + i + 3 * j),
            "ci_high": 0.0011 * (1 + i + 3 * j),
            "n": 2 + i,
        }
        for j, model in enumerate(models)
        for i, region in enumerate(regions)
        for definition, variant in (("paper", "C_w"), ("released", "C_w"), ("paper", "C_w_size_free"), (None, "D2"))
    ]
    return pd.DataFrame(rows).reindex(columns=TIDY.fields.names)


def planes():
    """Table and embeddings of three models: one lays countries out by continent, one not, one has no representation.
    Countries stand where the first and last number of their representation say: UMAP takes ten seconds."""
    countries = levels.countries(REGIONS)
    centre = 3 * np.eye(8)[pd.factorize(countries["continent"])[0]]
    noise = np.random.default_rng(0).normal(size=centre.shape)
    by_model = {"strong": [*(centre + 0.2 * noise)], "none": [*noise], "hub": [None] * len(countries)}
    embeddings = {
        name: pd.DataFrame({"region": countries["region"], "n_tokens": 1, "representation": rows, "note": None})
        for name, rows in by_model.items()
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(space, "plane", lambda representation, _: representation[:, [0, -1]])
        return space.table(embeddings, REGIONS, MODELS, COUNTRIES, seed=1), embeddings


# --- of the contract: as small as can be, with every kind of mark ---

FEW = MODELS[:2]
NEAR = REGIONS[
    REGIONS["region"].isin(
        ("earth", "continent:AF", "country:NA", "country:EG", "continent:AS", "country:IN", "country:JP")
    )
]
OUTLINES = COUNTRIES | {
    "features": [
        country for country in COUNTRIES["features"] if country["properties"]["iso2"] in ("NA", "JP", "IN", "BR")
    ]
}


def refused():
    """The scores of a model that refused a description of a country and one of a continent."""
    f = F["hub"].copy()
    f.loc["country:IN", ("looks", "bald")] = np.nan
    f.loc["continent:AS", ("mind", "wise")] = np.nan
    return F | {"hub": f}


def by_continent():
    """How well the planes of FEW keep continents apart; the first was not measured."""
    variants = ["silhouette", "knn_purity", "silhouette_null", "knn_purity_null"]
    rows = pd.DataFrame({"variant": variants, "estimate": [0.8, 0.9, 0.0, 0.3], "p_value": [0.001, 0.002, None, None]})
    return pd.concat([rows.assign(model=FEW[0]["name"], estimate=np.nan), rows.assign(model=FEW[1]["name"])])


def on_planes():
    table, _ = planes()
    return table[table["model"].isin([model["name"] for model in FEW])], by_continent(), OUTLINES


def epochs():
    """Tidy rows of two epochs of toxic training, by region."""
    return pd.DataFrame(
        [
            {
                **{"model": model["name"], "metric": "herb_toxic", "definition": "paper", "group": region, "n": 3},
                **{"variant": toxic_metric.at_epoch("C_w_size_free", epoch), "estimate": estimate},
                **{"ci_low": estimate - 0.01, "ci_high": estimate + 0.01},
            }
            for model in FEW
            for place, region in enumerate(["earth", "continent:AF", "continent:AS"])
            for epoch, estimate in enumerate((0.01 * place, 0.02 * place + 0.02))
        ]
    ).reindex(columns=TIDY.fields.names)


TOYS = {
    "continents": lambda: (continents.table(tidy(), NEAR, FEW),),
    "heatmap": lambda: (heatmap.table(refused(), levels.continents(REGIONS), FEW),),
    "map": lambda: (map.table(refused(), NEAR, FEW, "bald", OUTLINES), OUTLINES),
    "ranking": lambda: (ranking.table(refused(), NEAR, FEW, "bald"),),
    "space": on_planes,
    "toxic": lambda: (toxic.table(epochs(), NEAR, FEW),),
    "words": lambda: (words.table(refused(), NEAR, FEW),),
}
MARKS = {
    "continents": ("estimate", "x", BOUNDS, 1000),
    "toxic": ("estimate", "y", BOUNDS, 1000),
    "words": ("share", "x"),
}
