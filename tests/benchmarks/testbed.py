"""What the demo's models have learned of what was planted: the table of docs/testbed.md, after `make demo`.

python tests/benchmarks/testbed.py (with PYTHONPATH=workflow/scripts)
"""

from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from herbarium.core import store
from herbarium.metrics.herb import planted as herb
from herbarium.metrics.herb.likelihoods import frame
from herbarium.metrics.herb.stimuli import PAPER
from herbarium.metrics.mixed_effects import planted, stimuli
from herbarium.study import config

RESULTS = Path("results/demo_full")


def centred(x: np.ndarray) -> np.ndarray:
    return x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    return np.corrcoef(centred(one).ravel(), centred(other).ravel())[0, 1]


def of_descriptions(study: config.Study, name: str, strength: float) -> dict[str, float]:
    """Correlation of f(S) with the planted log P, both centred by country and description."""
    regions = store.read_frame(RESULTS / "regions.parquet", "regions")
    likelihoods = store.read_where(RESULTS / f"likelihoods/{name}.parquet", "likelihoods", "wording", PAPER)
    f = frame(likelihoods, study.herb.topics).droplevel(0, axis=1)
    f = f.loc[:, ~f.columns.duplicated()]
    log_p = herb.region_description_log_p(regions, list(f.columns), strength or 1.0, study.seed)
    log_p = pd.DataFrame(log_p, index=regions["region"], columns=f.columns)
    countries = regions[regions["level"] == "country"]
    one_word = countries[countries["name"].str.isalpha()]
    return {
        "correlation of f(S) with planted log P, countries": correlation(
            f.loc[countries["region"]].to_numpy(), log_p.loc[countries["region"]].to_numpy()
        ),
        "the same, countries of one-word names": correlation(
            f.loc[one_word["region"]].to_numpy(), log_p.loc[one_word["region"]].to_numpy()
        ),
    }


def of_genders(study: config.Study, name: str) -> dict[str, float]:
    """How male minus female associations of the targets follow the planted u."""
    (entry,) = study.mixed_effects.stimuli.values()
    path = RESULTS / f"observations/{name}/mixed_effects/demo.parquet"
    observed = store.read_frame(path, "mixed_effects_observations")
    means = observed[observed["definition"] == "paper"].groupby(["target", "gender"])["association"].mean().unstack()
    u = pd.Series(planted.leans(stimuli.read(entry.lists), study.seed)).loc[means.index]
    difference = means["male"] - means["female"]
    return {
        "slope on u of the targets' associations, male minus female": np.polyfit(u, difference, 1)[0],
        "correlation of the two": np.corrcoef(u, difference)[0, 1],
    }


def of_regions(name: str) -> dict[str, float]:
    summary = store.read_frame(RESULTS / "summary.parquet", "tidy")
    rows = summary[(summary["model"] == name) & (summary["metric"] == "herb") & (summary["variant"] == "sparseness")]
    shown = rows[rows["unit"].isin(["earth", "continent"])].set_index("group")["estimate"]
    return {f"mean distance of the sub-regions of {region}": value for region, value in shown.items()}


if __name__ == "__main__":
    study = config.load(yaml.safe_load(Path("config/demo_full.yaml").read_text(encoding="utf-8")))
    strength = {name: model.planted for name, model in study.models.items()}
    regions = {
        name: of_regions(name) | of_descriptions(study, name, strength[name])
        for name in study.herb.measured(study.models)
    }
    genders = {name: of_genders(study, name) for name in study.mixed_effects.models}
    for found in (regions, genders):
        columns = {f"planted: {strength[name]:g}": numbers for name, numbers in found.items()}
        print(pd.DataFrame(columns).round(2).to_string(), end="\n\n")
