"""The catalogue: each card reads the format of its authors, and a study names a set instead of describing it."""

import pytest
import yaml
from tests.refusals import refused
from tests.sets import MADE, OURS, imitate

from herbarium.command import sets
from herbarium.core import downloads
from herbarium.models.kinds import Kind
from herbarium.study import catalogue, config, extension

MODELS = {
    "masked": {"hub": "a/b", "kind": "masked"},
    "causal": {"hub": "a/c", "kind": "causal"},
    "encoder": {"hub": "a/d", "kind": "encoder"},
    "unsaid": {"hub": "a/e"},
}
NAMES = catalogue.names()
REAL_CARD = catalogue.card


def test_every_set_has_an_imitation():
    assert {*MADE, *OURS} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_files_of_a_set_are_pinned(name):
    entry = catalogue.card(name).entry
    if "git" in entry:
        assert len(entry["revision"]) == 40
    else:
        assert downloads.parsed(entry["table"]).sha256
    assert entry["quantity"]
    assert "models" not in entry


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_study_names_a_set(name, tmp_path):
    values = imitate({"models": dict(MODELS), "sentence_sets": {name: None}}, tmp_path)
    kinds = catalogue.card(name).kinds
    assert values["sentence_sets"][name]["models"] == [
        *(kind for kind in ("masked", "causal") if kind in kinds),
        "unsaid",
    ]
    values["models"].pop("unsaid")  # whose kind the hub would say
    values["sentence_sets"][name]["models"].remove("unsaid")
    (entry,) = config.load(values).sentence_sets.values()
    per_set = entry.sentences.groupby("set")["side"].agg(set)
    assert (per_set == set(entry.sides)).all()
    assert len(per_set) >= 2


@pytest.mark.slow
def test_sentences_of_imitations_are_those_that_their_authors_would_compare(tmp_path):
    values = imitate({"models": {}, "sentence_sets": {name: {"models": ["m"]} for name in MADE}}, tmp_path)
    entries = config.SentenceSets.model_validate({"sets": values["sentence_sets"]}).sets
    pairs = {name: entry.sentences for name, entry in entries.items()}
    assert pairs["crows-pairs"]["text"].tolist() == pairs["indibias"]["text"].tolist()
    assert pairs["crows-pairs"]["text"].iloc[:2].tolist() == ["The old mill is red.", "The new mill is red."]
    assert pairs["crows-pairs"]["set"].nunique() == 2  # the third has the same sentence twice
    assert set(pairs["winogender"]["side"]) == {"female", "male"}  # without "they"
    assert pairs["winogender"]["set"].nunique() == 8
    bec = pairs["bec-pro"]
    assert set(bec["Person"]) == {"son-daughter", "uncle-aunt"}
    first = bec[bec["set"] == bec["set"].iloc[0]].set_index("side")["marked"]
    assert first["female"] == first["male"].replace(": son]", ": daughter]")
    assert "[condition: mason]" in first["male"]
    assert pairs["crows-pairs-dutch"]["text"].tolist() == pairs["crows-pairs"]["text"].tolist()  # in Mac OS Roman
    assert pairs["redditbias-race"]["text"].tolist() == pairs["crows-pairs"]["text"].tolist()


def test_german_words_for_people_and_occupations_agree_within_a_pair(tmp_path):
    german = _sentences("bec-pro-german", tmp_path)
    assert german["set"].nunique() == 2 * 2 * 4
    pair = german[german["set"].str.startswith("had a good day/miller/Mein/mann-frau")].set_index("side")["marked"]
    assert pair["female"] == "Meine [asked: Frau], die [condition: Müllerin], hatte einen guten Arbeitstag."
    assert pair["male"] == "Mein [asked: Ehemann], der [condition: Müller], hatte einen guten Arbeitstag."


def test_questions_of_a_language_end_in_its_cue_and_are_without_its_control_questions(tmp_path):
    spanish = _sentences("mbbq-spanish", tmp_path)
    assert spanish["set"].nunique() == 8
    texts = spanish.set_index(["polarity", "side"])["marked"]
    assert texts["neg", "biased"].str.endswith("¿Quién pagó? Respuesta: [asked: La mujer]").all()
    assert texts["nonneg", "biased"].str.endswith("Respuesta: [asked: El hombre]").all()
    assert _sentences("mbbq-turkish", tmp_path)["text"].str.contains("Cevap: ").all()


def test_a_statement_about_several_groups_is_one_unit(tmp_path):
    queer = _sentences("winoqueer", tmp_path)
    assert set(queer["statement"]) == {"are odd", "has odd friends", "everyone likes"}
    assert set(queer["group"]) == {"Queer", "Asexual"}


def _sentences(name, folder):
    values = imitate({"models": {}, "sentence_sets": {name: {"models": ["m"]}}}, folder)
    return config.SentenceSets.model_validate({"sets": values["sentence_sets"]}).sets[name].sentences


def test_keys_of_a_study_take_the_place_of_those_of_the_card(tmp_path):
    mine = {"set": "crows-pairs", "models": ["masked"], "quantity": "pll"}
    values = imitate({"models": dict(MODELS), "sentence_sets": {"mine": dict(mine)}}, tmp_path)
    values["models"].pop("unsaid")
    entry = config.load(values).sentence_sets["mine"]
    assert (entry.quantity, entry.contrast, entry.models) == ("pll", "share", ["masked"])


def test_models_are_those_that_give_the_score_that_a_study_asks_for():
    values = {"models": MODELS, "sentence_sets": {"mine": {"set": "crows-pairs", "quantity": "ll"}}}
    catalogue.complete(values)
    assert values["sentence_sets"]["mine"]["models"] == ["causal", "unsaid"]


def test_who_is_asked_questions_is_measured_with_sets_of_questions():
    asked = {"hub": "a/f", "kind": "causal", "chat_template": {"question": True}}
    values = {"models": MODELS | {"asked": asked}, "sentence_sets": {"bbq-choices": None, "crows-pairs": None}}
    catalogue.complete(values)
    assert "asked" in values["sentence_sets"]["bbq-choices"]["models"]
    assert "asked" not in values["sentence_sets"]["crows-pairs"]["models"]


OWN_SOURCES = {  # the name in a study, its entry, and the card
    "a set by its name": ("crows-pairs", {"table": "mine.csv"}, "crows-pairs"),
    "a set by its key": ("mine", {"set": "crows-pairs", "table": "mine.csv"}, "crows-pairs"),
    "files of a repository": ("bbq-answers", {"table": "folder"}, "bbq-answers"),
    "a repository of ones own": (
        "mine",
        {"set": "bbq", "git": "https://example.org/x", "revision": "a" * 40, "table": "data"},
        "bbq",
    ),
}


@pytest.mark.parametrize(("name", "own", "card"), OWN_SOURCES.values(), ids=OWN_SOURCES)
def test_a_table_of_ones_own_replaces_where_the_data_come_from_and_keeps_how_they_are_read(name, own, card):
    values = {"models": MODELS, "sentence_sets": {name: dict(own)}}
    catalogue.complete(values)
    entry, base = values["sentence_sets"][name], catalogue.card(card).entry
    source = ("git", "revision", "table")
    assert {key: entry[key] for key in source if key in entry} == {key: own[key] for key in source if key in own}
    assert {key: entry.get(key) for key in base if key not in source} == {
        key: value for key, value in base.items() if key not in source
    }


def test_a_set_that_says_what_is_compared_is_ones_own_whatever_its_name():
    entry = {"table": "mine.csv", "sides": ["he", "she"], "models": ["masked"]}
    values = {"models": MODELS, "sentence_sets": {"bbq": dict(entry)}}
    catalogue.complete(values)
    assert values["sentence_sets"]["bbq"] == entry


def test_a_local_copy_of_a_set_is_read_as_the_card_has_it(tmp_path):
    whole = imitate({"models": {}, "sentence_sets": {"crows-pairs": {"models": ["m"]}}}, tmp_path)
    table = whole["sentence_sets"]["crows-pairs"]["table"]
    values = {"sentence_sets": {"crows-pairs": {"table": table, "models": ["m"]}}}
    catalogue.complete(values)
    (entry,) = config.SentenceSets.model_validate({"sets": values["sentence_sets"]}).sets.values()
    assert entry.sentences["set"].nunique() == 2


def test_a_set_that_is_not_there_is_named():
    with refused("sentence_sets.mine.set", "'crows-pears'", "did you mean 'crows-pairs'?"):
        extension.extend({"sentence_sets": {"mine": {"set": "crows-pears"}}}, [])


@pytest.mark.parametrize("values", [{}, {"sentence_sets": None}, {"sentence_sets": {"x": 3}}, {"sentence_sets": ["x"]}])
def test_what_is_no_set_is_left_to_who_reads_it(values):
    before = yaml.safe_dump(values)
    catalogue.complete(values)
    assert yaml.safe_dump(values) == before


def test_the_command_lists_sets_and_shows_one(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "is_cached", lambda address: False)
    listed = sets.listed(fetch=False)
    assert [line.split()[0] for line in listed.splitlines()] == ["set", *NAMES]
    card = catalogue.card("winogender")
    text = sets.shown("winogender", fetch=False)
    assert all(fact in text for fact in (card.asks, card.licence, card.paper, "herbarium sets winogender --fetch"))
    assert "technician" not in text
    assert "published: camembert-base 58.3" in sets.shown("crows-pairs-french", fetch=False)


def test_a_set_that_is_here_is_shown_with_sentences(tmp_path, monkeypatch):
    values = imitate({"models": {}, "sentence_sets": {"winogender": {"models": []}}}, tmp_path)
    entry = {key: value for key, value in values["sentence_sets"]["winogender"].items() if key != "models"}
    monkeypatch.setattr(catalogue, "card", lambda name: REAL_CARD(name).model_copy(update={"entry": entry}))
    text = sets.shown("winogender", fetch=False)
    assert "8 items" in text
    assert text.count("  female: ") == sets.SHOWN


def test_kinds_of_a_card_are_those_of_its_score():
    assert catalogue.card("bec-pro").kinds == [Kind.masked]
    assert catalogue.card("crows-pairs").kinds == [Kind.masked, Kind.causal]
