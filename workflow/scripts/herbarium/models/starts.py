"""The token that a causal model sees before the first of a sentence, from which it predicts it.

It should be the one that documents begin with in training. What a tokenizer calls its beginning-of-sentence token need
not be: in chat models it may be the marker of a message, or be missing. In this order, the first that there is:

1. what the tokenizer itself puts before a text,
2. its beginning-of-sentence token, if it is a special token and no marker of messages in its chat template,
3. a special token whose name says that documents begin or end with it,
4. its end-of-sentence token, if it is a special token and no such marker.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from herbarium.core.console import log
from herbarium.core.errors import HerbariumError, did_you_mean
from herbarium.models import chats, loading
from herbarium.models.kinds import Kind

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from herbarium.models.tokenizer_files import Tokenizer

_OF_DOCUMENTS = (
    *("<|endoftext|>", "<|begin_of_text|>", "<|end_of_text|>", "<|begin▁of▁sentence|>"),
    *("<s>", "<bos>", "</s>", "<eos>"),
)
_MESSAGES = [{"role": role, "content": "Yes."} for role in ("user", "assistant", "user")]


def describe(
    tokenizer: "Tokenizer | PreTrainedTokenizerFast", folder: Path, entry: Mapping, name: str
) -> dict[str, str | int | None] | None:
    """What the record of a model says about the token before a sentence: `token`, and its `id`, null if the tokenizer
    puts it there itself. None for a model that is not causal, and for one whose chat template begins the text.

    entry: of its configuration. name: the model, for messages. Raises HerbariumError if the tokenizer does not have the
    token that `start` names, or, without it, none that documents begin with.
    """
    if Kind(entry["kind"]) is not Kind.causal or entry["chat_template"]:
        return None
    wanted = entry["start"]
    backend = tokenizer.backend_tokenizer
    added = backend.get_added_tokens_decoder()
    # transformers makes whatever a folder names a special token, an ordinary word too
    special = {
        token.content: number for number, token in added.items() if token.special and not token.content.isalpha()
    }
    if wanted is not None:
        number = backend.token_to_id(wanted)
        if number is None:
            raise HerbariumError(
                f"models.{name}.start: its tokenizer has no token {wanted}{did_you_mean(wanted, special)}; its special "
                f"tokens are {', '.join(special)}."
            )
        _warn(f"models.{name}.start:", wanted, special, folder, name)
        return {"id": number, "token": wanted}
    first = backend.encode("a")
    if any(first.special_tokens_mask[:1]):
        _warn(f"models.{name}: its tokenizer begins every text with", first.tokens[0], special, folder, name)
        return {"id": None, "token": first.tokens[0]}
    name_of = {number: token for token, number in special.items()}
    bos, eos = (name_of.get(number) for number in (tokenizer.bos_token_id, tokenizer.eos_token_id))
    for token in (bos, *_OF_DOCUMENTS, eos):
        if token in special and (token in _OF_DOCUMENTS or not _marks_messages(token, folder, name)):
            return {"id": special[token], "token": token}
    raise HerbariumError(
        f"models.{name}: its tokenizer has no token that documents begin with, from which to predict the first token "
        f"of a sentence; name one in models.{name}.start; its special tokens are {', '.join(special) or 'none'}."
    )


def _warn(begins: str, token: str, special: Mapping[str, int], folder: Path, name: str) -> None:
    """Warn of a token that is not one that documents begin with. begins: of the message."""
    if token not in special or (token not in _OF_DOCUMENTS and _marks_messages(token, folder, name)):
        log.warning("%s %s, which is not a token that documents begin with.", begins, token)


def _marks_messages(token: str, folder: Path, name: str) -> bool:
    """Whether the chat template in a folder writes a token before or after each message.

    A template that does not render a plain conversation counts as doing so if it names the token.
    """
    if token not in _template(folder):
        return False
    try:
        tokenizer = loading.load_tokenizer(folder, name)
        return chats.rendered(tokenizer, _MESSAGES, {}).count(token) > 1
    except Exception:  # of any kind: a template can raise what it likes
        return True


def _template(folder: Path) -> str:
    """The text of the chat templates in a folder, empty if there are none."""
    file, settings = folder / "chat_template.jinja", folder / "tokenizer_config.json"
    if file.exists():
        return file.read_text(encoding="utf-8")
    content = json.loads(settings.read_text(encoding="utf-8")) if settings.exists() else {}
    return json.dumps(content.get("chat_template") or "", ensure_ascii=False)
