"""The Python interface, for notebooks: scores without the workflow, through the same code."""

import math
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from pydantic import ValidationError

from herbarium.core.console import log
from herbarium.core.errors import HerbariumError
from herbarium.core.section import HUB
from herbarium.models import (
    adapters,
    chats,
    converting,
    devices,
    hub,
    inferred,
    loading,
    prefixes,
    starts,
    tokenizer_files,
    trial,
)
from herbarium.models.kinds import Kind
from herbarium.models.section import Model
from herbarium.scoring import answering, planning, quantities, tuning
from herbarium.scoring.section import Precision

if TYPE_CHECKING:
    from transformers import PreTrainedModel

NOTES = "notes"  # in `attrs` of scores
_NO_LOCK = Path(os.devnull)  # a hub model is given with its commit


class LoadedModel:
    """A model in memory that scores any number of texts, from `load`."""

    def __init__(self, entry: dict):
        """entry: of the model, as in a study's configuration."""
        self._made: tempfile.TemporaryDirectory | None = None  # removed with this object
        self._entry, self._name = entry, str(Path(entry["path"] or entry["hub"], entry["gguf"] or ""))
        source = loading.source_file(entry)
        self._folder = Path(entry["path"] or loading.fetch(entry["hub"], entry["revision"], source))
        loading.check_files(self._folder, self._name, source)
        if source:
            self._made = tempfile.TemporaryDirectory()
            made = Path(self._made.name)
            origin = converting.keep_as_safetensors(
                self._folder, source, made, entry["kind"], self._name, choice=entry["tokenizer"]
            )
            if note := origin["gguf"]["note"]:
                log.warning("%s: %s", self._name, note)
            self._folder = made
        if change := entry["adapter"]:
            adapter = Path(change["path"] or loading.fetch(change["hub"], change["revision"]))
            self._made = tempfile.TemporaryDirectory()
            adapters.named_base(adapter, entry, self._name)
            made = Path(self._made.name)
            adapters.merge(self._folder, adapter, made, entry["kind"], self._name, choice=entry["tokenizer"])
            self._folder = Path(self._made.name)
        self._device = devices.available()
        choice = None if self._made else entry["tokenizer"]  # what was made has the tokenizer that was chosen
        self._tokenizer = loading.load_tokenizer(self._folder, self._name, choice)
        self._in_file = tokenizer_files.as_it_is(self._tokenizer, self._folder, entry)
        template = entry["chat_template"]
        self._chat = template and chats.describe(self._tokenizer, template, self._name)
        self._start = starts.describe(self._tokenizer, self._folder, entry, self._name)
        self._models: dict[str, PreTrainedModel] = {}  # by number format
        self._dtypes: dict[str, str] = {}  # in which each quantity is computed
        exact = self._in(tuning.EXACT)
        trial.check(exact, entry["kind"], self._name)
        n_words = trial.n_words(exact)
        trial.require_words(self._tokenizer, n_words, self._name)
        for note in tokenizer_files.notes(self._tokenizer, self._folder, n_words):
            log.warning("%s: %s.", self._name, note)
        self._cuts = prefixes.able(exact)
        self._longest = int(min(trial.positions(exact) or math.inf, self._tokenizer.model_max_length))

    def score(
        self,
        texts: str | Iterable[str],
        quantity: str | None = None,
        *,
        spans: dict[str, list[tuple[int, int]]] | None = None,
        around: dict[str, list] | None = None,
    ) -> pd.Series:
        """Score texts: the arguments and values of `herbarium.score`.

        No score depends on what was scored before, except with a lower precision: it is tried on the first texts of
        each quantity, and the result holds for all later ones. In float32, the model is not loaded again.
        """
        quantity = _quantity(self._name, self._entry["kind"], quantity)
        texts = _sentences(texts)
        if self._in_file is not None:
            named = self._entry | {"name": self._name}
            tokenizer_files.require_same_tokens(self._tokenizer, self._in_file, named, texts)
        if not texts:
            return _scores(texts, quantity, [], [])
        fillers = {role: tuple(np.array(bounds).T) for role, bounds in (spans or {}).items()}

        def plan(n: int) -> planning.Block:
            lowercase = self._entry["lowercase"]
            planner = planning.Planner(self._tokenizer, self._longest, lowercase, self._chat, self._start, self._cuts)
            first = {role: (start[:n], end[:n]) for role, (start, end) in fillers.items()}
            ids = np.arange(len(texts))[:n]
            return planner.add(ids, texts[:n], [quantity], first, {role: role for role in fillers}, words=around)

        if quantity not in self._dtypes:
            self._dtypes[quantity] = self._choose_dtype(plan)
        language_model = self._in(self._dtypes[quantity])
        for unused in self._models.keys() - self._dtypes.values():
            del self._models[unused]
        planned = plan(len(texts))
        answers = answering.answer_all(language_model, self._device, planned, self._name)
        scores = quantities.gather(answers, planned.sentences)
        return _scores(texts, quantity, scores["value"].to_numpy(), scores["note"].to_pylist())

    def _choose_dtype(self, plan: Callable[[int], planning.Block]) -> str:
        """The wanted number format, if it is accepted on the first texts. plan: of the first n texts."""
        wanted = self._entry["dtype"]
        if wanted == tuning.EXACT:
            return wanted
        precision = Precision().model_dump()
        values = tuning.means(self._in, self._device, plan(precision["sentences"]), self._name)
        return tuning.choose_dtype(values, wanted, self._device, precision, self._name)[0]

    def _in(self, dtype: str) -> "PreTrainedModel":
        """The model in a number format, loaded if it is not in memory."""
        if dtype not in self._models:
            loaded = loading.load(self._folder, self._entry["kind"], dtype, self._name)
            self._models[dtype] = answering.place(loaded, self._device)
        return self._models[dtype]


def _sentences(texts: str | Iterable[str]) -> list[str]:
    """Texts as a list, a single one as one sentence. Raises HerbariumError for what is no text."""
    if isinstance(texts, str):
        return [texts]
    if not isinstance(texts, Iterable) or isinstance(texts, bytes | dict | pd.DataFrame):
        raise HerbariumError(f"texts: {texts!r:.100} is not a text, or a list of texts.")
    sentences = list(texts)
    for place, text in enumerate(sentences):
        if not isinstance(text, str):
            raise HerbariumError(f"texts[{place}]: {text!r:.100} is not a text.")
        if sign := re.search("[\ud800-\udfff]", text):  # half a character, which no file in UTF-8 can have
            raise HerbariumError(f"texts[{place}]: U+{ord(sign[0]):04X} alone is no character.")
    return sentences


def _scores(texts: list[str], quantity: str, values: Sequence[float], notes: list[str | None]) -> pd.Series:
    """What `score` returns."""
    scores = pd.Series(values, index=pd.Index(texts, name="text"), name=quantity, dtype=float)
    scores.attrs[NOTES] = notes
    return scores


def load(
    model: str | os.PathLike,
    *,
    revision: str | None = None,
    gguf: str | None = None,
    adapter: dict[str, str] | None = None,
    kind: str | None = None,
    dtype: str = "float32",
    lowercase: bool = False,
    chat_template: bool | dict = False,
    start: str | None = None,
    tokenizer: str | None = None,
) -> LoadedModel:
    """Load a model, to score texts with it repeatedly.

    model: local folder or GGUF file, or hub id with the 40-digit commit in `revision`. gguf: the file to read of a
    folder or repository of GGUF files. adapter: to be merged into the model, {"path": FOLDER} or {"hub": id,
    "revision": commit}. kind, dtype, lowercase, chat_template, start, tokenizer: as in a study's configuration; without
    kind, it is that of the class that the model was saved from. Raises HerbariumError for a model that cannot be
    loaded.
    """
    settings = {"kind": kind, "dtype": dtype, "lowercase": lowercase, "chat_template": chat_template, "start": start}
    settings["tokenizer"] = tokenizer
    return LoadedModel(_entry(model, revision, gguf=gguf, adapter=adapter, **settings))


def _entry(model: str | os.PathLike, revision: str | None, **settings) -> dict:
    """The model's entry in a study's configuration. Raises HerbariumError if it would not be valid."""
    is_folder, name = Path(model).exists(), str(model)
    if not is_folder and not re.fullmatch(HUB, name):
        raise HerbariumError(f"'{name}' is neither a folder here nor a hub id (organisation/name).{hub.hint(name)}")
    source = {"path": model} if is_folder else {"hub": name, "revision": revision}
    try:
        given = Model(**source, **settings)
    except ValidationError as error:
        raise HerbariumError(
            "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        ) from error
    if not is_folder and revision is None:
        raise HerbariumError(
            f"'{name}' is not a folder here, and a hub model needs its commit: revision='40 hex digits'."
        )
    entry = inferred.completed({name: given}, _NO_LOCK)[name].model_dump()
    change = entry["adapter"]
    if change and change["hub"] and change["revision"] is None:
        raise HerbariumError(f"An adapter on the hub needs its commit: {change['hub']}: 'revision' is missing.")
    return entry


def _quantity(name: str, kind: str, wanted: str | None) -> str:
    """The quantity that is wanted, or that of a sentence by itself for a kind of model.

    Raises HerbariumError if the model cannot give it."""
    quantity = wanted or (quantities.LL if kind == Kind.causal else quantities.AUL)
    quantities.require(name, kind, quantity)
    return quantity


def score(
    texts: str | Iterable[str],
    model: str | os.PathLike,
    quantity: str | None = None,
    *,
    revision: str | None = None,
    gguf: str | None = None,
    adapter: dict[str, str] | None = None,
    kind: str | None = None,
    dtype: str = "float32",
    lowercase: bool = False,
    chat_template: bool | dict = False,
    start: str | None = None,
    tokenizer: str | None = None,
    spans: dict[str, list[tuple[int, int]]] | None = None,
    around: dict[str, list] | None = None,
) -> pd.Series:
    """Score texts with a model that is loaded only for them; `load` keeps it for more.

    texts: sentences, or a single one. quantity: one of `quantities.QUANTITIES`, which `quantities.combine` defines;
    None: "ll" of a causal model, else "aul", which is f(S) of HERB (Eq. 1). spans: for the quantities of slots, role
    ("asked", "condition", "hidden") -> (start, end) of its characters in each text; for those of spans, "question",
    with which the text begins, and "asked", the answer in the rest. around: the words around an answer that
    "span_released" takes as part of it: "before" it phrases in lower case, each a list of alternatives for each of its
    words, and "behind" it words. Others: as in `load`.

    Returns float64 values indexed by the texts, natural logarithms; nan for a text that is refused (no token, or longer
    than the model takes, for example). `attrs["notes"]` has what is to be said of each text, such as why it was
    refused, None if there is nothing. Raises HerbariumError for what is no text, and a model that cannot be loaded or
    cannot give the quantity.
    """
    settings = {"kind": kind, "dtype": dtype, "lowercase": lowercase, "chat_template": chat_template, "start": start}
    settings["tokenizer"] = tokenizer
    entry = _entry(model, revision, gguf=gguf, adapter=adapter, **settings)
    quantity, texts = _quantity(str(model), entry["kind"], quantity), _sentences(texts)  # before the model is loaded
    return LoadedModel(entry).score(texts, quantity, spans=spans, around=around)
