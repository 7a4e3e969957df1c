"""Analogies answered among all words of a source, by hand and as gensim's `most_similar` answers them."""

import numpy as np
import pytest

from herbarium.metrics.word_associations import analogies, benchmarks
from herbarium.metrics.word_associations.space import Space
from herbarium.vectors.directions import ROUNDING

RANDOM = np.random.default_rng(0)
# man : woman as king : queen, with a word beside the answer
WORDS = ["man", "woman", "king", "queen", "castle", "nothing", "opposite"]
VECTORS = np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 2], [0, 1, 2], [0, 0, 3], [0, 0, 0], [0, -1, -2]])
QUESTION = ("man", "woman", "king", "queen")


def blocks_of(words, vectors):
    """A vocabulary that is given a few words at a time."""

    def vocabulary(size):
        for first in range(0, len(words), size):
            yield words[first : first + size], np.asarray(vectors[first : first + size], dtype=np.float32)

    return lambda size: analogies.of_length_1(vocabulary(size))


def answered(questions, words=WORDS, vectors=VECTORS, looked_up=list):
    space = Space(words, vectors, np.ones(len(words)))
    result = analogies.among_all({"few": questions}, space, looked_up, blocks_of(words, vectors))
    return result, *benchmarks.decided(result["answer"].to_numpy(float), result["cosine"].to_numpy(float), ROUNDING)


def test_by_hand():
    """unit(woman) - unit(man) + unit(king) = (-1 + 1/√5, 1, 2/√5): its cosines are, but for a common factor, 2.6/√5 of
    queen, (1 + 4/√5)/√5, and 2/√5 of castle."""
    result, right, tied = answered([QUESTION, ("man", "woman", "king", "castle")])
    wanted = np.array([-1 + 1 / np.sqrt(5), 1, 2 / np.sqrt(5)])
    queen = (1 + 4 / np.sqrt(5)) / np.sqrt(5) / np.linalg.norm(wanted)
    castle = 2 / np.sqrt(5) / np.linalg.norm(wanted)
    assert result["other"].tolist() == ["castle", "queen"]
    np.testing.assert_allclose(result["answer"], [queen, castle], rtol=1e-6)
    np.testing.assert_allclose(result["cosine"], [castle, queen], rtol=1e-6)
    assert right.tolist() == [True, False]
    assert not tied.any()
    assert (result["n_words"] == 6).all()  # "nothing" points nowhere
    missing = ("man", "woman", "nothing", "queen")  # what cannot be asked has a row without numbers
    result, _, _ = answered([missing, QUESTION])
    assert result["question"].tolist() == ["man woman nothing queen", "man woman king queen"]
    assert result[["answer", "other", "cosine"]].isna().all(axis=1).tolist() == [True, False]
    none, _, _ = answered([missing])
    assert none["n_words"].tolist() == [0]
    assert none[["answer", "other", "cosine"]].isna().all(axis=None)


def most_similar(words, vectors, positive, negative):
    """KeyedVectors.most_similar of gensim 4: the mean of vectors of length 1 with weights 1 and -1, scaled to length 1;
    of all words but the given ones that with the largest product."""
    unit = {word: vector / np.sqrt(sum(x * x for x in vector)) for word, vector in zip(words, vectors, strict=True)}
    mean = (sum(unit[word] for word in positive) - sum(unit[word] for word in negative)) / 3
    mean = mean / np.sqrt(sum(x * x for x in mean))
    scores = {word: float(vector @ mean) for word, vector in unit.items() if word not in positive + negative}
    best = max(scores, key=scores.get)
    return best, scores[best]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_as_gensim_answers_whatever_the_size_of_a_block(size, monkeypatch):
    monkeypatch.setattr(benchmarks, "_WORDS", size)
    words = [f"w{n}" for n in range(40)]
    vectors = RANDOM.normal(size=(40, 3))
    questions = [tuple(RANDOM.choice(words, 4, replace=False)) for _ in range(80)]
    result, right, _ = answered(questions, words, vectors)
    for (a, b, c, answer), row, is_right in zip(questions, result.itertuples(), right, strict=True):
        best, score = most_similar(words, vectors, [b, c], [a])
        assert is_right == (best == answer)
        given = answer if is_right else row.other
        assert given == best
        assert max(row.answer, row.cosine) == pytest.approx(score, abs=1e-6)
    assert 0 < right.sum() < len(right)


@pytest.mark.parametrize(("apart", "is_tied"), [(0.0, True), (1e-7, True), (1e-4, False)])
def test_what_single_precision_cannot_tell_apart_is_a_tie(apart, is_tied):
    """A word that differs from the answer by little: so little that float32 holds no difference, or more."""
    twin = VECTORS[3] + [apart, 0, 0]
    result, right, tied = answered([QUESTION], [*WORDS, "twin"], np.vstack([VECTORS, twin]))
    assert result["other"].tolist() == ["twin"]
    assert (right.tolist(), tied.tolist()) == ([not is_tied], [is_tied])


def test_words_are_those_that_were_looked_up():
    """Of a source in lower case "Queen" is its word "queen"; else that would stand beside its own answer."""
    asked = [word.title() for word in WORDS]
    space, question = Space(asked, VECTORS, np.ones(len(asked))), tuple(word.title() for word in QUESTION)
    for looked_up, other in ((lambda table: [w.lower() for w in table], "castle"), (list, "queen")):
        result = analogies.among_all({"few": [question]}, space, looked_up, blocks_of(WORDS, VECTORS))
        assert result["other"].tolist() == [other]
    # a second line of a word of the question is no candidate
    vocabulary = blocks_of([*WORDS, "queen", "king"], np.vstack([VECTORS, VECTORS[3], VECTORS[2]]))
    result = analogies.among_all({"few": [QUESTION]}, Space(WORDS, VECTORS, np.ones(len(WORDS))), list, vocabulary)
    assert result["other"].tolist() == ["castle"]
