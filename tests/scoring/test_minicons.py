"""Against minicons, a library of others that gives the same scores (skipped where `make oracles` has not been run)."""

import numpy as np
import pytest
import transformers
from tests.conftest import families, mostly_slow

import herbarium

SENTENCES = [
    "People in Peru are weak.",
    "People in New Zealand are hard-working.",
    "People in Xi’an are wise.",
    "Peru",
    # words of many sub-tokens
    "Ottawa’s weathermen are unhardened.",
    "Hardworking northwesterners in Arequipa are unwise.",
]

# Quantity: the metric of minicons, and what makes the same of a sentence's log-probabilities.
MASKED = {
    "pll": ("original", lambda log_p: log_p.sum().item()),
    "pppl": ("original", lambda log_p: log_p.mean().neg().exp().item()),
    "pll_word_l2r": ("within_word_l2r", lambda log_p: log_p.sum().item()),
}


@pytest.fixture(scope="module")
def minicons():
    verbosity = transformers.logging.get_verbosity()
    scorer = pytest.importorskip("minicons.scorer", reason="minicons is not installed; `make oracles` does it")
    transformers.logging.set_verbosity(verbosity)  # on import, minicons silences transformers for everyone
    return scorer


@pytest.mark.parametrize("quantity", MASKED)
@pytest.mark.parametrize("family", mostly_slow(families("masked"), "bert"))
def test_pseudo_log_likelihoods(minicons, model_folder, family, quantity):
    folder, (metric, reduction) = model_folder(family), MASKED[quantity]
    scorer = minicons.MaskedLMScorer(str(folder))
    # tokenized here, as minicons does it: it calls batch_encode_plus, which transformers 5 no longer has
    encoded = scorer.tokenizer(SENTENCES, padding=True)
    expected = scorer.sequence_score(encoded, reduction=reduction, PLL_metric=metric)
    values = herbarium.score(SENTENCES, model=folder, quantity=quantity)
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)


# Whether minicons is to put the beginning-of-sentence token, and where a sentence's log-probabilities end: this Llama's
# tokenizer puts marks at both ends itself, and minicons scores the last one too.
@pytest.mark.parametrize(
    ("family", "bos_token", "end"), [("gpt2", True, None), ("qwen2", True, None), ("llama", False, -1)]
)
def test_log_likelihoods(minicons, model_folder, family, bos_token, end):
    folder = model_folder(family)
    scorer = minicons.IncrementalLMScorer(str(folder))

    def log_likelihood(text):
        return scorer.sequence_score(text, bos_token=bos_token, reduction=lambda log_p: log_p[:end].sum().item())[0]

    # one by one: the padding token of Qwen2's tokenizer has no embedding in the tiny model
    expected = [log_likelihood(text) for text in SENTENCES]
    values = herbarium.score(SENTENCES, model=folder, quantity="ll", kind="causal")
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)
