"""Many architectures against their own forward pass in float64."""

import numpy as np
import pytest
import torch
import transformers
from tests import conftest
from tests.conftest import mostly_nightly
from tests.models import zoo
from tests.refusals import refused

import herbarium
from herbarium.models import loading, records, trial

SENTENCES = ["People in New Zealand are hard-working.", "Lima", "The cat in Xi’an was loud, and the mat wise."]
# The others are tried at night.
FEW = (
    *("DebertaForMaskedLM", "FNetForMaskedLM", "LongformerForMaskedLM", "MPNetForMaskedLM"),
    *("BloomForCausalLM", "Gemma3ForCausalLM", "MambaForCausalLM", "OPTForCausalLM"),
    "PegasusForConditionalGeneration",
)
QUANTITIES = {"masked": ["aul", "pll", "aula"], "causal": ["ll"], "seq2seq": ["aul"]}
# Whose tokens do not attend to each other, or only to those nearby.
NO_ATTENTION = [f"{name}ForMaskedLM" for name in ("FNet", "Funnel", "Longformer", "Mra", "Reformer", "Yoso")]
# Whose code has parts in float32.
IN_FLOAT32 = ["FSMTForConditionalGeneration", "MraForMaskedLM", "XGLMForCausalLM"]


def of_transformers(folder, architecture):
    dtype = torch.float32 if architecture in IN_FLOAT32 else torch.float64
    eager = {"attn_implementation": "eager", "experts_implementation": "eager"}  # others know no float64
    return getattr(transformers, architecture).from_pretrained(folder, dtype=dtype, **eager).eval()


def plain(model, tokenizer, kind, quantity, text):
    """Of one sentence alone, by the model's own forward pass."""
    encoding = tokenizer(text, return_special_tokens_mask=True)
    token_ids = torch.tensor([encoding["input_ids"]])
    log_p = []
    for place in np.flatnonzero(np.array(encoding["special_tokens_mask"]) == 0):
        shown = token_ids.clone()
        if quantity == "pll":
            shown[0, place] = tokenizer.mask_token_id
        extra = {"labels": shown} if kind == "seq2seq" else {"output_attentions": True} if quantity == "aula" else {}
        with torch.no_grad():
            output = model(input_ids=shown, **extra)
        log_p.append(output.logits[0, place - (kind == "causal")].log_softmax(dim=-1)[token_ids[0, place]].item())
        if quantity == "aula":
            log_p[-1] *= np.mean([layer[0, :, :, place].mean().item() for layer in output.attentions])
    return np.mean(log_p) if quantity in ("aul", "aula") else np.sum(log_p)


@pytest.mark.parametrize(
    ("kind", "architecture", "further"),
    mostly_nightly(
        [
            *((kind, architecture, {}) for kind, names in zoo.ARCHITECTURES.items() for architecture in names),
            ("causal", "OPTForCausalLM", {"word_embed_proj_dim": 24}),  # only OPT-350m has a projection
        ],
        *FEW,
    ),
)
@pytest.mark.slow
def test_every_architecture_equals_its_own_forward_pass(tmp_path, kind, architecture, further):
    folder = zoo.write(tmp_path, architecture, **further)
    model, tokenizer = herbarium.load(folder, kind=kind), conftest.tokenizer_of(folder)
    its_own = of_transformers(folder, architecture)
    for quantity in QUANTITIES[kind]:
        if quantity == "aula" and architecture in NO_ATTENTION:
            with refused(None, "'aula'"):
                model.score(SENTENCES, quantity)
            with refused("models.m", "'aula'"):
                trial.require_attention(loading.load(folder, kind, "float32", "m"), "m")
            continue
        values = model.score(SENTENCES, quantity)
        expected = [plain(its_own, tokenizer, kind, quantity, text) for text in SENTENCES]
        np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(model.score(SENTENCES[:1], quantity), values[:1], rtol=1e-6)


def test_architectures_without_attention_are_known_by_their_type():
    types = {getattr(transformers, architecture).config_class.model_type for architecture in NO_ATTENTION}
    assert types == set(records.WITHOUT_ATTENTION)
    assert types.isdisjoint(records.FAMILIES)
