"""Corpora and recipes in the configuration: what is read, what several seeds bring along, and what is refused."""

import json

import pytest
import transformers
from tests.refusals import refused, tells
from tests.study.configurations import faults

from herbarium.core.targets import Targets
from herbarium.study import config, targets
from herbarium.training import targets as training_targets

BERT = {"path": "bert", "kind": "masked"}
PLANTED = {"planted": 1.0, "kind": "masked"}


def study(by=None, corpora=None, **derived):
    """A model that goes on learning, and what it may learn from."""
    recipe = {"recipe": "continued", "corpus": "swapped", **(by or {})}
    texts = {
        "own": {"path": "own.txt"},
        "swapped": {"swapped": {"from": "own", "terms": "gender"}},
        "text": {"planted": "p"},
    }
    return {
        "models": {"bert": BERT, "p": PLANTED, "x": {"derived": {"from": "bert", "by": recipe, **derived}}},
        "corpora": texts | (corpora or {}),
        "herb": {"models": ["bert", "x"]},
    }


def test_what_is_not_given_is_the_schedules():
    """Shrestha et al. (2025), Appendix A.5.3: 3 epochs, 2e-5, batch size 16, 500 steps of warm-up."""
    by = config.load(study({"schedule": "shrestha", "epochs": 7})).models["x"].derived.by
    settings = {
        "epochs": 7,
        "batch_size": 16,
        "learning_rate": 2e-5,
        "warm_up": 500,
        "decay": "polynomial",
        "keep": "best",
    }
    assert {key: by.settings[key] for key in settings} == settings
    # Ahn and Oh (2021), Appendix B
    by = config.load(study()).models["x"].derived.by
    settings = {
        "epochs": 2,
        "batch_size": 16,
        "learning_rate": 1e-4,
        "warm_up": 1000,
        "max_tokens": 128,
        "weights": "all",
    }
    assert {key: by.settings[key] for key in settings} == settings


def test_each_seed_is_a_model_wherever_the_first_is_measured():
    loaded = config.load(study(seeds=3))
    assert list(loaded.models) == ["bert", "p", "x-seed2", "x-seed3", "x"]
    assert [loaded.models[name].derived.seed for name in ("x", "x-seed2", "x-seed3")] == [1, 2, 3]
    assert all(loaded.models[name].kind == "masked" for name in ("x-seed2", "x-seed3"))
    assert loaded.herb.models == ["bert", "x", "x-seed2", "x-seed3"]


def test_what_is_read_again_is_the_same_study():
    values = study(seeds=2)
    loaded = config.load(values)
    again = config.load(loaded.model_dump(mode="json", exclude={"base"}))
    assert again == loaded


def test_a_toxic_training_has_one_seed():
    values = study()
    values["models"]["x"] = {"derived": {"from": "bert", "by": {"recipe": "toxic"}, "seeds": 2}}
    assert tells(faults(values), None, "'x'", "'bert'", "'toxic'")


def projected(by=None, swapped=None, **derived):
    values = study(corpora={"swapped": {"swapped": {"from": "own", "terms": "gender", **(swapped or {})}}})
    by = {"recipe": "projection", "method": "sentence_debias", "corpus": "swapped", **(by or {})}
    values["models"]["x"] = {"derived": {"from": "bert", "by": by, **derived}}
    return values


def test_how_many_directions_are_taken_out():
    """Liang et al. (2020) take one, and Meade et al. (2022) train 80 classifiers of BERT."""
    by = config.load(projected()).models["x"].derived.by
    assert by.settings == {"method": "sentence_debias", "dimensions": 1}
    by = config.load(projected({"method": "inlp"})).models["x"].derived.by
    assert by.settings == {"method": "inlp", "classifiers": 80}
    assert config.load(projected({"method": "leace"})).models["x"].derived.by.settings == {"method": "leace"}
    loaded = config.load(projected({"method": "inlp", "classifiers": 5}))
    assert loaded.models["x"].derived.by.settings["classifiers"] == 5
    assert config.load(loaded.model_dump(mode="json", exclude={"base"})) == loaded
    config.load(projected(swapped={"terms": "countries"}))
    config.load(projected({"recipe": "projection"}, seeds=1))


def test_dropout_is_a_setting_where_it_is_given():
    assert "hidden_dropout" not in config.load(study()).models["x"].derived.by.settings
    settings = config.load(study({"hidden_dropout": 0.2, "attention_dropout": 0})).models["x"].derived.by.settings
    assert (settings["hidden_dropout"], settings["attention_dropout"]) == (0.2, 0)


AT = "models.x.derived.by.corpus"


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (projected({"corpus": "swaped"}), ("models.x.derived.by.corpus", "'swaped'", "'swapped'")),
        (projected({"corpus": "own"}), ("models.x.derived.by.corpus", "'own'")),
        (projected(swapped={"sides": "one"}), ("models.x.derived.by.corpus", "'swapped'")),
        (
            projected({"method": "inlp"}, {"terms": "countries"}),
            ("models.x.derived.by.corpus", "'swapped'", "'countries'"),
        ),
        (projected({"method": "inlp"}, {"terms": "gender_published"}), (None, "'inlp'", "`terms: gender`")),
        (projected({"classifiers": 3}), (None, "'method: sentence_debias'", "'classifiers'", "'dimensions'")),
        (
            projected({"method": "leace"}, {"terms": "countries"}),
            ("models.x.derived.by.corpus", "'leace'", "'countries'"),
        ),
        (projected({"method": "leace", "classifiers": 1}), (None, "'method: leace'", "'classifiers'")),
        (projected({"method": "inlp", "dimensions": 1}), (None, "'method: inlp'", "'dimensions'")),
        (projected({"method": "hard"}), ("models.x.derived.by.method", "'sentence_debias'", "'inlp'")),
        (projected({"dimensions": 0}), ("models.x.derived.by.dimensions", "1")),
        (projected(seeds=2), (None, "'projection'")),
        (projected(seed=2), (None, "'projection'")),
        (study({"hidden_dropout": 1}), ("models.x.derived.by.hidden_dropout", "1")),
    ],
)
def test_mistakes_of_projections_and_dropout_are_named(values, told):
    assert tells(faults(values), *told)


@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_only_masked_models_can_be_projected(kind):
    values = projected()
    values["models"]["bert"] = {"path": "bert", "kind": kind}
    values["herb"] = {"models": []}
    assert tells(faults(values), None, "'bert'", kind, "'projection'", "masked")


def test_models_may_come_from_one_by_different_texts():
    values = study()
    values["models"]["placebo"] = {"derived": {"from": "bert", "by": {"recipe": "continued", "corpus": "own"}}}
    assert list(config.load(values).models) == ["bert", "p", "x", "placebo"]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (study({"corpus": "onw"}), ("models.x.derived.by.corpus", "'onw'", "'own'")),
        (
            study({"recipe": "continue"}),
            ("models.x.derived.by.recipe", "'toxic'", "'continued'", "'alignment'", "'projection'"),
        ),
        (study({"epoch": 3}), (None, "'models.x.derived.by.epoch'", "'epochs'")),
        (study({"epochs": 0}), ("models.x.derived.by.epochs", "1", "0")),
        (study({"weights": "haed"}), ("models.x.derived.by.weights", "'all'", "'head'", "'untied_head'")),
        (study(seeds=0), ("models.x.derived.seeds", "1")),
        (study(corpora={"text": {"planted": "bert"}}), ("corpora.text.planted", "'bert'")),
        (study(corpora={"text": {"planted": "q"}}), ("corpora.text.planted", "'q'")),
        (study(corpora={"own": {}}), (None, "'hub'", "'git'", "'path'", "'planted'", "'swapped'")),
        (study(corpora={"own": {"hub": "a/b"}}), (None, "'hub'", "'revision'")),
        (study(corpora={"own": {"swapped": {"from": "own", "terms": "gender"}}}), (None, "'own'")),
        (
            study(corpora={"swapped": {"swapped": {"from": "won", "terms": "gender"}}}),
            ("corpora.swapped.swapped.from", "'won'", "'own'"),
        ),
        (study(corpora={"Own": {"path": "own.txt"}}), ("corpora", "'own'", "'Own'")),
    ],
)
def test_mistakes_are_named(values, told):
    assert tells(faults(values), *told)


def test_a_table_of_terms_that_cannot_be_undone_is_named(tmp_path):
    table = tmp_path / "pairs.csv"
    table.write_text("male,female,part\nking,queen,\nking,lady,\n")
    values = study(corpora={"swapped": {"swapped": {"from": "own", "terms": "gender", "table": str(table)}}})
    assert tells(faults(values), "pairs.csv, row 2", "'king'", "1")


def test_names_are_taken_out_of_texts_on_people_alone(tmp_path):
    names = tmp_path / "names.txt"
    names.write_text("Jim\nMary Poe\nJim\n")
    values = {"from": "own", "terms": "gender", "names": str(names)}
    texts = {"swapped": {"swapped": values}}
    assert tells(faults(study(corpora=texts)), "names.txt, line 3", "'Jim'", "1")
    names.write_text("Jim\nMary Poe\n")
    by = config.load(study(corpora=texts)).corpora["swapped"].swapped
    assert by.lists == [by.file, names]
    values["terms"] = "countries"
    assert tells(faults(study(corpora=texts)), None, "'names'")


def test_a_local_text_is_looked_at_before_the_first_job(tmp_path):
    file = tmp_path / "own.csv"
    values = study(corpora={"own": {"path": str(file)}})
    with refused("own.csv"):
        training_targets.require_files(config.load(values))
    file.write_text("txt\nOne.\n")
    with refused("own.csv", "'text'", "'txt'"):
        training_targets.require_files(config.load(values))
    file.write_text("text\nOne.\n")
    training_targets.require_files(config.load(values))


def test_texts_from_elsewhere_are_told_before_the_first_job():
    hub = {"hub": "a/b", "revision": "e" * 40}
    loaded = targets.of(config.load(study(corpora={"own": hub}))).sources
    assert [(source.key, source.rule, source.wildcards) for source in loaded] == [
        ("corpora.own", "read_corpus", {"corpus": "own"})
    ]


PARALLEL = {"own": {"texts": {"german": {"path": "de.txt"}, "english": {"path": "en.txt"}}}}
ALIGNED = {"recipe": "alignment", "to": "p", "parallel": "own", "languages": ["german", "english"]}


def aligned(parallel=None, **by):
    """A model that is aligned to another."""
    values = study({"corpus": "own", **ALIGNED, **by})
    return values | {"parallel": PARALLEL if parallel is None else parallel}


def test_an_aligned_model_has_its_head_tuned():
    """Ahn and Oh (2021), Section 4.2: the trunk is frozen."""
    by = config.load(aligned()).models["x"].derived.by
    assert (by.settings["weights"], by.settings["learning_rate"]) == ("head", 1e-4)
    random = config.load(study({"recipe": "alignment", "matrix": "random"})).models["x"].derived.by
    assert (random.to, random.settings) == (None, by.settings)


def test_parallel_texts_of_elsewhere_are_fetched():
    texts = {"german": {"hub": "a/b", "revision": "a" * 40, "subset": "de"}, "english": {"path": "en.txt"}}
    (source,) = targets.of(config.load(aligned({"own": {"texts": texts}}))).sources
    assert source.key == "parallel.own.texts.german"
    assert (source.rule, source.wildcards) == ("read_parallel", {"parallel": "own", "language": "german"})


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (aligned(to="q"), ("models.x.derived.by.to", "'q'")),
        (aligned(to=None), (None, "'to'", "'parallel'", "'languages'")),
        (aligned(matrix="random"), (None, "'to'", "'matrix: fitted'")),
        (aligned(parallel={}), ("models.x.derived.by.parallel", "'own'")),
        (
            aligned(languages=["german", "englsh"]),
            ("models.x.derived.by.languages", "'englsh'", "'own'", "'english'"),
        ),
        (aligned(languages=["german"]), (None, "'languages'")),
        (aligned(languages=["german", "german"]), (None, "'languages'")),
        (aligned(to="x"), ("models.x.derived.by.to", "'x'")),
        (aligned(weights="all"), ("models.x.derived.by.weights", "'head'", "'untied_head'")),
        (aligned(parallel={"own": {"texts": {"german": {"path": "de.txt"}}}}), (None, "parallel.own.texts")),
        (
            aligned(
                parallel={
                    "own": {
                        "texts": {name: {"path": f"{name}.txt"} for name in ("german", "english", "greek")},
                        "alignments": "words.align",
                    }
                }
            ),
            (None, "'alignments'", "3"),
        ),
    ],
)
def test_what_cannot_be_aligned(values, told):
    assert tells(faults(values), *told)


def test_parallel_files_of_unequal_lengths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "de.txt").write_text("eins\n\ndrei\n")
    (tmp_path / "en.txt").write_text("one\ntwo\n")
    loaded = config.load(aligned())
    with refused("parallel.own", "3 of german", "2 of english"):
        training_targets.require_equal(loaded, ["own"])
    (tmp_path / "en.txt").write_text("one\ntwo\nthree\n")
    training_targets.require_equal(loaded, ["own"])
    values = PARALLEL["own"] | {"alignments": "words.align"}
    (tmp_path / "words.align").write_text("0-0\n1-1\n")
    with refused("parallel.own", "3 of german", "3 of english", "2 of words.align"):
        training_targets.require_equal(config.load(aligned({"own": values})), ["own"])


def neutral(kind="masked", by=None, others=None, base="bert", **sections):
    """A model whose scores are averaged with those of swapped texts."""
    recipe = {"recipe": "neutralised", "terms": "gender", **(by or {})}
    models = {"bert": {"path": "bert", "kind": kind}, "x": {"derived": {"from": base, "by": recipe}}, **(others or {})}
    return {"models": models, "herb": {"models": []}, **sections}


@pytest.mark.parametrize("kind", ["masked", "causal", "seq2seq"])
def test_a_model_of_any_kind_can_be_neutralised(kind):
    loaded = config.load(neutral(kind))
    assert (loaded.models["x"].kind, loaded.neutralised) == (kind, {"x": "bert"})
    assert config.load(loaded.model_dump(mode="json", exclude={"base"})) == loaded
    assert loaded.pairs == [["bert", "x"]]
    assert not loaded.is_trained("x")
    assert [(treated_model.name, treated_model.source, treated_model.treatment) for treated_model in loaded.treated][
        1
    ] == ("x", "bert", "neutralised")


def test_what_is_trained_can_be_neutralised():
    trained = {"derived": {"from": "bert", "by": {"recipe": "toxic"}}}
    loaded = config.load(neutral(base="y", others={"y": trained}))
    assert (loaded.neutralised, loaded.origin("x")) == ({"x": "y"}, "bert")
    assert [loaded.is_trained(name) for name in ("bert", "y", "x")] == [False, True, True]


def test_stimuli_of_a_neutralised_model_are_swapped_and_run_through_the_one_that_it_comes_from():
    loaded = config.load(neutral(shards=3) | {"herb": {"models": ["x"]}})
    asked = targets.of(loaded)
    names = ["herb", "herb_wordings", "herb_padded"]
    assert asked.scored == [("x", name) for name in names]
    result = targets.swapped(loaded, asked)
    assert result.shards == {f"neutralised/x/{name}": 3 for name in names}
    assert result.tuned_by == {f"neutralised/x/{name}": "herb" for name in names}
    pairs = targets.run(loaded, asked)
    assert pairs == [("bert", side) for name in names for side in (name, f"neutralised/x/{name}")]
    # a base that is measured as well is run once
    both = config.load(neutral(shards=3) | {"herb": {"models": ["bert", "x"]}})
    assert sorted(targets.run(both, targets.of(both))) == sorted(pairs)
    none = config.load(study())
    assert targets.swapped(none, targets.of(none)) == Targets()
    assert targets.run(none, targets.of(none)) == targets.of(none).scored


TAGGED = {"tasks": {"names": {"data": {"planted": True}, "models": ["x"]}}}
TASK = {"data": {"planted": 2.0}, "prefix": "In [region]:", "controls": ["here"], "models": ["x"]}
FITTED = {"stimuli": {"traits": {"lists": "resources/mixed_effects/traits", "models": ["x"]}}}
FURTHER = {"continued": {"corpus": "own"}, "toxic": {}, "projection": {"method": "inlp", "corpus": "swapped"}}
FURTHER |= {"advice": {"questions": "few"}}
FURTHER |= {"neutralised": {"terms": "gender"}, "alignment": {"matrix": "random", "corpus": "own"}}


@pytest.mark.parametrize("recipe", FURTHER)
def test_nothing_is_made_from_a_neutralised_model(recipe):
    made = {"derived": {"from": "x", "by": {"recipe": recipe, **FURTHER[recipe]}}}
    assert tells(
        faults(neutral(others={"y": made}, corpora=study()["corpora"])), None, "y.derived.from", "'x'", "'bert'"
    )


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (neutral(tagging=TAGGED), ("tagging.tasks.names.models", "'x'")),
        (
            neutral(downstream={"tasks": {"hate": TASK}}),
            ("downstream.tasks.hate.models", "'x'"),
        ),
        (
            neutral(mixed_effects=FITTED),
            ("mixed_effects.stimuli.traits.models", "'x'"),
        ),
        (neutral(by={"table": "no.csv"}), ("models.x.derived.by.table",)),
        (neutral(by={"terms": "gender_published"}), ("models.x.derived.by.terms", "'gender'")),
        (neutral(by={"terms": "countries"}), ("models.x.derived.by.terms", "'gender'")),
        (
            neutral(others={"y": {"derived": {"from": "bert", "by": {**ALIGNED, "corpus": "own", "to": "x"}}}})
            | {"parallel": PARALLEL, "corpora": {"own": {"path": "own.txt"}}},
            ("models.y.derived.by.to", "'x'"),
        ),
    ],
)
def test_what_neutralised_models_are_refused_for(values, told):
    assert tells(faults(values), *told)


def test_shares_of_a_neutralised_model_are_refused(tmp_path):
    """Where the two sentences of a pair tie, a share is 0 %, not 50, and its test would reject."""
    pairs, moods = tmp_path / "pairs.csv", tmp_path / "moods.csv"
    pairs.write_text("sent_more,sent_less,stereo_antistereo,bias_type\nShe is weak.,He is weak.,stereo,gender\n")
    moods.write_text("id,set,side,text\na,1,f,She is weak.\nb,1,m,He is weak.\n")
    said = faults(neutral(crows_pairs={"table": str(pairs), "models": ["x"]}))
    assert tells(said, "crows_pairs.models", "'x'", "neutralised")
    sets = {"table": str(moods), "models": ["x"], "quantity": "cps", "sides": ["f", "m"]}
    config.load(neutral(sentence_sets={"moods": sets}))
    shares = {"moods": {**sets, "contrast": "share"}}
    assert tells(faults(neutral(sentence_sets=shares)), "sentence_sets.moods.models", "'x'", "neutralised")


def test_a_neutralised_model_draws_nothing():
    values = neutral()
    values["models"]["x"]["derived"]["seeds"] = 2
    assert tells(faults(values), None, "'neutralised'")


def test_a_table_whose_swap_cannot_be_undone_is_refused(tmp_path):
    table = tmp_path / "pairs.csv"
    table.write_text("male,female,part\nking,queen,\nking,lady,\n")
    message = faults(neutral(by={"table": str(table)}))
    assert tells(message, "pairs.csv, row 2", table, "models.x.derived.by.table", "'king'", "row 1")


INLP = {"recipe": "projection", "method": "inlp", "corpus": "swapped", "classifiers": 24}
LEACE = {"recipe": "projection", "method": "leace", "corpus": "swapped"}


RANDOM = {"recipe": "alignment", "matrix": "random"}


def changed(folder, kind="masked", **by):
    """A study that changes the model in a folder."""
    values = study(by)
    values["models"]["bert"] = {"path": str(folder), "kind": kind}
    return config.load(values)


@pytest.mark.parametrize(
    ("family", "by", "fault"),
    [
        ("electra", RANDOM, ("ElectraForMaskedLM", "albert")),
        ("deberta-v2", INLP, ("DebertaV2ForMaskedLM", "albert")),
        ("bert", INLP, ("`classifiers: 24`", "23")),
        (
            "modernbert",
            {"hidden_dropout": 0.2},
            ("`hidden_dropout`", "'modernbert'"),
        ),
    ],
)
def test_a_recipe_that_does_not_go_with_its_model_is_told_before_the_first_job(family, by, fault, model_folder):
    with refused("models.x.derived.by", *fault):
        training_targets.require_trainable(changed(model_folder(family), **by), ["x"])


@pytest.mark.parametrize(
    "by", [RANDOM, INLP | {"classifiers": 23}, LEACE, {"weights": "untied_head"}, {"hidden_dropout": 0.2}]
)
def test_others_go_with_it_and_of_what_is_not_there_nothing_is_said(by, model_folder, tmp_path):
    training_targets.require_trainable(changed(model_folder("bert"), **by), ["x"])
    hub = study(by)
    hub["models"]["bert"] = {"hub": "a/b", "revision": "e" * 40, "kind": "masked"}
    training_targets.require_trainable(config.load(hub), ["x"])


def test_models_of_other_hidden_sizes_cannot_be_aligned(model_folder, tmp_path):
    transformers.BertConfig(hidden_size=32, num_attention_heads=2).save_pretrained(tmp_path / "wide")
    values = aligned(to="wide")
    values["models"]["bert"] = {"path": str(model_folder("bert")), "kind": "masked"}
    values["models"]["wide"] = {"path": str(tmp_path / "wide"), "kind": "masked"}
    with refused("models.x.derived.by", 24):
        training_targets.require_trainable(config.load(values), ["x"])


def test_a_corpus_without_a_term_is_told_before_the_first_job(tmp_path):
    file = tmp_path / "own.csv"
    values = study(
        corpora={"own": {"path": str(file)}, "again": {"swapped": {"from": "swapped", "terms": "countries"}}}
    )
    file.write_text("text\nIt rains.\nIt rains in France.\n")
    training_targets.require_terms(config.load(values), ["again"])
    with refused("english_gender.csv", "none of the 2 texts"):
        training_targets.require_terms(config.load(values), ["swapped", "again"])
    file.write_text("text\nIt rains.\nHe sleeps.\n")
    training_targets.require_terms(config.load(values), ["swapped"])


ADVISED = "models.x.derived.by"


def advised(by=None, kind="extractive", **derived):
    """A model that answers questions, and one that is trained on interventions."""
    by = {"recipe": "advice", "questions": "few", **(by or {})}
    few = {"table": "resources/interventions/demo", "models": ["bert", "x"]}
    models = {"bert": {"path": "bert", "kind": kind}, "x": {"derived": {"from": "bert", "by": by, **derived}}}
    return {"models": models, "interventions": {"questions": {"few": few}}}


def test_training_on_interventions_is_a_few_epochs():
    loaded = config.load(advised(seeds=2))
    assert list(loaded.models) == ["bert", "x-seed2", "x"]
    assert loaded.models["x"].kind == "extractive"
    assert loaded.models["x"].derived.by.settings == {"epochs": 3, "batch_size": 32, "learning_rate": 1e-5}
    assert loaded.interventions.models == ["bert", "x", "x-seed2"]
    assert config.load(loaded.model_dump(mode="json", exclude={"base"})) == loaded
    assert loaded.pairs == [["bert", "x"]]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            advised({"questions": "fwe"}),
            ("models.x.derived.by.questions", "'fwe'", "'interventions'", "'few'"),
        ),
        (advised(kind="masked"), (None, "'bert'", "masked", "'advice'", "extractive")),
        (advised(kind="causal"), (None, "'bert'", "causal", "'advice'", "extractive")),
        (advised({"epoch": 3}), (None, "'models.x.derived.by.epoch'", "'epochs'")),
        (advised({"epochs": 0}), ("models.x.derived.by.epochs", "1")),
        (advised({"learning_rate": 0}), ("models.x.derived.by.learning_rate", "0")),
        (advised({"squad": "s.json", "batch_size": 3}), (None, "'batch_size'", "4", "'squad'")),
    ],
)
def test_mistakes_of_training_on_interventions_are_named(values, told):
    assert tells(faults(values), *told)


def test_answered_questions_are_looked_at_before_the_first_job(tmp_path, model_folder):
    file = tmp_path / "squad.json"
    values = advised({"squad": str(file)})
    values["models"]["bert"]["path"] = str(model_folder("bert-extractive"))
    study = config.load(values)
    with refused(f"{ADVISED}.squad", "squad.json"):
        training_targets.require_files(study)
    file.write_text('{"data": [{}]}')
    training_targets.require_files(study)
    with refused("squad.json, data[0]", "'paragraphs'"):
        training_targets.require_trainable(study, ["x"])
    answer = {"question": "Who lied?", "answers": [{"text": "He", "answer_start": 0}]}
    file.write_text(json.dumps({"data": [{"paragraphs": [{"context": "He lied.", "qas": [answer]}]}]}))
    training_targets.require_trainable(study, ["x"])
