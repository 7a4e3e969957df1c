"""Languages as a workflow: files of word vectors, a dictionary, and the same numbers by hand."""

import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.metrics.languages.toy import LISTS, words
from tests.workflow.conftest import copy_project

from herbarium.core import store
from herbarium.metrics.languages import score
from herbarium.metrics.languages.spaces import ALIGNED

pytestmark = pytest.mark.slow

DEMO = "resources/languages/demo/spanish-english"


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path / "herbarium")


def write(project, name, table, random):
    vectors = {word: random.normal(size=20).round(4) for word in table}
    lines = [f"{word} {' '.join(map(str, vector))}" for word, vector in vectors.items()]
    project.write(f"{name}.vec", "\n".join([f"{len(lines)} 20", *lines]) + "\n")
    return vectors


def test_files_of_word_vectors(project):
    random = np.random.default_rng(0)
    for language in LISTS:
        found = write(project, language, words(language)["text"].drop(0), random)
        if language == "spanish":
            spanish = found
    entries = {name: {"source": name, "lists": f"resources/languages/{name}"} for name in LISTS}
    alignment = {"language": "spanish", "pivot": "english", "train": f"{DEMO}.train.txt", "test": f"{DEMO}.test.txt"}
    study = {
        "models": {"tiny": {"planted": 0.0, "kind": "masked"}},
        "vectors": {name: {"path": f"{name}.vec"} for name in LISTS},
        "languages": {"spaces": {"files": {"languages": entries, "alignments": [alignment]}}},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run("languages", "results/parts/languages.json")
    table = pd.read_csv(project.folder / "results/tables/languages_numbers.csv")
    of = table[(table["group"] == "spanish") & (table["definition"] == "paper")].set_index("variant")
    pairs, seeds = LISTS["spanish"].occupations[1:], LISTS["spanish"].seeds
    forms = [np.array([spanish[word] for word in of_words]) for of_words in (
        pairs["masculine"], pairs["feminine"], seeds["masculine"], seeds["feminine"])]  # fmt: skip
    assert of.loc["inbias", "estimate"] == pytest.approx(score.in_bias(score.gaps(*forms)).mean(), rel=1e-5)
    missing = pd.read_csv(project.folder / "results/tables/languages_missing.csv")
    assert missing["word"].tolist() == ["doctor", "médico"]
    header = store.read_header(project.folder / "results/aligned/languages/files/spanish-english.parquet", ALIGNED.name)
    assert header["n_train"] == 114
    assert header["losses"] == sorted(header["losses"], reverse=True)


def test_a_model_whose_space_two_languages_share(project, model_folder):
    shutil.copytree(model_folder("bert"), project.folder / "tiny")
    entries = {name: {"source": "last", "lists": f"resources/languages/{name}"} for name in LISTS}
    study = {
        "models": {"tiny": {"path": "tiny", "kind": "masked"}},
        "vectors": {"last": {"model": "tiny", "layers": [-1]}, "all": {"model": "tiny", "layers": "all"}},
        "languages": {"spaces": {"shared": {"languages": entries}}},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run("languages", "results/parts/languages.json")
    table = pd.read_csv(project.folder / "results/tables/languages_numbers.csv")
    assert set(table["model"]) == {"last"}
    assert set(table["group"]) == set(LISTS)
    entries["english"]["source"] = "all"
    project.write("study.yaml", yaml.safe_dump(study))
    assert "name one, for instance layers: [-1]" in project.fails("languages")
