"""HERB of causal models through the workflow: f(S) is a mean log-likelihood, and one variant that of descriptions."""

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import herbarium
from herbarium.core import store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def likelihoods(results):
    pieces = store.read_pieces([results / "work/likelihoods/gpt2.parquet"], "likelihoods")
    return {piece["wording"][0].as_py(): piece.to_pandas().set_index("region") for piece in pieces}


@pytest.fixture(scope="module")
def sentences(results):
    shard = store.read_frame(results / "work/stimuli/herb/0.parquet", "herb_stimuli")
    return shard[shard["description_start"].notna()]


def test_f_is_the_mean_log_likelihood_of_the_whole_sentence(measured, sentences, likelihoods):
    peru = sentences[sentences["region_name"] == "Peru"]["text"]
    expected = herbarium.score(peru.tolist(), measured.folder / "gpt2", "mean_ll", kind="causal")
    np.testing.assert_allclose(sorted(set(likelihoods["paper"].loc["pe", "f"])), sorted(expected), atol=1e-6)


def test_f_of_descriptions_is_given_all_before(measured, sentences, likelihoods):
    folder = measured.folder / "gpt2"
    model, tokenizer = (made.from_pretrained(folder) for made in (AutoModelForCausalLM, AutoTokenizer))
    values = []
    for row in sentences[sentences["region_name"] == "Peru"].itertuples():
        encoding = tokenizer(row.text, return_offsets_mapping=True, add_special_tokens=False)
        ids = torch.tensor([[tokenizer.bos_token_id, *encoding["input_ids"]]])
        with torch.no_grad():
            log_p = torch.log_softmax(model.eval()(ids).logits[0, :-1].double(), dim=-1)
        log_p = log_p[torch.arange(len(log_p)), ids[0, 1:]].numpy()
        asked = [a < row.description_end and b > row.description_start for a, b in encoding["offset_mapping"]]
        values.append(log_p[asked].mean())
    paper, conditional = likelihoods["paper"].loc["pe"], likelihoods["conditional"].loc["pe"]
    np.testing.assert_allclose(sorted(set(conditional["f"])), sorted(values), atol=1e-5)
    assert conditional["n_tokens"].tolist() == paper["n_tokens"].tolist()
    assert conditional["f_name"] == paper["f_name"]


def test_the_variant_has_its_numbers_and_the_padded_definitions_have_none(results):
    summary = pd.read_csv(results / "summary.csv")
    of_model = dict(list(summary.groupby("model")))
    assert {"C_w_conditional", "C_z_conditional", "D2_conditional"} <= set(of_model["gpt2"]["variant"])
    assert not of_model["bert"]["variant"].str.contains("conditional").any()
    definitions = {model: set(rows.loc[rows["metric"] == "herb", "definition"]) for model, rows in of_model.items()}
    assert definitions["bert"] - definitions["gpt2"] == {"pad_mean", "released"}
