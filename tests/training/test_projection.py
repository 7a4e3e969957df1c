"""Projection: which directions are found, that they are gone, and that nothing else is."""

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import decomposition, svm
from tests.refusals import refused

from herbarium.models import loading, saving
from herbarium.scoring import classifiers
from herbarium.training import alignment, projection, swapping

LIST = "resources/swaps/english_gender.csv"
FAMILIES = ["bert", "distilbert", "albert", "roberta", "xlm-roberta", "camembert"]
D = 24  # of the tiny models
TEXTS = [
    "The cat sat on the mat, and was loud.",
    "People in Peru are weak.",
    "Lima, Cusco",
    "The cat in Ottawa was shy.",
]


def drawn(n, d, seed, shift=2.0):
    """States of pairs that differ along the first axis, and by noise of their own."""
    random = np.random.default_rng(seed)
    shared = random.standard_normal((n, d)) + 3
    lean = np.zeros(d)
    lean[0] = shift
    one, other = (shared + side * lean + 0.3 * random.standard_normal((n, d)) for side in (1, -1))
    return projection.Sides(one, other)


# --- SentenceDebias ---


def released_sentence_debias(a, b, k):
    """As Liang et al. (2020) have it, run_classifier.py: to length 1, less the mean of the pair, PCA of all, its first
    components, which `dropspace` takes off one after the other."""
    a, b = (np.array([row / np.linalg.norm(row) for row in side]) for side in (a, b))
    means = (a + b) / 2
    components = (
        decomposition.PCA(n_components=k, svd_solver="full").fit(np.concatenate([a - means, b - means])).components_
    )
    P = np.eye(a.shape[1])
    for i, h in enumerate(np.eye(a.shape[1])):
        P[i] = h - sum(v * h.dot(v) / v.dot(v) for v in components)
    return P


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_sentence_debias_is_the_released_one(k, seed):
    sides = drawn(30, 8, seed)
    result = projection.projection(projection.sentence_debias(sides, k))
    assert np.allclose(result, released_sentence_debias(*sides, k), atol=1e-8)
    exchanged = projection.projection(
        projection.sentence_debias(projection.Sides(*sides[::-1]), k)
    )  # which text is which plays no part
    assert np.allclose(result, exchanged, atol=1e-8)


def test_sentence_debias_takes_out_the_axis_of_the_difference_alone():
    shared = np.random.default_rng(4).standard_normal((40, 6))
    shared[:, 0] = 0
    one, other = shared.copy(), shared.copy()
    one[:, 0], other[:, 0] = 1, -1
    P = projection.projection(projection.sentence_debias(projection.Sides(one, other), 1))
    assert np.allclose(P, np.diag([0, 1, 1, 1, 1, 1]), atol=1e-12)
    assert np.allclose(one @ P, other @ P)
    assert np.allclose(one @ P, shared)


def test_more_dimensions_than_the_texts_differ_in():
    with refused("3`", "2 texts", "2 dimensions"):
        projection.sentence_debias(drawn(2, 8, 0), 3)
    with refused(None, "`dimensions: 8`", "7"):
        projection.require_room(8, 8, "dimensions")
    projection.require_room(7, 8, "dimensions")


# --- INLP ---


def rowspace_projection(W):
    if np.allclose(W, 0):
        return np.zeros((W.shape[1], W.shape[1]))
    basis = scipy.linalg.orth(W.T)
    return basis.dot(basis.T)


def released_inlp(sides, n):
    """As Ravfogel et al. (2020) have it, src/debias.py, one step after the other."""
    X, y = np.concatenate(sides), np.array([1] * len(sides.texts) + [0] * len(sides.others))
    projected, rowspaces = X.copy(), []
    for _ in range(n):
        W = svm.LinearSVC(fit_intercept=False, class_weight=None, dual=False, random_state=0).fit(projected, y).coef_
        rowspaces.append(rowspace_projection(W))
        P = np.eye(X.shape[1]) - rowspace_projection(np.sum(rowspaces, axis=0))
        projected = P.dot(X.T).T
    return P


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_inlp_is_the_released_one(n, seed):
    sides = drawn(60, 8, seed)
    directions = projection.inlp(sides, n)
    assert np.allclose(directions @ directions.T, np.eye(n), atol=1e-10)
    assert np.allclose(projection.projection(directions), released_inlp(sides, n), atol=1e-5)


def test_inlp_ends_where_nothing_is_told_apart():
    shared = np.random.default_rng(1).standard_normal((40, 6))
    shared[:, 2] = 0
    lean = np.eye(6)[2]
    directions = projection.inlp(projection.Sides(shared + lean, shared - lean), 5)
    assert np.allclose(np.abs(directions), lean[None], atol=1e-6)
    with refused(None, "`train`", "gendered words"):
        projection.inlp(projection.Sides(np.empty((0, 6)), np.empty((0, 6))), 2)


def test_after_inlp_the_sides_are_told_by_chance():
    train, test = drawn(2_000, 8, 1), drawn(1_000, 8, 2)
    before = projection.accuracy(train, test)
    assert before["accuracy"] > 0.95
    P = projection.projection(projection.inlp(train, 5))
    after = projection.accuracy(*(projection.Sides(*(side @ P for side in sides)) for sides in (train, test)))
    assert abs(after["accuracy"] - 0.5) < 4 * after["std_error"] + 0.01


# --- LEACE ---


def published_leace(sides):
    """The closed form of Belrose et al. (2023), word by word, for columns."""
    X = np.concatenate(sides).T
    Z = np.array([[1.0] * len(sides.texts) + [0.0] * len(sides.others)])
    mean = X.mean(axis=1, keepdims=True)
    covariance = (X - mean) @ (X - mean).T / X.shape[1]
    cross = (X - mean) @ (Z - Z.mean()).T / X.shape[1]
    # the square root of the pseudo-inverse, which is symmetric
    W = np.real(scipy.linalg.sqrtm(np.linalg.pinv(covariance, hermitian=True)))
    onto = (W @ cross) @ np.linalg.pinv(W @ cross)
    return (X - np.linalg.pinv(W, rcond=1e-8) @ onto @ W @ (X - mean)).T


def deficient(n, d, seed):
    """States that lie in a part of their space."""
    sides = drawn(n, d, seed)
    basis = np.random.default_rng(seed).standard_normal((d, d + 4))
    return projection.Sides(*(side @ basis for side in sides))


@pytest.mark.parametrize("made", [drawn, deficient])
@pytest.mark.parametrize("seed", range(3))
def test_leace_is_the_published_one(made, seed):
    sides = made(60, 8, seed)
    eraser = projection.leace(sides)
    assert eraser.n_directions == 1
    assert np.allclose(np.concatenate([eraser.of(side) for side in sides]), published_leace(sides), atol=1e-6)


@pytest.mark.parametrize("made", [drawn, deficient])
def test_after_leace_no_linear_classifier_tells_the_sides_and_the_mean_stays(made):
    sides = made(200, 8, 1)
    erased = projection.Sides(*map(projection.leace(sides).of, sides))
    states, sign = np.concatenate(erased), np.repeat([1, -1], 200)
    assert np.abs((states - states.mean(axis=0)).T @ sign / len(states)).max() < 1e-6
    assert np.allclose(states.mean(axis=0), np.concatenate(sides).mean(axis=0))
    fitted = svm.LinearSVC(dual=False).fit(states, sign)
    assert abs(fitted.score(states, sign) - 0.5) < 0.02
    assert projection.accuracy(sides, sides)["accuracy"] > 0.95


@pytest.mark.parametrize("seed", range(5))
def test_no_other_map_that_erases_changes_the_states_less(seed):
    """Others: the direction of the difference of means alone, that of any other reading of the sides, and INLP."""
    random = np.random.default_rng(seed)
    basis = random.standard_normal((8, 8))
    sides = projection.Sides(*(side @ basis for side in drawn(300, 8, seed)))
    mean, difference = np.concatenate(sides).mean(axis=0), sides.texts.mean(axis=0) - sides.others.mean(axis=0)
    others = [projection.without(difference[None] / np.linalg.norm(difference))]
    for axis in random.standard_normal((20, 8)):
        lost = np.outer(axis, difference) / (axis @ difference)
        others.append(projection.Eraser(np.eye(8) - lost, mean @ lost, 1))
    for eraser in others:
        assert np.allclose(np.subtract(*(eraser.of(side).mean(axis=0) for side in sides)), 0)
    others.append(projection.without(projection.inlp(sides, 7)))
    least, *distances = (
        sum(((side - eraser.of(side)) ** 2).sum() for side in sides) for eraser in (projection.leace(sides), *others)
    )
    assert least < min(distances)


def test_leace_leaves_states_that_say_nothing_and_needs_pairs():
    side = np.random.default_rng(0).standard_normal((40, 5))
    eraser = projection.leace(projection.Sides(side, side))
    assert np.allclose(eraser.of(side), side)
    with refused(None, "`train`", "gendered words"):
        projection.leace(projection.Sides(np.empty((0, 6)), np.empty((0, 6))))


# --- what both have in common ---


@given(st.integers(2, 10), st.integers(0, 10**6), st.sampled_from(["sentence_debias", "inlp"]), st.data())
@settings(max_examples=30)
def test_a_projection_takes_out_its_directions_and_leaves_all_others(d, seed, name, data):
    method = getattr(projection, name)
    n = data.draw(st.integers(1, d - 1))
    sides = drawn(3 * d, d, seed)
    v = method(sides, n)
    P = projection.projection(v)
    assert np.allclose(P, P.T)
    assert np.allclose(P @ P, P, atol=1e-8)
    assert np.allclose((sides.texts - sides.others) @ P @ v.T, 0, atol=1e-8)
    other = np.random.default_rng(seed).standard_normal(d)
    other -= other @ v.T @ v
    assert np.allclose(other @ P, other, atol=1e-8)
    assert np.array_equal(v, method(sides, n))


def test_what_was_removed():
    sides = projection.Sides(np.array([[3.0, 0, 4], [0, 2, 0]]), np.array([[0.0, 0, 0], [0, 0, 0]]))
    assert projection.removed(sides, projection.projection(np.eye(3)[:1])) == pytest.approx(9 / 29)
    assert projection.removed(sides, projection.projection(np.eye(3)[1:])) == pytest.approx(20 / 29)
    assert projection.removed(projection.Sides(*[sides.texts] * 2), np.eye(3)) is None


def test_accuracy_is_that_of_held_out_texts():
    """Learned: the first side is positive. Held out: of one pair both are told, of one a single text, of two none."""
    one = np.array([[1.0], [2.0]])
    test = projection.Sides(np.array([[1.0], [1], [-1], [-1]]), np.array([[-1.0], [1], [1], [1]]))
    result = projection.accuracy(projection.Sides(one, -one), test)
    assert result["accuracy"] == pytest.approx(3 / 8)
    assert result["std_error"] == pytest.approx(np.std([1, 0.5, 0, 0], ddof=1) / 2)


# --- which texts ---


def corpus(*rows):
    """Rows of text_id, split, text; of one text_id, the second is the counterpart."""
    table = pd.DataFrame(rows, columns=["text_id", "split", "text"])
    table["side"] = np.where(table["text_id"].duplicated(), "swapped", "original")
    return table


def test_the_male_text_of_a_pair_comes_first():
    texts = corpus(
        (0, "train", "He sat."),
        (0, "train", "She sat."),
        (1, "train", "It sat."),
        (2, "train", "The QUEEN sat."),
        (2, "train", "The KING sat."),
        (3, "test", "He saw his aunt."),
        (3, "test", "She saw her uncle."),
    )
    genders = swapping.genders(texts["text"], LIST)
    assert genders == ["male", "female", None, "female", "male", None, None]
    result = projection.pairs(texts, genders)
    assert result.to_numpy().tolist() == [
        ["train", "He sat.", "She sat.", True],
        ["train", "The KING sat.", "The QUEEN sat.", True],
        ["test", "He saw his aunt.", "She saw her uncle.", False],
    ]
    assert not projection.pairs(texts)["is_told"].any()
    with refused(None, "`train`", "counterpart"):
        projection.pairs(texts.iloc[2:3])


def test_a_text_that_was_learned_from_is_not_held_out():
    table = pd.DataFrame(
        [
            ("train", "He sat.", "She sat."),
            ("test", "She sat.", "He sat."),
            ("test", "He ran.", "She ran."),
            ("validation", "He lay.", "She lay."),
        ],
        columns=["split", "text", "other"],
    )
    assert projection.held_out(table).tolist() == [False, False, True, False]


def test_the_report_is_of_held_out_pairs():
    sides = projection.Sides(*map(np.concatenate, zip(drawn(50, 4, 0), drawn(30, 4, 1), strict=True)))
    train, is_told = np.arange(80) < 50, np.arange(80) % 2 == 0
    eraser = projection.without(np.eye(4)[:1])
    result = projection.report(sides, is_told, train, ~train, eraser)
    assert (result["n_pairs"], result["n_held_out"], result["n_told"], result["n_directions"]) == (50, 30, 15, 1)
    assert result["before"]["accuracy"] > 0.95 > result["after"]["accuracy"]
    assert result["removed"] == pytest.approx(projection.removed(sides.at(~train), eraser.matrix))
    none = projection.report(sides, np.zeros(80, dtype=bool), train, ~train, eraser)
    assert none["before"] is None
    assert none["after"] is None


# --- the model ---


def load(folder):
    return loading.load(folder, "masked", "float32", "m"), loading.load_tokenizer(folder, "m")


@pytest.mark.parametrize("family", FAMILIES)
def test_states_of_texts_are_the_means_over_their_tokens(family, model_folder):
    model, tokenizer = load(model_folder(family))
    result = classifiers.mean_states(model, "cpu", classifiers.encode(tokenizer, TEXTS, 64, False), "m")
    for text, mean in zip(TEXTS, result, strict=True):
        with torch.no_grad():
            states = model.base_model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        assert np.allclose(mean, states.double().mean(dim=0).numpy(), atol=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("made_by", "n_changed"),
    [
        (lambda sides: projection.without(projection.sentence_debias(sides, 2)), 1),
        (lambda sides: projection.leace(sides), 2),
    ],
)
def test_the_head_sees_the_projected_states(family, made_by, n_changed, model_folder, tmp_path):
    """As Meade et al. have it, with a hook behind the trunk; and no other tensor is another."""
    model, tokenizer = load(model_folder(family))
    eraser = made_by(drawn(60, D, 3))
    saving.save(tmp_path, alignment.folded(model, eraser.matrix, eraser.offset), tokenizer)
    read, _ = load(tmp_path)
    before = model.state_dict()
    assert sum(not torch.equal(tensor, before[name]) for name, tensor in read.state_dict().items()) == n_changed

    inputs = tokenizer(TEXTS[0], return_tensors="pt")
    with torch.no_grad():
        plain, made = model(**inputs).logits, read(**inputs).logits

        def hook(module, inputs, output):
            matrix, offset = (torch.tensor(part, dtype=torch.float32) for part in (eraser.matrix, eraser.offset))
            output.last_hidden_state = output.last_hidden_state @ matrix + offset
            return output

        model.base_model.register_forward_hook(hook)
        expected = model(**inputs).logits
    assert torch.allclose(made, expected, atol=1e-4)
    assert not torch.allclose(made, plain, atol=1e-2)


def test_texts_of_a_broken_model_are_an_error(model_folder):
    model, tokenizer = load(model_folder("bert"))
    with torch.no_grad():
        next(model.parameters()).fill_(torch.nan)
    with refused("m", "4 texts", "not finite"):
        classifiers.mean_states(model, "cpu", classifiers.encode(tokenizer, TEXTS, 64, False), "m")
