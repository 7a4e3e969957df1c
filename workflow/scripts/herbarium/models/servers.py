"""Servers that answer instead of a model's weights, through the completions API of vLLM.

Prompts are token ids, so that the server has no text to tokenize in its own way. Its answers are checked: the same
tokens as were sent, each with the logarithm of a probability.
"""

import html
import http.client
import io
import json
import math
import os
import re
import socket
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from herbarium.core.console import log
from herbarium.core.errors import HerbariumError

_TRIES = 8
_LONGEST_WAIT = 60  # seconds
_TIMEOUT = 600  # seconds until an answer is complete: a server may have many waiting
_PATIENCE = 3600  # seconds after which nothing is tried again
_TOO_BUSY = (408, 429, 500, 502, 503, 504)
# Bytes of an answer: of any, and more for each token of its prompt. vLLM's have some hundred per token.
_LARGEST, _LARGEST_PER_TOKEN = 2**20, 2**12
# vLLM writes this for a probability of 0, which no model gives to a token.
_LEAST = -9999.0
_LONGEST_SAID = 300  # characters of a server's words in messages and records
# What a server says about a model that does not change between requests.
_IDENTITY = ("id", "root", "owned_by", "max_model_len")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the key would be sent along."""

    def redirect_request(self, *_: object) -> None:
        return None


class _Timed(io.RawIOBase):
    """What comes from a connection, until the time for all of it is over: a socket's own limit is for each piece."""

    def __init__(self, raw: io.RawIOBase, connection: socket.socket) -> None:
        self._raw, self._connection, self._until = raw, connection, time.monotonic() + _TIMEOUT

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"its answer is not complete after {_TIMEOUT:g} s")
        self._connection.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *arguments, **keys) -> None:
        super().__init__(sock, *arguments, **keys)
        self.fp = io.BufferedReader(_Timed(self.fp.detach(), sock))


class _Connection(http.client.HTTPConnection):
    response_class = _Response


class _SecureConnection(http.client.HTTPSConnection):
    response_class = _Response


class _Http(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, request)


class _Https(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SecureConnection, request)


@dataclass(frozen=True)
class Server:
    """A server of a model.

    url: with /v1. model: the server's name for it. concurrent: requests at the same time. name: the study's, for
    messages.
    """

    url: str
    model: str
    concurrent: int
    name: str
    key: str | None = field(default=None, repr=False)

    def identity(self) -> dict:
        """What the server says about the model: `id`, `root`, `owned_by`, `max_model_len`, each None if it does not
        say.

        Raises HerbariumError if it does not serve the model, or does not answer.
        """
        listed = self._ask("models", _LARGEST)
        models = listed.get("data") if isinstance(listed, dict) else None
        if not isinstance(models, list):
            raise self._error("it gives no list of its models")
        cards = {str(card.get("id")): card for card in models if isinstance(card, dict)}
        if self.model not in cards:
            served = self._plain(", ".join(sorted(cards))) or "no model"
            raise self._error(f"it serves {served}, not '{self.model}'")
        card = {key: cards[self.model].get(key) for key in _IDENTITY}
        longest = card.pop("max_model_len")
        if longest is not None and (type(longest) is not int or not 1 < longest < 2**31):
            raise self._error(f"{self._plain(longest)} as `max_model_len` is not a number of tokens")
        facts = {key: None if value is None else self._plain(value) for key, value in card.items()}
        return facts | {"max_model_len": longest}

    def log_probabilities(self, token_ids: list[int]) -> list[float]:
        """Log-probability of each token of a prompt given those before it, (n_tokens,); nan for the first."""
        body = {"model": self.model, "prompt": token_ids, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 1}
        response = self._ask("completions", _LARGEST + _LARGEST_PER_TOKEN * len(token_ids), body)
        try:
            of_tokens = response["choices"][0]["prompt_logprobs"]
        except (KeyError, IndexError, TypeError):
            of_tokens = None
        if not isinstance(of_tokens, list):
            raise self._error("it gives no `prompt_logprobs`, the log-probabilities of a prompt's tokens; vLLM does")
        if len(of_tokens) != len(token_ids):
            raise self._error(f"a prompt of {len(token_ids)} tokens was sent, and it answers for {len(of_tokens)}")
        return [math.nan, *map(self._checked, token_ids[1:], of_tokens[1:])]

    def _checked(self, token: int, of_token: object) -> float:
        if not isinstance(of_token, dict) or str(token) not in of_token:
            others = ", ".join(of_token) if isinstance(of_token, dict) else of_token
            raise self._error(f"token {token} was sent, and it answers for {self._plain(others)}")
        entry = of_token[str(token)]
        value = entry.get("logprob") if isinstance(entry, dict) else entry
        if type(value) not in (int, float) or not _LEAST < value <= 0:
            raise self._error(f"{self._plain(value)} for token {token} is not the logarithm of a probability")
        return float(value)

    def _ask(self, what: str, largest: int, body: dict | None = None) -> object:
        """The server's answer, as plain data. Tried again while it is too busy, or does not answer.

        largest: bytes of its answer.
        """
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/{what}", data, headers)  # noqa: S310 - http or https, says the section
        begun = time.monotonic()
        for number in range(1, _TRIES + 1):
            wait = min(2.0 ** (number - 1), _LONGEST_WAIT)
            try:
                status, reason, retry_after, answer = _received(request, largest)
            except (OSError, http.client.HTTPException) as error:
                why = f"it does not answer ({self._plain(getattr(error, 'reason', error))})"
            else:
                if len(answer) > largest:
                    raise self._error(f"its answer is longer than {largest:,} bytes")
                why = f"{status} {self._plain(reason)}"
                if status in _TOO_BUSY:
                    wait = _asked_to_wait(retry_after, wait)
                elif status != 200:
                    raise self._error(f"{why}: {self._plain(answer.decode(errors='replace'))}{self._hint(status)}")
                else:
                    return self._parsed(answer)
            if number == _TRIES or time.monotonic() - begun > _PATIENCE:
                break
            log.warning("%s: %s; trying again in %.0f s.", self.url, why, wait)
            time.sleep(wait)
        raise self._error(f"{why}, {number} times. Answers so far are kept: run the same command again")

    def _parsed(self, answer: bytes) -> object:
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):  # nested too deeply
            raise self._error("its answer is not JSON that can be read") from None

    def _error(self, what: str) -> HerbariumError:
        return HerbariumError(f"models.{self.name}.served: {self.url}: {what}.")

    def _plain(self, value: object) -> str:
        """What a server says, for messages and records: without the key, without what a terminal would obey, short.

        A server that is wrong may send back what it was sent, in any field.
        """
        text = " ".join("".join(c if c.isprintable() else " " for c in str(value)).split())
        if self.key:
            text = re.sub("".join(map(_spellings, self.key)), "…", text, flags=re.IGNORECASE)
        return text if len(text) <= _LONGEST_SAID else f"{text[:_LONGEST_SAID]}…"

    def _hint(self, code: int) -> str:
        if code not in (401, 403):
            return ""
        return " (it rejects the key)" if self.key else " (it needs a key: name a variable that holds it in `key_env`)"


def _spellings(character: str) -> str:
    """A pattern of the ways in which a character is written in JSON, HTML and addresses."""
    code = ord(character)
    escaped = f"%{code:02x}|\\\\u{code:04x}|&#x0*{code:x};|&#0*{code};|{re.escape(html.escape(character))}"
    return rf"(?:\\?{re.escape(character)}|{escaped})"


def _received(request: urllib.request.Request, largest: int) -> tuple[int, str, str | None, bytes]:
    """Status, reason, Retry-After and body of an answer; one byte more than `largest` of a body that is longer.

    Raises OSError or HTTPException if there is none, or it is not complete.
    """
    opener = urllib.request.build_opener(_NoRedirect, _Http, _Https)
    try:
        answer = opener.open(request, timeout=_TIMEOUT)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        body = answer.read(largest + 1)
        if len(body) <= largest and answer.length:
            raise http.client.IncompleteRead(body, answer.length)
        return answer.status, answer.reason, answer.headers.get("Retry-After"), body


def _asked_to_wait(header: str | None, otherwise: float) -> float:
    """Seconds to wait by a Retry-After header, which holds a number of them or a date."""
    try:
        seconds = (
            float(header) if header and header.isdecimal() else parsedate_to_datetime(header).timestamp() - time.time()
        )
    except (TypeError, ValueError, ArithmeticError):
        return otherwise
    return min(max(seconds, 0), 10 * _LONGEST_WAIT)


def connect(entry: dict, name: str) -> Server:
    """The server of a model. entry: `served` of its configuration, as plain data.

    Raises HerbariumError if the variable that should hold the key does not.
    """
    variable = entry["key_env"]
    key = os.environ.get(variable) if variable else None
    if variable and not key:
        raise HerbariumError(f"models.{name}.served.key_env: the environment has no variable '{variable}'.")
    if key and not re.fullmatch(r"[!-~]+", key):
        raise HerbariumError(
            f"models.{name}.served.key_env: what the variable '{variable}' holds cannot be a key: it has white space "
            "or letters other than a to z."
        )
    return Server(entry["url"], entry["model"], entry["concurrent"], name, key)


def connect_recorded(entry: dict, record: dict) -> Server:
    """As `connect`, for a recorded model. Raises HerbariumError if the server describes it otherwise than in the
    record."""
    server = connect(entry, record["name"])
    if (now := server.identity()) != record["served"]:
        raise HerbariumError(
            f"models.{record['name']}.served: {server.url} now serves {now}, but was recorded with {record['served']}. "
            f"Delete the record of '{record['name']}' under results/work/models/ and run snakemake again."
        )
    return server
