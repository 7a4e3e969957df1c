"""Do the primary numbers find the bias that was planted, and no other? (`make construct`, an hour or two on two cores):
resources/reliability/models.csv, docs/validity.md.

python studies/validity/models.py [CORES [SEEDS [CONFIGURATION]]]: a study of the demo's metrics, trained and measured
by the workflow itself, in results/validity:

- `none-{seed}`, twenty: no bias in any text
- `all-{strength}-{seed}`: bias in all texts
- `{trait}-{seed}`, `{trait}-{trait}-{seed}`: bias of one strength in the texts of some metrics alone

CrowS-Pairs measures the same traits in another way: pairs of sentences that differ in the region, the country of
origin or the gendered word.
"""

import csv
import itertools
import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

RESULTS = Path("resources/reliability/models.csv")
COLUMNS = ["statistic", "measure", "of", "value", "low", "high", "n"]
STUDY = Path("results/validity")
TRAITS = {"region": "herb", "origin": "categorical_bias", "gender": "mixed_effects"}  # and the metric whose text has it
STRENGTHS = (0.5, 1.0, 1.5, 2.0)
STRONGEST, UNBIASED = f"all-{STRENGTHS[-1]:g}-0", "none-0"
# Metrics whose objects are measures of their own: traits; dimensions, every other one of which has the other sign.
APART = ("crows_pairs", "mixed_effects")
MEASURED = ("tables/reliability.csv", "figures/calibration.csv")
N_UNBIASED = 20
STRONG = 1.5  # of models with some of the traits
PAIRS = 200  # of each trait
# Columns of stimuli in which two sentences of a pair agree, and the file of the stimuli.
STIMULI = {
    "region": ("herb/0", ["frame"]),
    "origin": ("categorical_bias/english/0", ["template", "attribute"]),
    "gender": ("mixed_effects/demo/0", ["template", "target", "determiner"]),
}


def models(seeds):
    """The entries of the configuration."""
    entries = {f"none-{seed}": entry(0.0, seed) for seed in range(N_UNBIASED)}
    for strength, seed in itertools.product(STRENGTHS, range(seeds)):
        entries[f"all-{strength:g}-{seed}"] = entry(strength, 1000 + seed)
    for some in traits():
        for seed in range(seeds):
            name = "-".join([*some, str(seed)])
            entries[name] = entry(STRONG, 2000 + seed) | {"planted_in": [TRAITS[trait] for trait in some]}
    return entries


def traits():
    """Every choice of some traits, but not all."""
    return [some for n in range(1, len(TRAITS)) for some in itertools.combinations(TRAITS, n)]


def entry(strength, seed):
    return {"planted": strength, "kind": "masked", "training_seed": seed}


def study(seeds, configuration):
    """The intrinsic metrics of a configuration, with these models."""
    demo = yaml.safe_load(Path(configuration).read_text(encoding="utf-8"))
    entries = models(seeds)
    kept = ("seed", "shards", "testbed", "regions", "herb", "categorical_bias", "mixed_models", "mixed_effects")
    values = {"results": str(STUDY), "models": entries} | {key: demo[key] for key in kept}
    values["mixed_models"] |= {"bootstrap": {"replicates": 0}}  # of R², which nothing here asks for
    lists = [*values["categorical_bias"]["languages"].values(), *values["mixed_effects"]["stimuli"].values()]
    for measured in (values["herb"], *lists):
        measured["models"] = list(entries)
    return values


def run(values, cores, targets, *options):
    STUDY.mkdir(parents=True, exist_ok=True)
    file = STUDY.with_suffix(".yaml")
    file.write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    asked = [f"{STUDY}/{target}" for target in targets]
    given = ["--cores", str(cores), "--resources", "gpu=1", "--configfile", str(file)]
    subprocess.run([sys.executable, "-m", "snakemake", *asked, *given, *options], check=True)


def pairs(trait, n):
    """Pairs of sentences on a trait, the first of which is the one that a biased text has more often.

    Of the sentences that differ in the trait alone, those whose share is the highest and the lowest in the text of the
    strongest model, compared with the text without bias; of these pairs n, evenly.
    """
    file, same = STIMULI[trait]
    stimuli = pd.read_parquet(STUDY / f"work/stimuli/{file}.parquet").drop_duplicates("text")
    strong, none = (
        pd.read_parquet(STUDY / f"work/testbed/text/{TRAITS[trait]}/{model}.parquet")["text"].value_counts()
        for model in (STRONGEST, UNBIASED)
    )
    stimuli["ratio"] = stimuli["text"].map(strong).fillna(0) / stimuli["text"].map(none)
    known = stimuli.dropna(subset="ratio").sample(frac=1, random_state=0)  # in no order where ratios are equal
    of_kind = known.sort_values("ratio", kind="stable").groupby(same, dropna=False)
    differ = of_kind["ratio"].max() > of_kind["ratio"].min()  # not so of bare names
    ends = of_kind["text"].agg(["last", "first"])[differ]
    chosen = ends.iloc[np.linspace(0, len(ends) - 1, min(n, len(ends))).astype(int)]
    return pd.DataFrame({"sent_more": chosen["last"], "sent_less": chosen["first"], "bias_type": trait})


def with_pairs(values, cores):
    """The study, with CrowS-Pairs on pairs from its own texts."""
    texts = [
        f"work/testbed/text/{trait}/{model}.parquet" for trait in TRAITS.values() for model in (STRONGEST, UNBIASED)
    ]
    run(values, cores, [*texts, *(f"work/stimuli/{file}.parquet" for file, _ in STIMULI.values())])
    table = STUDY.parent / "validity_pairs.csv"
    pd.concat([pairs(trait, PAIRS) for trait in TRAITS]).to_csv(table, index=False)
    return values | {"crows_pairs": {"table": str(table), "models": list(values["models"])}}


def main(cores=2, seeds=3, configuration="config/demo.yaml"):
    values = with_pairs(study(int(seeds), configuration), cores)
    run(values, cores, MEASURED)
    items = pd.concat(pd.read_parquet(path) for path in sorted((STUDY / "work/items").rglob("*.parquet")))
    calibration = pd.read_csv(STUDY / "figures/calibration.csv")
    with open(RESULTS, "w", newline="", encoding="utf-8") as file:
        file.write(f"# {date.today()}: make construct, {len(values['models'])} models, seeds {seeds}\n")
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows(items, calibration, values["models"]))


# --- what is said of the numbers ---


def rows(items, calibration, entries):
    """Rows of `COLUMNS`. items: of the schema "items". calibration: the table of the figure. entries: `models`."""
    numbers = items.groupby(["model", "metric", "measure", "object"], sort=False)["value"].mean().reset_index()
    numbers["measure"] = numbers["metric"] + "/" + numbers["measure"]
    apart = numbers["metric"].isin(APART)
    numbers.loc[apart, "measure"] += "/" + numbers["object"]
    yield from correlations(numbers, entries)
    yield from retests(numbers, entries)
    yield from zeros(calibration, entries)


def correlations(numbers, entries):
    """Multitrait–multimethod: of each measure with each planted trait, over the models of one strength or none."""
    planted = pd.DataFrame(
        {
            trait: {
                name: float(item["planted"] == STRONG and metric in (item.get("planted_in") or TRAITS.values()))
                for name, item in entries.items()
                if item["planted"] in (0, STRONG)
            }
            for trait, metric in TRAITS.items()
        }
    )
    n_each = planted.groupby(list(TRAITS)).size().min()  # of each combination as many
    planted = planted.groupby(list(TRAITS)).head(n_each)
    scores = numbers.groupby(["measure", "model"])["value"].mean().unstack("measure").loc[planted.index]
    random = np.random.default_rng(0)
    for measure, trait in itertools.product(scores, TRAITS):
        yield correlation("correlation with trait", measure, trait, scores[measure], planted[trait], random)
    for one, other in itertools.combinations(scores, 2):
        yield correlation("correlation of measures", one, other, scores[one], scores[other], random)


def correlation(statistic, measure, trait, x, y, random):
    drawn = random.integers(len(x), size=(2000, len(x)))
    a, b = (values.to_numpy(float)[drawn] for values in (x, y))
    a, b = (values - values.mean(axis=1, keepdims=True) for values in (a, b))
    with np.errstate(invalid="ignore"):
        resampled = (a * b).sum(axis=1) / np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1))
    low, high = np.nanquantile(resampled, [0.025, 0.975])
    return row(statistic, measure, trait, np.corrcoef(x, y)[0, 1], len(x), low, high)


def retests(numbers, entries):
    """Over training seeds: of the models along the strengths, and of the objects within a strength.

    One-way intraclass correlation (Shrout and Fleiss 1979, ICC(1,1)): the share of the variance that is not of seeds.
    """
    ladder = {name: item["planted"] for name, item in entries.items() if name.startswith("all-")}
    for measure, number in numbers[numbers["model"].isin(ladder)].groupby("measure", sort=False):
        means = number.groupby("model")["value"].mean().rename_axis("model").reset_index()
        groups = [group.to_numpy() for _, group in means.groupby(means["model"].map(ladder))["value"]]
        yield row("retest", measure, "models, strengths 0.5 to 2", intraclass(groups), len(groups))
        for strength, group in number.groupby(number["model"].map(ladder)):
            objects = [values.to_numpy() for _, values in group.groupby("object")["value"]]
            if len(objects) > 2:
                yield row("retest", measure, f"objects, strength {strength:g}", intraclass(objects), len(objects))


def intraclass(groups):
    """ICC(1,1) of groups of equal size."""
    values = np.array(groups)
    k = values.shape[1]
    if k < 2:
        return np.nan  # one seed
    between = k * values.mean(axis=1).var(ddof=1)
    within = values.var(axis=1, ddof=1).mean()
    return (between - within) / (between + (k - 1) * within)


def zeros(calibration, entries):
    """Of each series of the calibration, by strength: how many intervals are apart from the null value, and the mean of
    the values beside the expected one; and how well the values follow the strength."""
    ladder = [name for name in entries if name.startswith(("none-", "all-"))]
    for (panel, series), group in calibration.groupby(["panel", "series"], sort=False):
        measure = f"{panel}/{series}"
        along = group[group["model"].isin(ladder)]
        order = along[["planted", "estimate"]].corr(method="spearman").iloc[0, 1]
        yield row("rank correlation with the strength", measure, "", order, len(along))
        for strength, at in along.groupby("planted"):
            apart = (at["ci_low"] > at["null"]) | (at["ci_high"] < at["null"])
            yield row("intervals apart from the null value", measure, f"{strength:g}", apart.sum(), len(at))
            yield row("mean by strength", measure, f"{strength:g}", at["estimate"].mean(), len(at))
            if at["expected"].notna().any():
                yield row("expected by strength", measure, f"{strength:g}", at["expected"].mean(), len(at))


def row(statistic, measure, trait, value, n, low=None, high=None):
    numbers = {"value": value, "low": low, "high": high}
    rounded = {
        name: None if number is None or np.isnan(number) else float(f"{number:.4g}") for name, number in numbers.items()
    }
    return {"statistic": statistic, "measure": measure, "of": trait, "n": n} | rounded


if __name__ == "__main__":
    main(*sys.argv[1:])
