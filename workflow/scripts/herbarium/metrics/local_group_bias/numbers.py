"""Local group bias as tables: the compared instances, and the clusters and numbers found in them.

An instance is a test text with the prefix of a region. Either each text occurs twice, with one and with another region
(`pairs`), or once, with a random country inside or outside a continent (`one_against_rest`). Or it is a test text as it
is, in the group that a column of the data names (`own_groups`).
"""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, fields

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.attributes import Pair, group_of
from herbarium.core.errors import HerbariumError
from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.metrics.local_group_bias import null
from herbarium.metrics.local_group_bias import score as lgb
from herbarium.metrics.local_group_bias.names import CORRECTION, METRIC
from herbarium.statistics.inference import adjust
from herbarium.statistics.tidy import tidy

K_MEANS, GLOBAL = "k_means", "global"
# How instances got their groups (`null`): each text is in both, was put into one at random, or has one of its own.
DESIGNS = (MATCHED, DRAWN, GIVEN) = ("matched", "drawn", "given")
_ORIGINAL = 0  # the prefix of the texts as they are
_RATES = tuple(f"{rate}_{group}" for rate in ("accuracy", "auc", "fpr", "fnr") for group in (0, 1))
# The clusters with enough instances of both groups, those of the largest gap first; `gap` is accuracy_1 - accuracy_0,
# `auc_gap` the same of AUCs. The method "global" has one cluster, of all instances. A comparison is called "one against
# another", or "attribute: one, another": group 0 and group 1.
CLUSTERS = schema(
    "local_group_bias_clusters",
    *((name, pa.string()) for name in ("model", "task", "comparison", "method")),
    ("cluster", pa.int32()),
    ("n_0", pa.int64()),
    ("n_1", pa.int64()),
    *((name, pa.float64()) for name in (*_RATES, "gap", "auc_gap")),
    ("words", pa.string()),
    nullable=(*_RATES, "auc_gap"),  # if a group has no text of a class
)
# The instances of every comparison of a task, as in `Comparison`.
INSTANCES = schema(
    "local_instances",
    ("comparison", pa.string()),
    ("example", pa.int32()),
    ("prefix", pa.int32()),
    ("group", pa.int8()),
    ("design", pa.string()),
)
SELECTED = "no interval: the largest of several gaps, selected after seeing them"
TOP_WORDS = 10
LEAST_Z = 1.96
_WORD = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"


@dataclass(frozen=True)
class Settings:
    """A study's choices; the configuration explains each."""

    clusters: int
    strength: float
    permutations: int
    restarts: int


@dataclass(frozen=True)
class Comparison:
    """Two groups of instances."""

    name: str
    instances: pd.DataFrame  # example, prefix: their numbers; group: 0 or 1
    design: str  # one of DESIGNS


def pairs(prefixes: pd.DataFrame, n_examples: int, a: str, b: str) -> Comparison:
    """Every test text with region a (group 0) and with region b (group 1).

    prefixes: table "task_prefixes". a, b: its groups, such as "country:MX". Raises HerbariumError for a group that does
    not exist, or is not a region's.
    """
    known = prefixes[prefixes["kind"] == "region"].set_index("group")["prefix"]
    for region in (a, b):
        if region not in known.index:
            raise HerbariumError(
                f"local_group_bias.pairs: no text of the task gets the region '{region}'; give a region id such as "
                f"'{known.index[0] if len(known) else 'country:MX'}'."
            )
    examples = np.arange(n_examples)
    instances = pd.DataFrame(
        {
            "example": np.tile(examples, 2),
            "prefix": np.repeat([known[a], known[b]], n_examples),
            "group": np.repeat([0, 1], n_examples),
        }
    )
    return Comparison(f"{a} against {b}", instances, MATCHED)


def one_against_rest(
    prefixes: pd.DataFrame, labels: np.ndarray, continent: str, random: np.random.Generator
) -> Comparison:
    """Each test text with one country: half of each class with a country of the continent (group 0), half with another.

    prefixes: table "task_prefixes". labels: (n_examples,). continent: a region id such as "continent:AF". In a class
    with an odd number of texts, chance decides which group has one more. Each text's country is drawn uniformly. Raises
    HerbariumError if there is no country inside, or none outside.
    """
    countries = prefixes[(prefixes["unit"] == "country") & prefixes["continent"].notna()]
    inside = (countries["continent"] == continent).to_numpy()
    if inside.all() or not inside.any():
        raise HerbariumError(
            f"local_group_bias.continents: {'all' if inside.all() else 'none'} of the task's {len(countries)} "
            f"countries lie in '{continent}'; some must be inside and some outside."
        )
    group = np.empty(len(labels), dtype=int)
    for label in np.unique(labels):
        members = random.permutation(np.flatnonzero(labels == label))
        half = (len(members) + random.integers(2)) // 2
        group[members[:half]], group[members[half:]] = 0, 1
    number = countries["prefix"].to_numpy()
    drawn = [random.choice(number[is_side], len(labels)) for is_side in (inside, ~inside)]
    instances = pd.DataFrame(
        {"example": np.arange(len(labels)), "prefix": np.where(group == 0, *drawn), "group": group}
    )
    return Comparison(f"{continent} against the rest", instances, DRAWN)


def own_groups(cells: pd.Series, pair: Pair) -> Comparison:
    """The test texts of two groups, as they are. cells: their column of the type `core.attributes.GROUPS`."""
    group = group_of(cells, pair.attribute, (pair.first, pair.second))
    example = np.flatnonzero(group >= 0)
    instances = pd.DataFrame({"example": example, "prefix": _ORIGINAL, "group": group[example]})
    return Comparison(pair.name, instances, GIVEN)


def instance_table(comparisons: Iterable[Comparison]) -> pd.DataFrame:
    """Comparisons as a table of the schema "local_instances", which `comparisons` reads back."""
    parts = [
        comparison.instances.assign(comparison=comparison.name, design=comparison.design) for comparison in comparisons
    ]
    return pd.concat([pd.DataFrame(columns=INSTANCES.fields.names), *parts], ignore_index=True)


def comparisons(table: pd.DataFrame) -> list[Comparison]:
    """The comparisons of a table of the schema "local_instances"."""
    return [
        Comparison(name, rows[["example", "prefix", "group"]].reset_index(drop=True), rows["design"].iloc[0])
        for name, rows in table.groupby("comparison", sort=False)
    ]


def features_of(comparison: Comparison, features_table: pd.DataFrame, features: np.ndarray) -> np.ndarray:
    """(n, d) features of a comparison's instances, in their order.

    kept: `example` and `prefix` of the rows of `features`, each once. Raises HerbariumError if some are missing.
    """
    columns = ["example", "prefix"]
    rows = pd.MultiIndex.from_frame(features_table[columns]).get_indexer(
        pd.MultiIndex.from_frame(comparison.instances[columns])
    )
    if (rows < 0).any():
        example, prefix = comparison.instances.loc[rows < 0, columns].iloc[0]
        raise HerbariumError(
            f"{comparison.name}: {(rows < 0).sum()} of {len(rows)} instances have no features, the first of them "
            f"example {example} with prefix {prefix}. Delete the features of this task and run snakemake again."
        )
    return features[rows]


def observed(comparison: Comparison, examples: pd.DataFrame, log_odds: np.ndarray) -> pd.DataFrame:
    """The instances with `label`, `log_odds` and `text`, the text without the prefix.

    examples: the test examples of table "task_examples", row i example i. log_odds: (n_prefixes, n_examples).
    """
    example, prefix = (comparison.instances[name].to_numpy() for name in ("example", "prefix"))
    return comparison.instances.assign(
        label=examples["label"].to_numpy()[example],
        log_odds=log_odds[prefix, example],
        text=examples["text"].to_numpy()[example],
    )


@dataclass(frozen=True)
class Measured:
    """The result of one comparison."""

    clusters: pd.DataFrame  # of the schema "local_group_bias_clusters"
    numbers: pd.DataFrame  # tidy rows


def measure(
    model: str,
    task: str,
    comparison: Comparison,
    instances: pd.DataFrame,
    features: np.ndarray,
    settings: Settings,
    seed: int,
    names: Collection[str],
) -> Measured:
    """Clusters and numbers of K-Means and of LOGAN, definitions `paper` (variant exact) and `released` (published).

    instances: of `observed`. features: (n, d) of `features_of`. seed: of the study. names: of regions, whose words must
    not be topic words, as those of an attribute and its groups.

    From features of texts with a prefix, the mean of their group is subtracted: what a prefix adds equally to all texts
    is not local, and would separate the groups into different clusters. A prediction is positive if log_odds > 0.

    Tidy rows of metric "local_group_bias": the fields of `Summary`, of LOGAN and, with the suffix _k_means, of K-Means,
    merged according to the definition; and `inertia_ratio`, LOGAN's inertia divided by that of K-Means. `p_value` of
    bcr and largest_gap is from the permutation null (`null`), in which clusters are searched for again; `adjusted`
    adjusts it over all comparisons. `n` counts instances. If there are fewer distinct features than clusters, there are
    no clusters, and rows have a note and no numbers. Raises HerbariumError if features or log-odds are not finite.
    """
    place = f"{task}, {comparison.name}"
    for what, values in (("features", features), ("log-odds", instances["log_odds"])):
        if not np.isfinite(values).all(axis=None):
            raise HerbariumError(f"{place}: some {what} are not finite. Delete the task's predictions and run again.")
    distinct = len(np.unique(features, axis=0))
    keys = {"model": model, "metric": METRIC, "unit": "comparison", "group": f"{task}/{comparison.name}"}
    keys["n"] = len(instances)
    if comparison.design == GIVEN:
        names = [*names, comparison.name]
    if distinct < settings.clusters:
        names = [f"{field.name}{suffix}" for suffix in ("", f"_{K_MEANS}") for field in fields(lgb.Summary)]
        rows = pd.MultiIndex.from_product([("paper", "released"), [*names, "inertia_ratio"]]).to_frame(index=False)
        note = f"{distinct} distinct instances cannot make {settings.clusters} clusters"
        rows = rows.set_axis(["definition", "variant"], axis=1).assign(**keys, note=f"not measured: {note}")
        return Measured(pd.DataFrame(columns=CLUSTERS.fields.names), tidy(rows, over="texts"))
    group = instances["group"].to_numpy()
    features = features.astype(np.float64)
    if comparison.design != GIVEN:
        means = np.stack([features[group == g].mean(axis=0) for g in (0, 1)])
        features = features - means[group]
    positive = (instances["log_odds"] > 0).to_numpy(dtype=int)
    correct = positive == instances["label"].to_numpy()

    def random(step: str) -> np.random.Generator:
        return stream(seed, METRIC, task, comparison.name, step)  # not the model's: the same for all

    starts = lgb.starts(features, settings.clusters, settings.restarts, random("starts"))
    every = lgb.k_means(features, starts)
    k_means = lgb.best(every)
    drawing = settings.permutations, random("permutations")
    drawn = {
        MATCHED: lambda: null.matched(group, correct, instances["example"].to_numpy(), *drawing),
        DRAWN: lambda: null.free(group, correct, *drawing),
        GIVEN: lambda: null.within(group, correct, k_means.cluster[0], *drawing),
    }[comparison.design]()
    kind = np.concatenate([[lgb.kinds(group, correct)], drawn])
    order = random("order").permutation(len(features))
    by_variant = {
        lgb.EXACT: lgb.exact(features, kind, every, settings.strength, order),
        lgb.PUBLISHED: lgb.published(features, kind, starts, settings.strength),
    }
    everywhere = np.zeros(len(group), dtype=int)
    rows, tables = [], [_table(everywhere, instances, positive, names).assign(method=GLOBAL)]
    for variant, definition in ((lgb.EXACT, "paper"), (lgb.PUBLISHED, "released")):
        logan = by_variant[variant]
        for suffix, partitions in (("", logan), (f"_{K_MEANS}", k_means)):
            clusters = [  # K-Means does not use groups: one partition serves all permutations
                lgb.merged(partitions, row % len(partitions.cluster), one, features, variant)
                for row, one in enumerate(kind)
            ]
            numbers = _numbers(clusters, kind).assign(definition=definition)
            numbers["variant"] += suffix
            rows.append(numbers.assign(converged=bool(partitions.converged[0])))
            if not suffix or variant == lgb.EXACT:
                table = _table(clusters[0], instances, positive, names)
                tables.append(table.assign(method=K_MEANS if suffix else variant))
        ratio = {"variant": "inertia_ratio", "estimate": logan.inertia[0] / k_means.inertia[0]}
        rows.append(pd.DataFrame([{**ratio, "definition": definition, "converged": bool(logan.converged[0])}]))
    numbers = tidy(pd.concat(rows, ignore_index=True).assign(**keys), over="texts")
    clusters = pd.concat(tables, ignore_index=True).assign(model=model, task=task, comparison=comparison.name)
    return Measured(clusters[CLUSTERS.fields.names], numbers)


def adjusted(numbers: pd.DataFrame) -> pd.DataFrame:
    """Rows of all comparisons of a model in a task, with p-values adjusted over them (CORRECTION): each definition and
    variant is a family."""
    families = numbers.groupby(["definition", "variant"])["p_value"]
    return numbers.assign(p_adjusted=families.transform(lambda p: adjust(p.to_numpy(float), CORRECTION)))


def _numbers(clusters: list[np.ndarray], kind: np.ndarray) -> pd.DataFrame:
    """`variant`, `estimate`, `p_value` and `note` of the first clusters and kinds; the others are of the null."""
    summaries = [lgb.summarise(*lgb.counts(*sample)) for sample in zip(clusters, kind, strict=True)]
    table = pd.DataFrame(asdict(summaries[0]).items(), columns=["variant", "estimate"])
    for row, variant in table["variant"].items():
        if variant in ("bcr", "largest_gap"):
            drawn = np.array([getattr(summary, variant) for summary in summaries[1:]])
            table.loc[row, "p_value"] = null.p_value(table["estimate"][row], drawn)
    reason = f"a gap of {lgb.GAP:g}" if summaries[0].n_clusters else f"{lgb.LEAST} instances of each group"
    table["note"] = np.where(table["variant"] == "largest_gap", SELECTED, None)
    table.loc[table["estimate"].isna(), "note"] = f"no cluster has {reason}"
    return table


def _table(cluster: np.ndarray, instances: pd.DataFrame, positive: np.ndarray, names: Collection[str]) -> pd.DataFrame:
    """Table "local_group_bias_clusters" without model, task, comparison and method."""
    group, label, log_odds = (instances[name].to_numpy() for name in ("group", "label", "log_odds"))
    words = top_words(instances, cluster, names)
    rows = []
    for j in range(cluster.max() + 1):
        row = {"words": words[j]}
        for g in (0, 1):
            members = (cluster == j) & (group == g)
            row[f"n_{g}"] = int(members.sum())
            rates = lgb.rates(positive[members], label[members], log_odds[members])
            row |= {f"{rate}_{g}": value for rate, value in rates.items()}
        rows.append(row)
    table = pd.DataFrame(rows)
    table["gap"] = table["accuracy_1"] - table["accuracy_0"]
    table["auc_gap"] = table["auc_1"] - table["auc_0"]
    table = table[lgb.reported(table[["n_0", "n_1"]].to_numpy())]
    table = table.sort_values("gap", key=lambda gap: -gap.abs(), kind="stable", ignore_index=True)
    return table.assign(cluster=table.index)


def top_words(instances: pd.DataFrame, cluster: np.ndarray, names: Collection[str]) -> list[str]:
    """For each cluster the TOP_WORDS most over-represented words in its texts, the strongest first, by
    `log_odds_ratios`.

    The authors' topics are the most frequent words: an LDA of one topic. instances: `example` and `text`; a text that
    occurs more than once in a cluster counts once. cluster: (n,). names: words in any of them, in any case, are left
    out, as are those whose z is not above LEAST_Z.
    """
    distinct = instances[["example", "text"]].assign(cluster=cluster).drop_duplicates(["example", "cluster"])
    words = distinct.set_index("cluster")["text"].str.casefold().str.findall(_WORD).explode().dropna()
    of_names = pd.Series(list(names), dtype=str).str.casefold().str.findall(_WORD).explode()
    words = words[~words.isin(of_names)]
    counts = pd.crosstab(words.index, words).reindex(range(cluster.max() + 1), fill_value=0)
    lines = []
    for z in log_odds_ratios(counts.to_numpy()):
        first = np.argsort(-z, kind="stable")[:TOP_WORDS]
        lines.append(" ".join(counts.columns[first[z[first] > LEAST_Z]]))
    return lines


def log_odds_ratios(counts: np.ndarray) -> np.ndarray:
    """How over-represented each word is in each text compared with all others: z of the log-odds ratio.

    Monroe, Colaresi and Quinn (2008), "Fightin' Words", with an informative Dirichlet prior: the counts of all texts
    together. So rare words, whose ratios are large by chance, do not come first.

    counts: (n_texts, n_words), each word in some text. Returns the same shape; nan if there is only one word.
    """
    prior = counts.sum(axis=0)
    smoothed = counts + prior
    rest = 2 * prior - counts
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = _log_odds(smoothed) - _log_odds(rest)
    return ratio / np.sqrt(1 / smoothed + 1 / rest)


def _log_odds(counts: np.ndarray) -> np.ndarray:
    return np.log(counts) - np.log(counts.sum(axis=1, keepdims=True) - counts)
