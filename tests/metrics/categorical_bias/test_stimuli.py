"""The stimuli of Categorical Bias: its lists, its sentences, and log P' from scores."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.refusals import refused

import herbarium
from herbarium.metrics.categorical_bias import stimuli
from herbarium.models.kinds import Kind
from herbarium.training import planted

LISTS = Path("resources/categorical_bias")
LANGUAGES = sorted(folder.name for folder in LISTS.iterdir() if folder.is_dir())
VOWELS = "aeıioöuü"

TEMPLATES = "key,text\nare,People from [target] are [plural].\none,[Article] [singular] is from [target][suffix].\n"
TARGETS = "key,set,target,suffix\nPeru,base,Peru,'dan\nThe Gambia,additional,The Gambia,'den\n"
ATTRIBUTES = "key,set,article,singular,plural\nspy,base,a,spy,spies\nenemy,base,an,enemy,enemies\n"


@pytest.fixture
def write(tmp_path):
    """A folder with the lists above, some of them replaced."""

    def write(**replaced):
        texts = {"templates": TEMPLATES, "targets": TARGETS, "attributes": ATTRIBUTES, **replaced}
        for name, text in texts.items():
            (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def sentences(folder):
    return pd.concat(stimuli.instantiate("own", stimuli.read(folder)), ignore_index=True)


def filled(row, word):
    return row["text"][row[f"{word}_start"] : row[f"{word}_end"]]


def test_sentences_of_the_paper_ask_the_same_text_for_target_and_prior(write):
    rows = sentences(write())
    by_quantity = {
        quantity: part.set_index(["template", "attribute", "target"]) for quantity, part in rows.groupby("quantity")
    }
    assert by_quantity["slot"]["text"].equals(by_quantity["slot_prior"]["text"])
    assert len(by_quantity["slot"]) == 2 * 2 * 2
    assert by_quantity["slot"].loc[("are", "enemy", "The Gambia"), "text"] == "People from The Gambia are enemies."
    row = by_quantity["slot"].loc[("one", "enemy", "Peru")]
    assert row["text"] == "An enemy is from Peru'dan."
    # what agrees is no part of the word
    assert (filled(row, "target"), filled(row, "attribute")) == ("Peru", "enemy")


def test_released_sentences_part_words_from_what_is_attached(write):
    rows = sentences(write()).set_index(["quantity", "template", "attribute", "target"])
    assert rows.loc[("slot_released", "one", "enemy", "Peru"), "text"] == "An enemy is from Peru 'dan."
    assert rows.loc[("slot_released", "are", "enemy", "Peru"), "text"] == "People from Peru are enemies."
    # the prior has the masks of the singular
    row = rows.loc[("slot_prior_released", "are", "enemy", "Peru")]
    assert row["text"] == "People from Peru are enemy ."
    assert (filled(row, "target"), filled(row, "attribute")) == ("Peru", "enemy")


def test_an_identifier_is_of_the_text_and_of_what_is_asked_in_it(write):
    rows = sentences(write())
    spans = ["text", *(f"{word}_{end}" for word in stimuli.SLOTS for end in ("start", "end"))]
    assert rows.groupby("sentence_id")[spans].nunique().eq(1).all(axis=None)
    assert rows.groupby(spans)["sentence_id"].nunique().eq(1).all()


@pytest.mark.parametrize(
    ("replaced", "fault"),
    [
        (
            {"templates": "key,text\nx,People are [plural].\n"},
            ("templates.csv, row 1", "'People are [plural].'", "[target]"),
        ),
        (
            {"templates": "key,text\nx,[target] is [singular] or [plural].\n"},
            ("templates.csv, row 1", "[singular] or [plural]"),
        ),
        (
            {"templates": "key,text\nx,[target] is [artcle] [singular].\n"},
            ("templates.csv, row 1", "[artcle]", "article, plural"),
        ),
        ({"targets": "key,set,target,suffix\nPeru,base,Peru,\n"}, ("targets.csv, row 1", "''", "'suffix'")),
        ({"targets": "key,set,target,suffix\nPeru,base,Peru ,x\n"}, ("targets.csv, row 1", "'Peru '", "'target'")),
        ({"targets": "key,set,target,suffix\nPeru,basic,Peru,x\n"}, ("targets.csv, row 1", "'basic'", "base")),
        (
            {"targets": "key,set,target,suffix\nPeru,base,P,x\nPeru,base,Q,x\n"},
            ("targets.csv, row 2", "'Peru'", "row 1"),
        ),
        ({"targets": "key,set,suffix\nPeru,base,x\n"}, ("targets.csv", "'target'")),
        (
            {"targets": "key,set,target,suffix,article\nPeru,base,Peru,x,a\n"},
            ("templates.csv, row 2", "both tables", "[Article]"),
        ),
        (
            {"attributes": "key,set,article,singular\nspy,base,a,spy\n"},
            ("templates.csv, row 1", "no table", "[plural]"),
        ),
        ({"attributes": "key,set,article,singular,plural\n"}, ("attributes.csv", "no rows")),
    ],
)
def test_what_is_wrong_with_a_list_is_said(write, replaced, fault):
    with refused(*fault):
        stimuli.read(write(**replaced))


def test_a_missing_table_is_named(write):
    folder = write()
    (folder / "targets.csv").unlink()
    with refused("targets.csv"):
        stimuli.read(folder)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["grammatical", "published"])
def test_lists_are_as_long_as_the_paper_says(language, name):
    lists = stimuli.read(LISTS / language / name)
    assert len(lists.templates) == (5 if language == "chinese" else 10)
    assert lists.targets["set"].value_counts()["base"] == 30
    assert lists.attributes["set"].value_counts()["base"] == 70
    if name == "grammatical":
        assert (len(lists.targets), len(lists.attributes)) == (35, 75)
        assert not lists.attributes["singular"].duplicated().any()
        assert not lists.targets["target"].duplicated().any()


def test_languages_share_their_keys():
    english = stimuli.read(LISTS / "english" / "grammatical")
    for language in LANGUAGES:
        lists = stimuli.read(LISTS / language / "grammatical")
        for table in ("targets", "attributes"):
            assert getattr(lists, table)["key"].tolist() == getattr(english, table)["key"].tolist()
        meanings = [meaning for key in lists.templates["key"] for meaning in key.split()]
        assert sorted(meanings) == sorted(english.templates["key"])


def test_published_lists_are_those_of_the_released_code(shared):
    import json

    codes = {"english": "en", "german": "de", "spanish": "es", "korean": "ko", "turkish": "tr", "chinese": "zh"}
    folder = shared / "data/ethnic_bias"
    targets = json.loads((folder / "targets.json").read_text())
    for language, code in {**codes, "arabic": "ar", "greek": "el"}.items():
        lists = stimuli.read(LISTS / language / "published")
        slots = {"[TTT]": "[target]", "[AAAs]": "[plural]", "[AAA]": "[singular]"}
        for row, text in zip(
            lists.templates.itertuples(), (folder / f"templates_{code}.txt").read_text().splitlines(), strict=True
        ):
            for old, new in slots.items():
                text = text.replace(old, new)
            assert row.text == text
        assert lists.targets["target"].tolist() == targets[code]["targets"]
        attributes = (folder / f"occ_{code}.txt").read_text().splitlines()
        assert lists.attributes.loc[lists.attributes["set"] == "base", "singular"].tolist() == attributes


def test_english_articles_agree():
    rows = stimuli.read(LISTS / "english" / "grammatical").attributes
    assert set(rows.loc[rows["article"] == "an", "singular"].str[0]) <= set("aei")
    assert not set(rows.loc[rows["article"] == "a", "singular"].str[0]) & set("aeiou")


def test_korean_particles_follow_the_last_sound():
    rows = stimuli.read(LISTS / "korean" / "grammatical").attributes
    ends_in_consonant = [(ord(word[-1]) - ord("가")) % 28 > 0 for word in rows["singular"]]
    assert (rows["topic"] == np.where(ends_in_consonant, "은", "는")).all()


def turkish_suffix(word, vowels):
    """A suffix that begins with d: t after a voiceless consonant, its vowel by the word's last."""
    last = [letter for letter in word.lower().replace("i̇", "i") if letter in VOWELS][-1]
    return ("t" if word[-1] in "fstkçşhp" else "d") + vowels[last]


def test_turkish_suffixes_follow_vowel_harmony():
    lists = stimuli.read(LISTS / "turkish" / "grammatical")
    twofold = {vowel: "a" if vowel in "aıou" else "e" for vowel in VOWELS}
    fourfold = {"a": "ı", "ı": "ı", "e": "i", "i": "i", "o": "u", "u": "u", "ö": "ü", "ü": "ü"}
    # names and words in capitals aside, whose İ and I lower() would mix up
    targets = lists.targets
    assert (targets["ablative"] == [turkish_suffix(name, twofold) + "n" for name in targets["target"]]).all()
    assert (targets["ablativecopula"] == [turkish_suffix(f"x{a}", fourfold) + "r" for a in targets["ablative"]]).all()
    rows = lists.attributes[lists.attributes["key"] != "hacker"]  # as it is spoken
    assert (rows["copula"] == [turkish_suffix(word, fourfold) + "r" for word in rows["singular"]]).all()
    assert (rows["copulaplural"] == [turkish_suffix(word, fourfold) + "r" for word in rows["plural"]]).all()


def test_the_mismatched_target_is_kept_as_published_and_corrected_in_ours():
    targets_by_list = {
        name: stimuli.read(LISTS / "korean" / name).targets.set_index("key")["target"]
        for name in ("published", "grammatical")
    }
    assert targets_by_list["published"]["Somalia"] == "캄보디아"
    assert targets_by_list["grammatical"]["Somalia"] == "소말리아"


@pytest.mark.slow
def test_log_p_as_released_is_what_the_authors_code_computes(shared, tmp_path):
    golden = pd.read_csv(shared / "golden/bert_random/cb_released.csv")
    lists = stimuli.read(LISTS / "english" / "published")
    attributes = lists.attributes[lists.attributes["singular"].isin(golden["attribute"])]
    names = golden["target"].unique()
    targets = pd.DataFrame({"key": names, "set": "base", "target": names})
    rows = pd.concat(
        stimuli.instantiate("published", stimuli.Lists(lists.templates, targets, attributes)), ignore_index=True
    )
    rows = rows[rows["quantity"].isin(stimuli.QUANTITIES[Kind.masked])]
    scores = []
    for quantity, of_quantity in rows.groupby("quantity"):
        spans = {
            role: list(zip(of_quantity[f"{slot}_start"], of_quantity[f"{slot}_end"], strict=True))
            for slot, role in stimuli.ROLES.items()
        }
        value = herbarium.score(of_quantity["text"], shared / "golden/bert_random/model", quantity, spans=spans)
        part = of_quantity[["sentence_id", "quantity"]].assign(value=value.to_numpy(), n_tokens=1, note=None)
        scores.append(part)
    table = stimuli.associate("tiny", "english", rows, pd.concat(scores))
    texts = dict(zip(lists.templates["key"], lists.templates["text"], strict=True))
    table["template"] = table["template"].map(texts).replace(r"\[target\]", "[TTT]", regex=True)
    table["template"] = table["template"].str.replace("[plural]", "[AAAs]").str.replace("[singular]", "[AAA]")
    keys = ["template", "attribute", "target"]
    both = table.merge(golden, on=keys, validate="m:1")
    assert len(both) == 2 * len(golden)
    released = both[both["definition"] == "released"]
    np.testing.assert_allclose(released["log_p"], released["log_p_norm"], rtol=0, atol=1e-4)
    # where target and attribute have one token in the singular and, if shown, in the plural, the definitions agree
    paper = both[both["definition"] == "paper"]
    singular = paper["template"].str.contains("[AAA]", regex=False)
    agree = (paper["target_tokens"] == 1) & (paper["attribute_tokens"] == 1) & singular
    assert agree.sum() > 100
    np.testing.assert_allclose(paper.loc[agree, "log_p"], paper.loc[agree, "log_p_norm"], rtol=0, atol=1e-5)


@pytest.mark.slow
def test_few_inputs_serve_all_targets_and_attributes(shared):
    """English as published, 30 targets of one token: 745 inputs for 21,000 sentences, each with its prior."""
    import pyarrow as pa
    from transformers import AutoTokenizer

    from herbarium.scoring.planning import Planner

    lists = stimuli.read(LISTS / "english" / "published")
    base = {table: rows[rows["set"] == "base"] for table, rows in vars(lists).items() if "set" in rows}
    rows = pd.concat(stimuli.instantiate("published", stimuli.Lists(lists.templates, **base)))
    table = pa.Table.from_pandas(rows, schema=stimuli.STIMULI.fields, preserve_index=False)
    tokenizer = AutoTokenizer.from_pretrained(shared / "golden/bert_random/model")
    planner = Planner(tokenizer, max_tokens=512, lowercase=False)
    for definition, most in (("paper", 900), ("released", 10)):  # released asks what paper has, but for a few priors
        asked = {"quantities": stimuli.DEFINITIONS[definition], "slots": stimuli.SLOTS, "roles": stimuli.ROLES}
        of_definition = table.filter(pa.compute.is_in(table["quantity"], pa.array(asked["quantities"])))
        plan = planner.add_stimuli(of_definition, asked)
        assert (plan.sentences["n_tokens"].to_numpy() == 1).all()
        assert len(plan.inputs) <= most
        assert len(plan.requests) == 2 * 10 * 70 * 30


@pytest.mark.parametrize("lowercase", [False, True])
def test_the_sub_tokens_of_each_form_of_an_attribute(write, lowercase):
    templates = (
        "key,text\nare,[Plural] are from [target].\nthese,These are [plural] from [target].\none,[target] [singular].\n"
    )
    folder = write(templates=templates, attributes=ATTRIBUTES.replace("base,an,enemy,", "base,an,taxi spy,"))
    rows = sentences(folder)
    texts = rows["text"].str.lower() if lowercase else rows["text"]
    tokenizer = planted.word_tokenizer(texts.tolist())
    cut = stimuli.cut("tiny", "english", rows, {"own": stimuli.read(folder)}, tokenizer, lowercase)
    assert cut.columns.tolist() == stimuli.ATTRIBUTE_TOKENS.fields.names
    words = cut.assign(word=tokenizer.convert_ids_to_tokens(cut["token"].tolist()))
    words_by_form = words.groupby(["attribute", "form"])["word"].agg(set).to_dict()
    capitals = (lambda word: {word}) if lowercase else (lambda word: {word, word.capitalize()})
    assert words_by_form == {
        ("spy", "singular"): {"spy"},
        ("spy", "plural"): capitals("spies"),  # in one template a sentence begins with it
        ("enemy", "singular"): {"taxi", "spy"},
        ("enemy", "plural"): capitals("enemies"),
    }


CAUSAL_LISTS = stimuli.Lists(
    pd.DataFrame(
        {"key": ["are", "ones"], "text": ["[target] has [plural].", "[Article] [singular] is from [target]."]}
    ),
    pd.DataFrame({"key": ["Peru", "Mali"], "set": "base", "target": ["Peru", "New Mali"]}),
    pd.DataFrame(
        {
            "key": ["spy", "vet", "ant"],
            "set": "base",
            "article": ["a", "a", "an"],
            "singular": ["spy", "bus vet", "ant"],
            "plural": ["spies", "vets", "ants"],
        }
    ),
)


def of_likelihoods(rows, values):
    """The table "associations" of a causal model. values: (template, attribute, target) -> log-likelihood; a sentence
    has as many tokens as it has words."""
    rows = rows[rows["quantity"].isin(stimuli.QUANTITIES["causal"])]
    scores = rows[["sentence_id", "quantity"]].assign(note=None)
    keys = zip(rows["template"], rows["attribute"], rows["target"], strict=True)
    scores["value"] = [values.get(key, np.nan) for key in keys]
    asked = [filled(row, "target") if row["quantity"] == "ll_asked" else row["text"] for row in rows.to_dict("records")]
    scores["n_tokens"] = [len(text.split()) for text in asked]
    table = stimuli.associate("tiny", "english", rows, scores)
    assert set(table["definition"]) == {"whole"}
    return table.set_index(["template", "attribute", "target"])


def test_log_p_of_a_causal_model_by_hand():
    """P(Peru) is 3/4 with spies, 1/2 with vets, 1/4 with ants: 1/2 on average, whatever the sentences' likelihoods."""
    rows = pd.concat(stimuli.instantiate("own", CAUSAL_LISTS), ignore_index=True)
    odds = {"spy": (3, 1), "vet": (70, 70), "ant": (0.1, 0.3)}
    likelihoods = {
        (template, attribute, target): np.log(p)
        for template in ("are", "ones")
        for attribute, of_targets in odds.items()
        for target, p in zip(("Peru", "Mali"), of_targets, strict=True)
    }
    table = of_likelihoods(rows, likelihoods)
    np.testing.assert_allclose(table["log_prior"], np.log(1 / 2))
    log_p = table.loc["ones", "log_p"].unstack()[["Peru", "Mali"]]
    wanted = {"spy": [1.5, 0.5], "vet": [1, 1], "ant": [0.5, 1.5]}
    np.testing.assert_allclose(np.exp(log_p.loc[list(wanted)]), list(wanted.values()))
    assert table.loc[("are", "spy")]["n_tokens"].to_dict() == {"Peru": 1, "Mali": 2}
    # no two attributes are alike in the singular: one has another article, one has two words
    beside = table["beside"].unstack("attribute")
    assert (beside.loc["ones"].nunique(axis=1) == 3).all()
    assert (beside.loc["are"].nunique(axis=1) == 1).all()


def test_a_refused_sentence_is_in_no_sum():
    rows = pd.concat(stimuli.instantiate("own", CAUSAL_LISTS), ignore_index=True)
    keys = rows[["template", "attribute", "target"]].drop_duplicates().itertuples(index=False, name=None)
    likelihoods = dict.fromkeys(keys, -9.0)
    del likelihoods["are", "spy", "Peru"]
    table = of_likelihoods(rows, likelihoods)
    assert table["log_p"].isna().sum() == 1
    assert np.isnan(table.loc[("are", "spy", "Peru"), "log_p"])
    assert table.loc[("are", "spy", "Mali"), "log_p"] == pytest.approx(np.log(1 / ((1 + 1 / 2 + 1 / 2) / 3)))


def test_log_p_of_a_causal_model_against_plain_transformers(model_folder):
    """Sentence by sentence and token by token, with a tokenizer that splits words."""
    import pyarrow as pa
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from herbarium.models import loading
    from herbarium.scoring import answering, planning, quantities

    folder = model_folder("gpt2")
    rows = pd.concat(stimuli.instantiate("own", CAUSAL_LISTS), ignore_index=True)
    table = pa.Table.from_pandas(rows, schema=stimuli.STIMULI.fields, preserve_index=False)
    header = {"quantities": stimuli.QUANTITIES, "slots": stimuli.SLOTS, "roles": stimuli.ROLES}
    tokenizer = AutoTokenizer.from_pretrained(folder)
    plan = planning.Planner(tokenizer, 64, False).add_stimuli(table, planning.asked_of(header, "tiny", "causal"))
    model = loading.load(folder, "causal", "float32", "tiny")
    answers = answering.answer_all(model, "cpu", plan, "tiny")
    scores = quantities.gather(answers, plan.sentences).to_pandas()
    result = stimuli.associate("tiny", "english", rows, scores).set_index(["template", "attribute", "target"])

    plain = AutoModelForCausalLM.from_pretrained(folder).eval()

    def likelihood(text):
        ids = [tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]
        with torch.no_grad():
            log_p = torch.log_softmax(plain(torch.tensor([ids])).logits[0].double(), dim=-1)
        return np.exp(sum(log_p[t - 1, ids[t]].item() for t in range(1, len(ids))))

    texts = rows[rows["quantity"] == "ll"].set_index(["template", "attribute", "target"])["text"]
    for template in ("are", "ones"):
        p = {}
        for attribute in ("spy", "vet", "ant"):
            of_targets = {target: likelihood(texts[template, attribute, target]) for target in ("Peru", "Mali")}
            p |= {(attribute, target): value / sum(of_targets.values()) for target, value in of_targets.items()}
        for (attribute, target), value in p.items():
            prior = np.mean([p[other, target] for other in ("spy", "vet", "ant")])
            row = result.loc[(template, attribute, target)]
            assert row["log_p"] == pytest.approx(np.log(value / prior), abs=1e-5)
            assert row["log_prior"] == pytest.approx(np.log(prior), abs=1e-5)
