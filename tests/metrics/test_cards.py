"""docs/metric_cards.md: every number that can stand in the summary has a card, and no card speaks of one that cannot.

The numbers are what every metric writes about a small study, the ones of its own tests.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.metrics.herb import test_space as test_herb_space
from tests.metrics.herb import test_toxic as test_herb_toxic

from herbarium.metrics.crows_pairs import score as crows_pairs
from herbarium.metrics.crows_pairs.stimuli import ANTISTEREO, STEREO
from herbarium.metrics.herb import ablations, differences, hierarchy
from herbarium.metrics.herb import numbers as herb_table
from herbarium.metrics.herb import score as herb
from herbarium.metrics.herb.selection import select
from herbarium.metrics.herb.stimuli import DEPARTURES

METRICS = Path("workflow/scripts/herbarium/metrics")
BOOTSTRAP = {"replicates": 10, "level": 0.9}
QUICK = "fdr_bh"  # for Holm's, statsmodels collects garbage at every call
NAMES = {"C": ablations.SCORES, "score": herb.VARIANTS}
KEYS = ["metric", "definition", "variant", "unit"]


def cards() -> pd.DataFrame:
    """The rows of the tables whose first columns are `KEYS`, one for each of the names in their cells."""
    rows = []
    for line in Path("docs/metric_cards.md").read_text(encoding="utf-8").splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == len(KEYS) + 1:
            rows += [dict(zip(KEYS, key, strict=True)) for key in pd.MultiIndex.from_product(cells[: len(KEYS)])]
    return pd.DataFrame(rows)


def pattern(key: str) -> re.Pattern:
    """What a name of a card stands for: `NAMES` in the place of what is in braces, for any other brace anything."""
    parts = re.split(r"\{(\w+)\}", key)
    parts[::2] = map(re.escape, parts[::2])
    parts[1::2] = ["|".join(NAMES.get(name, [".+"])) for name in parts[1::2]]
    return re.compile("".join(f"(?:{part})" for part in parts))


def of_herb(small) -> Iterator[pd.DataFrame]:
    study = {"regions": small.regions, "topics": small.topics}
    both = {
        model: herb_table.resample(
            model, **study, likelihoods=small.likelihoods(noise=noise), bootstrap=BOOTSTRAP, seed=1
        )
        for model, noise in (("a", 0.0), ("b", 0.5))
    }
    numbers = [herb_table.numbers(of, 0.9) for of in both.values()]
    replicates = {model: herb_table.replicate_table(of) for model, of in both.items()}
    yield from numbers
    yield herb_table.intervals(both["a"], 0.9)
    yield differences.differences(pd.concat(numbers), replicates, small.regions, 0.9, QUICK)
    selected = select(small.regions, small.topics, small.likelihoods())
    yield hierarchy.measure("a", selected, 9, BOOTSTRAP, QUICK, 1)
    wordings = ["paper", "template_other", *DEPARTURES, "released", "name_official", "substitutes"]
    yield ablations.ablate(
        "a",
        **study,
        likelihoods={wording: small.likelihoods(seed) for seed, wording in enumerate(wordings)},
        substituted=list(small.topics),
        departures=[*herb.DEPARTURES, *DEPARTURES],
        bootstrap=BOOTSTRAP,
        seed=1,
    )
    yield test_herb_space.measure(list("aabb") * 4, test_herb_space.points(16)).reset_index()
    yield test_herb_toxic.measured()


def of_crows_pairs() -> Iterator[pd.DataFrame]:
    pair = {"pair": 0, "bias_type": "age"}
    sides = [{**pair, "side": side, "association": -i} for i, side in enumerate((STEREO, ANTISTEREO))]
    yield crows_pairs.score("m", pd.DataFrame(sides), 0.9)


@pytest.fixture(scope="module")
def written(small):
    """The keys of every kind of number."""
    tables = [*of_herb(small), *of_crows_pairs()]
    return pd.concat([table[KEYS] for table in tables]).drop_duplicates(ignore_index=True)


def metrics_in_the_code() -> set[str]:
    """Every value of the column `metric`: what modules give to `assign(metric=...)` or to the key "metric" of a row."""
    found = set()
    for file in METRICS.glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        constants = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
        }
        for node in ast.walk(tree):
            values = []
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "assign":
                values = [keyword.value for keyword in node.keywords if keyword.arg == "metric"]
            elif isinstance(node, ast.Dict):
                keys = [getattr(key, "value", None) for key in node.keys]
                values = [value for key, value in zip(keys, node.values, strict=True) if key == "metric"]
            found |= {value.value if isinstance(value, ast.Constant) else constants.get(value.id) for value in values}
    return found - {None}


def test_every_metric_is_looked_at(written):
    assert set(written["metric"]) == metrics_in_the_code()


def test_every_number_has_a_card_and_every_card_a_number(written):
    patterns = [[pattern(row[key]) for key in KEYS] for row in cards().to_dict("records")]
    numbers = written.to_numpy().tolist()
    fits = np.array(
        [[all(map(re.Pattern.fullmatch, card, number)) for number in numbers] for card in patterns], dtype=bool
    )
    without_card = [" / ".join(number) for number, has in zip(numbers, fits.any(axis=0), strict=True) if not has]
    without_number = [
        " / ".join(card) for card, has in zip(cards().to_numpy().tolist(), fits.any(axis=1), strict=True) if not has
    ]
    assert (without_card, without_number) == ([], [])
