"""Differences of words over templates and targets: against the tests that it is where one thing alone varies, and
against sums over every cell."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from herbarium.statistics import crossed


def sample(scores, n_first, cluster=None):
    n = len(scores)
    return crossed.Words(scores, np.arange(n) < n_first, np.arange(n) if cluster is None else np.array(cluster))


def p_value(result):
    return 2 * stats.t.sf(abs(result.estimate / result.std_error), result.df)


def test_words_in_one_sentence_are_welchs_test():
    scores = np.random.default_rng(1).normal(size=(17, 1, 1)) * np.repeat([1, 3], [12, 5])[:, None, None]
    result, welch = (
        crossed.difference(sample(scores, 12)),
        stats.ttest_ind(scores[:12, 0, 0], scores[12:, 0, 0], equal_var=False),
    )
    assert result.df == pytest.approx(welch.df)
    assert p_value(result) == pytest.approx(welch.pvalue)


def test_pairs_of_words_in_one_sentence_are_the_paired_test():
    random = np.random.default_rng(2)
    scores = random.normal(size=(16, 1, 1)) + np.tile(5 * random.normal(size=8), 2)[:, None, None]
    result = crossed.difference(sample(scores, 8, [*range(8)] * 2))
    paired = stats.ttest_rel(scores[:8, 0, 0], scores[8:, 0, 0])
    assert result.df == pytest.approx(7)
    assert p_value(result) == pytest.approx(paired.pvalue)


@pytest.mark.parametrize("axis", [1, 2])
def test_words_that_are_alike_leave_the_test_of_templates_or_of_targets(axis):
    of_group = np.random.default_rng(3).normal(size=(2, 6))
    scores = np.expand_dims(np.repeat(of_group, 4, axis=0), 3 - axis)
    result, alone = crossed.difference(sample(scores, 4)), stats.ttest_1samp(of_group[0] - of_group[1], 0)
    assert result.df == pytest.approx(5)
    assert p_value(result) == pytest.approx(alone.pvalue)


def test_the_variance_is_that_of_every_sum_by_hand():
    """Mean squares over each cell, one after the other."""
    random = np.random.default_rng(4)
    n, T, A = 10, 4, 5
    y = random.normal(size=(n, T, A)) + random.normal(size=(n, 1, 1)) + random.normal(size=(1, T, 1))
    first = [w < 6 for w in range(n)]
    size = {True: 6, False: 4}

    def group_mean(g, t, a):
        return sum(y[w, t, a] for w in range(n) if first[w] == g) / size[g]

    D = [[group_mean(True, t, a) - group_mean(False, t, a) for a in range(A)] for t in range(T)]
    mean = sum(map(sum, D)) / (T * A)
    rows, columns = [sum(D[t]) / A for t in range(T)], [sum(D[t][a] for t in range(T)) / T for a in range(A)]

    def cells(table, rows, columns, mean):
        v_rows = sum((r - mean) ** 2 for r in rows) / (T - 1) / T
        v_columns = sum((c - mean) ** 2 for c in columns) / (A - 1) / A
        rest = sum((table[t][a] - rows[t] - columns[a] + mean) ** 2 for t in range(T) for a in range(A))
        return v_rows, v_columns, v_rows + v_columns - rest / ((T - 1) * (A - 1)) / (T * A)

    v_templates, v_targets, v_cells = cells(D, rows, columns, mean)
    v_words, shared, parts = 0.0, 0.0, [(v_templates, T - 1), (v_targets, A - 1)]
    for g in (True, False):
        factor, chosen = size[g] / (size[g] - 1), 0.0
        for w in range(n):
            if first[w] == g:
                r = [[(y[w, t, a] - group_mean(g, t, a)) / size[g] for a in range(A)] for t in range(T)]
                r_rows, r_columns = (
                    [sum(row_residuals) / A for row_residuals in r],
                    [sum(r[t][a] for t in range(T)) / T for a in range(A)],
                )
                r_mean = sum(r_rows) / T
                chosen += factor * r_mean**2
                shared += factor * cells(r, r_rows, r_columns, r_mean)[2]
        parts.append((chosen, size[g] - 1))
        v_words += chosen
    variance = max(v_words + v_cells - shared, v_words, v_templates, v_targets)
    result = crossed.difference(sample(y, 6))
    assert result.estimate == pytest.approx(mean)
    assert result.std_error == pytest.approx(np.sqrt(variance))
    assert result.df == pytest.approx(variance**2 / sum(v**2 / df for v, df in parts))


@pytest.mark.parametrize(("n_first", "is_enough"), [(4, True), (5, False), (3, False)])
def test_each_group_needs_its_words(n_first, is_enough):
    assert (crossed.too_few(sample(np.zeros((8, 4, 4)), n_first)) is None) == is_enough


def test_main_effects_of_templates_and_targets_change_nothing():
    random = np.random.default_rng(5)
    scores = random.normal(size=(9, 4, 5))
    moved = scores + 10 * random.normal(size=(1, 4, 1)) + 10 * random.normal(size=(1, 1, 5))
    one, other = (crossed.difference(sample(these, 4)) for these in (scores, moved))
    np.testing.assert_allclose(one, other)


def test_groups_without_a_spread_have_no_error():
    scores = np.zeros((6, 4, 4)) + np.repeat([0.3, 0.1], 3)[:, None, None]
    result = crossed.difference(sample(scores, 3))
    assert result.estimate == pytest.approx(0.2)
    assert np.isnan([result.std_error, result.df]).all()


PAIRED = [
    *((1.0, "he", "she-he"), (1.0, "uncle", "aunt-uncle"), (1.0, "uncle", "aunty-uncle")),
    *((0.0, "she", "she-he"), (0.0, "aunt", "aunt-uncle"), (0.0, "aunty", "aunty-uncle")),
]


def sentences():
    rows = [
        (group, word, pair, template, target)
        for group, word, pair in PAIRED
        for template in ("t1", "t2")
        for target in ("kind", "bold")
    ]
    data = pd.DataFrame(rows, columns=["group", "word", "pair", "template", "target"])
    return data.assign(association=np.arange(len(data), dtype=float))


def test_sentences_of_a_word_are_averaged_and_pairs_that_share_a_word_are_one_cluster():
    result = crossed.words(sentences())
    assert result.scores.shape == (5, 2, 2)
    table = crossed.table(sentences())
    uncle = table.index.get_loc((1.0, "uncle"))
    assert table.loc[(1.0, "uncle"), ("t1", "bold")] == (5 + 9) / 2
    cluster = dict(zip(table.index.get_level_values("word"), result.cluster, strict=True))
    assert cluster["uncle"] == cluster["aunt"] == cluster["aunty"] != cluster["he"] == cluster["she"]
    assert result.is_first[uncle]
    assert result.counts == {"words of a group": 2, "templates": 2, "targets": 2}


def test_what_no_word_has_is_left_out_and_then_words_that_lack_a_score():
    data = sentences()
    data.loc[(data["template"] == "t2") & (data["word"] == "he"), "association"] = np.nan
    assert "he" not in crossed.table(data).index.get_level_values("word")
    data = sentences()
    data.loc[data["target"] == "bold", "association"] = np.nan
    assert crossed.words(data).scores.shape == (5, 2, 1)
