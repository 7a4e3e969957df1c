"""A first look at one model: the study that `make first MODEL=…` runs.

python -m herbarium.study.first MODEL [KIND] writes the configuration, prints its path, and runs nothing.
"""

import re
import sys
from pathlib import Path

import yaml

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.places import CLONE
from herbarium.core.section import HUB
from herbarium.models import folders, gguf, hub, inferred, loading
from herbarium.models.kinds import LANGUAGE_MODELS, Kind

# A study for each kind of language model, with one model called NAME.
STUDIES, NAME = CLONE / "config/first", "mine"
FOLDER = Path("results/first_look")


def study(model: dict, results: str) -> dict:
    """The configuration for one model, as plain data. model: its entry, with `kind`. results: the results folder."""
    template = yaml.safe_load((STUDIES / f"{model['kind']}.yaml").read_text(encoding="utf-8"))
    return template | {"results": results, "models": template["models"] | {NAME: model}}


def entry(model: str, kind: str | None = None) -> dict:
    """The entry of a model in the configuration. model: a folder or GGUF file, or a hub id, which is pinned to its
    latest commit.

    kind: None for the one that its configuration names. Raises HerbariumError for anything else, or a model that
    names no kind, or one without a study.
    """
    source = _source(model)
    if kind is None:
        kind = _kind_of(model, source)
    if kind == Kind.encoder:
        raise HerbariumError(
            f"{model}: it is {Kind.encoder.in_words}: no first look is made of it. Use it in a study of its own, for "
            "`vectors` and what is measured of them, and for tasks (docs/your_model.md). If its weights have a head of "
            "a masked language model, say so: KIND=masked, or `--kind masked`."
        )
    if kind not in LANGUAGE_MODELS:
        raise HerbariumError(
            f"KIND={kind}: it should be one of {', '.join(each for each in Kind if each in LANGUAGE_MODELS)}."
        )
    return source | {"kind": str(kind)}


def _kind_of(model: str, source: dict) -> Kind:
    if gguf.is_named(model):
        return Kind.causal
    try:
        if "hub" in source:
            return inferred.of_hub(model, source["revision"], model)
        return inferred.of_config(folders.read_json(Path(source["path"], folders.CONFIG)), model)
    except HerbariumError as error:
        raise HerbariumError(
            f"{error} Or say what it predicts, masked, causal or seq2seq: `make first MODEL=… KIND=masked`, "
            "`herbarium new … --kind masked`."
        ) from error


def _source(model: str) -> dict:
    if gguf.is_named(model):
        gguf.check(Path(model), model)
        return {"path": str(Path(model).resolve())}
    if Path(model).exists():
        loading.check_folder(Path(model), NAME)
        return {"path": str(Path(model).resolve())}
    if not re.fullmatch(HUB, model):
        raise HerbariumError(f"{model}: no such folder or file, and not a hub id (organisation/name).{hub.hint(model)}")
    return {"hub": model, "revision": loading.latest_revisions([model])[model]}


def main(arguments: list[str]) -> str:
    """Write the study of a model, and return its path."""
    model, kind = arguments[0], arguments[1] if len(arguments) > 1 else None
    results = FOLDER / (re.sub(r"[^A-Za-z0-9._-]+", "-", Path(model).name).strip("-._") or NAME)
    store.write_text(f"{results}.yaml", yaml.safe_dump(study(entry(model, kind), str(results)), sort_keys=False))
    return f"{results}.yaml"


if __name__ == "__main__":
    try:
        print(main(sys.argv[1:]))
    except HerbariumError as error:
        sys.exit(str(error))
