"""What the configuration can say of sentences of one's own, and what is refused."""

import re
import shutil
from pathlib import Path

import pytest
import yaml
from tests.hub import commit
from tests.refusals import refused

from herbarium.study import config

TABLE = (
    "id,set,side,text,town\n1,a,he,He is weak.,Lima\n2,a,she,She is weak.,Lima\n"
    "3,b,he,He is wise.,Cusco\n4,b,she,She is wise.,Cusco"
)
ENTRY = {"table": "sentences.csv", "models": ["tiny"], "quantity": "pll", "sides": ["he", "she"]}
KINDS = {"tiny": "masked", "next": "causal"}


@pytest.fixture
def load(tmp_path):
    """The study of one set of sentences; each fault is told with the line of its key."""
    (tmp_path / "sentences.csv").write_text(TABLE)
    (tmp_path / "known.csv").write_text("town,inhabitants\nLima,10\n")

    def loaded(name="moods", **changes):
        models = {model: {"hub": f"a/{model}", "kind": kind} for model, kind in KINDS.items()}
        entry = {key: value for key, value in (ENTRY | changes).items() if value is not None}
        entry |= {key: str(tmp_path / entry[key]) for key in ("table", "beside") if key in entry}
        study = {"models": models, "sentence_sets": {name: entry}}
        (tmp_path / "study.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
        return config.load(study, [tmp_path / "study.yaml"])

    return loaded


def test_what_goes_without_saying(load):
    entry = load().sentence_sets["moods"]
    assert (entry.contrast, entry.unit, entry.correction) == ("pairs", "set", "holm")
    assert (entry.bootstrap.replicates, entry.bootstrap.level) == (1000, 0.95)
    assert load(unit="town").sentence_sets["moods"].unit == "town"
    both = load(quantity="likelihood", models=["tiny", "next"]).sentence_sets["moods"]
    assert both.models == ["tiny", "next"]  # a masked and a causal one
    models = {"tiny": {"hub": "a/tiny", "kind": "masked"}}
    with refused("sentence_sets", "'Moods'", "'moods'"):
        config.load({"models": models, "sentence_sets": dict.fromkeys(["Moods", "moods"], entry.model_dump())})


def test_sets_that_share_a_word_which_a_column_names_are_clustered_by_it(load, tmp_path):
    nouns = ["nurse", "baker", "nurse", "baker"]
    rows = [
        f"{n}{side},{n},{side},The {noun} says {side} is {mood}.,{noun},{n % 2 + 1}"
        for n, (noun, mood) in enumerate(zip(nouns, ["weak", "wise", "old", "tall"], strict=True))
        for side in ("he", "she")
    ]
    (tmp_path / "nouns.csv").write_text("\n".join(["id,set,side,text,noun,batch_of_three", *rows]))
    for unit, expected in ((None, ("set", "noun")), ("set", ("set", None)), ("noun", ("noun", None))):
        entry = load(table="nouns.csv", unit=unit).sentence_sets["moods"]
        assert (entry.unit, entry.crossed_with) == expected
    assert load().sentence_sets["moods"].crossed_with is None


THREE = {"sides": ["he", "she", "they"]}
CROSSED = {"contrast": "stereoset", "sides": ["stereotype", "anti-stereotype", "unrelated"], "crossed_with": "town"}
BESIDE = {"beside": "known.csv", "each": "town"}
BBQ = ["biased", "counter", "unknown"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "key", "facts"),
    [
        ({"models": ["tinny"]}, None, ["sentence_sets.moods.models", "'tinny'", "'tiny'"]),
        ({"models": ["next"]}, None, ["'next'", "causal", "'pll'", "masked", "'mean_ll'", "'pair_likelihood'"]),
        ({"quantity": "ll"}, None, ["'tiny'", "masked", "'ll'", "causal"]),
        ({"quantity": "pl"}, "quantity", ["sentence_sets.moods.quantity", "'pll'"]),
        ({"contrast": "pair"}, "contrast", ["'pair'"]),
        ({"unit": "twon"}, "moods", ["'twon'", "'town'"]),
        ({"cue": "Answer:"}, "table", ["cue", "'table'", "'bbq_answer'"]),
        ({"pattern": "*.csv"}, "table", ["pattern", "'table'", "'bbq'", "'bbq_answer'"]),
        ({"repairs": "known.csv"}, "moods", ["'table'", "not repaired"]),
        ({"git": "https://example.org/r"}, "table", ["'git'", "'revision'", "40"]),
        ({"git": "https://a:b@example.org/r", "revision": "1" * 40}, "git", ["user name", "password"]),
        ({"contrast": "bbq"}, "moods", ["sides", "'bbq'", "biased, counter, unknown"]),
        ({"contrast": "bbq", "sides": BBQ}, "moods", ["'correct'"]),
        (CROSSED, "moods", ["crossed_with", "'stereoset'"]),
        ({"each": "twon"}, "moods", ["'twon'", "'town'"]),
        ({"beside": "known.csv"}, "moods", ["'each'", "'contrast: pairs'"]),
        (BESIDE | {"contrast": "share"}, "moods", ["'each'", "'contrast: pairs'"]),
        (BESIDE, "moods", ["known.csv", "'Cusco'"]),
        (BESIDE | {"beside": "unknown.csv"}, "moods", ["unknown.csv"]),
        ({"sides": ["he"]}, "sides", ["2"]),
        ({"sides": ["he", "he"]}, "moods", ["sides", "he, he"]),
        (THREE, "moods", ["sides", "'pairs'", "3"]),
        (THREE | {"contrast": "candidates", "quantity": "cps"}, "moods", ["quantity", "'cps'", "3"]),
        ({"sides": ["he", "hee"]}, "moods", ["row 2, column 'side'", "'she'"]),
        ({"sides": ["he", True]}, "sides", ["quotes"]),
        ({"quantity": "slot"}, "moods", ["row 1, column 'text'", "'slot'", "[asked: …]"]),
        ({"table": "sentence.csv"}, "table", ["sentence.csv"]),
        ({"unti": "town"}, "unti", ["'sentence_sets.moods.unti'", "'unit'"]),
        ({"sides": None}, "moods", ["sentence_sets.moods.sides"]),
        ({"models": []}, "moods", ["'quantity'", "'models'"]),
        ({"quantity": None}, "moods", ["'quantity'", "'models'"]),
        ({"name": "a/b"}, "a/b", ["sentence_sets.a/b"]),
    ],
)
def test_a_fault_is_told_with_its_line(load, tmp_path, changes, key, facts):
    with refused(None, *facts) as fault:
        load(**changes)
    if key is not None:
        lines = (tmp_path / "study.yaml").read_text().splitlines()
        *_, line = [number for number, text in enumerate(lines, 1) if re.match(rf" *{re.escape(key)}:", text)]
        assert f"study.yaml, line {line}: " in str(fault.value)


@pytest.mark.parametrize(
    "sides", [["a", "b"], ["a-right", "a-wrong"], ["a-right", "b-wrong", "b-right", "a-wrong"], ["a-right"] * 4]
)
def test_accuracies_have_two_conditions_with_two_answers_each(load, sides):
    with refused("sides", "'accuracy'" if len(set(sides)) > 1 else "repeated"):
        load(contrast="accuracy", sides=sides)


def test_winobias_is_read_from_its_folder(load, tmp_path):
    with refused("sentence_sets.moods.table", "WinoBias"):
        load(format="winobias", table="", sides=["pro", "anti"], quantity="slot_likelihood")
    (tmp_path / "pro_stereotyped_type1.txt.dev").write_text("1 [The cook] said [he] left.")
    (tmp_path / "anti_stereotyped_type1.txt.dev").write_text("1 [The cook] said [she] left.")
    with refused("sentence_sets.moods", "row 1", "'group'", "'type 1, dev'"):
        load(format="winobias", table="", sides=["pro", "anti"], quantity="slot_likelihood")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """The table in a repository, which later has another."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "repository"
    (folder / "data").mkdir(parents=True)
    (folder / "data/sentences.csv").write_text(TABLE)
    source = {"git": folder.as_uri(), "revision": commit(folder)}
    (folder / "data/sentences.csv").write_text("changed later")
    commit(folder)
    return source


def of_repository(repository, table="data/sentences.csv"):
    models = {"tiny": {"hub": "a/tiny", "kind": "masked"}}
    return config.load({"models": models, "sentence_sets": {"moods": ENTRY | repository | {"table": table}}})


def test_a_table_of_a_repository_is_that_of_the_commit(repository, tmp_path, monkeypatch):
    (file,) = of_repository(repository).sentence_sets["moods"].files
    assert Path(file).read_text() == TABLE
    shutil.rmtree(tmp_path / "repository")
    assert of_repository(repository).sentence_sets["moods"].files == [file]  # without a network


def test_what_is_not_in_a_repository_and_one_that_cannot_be_had_are_told(repository):
    with refused("sentence_sets.moods.table", "outside"):
        of_repository(repository, "../sentences.csv")
    with refused("data/none.csv"):
        of_repository(repository, "data/none.csv")
    with refused("sentence_sets.moods.table", "'git'"):
        of_repository({"git": "file:///nowhere", "revision": "1" * 40})
