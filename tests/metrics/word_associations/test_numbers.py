"""Rows of a source, on planted vectors; and what cannot be measured says so."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.word_associations.toy import (
    ENTRY,
    HERE,
    among_all,
    everything,
    in_sentences,
    measured,
    of_source,
    row,
    with_benchmarks,
    without,
)

from herbarium.metrics.word_associations import numbers
from herbarium.vectors.tables import LOWERCASE, Vectors


@pytest.fixture(scope="module")
def tables():
    return {strength: of_source(name, strength)[0] for name, strength in (("none", 0.0), ("strong", 2.0))}


def test_every_metric_has_a_number():
    assert set(pd.concat(everything())["metric"]) == set(numbers.METRICS)


def test_what_is_planted_is_found_and_nothing_without(tables):
    none, strong = tables[0.0], tables[2.0]
    for metric, unit, group in (
        ("stereotype_lean", "own, he-she", "stereotype"),
        ("projection_women", "jobs, he-she", "all"),
        ("weat", "family", "men–women, career–family"),
    ):
        at_0, at_2 = row(none, metric, unit, group), row(strong, metric, unit, group)
        assert at_2["p_adjusted"] < 0.05
        assert at_0["p_adjusted"] > 0.05
        assert at_0["ci_low"] < at_0["estimate"] < at_0["ci_high"]
    tested = strong.dropna(subset="p_value")  # p-values are adjusted in each metric
    assert (tested["p_adjusted"] >= tested["p_value"]).all()
    alone = tested[tested.groupby("metric")["p_value"].transform("size") == 1]
    np.testing.assert_array_equal(alone["p_adjusted"], alone["p_value"])
    assert set(tested["metric"]) == {"sembias", "stereotype_lean", "projection_women", "weat", "rnd", "rnsb"}
    assert row(strong, "projection_women", "jobs, he-she", "all")["ci_high"] < 0
    assert row(strong, "rnd", "family", "career")["estimate"] < 0 < row(strong, "rnd", "family", "family")["estimate"]


def test_shares_of_outcomes_sum_to_1(tables):
    shares = tables[2.0][(tables[2.0]["metric"] == "sembias") & (tables[2.0]["definition"] == "paper")]
    held_out = shares["group"].str.endswith("(held out)")
    for rows in (shares[held_out], shares[~held_out]):
        np.testing.assert_allclose(rows.groupby("unit")["estimate"].sum(), 1)
    assert shares.loc[held_out, "note"].str.contains("for these 2 definition pairs only").all()
    chance = row(tables[2.0], "sembias", "own, he-she", "definition", "chance")
    assert 0.2 < chance["estimate"] < 0.3
    assert chance["ci_low"] < chance["estimate"] < chance["ci_high"]


@pytest.mark.slow
def test_missing_words_are_counted_and_named_and_unequal_tokens_and_shared_pairs(tmp_path):
    table, _ = measured(spoil=without("uncle", "carpenter", "salary"))
    of_pairs = row(table, "sembias", "own, he-she", "definition")
    # a definition pair has 20 instances, and so has a stereotype pair; one has both
    assert of_pairs["n"] == 400 - 20 - 20 + 1
    assert of_pairs["note"] == "39 of 400 instances left out: no vector for carpenter, uncle"
    assert row(table, "projection_women", "jobs, he-she", "all")["n"] == 39
    for *number, text in (
        ("projection_size", "jobs, he-she", "cosine", "1 of 40 occupations left out, without vectors: carpenter"),
        ("weat", "family", "men–women, career–family", "1 of 32 words left out, without vectors: salary"),
    ):
        assert row(table, *number)["note"] == text
    (tmp_path / "pairs.csv").write_text("male,female\nking,queen\n")
    royal = {"directions": {"royal": {"pairs": str(tmp_path / "pairs.csv"), "method": "pair"}}}

    def longer(words, vectors):
        return vectors._replace(n_tokens=np.where(words["text"] == "uncle", 2, 1))

    note = row(measured(ENTRY | royal, spoil=longer)[0], "sembias", "own, royal", "definition")["note"]
    assert "the direction uses king:queen from this list" in note
    assert "1 of 64 pairs differ in their number of tokens" in note


@pytest.mark.slow
def test_without_he_there_is_no_he_she():
    table, projections = measured(spoil=without("he"))
    rows_of_direction = table[table["unit"].str.endswith(", he-she")]
    assert rows_of_direction["estimate"].isna().all()
    left_out = "1 of 1 pairs of the direction left out, without vectors: he:she"
    assert rows_of_direction["note"].str.contains(left_out).all()
    ten = row(table, "stereotype_lean", "own, ten", "stereotype")
    assert np.isfinite(ten["estimate"])
    assert "1 of 10 pairs of the direction left out" in ten["note"]
    assert set(projections["direction"]) == {"ten"}


@pytest.mark.parametrize("case", ["nothing", "zeros", "equal"])
def test_vectors_that_say_nothing_have_rows_that_say_so(case, tmp_path):
    def spoil(words, vectors):
        if case == "nothing":
            return vectors._replace(values=np.empty((len(words), 1, 0), dtype=np.float32))
        return vectors._replace(values=np.full_like(vectors.values, 0.0 if case == "zeros" else 1.0))

    for entry in (ENTRY, with_benchmarks(tmp_path)):
        table, _ = measured(entry, spoil=spoil)
        silent = table["estimate"].isna() & table["note"].isna()
        assert not silent.any(), table[silent]
        assert not np.isinf(table.select_dtypes(float).to_numpy()).any()


@pytest.mark.slow
def test_every_layer_is_a_variant():
    def spoil(words, vectors):
        return Vectors(["0", "1"], np.repeat(vectors.values, 2, axis=1), vectors.n_tokens, vectors.notes)

    table, projections = measured(spoil=spoil)
    once, _ = of_source("strong", 2.0)
    assert set(table["variant"]) == {"0", "1"}
    assert len(table) == 2 * len(once)
    is_drawn = once["definition"] == "chance"  # of each layer anew
    for layer in "01":
        estimates = table.loc[table["variant"] == layer, "estimate"].to_numpy()
        np.testing.assert_allclose(estimates[~is_drawn], once.loc[~is_drawn, "estimate"])
        np.testing.assert_allclose(estimates[is_drawn], once.loc[is_drawn, "estimate"], rtol=0.2)
    assert set(projections["layer"]) == {"0", "1"}


def test_benchmarks(tmp_path):
    table, _ = measured(with_benchmarks(tmp_path))
    analogies = table[table["metric"] == "analogy"].set_index("group")
    assert analogies["n"].to_dict() == {"all": 5, "one": 3, "two": 2}
    assert analogies.loc["all", "note"] == "among 8 words"
    assert row(table, "similarity", "few", "all")["n"] == 5
    table, _ = measured(with_benchmarks(tmp_path), spoil=without("apple", "uncle"))
    similar = row(table, "similarity", "few", "all")["note"]
    assert similar.startswith("3 of 5 pairs left out: no vector for apple, uncle")
    assert "2 of 5 questions left out: no vector for uncle" in row(table, "analogy", "few", "all")["note"]


def test_analogies_of_a_source_with_a_vocabulary_are_answered_among_it_and_among_the_list(tmp_path):
    table, _ = measured(with_benchmarks(tmp_path), among_all=among_all([]))
    assert row(table, "analogy", "few", "all", "own")["note"] == "among 8 words"
    by_group = {group: row(table, "analogy", "few", group, "paper") for group in ("all", "one", "two")}
    assert [row_of_group["estimate"] for row_of_group in by_group.values()] == pytest.approx([1 / 5, 1 / 3, 0])
    assert by_group["all"]["note"] == "among 1000 words; 2 ties, which are failures"
    assert by_group["two"]["note"] == "among 1000 words"
    assert by_group["all"]["ci_low"] < 1 / 5 < by_group["all"]["ci_high"]


def test_questions_that_cannot_be_asked_are_counted_and_named_among_all_words_too(tmp_path):
    table, _ = measured(with_benchmarks(tmp_path), spoil=without("uncle"), among_all=among_all([3, 4]))
    result = row(table, "analogy", "few", "all", "paper")
    assert result["n"] == 3
    assert result["note"].startswith("2 of 5 questions left out: no vector for uncle; among 1000 words")
    assert result["estimate"] == pytest.approx(1 / 3)
    every = list(range(5))
    none, _ = measured(with_benchmarks(tmp_path), spoil=without("he"), among_all=among_all(every).assign(n_words=0))
    for definition in ("own", "paper"):
        result = row(none, "analogy", "few", "all", definition)
        assert (result["n"], result["note"]) == (0, "5 of 5 questions left out: no vector for he")
        assert np.isnan(result["estimate"])


def test_in_sentences_it_is_seat():
    table = in_sentences()
    result = row(table, "seat", "seat", "math–arts, men–women")
    assert result["n"] == 16
    assert np.isfinite([result["estimate"], result["p_value"]]).all()
    assert "weat" not in set(table["metric"])


@pytest.mark.slow
def test_the_seed_and_nothing_else_decides(tables):
    pd.testing.assert_frame_equal(measured(source="strong")[0], tables[2.0])


def test_a_test_without_vectors_says_so_where_the_file_has_its_words_in_lower_case():
    """As the source says it, and not for a word that it does not have at all."""
    of_men = pd.read_csv(HERE / "tests/career_family.csv", comment="#").query("role == 'X'")["word"].tolist()
    why = f"no word 'John', but 'john': set `{LOWERCASE}` in vectors.toy"

    def spoil(words, vectors):
        is_lost = words["text"].isin(of_men).to_numpy()
        vectors.values[is_lost] = np.nan
        vectors.notes[is_lost] = [why if place else "no word" for place in range(is_lost.sum())]
        return vectors

    table, _ = measured(spoil=spoil)
    result = table[(table["metric"] == "weat") & (table["unit"] == "family")].iloc[0]
    assert np.isnan(result["estimate"])
    assert result["note"].endswith(why)
