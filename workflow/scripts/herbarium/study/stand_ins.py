"""The full study on stand-ins: tiny models with random weights and planted texts, instead of those on the hub.

python -m herbarium.study.stand_ins writes config/stand_ins.yaml and what it names, prints its path, and runs nothing.
docs/cost.md describes the stand-ins.
"""

import copy
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial, reduce
from itertools import accumulate
from operator import getitem
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import yaml

from herbarium.core import resources, store
from herbarium.core.console import tracked
from herbarium.core.errors import HerbariumError
from herbarium.core.section import Section, paths
from herbarium.models import folders, saving
from herbarium.regions import hierarchy
from herbarium.study import config, stand_in_texts, targets
from herbarium.training import untrained

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

FULL, STUDY = Path("config/config.yaml"), Path("config/stand_ins.yaml")
FOLDER = Path("results/stand_ins")
HEAD = """\
# The full study on stand-ins (docs/cost.md). `make stand-ins` writes this file, from config.yaml, and the models and
# texts that it names, under results/stand_ins/. Do not edit it: edit config.yaml, and run `make stand-ins` again.
"""

# Of each model.
VOCABULARY, LONGEST = 4000, 512  # tokens
HIDDEN, INNER, HEADS = 16, 32, 2
# What tokenizers learn from: occurrences of a list's word per occurrence of a region; the most rows of a table.
COMMON, LONGEST_TABLE = 50, 1000

_BERT = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": 1,
    "num_attention_heads": HEADS,
    "intermediate_size": INNER,
    "max_position_embeddings": LONGEST,
    # with more, attention on a CPU is computed differently, and training takes twice as long
    "attention_probs_dropout_prob": 0.0,
}
# The numbers of its special tokens; the first two positions are never used.
_ROBERTA = {**_BERT, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "max_position_embeddings": LONGEST + 2}
_DISTILBERT = {"dim": HIDDEN, "hidden_dim": INNER, "n_layers": 1, "n_heads": HEADS, "max_position_embeddings": LONGEST}
_BART = {
    "d_model": HIDDEN,
    "max_position_embeddings": LONGEST,
    **{f"{side}_layers": 1 for side in ("encoder", "decoder")},
    **{f"{side}_attention_heads": HEADS for side in ("encoder", "decoder")},
    **{f"{side}_ffn_dim": INNER for side in ("encoder", "decoder")},
}
_LLAMA = {**_BERT, "num_key_value_heads": 1, "bos_token_id": 0, "eos_token_id": 1}


class Family(NamedTuple):
    """A family of models: its class in transformers, the configuration of a stand-in, and its tokenizer."""

    architecture: str
    sizes: dict
    tokenizer: Callable[..., "PreTrainedTokenizerFast"]


# By the beginning of a model's name on the hub, after its organisation.
FAMILIES = {
    "xlm-roberta-": Family("XLMRobertaForMaskedLM", _ROBERTA, partial(untrained.unigram, of="XLMRobertaTokenizerFast")),
    "roberta-": Family("RobertaForMaskedLM", _ROBERTA, untrained.byte_level),
    "albert-": Family(
        "AlbertForMaskedLM",
        {**_BERT, "embedding_size": HIDDEN // 2},
        partial(untrained.unigram, of="AlbertTokenizerFast"),
    ),
    "distilbert-": Family("DistilBertForMaskedLM", _DISTILBERT, untrained.word_piece),
    "bert-": Family("BertForMaskedLM", _BERT, untrained.word_piece),
    "kcbert-": Family("BertForMaskedLM", _BERT, untrained.word_piece),
    "bart-": Family("BartForConditionalGeneration", _BART, untrained.byte_level),
    "llama-": Family("LlamaForCausalLM", _LLAMA, untrained.byte_level_of_llama),
}


def family(hub: str) -> Family:
    """The family of a hub model. Raises HerbariumError for an unknown one."""
    name = hub.partition("/")[2].lower()
    for beginning, model_family in FAMILIES.items():
        if name.startswith(beginning):
            return model_family
    raise HerbariumError(
        f"{hub}: there is no stand-in for it; its name begins with none of {', '.join(FAMILIES)}. "
        "Add its family to FAMILIES in herbarium/study/stand_ins.py."
    )


# --- the configuration ---


def study(full: dict) -> dict:
    """The configuration with stand-ins, as plain data. full: the study's configuration, as plain data.

    Raises HerbariumError for a hub model or data set without a stand-in.
    """
    models = {name: _model(name, entry) for name, entry in full["models"].items()}
    reduced = copy.deepcopy(full) | {"results": str(FOLDER / "study"), "models": models}
    for place, address in data_sets(full):
        stand_in_texts.layout(address)
        task = reduce(getitem, place, reduced)
        task["data"] = {"path": str(FOLDER / f"data/{place[-1]}.csv")}
        # a split of a hub data set becomes a column of the table
        task["split"] = {"column": stand_in_texts.SPLIT, **task["split"]}
    return reduced


def _model(name: str, entry: dict) -> dict:
    if "hub" not in entry:
        return entry
    family(entry["hub"])
    others = {key: value for key, value in entry.items() if key not in ("hub", "revision")}
    return {"path": str(FOLDER / "models" / name), **others}


def data_sets(full: dict) -> list[tuple[list[str], str]]:
    """The tasks whose texts come from the hub or a repository: the keys that lead to each, and its id or address."""
    sources = [source for source in targets.of(config.load(full)).sources if source.is_data]
    return [(source.key.split(".")[:-1], source.entry["hub"] or source.entry["git"]) for source in sources]


def text(values: dict) -> str:
    """The text of a configuration file."""
    return HEAD + yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)


def require_made(study: config.Study) -> None:
    """Raise HerbariumError if a study names stand-ins that do not exist."""
    for path in paths(study):
        if path.is_relative_to(FOLDER) and not path.exists():
            raise HerbariumError(f"{path} does not exist. `make stand-ins` makes the models and texts of {STUDY}.")


# --- what it names ---


def make_table(place: list[str], made: config.Study, layout: stand_in_texts.Layout) -> None:
    """Write the texts of a task. place: the keys that lead to it. made: from `study`. layout: of the texts."""
    section, *_ = sections = _along(made, place)
    words = [word for path in section.words for word in resources.read_words(path)]
    task = sections[-1]
    table = stand_in_texts.table(layout, task.model_dump(), place[-1], list(dict.fromkeys(words)), made.seed)
    with store.atomic(task.data.path) as partial:
        table.to_csv(partial, index=False)


def _along(made: config.Study, place: list[str]) -> list:
    """The values that the keys lead to, one after the other."""
    steps = accumulate(place, lambda at, key: at[key] if isinstance(at, dict) else getattr(at, key), initial=made)
    return list(steps)[1:]


def make_model(name: str, hub: str, made: config.Study, texts: list[str]) -> None:
    """Write a model and its tokenizer. hub: the model that it stands in for. texts: what its tokenizer learns from."""
    model_family, entry = family(hub), made.models[name]
    cased = {"lowercase": "uncased" in hub} if model_family.tokenizer is untrained.word_piece else {}
    tokenizer = model_family.tokenizer(texts, VOCABULARY, LONGEST, **cased)
    model = untrained.model(model_family.architecture, model_family.sizes, len(tokenizer), made.seed, "stand_ins", name)
    with store.atomic_folder(entry.path) as partial:
        saving.save(partial, model, tokenizer)
        if entry.convert_bin:
            import torch

            torch.save(model.state_dict(), partial / folders.BIN)
            (partial / "model.safetensors").unlink()


def texts_for(name: str, made: config.Study, regions: str) -> list[str]:
    """What the tokenizer of a model learns from: all files that the sections measuring it name, one text per file, and
    regions, the names of all (`region_names`)."""
    measuring = [section for top in made.sections.values() for section in _measuring(top, name)]
    files = dict.fromkeys(file for section in measuring for path in paths(section) for file in _files(path))
    return [*(_read(file) for file in files for _ in range(COMMON)), regions]


def _measuring(value: object, name: str) -> Iterator[Section]:
    """The innermost sections in a value whose list of models contains a model."""
    if isinstance(value, Section):
        if "models" in type(value).model_fields and name in (value.models or ()):
            yield value
        for _, inner in value:
            yield from _measuring(inner, name)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _measuring(inner, name)


def _files(path: Path) -> Iterable[Path]:
    return sorted(path.glob("*.csv")) if path.is_dir() else [path]


@cache
def _read(file: Path) -> str:
    """The strings between spaces in a list or table, each once; only from the beginning of a long one."""
    if file.suffix == ".csv":
        table = pd.read_csv(file, dtype=str, keep_default_na=False, comment="#", nrows=LONGEST_TABLE)
        texts = table.to_numpy().ravel()
    else:
        texts = (line for _, line in resources.numbered(file) if not line.startswith("#"))
    words = re.sub(r"\[\w+\]", " ", " ".join(texts)).split()  # without slots in templates
    return " ".join(dict.fromkeys(words))


def region_names(made: config.Study) -> str:
    """The names of all regions of a study, separated by spaces."""
    section = made.regions
    table = hierarchy.geonames(
        section.continents,
        section.countries,
        section.cities.countries,
        section.cities.min_population,
        section.cities.largest,
    )
    return " ".join([*table["name"].unique(), *hierarchy.other_names(table, section.names)["name"].unique()])


def main() -> str:
    """Write the study, its models and its texts, and return its path."""
    full = yaml.safe_load(FULL.read_text(encoding="utf-8"))
    values = study(full)
    made = config.load(values)
    for place, address in data_sets(full):
        make_table(place, made, stand_in_texts.layout(address))
    regions = region_names(made)
    hubs = {name: entry["hub"] for name, entry in full["models"].items() if "hub" in entry}
    for name, hub in tracked(hubs.items(), len(hubs), "model", "Models"):
        make_model(name, hub, made, texts_for(name, made, regions))
    store.write_text(STUDY, text(values))
    return str(STUDY)


if __name__ == "__main__":
    try:
        print(main())
    except HerbariumError as error:
        sys.exit(str(error))
