"""The token before a sentence, for tokenizers that keep the contracts of published ones."""

import numpy as np
import pytest
import transformers
from tests.refusals import refused
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

import herbarium
from herbarium.models import starts, tokenizer_files
from herbarium.scoring.planning import Planner

CHATML = "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
LLAMA = (
    "{{ '<|begin_of_text|>' }}{% for m in messages %}<|header|>{{ m['role'] }} {{ m['content'] }}<|eot|>{% endfor %}"
)
BROKEN = "{{ raise_exception('no') }}<|im_start|>"


def saved(folder, special, template=None, first=None, **names):
    """A tokenizer in a folder. special: tokens besides the words. first: one that it puts before every text."""
    vocabulary = {token: number for number, token in enumerate([*special, "She", "is", "a", "nurse", "."])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="a"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    if first:
        around = [(first, vocabulary[first])]
        made.post_processor = processors.TemplateProcessing(single=f"{first}:0 $A:0", special_tokens=around)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=made, **names)
    tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    return tokenizer_files.load(folder, "m")


def causal(start=None):
    return {"kind": "causal", "chat_template": None, "start": start}


def described(folder, special, wanted=None, **more):
    return starts.describe(saved(folder, special, **more), folder, causal(wanted), "m")["token"]


CHAT = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


@pytest.mark.parametrize(
    ("special", "given", "token"),
    [
        (["<|endoftext|>"], {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}, "<|endoftext|>"),
        # like SmolLM2's and Qwen's for chats: a marker of messages, or none at all
        (CHAT, {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "template": CHATML}, "<|endoftext|>"),
        (CHAT, {"eos_token": "<|im_end|>", "template": CHATML}, "<|endoftext|>"),
        (CHAT, {"bos_token": "<|im_start|>", "template": BROKEN}, "<|endoftext|>"),
        (["<|endoftext|>"], {"eos_token": "<|endoftext|>"}, "<|endoftext|>"),
        # like Llama 3's: written once by the template, before all messages
        (
            ["[BOS]", "<|eot|>"],
            {"bos_token": "[BOS]", "template": LLAMA.replace("<|begin_of_text|>", "[BOS]")},
            "[BOS]",
        ),
        (["[EOS]"], {"eos_token": "[EOS]"}, "[EOS]"),
        # an ordinary word
        (["<s>"], {"bos_token": "She"}, "<s>"),
        # what the tokenizer does counts, not what it says
        (["<s>", "<t>"], {"bos_token": "<t>", "first": "<s>"}, "<s>"),
    ],
)
def test_a_sentence_follows_what_documents_begin_with(tmp_path, special, given, token):
    assert described(tmp_path, special, **given) == token


def test_a_token_can_be_named(tmp_path, caplog):
    names = {"bos_token": "<|im_start|>", "template": CHATML}
    assert described(tmp_path, CHAT, "<|im_start|>", **names) == "<|im_start|>"
    assert "documents begin with" in caplog.text
    caplog.clear()
    assert described(tmp_path, CHAT, "<|endoftext|>", **names) == "<|endoftext|>"
    assert not caplog.text
    with refused("models.m.start", "<|endoftext|>"):
        described(tmp_path, CHAT, "<|endoftex|>", **names)


def test_a_tokenizer_that_begins_with_a_marker_of_messages_is_warned_of(tmp_path, caplog):
    assert described(tmp_path, CHAT, first="<|im_start|>", template=CHATML) == "<|im_start|>"
    assert "documents begin with" in caplog.text


def test_without_any_the_way_out_is_said(tmp_path):
    with refused("models.m", "models.m.start", "<|im_start|>"):
        described(tmp_path, ["<|im_start|>", "<|im_end|>"], bos_token="<|im_start|>", template=CHATML)


def test_the_token_stands_before_the_sentence(tmp_path):
    tokenizer = saved(tmp_path, CHAT, bos_token="<|im_start|>", template=CHATML)
    start = starts.describe(tokenizer, tmp_path, causal(), "m")
    plan = Planner(tokenizer, 64, False, start=start).add(np.arange(1), ["She is"], ["ll"])
    assert plan.inputs["token_ids"].to_pylist() == [[0, 3]]


def test_another_token_gives_another_score_in_a_notebook(model_folder):
    folder = model_folder("gpt2")
    scores = [
        herbarium.score(["Peru"], folder, "ll", kind="causal", start=start).iloc[0] for start in (None, "<s>", "</s>")
    ]
    assert scores[0] == scores[1] != scores[2]
