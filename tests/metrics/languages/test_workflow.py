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
        result = write(project, language, words(language)["text"].drop(0), random)
        if language == "spanish":
            spanish = result
    entries = {name: {"source": name, "lists": f"resources/languages/{name}"} for name in LISTS}
    alignment = {"language": "spanish", "pivot": "english", "train": f"{DEMO}.train.txt", "test": f"{DEMO}.test.txt"}
    study = {
        "models": {"tiny": {"planted": 0.0, "kind": "masked"}},
        "vectors": {name: {"path": f"{name}.vec"} for name in LISTS},
        "languages": {"spaces": {"files": {"languages": entries, "alignments": [alignment]}}},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run("languages", "results/work/parts/languages.json")
    table = pd.read_csv(project.folder / "results/tables/languages_numbers.csv")
    rows = table[(table["group"] == "spanish") & (table["definition"] == "paper")].set_index("variant")
    pairs, seeds = LISTS["spanish"].occupations[1:], LISTS["spanish"].seeds
    forms = [np.array([spanish[word] for word in of_words]) for of_words in (
        pairs["masculine"], pairs["feminine"], seeds["masculine"], seeds["feminine"])]  # fmt: skip
    assert rows.loc["inbias", "estimate"] == pytest.approx(score.in_bias(score.gaps(*forms)).mean(), rel=1e-5)
    missing = pd.read_csv(project.folder / "results/tables/languages_missing.csv")
    assert missing["word"].tolist() == ["doctor", "médico"]
    header = store.read_header(
        project.folder / "results/work/aligned/languages/files/spanish-english.parquet", ALIGNED.name
    )
    assert header["n_train"] == 114
    assert header["losses"] == sorted(header["losses"], reverse=True)


def test_a_model_whose_space_two_languages_share(project, model_folder):
    shutil.copytree(model_folder("bert"), project.folder / "tiny")
    entries = {name: {"source": "last", "lists": f"resources/languages/{name}"} for name in LISTS}
    study = {
        "models": {"tiny": {"path": "tiny", "kind": "masked"}},
        "vectors": {"last": {"model": "tiny", "layers": [-1]}},
        "languages": {"spaces": {"shared": {"languages": entries}}},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run("languages", "results/work/parts/languages.json")
    table = pd.read_csv(project.folder / "results/tables/languages_numbers.csv")
    assert set(table["model"]) == {"last"}
    assert set(table["group"]) == set(LISTS)
    study["vectors"]["all"] = {"model": "tiny", "layers": "all"}
    entries["english"]["source"] = "all"
    project.write("study.yaml", yaml.safe_dump(study))
    assert "name one, for instance layers: [-1]" in project.fails("languages")


def test_a_pivot_that_is_hard_debiased(project):
    """ENDEB: English without its gender, by itself and as the pivot of Spanish."""
    lists = {name: f"resources/languages/{name}" for name in LISTS}
    entries = {
        "english": {"source": "en", "lists": lists["english"]},
        "spanish": {"source": "es", "lists": lists["spanish"]},
    }
    entries["endeb"] = entries["english"] | {"source": "endeb"}
    alignment = {"language": "spanish", "train": f"{DEMO}.train.txt", "test": f"{DEMO}.test.txt"}
    alignments = [alignment | {"pivot": pivot} for pivot in ("english", "endeb")]
    study = {
        "models": {"tiny": {"planted": 0.0, "kind": "masked"}},
        "vectors": {
            "en": {"planted": 2.0},
            "es": {"planted": 2.0, "rotated": True},
            "endeb": {"debiased": {"from": "en"}},
        },
        "languages": {"spaces": {"both": {"languages": entries, "alignments": alignments}}},
    }
    project.write("study.yaml", yaml.safe_dump(study))
    results, tables = project.folder / "results", project.folder / "results/tables"
    changes = results / "work/changes/languages/both.parquet"
    project.run(
        "languages",
        "results/work/parts/languages.json",
        "results/figures/changes.csv",
        "results/tables/reliability.csv",
    )
    table = pd.read_csv(tables / "languages_numbers.csv")
    lean = table[table["variant"] == "lean"].set_index("group")
    assert lean.loc["english", "ci_high"] < 0
    assert lean.loc["endeb", "model"] == "endeb"

    # all seeds are pairs that were equalised, and an occupation with one form is equally near to both words of each
    pairs = pd.read_csv(tables / "languages_pairs.csv")
    of_one_form = pairs[(pairs["group"] == "endeb") & ~pairs["is_strong"]]
    assert len(of_one_form) > 80
    assert of_one_form["inbias"].max() < 1e-6

    # both pivots have a translation of Spanish each, and numbers of their own
    aligned = [f"spanish → {pivot}" for pivot in ("english", "endeb")]
    assert lean.loc[aligned, "n"].tolist() == [len(LISTS["spanish"].occupations)] * 2
    translations = pd.read_csv(tables / "languages_translations.csv")
    assert translations.groupby("alignment")["rcsls"].mean().to_dict() == {"spanish-endeb": 1.0, "spanish-english": 1.0}

    # what hard debiasing changed, of the same words
    frame = store.read_frame(changes, "changes").set_index("measure")
    assert frame.index.tolist() == ["Languages, both: english", "Languages, both: spanish in the space of english"]
    for measure, (before, after) in zip(frame.index, (("english", "endeb"), aligned), strict=True):
        difference = lean.loc[after, "estimate"] - lean.loc[before, "estimate"]
        assert frame.loc[measure, "estimate"] == pytest.approx(difference, abs=1e-6)
    drawn = pd.read_csv(results / "figures/changes.csv").set_index("measure")
    assert drawn.loc["Languages, both: english", "p_adjusted"] < 0.01
    assert set(drawn["first"]) == {"en"}

    # what is planted says what is expected of a pivot that is planted, and nothing of one that was changed
    calibration = store.read_frame(results / "work/calibration/languages.parquet", "calibration").set_index("series")
    assert calibration.index.tolist() == ["english", "spanish", "spanish → english"]
    assert calibration["expected"].between(calibration["ci_low"], calibration["ci_high"]).all()
    reliability = pd.read_csv(tables / "reliability.csv")
    assert reliability.loc[0, ["metric", "measure", "model", "n_objects"]].tolist() == ["languages", "lean", "both", 5]
    assert not project.jobs("languages")


def test_dictionaries_and_lists_that_do_not_fit(project):
    """A dictionary of other words than the vectors', and lists of one pair."""
    for language in LISTS:
        write(project, language, words(language)["text"], np.random.default_rng(1))
    entries = {name: {"source": name, "lists": f"resources/languages/{name}"} for name in LISTS}
    alignment = {"language": "spanish", "pivot": "english", "train": "foreign.txt", "test": f"{DEMO}.test.txt"}
    study = {
        "models": {"tiny": {"planted": 0.0, "kind": "masked"}},
        "vectors": {name: {"path": f"{name}.vec"} for name in LISTS},
        "languages": {"spaces": {"files": {"languages": entries, "alignments": [alignment]}}},
    }
    project.write("foreign.txt", "Hund dog\nKatze cat\n")
    project.write("study.yaml", yaml.safe_dump(study))
    message = project.fails("results/tables/languages_numbers.csv")
    assert (
        "languages.spaces.files.alignments, spanish-english: of the 2 pairs of words that the alignment is fitted to"
        in message
    )
    assert "none has a vector on both sides; the first is 'Hund' and 'dog'" in message
    project.write("mine/occupations.csv", "concept,masculine,feminine\ndoctor,doctor,doctora\n")
    project.write("mine/seeds.csv", "concept,masculine,feminine\nhe,él,ella\nman,hombre,mujer\n")
    entries["spanish"]["lists"] = "mine"
    project.write("study.yaml", yaml.safe_dump(study))
    assert "mine: 1 pair of occupations; at least 2 are needed" in project.fails("languages")
