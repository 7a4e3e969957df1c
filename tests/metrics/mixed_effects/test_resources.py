"""Lists and published figures of the mixed-effects metric: by hand, against the authors' lists and their paper."""

import itertools
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.metrics.papers import numbers, printed

from herbarium.core import resources
from herbarium.core.resources import read_table

FOLDER = Path("resources/mixed_effects")
STIMULI = ["traits", "professions", "nouns"]
GENDERED = {"subject", "object", "possessor", "possessive"}
CHARACTER = ["empathy", "order", "resourceful", "serenity"]
PERSONALITY = ["extroversion", "agreeableness", "conscientiousness", "emotional_stability", "openness"]
DIMENSIONS = CHARACTER + PERSONALITY
MITIGATED = "tuned on exchanged gendered words"
MASKED = [
    *("bert-base-uncased", "roberta-base", "albert-base-v2", "distilbert-base-uncased"),
    *("bert-large-uncased", "roberta-large", "albert-large-v2"),
]

# The pronounced article of every target that begins with a vowel letter, an h or a spelled letter; any other takes "a".
AN = """
affable empathetic understanding abstinent austere earnest obedient ordered independent intelligent active adventurous
assertive energetic extroverted agreeable unselfish organized at_ease unemotional analytical imaginative
uncharitable unfeeling unconcerned inconsiderate unfriendly ungracious insensitive unsympathetic indulgent indecent
unmotivated undisciplined unscrupulous untidy unsure intermittent aimless unresourceful unenthusiastic impatient
unforgiving agitated inactive unadventurous unassertive unenergetic introverted uncooperative unkind impractical
irresponsible extravagant angry envious unstable emotional unanalytical uncreative uninquisitive unimaginative
unintelligent unreflective unsophisticated
electrical_installer operating_engineer electrician electrical_assembler insurance_sales_agent insurance_underwriter
order_clerk
accountant administrator advisee advisor analyst appraiser architect assistant attendant auditor editor educator
employee engineer examiner inspector instructor investigator officer onlooker owner undergraduate
"""
A = """
hardworking health_aide heating_mechanic healthcare_practitioner hairdresser housekeeper homeowner hygienist CEO
"""
ARTICLES = {word.replace("_", " "): a for a, words in (("an", AN), ("a", A)) for word in words.split()}


def table(stimuli, name):
    return read_table(FOLDER / stimuli / f"{name}.csv", ["target"] if name == "targets" else [])


@pytest.mark.parametrize("name", STIMULI)
def test_templates_ask_for_a_gendered_slot_and_name_the_target(name):
    templates = table(name, "templates")
    assert templates["key"].is_unique
    assert not templates.duplicated(["text", "asked"]).any()
    for template in templates.itertuples():
        slots = resources.slots(template.text)
        assert len(slots) == len(set(slots))
        assert set(slots) <= GENDERED | {"determiner", "a", "the", "target"}
        assert {template.asked, "target"} <= set(slots)
        assert template.text == template.text.lower()
        assert template.text.endswith(".")
        assert template.text == " ".join(template.text.split())


def test_templates_of_traits():
    templates = table("traits", "templates").set_index("key")
    assert templates["kind"].tolist() == ["indirect"] * 2 + ["direct"] * 4
    assert (templates["text"].str.contains("personality") == (templates["kind"] == "direct")).all()
    assert templates["asked"].tolist() == ["subject"] * 4 + ["object", "possessor"]


def test_pronouns():
    english = {"female": ("she", "her", "her", "her"), "male": ("he", "him", "his", "his")}
    for name in STIMULI:
        pronouns = table(name, "pronouns")
        forms = pronouns[["subject", "object", "possessor", "possessive"]].apply(tuple, axis=1)
        for gender, of_gender in english.items():
            assert forms[pronouns["gender"] == gender].tolist() == [of_gender]
        assert (pronouns["gender"] == "neo").sum() == len(pronouns) - 2 == (5 if name == "traits" else 0)
        assert pronouns["subject"].is_unique
    released = table("traits", "pronouns").set_index("subject")["released_possessor"]
    assert released[released != ""].to_dict() == {word: f"{word}'s" for word in ("ey", "ze", "xe", "vi", "ae")}


def test_common_pairs_are_seven_of_the_94():
    pairs = table("traits", "pairs")
    assert len(pairs) == 94
    common = "daughter-son girl-boy woman-man mother-father sister-brother she-he female-male"
    of_common = pairs[pairs["common"] == "yes"]
    assert sorted(of_common["female"] + "-" + of_common["male"]) == sorted(common.split())
    assert set(pairs["common"]) == {"", "yes"}


def test_words_with_a_determiner_of_their_own():
    pairs = table("professions", "pairs")
    subjects = set(table("professions", "pronouns")["subject"])
    for pair in pairs.itertuples():
        assert ({pair.female, pair.male} <= subjects) == (pair.determiner == "")
    assert pairs["determiner"].value_counts().to_dict() == {"my": 7, "this": 1, "": 1}
    assert table("nouns", "pairs").apply(tuple, axis=1).tolist() == [("she", "he")]


def test_sizes():
    targets = {name: table(name, "targets") for name in STIMULI}
    assert targets["professions"]["dimension"].value_counts().to_dict() == {"female": 20, "male": 20, "balanced": 20}
    assert len(targets["nouns"]) == 104
    assert set(targets["nouns"]["dimension"]) == {"nouns"}
    assert all(targets[name]["target"].is_unique for name in ("professions", "nouns"))
    assert [len(table(name, "templates")) for name in STIMULI] == [6, 5, 8]
    for name, rows in targets.items():
        assert set(rows["polarity"]) == ({"positive", "negative"} if name == "traits" else {"positive"})
        assert (rows["target"] == rows["target"].str.strip()).all()


def test_traits_of_the_testbed_are_the_positive_ones():
    targets = table("traits", "targets")
    for path in Path("resources/traits").rglob("*.txt"):
        rows = targets[(targets["dimension"] == path.stem) & (targets["polarity"] == "positive")]
        assert rows["target"].tolist() == resources.read_words(path)
        assert set(rows["family"]) == {path.parent.name}


def test_articles():
    targets = {word for name in STIMULI for word in table(name, "targets")["target"]}
    assert set(ARTICLES) == {word for word in targets if word[0] in "aeiouh" or word[:2].isupper()}
    nouns = table("nouns", "targets").set_index("target")
    for word, row in nouns.drop("someone").iterrows():
        assert (row["the"], row["a"]) == ("the", ARTICLES.get(word, "a"))
    assert nouns.loc["someone", ["the", "a"]].tolist() == ["", ""]
    released = {}
    for name in ("traits", "professions"):
        rows = table(name, "targets").set_index("target")
        released[name] = rows.loc[rows["released_a"] != "", "released_a"].to_dict()
        assert all(a != ARTICLES.get(word, "a") for word, a in released[name].items())
    assert released["traits"] == {"obedient": "a", "aimless": "a"}
    assert set(released["professions"]) == {
        word for word in table("professions", "targets")["target"] if ARTICLES.get(word) == "an"
    }


def lines(path):
    return path.read_text(encoding="utf-8").split("\n")


def test_pairs_and_neo_pronouns_are_the_released_ones(shared):
    pairs, pronouns = table("traits", "pairs"), table("traits", "pronouns")
    for gender in ("female", "male"):
        assert pairs[gender].tolist() == lines(shared / f"data/traits/attributes/{gender}s.txt")
    neo = pronouns.loc[pronouns["gender"] == "neo", "subject"].tolist()
    assert neo == lines(shared / "data/traits/attributes/neo.txt")


@pytest.mark.parametrize("polarity", ["positive", "negative"])
@pytest.mark.parametrize(("family", "dimensions"), [("character", CHARACTER), ("personality", PERSONALITY)])
def test_traits_are_the_released_ones(shared, polarity, family, dimensions):
    targets = table("traits", "targets").replace({"target": {"extroverted": "extraverted"}})  # as the paper spells it
    for number, dimension in enumerate(dimensions, start=1):
        released = lines(shared / f"data/traits/{family}_traits/{polarity}/factor{number}.txt")
        rows = targets[(targets["dimension"] == dimension) & (targets["polarity"] == polarity)]
        assert Counter(rows["target"]) == Counter(released)


def test_templates_of_traits_are_the_released_ones(shared):
    templates, text = table("traits", "templates"), table("traits", "templates")["text"]
    people = {f"[determiner] [{slot}]": "[DETERMINER][AAA]" for slot in ("subject", "object")}
    people |= {"[determiner] [possessor]": "[DETERMINER][AAA]'s"}
    for ours, theirs in (people | {"[a]": "[ARTICLE]", "[possessive]": "[PRONOUN]", "[target]": "[TTT]"}).items():
        text = text.str.replace(ours, theirs, regex=False)
    templates = templates.assign(text=text)
    assert templates["text"].tolist() == lines(shared / "data/traits/templates.txt")
    negative = templates.loc[templates["negative"] == "yes", "text"]
    assert negative.tolist() == lines(shared / "data/traits/templates_negative_traits.txt")


@pytest.fixture(scope="module")
def paper(shared):
    return lines(shared / "papers/shrestha_2025_robust_bias.txt")


def test_pairs_are_those_of_table_8(paper):
    female, male = (line.split(" ", 1)[1].split(", ") for line in printed(paper, 8)[1:])
    pairs = table("traits", "pairs")
    assert Counter(zip(female, male, strict=True)) == Counter(zip(pairs["female"], pairs["male"], strict=True))


def test_traits_are_those_of_tables_9_to_12(paper):
    targets = table("traits", "targets")
    places = itertools.product(("positive", "negative"), ("character", "personality"))
    for number, (polarity, family) in enumerate(places, 9):
        rows = targets[(targets["family"] == family) & (targets["polarity"] == polarity)]
        ours = rows.groupby("dimension", sort=False)["target"].agg(", ".join)
        expected = [f"{dimension.replace('_', ' ')} {words}" for dimension, words in ours.items()]
        assert printed(paper, number)[1:] == expected


@pytest.fixture(scope="module")
def published():
    return read_table("resources/mixed_effects/published.csv", ["table", "value"])


def bias(published, number, **where):
    """Bias scores of a table as printed, by model, dimension and contrast."""
    rows = published[(published["table"] == str(number)) & (published["measure"] == "bias")]
    for column, value in where.items():
        rows = rows[rows[column] == value]
    return rows.set_index(["model", "dimension", "contrast"])["value"]


def test_every_number_is_there_once(published):
    assert not published.duplicated([*published.columns[: published.columns.get_loc("value")]]).any()
    assert published["value"].astype(float).notna().all()
    assert set(published["contrast"]) == {"male-female", "male-neo", "female-neo"}
    for name in STIMULI:
        dimensions = set(table(name, "targets")["dimension"])
        families = {"character", "personality", "traits"} if name == "traits" else set()
        assert set(published.loc[published["data"] == name, "dimension"]) == dimensions | families


def test_rows_and_columns_are_in_printed_order(published):
    contrasts = ["male-female", "male-neo", "female-neo"]
    grids = {
        "3": (["dimension", "model"], itertools.product(DIMENSIONS, MASKED)),
        "4": (["dimension", "model", "contrast"], itertools.product(DIMENSIONS, MASKED, contrasts)),
        "5": (["dimension", "subset"], itertools.product(DIMENSIONS, ["shared", "with_negative"])),
        "6": (["dimension", "subset"], itertools.product(DIMENSIONS, ["all", "common"])),
        "7": (["dimension", "subset"], itertools.product(DIMENSIONS, ["indirect", "direct", "all"])),
        "14": (["dimension", "contrast"], itertools.product(DIMENSIONS, contrasts)),
        "16": (["dimension", "treatment"], itertools.product(DIMENSIONS, ["", MITIGATED])),
    }
    for number, (columns, grid) in grids.items():
        rows = published[(published["table"] == number) & (published["measure"] == "bias")]
        assert rows[columns].apply(tuple, axis=1).tolist() == list(grid)
    for number, model in {"5": "roberta-large", "6": "bert-large-uncased", "7": "bert-large-uncased"}.items():
        assert set(published.loc[published["table"] == number, "model"]) == {model}
    sentences = published[(published["table"] == "13") & published["subset"].str.startswith("t")]
    assert sentences[["dimension", "subset", "measure"]].apply(tuple, axis=1).tolist() == list(
        itertools.product(DIMENSIONS, [f"t{n}" for n in range(1, 7)], ["sentences_mean", "sentences_sd"])
    )


def test_scores_that_stand_in_several_tables_agree_but_for_the_doubted_one(published):
    of_3, of_4 = bias(published, 3), bias(published, 4, contrast="male-female")
    assert of_3.index.equals(of_4.index)
    assert of_4[of_4 != of_3].to_dict() == {("bert-base-uncased", "empathy", "male-female"): "0.36"}
    assert of_3["bert-base-uncased", "empathy", "male-female"] == "-0.36"
    for number, model in ((6, "bert-large-uncased"), (7, "bert-large-uncased"), (16, "roberta-large")):
        again = bias(published, number, subset="all", treatment="")
        assert again.to_dict() == of_3[[model]].to_dict()
    assert bias(published, "A.4", subset="all").to_dict().items() <= of_3.to_dict().items()
    doubted = published[published["doubt"].str.contains("Table 3 has|Tables 3 and 6 have")]
    assert doubted[["table", "value"]].apply(tuple, axis=1).tolist() == [("4", "0.36"), ("7", "5E-2")]


def test_differences_between_three_genders(published):
    gaps = {}
    for number in (4, 14):
        scores = bias(published, number).astype(float).unstack("contrast")
        gaps[number] = scores["male-female"] - (scores["male-neo"] - scores["female-neo"])
    assert gaps[14].abs().max() < 0.011  # rounding
    gap = gaps[4].round(2)
    doubted = ("bert-base-uncased", "empathy")
    assert gap[doubted] == 0.51
    assert gap.drop(doubted).abs().max() == 0.27
    assert abs(gap[doubted] - 2 * 0.36) <= 0.27  # with the sign of Table 3 it is like the others


def test_stars_agree_with_the_ranges_of_effect_sizes(published):
    stars = published[(published["table"] == "4") & (published["contrast"] == "male-female")]
    high = published[(published["table"] == "3") & (published["measure"] == "r2_high")]
    for row in high.itertuples():
        of_family = stars["dimension"].isin(CHARACTER if row.dimension == "character" else PERSONALITY)
        starred = stars[of_family & (stars["model"] == row.model)]["symbol"] == "*"
        assert starred.any() == (float(row.value) >= 0.09)
    assert set(published["symbol"]) == {"", "*"}


def test_sentences_are_two_a_pair_and_two_more_where_determiners_differ(published):
    rows = published[published["table"] == "13"].assign(value=lambda table: table["value"].astype(int))
    n_targets = rows[rows["measure"] == "targets"].set_index("dimension")["value"]
    positive = table("traits", "targets").query("polarity == 'positive'")["dimension"].value_counts()
    assert n_targets.to_dict() == positive.to_dict()
    sentences = rows.pivot(index=["dimension", "subset"], columns="measure", values="value").drop("all", level="subset")
    mean, sd = sentences["sentences_mean"], sentences["sentences_sd"]
    assert mean.sum() == 110_603
    targets = n_targets.reindex(mean.index, level="dimension")
    differing = (mean - 188 * targets) / (2 * 93 * targets)  # of the 93 pairs but she and he
    # t6 has the fewest everywhere, t2 the most; the paper's Section 2.1 and the caption give the ranges
    by_template = differing.unstack("subset")
    assert (by_template.idxmin(axis=1) == "t6").all()
    assert (by_template.idxmax(axis=1) == "t2").all()
    assert (differing.min().round(2), differing.max().round(2)) == (0.09, 0.34)
    assert ((sd / mean).min().round(3), (sd / mean).max().round(3)) == (0.035, 0.108)
    assert (mean[CHARACTER].min(), mean[CHARACTER].max()) == (1447, 4119)
    assert (mean[PERSONALITY].min(), mean[PERSONALITY].max()) == (1437, 1757)
    of_large = published[(published["table"] == "3.2.4") & (published["measure"] == "sentences")]
    assert (int(of_large["value"].item()) - 188 * 7 * 6) % 2 == 0


def test_what_the_text_says_of_the_tables(published):
    by_subset = published[(published["table"] == "7") & (published["measure"] == "bias")].pivot(
        index="dimension", columns="subset", values="value"
    )
    ratio = by_subset["indirect"].astype(float) / by_subset["all"].astype(float)
    assert (ratio.min().round(1), ratio.max().round(1)) == (1.6, 4.8)
    mitigation = published[published["table"] == "16"].pivot(index="dimension", columns="treatment", values="value")
    reduced = 1 - mitigation[MITIGATED].astype(float).abs() / mitigation[""].astype(float).abs()
    assert (reduced.min().round(2), int(100 * reduced.max())) == (0.56, 98)
    large = bias(published, 3)[["bert-large-uncased", "roberta-large", "albert-large-v2"]]
    large = large.astype(float).abs().sort_index()
    assert (large.drop(("albert-large-v2", "openness")).min(), large.max()) == (0.23, 1.08)


def test_values_are_those_of_the_paper(published, paper):
    for number in (2, 3, 4, 5, 6, 7, 13, 14, 16):
        rows = published[published["table"] == str(number)]
        assert (rows["value"] + rows["symbol"]).tolist() == list(numbers(paper, number)), number


def test_numbers_of_the_text(published, paper):
    text = " ".join(paper)
    of_figure = re.search(
        r"bias score \((\S+)\) and effect size \((\S+)\) for the full set .*? average bias score \((\S+)\) and effect "
        r"size \((\S+)\) for the first 4 pseudo-perplexity bins",
        text,
    )
    assert published.loc[published["table"] == "A.4", "value"].tolist() == list(of_figure.groups())
    sentences = re.search(r"Pseudo-perplexity of (\d+)% of our ([\d,]+) probe sentences are in \[0, 100\]", text)
    percent, n = sentences.groups()
    assert published.loc[published["table"] == "3.2.4", "value"].tolist() == [n.replace(",", ""), percent]
    effects = re.search(r"medium to large effect sizes \((\S+) to (\S+)\)", text)
    assert published.loc[published["table"] == "A.5.1", "value"].tolist() == [*effects.groups()] * 2
