"""Word associations in planted vectors, compared with their mean over such vectors."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from herbarium.metrics.word_associations import association_tests, numbers, sembias, stimuli
from herbarium.metrics.word_associations.lists import ROLES
from herbarium.metrics.word_associations.numbers import LEAN, WEAT, WOMEN
from herbarium.metrics.word_associations.sembias import STEREOTYPE
from herbarium.metrics.word_associations.space import Space
from herbarium.metrics.word_associations.stimuli import Lists
from herbarium.statistics import calibration
from herbarium.statistics.calibration import Panel
from herbarium.statistics.correlation import spearman
from herbarium.vectors import planted
from herbarium.vectors.directions import direction, projections, unit

# Number of redrawn vectors for the expected value.
DRAWS = 50
SECTION = "word-associations"
PANELS = {
    LEAN: Panel("word_lean", "Word associations: lean of stereotype pairs", "cosine", SECTION, "pairs"),
    WOMEN: Panel(
        "word_women",
        "Word associations: projections and the share of men",
        "rank correlation",
        SECTION,
        "occupations",
    ),
    WEAT: Panel("weat", "Word associations: WEAT", "effect size d", SECTION, "targets"),
}


def rows(tidy: pd.DataFrame, strengths: Mapping[str, float], word_lists: Lists, seed: int) -> pd.DataFrame:
    """A table of the schema "calibration". tidy: of all sources. strengths: of planted sources, by name."""
    known = {strength: expected(word_lists, strength, seed) for strength in sorted(set(strengths.values()))}
    planted_rows = tidy[tidy["model"].isin(strengths) & (tidy["definition"] != numbers.CHANCE)]
    tables = []
    for metric, panel in PANELS.items():
        metric_rows = planted_rows[
            (planted_rows["metric"] == metric) & ((metric != LEAN) | (planted_rows["group"] == STEREOTYPE))
        ]
        metric_rows = metric_rows.assign(series=metric_rows["unit"], planted=metric_rows["model"].map(strengths))
        values = [known[row.planted].get((metric, row.unit)) for row in metric_rows.itertuples()]
        # it falls with the strength, as occupations of women lie on the feminine side
        sign = -1 if metric == WOMEN else 1
        tables.append(calibration.rows(panel, _turned(metric_rows.assign(expected=np.array(values, float)), sign)))
    return pd.concat(tables, ignore_index=True)


def _turned(estimates: pd.DataFrame, sign: int) -> pd.DataFrame:
    """Numbers with the opposite sign, and their bounds swapped."""
    if sign > 0:
        return estimates
    low, high = -estimates["ci_high"], -estimates["ci_low"]
    return estimates.assign(estimate=-estimates["estimate"], expected=-estimates["expected"], ci_low=low, ci_high=high)


def expected(word_lists: Lists, strength: float, seed: int) -> dict[tuple[str, str], float]:
    """Numbers by metric and unit: their means over redrawn vectors, `DRAWS` times."""
    words = stimuli.words(word_lists)
    by_key: dict[tuple[str, str], list[float]] = {}
    for draw in range(DRAWS):
        columns = (words[column].to_numpy() for column in ("text", "concept", "gender", "lean"))
        drawn = planted.vectors(*columns, f"expected {draw}", strength, False, seed + 1 + draw)
        space = Space(words["text"].tolist(), drawn, np.ones(len(words)))
        for key, value in _numbers(space, word_lists):
            by_key.setdefault(key, []).append(value)
    return {key: float(np.mean(values)) for key, values in by_key.items()}


def _numbers(space: Space, word_lists: Lists) -> Iterator[tuple[tuple[str, str], float]]:
    for name, (pairs, method) in word_lists.directions.items():
        along = direction(space.of(a for a, _ in pairs), space.of(b for _, b in pairs), method)
        for list_name, instances in word_lists.sembias.items():
            differences = space.differences(instances.pairs)
            lean = sembias.lean(STEREOTYPE, sembias.cosines(differences, along), instances)
            yield (LEAN, f"{list_name}, {name}"), float(lean.mean())
        for list_name, (occupations, women) in word_lists.occupations.items():
            if women is not None:
                projected = projections(unit(space.of(occupations)), along)
                yield (WOMEN, f"{list_name}, {name}"), float(spearman(projected, women))
    for name, test in word_lists.tests.items():
        if not test.templates:
            table, places = association_tests.of_words([space.of(test.words[role]) for role in ROLES])
            yield (WEAT, name), association_tests.effect_size(table, *places)
