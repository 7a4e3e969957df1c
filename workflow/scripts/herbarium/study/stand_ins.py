"""A study on stand-ins: tiny models with random weights, and texts of ours, instead of those from elsewhere.

python -m herbarium.study.stand_ins writes the core study, and with the word `everything` all that the default study
has, made small enough to be tried whole; and what it names. It prints the configuration's path, and runs nothing.
docs/cost.md describes the stand-ins.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from herbarium.core import resources, store
from herbarium.core.console import tracked
from herbarium.core.errors import HerbariumError
from herbarium.core.places import located
from herbarium.core.section import Section, paths
from herbarium.models.section import Model
from herbarium.regions import hierarchy
from herbarium.study import config, extension, stand_in_models, stand_in_sources, stand_in_texts
from herbarium.study.wanted import elsewhere

FOLDER = Path("results/stand_ins")
REDUCED = Path("resources/stand_ins/reduced.yaml")
HEAD = """\
# A study on stand-ins (docs/cost.md), which `make stand-ins` wrote from {}.
"""
# What tokenizers learn from: occurrences of a list's word per occurrence of a region; the most rows of a table.
COMMON, LONGEST_TABLE = 50, 1000
# Keys of sections under which models and sources of vectors are measured.
_MEASURED = ("models", "sources", "vectors", "source")
# In a reduced study: one of this many texts of a task, and the most seeds of a training.
FEWER, SEEDS = 50, 2


class Size(NamedTuple):
    """A study that stand-ins are made for: its configuration, and whether it is made smaller."""

    file: Path
    is_reduced: bool


SIZES = {"core": Size(Path("config/core.yaml"), False), "everything": Size(Path("config/everything.yaml"), True)}


# --- the configuration ---


def study(full: dict[str, Any], name: str) -> dict[str, Any]:
    """The configuration with stand-ins. full: the study's, whole. name: one of SIZES.

    Raises HerbariumError for a model of the hub, or texts or vectors, without a stand-in.
    """
    made = stand_in_sources.replaced(full, stand_in_sources.demonstrations(), FOLDER / name / "data")
    models = {model: _model(model, entry, name) for model, entry in full["models"].items()}
    made |= {"results": str(FOLDER / name / "results"), "models": models}
    if not SIZES[name].is_reduced:
        return made
    made["models"] = {model: _with_few_seeds(entry) for model, entry in models.items()}
    return extension.merged(made, yaml.safe_load(resources.read_text(located(REDUCED))))


def _with_few_seeds(entry: dict[str, Any]) -> dict[str, Any]:
    derived = entry.get("derived", {})
    return entry | {"derived": derived | {"seeds": SEEDS}} if derived.get("seeds", 1) > SEEDS else entry


def _model(name: str, entry: dict[str, Any], study_name: str) -> dict[str, Any]:
    if "hub" not in entry:
        return entry
    stand_in_models.family(entry["hub"], entry["kind"])
    others = {key: value for key, value in entry.items() if key not in ("hub", "revision")}
    return {"path": str(FOLDER / study_name / "models" / name), **others}


def text(values: dict[str, Any], file: Path) -> str:
    """The text of a configuration file. file: what it is made from."""
    return HEAD.format(file) + yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)


# --- what it names ---


def make_vectors(values: dict[str, Any], folder: Path) -> None:
    """Write the word vectors that a study names: of all words in the lists of the sections that name their source.

    values: from `study`. folder: of the files that are made, here and below.
    """
    for file in _made(values, folder / "vectors"):
        sections = [value for key, value in values.items() if key != "vectors" and file.stem in _strings(value)]
        listed = {located(Path(text)): None for section in sections for text in _strings(section) if "/" in text}
        words = _words(path for path in listed if path.is_file() or path.is_dir())
        lower = list(dict.fromkeys(word.lower() for word in words))
        store.write_text(file, stand_in_texts.vectors(lower, values["seed"], file.stem))


def make_corpora(values: dict[str, Any], made: config.Study, folder: Path) -> None:
    """Write the corpora and parallel texts that a study names: random words of the lists that are measured with what is
    made from them. made: of `values`."""
    for file in _made(values, folder / "corpora"):
        words = _words(path for user in _learners(file.stem, made) for path in _lists(user, made))
        store.write_text(file, stand_in_texts.corpus(words, len(words), made.seed, file.stem))
    for name, parallel in made.parallel.items():
        words = {language: _words(_lists_in(language, name, made)) for language in parallel.texts}
        for file in _made(values, folder / "parallel" / name):
            shortest = min(map(len, words.values()))
            store.write_text(file, stand_in_texts.corpus(words[file.stem], shortest, made.seed, name))


def make_tables(full: dict[str, Any], made: config.Study, is_reduced: bool) -> None:
    """Write the texts of tasks. full: the study's configuration, whole. made: from `study`."""
    for wanted in elsewhere(full):
        source = stand_in_sources.origin(wanted.data)
        if source in stand_in_texts.LAYOUTS:
            layout = stand_in_texts.LAYOUTS[source]
            make_table(wanted.entry, made, stand_in_texts.reduced(layout, FEWER) if is_reduced else layout)


def make_table(place: tuple[str, ...], made: config.Study, layout: stand_in_texts.Layout) -> None:
    """Write the texts of a task. place: the keys that lead to it. made: from `study`. layout: of the texts."""
    section, *_ = sections = _along(made, place)
    words = [word for path in section.words for word in resources.read_words(path)]
    task = sections[-1]
    table = stand_in_texts.table(layout, task.model_dump(), place[-1], list(dict.fromkeys(words)), made.seed)
    with store.atomic(task.data.path) as partial:
        table.to_csv(partial, index=False)


def _made(values: dict[str, Any], folder: Path) -> list[Path]:
    """The files in a folder that a study names, each once."""
    return list(dict.fromkeys(Path(text) for text in _strings(values) if Path(text).parent == folder))


def _strings(value: object) -> list[str]:
    """Every text in plain data but keys."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _strings(item)]


def _along(made: config.Study, place: tuple[str, ...]) -> list:
    """The values that the keys lead to, one after the other."""
    steps = accumulate(place, lambda at, key: at[key] if isinstance(at, dict) else getattr(at, key), initial=made)
    return list(steps)[1:]


def _learners(corpus: str, made: config.Study) -> list[str]:
    """The models and sources of vectors that learn from a corpus, or from one that is made from it."""
    corpora = {name for name in made.corpora if corpus in made.texts_of_recipes.sources(name)}
    models = [name for name, model in made.models.items() if getattr(_recipe(model), "corpus", None) in corpora]
    return models + [
        name for name, source in made.vectors.items() if source.trained and source.trained.corpus in corpora
    ]


def _lists_in(language: str, parallel: str, made: config.Study) -> list[Path]:
    """The lists measured with the models that parallel texts are meant for in a language."""
    lists = {}
    for model in made.models.values():
        recipe = _recipe(model)
        if getattr(recipe, "parallel", None) == parallel and language in recipe.languages:
            user = (model.derived.base, recipe.to)[recipe.languages.index(language)]
            lists |= dict.fromkeys(_lists(user, made))
    return list(lists)


def _recipe(model: Model) -> object:
    return model.derived.by if model.derived else None


def texts_for(name: str, made: config.Study, regions: str) -> list[str]:
    """What the tokenizer of a model learns from: all files that the sections measuring it name, one text per file, and
    regions, the names of all (`region_names`)."""
    return [*(_read(file) for file in _lists(name, made) for _ in range(COMMON)), regions]


def _lists(name: str, made: config.Study) -> list[Path]:
    """The files that the sections measuring a model or a source of vectors name, each once."""
    measuring = [section for top in made.sections.values() for section in _measuring(top, name)]
    return list(dict.fromkeys(file for section in measuring for path in paths(section) for file in _files(path)))


def _words(lists: Iterable[Path]) -> list[str]:
    """The words of lists and folders of them, each once."""
    return list(dict.fromkeys(word for path in lists for file in _files(path) for word in _read(file).split()))


def _measuring(value: object, name: str) -> Iterator[Section]:
    """The innermost sections in a value that name a model, or a source of vectors, among what they measure."""
    if isinstance(value, Section):
        if any(
            key in _MEASURED and (name == field or (isinstance(field, list) and name in field)) for key, field in value
        ):
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


def main(name: str) -> str:
    """Write the study, its models and its texts, and return its path. name: one of SIZES."""
    file, is_reduced = SIZES[name]
    full = yaml.safe_load(resources.read_text(file))
    extension.extend(full, [])
    values, folder = study(full, name), FOLDER / name / "data"
    make_vectors(values, folder)
    made = config.load(values)
    make_corpora(values, made, folder)
    make_tables(full, made, is_reduced)
    regions = region_names(made)
    hubs = {model: entry["hub"] for model, entry in full["models"].items() if "hub" in entry}
    for model, hub in tracked(hubs.items(), len(hubs), "model", "Models"):
        entry, texts = made.models[model], texts_for(model, made, regions)
        stand_in_models.make(model, hub, entry.kind, entry.path, entry.convert_bin, texts, made.seed)
    path = FOLDER / f"{name}.yaml"
    store.write_text(path, text(values, file))
    return str(path)


if __name__ == "__main__":
    try:
        print(main(sys.argv[1]))
    except HerbariumError as error:
        sys.exit(str(error))
