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

# Answers that begin and end with nothing in common: text that comes before both is the template's. So do questions.
_ANSWERS = ("Yes.", "no, 3 of them!")
_QUESTIONS = ("Was it you?", "and 2 more, who?")

Turn = tuple[str | None, str]  # a question, None for the message that is the same for all; and the answer


def describe(tokenizer: "PreTrainedTokenizerFast", asked: dict, name: str) -> dict:
    """What the record of a model says about its chats.

    asked: `chat_template` of its configuration, as plain data. Returns the same with "before", the text that every
    sentence follows, "between", the text between a question and its answer (None if nothing is asked), and "template",
    the sha256 of the template.
    Raises HerbariumError if the tokenizer has no template, or one that cannot render such a conversation, writes
    today's date, leaves out a message, changes an answer or puts nothing before it.
    """
    says = f"models.{name}.chat_template"
    if not tokenizer.chat_template:
        raise HerbariumError(
            f"{says}: its tokenizer has no chat template (`chat_template` in tokenizer_config.json, or "
            "chat_template.jinja); leave the key out."
        )
    questions = _QUESTIONS if asked["question"] else (None,)
    try:
        template = tokenizer.get_chat_template()
        rendered = [conversations(tokenizer, asked, [(asks, answer) for answer in _ANSWERS]) for asks in questions]
    except Exception as error:  # of any kind: a template can raise what it likes
        message = " ".join(str(error).split())
        if "'NoneType' object is not callable" in message:
            message = "it asks for today's date, and scores would depend on it; fix it in `variables`"
        elif asked["user"] is None:
            message += "; many templates want a message of the `user`"
        raise HerbariumError(f"{says}: the template refuses this conversation: {message}.") from error
    befores = [whole[0].rpartition(_ANSWERS[0])[0] for whole in rendered]
    for before, whole in zip(befores, rendered, strict=True):
        if not all(text.startswith(before + answer) for text, answer in zip(whole, _ANSWERS, strict=True)):
            raise HerbariumError(f"{says}: the template changes the answer, or the text before it depends on it.")
        for role in ("system", "user"):
            if (asked[role] or "").strip() not in before:
                raise HerbariumError(f"{says}.{role}: the template leaves this message out, or changes it.")
        if not before:
            raise HerbariumError(f"{says}: the template puts nothing before an answer; leave the key out.")
    parts = (befores[0], None)
    if asked["question"]:
        parts, other = (before.rpartition(asks)[::2] for asks, before in zip(_QUESTIONS, befores, strict=True))
        if parts != other:
            raise HerbariumError(f"{says}.question: the template changes the question, or leaves it out.")
    about = dict(zip(("before", "between"), parts, strict=True))
    return asked | about | {"template": hashlib.sha256(template.encode()).hexdigest()}


def conversations(tokenizer: "PreTrainedTokenizerFast", chat: dict, turns: Sequence[Turn]) -> list[str]:
    """The text of each conversation that ends with an answer. chat: of the configuration or a record."""
    told = [{"role": role, "content": chat[role]} for role in ("system", "user") if chat[role] is not None]
    messages = (
        [
            *told,
            *([] if question is None else [{"role": "user", "content": question}]),
            {"role": "assistant", "content": answer},
        ]
        for question, answer in turns
    )
    return [rendered(tokenizer, of_answer, chat["variables"]) for of_answer in messages]


def rendered(tokenizer: "PreTrainedTokenizerFast", messages: list[dict], variables: dict) -> str:
    """A conversation as text. messages: `role` and `content` of each."""
    return tokenizer.apply_chat_template(
        messages,
        tokenize=False,
        strftime_now=None,  # a template that calls it would give another text every day
        **variables,
    )


def before(chat: dict, question: str | None) -> str:
    """What stands before the answer to a question. chat: of a record."""
    return chat["before"] + ("" if question is None else question + chat["between"])


def changed(tokenizer: "PreTrainedTokenizerFast", chat: dict, turns: Sequence[Turn]) -> list[bool]:
    """Of which turns a template does not put the answer unchanged after the text that `before` says. chat: of a
    record."""
    texts = conversations(tokenizer, chat, turns) if turns else []
    return [not whole.startswith(before(chat, turn[0]) + turn[1]) for whole, turn in zip(texts, turns, strict=True)]
