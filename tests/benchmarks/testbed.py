"""What the demo's models have learned of what was planted: the table of docs/testbed.md, after `make demo`.

python tests/benchmarks/testbed.py (with PYTHONPATH=workflow/scripts)
"""

from pathlib import Path

import numpy as np
import pandas as pd
import torch
import yaml
from transformers import AutoModelForMaskedLM, AutoTokenizer

from herbarium import config, resources, store, testbed
from herbarium.probes.herb import PAPER
from herbarium.probes.likelihoods import frame

RESULTS = Path("results/demo")


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
    log_p = testbed.region_description_log_p(regions, list(f.columns), strength or 1.0, study.seed)
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


def of_traits(study: config.Study, name: str) -> dict[str, float]:
    """How the log-odds male to female of the masked noun, given the trait, follow the planted u."""
    folder = RESULTS / "testbed" / name
    model, tokenizer = AutoModelForMaskedLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    lists = sorted(Path("resources/traits").rglob("*.txt"))
    traits = {path.stem: resources.read_words(path) for path in lists}
    words = [trait for _, trait in testbed.distinct_traits(traits)]
    planted = testbed.trait_gender_log_p(traits, 1.0, study.seed)  # a difference of two traits is one of u
    pairs = pd.read_csv("resources/mixed_effects/traits/pairs.csv", comment="#")
    nouns = [tokenizer.convert_tokens_to_ids(testbed.gendered_nouns(pairs[gender])) for gender in ("female", "male")]
    log_odds = []
    for trait in words:
        text = testbed.trait_sentence(testbed.TRAIT_TEMPLATES[0], tokenizer.mask_token, "female", trait)
        inputs = tokenizer(text, return_tensors="pt")
        at = (inputs["input_ids"][0] == tokenizer.mask_token_id).nonzero().item()
        with torch.no_grad():
            logits = model(**inputs).logits[0, at].double()
        female, male = (torch.logsumexp(logits[of_gender], 0).item() for of_gender in nouns)
        log_odds.append(male - female)
    u = planted[1] - planted[0]
    slope, _ = np.polyfit(u, log_odds, 1)
    return {
        "slope on u, log-odds of the masked noun given the trait": slope,
        "correlation of those log-odds with u": np.corrcoef(u, log_odds)[0, 1],
    }


def of_regions(name: str) -> dict[str, float]:
    summary = store.read_frame(RESULTS / "summary.parquet", "tidy")
    rows = summary[(summary["model"] == name) & (summary["metric"] == "herb") & (summary["variant"] == "sparseness")]
    shown = rows[rows["unit"].isin(["earth", "continent"])].set_index("group")["estimate"]
    return {f"mean distance of the sub-regions of {region}": value for region, value in shown.items()}


if __name__ == "__main__":
    study = config.load(yaml.safe_load(Path("config/demo.yaml").read_text(encoding="utf-8")))
    columns = {
        f"planted: {model.planted:g}": {
            **of_regions(name),
            **of_descriptions(study, name, model.planted),
            **of_traits(study, name),
        }
        for name, model in study.models.items()
    }
    print(pd.DataFrame(columns).round(2).to_string())
