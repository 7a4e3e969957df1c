"""Studies on stand-ins: their configurations, and that stand-ins are like what they stand for."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.conftest import mostly_nightly
from tests.refusals import refused
from tests.study.conftest import whole
from tests.workflow.conftest import copy_project

import herbarium
from herbarium.core.resources import read_words
from herbarium.core.section import paths
from herbarium.metrics.downstream import tasks
from herbarium.models import converting, folders, loading, saving, sources, tokenizer_files
from herbarium.study import config, stand_in_models, stand_in_sources, stand_in_texts, stand_ins
from herbarium.study.wanted import elsewhere
from herbarium.study.without import without
from herbarium.training.text import word_weights

FULL = whole("core")
HUBS = {name: entry["hub"] for name, entry in FULL["models"].items() if "hub" in entry}
REAL = {
    wanted.entry[-1]: stand_in_sources.origin(wanted.data)
    for wanted in elsewhere(FULL)
    if wanted.entry[0] == "downstream"
}
# One model of each kind of tokenizer and class.
ONE_OF_EACH = [
    *("bert-base-cased", "bert-base-uncased", "bert-base-chinese", "kcbert-base", "bert-base-greek-uncased-v1"),
    *("bert-base-multilingual-uncased", "distilbert-base-uncased", "albert-base-v2", "xlm-roberta-base"),
    *("roberta-base", "bart-base", "llama-3.1-8b"),
]
REGIONS = "Peru Fiji Lima Ouagadougou Reykjavík"


def fewer(address):
    """The shape of a data set with some of its texts and sources."""
    return stand_in_texts.reduced(stand_in_texts.LAYOUTS[address], 50)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """What the command makes, with fewer texts and regions, in a folder of its own."""
    folder = tmp_path_factory.mktemp("stand-ins")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stand_ins, "FOLDER", folder)
        made = config.load(stand_ins.study(FULL, "core"))
    for name, address in REAL.items():
        stand_ins.make_table(("downstream", "tasks", name), made, fewer(address))
    return made


def make_model(name, study):
    entry, texts = study.models[name], stand_ins.texts_for(name, study, REGIONS)
    stand_in_models.make(name, HUBS[name], entry.kind, entry.path, entry.convert_bin, texts, study.seed)


@pytest.fixture(scope="module")
def folder_of(study):
    made = set()

    def make(name):
        if name not in made:
            make_model(name, study)
            made.add(name)
        return study.models[name].path

    return make


@pytest.mark.slow
def test_all_but_models_and_texts_is_as_in_the_full_study():
    full, made = (config.load(values) for values in (FULL, stand_ins.study(FULL, "core")))
    assert made.results == "results/stand_ins/core/results"
    for name, _ in full:
        if name not in ("results", "models", "downstream"):
            assert getattr(made, name) == getattr(full, name), name
    same = {key: value for key, value in full.downstream if key != "tasks"}
    assert {key: value for key, value in made.downstream if key != "tasks"} == same
    for name, task in full.downstream.tasks.items():
        changed = {key for key, value in task if getattr(made.downstream.tasks[name], key) != value}
        assert {"data"} <= changed <= {"data", "split"}
    for name, model in full.models.items():
        changed = {key for key, value in model if getattr(made.models[name], key) != value}
        assert changed <= {"hub", "revision", "path"}
        assert made.models[name].hub is None
    outside = [path for path in paths(made) if str(path).startswith("results/")]
    assert outside
    assert all(path.is_relative_to(stand_ins.FOLDER) for path in outside)


@pytest.mark.parametrize("hub", ["org/gpt2", "microsoft/deberta-v3-base", "my-bert-base/other"])
def test_a_model_of_another_family_is_refused(hub):
    with refused(hub, "bert-"):
        stand_ins.study({**FULL, "models": {"m": {"hub": hub, "kind": "masked"}}}, "core")


def test_another_data_set_is_refused():
    task = FULL["downstream"]["tasks"]["imdb"] | {"data": {"hub": "a/b", "revision": "a" * 40}}
    with refused("downstream.tasks.x.data", "a/b", str(stand_in_sources.DEMONSTRATIONS)):
        stand_ins.study({**FULL, "downstream": {"tasks": {"x": task}}}, "core")


# --- everything ---


@pytest.mark.slow
def test_nothing_of_everything_is_from_elsewhere_and_all_of_it_is_there(everything):
    full, values = everything
    assert list(elsewhere(values)) == []
    study = config.load(values)
    assert study.models.keys() >= full["models"].keys() - {
        name for name, entry in full["models"].items() if "derived" in entry
    }
    for section, names in (("corpora", study.corpora), ("vectors", study.vectors), ("parallel", study.parallel)):
        assert names.keys() == full[section].keys()
    made = [path for path in paths([study.corpora, study.parallel, study.vectors]) if path.suffix in (".txt", ".vec")]
    assert len(made) > 10
    assert all(path.stat().st_size for path in made)


@pytest.mark.slow
def test_parallel_texts_are_translations_of_each_other(everything):
    texts = config.load(everything[1]).parallel["kornli"].texts
    lines = [[line.split() for line in text.path.read_text().splitlines()] for text in texts.values()]
    words = {}
    for one, other in zip(*lines, strict=True):
        for word, translation in zip(one, other, strict=True):
            assert words.setdefault(word, translation) == translation
    assert len(words) > 100


@pytest.mark.slow
def test_words_of_countries_are_in_a_corpus_in_which_they_are_exchanged(everything):
    text = config.load(everything[1]).corpora["german"].path.read_text()
    assert {"Deutschland", "Japan"} & set(text.split())


# Each needs another part of the configuration to go with it.
LOST = [
    *("corpora.german", "corpora.gap", "parallel.xnli", "vectors.en", "vectors.de", "sentence_sets.occupations"),
    *(f"languages.spaces.wiki.{part}" for part in ("languages.fr", "languages.en", "alignments.4")),
    *("word_associations.sembias.published", "word_associations.similarity.rw", "amplification.ratios.vsrl-dev"),
    *(
        "biographies.tasks.bios",
        "crows_pairs",
        "interventions.questions.religion",
        "interventions.questions.learned-64",
        "tagging.tasks.turkish",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("key", mostly_nightly(LOST, "crows_pairs", "tagging.tasks.turkish"))
def test_everything_can_do_without_any_list_text_or_language(everything, key, tmp_path):
    full, values = everything
    assert key in {".".join(wanted.entry) for wanted in elsewhere(full)}
    left = without(full, {key})
    folder = Path(values["results"]).parent / "data"
    left = stand_in_sources.replaced(left, stand_in_sources.demonstrations(), folder)
    study = config.load(left | {"results": str(tmp_path / "results")})
    assert study.herb.models == full["herb"]["models"]
    assert len(list(elsewhere(without(full, {key})))) < len(list(elsewhere(full)))


@pytest.mark.slow
def test_dictionaries_go_by_their_place_in_the_list_whatever_else_goes(everything):
    full, _ = everything
    keys = {f"languages.spaces.wiki.{part}" for part in ("alignments.0", "alignments.4", "languages.fr")}
    (space,) = without(full, keys)["languages"]["spaces"].values()
    assert [(entry["language"], entry["pivot"]) for entry in space["alignments"]] == [
        *(("de", "en"), ("en", "es")),
        *(("es", "endeb"), ("de", "endeb")),
    ]


@pytest.mark.slow
def test_everything_can_do_without_all_of_them_at_once(everything):
    full, _ = everything
    core = config.load(without(full, {".".join(wanted.entry) for wanted in elsewhere(full)}))
    assert core.herb.models == full["herb"]["models"]
    assert not core.corpora
    assert not core.downstream.tasks


# --- models ---


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_stand_in_is_loaded_scored_and_of_its_family(study, folder_of, name, tmp_path):
    folder, entry = folder_of(name), study.models[name]
    if entry.convert_bin:
        assert not list(folder.glob("*.safetensors"))
        converting.keep_as_safetensors(folder, folders.BIN, tmp_path, entry.kind, name)
        folder = tmp_path
    assert {path.name for path in folder.iterdir()} == set(saving.FILES)
    model = loading.load(folder, entry.kind, "float32", name)
    assert type(model).__name__ == stand_in_models.family(HUBS[name], entry.kind).architecture
    quantity = {"masked": "aul", "seq2seq": "aul", "causal": "ll"}[entry.kind]
    scores = herbarium.score(["People in Peru are wise.", "Lima"], folder, quantity, kind=entry.kind)
    assert (scores < 0).all()
    tokenizer = loading.load_tokenizer(folder, name)
    assert loading.max_tokens(model, tokenizer) == stand_in_models.LONGEST
    assert len(tokenizer) == model.config.vocab_size <= stand_in_models.VOCABULARY
    # planning reads it from its file alone
    assert tokenizer_files.read(folder_of(name)) is not None


def pieces(folder_of, name, text):
    return loading.load_tokenizer(folder_of(name), name).tokenize(text)


@pytest.mark.slow
def test_word_pieces_are_cased_or_not_and_of_their_language(folder_of):
    assert pieces(folder_of, "bert-base-cased", "People")[0][0] == "P"
    assert pieces(folder_of, "bert-base-uncased", "PEOPLE") == pieces(folder_of, "bert-base-uncased", "people")
    assert pieces(folder_of, "bert-base-greek-uncased-v1", "ΆΝΘΡΩΠΟΣ")[0][0] == "α"
    assert pieces(folder_of, "bert-base-chinese", "中国人") == ["中", "国", "人"]
    assert "[UNK]" not in pieces(folder_of, "kcbert-base", "미국")
    assert any(piece.startswith("##") for piece in pieces(folder_of, "bert-base-cased", "Ouagadougou"))


@pytest.mark.parametrize("name", ["roberta-base", "bart-base", "llama-3.1-8b"])
def test_pieces_of_bytes_give_any_text_back(folder_of, name):
    tokenizer, text = loading.load_tokenizer(folder_of(name), name), " A text that was never seen: Ŵ弱🙂, 42!"
    assert tokenizer.decode(tokenizer(text, add_special_tokens=False)["input_ids"]) == text
    begin = {"llama-3.1-8b": "<|begin_of_text|>"}.get(name, "<s>")
    marks = tokenizer.convert_ids_to_tokens(tokenizer("x")["input_ids"])
    assert marks[0] == begin
    assert (marks[-1] == "</s>") == (begin == "<s>")


@pytest.mark.slow
def test_pieces_of_unigrams_say_where_a_word_begins(folder_of):
    for name, shown in (("albert-base-v2", "▁people"), ("xlm-roberta-base", "▁People")):
        result = pieces(folder_of, name, "People in Ouagadougou")
        assert "".join(result).startswith(shown)
        assert [piece for piece in result if piece.startswith("▁")][1] == "▁in"
        assert len(result) > 3


def test_a_tokenizer_learns_what_its_model_is_measured_on(study):
    texts = {name: " ".join(stand_ins.texts_for(name, study, REGIONS)) for name in HUBS}
    assert all(REGIONS in text for text in texts.values())
    in_korean = {"kcbert-base", "bert-base-multilingual-uncased", "xlm-roberta-base"}
    assert {name for name, text in texts.items() if "베트남" in text} == in_korean
    planted = pd.read_csv(study.downstream.tasks["imdb"].data.path)["text"].iloc[0].split()
    assert set(planted) <= set(texts["bart-base"].split())
    assert "[region]" not in texts["bart-base"]


# What the command does for some models.
MAKE = """
import sys
from pathlib import Path
import yaml
from herbarium.study import config, stand_in_models, stand_ins

full = yaml.safe_load(stand_ins.SIZES["core"].file.read_text(encoding="utf-8"))
stand_ins.FOLDER = Path(sys.argv[1])
study = config.load(stand_ins.study(full, "core"))
for name in sys.argv[3:]:
    entry, texts = study.models[name], stand_ins.texts_for(name, study, sys.argv[2])
    hub = full["models"][name]["hub"]
    stand_in_models.make(name, hub, entry.kind, entry.path, entry.convert_bin, texts, study.seed)
"""


@pytest.mark.nightly
def test_made_twice_it_is_the_same(study, folder_of, tmp_path):
    """In another process, where the library meets words in another order."""
    names = ["bert-base-cased", "kcbert-base", "albert-base-v2", "roberta-base", "llama-3.1-8b"]
    first = {name: folders.checksums(folder_of(name)) for name in names}
    shutil.copytree(stand_ins_folder(study) / "data", tmp_path / "core/data")
    environment = {**os.environ, "PYTHONPATH": "workflow/scripts"}
    subprocess.run([sys.executable, "-c", MAKE, tmp_path, REGIONS, *names], env=environment, check=True)
    assert {name: folders.checksums(tmp_path / "core/models" / name) for name in names} == first
    bins = [path / "models/kcbert-base" / folders.BIN for path in (stand_ins_folder(study), tmp_path / "core")]
    assert bins[0].read_bytes() == bins[1].read_bytes()


def stand_ins_folder(study):
    return study.models["bert-base-cased"].path.parents[1]


def test_two_models_have_other_weights(folder_of):
    one, other = (folders.checksums(folder_of(name)) for name in ("roberta-base", "bert-base-cased"))
    assert one["model.safetensors"] != other["model.safetensors"]


# --- texts ---


def read(study, name):
    task = study.downstream.tasks[name].reading
    rows = tasks.labelled(sources.read(task["data"]), task, name)
    return rows, tasks.examples(rows, task, name, 0.1, 2, study.seed)


@pytest.mark.parametrize("name", REAL)
def test_texts_are_read_as_the_real_ones_are(study, name):
    rows, examples = read(study, name)
    task, parts = study.downstream.tasks[name], fewer(REAL[name]).parts
    named = {*task.split.train, *task.split.test}
    assert len(rows) == sum(n for (part, _), n in parts.items() if part in named)
    for split, values in (("train", task.split.train), ("test", task.split.test)):
        wanted = {label: n for (part, label), n in parts.items() if part in values}
        assert rows.loc[rows["split"] == split, "value"].value_counts().to_dict() == wanted
    assert set(examples["split"]) == {"train", "validation", "test"}
    table = pd.read_csv(task.data.path)
    assert set(table[task.label].astype(str)) == {label for _, label in parts}


def test_sources_are_those_of_comments(study):
    rows, _ = read(study, "hatespeech18")
    assert rows["source"].str.fullmatch(r"\d{8}").all()
    assert rows["source"].duplicated().any()


def test_texts_are_as_long_as_the_real_ones():
    for (name, address), mean in zip(REAL.items(), (231, 18), strict=True):
        task = FULL["downstream"]["tasks"][name] | {"text": "text", "label": "label"}
        task = task | {"id": task.get("id"), "split": {"column": "part"}}
        layout = stand_in_texts.LAYOUTS[address]
        layout = layout._replace(parts={part: n // 10 for part, n in layout.parts.items()})
        words = stand_in_texts.table(layout, task, name, ["shy", "wise", "loud"], 1)["text"].str.split().str.len()
        assert words.mean() == pytest.approx(mean, rel=0.08)
    assert 0.05 < (words > 40).mean() < 0.15  # the last one; and IMDB has texts that are cut


def test_words_tell_the_class(study):
    table = pd.read_csv(study.downstream.tasks["imdb"].data.path)
    words = [word for path in study.downstream.words for word in read_words(path)]
    weights = word_weights(list(dict.fromkeys(words)), study.seed)
    scores = table["text"].map(lambda text: weights.reindex(re.findall(r"[\w-]+", text)).sum())
    positive = table["label"] == 1
    assert (scores[positive].median() - scores[~positive].median()) > scores[positive].std()


# --- the workflow ---


@pytest.mark.nightly  # all models and texts of both
@pytest.mark.parametrize(("name", "words"), [("core", []), ("everything", ["EVERYTHING=1"])])
def test_what_the_command_makes_is_planned_as_a_whole(tmp_path, name, words):
    project = copy_project(tmp_path / "clone")
    shutil.copy("Makefile", project.folder)
    (project.folder / ".venv").symlink_to(sys.prefix)
    # the set-up aside, which is there
    subprocess.run(["make", "-o", "setup", "stand-ins", *words], cwd=project.folder, check=True)
    jobs = project.stats(project.run("-n", config=f"results/stand_ins/{name}.yaml"))
    values = yaml.safe_load((project.folder / f"results/stand_ins/{name}.yaml").read_text(encoding="utf-8"))
    assert values["models"].keys() == whole(name)["models"].keys()
    assert jobs["convert_weights"] == sum("convert_bin" in entry for entry in values["models"].values())
    assert jobs["read_downstream"] == len(values["downstream"]["tasks"])
    assert "train_testbed" not in jobs
    assert ("train_continued" in jobs) == (name == "everything")
