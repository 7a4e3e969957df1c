"""What HERB's numbers depend on: topics, words, templates, names, the hierarchy, each departure of the released code.

Each is the same metric with another wording, or computed in another way, for the root and the regions below it, as tidy
rows with intervals over descriptions. All replicates of one number share their draws, so that they can be compared.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.console import tracked
from herbarium.core.random import stream
from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import numbers as herb_table
from herbarium.metrics.herb import score
from herbarium.metrics.herb.likelihoods import frame, matrix, named, of_regions, with_matrix
from herbarium.metrics.herb.selection import Likelihoods, select
from herbarium.metrics.herb.stimuli import CONDITIONAL, DEPARTURES, PAPER, RELEASED, SUBSTITUTES, template_wording
from herbarium.regions import levels
from herbarium.statistics.inference import percentile_interval
from herbarium.statistics.parallel import one_thread, side_by_side
from herbarium.statistics.tidy import tidy

METRIC = "herb"
# Every departure of `score.DEPARTURES` together: the released code from f(S) on, not in f(S).
RELEASED_AGGREGATION = "released aggregation"
# The metric for what is measured over continents and countries only, including the score as published.
OF_COUNTRIES = "herb_of_countries"
FLAT = "sparseness_flat"
POOLED, VARIANCE, OVER_NAMES = "_templates_pooled", "_templates_variance", "_over_names"
# Alternatives change the scores; sparseness, which no departure changes, is a row of metric "herb" only.
SCORES = [variant for variant in score.VARIANTS if variant != "sparseness"]


def without(variant: str, topic: str) -> str:
    """The name of a variant with a topic left out."""
    return f"{variant}_without_{topic}"


def replaced(variant: str, topic: str) -> str:
    """The name of a variant with a topic's descriptions replaced by their substitutes."""
    return f"{variant}_replaced_{topic}"


@dataclass(frozen=True)
class Alternative:
    """The study measured in another way: with other likelihoods, or with departures of the released code."""

    definition: str
    selected: Likelihoods
    suffix: str = ""  # in the names of its variants
    departures: Collection[str] = ()
    metric: str = METRIC


class Place(NamedTuple):
    """The regions over which a wording is measured, and their likelihoods as published."""

    metric: str
    regions: pd.DataFrame
    published: pa.Table


@dataclass(frozen=True)
class Measured:
    """Scores of the root and of the regions below it, and their replicates."""

    rows: pd.DataFrame  # columns unit, group, n, note of each region
    estimates: np.ndarray  # (n_scores, n_regions)
    replicates: np.ndarray  # (n_replicates, n_scores, n_regions)


@one_thread
def ablate(
    model: str,
    regions: pd.DataFrame,
    topics: Mapping[str, list[str]],
    likelihoods: Mapping[str, pa.Table],
    substituted: Collection[str],
    departures: Collection[str],
    bootstrap: dict,
    seed: int,
    threads: int = 1,
    without_cities: Collection[str] = (),
) -> pd.DataFrame:
    """Tidy rows of metric "herb" and, for what is measured without cities, "herb_of_countries".

    regions, topics: as for `selection.select`. likelihoods: wording -> its table. substituted: the topics whose words
    are in the wording `substitutes`, in order. departures: those of the released code that are included. bootstrap:
    `replicates`, of which the first `bootstrap.FOR_INTERVALS` are drawn, `level` of the percentile intervals.
    without_cities: wordings that are measured over continents and countries only; the score as published, measured in
    the same way, is reported with them.

    Definition `paper`, variant {C_w, ...} and _without_{topic} (Table 3), _replaced_{topic} (Table 6),
    _template_{name}, _templates_pooled (the mean f(S) over templates), _templates_variance (over templates),
    _name_{naming}, _over_names (the interval if each region has any of its names), _conditional (f of descriptions
    alone, of causal models); sparseness_flat: Eq. 3 over all
    regions inside, whatever their level (Table 2). The name of a departure as definition: only that one; `released
    aggregation`: those from f(S) on; `released`: all of them.
    """
    bootstrap = bootstrap | {"replicates": min(bootstrap["replicates"], herb_bootstrap.FOR_INTERVALS)}
    countries = levels.without_cities(regions) if without_cities else regions
    everywhere = Place(METRIC, regions, likelihoods[PAPER])
    of_countries = Place(OF_COUNTRIES, countries, of_regions(likelihoods[PAPER], countries))

    def place(wording: str) -> Place:
        return of_countries if wording in without_cities else everywhere

    def of_wording(wording: str, **changes: str) -> Alternative:
        where = place(wording)
        return Alternative(selected=select(where.regions, topics, likelihoods[wording]), metric=where.metric, **changes)

    paper = select(regions, topics, likelihoods[PAPER])
    released = _released(regions, topics, likelihoods, departures)
    aggregation = [name for name in score.DEPARTURES if name in departures]
    items = [
        *_left_out(Alternative("paper", paper)),
        *_replaced(place(SUBSTITUTES), topics, likelihoods, substituted),
        *(of_wording(name, definition=name) for name in DEPARTURES if name in departures and name in likelihoods),
        *(Alternative(name, paper, departures=[name]) for name in aggregation),
        Alternative(RELEASED_AGGREGATION, paper, departures=aggregation),
        *_released_with_topics_left_out(released, aggregation),
        *(
            of_wording(name, definition="paper", suffix=f"_{name}")
            for name in likelihoods
            if name.startswith(named(""))
        ),
        *(of_wording(name, definition="paper", suffix=f"_{name}") for name in [CONDITIONAL] if name in likelihoods),
    ]
    if without_cities:
        items.append(Alternative("paper", select(countries, topics, of_countries.published), metric=OF_COUNTRIES))

    def measure(items: Sequence[Alternative]) -> list[Measured]:
        return measured(model, items, bootstrap, seed, threads)

    tables = [
        _rows(of_item, item.definition, item.suffix, bootstrap["level"], item.metric)
        for together in (list(group) for _, group in groupby(items, key=lambda item: id(item.selected)))
        for item, of_item in zip(together, measure(together), strict=True)
    ]
    templates, namings = (
        [name for name in likelihoods if name.startswith(start)] for start in (template_wording(""), named(""))
    )
    if templates:
        of_templates = {name: likelihoods[name] for name in templates}
        tables += _of_templates(place(templates[0]), topics, of_templates, measure, bootstrap["level"])
    if namings:
        of_names = [likelihoods[name] for name in namings]
        tables.append(_of_names(model, place(namings[0]), topics, of_names, bootstrap, seed, threads))
    of_definitions = {"paper": paper} | ({} if released is None else {RELEASED: released})
    tables += [_flat(selected, definition) for definition, selected in of_definitions.items()]
    return tidy(pd.concat(tables, ignore_index=True).assign(model=model), over="regions")


def _released(
    regions: pd.DataFrame,
    topics: Mapping[str, list[str]],
    likelihoods: Mapping[str, pa.Table],
    departures: Collection[str],
) -> Likelihoods | None:
    """The likelihoods with all departures up to f(S); None of a model that cannot give them."""
    wording = RELEASED if set(DEPARTURES) & set(departures) else PAPER
    return select(regions, topics, likelihoods[wording]) if wording in likelihoods else None


def _released_with_topics_left_out(released: Likelihoods | None, aggregation: Collection[str]) -> Iterator[Alternative]:
    if released is not None:
        whole = Alternative(RELEASED, released, departures=aggregation)
        yield whole
        yield from _left_out(whole)


def _left_out(whole: Alternative) -> Iterator[Alternative]:
    """An alternative with each topic left out."""
    topic_of = whole.selected.topic_of
    for topic in dict.fromkeys(topic_of):
        rest = topic_of != topic
        if rest.any():
            selected = replace(whole.selected, f=whole.selected.f[:, rest], topic_of=topic_of[rest])
            yield replace(whole, selected=selected, suffix=without("", topic))


def _replaced(
    place: Place, topics: Mapping[str, list[str]], likelihoods: Mapping[str, pa.Table], substituted: Collection[str]
) -> Iterator[Alternative]:
    """The published wording with each topic's words replaced."""
    topic_of = np.repeat(list(topics), [len(words) for words in topics.values()])
    of_substitutes = np.repeat(list(substituted), [len(topics[topic]) for topic in substituted])
    for topic in substituted:
        f = matrix(place.published).copy()
        f[:, topic_of == topic] = matrix(likelihoods[SUBSTITUTES])[:, of_substitutes == topic]
        selected = select(place.regions, topics, with_matrix(place.published, f))
        yield Alternative("paper", selected, replaced("", topic), metric=place.metric)


def measured(model: str, items: Sequence[Alternative], bootstrap: dict, seed: int, threads: int) -> list[Measured]:
    """Scores and replicates of alternatives on the same likelihoods; bootstrap, seed, threads as for `ablate`."""
    selected, n = items[0].selected, bootstrap["replicates"]
    shown = np.flatnonzero(score.depths(selected.parent) <= 1)
    definitions = [item.departures for item in items]
    scores = score.herb_by_definition(selected.f, selected.f_name, selected.parent, definitions)
    drawn = herb_bootstrap.bootstrap(
        selected.f,
        selected.f_name,
        selected.parent,
        herb_bootstrap.Resampling(selected.topic_of),
        n,
        stream(seed, "bootstrap", "herb", "descriptions"),
        threads,
        definitions,
        shown,
    )
    others = f" and {len(items) - 1} more" if len(items) > 1 else ""
    drawn = tracked(drawn, n, "replicates", f"Bootstrap of {model}, {items[0].definition}{items[0].suffix}{others}")
    replicates = np.array(list(drawn), float).reshape(n, len(items), len(score.VARIANTS), len(shown))
    return [
        _shown(selected, shown, scores[number].array()[:, shown], replicates[:, number]) for number in range(len(items))
    ]


def _shown(selected: Likelihoods, shown: np.ndarray, estimates: np.ndarray, replicates: np.ndarray) -> Measured:
    """estimates: (n_variants, n_shown) of `score.VARIANTS`; replicates: (n_replicates, n_variants, n_shown)."""
    places = [score.VARIANTS.index(variant) for variant in SCORES]
    rows = pd.DataFrame(
        {
            "unit": selected.regions["level"],
            "group": selected.regions["region"],
            "n": score.n_sub_regions(selected.parent),
            "note": selected.notes,
        }
    )
    return Measured(rows.iloc[shown].reset_index(drop=True), estimates[places], replicates[:, places])


def _rows(measured: Measured, definition: str, suffix: str, level: float, metric: str) -> pd.DataFrame:
    tables = []
    for number, variant in enumerate(SCORES):
        table = measured.rows.assign(
            definition=definition, variant=f"{variant}{suffix}", estimate=measured.estimates[number]
        )
        if len(measured.replicates) > 1:
            of_variant = measured.replicates[:, number]
            table["std_error"] = of_variant.std(axis=0, ddof=1)
            table["ci_low"], table["ci_high"] = percentile_interval(of_variant, level)
        tables.append(table)
    return herb_table.without_pairs(pd.concat(tables, ignore_index=True)).assign(metric=metric)


def _of_templates(
    place: Place,
    topics: Mapping[str, list[str]],
    others: Mapping[str, pa.Table],
    measure: Callable[[Sequence[Alternative]], list[Measured]],
    level: float,
) -> list[pd.DataFrame]:
    """Tidy rows for each template but the first, for all pooled, and for the variance over them. others: by their names
    as wordings."""

    def measure_of(table: pa.Table) -> Measured:
        return measure([Alternative("paper", select(place.regions, topics, table))])[0]

    by_template = {PAPER: place.published, **others}
    each = {name: measure_of(table) for name, table in by_template.items()}
    mean_f = np.mean([matrix(table) for table in by_template.values()], axis=0)
    pooled = measure_of(with_matrix(place.published, mean_f))
    rows = [_rows(each[name], "paper", f"_{name}", level, place.metric) for name in others]
    rows.append(_rows(pooled, "paper", POOLED, level, place.metric))
    if len({tuple(measured.rows["group"]) for measured in each.values()}) == 1:  # no template lacks a region's scores
        variance = Measured(
            rows=pooled.rows.assign(n=len(each)),
            estimates=np.var([measured.estimates for measured in each.values()], axis=0, ddof=1),
            replicates=np.var([measured.replicates for measured in each.values()], axis=0, ddof=1),
        )
        rows.append(_rows(variance, "paper", VARIANCE, level, place.metric))
    return rows


def _of_names(
    model: str,
    place: Place,
    topics: Mapping[str, list[str]],
    others: Sequence[pa.Table],
    bootstrap: dict,
    seed: int,
    threads: int,
) -> pd.DataFrame:
    """Tidy rows with intervals over names: in each replicate a region has one of its names, all equally likely.

    others: under each other naming. A naming under which a region was refused is not used for that region.
    """
    selected = select(place.regions, topics, place.published)
    f, f_name = _by_naming(selected, place.regions, topics, [place.published, *others])
    differs = (f[1:] != f[0]).any(axis=2) & np.isfinite(f[1:]).all(axis=2) & np.isfinite(f_name[1:])
    has_name = np.concatenate([np.ones((1, f.shape[1]), dtype=bool), differs])
    n, random = bootstrap["replicates"], stream(seed, "bootstrap", "herb", "names")
    shown = np.flatnonzero(score.depths(selected.parent) <= 1)
    replicate = partial(_with_any_names, f.astype(np.float32), f_name, has_name, selected.parent, shown)
    drawn = tracked(side_by_side(replicate, random.spawn(n), threads), n, "replicates", f"Names of {model}")
    replicates = np.array(list(drawn)).reshape(n, len(score.VARIANTS), len(shown))
    estimates = score.herb(selected.f, selected.f_name, selected.parent).array()[:, shown]
    measured = _shown(selected, shown, estimates, replicates)
    return _rows(measured, "paper", OVER_NAMES, bootstrap["level"], place.metric)


def _with_any_names(
    f: np.ndarray,
    f_name: np.ndarray,
    has_name: np.ndarray,
    parent: np.ndarray,
    shown: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    drawn = np.where(has_name, random.random(has_name.shape), 2).argmin(axis=0)
    rows = np.arange(len(parent))
    return score.herb(f[drawn, rows], f_name[drawn, rows], parent).array()[:, shown]


def _by_naming(
    selected: Likelihoods, regions: pd.DataFrame, topics: Mapping[str, list[str]], tables: list[pa.Table]
) -> tuple[np.ndarray, np.ndarray]:
    """f (n_namings, n_regions, n_descriptions) and f_name (n_namings, n_regions) of `selected`."""
    names = regions["region"][selected.kept]
    f = [frame(table, topics).reindex(names).to_numpy()[:, selected.used] for table in tables]
    f_name = [table.select(["region", "f_name"]).to_pandas().set_index("region")["f_name"] for table in tables]
    return np.array(f), np.array([of_naming.reindex(names).to_numpy() for of_naming in f_name])


def _flat(selected: Likelihoods, definition: str) -> pd.DataFrame:
    """Tidy rows of sparseness without hierarchy (`score.sparseness`), of the root and of the regions below it.

    `n` is the number of regions in the mean. There is no interval: one of these means is over every pair of regions of
    the study, and a few hundred of them would take longer than everything else.
    """
    n_inside = (selected.parent != -1).astype(int)  # each region and all inside it; the root without itself
    for region, below in score.clusters(selected.parent):
        n_inside[region] += n_inside[below].sum()
    rows = pd.DataFrame(
        {
            "metric": METRIC,
            "definition": definition,
            "variant": FLAT,
            "unit": selected.regions["level"],
            "group": selected.regions["region"],
            "estimate": score.sparseness(selected.f, selected.parent),
            "n": n_inside,
            "note": herb_table.joined(
                selected.notes, ["no interval: each replicate would need all pairs of regions"] * len(n_inside)
            ),
        }
    )
    return rows[score.depths(selected.parent) <= 1]
