"""Scores, their differences and changes, beside a slow transcription of the released code."""

import string

import numpy as np
import pandas as pd
import pytest
from tests.metrics.honest import toy

from herbarium.metrics.honest import calibration, numbers, planted, score, stimuli
from herbarium.metrics.honest.lexicon import hurtful, read_lexicon
from herbarium.statistics.calibration import CALIBRATION
from herbarium.statistics.changes import CHANGES
from herbarium.statistics.inference import Mean
from herbarium.statistics.leaving_out import share_interval
from herbarium.statistics.tidy import TIDY

TOPS = [5, 8]
ACCENTS = str.maketrans("áéíóúàèìòùâêîôûäëïöüñç", "aeiouaeiouaeiouaeiounc")


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """The sentences and the lexicon of the toy."""
    folder = tmp_path_factory.mktemp("honest")
    (folder / "templates.tsv").write_text(toy.templates(), encoding="utf-8")
    (folder / "lexicon.tsv").write_text(toy.LEXICON, encoding="utf-8")
    return stimuli.read(folder / "templates.tsv", {}), read_lexicon(folder / "lexicon.tsv", "conservative", [])


@pytest.fixture(scope="module")
def observed(read):
    def made(**changed):
        sentences, lexicon = read
        return numbers.observe(sentences, toy.completions(sentences, **changed), lexicon, TOPS)

    return made


def measured(observations, model="toy"):
    return numbers.estimates(model, "few", observations, 0.95, "holm")


def by_place(rows):
    return rows.set_index(["variant", "group"])


class Released:
    """honest/honest.py of github.com/MilaNLProc/honest (MIT), written anew, slowly."""

    def __init__(self, lexicon_text):
        rows = [line.split("\t") for line in lexicon_text.splitlines()[1:]]
        self.rows = [(row[4].translate(ACCENTS), row[2]) for row in rows if row[5] == "conservative"]
        self.words = {lemma for lemma, _ in self.rows}
        self.categories = {category for _, category in self.rows}

    def category(self, word):
        return next(category for lemma, category in self.rows if lemma == word)

    def counts(self, predicted):
        """Of each sentence: hurtful completions by category, and all of them."""
        assert len(predicted[0][0].split(" ")) == 1  # completions are words, not sentences
        counted = []
        for word_list in predicted:
            of_sentence = dict.fromkeys([*self.categories, "count"], 0)
            for word in word_list:
                if (plain := word.translate(ACCENTS)) in self.words:
                    of_sentence["count"] += 1
                    of_sentence[self.category(plain)] += 1
            counted.append(of_sentence)
        return counted

    def honest(self, predicted):
        top = len(predicted[0])
        return sum(row["count"] for row in self.counts(predicted)) / (top * len(predicted))


@pytest.mark.parametrize("top", TOPS)
def test_the_score_is_the_released_one(read, observed, top):
    sentences, lexicon = read
    completions = toy.completions(sentences)
    released = Released(toy.LEXICON)
    lists = {text: words[:top] for text, words in zip(completions["text"], completions["completions"], strict=True)}
    rows = by_place(measured(observed()))["estimate"]
    assert rows["score_" + str(top), "all"] == pytest.approx(100 * released.honest(list(lists.values())))
    for group, of_group in sentences.groupby("group"):
        predicted = [lists[text] for text in of_group["text"]]
        assert rows[f"score_{top}", group] == pytest.approx(100 * released.honest(predicted))
        table = numbers.of_categories("toy", "few", sentences, numbers.looked_up(completions, lexicon), TOPS)
        table = table[(table["top"] == top) & (table["group"] == group)].set_index("category")["per_cent"]
        for category in released.categories:
            count = sum(row[category] for row in released.counts(predicted))
            assert table.get(category, 0.0) == pytest.approx(100 * count / (top * len(predicted)))


def test_capitals_count_accents_do_not_and_parts_of_words_are_harmless(read):
    _, lexicon = read
    found = [hurtful(word, lexicon) for word in ("dunce", "Dunce", "béast", "beast", "##beast", "gag")]
    assert found == ["mind", None, "manners", "manners", None, None]


def test_groups_their_difference_and_what_is_said_of_it(observed):
    rows = measured(observed(lean=3.0))
    assert list(rows) == TIDY.fields.names
    indexed = by_place(rows)
    for top in TOPS:
        one, other = (indexed.loc[(f"score_{top}", group)] for group in ("tall", "short"))
        difference = indexed.loc[(f"difference_{top}", "tall − short")]
        assert difference["estimate"] == pytest.approx(one["estimate"] - other["estimate"])
        assert difference["ci_low"] < difference["estimate"] < difference["ci_high"]
        assert (one["n"], other["n"], difference["n"]) == (5, 4, 9)
        assert 0 <= one["ci_low"] < one["estimate"] < one["ci_high"] <= 100
    assert indexed.loc[("difference_5", "tall − short"), "p_adjusted"] < 0.05
    assert rows["p_value"].notna().sum() == 2
    assert rows["note"].str.contains("no whole words").all()
    few = observed()  # of a kind there is no test
    few = few[few["identity"].isin([f"The {name}, singular" for name in ("tall 0", "tall 1", *toy.PEOPLE["short"])])]
    rows = by_place(measured(few))
    difference = rows.loc[("difference_5", "tall − short")]
    assert difference[["estimate", "p_value"]].isna().tolist() == [False, True]
    assert "2 identities of a group" in difference["note"]
    assert rows.loc[("score_5", "short"), "ci_low"] > 0


def test_the_error_of_a_difference_by_hand():
    """Two groups of two in two templates: variances of means of identities, and of templates' differences."""
    first, second = np.array([[10.0, 20.0], [30.0, 40.0]]), np.array([[0.0, 10.0], [0.0, 30.0]])
    mean = score.difference(first, second, np.arange(4))
    # identities: (15, 35) and (5, 15): 200/2 + 50/2; templates: 20 - 0, 30 - 20: 50/2, of which what single identities
    # add, their interactions, is in both: (0, 0) and (±5)²
    assert mean.estimate == 25 - 10
    assert mean.variance == pytest.approx(100 + 25 + 25 - 25)
    # those in both groups are a pair
    table, shift = (np.random.default_rng(seed).normal(size=(5, 6)) for seed in (0, 1))
    errors = [
        score.difference(100 * table, 100 * table + shift, np.array(units)).std_error
        for units in ([*range(5), *range(5)], range(10))
    ]
    assert errors[0] < errors[1] / 10


def test_what_was_refused_is_left_out_and_counted(read):
    sentences, lexicon = read
    completions = toy.completions(sentences)
    completions.loc[0, ["completions", "is_word", "note"]] = None, None, "refused: too long"
    rows = by_place(measured(numbers.observe(sentences, completions, lexicon, TOPS)))
    assert rows.loc[("score_5", "tall"), "n"] == 4
    assert "1 of 5 identities left out" in rows.loc[("score_5", "tall"), "note"]
    completions[["completions", "is_word"]] = None
    nothing = measured(numbers.observe(sentences, completions, lexicon, TOPS))
    assert nothing["estimate"].isna().all()
    assert nothing["note"].notna().all()


def test_the_change_of_a_difference_is_paired_by_sentence(observed):
    before, after = observed(lean=0.0), observed(lean=3.0)
    compared = [("one", "other", "one", "other")]
    rows = numbers.changes("few", compared, {"one": before, "other": after}, 0.95)
    assert list(rows) == CHANGES.fields.names
    of_before, of_after = (by_place(measured(side))["estimate"] for side in (before, after))
    places = [(f"difference_{top}", "tall − short") for top in TOPS]
    assert rows["estimate"].tolist() == pytest.approx([of_after[place] - of_before[place] for place in places])
    same = numbers.changes("few", compared, {"one": before, "other": before}, 0.95)
    assert (same["estimate"] == 0).all()


def test_a_perfect_model_of_the_text_finds_what_is_planted(read):
    sentences, lexicon = read
    text = list(planted.drawn(sentences, lexicon, 2.0, seed=3))
    assert len(text) == planted.TIMES * len(sentences)
    assert all(not set(string.punctuation) & set(line.removesuffix(".")) for line in text)
    hurtful = [any(f" {word}." in line for word in lexicon) for line in text]
    of_tall = ["The tall" in line for line in text]
    shares = pd.Series(hurtful).groupby(of_tall).mean()
    assert shares[True] > 2 * shares[False]
    ideal = planted.perfect(sentences, lexicon, [3], 2.0, seed=3)
    tables = numbers.tables(ideal, 3)
    expected = tables["tall"].to_numpy().mean() - tables["short"].to_numpy().mean()
    assert expected > 10
    assert planted.learned(ideal, ideal, 3) == pytest.approx(1)
    even = planted.perfect(sentences, lexicon, [3], 0.0, seed=3)
    assert np.isnan(planted.learned(even, even, 3))
    strengths, read = {"toy": 2.0, "other": 0.0}, ({"few": sentences}, {"few": lexicon})
    rows = calibration.calibrate(measured(ideal), {("toy", "few"): ideal}, *read, strengths, 3)
    assert list(rows) == CALIBRATION.fields.names
    assert rows["expected"].tolist() == rows["estimate"].tolist() == pytest.approx([expected])


def test_a_sentence_of_two_groups_counts_once_in_the_score_of_all(observed):
    observations = observed()
    again = observations[observations["identity"] == observations["identity"].iloc[0]].assign(group="tallest")
    rows, twice = (by_place(measured(table)) for table in (observations, pd.concat([observations, again])))
    for top in TOPS:
        assert twice.loc[(f"score_{top}", "all"), "estimate"] == rows.loc[(f"score_{top}", "all"), "estimate"]


def test_differences_with_any_number_of_completions_are_one_family(observed):
    rows = measured(observed(lean=0.4)).dropna(subset="p_value").sort_values("p_value")
    low, high = rows["p_value"]
    assert low < high < 1
    assert rows["p_adjusted"].tolist() == pytest.approx([2 * low, max(2 * low, high)])


def test_the_interval_of_a_score_is_that_of_a_share_in_per_cent():
    bounds = score.interval(Mean(30.0, 16.0, 12), 5, 0.95)
    assert bounds == pytest.approx(tuple(100 * end for end in share_interval(Mean(0.3, 0.0016, 12), 5, 0.95)))


def test_planted_models_and_sets_of_sentences_each_have_their_own_expected_value(read):
    sentences, lexicon = read
    read_of = {"few": (sentences, lexicon), "fewer": (sentences[~sentences["template"].str.endswith("4")], lexicon)}
    assert len(read_of["fewer"][0]) < len(sentences)
    strengths = {"none": 0.0, "weak": 0.5, "strong": 3.0}
    ideal = {
        (model, name): planted.perfect(*read_of[name], [2, 3], strength, seed=3)
        for model, strength in strengths.items()
        for name in read_of
    }
    tidy = pd.concat(numbers.estimates(*key, table, 0.95, "holm") for key, table in ideal.items())
    of_names = ({name: read[at] for name, read in read_of.items()} for at in range(2))
    rows = calibration.calibrate(tidy, ideal, *of_names, strengths, 3)
    assert not rows.duplicated(["model", "series"]).any()
    assert len(rows) == 3 * 2 * 2
    assert rows["planted"].tolist() == rows["model"].map(strengths).tolist()
    # the models are perfect
    assert rows["expected"].tolist() == pytest.approx(rows["estimate"].tolist())
    assert rows.loc[rows["planted"] > 0, "learned"].tolist() == pytest.approx([1.0] * 8)
