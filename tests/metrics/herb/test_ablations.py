"""Ablations of a small study, and the published tables beside them."""

import itertools

import numpy as np
import pandas as pd
import pytest

from herbarium.core.random import stream
from herbarium.core.resources import read_table
from herbarium.metrics.herb import ablations, overview, score
from herbarium.metrics.herb import bootstrap as herb_bootstrap
from herbarium.metrics.herb import numbers as herb_table
from herbarium.metrics.herb import published as herb_published
from herbarium.metrics.herb.likelihoods import matrix, of_regions, with_matrix
from herbarium.metrics.herb.selection import select
from herbarium.regions import levels
from herbarium.statistics.inference import percentile_interval

BOOTSTRAP = {"replicates": 30, "level": 0.9}
NONE = {"replicates": 0, "level": 0.9}


@pytest.fixture(scope="module")
def selected(small):
    return select(small.regions, small.topics, small.likelihoods())


@pytest.fixture(scope="module")
def likelihoods(small):
    """Every wording of a study with two templates, one topic with substitutes, and one other kind of name."""
    official = matrix(small.likelihoods()).copy()
    official[0] = matrix(small.likelihoods(seed=8))[0]  # one continent has another name
    substitutes = matrix(small.likelihoods(seed=3))[:, :3]
    return {
        "paper": small.likelihoods(),
        "template_other": small.likelihoods(noise=0.2),
        "substitutes": with_matrix(small.likelihoods(), substitutes.copy()),
        "no_full_stop": small.likelihoods(seed=4),
        "pad_mean": small.likelihoods(seed=5),
        "released": small.likelihoods(seed=6),
        "name_official": with_matrix(small.likelihoods(), official),
    }


ON = [*(name for name in score.DEPARTURES if name != "childless"), "no_full_stop", "pad_mean"]


@pytest.fixture(scope="module")
def numbers(small, likelihoods):
    study = {"regions": small.regions, "topics": small.topics}
    resampled = herb_table.resample("albert-base-v2", **study, likelihoods=likelihoods["paper"], bootstrap=NONE, seed=0)
    measured = herb_table.numbers(resampled, NONE["level"])
    ablated = ablations.ablate(
        "albert-base-v2",
        **study,
        likelihoods=likelihoods,
        substituted=["body"],
        departures=ON,
        bootstrap=BOOTSTRAP,
        seed=0,
    )
    return pd.concat([measured, ablated], ignore_index=True)


def one(numbers, definition, variant, group):
    rows = numbers[
        (numbers["definition"] == definition) & (numbers["variant"] == variant) & (numbers["group"] == group)
    ]
    assert len(rows) == 1
    return rows.iloc[0]


def test_a_topic_left_out_is_a_study_without_it(small, numbers):
    rest = {"mind": small.topics["mind"]}
    likelihoods = with_matrix(small.likelihoods(), matrix(small.likelihoods())[:, :2].copy())
    alone = herb_table.resample("m", small.regions, rest, likelihoods, BOOTSTRAP, seed=0)
    alone = herb_table.numbers(alone, BOOTSTRAP["level"])
    columns = ["estimate", "std_error", "ci_low", "ci_high"]
    for variant, group in itertools.product(("C_w", "C_z", "C_w_size_free"), ("earth", "continent:AF")):
        left_out = one(numbers, "paper", f"{variant}_without_body", group)[columns].astype(float)
        np.testing.assert_allclose(left_out, one(alone, "paper", variant, group)[columns].astype(float), rtol=1e-6)


def test_departures_and_sparseness_are_those_of_the_metric(selected, numbers):
    on = [name for name in ON if name in score.DEPARTURES]
    released = score.herb(selected.f, selected.f_name, selected.parent, on)
    assert one(numbers, "released aggregation", "C_w", "earth")["estimate"] == pytest.approx(released.C_w[0])
    raw = score.herb(selected.f, selected.f_name, selected.parent, ["raw_top"])
    assert one(numbers, "raw_top", "C_z", "earth")["estimate"] == pytest.approx(raw.C_z[0])
    flat = one(numbers, "paper", "sparseness_flat", "continent:AF")
    assert flat["estimate"] == pytest.approx(score.sparseness(selected.f, selected.parent)[1])
    assert flat["n"] == 1 + 3 + 4
    assert one(numbers, "paper", "sparseness_flat", "earth")["n"] == 3 + 9 + 4
    assert np.isnan(flat["ci_low"])
    assert flat["note"].startswith("no interval")


def test_a_departure_has_the_interval_of_its_own_replicates(selected, numbers):
    resampling = herb_bootstrap.Resampling(selected.topic_of)
    random = stream(0, "bootstrap", "herb", "descriptions")
    drawn = np.array(
        [
            score.herb(selected.f[:, sample], selected.f_name, selected.parent, ["unit_V"]).C_w[0]
            for sample in (np.repeat(np.arange(5), resampling.draw(generator)) for generator in random.spawn(30))
        ]
    )
    row = one(numbers, "unit_V", "C_w", "earth")
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(percentile_interval(drawn, 0.9), rel=1e-5)
    assert row["std_error"] == pytest.approx(drawn.std(ddof=1), rel=1e-4)


def test_an_interval_takes_the_first_replicates_and_no_more_than_it_needs(small, likelihoods, monkeypatch):
    def ablated(replicates):
        given = {"topics": small.topics, "substituted": [], "departures": ["unit_V"], "seed": 0}
        tables = {name: likelihoods[name] for name in ("paper", "template_other", "name_official")}
        bootstrap = {"replicates": replicates, "level": 0.9}
        return ablations.ablate("m", small.regions, likelihoods=tables, bootstrap=bootstrap, **given)

    enough = ablated(12)
    monkeypatch.setattr(herb_bootstrap, "FOR_INTERVALS", 12)
    pd.testing.assert_frame_equal(ablated(40), enough)


def scores_of(small, table, departures=()):
    selected = select(small.regions, small.topics, table)
    return score.herb(selected.f, selected.f_name, selected.parent, departures)


@pytest.mark.slow
def test_what_is_measured_without_cities_is_a_study_without_them(small, likelihoods):
    regions = small.regions.assign(
        iso2=[name if name.startswith("country") else None for name in small.regions["region"]]
    )
    countries = levels.without_cities(regions)
    assert countries["level"].unique().tolist() == ["earth", "continent", "country"]
    of_countries = {name: of_regions(table, countries) for name, table in likelihoods.items()}

    def measured(regions, likelihoods, **without_cities):
        given = {"topics": small.topics, "substituted": ["body"], "departures": ON, "bootstrap": BOOTSTRAP, "seed": 0}
        return ablations.ablate("m", regions, likelihoods=likelihoods, **given, **without_cities)

    whole, alone = measured(regions, likelihoods), measured(countries, of_countries)
    some = ["template_other", "substitutes", "no_full_stop", "pad_mean", "name_official"]
    cut = measured(regions, {**likelihoods, **{name: of_countries[name] for name in some}}, without_cities=some)
    key = ["definition", "variant", "group"]
    is_plain = (cut["metric"] == "herb_of_countries") & (cut["definition"] == "paper") & (cut["variant"] == "C_w")
    assert cut.loc[is_plain, "group"].tolist() == ["earth", "continent:AF", "continent:AS", "continent:OC"]
    published = score.herb(
        *(getattr(select(countries, small.topics, of_countries["paper"]), name) for name in ("f", "f_name", "parent"))
    )
    np.testing.assert_allclose(cut.loc[is_plain, "estimate"], published.C_w[:4])
    seen = 0
    for metric, expected in (("herb", whole), ("herb_of_countries", alone)):
        rows, expected = cut[cut["metric"] == metric].set_index(key), expected.set_index(key)
        rows = rows[rows.index.isin(expected.index)]
        pd.testing.assert_frame_equal(
            rows.drop(columns="metric"), expected.loc[rows.index].drop(columns="metric"), rtol=1e-5
        )
        seen += len(rows)
    assert seen == len(cut) - 4 * 4  # the score as published without cities, which `ablate` does not give by itself
    assert set(cut.set_index(key).index) - set(whole.set_index(key).index) == {
        ("paper", variant, group) for variant in ablations.SCORES for group in cut["group"].unique()
    }
    beside = overview.wordings(cut, {})
    assert set(beside["metric"]) == {"herb_of_countries"}
    assert {"as published", "template_other", "name_official", "over_names"} <= set(beside["wording"])
    departed = herb_published.departures(cut).set_index(["variant", "departure", "region"])
    ratio = departed.loc[("C_w", "pad_mean", "earth")]
    assert ratio["paper"] == pytest.approx(published.C_w[0])


def test_each_wording_has_its_own_number(small, likelihoods, numbers):
    for definition, variant, wording in (
        ("no_full_stop", "C_w", "no_full_stop"),
        ("pad_mean", "C_w", "pad_mean"),
        ("paper", "C_w_template_other", "template_other"),
        ("paper", "C_w_name_official", "name_official"),
    ):
        row = one(numbers, definition, variant, "continent:AS")
        assert row["estimate"] == pytest.approx(scores_of(small, likelihoods[wording]).C_w[2])
        assert row["ci_low"] < row["ci_high"]
    on = [name for name in ON if name in score.DEPARTURES]
    released = scores_of(small, likelihoods["released"], on)
    assert one(numbers, "released", "C_z", "earth")["estimate"] == pytest.approx(released.C_z[0])
    assert "released" in set(numbers.loc[numbers["variant"] == "C_w_without_body", "definition"])
    assert "odd_spaces" not in set(numbers["definition"])
    assert "childless" not in set(numbers["definition"])


def test_a_topic_is_replaced_by_its_own_substitutes(small, likelihoods, numbers):
    f = matrix(likelihoods["paper"]).copy()
    f[:, 2:] = matrix(likelihoods["substitutes"])
    expected = scores_of(small, with_matrix(likelihoods["paper"], f))
    assert one(numbers, "paper", "C_w_replaced_body", "earth")["estimate"] == pytest.approx(expected.C_w[0])
    assert "C_w_replaced_mind" not in set(numbers["variant"])


def test_templates_are_pooled_and_vary(small, likelihoods, numbers):
    one_f, other_f = (matrix(likelihoods[name]) for name in ("paper", "template_other"))
    pooled = scores_of(small, with_matrix(likelihoods["paper"], (one_f + other_f) / 2))
    row = one(numbers, "paper", "C_z_templates_pooled", "continent:AF")
    assert row["estimate"] == pytest.approx(pooled.C_z[1])
    a, b = (scores_of(small, likelihoods[name]).C_z[1] for name in ("paper", "template_other"))
    row = one(numbers, "paper", "C_z_templates_variance", "continent:AF")
    assert row["estimate"] == pytest.approx((a - b) ** 2 / 2)
    assert row["n"] == 2
    assert 0 <= row["ci_low"] < row["ci_high"]


def test_over_names_only_regions_with_two_names_vary(small, likelihoods, numbers):
    row = one(numbers, "paper", "C_w_over_names", "earth")
    usual = scores_of(small, likelihoods["paper"])
    other = scores_of(small, likelihoods["name_official"])
    # one region has two names, so every replicate is one of two scores
    low, high = sorted([usual.C_w[0], other.C_w[0]])
    assert row["estimate"] == pytest.approx(usual.C_w[0])
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high), rel=1e-5)
    of_asia = one(numbers, "paper", "C_w_over_names", "continent:AS")  # its countries have one name each
    assert of_asia["std_error"] == pytest.approx(0, abs=1e-8)


def test_a_name_that_is_given_twice_is_drawn_no_more_often(small, likelihoods, monkeypatch):
    """Of three namings the second is the published one again."""
    drawn, replicate = [], ablations._with_any_names

    def seen(f, f_name, has_name, *more):
        drawn.append(has_name)
        return replicate(f, f_name, has_name, *more)

    monkeypatch.setattr(ablations, "_with_any_names", seen)
    namings = {"paper": likelihoods["paper"], "name_same": likelihoods["paper"]}
    study = {"regions": small.regions, "topics": small.topics, "substituted": [], "departures": [], "seed": 0}
    ablations.ablate(
        "m", likelihoods=namings | {"name_official": likelihoods["name_official"]}, bootstrap=BOOTSTRAP, **study
    )
    assert drawn[0].sum(axis=1).tolist() == [drawn[0].shape[1], 0, 1]


def test_the_published_tables_stand_beside_ours(small, numbers):
    published = read_table("resources/herb/published.csv", ["value"])
    first, second, third, sixth = (
        herb_published.beside(numbers, small.regions, published, table, small.topics) for table in (1, 2, 3, 6)
    )
    row = first[(first["line"] == "C_z") & (first["region"] == "continent:OC")].iloc[0]
    assert (row["published"], row["published_printed"]) == (0.1850, 0.0701)  # ALBERT; the printed OC is North America's
    assert row["paper"] == pytest.approx(1e3 * one(numbers, "paper", "C_z", "continent:OC")["estimate"])
    assert row["difference"] == pytest.approx(row["paper"] - 0.1850)
    row = second[second["region"] == "earth"].iloc[0]
    assert (row["published"], row["name"]) == (0.0743, "earth")
    assert row["paper"] == one(numbers, "paper", "sparseness_flat", "earth")["estimate"]
    assert set(third["line"]) == {"full", "without mind", "without body"}
    assert third.loc[third["line"] == "full", "published"].notna().all()
    assert third.loc[third["line"] == "without mind", "published"].isna().all()  # no topic of the paper
    assert set(sixth["line"]) == {"full", "replace body"}
    row = sixth[(sixth["line"] == "replace body") & (sixth["region"] == "earth")].iloc[0]
    replaced = one(numbers, "paper", "C_w_replaced_body", "earth")
    assert (row["paper"], row["paper_low"]) == pytest.approx((1e3 * replaced["estimate"], 1e3 * replaced["ci_low"]))
    released = one(numbers, "released", "C_w", "earth")["estimate"]
    assert third.loc[(third["line"] == "full") & (third["region"] == "earth"), "released"].item() == 1e3 * released


def test_what_a_departure_does_is_its_ratio(numbers):
    table = herb_published.departures(numbers)
    assert set(table["departure"]) == {*ON, ablations.RELEASED_AGGREGATION, "released"}
    assert len(table) == 2 * (len(ON) + 2) * 4
    assert (table["meaning"] != "").all()
    np.testing.assert_allclose(table["ratio"], table["departed"] / table["paper"])
    untouched = table[(table["departure"] == "last_name") & (table["variant"] == "C_w")]
    np.testing.assert_allclose(untouched["ratio"], 1)


def test_a_continent_with_one_country_has_no_interval_however_it_is_computed(small):
    fewer = small.regions[~small.regions["region"].isin(["country:OC1", "country:OC2"])].reset_index(drop=True)
    rows = ablations.ablate(
        "m",
        regions=fewer,
        topics=small.topics,
        likelihoods={"paper": small.likelihoods(), "template_other": small.likelihoods(noise=0.2)},
        substituted=[],
        departures=["unit_V"],
        bootstrap=BOOTSTRAP,
        seed=0,
    )
    chosen = rows[(rows["group"] == "continent:OC") & rows["variant"].isin(["C_w", "C_w_template_other"])]
    assert len(chosen) == 4  # in another template, and by departures of the released code
    assert chosen[["ci_low", "ci_high"]].isna().all(axis=None)
    assert chosen["note"].str.contains(herb_table.ALONE, regex=False).all()
    others = rows[(rows["group"] == "continent:AF") & rows["variant"].isin(chosen["variant"])]
    assert others["ci_low"].notna().all()


@pytest.fixture(scope="module")
def two_topics(small, likelihoods):
    """Both topics have substitutes, and of the departures one is asked for."""
    substitutes = with_matrix(small.likelihoods(), matrix(small.likelihoods(seed=3)).copy())
    names = ("paper", "no_full_stop", "pad_mean", "released")
    tables = {name: likelihoods[name] for name in names} | {"substitutes": substitutes}
    given = {"topics": small.topics, "substituted": ["mind", "body"], "departures": ["no_full_stop", "raw_top"]}
    return tables, ablations.ablate("m", small.regions, likelihoods=tables, bootstrap=NONE, seed=0, **given)


def test_each_topic_is_replaced_by_its_own_substitutes(small, two_topics):
    tables, rows = two_topics
    for topic, chosen in (("mind", [0, 1]), ("body", [2, 3, 4])):
        f = matrix(tables["paper"]).copy()
        f[:, chosen] = matrix(tables["substitutes"])[:, chosen]
        expected = scores_of(small, with_matrix(tables["paper"], f))
        assert one(rows, "paper", f"C_w_replaced_{topic}", "earth")["estimate"] == pytest.approx(expected.C_w[0])


def test_departures_are_those_asked_for(small, two_topics):
    tables, rows = two_topics
    definitions = ["paper", "no_full_stop", "raw_top", ablations.RELEASED_AGGREGATION, "released"]
    assert set(rows["definition"]) == set(definitions)
    expected = scores_of(small, tables["released"], ["raw_top"])
    assert one(rows, "released", "C_w", "earth")["estimate"] == pytest.approx(expected.C_w[0])
    flat = one(rows, "released", "sparseness_flat", "earth")["estimate"]
    released = select(small.regions, small.topics, tables["released"])
    assert flat == pytest.approx(score.sparseness(released.f, released.parent)[0])
    assert flat != pytest.approx(one(rows, "paper", "sparseness_flat", "earth")["estimate"])
