"""Against lm-evaluation-harness, as its CrowS-Pairs asks (skipped where `make oracles` has not been run)."""

import numpy as np
import pytest
import transformers

import herbarium

SENTENCES = [
    "People in Peru are weak.",
    "People in New Zealand are hard-working.",
    "Ottawa’s weathermen are unhardened.",
    "Peru",
]


@pytest.mark.parametrize("family", ["gpt2", "qwen2"])
def test_log_likelihoods(model_folder, family):
    """The sentence after an empty context, for which it puts the mark that a text begins with."""
    verbosity = transformers.logging.get_verbosity()
    huggingface = pytest.importorskip(
        "lm_eval.models.huggingface", reason="lm_eval is not installed; `make oracles` does it"
    )
    from lm_eval.api.instance import Instance

    transformers.logging.set_verbosity(verbosity)
    folder = model_folder(family)
    model = huggingface.HFLM(str(folder), dtype="float32", device="cpu", batch_size=1)
    requests = [Instance("loglikelihood", {}, ("", text), i) for i, text in enumerate(SENTENCES)]
    expected = [value for value, _ in model.loglikelihood(requests, disable_tqdm=True)]
    values = herbarium.score(SENTENCES, model=folder, quantity="ll")
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-4)
