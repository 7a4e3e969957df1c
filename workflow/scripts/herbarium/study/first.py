"""A first look at one model: the study that `make first MODEL=…` runs.

python -m herbarium.study.first MODEL [KIND] writes the configuration, prints its path, and runs nothing.
"""

import json
import re
import sys
from itertools import chain
from pathlib import Path

import yaml

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.section import HUB
from herbarium.models import loading
from herbarium.scoring.quantities import Kind

FOLDER = Path("results/first_look")
CONTROL, PLANTED = "planted-none", "planted-strong"
# How the name of the class ends that a model was saved from.
_CLASSES = {
    Kind.masked: r"For(MaskedLM|PreTraining)$",
    Kind.causal: r"(ForCausalLM|LMHeadModel)$",
    Kind.seq2seq: r"ForConditionalGeneration$",
}
# Of every continent, with names of every length.
_COUNTRIES = {
    "AF": ["NG", "EG", "ZA", "ET"],
    "AS": ["CN", "IN", "ID", "IR", "JP"],
    "EU": ["DE", "FR", "PL", "GB"],
    "NA": ["US", "MX", "CA"],
    "OC": ["AU", "NZ", "FJ"],
    "SA": ["BR", "AR", "PE"],
}
_TOPICS = ("occupation", "intelligence")
_SENTENCES = "resources/sentence_sets/pronouns/sentences.csv"


def study(name: str, model: dict) -> dict:
    """The configuration for one model, as plain data: the quick metrics that its kind can be measured with.

    name: of the model in the results. model: its entry, with `kind`. Two planted models stand beside a masked one, made
    of its own tokens: what the metrics say without any bias, and with a strong one.
    """
    kind, measured, models = model["kind"], [name], {name: model}
    if kind == Kind.masked:
        own = {"kind": "masked", "tokenizer": name, "lowercase": model.get("lowercase", False)}
        models |= {CONTROL: {"planted": 0.0, **own}, PLANTED: {"planted": 2.0, **own}}
        measured += [CONTROL, PLANTED]
    said = {
        "results": str(FOLDER / name),
        "seed": 1,
        "shards": 1,
        "models": models,
        "testbed": {"steps": 500, "batch_size": 128},
    }
    if kind != Kind.causal:
        said["regions"] = {"countries": [*chain(*_COUNTRIES.values())], "cities": {"countries": "none"}}
        said["herb"] = {
            "models": measured,
            "descriptions": {topic: f"resources/herb/descriptions/{topic}.txt" for topic in _TOPICS},
            "released": {"no_full_stop": False, "odd_spaces": False, "pad_mean": False},
        }
    if kind == Kind.masked:
        english = {"lists": {"grammatical": "resources/categorical_bias/english/grammatical"}, "models": measured}
        said["categorical_bias"] = {"languages": {"english": english}}
    if kind != Kind.seq2seq:
        said["sentence_sets"] = {
            "pronouns": {
                "table": _SENTENCES,
                "models": measured,
                "quantity": "slot" if kind == Kind.masked else "likelihood",
                "sides": ["he", "she"],
                "unit": "occupation",
            }
        }
    return said


def entry(model: str, kind: str | None = None) -> dict:
    """The entry of a model in the configuration. model: a folder, or a hub id, which is pinned to its latest commit.

    kind: None: the one that its configuration names. Raises HerbariumError for what is neither, or names no kind.
    """
    source = _source(model)
    if kind is None:
        folder = Path(model) if "path" in source else loading.fetch(model, source["revision"])
        kind = kind_of(json.loads((folder / "config.json").read_text(encoding="utf-8")), model)
    return source | {"kind": str(Kind(kind))}


def kind_of(config: dict, model: str) -> Kind:
    """What a model predicts, by the class in its configuration that it was saved from."""
    for kind, pattern in _CLASSES.items():
        if any(re.search(pattern, name) for name in config.get("architectures") or ()):
            return kind
    raise HerbariumError(
        f"{model}: its config.json names no class of a language model ({config.get('architectures')}). "
        "Say what it predicts: `make first MODEL=… KIND=masked`, or causal, or seq2seq."
    )


def _source(model: str) -> dict:
    if Path(model).is_dir():
        loading.check_folder(Path(model), "mine")
        return {"path": str(Path(model).resolve())}
    if not re.fullmatch(HUB, model):
        raise HerbariumError(f"{model}: no such folder, and no hub id (organisation/name).")
    return {"hub": model, "revision": loading.latest_revisions([model])[model]}


def main(arguments: list[str]) -> str:
    """Write the study of a model, and say where."""
    model, kind = arguments[0], arguments[1] if len(arguments) > 1 else None
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(model).name).strip("-._") or "mine"
    path = FOLDER / f"{name}.yaml"
    store.write_text(path, yaml.safe_dump(study(name, entry(model, kind)), sort_keys=False))
    return str(path)


if __name__ == "__main__":
    try:
        print(main(sys.argv[1:]))
    except HerbariumError as error:
        sys.exit(str(error))
