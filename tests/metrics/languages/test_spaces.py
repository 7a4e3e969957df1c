"""A language in the space of its pivot."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.languages.toy import LISTS, dictionaries, space, words

from herbarium.core.errors import HerbariumError
from herbarium.metrics.languages import alignment, score, spaces
from herbarium.statistics.inference import t_p_value
from herbarium.vectors import planted
from herbarium.vectors.tables import Vectors


def vectors(values, layers=("input",)):
    n = len(values)
    return Vectors(list(layers), np.asarray(values, dtype=np.float32), np.ones(n), np.full(n, None))


def test_words_without_a_vector_are_left_out_and_all_are_of_unit_length():
    found = vectors([[[3.0, 4.0]], [[np.nan, np.nan]], [[0.0, 0.0]], [[2.0, 0.0]]])
    of = spaces.of_source(pd.Series(["a", "b", "c", "d"]), found, "wiki")
    assert of.words.tolist() == ["a", "d"]
    np.testing.assert_allclose(of.vectors, [[0.6, 0.8], [1, 0]])
    assert of.rows(pd.Series(["d", "b", "a"])).tolist() == [1, -1, 0]


def test_several_layers_are_refused():
    with pytest.raises(HerbariumError, match=r"vectors.bert: it has the layers 0, 1; .* layers: \[-1\]"):
        spaces.of_source(pd.Series(["a"]), vectors([[[1.0], [2.0]]], ("0", "1")), "bert")


def test_planted_languages_find_each_other():
    train, test = dictionaries()
    of = spaces.align(space("spanish", 1.0), space("english", 1.0), train, test, "toy")
    assert (of.n_train, of.n_asked) == (len(train), len(train))
    assert of.translations[["procrustes", "rcsls"]].all(axis=None)
    assert len(of.translations) == len(test)
    assert of.losses[-1] < of.losses[0]
    np.testing.assert_allclose(np.linalg.norm(of.space.vectors, axis=1), 1, rtol=1e-5)
    own = space("english", 1.0)
    at = [own.rows(pd.Series(["dog"])), of.space.rows(pd.Series(["perro"]))]
    assert of.space.vectors[at[1]] @ own.vectors[at[0]].T > 0.7


def test_a_dictionary_without_overlap_says_how_many():
    train, test = dictionaries()
    turned = train.assign(source="no " + train["source"])
    with pytest.raises(
        HerbariumError, match=f"of the {len(train)} pairs .* fitted to, none has a vector on both sides"
    ):
        spaces.align(space("spanish", 0.0), space("english", 0.0), turned, test, "toy")
    with pytest.raises(HerbariumError, match="tested on, none has a vector"):
        spaces.align(space("spanish", 0.0), space("english", 0.0), train, turned, "toy")


def test_spaces_of_other_dimensions_and_of_few_words():
    train, test = dictionaries()
    one = space("spanish", 0.0)
    with pytest.raises(HerbariumError, match="64 and 3 dimensions"):
        spaces.align(one, one._replace(vectors=one.vectors[:, :3]), train, test, "toy")
    few = spaces.Space(one.words[:4], one.vectors[:4])
    with pytest.raises(HerbariumError, match="4 words have a vector; 10 neighbours"):
        spaces.align(few, one, train, test, "toy")


def test_pairs_of_a_dictionary_that_have_vectors():
    of = spaces.Space(pd.Index(["a", "b"]), np.eye(2))
    dictionary = pd.DataFrame([["a", "b"], ["a", "x"], ["y", "a"], ["b", "a"]], columns=["source", "target"])
    assert spaces.known(of, of, dictionary).to_numpy().tolist() == [[0, 1], [1, 0]]


def test_a_fit_is_the_same_each_time():
    train, test = dictionaries()
    fits = [spaces.align(space("spanish", 0.0), space("english", 0.0), train, test, "toy") for _ in range(2)]
    np.testing.assert_array_equal(fits[0].space.vectors, fits[1].space.vectors)
    assert alignment.NEIGHBOURS == 10


def lowered(n):
    """What RCSLS changes in inBias where one space is the other, turned, and the dictionary has so many pairs."""
    table = words("spanish")
    columns = (table[name].to_numpy() for name in ("concept", "gender", "lean"))
    found = pd.Series(list(planted.vectors(table["text"], *columns, "es", 2.0, True, 0)), table["text"])
    of = LISTS["spanish"]
    of_words = [np.stack(found[one[form]]) for one in (of.occupations, of.seeds) for form in ("masculine", "feminine")]
    concepts = [f"word {number}" for number in range(n)]
    zeros = np.zeros(n)
    x, y = (
        alignment.unit(planted.vectors(concepts, concepts, zeros, zeros, source, 2.0, source == "es", 0))
        for source in ("es", "en")
    )
    pool = alignment.Pool(np.vstack([x, *map(alignment.unit, of_words)]), y)
    fit = alignment.rcsls(x, y, pool)
    return score.change(score.in_bias, score.gaps(*of_words), score.gaps(*(vectors @ fit.w.T for vectors in of_words)))


def test_rcsls_lowers_in_bias_by_itself_and_less_with_a_larger_dictionary():
    few, many = lowered(150), lowered(1500)
    for change in (few, many):
        assert t_p_value(change) < 1e-3  # though nothing is to change
    assert few.estimate < 2 * many.estimate < 0
