"""A first look at one model: the study that `make first MODEL=…` runs.

python -m herbarium.study.first MODEL [KIND] writes the configuration, prints its path, and runs nothing.
"""

import json
import re
import sys
from pathlib import Path

import yaml

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.places import CLONE
from herbarium.core.section import HUB
from herbarium.models import loading
from herbarium.scoring.quantities import Kind

# A study for each kind of language model, of one that is called NAME.
STUDIES, NAME = CLONE / "config/first", "mine"
FOLDER = Path("results/first_look")
# How the name of the class ends that a model was saved from.
_CLASSES = {
    Kind.masked: r"For(MaskedLM|PreTraining)$",
    Kind.causal: r"(ForCausalLM|LMHeadModel)$",
    Kind.seq2seq: r"ForConditionalGeneration$",
}


def study(model: dict, results: str) -> dict:
    """The configuration for one model, as plain data. model: its entry, with `kind`. results: the folder."""
    said = yaml.safe_load((STUDIES / f"{model['kind']}.yaml").read_text(encoding="utf-8"))
    return said | {"results": results, "models": said["models"] | {NAME: model}}


def entry(model: str, kind: str | None = None) -> dict:
    """The entry of a model in the configuration. model: a folder, or a hub id, which is pinned to its latest commit.

    kind: None: the one that its configuration names. Raises HerbariumError for what is neither, or names no kind.
    """
    source = _source(model)
    if kind is None:
        folder = Path(model) if "path" in source else loading.fetch(model, source["revision"])
        kind = kind_of(json.loads((folder / "config.json").read_text(encoding="utf-8")), model)
    if kind not in _CLASSES:
        raise HerbariumError(f"KIND={kind}: it is {', '.join(_CLASSES)}.")
    return source | {"kind": str(kind)}


def kind_of(config: dict, model: str) -> Kind:
    """What a model predicts, by the class in its configuration that it was saved from."""
    for kind, pattern in _CLASSES.items():
        if any(re.search(pattern, name) for name in config.get("architectures") or ()):
            return kind
    raise HerbariumError(
        f"{model}: its config.json names no class of a language model ({config.get('architectures')}). "
        "Say what it predicts, as KIND=masked of `make first` or `--kind masked` of `herbarium new`: masked, causal or "
        "seq2seq."
    )


def _source(model: str) -> dict:
    if Path(model).is_dir():
        loading.check_folder(Path(model), NAME)
        return {"path": str(Path(model).resolve())}
    if not re.fullmatch(HUB, model):
        raise HerbariumError(f"{model}: no such folder, and no hub id (organisation/name).")
    return {"hub": model, "revision": loading.latest_revisions([model])[model]}


def main(arguments: list[str]) -> str:
    """Write the study of a model, and say where."""
    model, kind = arguments[0], arguments[1] if len(arguments) > 1 else None
    results = FOLDER / (re.sub(r"[^A-Za-z0-9._-]+", "-", Path(model).name).strip("-._") or NAME)
    store.write_text(f"{results}.yaml", yaml.safe_dump(study(entry(model, kind), str(results)), sort_keys=False))
    return f"{results}.yaml"


if __name__ == "__main__":
    try:
        print(main(sys.argv[1:]))
    except HerbariumError as error:
        sys.exit(str(error))
