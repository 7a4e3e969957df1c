"""From the answers of a plan to the scores of its sentences."""

import numpy as np
import pyarrow as pa
import pytest
from tests.scoring.test_answering import SENTENCES, placed, planned, scored

from herbarium.core import store
from herbarium.scoring import planning, quantities


def test_combine_by_hand():
    log_p = np.log([0.5, 0.25, 0.125])
    n_tokens = np.array([2, 0, 1])
    np.testing.assert_allclose(quantities.combine(log_p, n_tokens, "pll"), [np.log(0.125), np.nan, np.log(0.125)])
    np.testing.assert_allclose(quantities.combine(log_p, n_tokens, "aul"), [np.log(0.125) / 2, np.nan, np.log(0.125)])
    np.testing.assert_allclose(quantities.combine(log_p, n_tokens, "pppl"), [8**0.5, np.nan, 8])
    np.testing.assert_allclose(quantities.combine(log_p, n_tokens, "loss"), [-np.log(0.125) / 2, np.nan, np.log(8)])


@pytest.mark.parametrize("quantity", sorted({*quantities.QUANTITIES} - {"pppl", "loss", "span_released"}))
def test_sums_and_means_of_each_quantity(quantity):
    means = {"aul", "aul_padded", "aula", "mean_ll", "span"}
    expected = [-3.0 if quantity in means else -6.0, -4.0]
    assert quantities.combine(np.array([-2.0, -4.0, -4.0]), np.array([2, 1]), quantity).tolist() == expected


def test_the_released_span_is_of_the_likeliest_beginning_and_end():
    log_p = np.array([-4.0, -1.0, -2.0, -3.0, -6.0, -5.0])
    assert quantities.combine(log_p, np.array([0, 6]), "span_released")[1] == -3.0


def test_the_mean_of_two_is_one_of_log_probabilities():
    two = np.array([2.0]), np.array([8.0])
    assert quantities.mean_of_two(*two, "pll") == 5.0
    assert quantities.mean_of_two(*two, "pppl") == pytest.approx(4.0)


def test_gather_takes_each_sentence_from_anywhere_in_the_plan():
    answers = np.log([0.5, 0.25, 0.125, 0.1, 0.2])
    sentences = pa.table(
        {
            "sentence_id": [7, 8, 9, 10],
            "quantity": ["pll", "aul", "pll", "pll"],
            "first_request": [3, 0, 2, 2],
            "n_requests": pa.array([2, 2, 0, 1], pa.int32()),
            "n_tokens": pa.array([2, 2, 0, 1], pa.int32()),
            "given": [1, 2, 3, 4],
            "note": pa.array([None, None, "refused: x", None]),
        }
    )
    scores = quantities.gather(answers, sentences)
    by_hand = [np.log(0.02), np.log(0.125) / 2, None, np.log(0.125)]
    assert scores["value"].to_pylist() == pytest.approx(by_hand)
    assert scores["note"].to_pylist() == [None, None, "refused: x", None]


def test_a_part_of_a_plan_gives_its_sentences_the_same_scores(model_folder):
    model, texts = placed(model_folder("bert"), "float32"), SENTENCES * 2
    plan = planning.Block(*planned(model_folder("bert"), texts, "pll", blocks=2))
    wanted = np.array([len(texts) - 1, 2, 0])
    part = planning.part(plan, wanted)
    assert part.sentences["sentence_id"].to_pylist() == sorted(wanted)
    assert sorted(part.requests["request"].to_pylist()) == list(range(len(part.requests)))
    assert len(part.inputs) < len(plan.inputs)
    expected = scored(model, plan.inputs, plan.requests, plan.sentences)[np.sort(wanted)]
    np.testing.assert_array_equal(scored(model, part.inputs, part.requests, part.sentences), expected)


def test_scores_of_several_plans_stand_in_one_table(tmp_path):
    answers = np.array([-1.0, -2.0, -3.0])
    plan = {"sentence_id": [7, 8], "quantity": ["pll", "pll"], "first_request": [1, 0], "n_requests": [2, 0]}
    plan = pa.table(plan | {"n_tokens": [2, 0], "given": [1, 2], "note": [None, "refused: x"]})
    plans = [(factor * answers, plan) for factor in (1, 10)]
    assert quantities.write_scores(tmp_path / "scores.parquet", plans, {"code": "c"}) == (4, 2)
    scores = store.read_table(tmp_path / "scores.parquet", "scores")
    assert scores["value"].to_pylist() == [-5.0, None, -50.0, None]
    assert store.read_header(tmp_path / "scores.parquet", "scores")["code"] == "c"
