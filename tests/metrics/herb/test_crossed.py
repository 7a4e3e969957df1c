"""The crossed distance: against its definition term by term, without bias on average, with bias what it should be."""

import itertools

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from herbarium.metrics.herb import crossed
from herbarium.statistics.items import ITEMS

# Six names in either of two regions: kinds 1 and 2, and two that share a word with another.
KIND = np.array([1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2])
NAMES = ["A", "B", "C", "D one", "E two", "F six", "G", "H", "I", "J one", "K", "L"]
A, B = np.arange(6), np.arange(6, 12)
GROUP = np.repeat([0, 1], 6)


def contrast(kind, unit, group=GROUP):
    """W of the root; of two regions, that of their pair."""
    return dict(crossed.contrasts(group, kind, unit))[-1]


def literal(y, kind, unit):
    """D² of one description as written: for each two kinds the four means over pairs of names of two units."""
    total = weight = 0.0
    precision = dict.fromkeys((1, 2), 1 / (1 / 3 + 1 / 3))
    for k, other in itertools.product((1, 2), repeat=2):
        terms = []
        for one, two, sign in ((A, A, 1), (A, B, -1), (B, A, -1), (B, B, 1)):
            products = [
                y[i] * y[j] for i in one for j in two if kind[i] == k and kind[j] == other and unit[i] != unit[j]
            ]
            terms.append(sign * sum(products) / len(products))
        total += precision[k] * precision[other] * sum(terms)
        weight += precision[k] * precision[other]
    return total / weight


def test_names_with_a_word_in_common_are_one_unit():
    unit = crossed.units(["South Alba", "Alba", "Borea", "Alba and Cara", "Cara", "borea isles"])
    assert unit.tolist() == [0, 0, 1, 0, 0, 1]
    assert len(set(crossed.units(NAMES))) == 11


def test_the_weights_are_those_of_the_definition():
    y, unit = np.random.default_rng(0).normal(size=12), crossed.units(NAMES)
    weights = contrast(KIND, unit)
    assert y @ weights @ y == pytest.approx(literal(y, KIND, unit))
    assert (weights[unit[:, None] == unit] == 0).all()


def test_no_two_names_of_a_kind_are_nothing_to_compare():
    assert contrast(np.arange(12), crossed.units(NAMES)) is None
    assert contrast(GROUP + 1, np.arange(12)) is None


def test_a_region_has_the_mean_over_its_pairs_and_the_root_that_over_all():
    group, kind, unit = np.repeat([0, 1, 2], 4), np.ones(12, dtype=int), np.arange(12)
    result = dict(crossed.contrasts(group, kind, unit))
    pairs = {}
    for pair in [(0, 1), (0, 2), (1, 2)]:
        chosen = np.flatnonzero(np.isin(group, pair))
        pairs[pair] = np.zeros((12, 12))
        numbered = np.unique(group[chosen], return_inverse=True)[1]
        pairs[pair][np.ix_(chosen, chosen)] = contrast(kind[chosen], unit[chosen], numbered)
    np.testing.assert_allclose(result[0], (pairs[0, 1] + pairs[0, 2]) / 2)
    np.testing.assert_allclose(result[-1], sum(pairs.values()) / 3)


def drawn(random, bias, kind=KIND, n_words=40):
    """f(S) of two regions that lie `bias` apart in every description, of kinds that differ, with names of their own."""
    noise = random.normal(size=(12, 1)) * random.normal(size=(1, n_words)) + random.normal(size=(12, n_words))
    of_kind = random.normal(size=(3, n_words))[kind]
    sign = random.choice([-1, 1], n_words) * np.where(np.arange(12) < 6, 0.5, -0.5)[:, None]
    return (noise + of_kind + bias * sign)[None]


def measured(f, kind=KIND, unit=None):
    unit = crossed.units(NAMES) if unit is None else unit
    y = crossed.profiles(f, np.ones((len(f), f.shape[2]), dtype=int), kind)
    return crossed.distance(y, crossed.residuals(y, GROUP, kind), contrast(kind, unit), unit, np.full(12, True))


@pytest.mark.slow
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_its_mean_over_studies_is_the_squared_distance(bias):
    random = np.random.default_rng(1)
    result = np.array([measured(drawn(random, bias), unit=np.arange(12)).estimate for _ in range(1500)])
    # a name's mean over descriptions is taken out, and with it that of the differences
    assert result.mean() == pytest.approx(bias**2 * (1 - 1 / 40), abs=4 * result.std() / np.sqrt(1500))


@pytest.mark.slow
def test_the_noise_is_the_variance_without_bias():
    random = np.random.default_rng(2)
    kind, unit = np.ones(12, dtype=int), np.arange(12)
    values = [measured(drawn(random, 0.0, kind), kind, unit) for _ in range(1500)]
    variance = np.var([distance.estimate for distance in values])
    assert np.mean([distance.noise for distance in values]) == pytest.approx(variance, rel=0.35)
    # squares of influences hold that of the quadratic term twice
    assert np.mean([(distance.influence**2).sum() for distance in values]) == pytest.approx(2 * variance, rel=0.5)


def test_what_a_number_of_tokens_does_cancels():
    random = np.random.default_rng(3)
    f = drawn(random, 0.5)
    n_tokens = np.ones((1, 40), dtype=int)

    def estimate(f):
        y = crossed.profiles(f, n_tokens, KIND)
        return (y * (contrast(KIND, crossed.units(NAMES)) @ y)).sum() / 40

    shifted = f + 7 * random.normal(size=(3, 40))[KIND] + random.normal(size=(12, 1))
    assert estimate(shifted) == pytest.approx(estimate(f))
    assert crossed.residuals(crossed.profiles(f, n_tokens, KIND), GROUP, KIND).shape == f.shape


def test_the_interval_solves_for_the_distances_that_are_not_too_far():
    values = crossed.Distance(np.full((1, 4), 0.5), np.array([0.6, 0.2]), noise=0.01, freedom=10**9)
    slope = (0.4 - 0.02) / 0.5
    low, high = values.interval(0.95)
    for bound in (low, high):
        assert (0.5 - bound) ** 2 == pytest.approx(1.959964**2 * (0.01 + slope * max(bound, 0)))
    assert low < 0.5 < high
    assert values.std_error == pytest.approx(np.sqrt(0.01 + slope * 0.5))
    below = crossed.Distance(np.full((1, 4), -0.5), np.array([0.6]), noise=0.01, freedom=10**9)
    assert below.interval(0.95) == pytest.approx((-0.5 - 0.1959964, -0.5 + 0.1959964))
    assert below.std_error == pytest.approx(0.1)


def test_given_a_covariate_is_minus_its_least_squares_slope_beside_regions_and_kinds():
    random = np.random.default_rng(4)
    y, covariate = random.normal(size=(2, 12, 5)), random.normal(size=12)
    design = np.column_stack([np.eye(2)[GROUP], np.eye(3)[KIND], covariate])
    slopes = [np.linalg.lstsq(design, of_form, rcond=None)[0][-1] for of_form in y]
    expected = [of_form - np.outer(covariate, slope) for of_form, slope in zip(y, slopes, strict=True)]
    np.testing.assert_allclose(crossed.given(y, covariate, GROUP, KIND), expected)
    assert crossed.given(y, GROUP + 2.0 * KIND, GROUP, KIND) is None


# --- of a study ---

TOPICS = {"mind": ["wise", "shrewd"], "body": ["tall", "weak", "wise"]}
COUNTRIES = ["Alba", "Borea", "Cara", "Dora", "Elba", "Fara"]


def study(refused=None):
    regions = [("earth", None, "root", "the Earth", None)]
    regions += [(region, "earth", "continent", region.upper(), None) for region in "ab"]
    regions += [(name.lower(), "ab"[i // 3], "country", name, "XX") for i, name in enumerate(COUNTRIES)]
    regions = pd.DataFrame(regions, columns=["region", "parent", "level", "name", "iso2"])
    f = np.random.default_rng(5).normal(-4, 1, (8, 5))
    f[:, 4] = f[:, 0]
    if refused is not None:
        f[refused] = np.nan
    names = regions["region"].iloc[1:].tolist()
    f_name = np.random.default_rng(6).normal(-3, 1, 8)
    table = pa.table(
        {"region": names, "f": [list(row) for row in f], "n_tokens": [[7, 7, 8, 8, 7]] * 8, "f_name": f_name}
    )
    return regions, {"paper": table, "template_other": table}


def test_the_number_is_the_plain_mean_of_its_items():
    table = crossed.measure("m", study()[0], TOPICS, study()[1], 0.95)
    assert pa.Table.from_pandas(table.items, schema=ITEMS.fields, preserve_index=False).num_rows == 2 * 2 * 4
    variants = table.numbers.set_index("variant")["group"]
    assert variants[crossed.GIVEN_F_NAME] == variants[crossed.LEAST_BOUND] == "earth"
    numbers = table.numbers[table.numbers["variant"] == crossed.VARIANT].set_index("group")
    assert numbers["n"].to_dict() == {"a": 3, "b": 3, "earth": 6}
    means = table.items.groupby("object")["value"].mean()
    assert means.to_dict() == pytest.approx(numbers["estimate"][["a", "b"]].to_dict())
    assert numbers.loc["earth", "estimate"] == pytest.approx(means.mean())
    assert table.influences["drawn"].tolist() == [name.lower() for name in COUNTRIES] * 3


def test_what_was_refused_takes_no_part():
    regions, tables = study(refused=2)  # a country of `a`: two are left
    assert crossed.measure("m", regions, TOPICS, tables, 0.95).numbers.set_index("group").loc["a", "n"] == 2
    regions, tables = study(refused=[2, 3])
    rows = crossed.measure("m", regions, TOPICS, tables, 0.95).numbers
    assert rows["estimate"].isna().all()
    assert rows["note"].str.contains("too few names").all()
    regions, tables = study(refused=slice(None))
    assert crossed.measure("m", regions, TOPICS, tables, 0.95).numbers.empty


def test_a_region_whose_names_all_share_a_word_is_compared_with_none():
    unit = np.array([0] * 6 + [1, 2, 3, 4, 5, 6])
    assert contrast(np.ones(12, dtype=int), unit) is None
    assert contrast(np.ones(12, dtype=int), np.arange(12)) is not None


def other_table(table, **changed):
    """The table of another template."""
    columns = {name: changed.get(name, table[name].to_pylist()) for name in table.column_names}
    return pa.table(columns)


def test_a_name_refused_in_one_template_takes_no_part_in_any():
    regions, tables = study()
    f = tables["paper"]["f"].to_pylist()
    f[2] = [np.nan] * 5  # the first country
    lacking = tables | {"template_other": other_table(tables["paper"], f=f)}
    rows = crossed.measure("m", regions, TOPICS, lacking, 0.95).numbers
    assert rows[rows["variant"] == crossed.VARIANT].set_index("group")["n"].to_dict() == {"a": 2, "b": 3, "earth": 5}


def test_bounds_and_covariates_are_of_the_root_and_the_first_template():
    regions, tables = study()
    other = tables | {"template_other": other_table(tables["paper"], f_name=list(np.arange(8.0) ** 2))}
    one, two = (
        crossed.measure("m", regions, TOPICS, each, 0.95).numbers.set_index(["variant", "group"])
        for each in (tables, other)
    )
    pd.testing.assert_frame_equal(one, two)
    data = crossed.study(regions, TOPICS, tables)
    weights = dict(data.contrasts())[-1]
    distance = crossed.distance(data.y, data.residual, weights, data.unit, np.full(6, True))
    # two one-sided tests at 5 %
    bound = max(np.abs(distance.interval(0.9)))
    assert one.loc[(crossed.LEAST_BOUND, "earth"), "estimate"] == pytest.approx(bound)


def test_a_conditional_distance_is_that_of_descriptions_alone():
    regions, tables = study()
    rows = crossed.conditional("m", regions, TOPICS, tables["paper"], 0.95)
    alone = crossed.measure("m", regions, TOPICS, {"any": tables["paper"]}, 0.95).numbers
    alone = alone[alone["variant"] == crossed.VARIANT]
    assert set(rows["variant"]) == {crossed.OF_DESCRIPTIONS}
    assert rows["group"].tolist() == ["a", "b", "earth"]
    assert rows["estimate"].tolist() == pytest.approx(alone["estimate"].tolist())


def test_descriptions_are_compared_with_those_of_their_own_length():
    f = np.array([[[1.0, 3, 10, 30], [2, 6, 20, 20], [0, 0, 5, 1]]])
    y = crossed.profiles(f, np.array([[7, 7, 8, 8]]), np.array([1, 1, 2]))
    # minus the means of two and two, then minus that of the kind
    without = np.array([[-1.0, 1, -10, 10], [-2, 2, 0, 0], [0, 0, 2, -2]])
    expected = without - np.array([[-1.5, 1.5, -5, 5], [-1.5, 1.5, -5, 5], [0, 0, 2, -2]])
    np.testing.assert_allclose(y[0], expected)
