"""A language in the space of its pivot."""

import numpy as np
import pandas as pd
from tests.metrics.languages.toy import LISTS, MEASURED, dictionaries, space
from tests.refusals import refused

from herbarium.metrics.languages import numbers, score, spaces
from herbarium.vectors.tables import Vectors


def vectors(values, layers=("input",)):
    n = len(values)
    return Vectors(list(layers), np.asarray(values, dtype=np.float32), np.ones(n), np.full(n, None))


def align(one, other, train, test, known=MEASURED):
    return spaces.align(one, other, train, test, known, "toy", np.random.default_rng(0))


def test_words_without_a_vector_are_left_out_and_all_are_of_unit_length():
    result = vectors([[[3.0, 4.0]], [[np.nan, np.nan]], [[0.0, 0.0]], [[2.0, 0.0]]])
    rows = spaces.of_source(pd.Series(["a", "b", "c", "d"]), result, "wiki")
    assert rows.words.tolist() == ["a", "d"]
    np.testing.assert_allclose(rows.vectors, [[0.6, 0.8], [1, 0]])
    assert rows.rows(pd.Series(["d", "b", "a"])).tolist() == [1, -1, 0]
    dictionary = pd.DataFrame([["a", "d"], ["a", "x"], ["y", "a"], ["d", "a"]], columns=["source", "target"])
    assert spaces.known(rows, rows, dictionary).to_numpy().tolist() == [[0, 1], [1, 0]]
    with refused("vectors.bert", "0, 1", "layers", "[-1]"):
        spaces.of_source(pd.Series(["a"]), vectors([[[1.0], [2.0]]], ("0", "1")), "bert")


def test_planted_languages_find_each_other():
    train, test = dictionaries()
    aligned, again = (align(space("spanish", 1.0), space("english", 1.0), train, test) for _ in range(2))
    np.testing.assert_array_equal(again.space.vectors, aligned.space.vectors)  # the same each time
    np.testing.assert_array_equal(again.controls, aligned.controls)
    assert aligned.controls.shape == (spaces.N_CONTROLS, 64, 64)
    assert (aligned.n_train, aligned.n_asked) == (len(train), len(train))
    assert aligned.translations[["procrustes", "rcsls"]].all(axis=None)
    assert len(aligned.translations) == len(test)
    assert aligned.losses[-1] < aligned.losses[0]
    np.testing.assert_allclose(np.linalg.norm(aligned.space.vectors, axis=1), 1, rtol=1e-5)
    language_space = space("english", 1.0)
    at = [language_space.rows(pd.Series(["dog"])), aligned.space.rows(pd.Series(["perro"]))]
    assert aligned.space.vectors[at[1]] @ language_space.vectors[at[0]].T > 0.7


def test_a_dictionary_without_overlap_and_spaces_of_other_dimensions_or_few_words():
    (train, test), one = dictionaries(), space("spanish", 0.0)
    turned = train.assign(source="no " + train["source"])
    with refused("toy", len(train), "fitted"):
        align(one, space("english", 0.0), turned, test)
    with refused("toy", "tested"):
        align(one, space("english", 0.0), train, turned)
    with refused("toy", "64 and 3"):
        align(one, one._replace(vectors=one.vectors[:, :3]), train, test)
    others = one.without(LISTS["spanish"].words)
    with refused("toy", "4 words", "10 neighbours"):
        align(spaces.Space(others.words[:4], others.vectors[:4]), one, train, test)


def test_words_that_are_measured_are_no_neighbours_of_the_fit():
    """Among the pool they would push each other apart, and lower inBias though nothing differs."""
    train, test = dictionaries()
    rows = [space(language, 2.0) for language in ("spanish", "english")]
    changes = []
    for measured in (MEASURED, ((), ())):
        aligned = align(*rows, train, test, measured)
        before, after = (numbers.gaps(LISTS["spanish"], one).gaps for one in (rows[0], aligned.space))
        changes.append(score.change(score.in_bias, before, after))
    assert abs(changes[0].estimate) < 0.01
    assert changes[1].estimate < -0.03
