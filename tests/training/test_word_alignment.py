"""Word alignment: the paper's equations word by word, expectation maximisation, and corpora whose answer is known."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from tests.refusals import refused

from herbarium.training import word_alignment
from herbarium.training.word_alignment import aligned, learn, symmetric, words

SOURCE = [
    ["das", "Haus", "ist", "klein"],
    ["das", "Buch", "ist", "alt"],
    ["ein", "Buch"],
    ["ein", "kleines", "Haus", "ist", "ein", "Haus"],
    ["klein"],
]
TARGET = [
    ["the", "house", "is", "small"],
    ["the", "book", "is", "very", "old"],
    ["a", "book"],
    ["a", "small", "house", "is", "a", "house"],
    ["small"],
]


def literal(source, target, iterations, tension, learns_tension, alpha):
    """The equations of the paper, one pair of words after the other."""
    p0, null = 0.08, None

    def h(i, j, m, n):
        return -abs(i / m - j / n)

    def delta(j, i, m, n):
        if j == 0:
            return p0
        z = sum(math.exp(tension * h(i, k, m, n)) for k in range(1, n + 1))
        return (1 - p0) * math.exp(tension * h(i, j, m, n)) / z

    size = len({word for sentence in target for word in sentence})
    met = {(e, f) for s, t in zip(source, target, strict=True) for e in [null, *s] for f in t}
    theta = dict.fromkeys(met, 1 / size)
    log_likelihoods = []
    for _ in range(iterations):
        counts, posteriors, log_likelihood = defaultdict(float), [], 0.0
        for s, t in zip(source, target, strict=True):
            m, n = len(t), len(s)
            for i, f in enumerate(t, 1):
                joint = [delta(j, i, m, n) * theta[e, f] for j, e in enumerate([null, *s])]
                log_likelihood += math.log(sum(joint))
                for j, e in enumerate([null, *s]):
                    counts[e, f] += joint[j] / sum(joint)
                    posteriors.append((j, i, m, n, joint[j] / sum(joint)))
        log_likelihoods.append(log_likelihood)
        if learns_tension:
            from_word = sum(p for j, *_, p in posteriors if j)
            for _ in range(8):
                gradient = 0.0
                for j, i, m, n, p in posteriors:
                    if j:
                        expected = sum(delta(k, i, m, n) * h(i, k, m, n) for k in range(1, n + 1)) / (1 - p0)
                        gradient += p * (h(i, j, m, n) - expected)
                tension = min(max(tension + 20 * gradient / from_word, 0.1), 14)
        for e in {e for e, _ in met}:
            partners = [f for other, f in met if other == e]
            if alpha is None:
                total = sum(counts[e, f] for f in partners)
                theta |= {(e, f): counts[e, f] / total for f in partners}
            else:
                total = sum(counts[e, f] + alpha for f in partners)
                theta |= {(e, f): math.exp(digamma(counts[e, f] + alpha) - digamma(total)) for f in partners}
    best = []
    for s, t in zip(source, target, strict=True):
        values = []
        for i, f in enumerate(t, 1):
            joint = [delta(j, i, len(t), len(s)) * theta[e, f] for j, e in enumerate([null, *s])]
            j = joint.index(max(joint))
            values += [[j - 1, i - 1]] * (j > 0)
        best.append(values)
    return theta, tension, log_likelihoods, best


def probability(learned):
    """(source word or None, target word) -> probability."""
    source = {number: word for word, number in learned.source.items()} | {0: None}
    target = {number: word for word, number in learned.target.items()}
    numbers = zip(*np.divmod(learned.pairs, len(target) + 1), learned.probabilities, strict=True)
    return {(source[s], target[t]): p for s, t, p in numbers}


def made_up(n, seed):
    """Sentences of 30 words, each translated by one of its own, neighbours exchanged at times, and where each went."""
    random = np.random.default_rng(seed)
    source, target, where = [], [], []
    for length in random.integers(3, 9, n):
        sentence = random.choice(30, length, replace=False)
        order = np.arange(length)
        for place in range(0, length - 1, 2):
            if random.uniform() < 0.3:
                order[[place, place + 1]] = order[[place + 1, place]]
        source.append([f"s{word}" for word in sentence])
        target.append([f"t{sentence[place]}" for place in order])
        where.append([[int(place), i] for i, place in enumerate(order)])
    return source, target, where


# --- the model ---


@pytest.mark.parametrize("alpha", [None, 0.01])
@pytest.mark.parametrize("learns_tension", [False, True])
@pytest.mark.parametrize("at_once", [2**22, 30, 1])
def test_it_is_the_model_of_the_paper(learns_tension, alpha, at_once, monkeypatch):
    monkeypatch.setattr(word_alignment, "_AT_ONCE", at_once)
    learned = learn(SOURCE, TARGET, 4, 4.0, learns_tension, alpha)
    theta, tension, log_likelihoods, best = literal(SOURCE, TARGET, 4, 4.0, learns_tension, alpha)
    result = probability(learned)
    assert result.keys() == theta.keys()
    assert np.allclose([result[pair] for pair in theta], list(theta.values()), rtol=1e-9, atol=1e-300)
    assert learned.tension == pytest.approx(tension, rel=1e-9)
    assert (learned.tension != 4.0) == learns_tension
    assert learned.log_likelihoods == pytest.approx(log_likelihoods, rel=1e-12)
    assert [pairs.tolist() for pairs in aligned(learned, SOURCE, TARGET)] == best


def test_translations_of_a_word_are_a_distribution():
    learned = learn(SOURCE, TARGET, alpha=None)
    sums = defaultdict(float)
    for (word, _), p in probability(learned).items():
        sums[word] += p
    assert sums.keys() == {None, *(word for sentence in SOURCE for word in sentence)}
    assert list(sums.values()) == pytest.approx([1] * len(sums))


sentences = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=7)
corpora = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=6)


@given(corpora, st.booleans(), st.floats(0.2, 14))
@settings(max_examples=60)
def test_the_likelihood_never_falls(corpus, learns_tension, tension):
    source, target = zip(*corpus, strict=True)
    learned = learn(source, target, 12, tension, learns_tension, alpha=None)
    assert (np.diff(learned.log_likelihoods) >= -1e-9).all()
    assert 0.1 <= learned.tension <= 14


@given(corpora)
@settings(max_examples=60)
def test_each_target_word_stands_for_one_source_word_at_most(corpus):
    source, target = zip(*corpus, strict=True)
    result = aligned(learn(source, target), source, target)
    assert len(result) == len(corpus)
    for pairs, s, t in zip(result, source, target, strict=True):
        assert pairs.shape[1] == 2
        assert ((pairs >= 0) & (pairs < [len(s), len(t)])).all()
        assert (np.diff(pairs[:, 1]) > 0).all()


# --- corpora whose answer is known ---


def test_translations_word_by_word_are_found():
    source, target, where = made_up(400, 1)
    learned = learn(source, target)
    forward = aligned(learned, source, target)
    assert [pairs.tolist() for pairs in forward] == where
    backward = aligned(learn(target, source), target, source)
    assert [pairs.tolist() for pairs in symmetric(forward, backward)] == where


def test_a_word_that_stands_for_none_is_in_no_pair():
    """A target word that is put anywhere into every other sentence is the null word's."""
    random = np.random.default_rng(2)
    source, target, where = made_up(400, 3)
    for sentence, pairs in list(zip(target, where, strict=True))[::2]:
        place = int(random.integers(len(sentence) + 1))
        sentence.insert(place, "of")
        pairs[:] = [[s, t + (t >= place)] for s, t in pairs]
    assert [pairs.tolist() for pairs in aligned(learn(source, target), source, target)] == where


def test_the_diagonal_decides_where_words_do_not():
    """Two words that are always met together: each is translated by the one at its place."""
    source, target = [["a", "b"], ["c", "a", "b"]] * 5, [["x", "y"], ["z", "x", "y"]] * 5
    result = aligned(learn(source, target), source, target)
    assert result[0].tolist() == [[0, 0], [1, 1]]
    assert result[1].tolist() == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize("reverses", [False, True])
def test_the_tension_is_high_where_the_order_is_kept_and_low_where_it_is_not(reverses):
    source, target, _ = made_up(200, 4)
    target = [sentence[::-1] if reverses else sentence for sentence in target]
    tension = learn(source, target).tension
    assert tension == 0.1 if reverses else tension > 8


def test_what_was_never_met_is_in_no_pair():
    learned = learn(SOURCE, TARGET)
    result = aligned(learned, [["Haus", "unbekannt"], ["unbekannt"]], [["unknown", "house"], ["small"]])
    assert result[0].tolist() == [[0, 1]]
    assert result[1].shape == (0, 2)


def test_both_directions_must_agree():
    forward = [np.array([[0, 0], [0, 1], [2, 2]]), np.empty((0, 2), int), np.array([[1, 0]])]
    backward = [np.array([[1, 0], [0, 1], [2, 2]]), np.array([[0, 0]]), np.array([[0, 0]])]
    assert [pairs.tolist() for pairs in symmetric(forward, backward)] == [[[0, 1], [2, 2]], [], []]
    assert symmetric(forward, backward)[1].shape == (0, 2)


@given(corpora)
@settings(max_examples=30)
def test_agreement_is_the_same_from_both_sides(corpus):
    source, target = zip(*corpus, strict=True)
    forward = aligned(learn(source, target), source, target)
    backward = aligned(learn(target, source), target, source)
    one, other = symmetric(forward, backward), symmetric(backward, forward)
    for pairs, reversed_pairs in zip(one, other, strict=True):
        assert sorted(pairs.tolist()) == sorted(reversed_pairs[:, ::-1].tolist())
        assert len(np.unique(pairs[:, 0])) == len(np.unique(pairs[:, 1])) == len(pairs)


# --- words and errors ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" Aus Côte d’Ivoire,  12.5!", ["Aus", "Côte", "d", "’", "Ivoire", ",", "12", ".", "5", "!"]),
        ("来自日本的人", ["来", "自", "日", "本", "的", "人"]),
        ("हिन्दी में है।", ["हिन्दी", "में", "है", "।"]),
        (" ", []),
    ],
)
def test_words(text, expected):
    assert [text[start:end] for start, end in words(text)] == expected


@pytest.mark.parametrize("use", [learn, lambda *corpora: aligned(learn(SOURCE, TARGET), *corpora)])
@pytest.mark.parametrize(
    ("source", "target", "fault"),
    [
        (SOURCE, TARGET[:-1], (None, "5", "4")),
        ([], [], (None, "no sentences")),
        ([["a"], []], [["b"], ["c"]], ("Sentence 2",)),
        ([["a"], ["c"]], [[], ["b"]], ("Sentence 1",)),
    ],
)
def test_what_is_no_parallel_corpus(use, source, target, fault):
    with refused(*fault):
        use(source, target)


def test_directions_of_other_sentences():
    with refused(None, "2", "1"):
        symmetric([np.empty((0, 2), int)] * 2, [np.empty((0, 2), int)])
