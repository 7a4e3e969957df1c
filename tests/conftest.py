"""Tiny language models with random weights, one a family of the full study, each with a tokenizer of its own type."""

import json
from pathlib import Path

import pytest

TEXT = [
    "People in Peru are weak.",
    "People in New Zealand are hard-working.",
    "People in Xi’an are wise.",
    "Saint Kitts and Nevis",
    "Lima, Cusco, Arequipa, Ottawa, Canada, Fiji, America, Oceania: shy",
    "The cat sat on the mat and was loud.",
]


def _word_piece(folder):
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertTokenizerFast

    tokenizer = BertWordPieceTokenizer(lowercase=False)
    tokenizer.train_from_iterator(TEXT, vocab_size=160, min_frequency=1, show_progress=False)
    BertTokenizerFast(tokenizer_object=tokenizer._tokenizer, do_lower_case=False, model_max_length=64).save_pretrained(
        folder
    )


def _byte_level(folder):
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(TEXT, vocab_size=330, min_frequency=1, show_progress=False, special_tokens=special)
    learned = _learned(tokenizer)
    merges = [tuple(merge) for merge in learned["merges"]]
    RobertaTokenizerFast(vocab=learned["vocab"], merges=merges, model_max_length=64).save_pretrained(folder)


def _unigram(folder):
    from tokenizers import SentencePieceUnigramTokenizer
    from transformers import AlbertTokenizerFast

    tokenizer = SentencePieceUnigramTokenizer()
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(TEXT, vocab_size=160, show_progress=False, special_tokens=special, unk_token="<unk>")
    pieces = [tuple(piece) for piece in _learned(tokenizer)["vocab"]]
    AlbertTokenizerFast(vocab=pieces, model_max_length=64).save_pretrained(folder)


def _learned(tokenizer):
    return json.loads(tokenizer._tokenizer.to_str())["model"]


SIZES = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}


def _bert(n):
    from transformers import BertConfig, BertForMaskedLM

    return BertForMaskedLM(BertConfig(vocab_size=n, max_position_embeddings=64, **SIZES))


def _albert(n):
    from transformers import AlbertConfig, AlbertForMaskedLM

    return AlbertForMaskedLM(AlbertConfig(vocab_size=n, max_position_embeddings=64, embedding_size=16, **SIZES))


def _roberta(n):
    from transformers import RobertaConfig, RobertaForMaskedLM

    return RobertaForMaskedLM(RobertaConfig(vocab_size=n, max_position_embeddings=66, pad_token_id=1, **SIZES))


def _bart(n):
    from transformers import BartConfig, BartForConditionalGeneration

    layers = {f"{side}_{what}": 2 for side in ("encoder", "decoder") for what in ("layers", "attention_heads")}
    return BartForConditionalGeneration(
        BartConfig(
            vocab_size=n, d_model=24, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=64, **layers
        )
    )


def _gpt2(n):
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(vocab_size=n, bos_token_id=0, eos_token_id=2, n_positions=64, n_embd=24, n_layer=2, n_head=2)
    )


FAMILIES = {
    "bert": (_word_piece, _bert),
    "albert": (_unigram, _albert),
    "roberta": (_byte_level, _roberta),
    "bart": (_byte_level, _bart),
    "gpt2": (_byte_level, _gpt2),
}


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    """Folder of a tiny model of a family, made once a session."""
    import torch
    from transformers import AutoTokenizer

    made: dict[str, Path] = {}

    def make(family: str) -> Path:
        if family not in made:
            folder = tmp_path_factory.mktemp(family)
            make_tokenizer, make_model = FAMILIES[family]
            make_tokenizer(folder)
            torch.manual_seed(0)
            model = make_model(len(AutoTokenizer.from_pretrained(folder)))
            for parameter in model.parameters():  # the usual tiny initial weights would make every token equally likely
                torch.nn.init.normal_(parameter, std=0.3)
            model.save_pretrained(folder)
            made[family] = folder
        return made[family]

    return make


@pytest.fixture(scope="session")
def shared():
    """Real data and golden values, for those who have them; tests that need them are skipped elsewhere."""
    folder = Path(__file__).parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip("the shared data and golden values are not on this machine")
    return folder
