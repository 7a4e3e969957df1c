"""Every number of HERB, of any small hierarchy: a number, or a row that says why there is none."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.metrics.herb.conftest import TOPICS, Small

from herbarium.metrics.herb import (
    ablations,
    contiguous,
    countries,
    crossed,
    groups,
    hierarchy,
    likelihoods,
    overview,
    space,
    toxic,
)
from herbarium.metrics.herb import differences as herb_differences
from herbarium.metrics.herb import numbers as herb_numbers
from herbarium.metrics.herb.score import DEPARTURES
from herbarium.regions import levels
from herbarium.statistics.tidy import tidy

LEVELS = ("earth", "continent", "country", "city", "district")
BOOTSTRAP = {"replicates": 2, "level": 0.9}
NUMBERS = ["estimate", "std_error", "ci_low", "ci_high", "p_value", "p_adjusted"]
# By row, the parent's row; the root is 0, and its parent None.
ONE_COUNTRY_PER_CONTINENT = [None, 0, 0, 1, 2]
LADDER = [None, 0, 1, 2]


@st.composite
def parents(draw):
    """Of the root and up to eight regions, each below an earlier one."""
    n = draw(st.integers(1, 8))
    return [None, *(draw(st.integers(0, row)) for row in range(n))]


def study(parent, has_codes):
    depth = [0]
    for above in parent[1:]:
        depth.append(depth[above] + 1)
    names = [f"r{row}" for row in range(len(parent))]
    regions = pd.DataFrame({"region": names, "parent": [None if above is None else names[above] for above in parent]})
    regions["level"] = [LEVELS[min(level, len(LEVELS) - 1)] for level in depth]
    regions["name"] = names
    regions["iso2"] = [f"C{row}" if has_codes and generation == 2 else None for row, generation in enumerate(depth)]
    return Small(regions, TOPICS)


def every_number(small, of_model, n_tokens):
    """Tidy rows of two models, each of which has likelihoods."""
    given_ = {"regions": small.regions, "topics": small.topics}
    tables, crossings, replicates = [], [], []
    for model, of_names in of_model.items():
        resampled = herb_numbers.resample(model, **given_, likelihoods=of_names, bootstrap=BOOTSTRAP, seed=0)
        tables += [herb_numbers.numbers(resampled, 0.9), herb_numbers.intervals(resampled, 0.9)]
        replicates.append(herb_numbers.replicates(resampled))
        crossings.append(crossed.measure(model, *given_.values(), {"paper": of_names}, 0.9))
        places = pd.DataFrame(np.eye(3)[:2], index=["C1", "C2"])
        tables.append(
            contiguous.measure(model, *given_.values(), {"paper": of_names}, places, np.random.default_rng(0))
        )
        tests = {"permutations": 3, "bootstrap": BOOTSTRAP, "method": "holm", "seed": 0}
        tables.append(hierarchy.measure(model, resampled.selected, n_tokens, **tests))
        wordings = dict.fromkeys(("paper", "template_other", "released", "pad_mean"), of_names)
        departures = [*DEPARTURES, "pad_mean"]
        ablated = {"substituted": [], "departures": departures, "bootstrap": BOOTSTRAP, "seed": 0}
        tables.append(ablations.ablate(model, **given_, likelihoods=wordings, **ablated))
        tables.append(toxic.measure(model, *given_.values(), iter([of_names] * 2), BOOTSTRAP, seed=0))
        rows, chosen = tables[-6], levels.countries(small.regions)
        f = likelihoods.frame(of_names, small.topics)
        measures = countries.measures(rows, f, chosen["region"])
        assert not np.isinf(measures["value"].astype(float)).any()
        countries.vectors(f, pd.Series(1, chosen["region"]))
        groups.grouped({"paper": of_names}, *given_.values(), n_tokens)
        embeddings = pd.DataFrame({"region": chosen["region"], "representation": [[1.0, row] for row in chosen.index]})
        tables.append(space.measure(model, chosen, embeddings, np.random.default_rng(0)))
    tables += [crossing.numbers for crossing in crossings]
    influences = pd.concat([crossing.influences for crossing in crossings])
    between = pd.concat([crossing.numbers for crossing in crossings])
    tables.append(herb_differences.of_crossed(between, influences, 0.9, "holm"))
    herb_differences.changes([["a", "b", "a", "b"]], between, influences, small.regions)
    numbers = pd.concat(tables, ignore_index=True)
    tables.append(herb_differences.differences(numbers, pd.concat(replicates), small.regions, 0.9, "holm"))
    return pd.concat(tables, ignore_index=True)


@given(
    parent=parents(),
    has_codes=st.booleans(),
    n_tokens=st.lists(st.integers(1, 2), min_size=8, max_size=8),
    lost=st.none() | st.integers(1, 8),
    are_equal=st.booleans(),
)
@example(ONE_COUNTRY_PER_CONTINENT, True, [1] * 8, None, False)
@example(LADDER, False, [1] * 8, None, False)
@example([None, 0], False, [1] * 8, 1, False)  # whose only region was refused
@settings(max_examples=6, derandomize=True)
@pytest.mark.nightly
def test_a_row_has_a_number_or_says_why_it_has_none(parent, has_codes, n_tokens, lost, are_equal):
    small = study(parent, has_codes)
    of_sentences = pa.array([[n] * sum(map(len, TOPICS.values())) for n in n_tokens[: len(parent) - 1]])
    of_model = {
        model: small.likelihoods(seed, without_region=f"r{lost}").append_column("n_tokens", of_sentences)
        for model, seed in {"a": 1, "b": 1 if are_equal else 2}.items()
    }
    rows = every_number(small, of_model, dict(zip(small.regions["name"], [2, *n_tokens], strict=False)))
    assert tidy(rows)["model"].notna().all()
    assert not np.isinf(rows[NUMBERS].to_numpy(float)).any()
    silent = rows[rows["estimate"].isna() & rows["p_value"].isna() & rows["note"].isna()]
    assert silent.empty, silent
    names = small.regions.set_index("region")["name"].to_dict()
    for table in (overview.intervals, overview.wordings, overview.differences, overview.hierarchy):
        table(rows, names)
