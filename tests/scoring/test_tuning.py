"""The number format and the size of a pass, measured on the sentences of a study."""

import numpy as np
import pytest
import torch
from tests.refusals import refused

from herbarium.models import devices, loading
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


def test_the_size_of_a_pass_is_one_that_was_tried_and_fits(sample, load, monkeypatch):
    model = load("float32")
    assert tuning.choose_pass_tokens(model, "cpu", sample.inputs) in tuning._LADDER["cpu"]
    forward = tuning.before_head

    def small_memory(model, token_ids):
        if token_ids.numel() > 300:
            raise torch.OutOfMemoryError
        return forward(model, token_ids)

    monkeypatch.setattr(tuning, "before_head", small_memory)
    assert tuning.choose_pass_tokens(model, "cpu", sample.inputs) <= 300


def test_the_smallest_pass_of_nearly_the_highest_rate_is_taken(sample, load, monkeypatch):
    # as on a device whose rate rises to 512 tokens a pass and then no more
    monkeypatch.setattr(tuning, "_seconds", lambda model, device, ids: max(ids.numel(), 500) / min(ids.numel(), 500))
    seconds = {128: 500 / 128, 512: 1.0, 2048: 2048 / 500}
    assert seconds[512] < seconds[128]
    assert tuning.choose_pass_tokens(load("float32"), "cpu", sample.inputs) == 512


def test_the_size_of_a_pass_holds_on_the_device_where_it_was_measured(caplog):
    assert tuning.pass_tokens({"device": devices.name("cpu"), "pass_tokens": 512}, "cpu", "m") == 512
    assert not caplog.records
    assert tuning.pass_tokens({"device": "NVIDIA H100", "pass_tokens": 65_536}, "cpu", "m") is None
    assert "m was tuned on another device (NVIDIA H100)" in caplog.text


def test_sentences_that_are_all_refused_leave_nothing_to_measure(model_folder, load, answer_with):
    planner = planning.Planner(loading.load_tokenizer(model_folder("bert"), "m"), 2, False)
    refused = planner.add(np.arange(len(SENTENCES)), SENTENCES, ["aul", "pppl"])
    assert not len(refused.inputs)
    values = tuning.means(load, "cpu", refused, "m")
    assert tuning.choose_dtype(values, "bfloat16", "cpu", NONE, "m") == ("float32", {})
    assert tuning.choose_pass_tokens(load("float32"), "cpu", refused.inputs) == answering.PASS_TOKENS["cpu"]
