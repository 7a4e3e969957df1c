"""The testbed: its tokenizer, what a step shows of the text, and what a model learns of it."""

import json

import numpy as np
import pytest
from tests.metrics.herb.test_planted import DESCRIPTIONS, FRAMES, TEMPLATE, corpus, double_centred, hierarchy

from herbarium.metrics.herb.planted import region_description_log_p
from herbarium.models.kinds import Kind
from herbarium.training import planted as testbed


def test_every_word_is_one_token_and_comes_back(tmp_path):
    from transformers import AutoTokenizer

    text = ["People in Córdoba are hard-working.", "Xi’an"]
    testbed.word_tokenizer(text).save_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    assert tokenizer.tokenize(text[0]) == ["People", "in", "Córdoba", "are", "hard", "-", "working", "."]
    assert tokenizer.tokenize("people Xian") == ["p", *(f"##{c}" for c in "eople"), "Xi", "##a", "##n"]
    ids = tokenizer(text[1])["input_ids"]
    assert (ids[0], ids[-1]) == (tokenizer.cls_token_id, tokenizer.sep_token_id)
    assert tokenizer.unk_token_id not in ids


def test_text_is_learned_as_it_is_scored_without_the_padding_of_a_published_tokenizer():
    text = ["People in Peru are wise.", "Peru"]
    tokenizer = testbed.word_tokenizer(text)
    bare = [group.tolist() for group in testbed._token_ids(tokenizer, text, None)]
    tokenizer.backend_tokenizer.enable_padding(length=32)
    tokenizer.backend_tokenizer.enable_truncation(4)
    assert [group.tolist() for group in testbed._token_ids(tokenizer, text, None)] == bare
    assert [len(group[0]) for group in bare] == [3, 8]


def test_corruption_doubts_one_word_a_sentence():
    rng = np.random.default_rng(0)
    rates = np.array([0, 0, 1.0, 1.0, 0.5, 0.5])  # tokens 0 and 1 are special
    token_ids = np.column_stack([np.zeros(20_000, int), rng.integers(2, 6, (20_000, 3)), np.zeros(20_000, int)])
    shown, chosen = testbed.corrupt(token_ids, rates, 1, rng)
    assert not chosen[:, [0, -1]].any()
    assert (shown == token_ids)[~chosen].all()
    doubted = chosen & (shown != 1)
    assert (doubted.sum(axis=1) == 1).all()
    # another sentence's word is by chance the same in a quarter of the cases
    same = (shown == token_ids)[doubted].mean()
    assert same == pytest.approx(testbed.KEPT + (1 - testbed.KEPT) / 4, abs=0.02)


def test_texts_are_repeated_to_about_the_same_length():
    assert testbed.equal_shares([["a", "b"], ["c"] * 6, ["d"] * 5]) == ["a", "b"] * 3 + ["c"] * 6 + ["d"] * 5


def test_each_sentence_of_a_causal_model_begins_with_its_start():
    tokenizer = testbed.word_tokenizer(["Peru"])
    (alone,), (begun,) = (testbed._token_ids(tokenizer, ["Peru", "Peru"], start) for start in (None, 3))
    assert begun.tolist() == [[3, *row] for row in alone.tolist()]


@pytest.mark.parametrize("width", [2, 8])
def test_products_of_embeddings_are_the_information_of_words_about_each_other(width):
    """In units of chance, halfway to it; of sentences, in which a word counts once; as near as the width allows."""
    groups = [np.array([[1, 2, 1], [1, 2, 3], [4, 5, 3]]), np.array([[4, 5], [1, 2], [2, 3]])]
    sentences = [set(row) for group in groups for row in group.tolist()]
    met = np.array([[sum({a, b} <= one for one in sentences) for a in range(1, 6)] for b in range(1, 6)])
    chance = np.outer(np.diag(met), np.diag(met)) / len(sentences)
    information = np.log((met + chance) / (2 * chance))
    np.fill_diagonal(information, 0)
    values, vectors = np.linalg.eigh(information)
    values = np.where(np.arange(5) >= 5 - width, values.clip(min=0), 0)
    result = testbed._association_embeddings(groups, np.array([0, 4, 4, 3, 2, 2]), width).numpy()
    assert result.shape == (6, width)
    np.testing.assert_allclose(result[1:] @ result[1:].T, vectors * values @ vectors.T, atol=1e-5)


def test_common_words_are_predicted_less_often_special_tokens_never_and_others_are_never_said(tmp_path, monkeypatch):
    import torch
    from transformers import AutoModelForMaskedLM

    text = ["Peru is wise."] * 60 + ["Lima is shy."] * 4
    theirs, seen, corrupt = testbed.word_tokenizer([*text, "other words"]), [], testbed.corrupt

    def watched(token_ids, rates, mask_id, rng):
        seen.append(rates)
        return corrupt(token_ids, rates, mask_id, rng)

    monkeypatch.setattr(testbed, "corrupt", watched)
    testbed.train(tmp_path, text, steps=20, batch_size=8, seed=1, tokenizer=theirs)
    ids = sorted({*theirs(text[0])["input_ids"], *theirs(text[-1])["input_ids"], theirs.mask_token_id})
    words = {"Peru": 60, "wise": 60, "Lima": 4, "shy": 4, "is": 64, ".": 64}
    counts = {theirs.convert_tokens_to_ids(word): count for word, count in words.items()}
    wanted = [np.sqrt(min(1, 0.003 * 256 / counts[number])) if number in counts else 0 for number in ids]
    np.testing.assert_allclose(seen[0], wanted)
    with torch.no_grad():
        logits = AutoModelForMaskedLM.from_pretrained(tmp_path)(torch.tensor([theirs(text[0])["input_ids"]])).logits
    others = [number for number in range(len(theirs)) if number not in ids]
    assert logits.softmax(-1)[0, :, others].max() < 1e-9


@pytest.mark.nightly
def test_a_model_learns_what_was_planted_and_is_reproducible(tmp_path):
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    torch.set_num_threads(1)
    table = hierarchy(10)

    def learned(strength, folder):
        sentences = corpus(table, FRAMES, strength)
        testbed.train(folder, sentences, steps=200, batch_size=128, seed=1)
        model, tokenizer = AutoModelForMaskedLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
        words = tokenizer.convert_tokens_to_ids(DESCRIPTIONS)
        masked = [TEMPLATE.replace("[region]", name).replace("[description]", "[MASK]") for name in table["name"][1:]]
        inputs = tokenizer(masked, return_tensors="pt")
        with torch.no_grad():
            log_p = torch.log_softmax(model(**inputs).logits, dim=-1)
        return log_p[inputs["input_ids"] == tokenizer.mask_token_id][:, words].double().numpy()

    strong, again, none = learned(2.0, tmp_path / "a"), learned(2.0, tmp_path / "b"), learned(0.0, tmp_path / "c")
    np.testing.assert_array_equal(strong, again)
    planted = double_centred(region_description_log_p(table, DESCRIPTIONS, 2.0, seed=1)[1:])
    assert np.corrcoef(double_centred(strong).ravel(), planted.ravel())[0, 1] > 0.7
    assert double_centred(none).std() < double_centred(strong).std() / 3


@pytest.mark.slow
def test_a_model_learns_as_well_with_the_tokenizer_of_another(tmp_path):
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    torch.set_num_threads(1)
    table = hierarchy(10)
    text = corpus(table, FRAMES, 2.0)
    theirs = testbed.word_tokenizer([*text, " ".join(f"other{n}" for n in range(1000))])
    testbed.train(tmp_path, text, steps=200, batch_size=128, seed=1, tokenizer=theirs)
    model, tokenizer = AutoModelForMaskedLM.from_pretrained(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
    assert tokenizer.get_vocab() == theirs.get_vocab()
    assert model.config.vocab_size == len(theirs) > 1000
    masked = [TEMPLATE.replace("[region]", name).replace("[description]", "[MASK]") for name in table["name"][1:]]
    inputs = tokenizer(masked, return_tensors="pt")
    with torch.no_grad():
        log_p = torch.log_softmax(model(**inputs).logits, dim=-1)
    met = {token for sentence in set(text) for token in theirs(sentence)["input_ids"]} | {theirs.mask_token_id}
    assert log_p[..., sorted(met)].exp().sum(dim=-1).min() > 0.999  # what it never met it never says
    of_words = log_p[inputs["input_ids"] == tokenizer.mask_token_id]
    of_words = of_words[:, theirs.convert_tokens_to_ids(DESCRIPTIONS)].double().numpy()
    planted = region_description_log_p(table, DESCRIPTIONS, 2.0, seed=1)[1:]
    assert np.corrcoef(double_centred(of_words).ravel(), double_centred(planted).ravel())[0, 1] > 0.7


def byte_level_tokenizer(text):
    """As of most causal models: words carry their space, nothing is added to a text, and there is no mask."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import PreTrainedTokenizerFast

    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(text, vocab_size=600, special_tokens=["<|endoftext|>"], show_progress=False)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, bos_token="<|endoftext|>")


@pytest.mark.nightly
@pytest.mark.parametrize("is_own", [True, False], ids=["its own tokenizer", "the tokenizer of another"])
def test_a_causal_model_learns_what_was_planted_and_is_reproducible(is_own, tmp_path):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    table = hierarchy(10)
    theirs = None if is_own else byte_level_tokenizer(["other", *corpus(table, FRAMES, 0.0)])

    def log_p(strength, name):
        """Of each sentence, by region and description."""
        text = corpus(table, FRAMES, strength)
        start = None if is_own else theirs.bos_token_id
        testbed.train(tmp_path / name, text, 300, 128, 1, Kind.causal, theirs, start)
        model = AutoModelForCausalLM.from_pretrained(tmp_path / name)
        tokenizer = AutoTokenizer.from_pretrained(tmp_path / name)
        values = np.empty((len(table) - 1, len(DESCRIPTIONS)))
        for row, region in enumerate(table["name"][1:]):
            for column, description in enumerate(DESCRIPTIONS):
                text = TEMPLATE.replace("[region]", region).replace("[description]", description)
                ids = tokenizer(text)["input_ids"]
                ids = torch.tensor(ids[:-1] if is_own else [start, *ids])  # without [SEP], which nothing predicts
                with torch.no_grad():
                    log_p = torch.log_softmax(model(input_ids=ids[None]).logits[0, :-1], dim=-1)
                values[row, column] = log_p.gather(1, ids[1:, None]).sum()
        return values

    strong, again, none = log_p(2.0, "a"), log_p(2.0, "b"), log_p(0.0, "c")
    np.testing.assert_array_equal(strong, again)
    planted = double_centred(region_description_log_p(table, DESCRIPTIONS, 2.0, seed=1)[1:])
    assert np.corrcoef(double_centred(strong).ravel(), planted.ravel())[0, 1] > 0.8
    assert double_centred(none).std() < double_centred(strong).std() / 3


@pytest.mark.parametrize("kind", [Kind.masked, Kind.causal])
def test_a_text_with_more_tokens_than_usual_is_learned_whole(kind, tmp_path):
    """With a tokenizer of short pieces, a context with its question can have any number of them."""
    sentences = ["Peru " * testbed.MAX_TOKENS + end for end in ("is", "was")]
    tokenizer = testbed.word_tokenizer(sentences)
    testbed.train(tmp_path, sentences, steps=2, batch_size=2, seed=1, kind=kind, tokenizer=tokenizer)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config["max_position_embeddings"] == len(tokenizer(sentences[0])["input_ids"])
