"""The number format, measured on the sentences of a study."""

import numpy as np
import pytest
import torch
from tests.refusals import refused

from herbarium.models import loading
from herbarium.scoring import answering, planning, quantities, tuning

SENTENCES = [f"People in {a} are {b}." for a in ("Peru", "New Zealand", "Xi’an") for b in ("weak", "wise", "loud")]
ANY = {"max": 100, "mean": 100}
NONE = {"max": 0, "mean": 0}


@pytest.fixture
def sample(model_folder):
    planner = planning.Planner(loading.load_tokenizer(model_folder("bert"), "m"), 64, False)
    return planner.add(np.arange(len(SENTENCES)), SENTENCES, ["aul", "pppl"])


@pytest.fixture
def load(model_folder):
    return lambda dtype: answering.place(loading.load(model_folder("bert"), "masked", dtype, "m"), "cpu")


@pytest.fixture
def answer_with(sample):
    """The values that are compared: of a model by number format."""
    return lambda load: tuning.means(load, "cpu", sample, "m")


@pytest.fixture
def both_are_faster(monkeypatch):
    monkeypatch.setattr(tuning, "faster_dtypes", lambda device: ("bfloat16", "float16"))


def test_the_change_is_that_of_the_mean_log_probability(sample, load, answer_with):
    dtype, changes = tuning.choose_dtype(answer_with(load), "bfloat16", "cpu", ANY, "m")
    assert dtype == "bfloat16"
    values = {}
    for wanted in ("float32", "bfloat16"):
        answers = answering.answer_all(load(wanted), "cpu", sample, "t")
        scores = quantities.gather(answers, sample.sentences).to_pandas()
        is_pppl = scores["quantity"] == "pppl"
        values[wanted] = np.concatenate([scores["value"][~is_pppl], -np.log(scores["value"][is_pppl])])
    change = np.abs(values["bfloat16"] - values["float32"])
    assert change.max() > 0
    assert changes == {"bfloat16": {"max": pytest.approx(change.max()), "mean": pytest.approx(change.mean())}}


def test_float32_needs_no_check():
    assert tuning.choose_dtype(None, "float32", "cpu", NONE, "m") == ("float32", {})


def test_a_format_that_was_asked_for_and_changes_too_much_is_refused(load, answer_with):
    with refused("models.m", "'bfloat16'", "max 0", "mean 0", "dtype: auto"):
        tuning.choose_dtype(answer_with(load), "bfloat16", "cpu", NONE, "m")


@pytest.mark.usefixtures("both_are_faster")
@pytest.mark.slow
def test_auto_takes_the_first_that_is_accepted(load, answer_with):
    dtype, changes = tuning.choose_dtype(answer_with(load), "auto", "cpu", ANY, "m")
    assert (dtype, set(changes)) == ("bfloat16", {"bfloat16"})
    dtype, changes = tuning.choose_dtype(answer_with(load), "auto", "cpu", NONE, "m")
    assert (dtype, set(changes)) == ("float32", {"bfloat16", "float16"})
    assert changes["float16"]["mean"] < changes["bfloat16"]["mean"]
    between = {"max": changes["float16"]["max"], "mean": changes["float16"]["mean"]}
    dtype, _ = tuning.choose_dtype(answer_with(load), "auto", "cpu", between, "m")
    assert dtype == "float16"


@pytest.mark.usefixtures("both_are_faster")
def test_a_format_that_overflows_is_not_taken(load, answer_with):
    def overflowing(dtype):
        model = load(dtype)
        with torch.no_grad():
            model.get_output_embeddings().bias[0] = 1e5  # float16 ends at 65504
        return model

    with refused("models.m", "'float16'"):
        tuning.choose_dtype(answer_with(overflowing), "float16", "cpu", ANY, "m")


def test_sentences_that_are_all_refused_leave_nothing_to_measure(model_folder, load, answer_with):
    planner = planning.Planner(loading.load_tokenizer(model_folder("bert"), "m"), 2, False)
    refused = planner.add(np.arange(len(SENTENCES)), SENTENCES, ["aul", "pppl"])
    assert not len(refused.inputs)
    values = tuning.means(load, "cpu", refused, "m")
    assert tuning.choose_dtype(values, "bfloat16", "cpu", NONE, "m") == ("float32", {})
