"""Which sources of vectors are compared."""

from herbarium.study import config

CORPORA = {"text": {"planted": "base"}, "other": {"planted": "base"}}
MODELS = {
    "base": {"planted": 2.0, "kind": "masked"},
    "changed": {"derived": {"from": "base", "by": {"recipe": "continued", "corpus": "text"}, "seeds": 2}},
}


def compared(sources, among=None):
    loaded = config.load({"models": MODELS, "corpora": CORPORA, "vectors": sources})
    return loaded.compared_sources(sources if among is None else among)


def learned(method, corpus="text", **more):
    return {"trained": {"corpus": corpus, "method": method} | more}


def test_a_source_beside_itself_after_hard_debiasing():
    sources = {"hard": {"debiased": {"from": "known"}}, "known": {"planted": 1.0}, "other": {"planted": 2.0}}
    assert compared(sources) == [("known", "hard", "known", "hard")]
    assert compared(sources, ["hard", "other"]) == []


def test_vectors_that_keep_gender_apart_beside_those_of_the_same_texts_that_do_not():
    sources = {
        "gn": learned("gn_glove"),
        "glove": learned("glove"),
        "neutral": learned("gn_glove", part="neutral"),
        "short": learned("gn_glove", dimensions=50),
        "elsewhere": learned("glove", "other"),
    }
    assert compared(sources) == [("glove", name, "glove", name) for name in ("gn", "neutral")]


def test_the_same_layers_of_a_model_and_of_each_training_that_it_was_made_by():
    sources = {
        "words": {"model": "base"},
        "words-changed": {"model": "changed"},
        "words-again": {"model": "changed-seed2"},
        "last": {"model": "base", "layers": [-1]},
        "last-again": {"model": "changed-seed2", "layers": [-1]},
        "all-changed": {"model": "changed", "layers": "all"},
    }
    assert compared(sources) == [
        ("words", "words-changed", "words", "words-changed"),
        ("words", "words-changed", "words", "words-again"),
        ("last", "last-again", "last", "last-again"),
    ]


def test_what_another_seed_would_have_given_other_vectors():
    sources = {
        "glove": learned("glove"),
        "hard": {"debiased": {"from": "glove"}},
        "known": {"planted": 1.0},
        "known-hard": {"debiased": {"from": "known"}},
        "words": {"model": "base"},
        "words-changed": {"model": "changed"},
    }
    loaded = config.load({"models": MODELS, "corpora": CORPORA, "vectors": sources})
    assert [name for name in sources if loaded.is_trained_source(name)] == ["glove", "hard", "words-changed"]
