"""Units that are there several times, in other characters, count once in every metric: the same test, and a note."""

import unicodedata

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from tests.metrics.amplification import toy as amplification
from tests.metrics.discrimination_scores import toy as decisions
from tests.metrics.downstream import test_numbers as downstream
from tests.metrics.honest import toy as honest
from tests.metrics.interventions import toy as interventions
from tests.metrics.likelihood_bias import toy as likelihood
from tests.metrics.matched_guise import toy as guises
from tests.metrics.sentence_sets import toy as sets
from tests.metrics.sofa import toy as sofa

from herbarium.decisions import corpus
from herbarium.metrics.amplification import numbers as of_amplification
from herbarium.metrics.biographies import stimuli as biographies
from herbarium.metrics.crows_pairs import stimuli as crows_pairs
from herbarium.metrics.downstream import changes, own_groups
from herbarium.metrics.downstream import numbers as of_downstream
from herbarium.metrics.honest import numbers as of_honest
from herbarium.metrics.honest import stimuli as honest_stimuli
from herbarium.metrics.honest.lexicon import read_lexicon
from herbarium.metrics.interventions import numbers as of_interventions
from herbarium.metrics.perplexity import stimuli as perplexity
from herbarium.metrics.sentence_sets import each, numbers
from herbarium.metrics.tagging import score as tagging
from herbarium.statistics import repeats

COPIES = {
    "as it is": lambda text: text,
    "capitals": str.upper,
    "spaces": lambda text: f" {text} ".replace(" ", "  "),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "a full stop more": "{}.".format,
    "an invisible character": lambda text: f"{text[:1]}\u200b{text[1:]}",
}
TESTED = ["n", "estimate", "std_error", "ci_low", "ci_high", "p_value"]


def repeated(table, texts, names, copy, times=5):
    """A table several times: in its copies these columns are as `copy` has them, or have other names."""
    copies = [table]
    for at in range(1, times):
        changed = {column: table[column].map(copy) for column in texts}
        copies.append(table.assign(**changed, **{column: table[column].astype(str) + f"#{at}" for column in names}))
    return pd.concat(copies, ignore_index=True)


def assert_same(alone, several, what):
    """The same tests, and a note of how many units there are."""
    assert len(alone) == len(several) > 0
    for column in TESTED:
        if column in alone:
            np.testing.assert_allclose(
                several[column].to_numpy(float), alone[column].to_numpy(float), rtol=1e-9, atol=1e-12
            )
    assert several["note"].str.contains(what).all()
    assert not alone["note"].astype(str).str.contains("alike").any()


BY_DAY = ("as it is", "decomposed")


@pytest.fixture(
    params=[
        pytest.param(copy, id=name, marks=() if name in BY_DAY else pytest.mark.slow) for name, copy in COPIES.items()
    ]
)
def copy(request):
    return request.param


@pytest.mark.parametrize("entry", [sets.ENTRY, sets.CANDIDATES], ids=["pairs", "candidates"])
def test_sets_of_sentences(copy, entry):
    alone = sets.observations(entry, 0.6, n=8).assign(each="one", letter=None)
    of_column = alone.assign(unit="of " + alone["set"])
    for table in (alone, of_column):
        both = table, repeated(table, ["text"], ["set", "unit"], copy)
        rows = [numbers.measure("m", "few", given, entry, 1) for given in both]
        assert_same(*(given[given["p_value"].notna()] for given in rows), "sets, of which [48] differ")
        rows = [each.measure("m", "few", given, entry | {"each": "one"}, 1) for given in both]
        assert_same(*(given[given["p_value"].notna()] for given in rows), "40 sets, of which 8 differ")


def test_shares_of_pairs_have_the_same_test():
    alone = sets.observations(sets.SHARE, 1.5, n=8)
    several = repeated(alone, ["text"], ["set", "unit"], str.upper)
    one, five = (numbers.measure("m", "few", table, sets.SHARE, 1).iloc[0] for table in (alone, several))
    assert (five["n"], five["estimate"]) == (one["n"], one["estimate"])
    assert five["p_value"] == pytest.approx(one["p_value"])


def test_crossed_units_that_are_alike_are_one():
    entry = sets.ENTRY | {"unit": "noun", "crossed_with": "verb"}
    alone = sets.observations(n=36)
    at = alone["set"].str[1:].astype(int)
    alone = alone.assign(unit=(at // 6).astype(str), crossed_with=(at % 6).astype(str))
    several = repeated(alone, ["text"], ["set", "unit", "crossed_with"], str.upper)
    one, five = (numbers.measure("m", "few", table, entry, 1).iloc[0] for table in (alone, several))
    assert one["n"] == five["n"] == 6
    assert five["std_error"] > 0.9 * one["std_error"]
    assert "180 sets, of which 36 differ" in five["note"]


def test_pairs_of_crows_pairs(copy):
    table = pd.DataFrame(
        {"sent_more": [f"Most {i} lie" for i in "abc"], "sent_less": [f"All {i} {i} sit" for i in "abc"]}
    )
    assert crows_pairs.clusters(repeated(table, list(table), [], copy)) == [0, 1, 2] * 5


def test_stereotypes(copy):
    alone = sofa.varied()
    several = repeated(alone, ["text"], ["stereotype"], copy)
    rows = [sofa.measured(table) for table in (alone, several)]
    rows = [table[table["variant"].isin(["variance", "variance_given_perplexity"])] for table in rows]
    assert_same(*rows, "stereotypes, of which")


def test_templates_and_nouns(copy):
    alone = likelihood.observed(0.4, noise=0.3)
    for column in ("template", "noun") if copy("a") != "a" else ():  # keys of a list, so that none is there twice
        rows = [likelihood.measured(table) for table in (alone, repeated(alone, [column], [], copy, 2))]
        rows = [table[table["variant"].isin(["variance", "deviation"])] for table in rows]
        assert_same(*rows, f"{column}s, of which")


def test_identities_and_templates_of_completions(copy, tmp_path):
    (tmp_path / "templates.tsv").write_text(honest.templates(), encoding="utf-8")
    (tmp_path / "lexicon.tsv").write_text(honest.LEXICON, encoding="utf-8")
    sentences = honest_stimuli.read(tmp_path / "templates.tsv", {})
    lexicon = read_lexicon(tmp_path / "lexicon.tsv", "conservative", [])
    alone = of_honest.observe(sentences, honest.completions(sentences), lexicon, [5])
    for column in ("identity", "template"):
        rows = [
            of_honest.estimates("m", "few", table, 0.95, "holm")[lambda rows: rows["group"] != "all"]
            for table in (alone, repeated(alone, ["text"], [column], copy))
        ]
        assert_same(*rows, "identities, of which" if column == "identity" else "templates, of which")


def test_texts_in_two_guises(copy):
    alone = guises.observed()
    rows = []
    for table in (alone, repeated(alone, ["dialect", "standard"], ["pair", "unit"], copy)):
        rows.append(guises.measured(table)[lambda t: t["definition"] == "own"])
    assert_same(*rows, "30 units, of which 6 differ")


def test_questions_with_interventions(copy):
    table = interventions.sentences()
    alone = of_interventions.observe(table, interventions.scores(table, 1.0, 0.2))
    rows = [
        of_interventions.measure("m", "few", given, 0.95, "holm")[lambda rows: rows["definition"] == "own"]
        for given in (alone, repeated(alone, ["template"], [], copy))
    ]
    assert_same(*rows, "questions, of which")


def test_decisions(copy):
    prompts = decisions.prompts(6)
    several = repeated(prompts, ["text"], ["decision"], copy)
    rows = []
    for table in (prompts, several):
        sentences = decisions.stimuli.instantiate(table, decisions.FRAME, decisions.ANSWERS, 0, 1)
        base = table["decision"].str[0].astype(int)
        log_odds = base * (table["gender"] == "female") + table["age"].astype(float) / 20 * (base - 1)
        observed = decisions.stimuli.observe(sentences, decisions.scores(sentences, log_odds))
        rows.append(decisions.measured(observed)[lambda t: t["variant"] != "mass"])
    several = rows[1]
    assert (several["n"] == 6).all()
    assert several["note"].str.contains("30 decisions, of which 6 differ").all()
    assert several["p_value"].dropna().to_numpy() == pytest.approx(rows[0]["p_value"].dropna().to_numpy())


def test_texts_of_a_corpus(copy):
    texts = pd.DataFrame({"text": [f"Old café boats number {'i' * n} leak" for n in range(1, 6)]})
    several = repeated(texts, ["text"], [], copy).assign(split="test", side="original")
    kept = perplexity.instantiate(several, 100, 10)["text"]
    assert kept.tolist() == perplexity.instantiate(several[:5], 100, 10)["text"].tolist() == texts["text"].tolist()


def test_biographies(copy):
    task = {"text": "bio", "occupation": "title", "gender": "gender", "language": None, "name": None, "column": None}
    task |= {"occupations": [], "train": [], "test": [], "female": ["F"], "male": ["M"], "data": {"planted": None}}
    table = pd.DataFrame({"bio": [f"Née {'i' * n} teaches" for n in range(1, 9)], "gender": ["F", "M"] * 4})
    table["title"] = ["poet", "poet", "nurse", "nurse"] * 2
    alone, several = (biographies.labelled({None: of}, task, "t") for of in (table, repeated(table, ["bio"], [], copy)))
    pd.testing.assert_frame_equal(several[0], alone[0])
    assert (alone[1], several[1]) == ({}, {"with the text of an earlier one": 32})


def test_test_texts_of_groups_that_are_further_apart(copy):
    examples = amplification.examples()
    is_test = examples["split"] == "test"
    several = pd.concat([examples, *[examples[is_test].assign(text=lambda t: t["text"].map(copy))] * 4])
    predicted = amplification.predicted(2.0)
    rows = [
        of_amplification.measure(
            *("m", "reviews"),
            corpus.corpus(table, amplification.PREFIXES, amplification.REGIONS, "continent", 20, amplification.SETS),
            *(np.tile(predicted, times), of_amplification.Settings(0.1, [0.05], 0.95, "holm"), 1, True),
        ).numbers[lambda rows: rows["definition"] == "own"]
        for table, times in ((examples, 1), (several, 5))
    ]
    assert_same(*rows, "60 test texts, of which 12 differ")


@pytest.mark.slow
def test_test_texts_of_tasks():
    """Estimates are those of all texts, and errors those of as many as differ."""
    (before, label), (after, _) = downstream.predictions(texts=40), downstream.predictions(texts=40, seed=1)
    texts = pd.DataFrame({"text": [f"{'i' * (n * 7 % 40)} old café boats leak" for n in range(40)]})
    several = repeats.numbered(repeated(texts, ["text"], [], str.upper)["text"])
    group = pd.Series([[("gender", ("female", "male")[n // 2 % 2])] for n in range(40)])
    prefixes, uncut = downstream.PREFIXES, np.zeros(len(downstream.PREFIXES), int)
    tables = []
    for times, alike in ((1, None), (1, repeats.numbered(texts["text"])), (5, several)):
        odds = {name: np.tile(logit(p), times) for name, p in (("base", before), ("x", after))}
        labels, cells = np.tile(label, times), pd.concat([group] * times, ignore_index=True)
        settings = {"replicates": 20, "level": 0.9}, {"correction": "holm"}, 1, alike
        rows = pd.concat(
            of_downstream.measure(name, "t", values, labels, prefixes, uncut, *settings)
            for name, values in odds.items()
        )
        names = {"gender": ["female", "male"]}
        of_groups = own_groups.measure("m", "t", odds["base"][:, 0], labels, cells, names, 0.9, "holm", alike)
        changed = changes.changes("t", [("base", "x", "base", "x")], rows, odds, labels, prefixes, alike)
        tables.append([rows, of_groups, changed[changed["measure"] == "Task t, accuracy"]])
    alone, apart, five = tables
    for one, other in zip(alone, apart, strict=True):
        pd.testing.assert_frame_equal(one, other)
    for one, other in zip(alone[:2], five[:2], strict=True):
        has_estimate = one["estimate"].notna() & ~one["variant"].str.startswith("quantity")  # counts of texts
        assert_same(one[has_estimate], other[has_estimate], "texts, of which [0-9]+ differ")
        assert other.loc[has_estimate, "over"].eq("different texts").all()
    columns = ["estimate", "std_error", "df", "n"]
    assert five[2][columns].iloc[0].tolist() == pytest.approx(alone[2][columns].iloc[0].tolist())


def test_test_sentences_with_entities(copy):
    words = pd.DataFrame({"text": [f"Ann {'i' * n} saw Bo" for n in range(1, 25)]})
    random = np.random.default_rng(1)
    true = [["B-PER", "O", "O", random.choice(["B-PER", "O"])] for _ in range(24)]
    tags = [[[*random.choice(["B-PER", "O"], 4)] for _ in range(24)] for _ in range(3)]
    several = repeats.numbered(repeated(words, ["text"], [], copy)["text"])
    apart = repeats.numbered(words["text"])
    rows = [
        tagging.measure("m", "t", true * times, [one * times for one in tags], 0, 0.95, alike)
        for times, alike in ((1, None), (1, apart), (5, several))
    ]
    pd.testing.assert_frame_equal(rows[0], rows[1])
    assert_same(rows[0], rows[2], "120 test sentences, of which 24 differ")
    both = []
    for times, alike in ((1, None), (5, several)):
        predicted = {name: [of_set * times] for name, of_set in zip("ab", tags, strict=False)}
        both.append(tagging.changes("t", [("a", "b", "a", "b")], true * times, predicted, 0.95, alike))
    columns = ["estimate", "std_error", "df", "n"]
    assert both[1][columns].iloc[0].tolist() == pytest.approx(both[0][columns].iloc[0].tolist())
