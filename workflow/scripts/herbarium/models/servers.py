"""Servers that answer instead of a model's weights, through the completions API of vLLM.

Prompts are token ids, so that the server has no text to tokenize in its own way. Its answers are checked: the same
tokens as were sent, each with the logarithm of a probability.
"""

import http.client
import json
import math
import os
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from herbarium.core.console import log
from herbarium.core.errors import HerbariumError

_TRIES = 8
_LONGEST_WAIT = 60  # seconds
_TIMEOUT = 600  # seconds per request: a server may have many waiting
_TOO_BUSY = (408, 429, 500, 502, 503, 504)
# What a server says about a model that does not change between requests.
_IDENTITY = ("id", "root", "owned_by", "max_model_len")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the key would be sent along."""

    def redirect_request(self, *_: object) -> None:
        return None


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
        listed = self._ask("models")
        models = listed.get("data") if isinstance(listed, dict) else None
        found = {str(of.get("id")): of for of in models or [] if isinstance(of, dict)}
        if self.model not in found:
            raise self._error(f"it serves {', '.join(sorted(found)) or 'no model'}, not '{self.model}'")
        return {key: found[self.model].get(key) for key in _IDENTITY}

    def log_probabilities(self, token_ids: list[int]) -> list[float]:
        """Log-probability of each token of a prompt given those before it, (n_tokens,); nan for the first."""
        body = {"model": self.model, "prompt": token_ids, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 1}
        said = self._ask("completions", body)
        try:
            of_tokens = said["choices"][0]["prompt_logprobs"]
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
            raise self._error(f"token {token} was sent, and it answers for {others}")
        said = of_token[str(token)]
        value = said.get("logprob") if isinstance(said, dict) else said
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value > 0:
            raise self._error(f"{value} for token {token} is not the logarithm of a probability")
        return float(value)

    def _ask(self, what: str, body: dict | None = None) -> object:
        """The server's answer, as plain data. Tried again while it is too busy, or does not answer."""
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/{what}", data, headers)  # noqa: S310 - http or https, says the section
        opener = urllib.request.build_opener(_NoRedirect)
        for number in range(_TRIES):
            wait = min(2.0**number, _LONGEST_WAIT)
            try:
                with opener.open(request, timeout=_TIMEOUT) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                why = f"{error.code} {error.reason}"
                if error.code not in _TOO_BUSY:
                    raise self._error(f"{why}: {self._excerpt(error)}{self._hint(error.code)}") from None
                wait = _asked_to_wait(error.headers.get("Retry-After"), wait)
            except (OSError, http.client.HTTPException) as error:
                why = f"it does not answer ({getattr(error, 'reason', error)})"
            except ValueError:
                raise self._error("its answer is not JSON") from None
            if number + 1 < _TRIES:
                log.warning("%s: %s; trying again in %.0f s.", self.url, why, wait)
                time.sleep(wait)
        raise self._error(f"{why}, {_TRIES} times. Answers so far are kept: run the same command again")

    def _error(self, what: str) -> HerbariumError:
        return HerbariumError(f"models.{self.name}.served: {self.url}: {what}.")

    def _excerpt(self, error: urllib.error.HTTPError) -> str:
        said = " ".join(error.read(2000).decode(errors="replace").split())
        return (said.replace(self.key, "…") if self.key else said)[:300]

    def _hint(self, code: int) -> str:
        if code not in (401, 403):
            return ""
        return " (it rejects the key)" if self.key else " (it needs a key: name a variable that holds it in `key_env`)"


def _asked_to_wait(said: str | None, otherwise: float) -> float:
    """Seconds to wait by a Retry-After header, which holds a number of them or a date."""
    try:
        seconds = float(said) if said and said.isdecimal() else parsedate_to_datetime(said).timestamp() - time.time()
    except (TypeError, ValueError):
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
    return Server(entry["url"], entry["model"], entry["concurrent"], name, key)


def connect_recorded(entry: dict, record: dict) -> Server:
    """As `connect`, for a recorded model. Raises HerbariumError if the server describes it otherwise than in the
    record."""
    server = connect(entry, record["name"])
    if (now := server.identity()) != record["served"]:
        raise HerbariumError(
            f"models.{record['name']}.served: {server.url} now serves {now}, but was recorded with {record['served']}. "
            f"Delete the record of '{record['name']}' under results/models/ and run snakemake again."
        )
    return server
