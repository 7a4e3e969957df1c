"""Chats: the text that the template of a chat model puts before a sentence that is the assistant's answer.

transformers renders the template, in its sandbox. What comes after the sentence is left out: a causal model does not
see it.
"""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from herbarium.core.errors import HerbariumError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# Answers that begin and end with nothing in common: text that comes before both is the template's.
_ANSWERS = ("Yes.", "no, 3 of them!")


def describe(tokenizer: "PreTrainedTokenizerFast", asked: dict, name: str) -> dict:
    """What the record of a model says about its chats.

    asked: `chat_template` of its configuration, as plain data. Returns the same with "before", the text that every
    sentence follows, and "template", the sha256 of the template.
    Raises HerbariumError if the tokenizer has no template, or one that cannot render such a conversation, writes
    today's date, leaves out a message, changes an answer or puts nothing before it.
    """
    says = f"models.{name}.chat_template"
    if not tokenizer.chat_template:
        raise HerbariumError(
            f"{says}: its tokenizer has no chat template (`chat_template` in tokenizer_config.json, or "
            "chat_template.jinja); leave the key out."
        )
    try:
        template = tokenizer.get_chat_template()
        rendered = conversations(tokenizer, asked, _ANSWERS)
    except Exception as error:  # of any kind: a template can raise what it likes
        message = " ".join(str(error).split())
        if "'NoneType' object is not callable" in message:
            message = "it asks for today's date, and scores would depend on it; fix it in `variables`"
        elif asked["user"] is None:
            message += "; many templates want a message of the `user`"
        raise HerbariumError(f"{says}: the template refuses this conversation: {message}.") from error
    before = rendered[0].rpartition(_ANSWERS[0])[0]
    if not all(whole.startswith(before + answer) for whole, answer in zip(rendered, _ANSWERS, strict=True)):
        raise HerbariumError(f"{says}: the template changes the answer, or the text before it depends on it.")
    for role in ("system", "user"):
        if (asked[role] or "").strip() not in before:
            raise HerbariumError(f"{says}.{role}: the template leaves this message out, or changes it.")
    if not before:
        raise HerbariumError(f"{says}: the template puts nothing before an answer; leave the key out.")
    return asked | {"before": before, "template": hashlib.sha256(template.encode()).hexdigest()}


def conversations(tokenizer: "PreTrainedTokenizerFast", chat: dict, answers: Sequence[str]) -> list[str]:
    """The text of each conversation that ends with an answer. chat: of the configuration or a record."""
    given = [{"role": role, "content": chat[role]} for role in ("system", "user") if chat[role] is not None]
    messages = ([*given, {"role": "assistant", "content": answer}] for answer in answers)
    return [rendered(tokenizer, of_answer, chat["variables"]) for of_answer in messages]


def rendered(tokenizer: "PreTrainedTokenizerFast", messages: list[dict], variables: dict) -> str:
    """A conversation as text. messages: `role` and `content` of each."""
    return tokenizer.apply_chat_template(
        messages,
        tokenize=False,
        strftime_now=None,  # a template that calls it would give another text every day
        **variables,
    )


def changed(tokenizer: "PreTrainedTokenizerFast", chat: dict, answers: Sequence[str]) -> list[bool]:
    """Which answers a template does not put unchanged after the same text. chat: of a record."""
    rendered = conversations(tokenizer, chat, answers) if answers else []
    return [not whole.startswith(chat["before"] + answer) for whole, answer in zip(rendered, answers, strict=True)]
