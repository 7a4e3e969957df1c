"""Tables 4 and 5 of HERB: the transcription against the paper and itself, and our numbers beside it."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit

from herbarium.core.resources import read_table
from herbarium.metrics.downstream import numbers as downstream_table
from herbarium.metrics.downstream import published as downstream_published
from herbarium.statistics import agreement

MODELS = ["bert-base-cased", "albert-base-v2", "roberta-base", "bart-base"]
N_COUNTRIES = 247
ROWS = [
    ("original", "original", "original", "original", None),
    ("region", "country", "country:IE", "Ireland", "continent:EU"),
    ("region", "country", "country:MX", "Mexico", "continent:NA"),
    ("region", "country", "country:PE", "Peru", "continent:SA"),
    ("region", "city", "city:1", "Mexico City", "continent:NA"),
    ("region", "city_country", "city_country:2", "Puebla, Mexico", "continent:NA"),
    ("control", "control", "control:here", "here", None),
]
PREFIXES = pd.DataFrame(ROWS, columns=["kind", "unit", "group", "name", "continent"])


@pytest.fixture(scope="module")
def published():
    return read_table("resources/downstream/published.csv", ["value"])


def numbers_of(texts=478, task="hatespeech18", model="bert-base-cased"):
    p = np.random.default_rng(0).uniform(size=(2, len(PREFIXES), texts))
    bootstrap, tests = {"replicates": 30, "level": 0.95}, {"correction": "fdr_bh"}
    cut = np.zeros(len(PREFIXES), int)
    return downstream_table.measure(model, task, logit(p), np.arange(texts) % 2, PREFIXES, cut, bootstrap, tests, 1), p


# --- the transcription ---


def test_every_figure_is_that_of_the_paper(shared, published):
    lines = (shared / "papers" / "herb_2022.txt").read_text(encoding="utf-8").splitlines()
    printed = {}
    for line in lines:
        name, *cells = line.split("\t")
        printed.setdefault(name, []).append([cell for cell in cells if re.fullmatch(r"\d*\.?\d+", cell)])

    def figures(table, **where):
        rows = published[published["table"] == table]
        for column, value in where.items():
            rows = rows[rows[column] == value]
        return rows["value"].astype(float).tolist()

    lines_of_table_4 = published.loc[published["table"] == 4, "row"].unique().tolist()
    assert len(lines_of_table_4) == 14
    for line in lines_of_table_4:
        name = {"original": "Original", "all countries": "Country-All"}.get(line, line)
        # IMDB's cells, then those of hatespeech18
        assert [list(map(float, cells)) for cells in printed[name] if cells] == [figures(4, row=line)]
    for name, model in zip(["BERT", "ALBERT", "RoBERTa", "BART"], MODELS, strict=True):
        (cells,) = [
            cells
            for key, row_cells in printed.items()
            if re.match(rf"{name}Base.*\*$", key)
            for cells in row_cells
            if cells
        ]
        assert list(map(float, cells)) == figures(5, row=model)


def test_every_number_of_the_tables_is_there_once(published):
    # rows x columns as printed; table 4: 2 rows of 4 scores, then 12 rows of 8
    assert published["table"].value_counts().to_dict() == {4: 2 * 4 + 12 * 8, 5: 4 * 6}
    for name in ("column", "column_corrected"):
        assert not published.duplicated(["table", "row", "variant", name]).any()
    assert published.loc[published["table"] == 5, "row"].unique().tolist() == MODELS


def test_quantities_of_table_4_sum_to_the_test_set(published):
    quantities = published[published["column"].str.startswith("Quantity")]
    sums = quantities["value"].astype(float).groupby([quantities["variant"], quantities["row"]]).sum()
    assert (sums["hatespeech18"] == 478).all()
    assert sums["IMDB"].isin([25_000, 24_999]).all()
    doubted = set(quantities.loc[quantities["doubt"] != "", "row"])
    assert doubted == set(sums["IMDB"][sums["IMDB"] == 24_999].index)


def test_table_5_averages_over_as_many_countries_as_the_regions(published):
    # a mean over countries is a whole number of changed predictions out of 478 texts (table 4) x countries
    per_cent = published[published["table"] == 5]
    value = per_cent["value"].astype(float)

    def fits(n):
        predictions = 478 * (n - per_cent["variant"].str.startswith("without"))
        changed = (value / 100 * predictions).round()
        return ((changed / predictions * 100 - value).abs() < 0.5001e-4).all()

    assert [n for n in range(150, 300) if fits(n)] == [247]


def test_scores_of_hatespeech18_are_of_478_texts(published):
    table = published[(published["table"] == 4) & (published["variant"] == "hatespeech18")]
    accuracy = table[table["column_corrected"] == "Acc."].set_index("row")["value"].astype(float)
    assert accuracy["original"] == round(421 / 478, 4)
    right = accuracy["all countries"] * 478 * N_COUNTRIES
    assert round(round(right) / (478 * N_COUNTRIES), 4) == accuracy["all countries"]
    quantities = table[table["column_corrected"].str.startswith("Quantity")].astype({"value": int})
    quantities = quantities.groupby("row")["value"].sum()
    assert (quantities == downstream_published.TEXTS["hatespeech18"]).all()


def test_a_country_that_is_left_out_changed_a_whole_number_of_labels(published):
    # 247 times the mean of all minus 246 times that without it: what the country itself has, in per cent of 478 texts
    table = published[published["table"] == 5].astype({"value": float})
    table = table.pivot(index=["row", "column"], columns="variant", values="value")
    for country in ("Ireland", "Mexico"):
        of_country = N_COUNTRIES * table["all countries"] - (N_COUNTRIES - 1) * table[f"without {country}"]
        changed = of_country / 100 * 478
        rounding = (2 * N_COUNTRIES - 1) * 0.5e-4 / 100 * 478
        assert ((changed - changed.round()).abs() <= rounding).all()
        assert (changed.round() >= 0).all()


# --- ours beside it ---


@pytest.mark.slow
def test_table_4_beside_ours(published):
    numbers, p = numbers_of()
    table = downstream_published.table(numbers, {"hatespeech18": PREFIXES}, published, 4)
    assert table.columns.tolist() == downstream_published.COLUMNS
    assert table["line"].unique().tolist() == [
        *("original", "all countries", "Ireland", "Mexico", "Mexico-City", "Puebla, Mexico")
    ]
    rows = table.set_index(["line", "measure"])
    ireland = rows.loc[("Ireland", "Quantity↑")]
    assert (ireland["published"], ireland["group"]) == (48, "country:IE")
    assert ireland["paper"] == (p[:, 1] > p[:, 0]).sum(axis=1).mean()
    assert ireland["difference"] == ireland["paper"] - 48
    assert ireland["paper_low"] < ireland["paper"] < ireland["paper_high"]
    accuracy = rows.loc[("original", "Acc.")]
    assert accuracy["published"] == 0.8808
    assert accuracy["paper"] == pytest.approx(((p[:, 0] > 0.5) == (np.arange(478) % 2)).mean())
    countries = rows.loc[("all countries", "Macro F1")]
    assert (countries["published"], countries["doubt"]) == (0.8396, "misprint of Macro F1")
    assert countries["group"] == "country"
    assert rows.loc[("Mexico-City", "Avg. Prob.↓"), "group"] == "city:1"
    assert rows.loc[("Puebla, Mexico", "Avg. Prob.↓"), "published"] == 0.0290


@pytest.mark.slow
def test_quantities_of_another_test_set_are_not_compared(published):
    numbers, _ = numbers_of(texts=100, task="imdb")
    rows = downstream_published.table(numbers, {"imdb": PREFIXES}, published, 4).set_index(["line", "measure"])
    quantity = rows.loc[("Mexico", "Quantity↑")]
    assert np.isnan(quantity["difference"])
    assert quantity["note"] == "of 100 texts, the paper's of 25000"
    assert np.isfinite(rows.loc[("Mexico", "Avg. Prob.↑"), "difference"])


@pytest.mark.slow
def test_table_5_beside_ours(published):
    numbers = pd.concat([numbers_of(model=model)[0] for model in ("bart-base", "own-model")])
    table = downstream_published.table(numbers, {"hatespeech18": PREFIXES}, published, 5)
    assert len(table) == 2 * 3 * 2
    _, p = numbers_of()
    rows = table.set_index(["model", "line", "measure"]).sort_index()
    ireland = rows.loc[("bart-base", "without Ireland", "nohate→hate")]
    changed = (p[:, [2, 3]] > 0.5) & ~(p[:, :1] > 0.5)
    assert ireland["paper"] == pytest.approx(100 * changed.mean())
    assert ireland["published"] == 1.0137
    assert ireland["difference"] == pytest.approx(ireland["paper"] - 1.0137)
    whole = rows.loc[("bart-base", "all countries", "hate→nohate")]
    changed = ~(p[:, 1:4] > 0.5) & (p[:, :1] > 0.5)
    assert whole["paper"] == pytest.approx(100 * changed.mean())
    assert rows.loc["own-model", "published"].isna().all()
    assert rows.loc["own-model", "paper"].notna().all()


@pytest.mark.slow
def test_other_tasks_have_no_rows(published):
    numbers, _ = numbers_of(task="reviews")
    for table in (4, 5):
        rows = downstream_published.table(numbers, {"reviews": PREFIXES}, published, table)
        assert rows.empty
        assert rows.columns.tolist() == downstream_published.COLUMNS


# --- whether they agree ---


def of_both(numbers, prefixes, published):
    """Every published figure beside ours, by row and column."""
    others = {"models": {}, "data": dict.fromkeys(prefixes, "")}
    tables = {}
    for number in downstream_published.TABLES:
        table = downstream_published.table(numbers, prefixes, published, number)
        tables[number] = agreement.marked(table, downstream_published.reasons(table, number, others))
    return downstream_published.beside(published, tables).set_index(["row", "column"])


@pytest.mark.slow
def test_the_classifiers_of_table_4_are_not_known_and_those_of_table_5_are(published):
    table = of_both(numbers_of(texts=120)[0], {"hatespeech18": PREFIXES}, published)
    assert set(table["metric"]) == {"downstream"}
    accuracy = table.loc[("hatespeech18, original", "Acc.")]
    assert accuracy["agreement"] == "not comparable"
    assert accuracy["note"] == (
        "of bert-base-cased; not comparable: the paper does not say which classifiers these figures are for"
    )
    quantity = table.loc[("hatespeech18, Ireland", "Quantity↑")]
    assert quantity["agreement"] == "not comparable"
    assert "of 120 texts, the paper's of 478" in quantity["note"]
    five = table[table["table"] == "5"].loc[("bert-base-cased, hatespeech18, all countries", "nohate→hate")]
    assert five["agreement"] == "differs"  # printed 0.0720; random predictions change a quarter of all labels
    assert five["paper"] > 10


@pytest.mark.slow
def test_a_task_that_the_paper_has_not_measures_no_figure(published):
    table = of_both(numbers_of(task="reviews")[0], {"reviews": PREFIXES}, published)
    assert len(table) == len(published) == 104 + 24
    assert not table.reset_index().duplicated(["table", "row", "column"]).any()
    assert set(table["agreement"]) == {"not measured"}
    assert table[["paper", "released", "difference", "tolerance"]].isna().all(axis=None)
