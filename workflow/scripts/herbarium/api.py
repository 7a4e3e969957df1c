"""What a notebook calls: scores without the workflow, through the same code."""

import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from pydantic import ValidationError

from herbarium.core.errors import HerbariumError
from herbarium.models import chats, devices, loading
from herbarium.models.section import Model
from herbarium.scoring import answering, planning, quantities, tuning
from herbarium.scoring.section import Precision


def score(
    texts: Iterable[str],
    model: str | os.PathLike,
    quantity: str = quantities.AUL,
    *,
    revision: str | None = None,
    kind: str = "masked",
    dtype: str = "float32",
    lowercase: bool = False,
    chat_template: bool | dict = False,
    spans: dict[str, list[tuple[int, int]]] | None = None,
) -> pd.Series:
    """Score texts with a model.

    texts: sentences. model: local folder, or hub id with the 40-digit commit in `revision`. quantity: one of
    `quantities.QUANTITIES`, which `quantities.combine` defines; "aul" is f(S) of HERB (Eq. 1). kind, dtype, lowercase,
    chat_template: as in the configuration of a study; a lower precision is tried on the first texts. spans: for the
    quantities of slots, role ("asked", "condition", "hidden") -> (start, end) of its characters in each text; for those
    of spans, "question", with which the text begins, and "asked", the answer in what follows.

    Gives float64 values indexed by the texts, natural logarithms; nan for a text that cannot be scored (no token, or
    longer than the model takes). Raises HerbariumError for a model that cannot be loaded or cannot give the quantity.
    """
    texts = list(texts)
    is_folder = Path(model).is_dir()
    name = str(model)
    source = {"path": model} if is_folder else {"hub": name, "revision": revision}
    try:
        of = {"kind": kind, "dtype": dtype, "lowercase": lowercase, "chat_template": chat_template}
        entry = Model(**source, **of).model_dump()
    except ValidationError as error:
        raise HerbariumError(
            "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        ) from error
    if not is_folder and revision is None:
        raise HerbariumError(f"'{name}' is no folder here, and a hub model needs its commit: revision='40 hex digits'.")
    quantities.require(name, entry["kind"], quantity)
    folder = Path(model) if is_folder else loading.fetch(entry["hub"], revision)
    loading.check_files(folder, name)
    if not texts:
        return pd.Series([], index=pd.Index([], name="text"), name=quantity, dtype=float)
    device = devices.available()
    tokenizer = loading.load_tokenizer(folder, name)
    chat = entry["chat_template"] and chats.describe(tokenizer, entry["chat_template"], name)
    fillers = {role: tuple(np.array(bounds).T) for role, bounds in (spans or {}).items()}

    def load(dtype: str):
        return answering.place(loading.load(folder, entry["kind"], dtype, name), device)

    def plan(n: int) -> planning.Block:
        planner = planning.Planner(tokenizer, longest, lowercase, chat)
        first = {role: (start[:n], end[:n]) for role, (start, end) in fillers.items()}
        return planner.add(np.arange(n), texts[:n], [quantity], first, roles={role: role for role in fillers})

    language_model = load(tuning.EXACT)
    longest = loading.max_tokens(language_model, tokenizer)
    if dtype != tuning.EXACT:
        precision = Precision().model_dump()
        sample = plan(min(precision["sentences"], len(texts)))
        chosen, _ = tuning.choose_dtype(tuning.means(load, device, sample, name), dtype, device, precision, name)
        language_model = load(chosen)
    planned = plan(len(texts))
    answers = answering.answer_all(language_model, device, planned, name)
    values = quantities.gather(answers, planned.sentences)["value"].to_numpy()
    return pd.Series(values, index=pd.Index(texts, name="text"), name=quantity)
