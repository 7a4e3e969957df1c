"""Sentences in the form of StereoSet and BBQ: what is read, and what is wrong with a file."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest
from tests.refusals import refused

from herbarium.metrics.sentence_sets import bbq, bbq_contrast, formats, names, stereoset
from herbarium.statistics import contrasts
from herbarium.statistics.sets import sets

STEREOSET, BBQ = Path("resources/sentence_sets/stereoset/dev.json"), Path("resources/sentence_sets/bbq")


def example(context="The cook was BLANK today.", words=("angry", "calm", "blue"), **changes):
    fill = context.replace("BLANK", "{}")
    sentences = [
        {"id": str(n), "sentence": fill.format(word), "gold_label": label}
        for n, (word, label) in enumerate(zip(words, names.STEREOSET_SIDES, strict=True))
    ]
    return {"id": "e1", "target": "cook", "bias_type": "job", "context": context, "sentences": sentences} | changes


@pytest.fixture
def file(tmp_path):
    def write(*within, after=()):
        path = tmp_path / "dev.json"
        path.write_text(json.dumps({"data": {"intrasentence": within, "intersentence": after}}))
        return [path]

    return write


def test_three_sentences_with_the_words_in_the_place_of_blank(file):
    table = stereoset.read(file(example()))
    assert table["side"].tolist() == list(names.STEREOSET_SIDES)
    assert table["text"].tolist() == [f"The cook was {word} today." for word in ("angry", "calm", "blue")]
    assert table["marked"].iloc[0] == "The cook was [asked: angry] today."
    assert table[["set", "group", "target"]].drop_duplicates().to_numpy().tolist() == [["e1", "job", "cook"]]
    within = example("BLANK cooks shout.", ("Angry", "Calm", "Blue"))  # BLANK begins the sentence, with a capital
    assert stereoset.read(file(within))["marked"].iloc[1] == "[asked: Calm] cooks shout."
    assert stereoset.faults([STEREOSET]) == stereoset.faults_of_next([STEREOSET]) == []
    assert len(stereoset.read([STEREOSET])) == 3 * 16
    assert stereoset.read_next([STEREOSET])["target"].nunique() == 8


def test_a_sentence_that_goes_on_is_asked_for_whole(file):
    labels = zip("ABC", names.STEREOSET_SIDES, strict=True)
    sentences = [{"sentence": text, "gold_label": side} for text, side in labels]
    after = {**example(), "context": "He is a cook.", "sentences": sentences}
    table = stereoset.read_next(file(after=[after]))
    assert table["marked"].tolist() == [f"He is a cook. [asked: {word}]" for word in "ABC"]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"context": "The cook was angry."}, "exactly one BLANK"),
        ({"context": "The chef was BLANK today."}, "BLANK filled"),
        ({"context": "[The cook was BLANK today."}, "bracket"),
        ({"target": " "}, "empty"),
        ({"context": "The\N{WORD JOINER} cook was BLANK today."}, "U+2060"),
        ({"sentences": example()["sentences"][:2]}, "gold_label"),
        ({"sentences": [example()["sentences"][place] for place in (0, 1, 0)]}, "gold_label"),
        ({"sentences": [{"sentence": "a"}] * 3}, "missing"),
    ],
)
def test_an_example_with_a_fault_is_left_out_and_named(file, changes, fault):
    paths = file(example(), {**example(id="e2"), **changes})
    assert set(stereoset.read(paths)["set"]) == {"e1"}
    (told,) = stereoset.faults(paths)
    assert (told["file"], told["line"], told["is_left_out"]) == ("dev.json", 2, True)
    assert fault in told["fault"]


@pytest.mark.parametrize("text", ["{}", "[1]", '{"data": {}}', "not json"])
def test_another_file_is_refused(tmp_path, text):
    (tmp_path / "dev.json").write_text(text)
    for reader in (stereoset.read, stereoset.faults):
        with refused("dev.json", "StereoSet"):
            reader([tmp_path / "dev.json"])


def test_if_no_example_can_be_used_it_is_told_why(file):
    """Such as labels that are numbers, in copies of the file."""
    numbered = [sentence | {"gold_label": number} for number, sentence in enumerate(example()["sentences"])]
    with refused("dev.json", "intrasentence", "gold_label", "stereotype", 2, "empty", 1):
        stereoset.read(file(*[example(sentences=numbered)] * 2, example(target=" ")))
    with refused("dev.json", "intersentence", "none"):
        stereoset.read_next(file(example()))


@pytest.mark.parametrize("cell", [None, 7, [], {}, ["x"]])
@pytest.mark.parametrize("name", ["id", "bias_type", "target", "context", "sentences"])
def test_an_example_of_another_form_is_left_out_or_a_key(file, name, cell):
    paths = file(example(id="first"), example() | {name: cell})
    is_key = cell == 7 and name in ("id", "bias_type", "target")
    assert stereoset.read(paths)["set"].nunique() == 1 + is_key
    assert len(stereoset.faults(paths)) == 1 - is_key


def line(**changes):
    return {
        "example_id": 7,
        "question_index": "3",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": "Hands",
        "answer_info": {"ans0": ["left", "L"], "ans1": ["unknown", "unknown"], "ans2": ["right", "R"]},
        "additional_metadata": {"stereotyped_groups": ["L"]},
        "context": "Two people wrote.",
        "question": "Who made a blot?",
        **{"ans0": "The left-handed one", "ans1": "Not known", "ans2": "The right-handed one", "label": 1},
    } | changes


@pytest.fixture
def folder(tmp_path):
    def write(*lines, locations=None):
        (tmp_path / "Hands.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n")
        if locations:
            (tmp_path / "additional_metadata.csv").write_text(
                "category,question_index,example_id,target_loc\n" + locations
            )
        return bbq.files(tmp_path)

    return write


def answers(table):
    return {row.side: row.text[row.asked_words_start : row.asked_words_end] for row in table.itertuples()}


def test_a_question_with_its_three_answers(folder):
    table = bbq.read(folder(line()))
    sides = {"biased": "The left-handed one", "counter": "The right-handed one", "unknown": "Not known"}
    assert answers(table) == sides
    assert table["text"].iloc[0] == "Two people wrote. Who made a blot? The left-handed one"
    shown = table[["set", "group", "template", "polarity"]].drop_duplicates().to_numpy().tolist()
    assert shown == [["Hands-7", "Hands ambiguous", "Hands-3", "neg"]]
    other = answers(bbq.read(folder(line(question_polarity="nonneg"))))  # of the other group
    assert other == {"biased": sides["counter"], "counter": sides["biased"], "unknown": sides["unknown"]}
    asked = [line(example_id=8 + n, label=n, context_condition="disambig") for n in (0, 2)]
    assert bbq.read(folder(line(), *asked)).drop_duplicates("set")["correct"].tolist() == [
        "unknown",
        "biased",
        "counter",
    ]


def test_a_cue_stands_before_the_answer_of_a_causal_model(folder):
    table = formats.read(formats.BBQ_ANSWER, folder(line()))
    assert table["text"].iloc[0] == "Two people wrote. Who made a blot? Answer: The left-handed one"
    plain, places = bbq.read(folder(line())), ["text", "marked", "asked_words_start", "asked_words_end"]
    assert answers(table) == answers(plain)
    assert table.drop(columns=places).equals(plain.drop(columns=places))


def biased(table):
    return answers(table)["biased"]


@pytest.mark.parametrize("polarity", ["neg", "nonneg"])
def test_the_authors_table_says_which_answer_is_biased_whatever_the_question(folder, polarity):
    """Their script has exchanged the people in questions that are not negative, so that these stay as they are."""
    asked = line(question_polarity=polarity, additional_metadata={"stereotyped_groups": ["nobody"]})
    assert biased(bbq.read(folder(asked, locations="Hands,3,7,2\n"))) == "The right-handed one"
    assert biased(bbq.read(folder(asked, locations="Hands,3,7,0.0\n"))) == "The left-handed one"


def test_a_question_whose_place_in_the_authors_table_is_empty_is_left_out(folder):
    assert biased(bbq.read(folder(line(), locations="Hands,3,8,2\n"))) == "The left-handed one"
    for nowhere in ("", "NA", "1", "0\nHands,3,7,2"):
        (fault,) = bbq.faults(folder(line(), locations=f"Hands,3,7,{nowhere}\n"))
        assert "biased answer" in fault["fault"]


def test_the_authors_first_table_is_refused(folder):
    """Its places are those of stereotyped groups, whatever the question."""
    asked = [line(example_id=n, question_polarity=("neg", "nonneg")[n % 2]) for n in range(6)]
    places = "".join(f"Hands,3,{n},0\n" for n in range(6))
    with refused("additional_metadata.csv", "target_loc"):
        bbq.read(folder(*asked, locations=places))


GROUP_CALLED = {
    "SES": (["low SES"], ["poor", "lowSES"], ["rich", "highSES"]),
    "Nationality": (["Ruritanian", "Freedonian"], ["Freedonian", "Europe"], ["Sylvanian", "Europe"]),
    "Gender_identity": (["F"], ["Ada", "girl"], ["Bo", "boy"]),
    "Gender_identity, plural": (["women"], ["aunt", "F"], ["uncle", "M"]),
    "Gender_identity, trans": (["transgender men", "trans"], ["Ada", "trans_F"], ["Bo", "nonTrans_M"]),
    "Race_ethnicity": (["Black", "African American"], ["African American", "African American"], ["African", "African"]),
    "Race_ethnicity, names": (["Black"], ["Ada", "F-Black"], ["Bo", "M-White"]),
    "Age": (["old"], ["aunt", "old"], ["niece", "nonOld"]),
    "Hands": (["left-handed"], ["the left-handed", "left-handed"], ["the right-handed", "right-handed"]),
}


@pytest.mark.parametrize("polarity", ["neg", "nonneg"])
@pytest.mark.parametrize(("groups", "target", "other"), GROUP_CALLED.values(), ids=GROUP_CALLED)
def test_without_the_table_groups_are_found_as_in_the_authors_script(folder, groups, target, other, polarity):
    asked = line(
        question_polarity=polarity,
        additional_metadata={"stereotyped_groups": groups},
        answer_info={"ans0": other, "ans1": ["?", "unknown"], "ans2": target},
    )
    assert biased(bbq.read(folder(asked))) == {"neg": "The right-handed one", "nonneg": "The left-handed one"}[polarity]


def crossed(number, one, other, category="Race_x_SES"):
    """A question about two people; the stereotype is about poor ones of Freedonia or Sylvania."""
    return line(
        example_id=number,
        category=category,
        additional_metadata={"stereotyped_groups": ["Freedonian", "Sylvanian"]},
        answer_info={"ans0": one, "ans1": ["?", "unknown"], "ans2": other},
    )


def test_the_second_trait_of_a_stereotype_is_the_one_of_its_other_questions(folder):
    """People of one group that differ in the second trait, which no line names: only one of them is the target."""
    asked = [
        crossed(1, ["a", "lowSES-Freedonian"], ["b", "lowSES-Ruritanian"]),
        crossed(2, ["c", "highSES-Ruritanian"], ["d", "lowSES-F-Sylvanian"]),
        crossed(3, ["e", "highSES-Freedonian"], ["f", "lowSES-Freedonian"]),
        crossed(4, ["g", "lowSES-M-Sylvanian"], ["h", "highSES-M-Sylvanian"]),
    ]
    paths = folder(*asked)
    table = bbq.read(paths)
    assert [biased(rows) for _, rows in table.groupby("set")] == [
        *("The left-handed one", "The right-handed one", "The right-handed one", "The left-handed one"),
    ]
    alone = bbq.faults(folder(asked[0], asked[2] | {"question_index": "4"}))
    assert [fault["line"] for fault in alone] == [2]
    # a person without a group is described by the answer
    unnamed = crossed(1, ["", ""], ["b", "F-Ruritanian"], "Race_x_gender") | {"ans0": "The Latina woman"}
    unnamed["additional_metadata"] = {"stereotyped_groups": ["Hispanic", "Latino"]}
    assert biased(bbq.read(folder(unnamed))) == "The Latina woman"


def test_who_has_one_of_two_further_traits_is_not_the_target(folder):
    """The stereotype is about poor women: neither poor men nor rich women of the group."""
    asked = [
        crossed(1, ["a", "lowSES-F-Freedonian"], ["b", "lowSES-F-Ruritanian"]),
        crossed(2, ["c", "highSES-M-Ruritanian"], ["d", "lowSES-F-Sylvanian"]),
        crossed(3, ["e", "lowSES-M-Freedonian"], ["f", "lowSES-F-Freedonian"]),
        crossed(4, ["g", "lowSES-F-Sylvanian"], ["h", "highSES-F-Sylvanian"]),
    ]
    table = bbq.read(folder(*asked))
    assert [biased(rows) for _, rows in table.groupby("set")] == [
        *("The left-handed one", "The right-handed one", "The right-handed one", "The left-handed one"),
    ]
    (fault,) = bbq.faults(folder(*asked, crossed(5, ["i", "lowSES-M-Sylvanian"], ["j", "highSES-F-Freedonian"])))
    assert fault["line"] == 5


def test_which_side_is_right_is_read_from_the_label(folder):
    clear = {"context_condition": "disambig"}
    asked = [line(), *(line(example_id=8 + n, label=n, **clear) for n in (0, 2))]
    table = bbq.read(folder(*asked)).drop_duplicates("set")
    assert table["correct"].tolist() == ["unknown", "biased", "counter"]


@pytest.mark.parametrize("character", "\u2028\u2029")
def test_a_text_may_have_a_character_that_breaks_lines(tmp_path, character):
    """JSON allows it in a text, and only a line feed ends a line of the file."""
    text = json.dumps(line(question=f"Who{character}made a blot?"), ensure_ascii=False)
    (tmp_path / "Hands.jsonl").write_text(f"{text}\n{json.dumps(line(example_id=8))}\n", encoding="utf-8")
    table = bbq.read(bbq.files(tmp_path))
    assert table["set"].unique().tolist() == ["Hands-7", "Hands-8"]
    assert f"Who{character}made" in table["text"].iloc[0]


@pytest.mark.slow
def test_scores_of_published_predictions_are_the_authors(shared, tmp_path):
    """Religion, answered by UnifiedQA: accuracy, bias and scaled bias as computed with the authors' scripts."""
    folder = shared / "golden/bbq"
    text = gzip.decompress((folder / "preds_Religion.jsonl.gz").read_bytes()).decode()
    (tmp_path / "Religion.jsonl").write_text(text, encoding="utf-8")
    table = bbq.read(bbq.files(tmp_path))
    lines = {f"Religion-{line['example_id']}": line for line in map(json.loads, text.splitlines())}
    contexts = {"ambig": "Religion ambiguous", "disambig": "Religion disambiguated"}
    golden = pd.read_csv(folder / "bias.txt", sep=r"\s+")
    for row in golden.itertuples():
        rows = table[table["group"] == contexts[row.context]]
        given = [plain(lines[name][f"unifiedqa-t5-11b_pred_{row.model}"]) for name in rows["set"]]
        places = rows[["text", "asked_words_start", "asked_words_end"]].itertuples(index=False)
        asked = [plain(text[start:end]) for text, start, end in places]
        scores = rows.assign(unit=rows["set"], value=[float(a == b) for a, b in zip(asked, given, strict=True)])
        assert scores.groupby("set")["value"].sum().eq(1).all()
        result = contrasts.numbers(sets(scores, names.BBQ_SIDES), bbq_contrast.BBQ, 0.95, "holm", 1)
        result = result[result["group"] == "all"].set_index("side")["estimate"]
        assert result["accuracy"] == pytest.approx(100 * row.accuracy, abs=0.05 + 1e-9)
        assert result["bias"] == pytest.approx(row.bias, abs=5e-4)
        assert result["scaled"] == pytest.approx(row.scaled, abs=5e-4)


def plain(answer):
    return answer.strip().lower().removesuffix(".")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"context_condition": "clear"}, "context_condition"),
        ({"question": "Who made\N{ZERO WIDTH SPACE} it?"}, "U+200B"),
        ({"ans0": "Not known"}, "the same"),
        ({"ans0": "not known"}, "the same"),
        ({"ans0": " Not known."}, "the same"),
        ({"ans0": "Not\N{NO-BREAK SPACE}known"}, "the same"),
        ({"ans0": "Not  known!"}, "the same"),
        ({"ans0": "Not kno\N{SOFT HYPHEN}wn"}, "the same"),
        ({"ans0": "Not kn\N{CYRILLIC SMALL LETTER O}wn"}, "the same"),
        ({"ans0": "The left\nB. Nobody"}, "lettered answer"),
        ({"ans2": "The right\N{LINE SEPARATOR} c) Nobody"}, "lettered answer"),
        ({"context": "Two people wrote.\r\nA: One."}, "lettered answer"),
        ({"question": "Who [did] it?"}, "bracket"),
        ({"additional_metadata": {"stereotyped_groups": ["X"]}}, "biased answer"),
        ({"additional_metadata": {"stereotyped_groups": ["L", "R"]}}, "biased answer"),
        ({"answer_info": {"ans0": ["left", "L"], "ans1": ["old", "O"], "ans2": ["right", "R"]}}, "unknown"),
        ({"label": 0}, "label"),
        ({"context_condition": "disambig"}, "label"),
    ],
)
def test_a_question_with_a_fault_is_left_out_and_named(folder, changes, fault):
    paths = folder(line(), line(example_id=8, **changes))
    assert set(bbq.read(paths)["set"]) == {"Hands-7"}
    (told,) = bbq.faults(paths)
    assert (told["file"], told["line"], told["is_left_out"]) == ("Hands.jsonl", 2, True)
    assert fault in told["fault"]


@pytest.mark.parametrize(
    "name", [name for name in line() if name not in ("label", "answer_info", "additional_metadata")]
)
@pytest.mark.parametrize("cell", [None, [], {}, ["x"]])
def test_a_question_without_a_text_is_refused_with_its_line(folder, name, cell):
    with refused("Hands.jsonl, line 2", f"'{name}'"):
        bbq.read(folder(line(), line(**{name: cell})))


@pytest.mark.parametrize("name", ["label", "answer_info", "additional_metadata"])
@pytest.mark.parametrize("cell", [None, [], {}, "x", True, [None], {"ans0": None}, {"stereotyped_groups": None}])
def test_a_question_whose_facts_have_another_form_is_refused_with_its_line(folder, name, cell):
    with refused("Hands.jsonl, line 2", "BBQ"):
        bbq.read(folder(line(), line(**{name: cell})))


def test_if_no_question_can_be_used_it_is_told_why(folder):
    with refused(None, "the same", 2, "label", 1):
        bbq.read(folder(line(ans0="Not known"), line(ans2="Not known", example_id=8), line(label=0, example_id=9)))


@pytest.mark.parametrize("text", ["no json", "{}", "[1]", "", json.dumps(line(label=-1))])
def test_a_line_that_is_no_question_is_refused_with_its_number(tmp_path, text):
    (tmp_path / "Hands.jsonl").write_text(json.dumps(line()) + "\n" + text + "\n")
    with refused("Hands.jsonl, line 2", "BBQ"):
        bbq.read(bbq.files(tmp_path))
    with refused(tmp_path / "none", "BBQ", "Age.jsonl"):
        bbq.files(tmp_path / "none")


def test_our_questions_have_no_fault_and_are_balanced():
    paths = bbq.files(BBQ)
    assert bbq.faults(paths) == []
    table = bbq.read(paths).drop_duplicates("set")
    assert table.groupby(["group", "polarity"]).size().tolist() == [4] * 8
    assert table["template"].nunique() == 8


@pytest.mark.parametrize("category", ["hands", "Hands ", "Hand", "HANDS", "Feet"])
def test_a_table_that_spells_categories_otherwise_is_refused(folder, category):
    with refused("additional_metadata.csv", "'Hands'", category.strip()):
        bbq.read(folder(line(), line(example_id=8), locations=f"{category},3,7,2\n{category},3,8,2\n"))


def test_questions_that_the_authors_table_lacks_are_told(folder):
    paths = folder(line(), line(example_id=8), line(category="Feet"), locations="Hands,3,7,2\n")
    table = bbq.read(paths)
    assert biased(table[table["set"] == "Hands-7"]) == "The right-handed one"
    faults = bbq.faults(paths)
    assert [(fault["line"], fault["is_left_out"]) for fault in faults] == [(2, False), (3, False)]


def test_questions_of_other_categories_are_others_whatever_their_names(folder):
    """x-1 with 2, and x with 1-2."""
    table = bbq.read(folder(line(category="x-1", example_id=2), line(category="x", example_id="1-2")))
    assert table["set"].nunique() == 2
    assert table["id"].nunique() == 6
    assert bbq.read(folder(line(category="x-1")))["set"].unique().tolist() == ["x-1-7"]  # as ever
