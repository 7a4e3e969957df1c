"""Categorical Bias as published, as transcribed, and beside our numbers."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from tests.metrics.papers import printed

from herbarium.core.resources import read_table
from herbarium.metrics.categorical_bias import published as published_of
from herbarium.metrics.categorical_bias.published import NUMBERS
from herbarium.models.treated import Treated, unchanged
from herbarium.statistics import agreement
from herbarium.statistics.tidy import TIDY, tidy

EN, MULTI, DE = "bert-base-uncased", "bert-base-multilingual-uncased", "bert-base-german-dbmdz-uncased"
LANGUAGES = {
    "german": {"lists": {"ours": "a", "theirs": "b"}, "models": [DE, MULTI]},
    "english": {"lists": {"ours": "c"}, "models": [EN, MULTI]},
}


GERMAN = ["german-tuned", "german-tuned-seed2", "german-tuned-seed3"]
CDA = "tuned on exchanged countries"
TREATED = [
    *map(unchanged, (EN, MULTI, DE)),
    Treated("german-tuned", DE, "tuned", "ahn_oh", "german", "head", tuple(GERMAN)),
    Treated("german-cda", DE, CDA, "ahn_oh", "german-exchanged", "head", ("german-cda",)),
    Treated("german-otherwise", DE, "tuned", "shrestha", "german", "head", ("german-otherwise",)),
    Treated("german-aligned", DE, f"aligned to {EN}", "ahn_oh", "german", "head", ("german-aligned",)),
]


@pytest.fixture(scope="module")
def published():
    return read_table("resources/categorical_bias/published.csv", ["table"])


def score(model, group, estimate, variant="cb", definition="paper", unit="list", **more):
    row = {"metric": "categorical_bias", "model": model, "group": group, "estimate": estimate, "unit": unit, "n": 30}
    return {**row, "variant": variant, "definition": definition, **more}


def divergence(model, estimate, variant="jsd", definition="paper", **more):
    return score(model, "german − english", estimate, variant, definition, "languages") | {
        "metric": "categorical_bias_divergences",
        **more,
    }


@pytest.fixture(scope="module")
def numbers():
    rows = [
        score(MULTI, "german/ours", 0.5, ci_low=0.4, ci_high=0.7, note="without Peru: sentences were refused"),
        score(MULTI, "german/ours", 0.9, definition="released", ci_low=0.8, ci_high=1.0),
        score(MULTI, "german/theirs", 0.6),
        score(DE, "german/ours", 5.0),
        score(DE, "german/ours", 7.0, variant="cb_additional_both", n=35),
        score("other", "german/ours", 1.0),
        score(EN, "english/ours", 0.7),
        score(MULTI, "english/ours", 0.6),
        *(
            score(model, f"{group}/{key}", n_tokens, "n_tokens", unit="target")
            for model, group, of_keys in (
                (MULTI, "german/ours", {"Peru": 1, "Chad": 2}),
                (DE, "german/ours", {"Peru": 1, "Chad": 1}),
                (EN, "english/ours", {"Peru": 3, "Chad": 4}),
            )
            for key, n_tokens in of_keys.items()
        ),
        divergence(MULTI, 0.1),
        divergence(MULTI, math.sqrt(0.1), variant="sqrt_jsd"),
        divergence(f"{DE} − {EN}", 0.2, ci_low=0.1, ci_high=0.3),
        divergence(f"{DE} − {EN}", 0.3, definition="released"),
        divergence(f"{DE} − {EN}", math.sqrt(0.2), variant="sqrt_jsd"),
    ]
    return tidy(pd.DataFrame(rows))


def beside(numbers, published, number, languages=LANGUAGES):
    return published_of.table(numbers, published, number, languages, TREATED)


# --- the transcription ---


def test_every_number_of_the_tables_is_there_once(published):
    sizes = {"2": 7 * 5, "3": 30, "4": 12, "5": 11, "7": 8 * 5, "8": 6 * 2, "9": 5 * 2 + 6, "C": 6}
    assert published["table"].value_counts().to_dict() == sizes
    assert set(sizes) == set(NUMBERS)
    assert not published.duplicated(["table", "model", "treatment", "language", "other_language", "words"]).any()
    assert set(published.loc[published["measure"] == "cb", "words"]) == set(published_of.WORDS)


@pytest.fixture(scope="module")
def paper(shared):
    return (shared / "papers/ahn_oh_2021_categorical_bias.txt").read_text(encoding="utf-8").splitlines()


FIVE = ["german", "spanish", "korean", "turkish", "chinese"]
CODES = dict(zip(["DE", "ES", "KO", "TR", "ZH", "EN", "AR", "EL"], [*FIVE, "english", "arabic", "greek"], strict=True))
OWN = {
    "german": DE,
    "spanish": "bert-base-spanish-wwm-uncased",
    "korean": "kcbert-base",
    "turkish": "bert-base-turkish-uncased",
    "chinese": "bert-base-chinese",
    "english": EN,
    "arabic": "bert-base-arabic",
    "greek": "bert-base-greek-uncased-v1",
}


def variant(named, tuned, to):
    """What a row of the paper calls "Model Variants", with its sign for fine-tuning, as a treatment."""
    plain = {"X": "", "O": "tuned"}[tuned]
    return {
        "M-BERT": plain,
        "BERT": plain,
        "BERT + CDA": CDA,
        "BERT + Rand. Alignment": "turned at random",
        "BERT + Rand.": "turned at random",
        "BERT + Alignment": f"aligned to {to}",
    }[named]


def as_printed(paper, number):
    """Of a table of the paper each cell in its order: model, treatment, language, other language, words, value."""
    # columns stand between tabs there
    table = [line.split("\t") for line in printed(paper, number)]
    if number == 4:
        for code, own_figure, multi in table[1:]:
            language = CODES[re.sub("<.*?>", "", code)]
            yield from (
                (model, "", language, "", "base", value)
                for model, value in ((OWN[language], own_figure), (MULTI, multi))
            )
    elif number == 5:
        for code, named, tuned, value in table[1:]:
            to = OWN[CODES[code]] if code != "-" else None
            yield (MULTI if named == "M-BERT" else EN), variant(named, tuned, to), "english", "", "base", value
    elif number == 7:
        words = ""
        for condition, named, *values in table[2:]:
            words = condition or words
            which = f"additional {' and '.join(re.findall('attributes|targets', words))}" if "+" in words else "base"
            for language, value in zip(FIVE, values, strict=True):
                yield OWN[language], {"BERT": "tuned"}.get(named, f"aligned to {EN}"), language, "", which, value
    elif number == 9:
        for code, before, after, *_ in table[2:]:
            for treatment, value in (("", before), (f"aligned to {EN}", after)):
                yield "monolingual", treatment, "english", CODES[code], "base", value
        yield EN, "tuned", "english", "", "base", table[2][3]  # one cell for all rows
        for code, *_, turned in table[2:]:
            yield EN, f"aligned to {OWN[CODES[code]]}", "english", "", "base", turned
    else:
        columns = FIVE if number == 2 else ["arabic", "greek"]
        for named, tuned, *values in table[2:]:
            for language, value in zip(columns, values, strict=True):
                yield (
                    MULTI if named == "M-BERT" else OWN[language],
                    variant(named, tuned, EN),
                    language,
                    "",
                    "base",
                    value,
                )


@pytest.mark.parametrize("number", [2, 4, 5, 7, 8, 9])
def test_every_cell_is_that_of_the_paper(paper, number):
    path = "resources/categorical_bias/published.csv"
    rows = read_table(path, ["table", "value"])
    columns = ["model", "treatment", "language", "other_language", "words", "value"]
    ours = rows.loc[rows["table"] == str(number), columns].apply(tuple, axis=1).tolist()
    assert ours == list(as_printed(paper, number))


def test_table_7_says_bert_and_has_the_numbers_of_table_2_after_tuning(published):
    key = ["model", "treatment", "language"]
    two, seven = (published[published["table"] == table].set_index([*key, "words"])["value"] for table in ("2", "7"))
    base = seven.xs("base", level="words", drop_level=False)
    assert set(base.index.get_level_values("treatment")) == {"tuned", f"aligned to {EN}"}
    assert (base == two[base.index]).all()


def test_table_9_prints_roots_of_table_3_and_one_exceeds_what_a_divergence_can_be(published):
    key = ["language", "other_language"]
    rows = published[(published["model"] == "monolingual") & (published["treatment"] == "")]
    three, nine = (rows[rows["table"] == table].set_index(key)["value"] for table in ("3", "9"))
    assert len(nine) == 5
    np.testing.assert_allclose(nine, np.sqrt(three[nine.index]), rtol=0, atol=1e-3)
    assert nine[("english", "chinese")] > math.log(2)
    assert (three < math.log(2)).all()


# --- beside ours ---


def test_scores_by_hand(numbers, published):
    rows = beside(numbers, published, "2").set_index(["model", "list"])
    assert rows.index.tolist() == [(MULTI, "ours"), (MULTI, "theirs"), (DE, "ours")]  # the rest was not measured
    row = rows.loc[(MULTI, "ours")]
    assert row[["published", "paper", "paper_low", "paper_high"]].tolist() == [0.899, 0.5, 0.4, 0.7]
    assert row[["released", "released_low", "released_high"]].tolist() == [0.9, 0.8, 1.0]
    assert row["difference"] == pytest.approx(0.5 - 0.899)
    assert row["difference_released"] == pytest.approx(0.9 - 0.899)
    assert (row["n"], row["n_tokens"]) == (30, 1.5)
    assert row["note"] == "without Peru: sentences were refused"
    assert row["doubt"] == "the released code counts every sub-token at every mask"
    row = rows.loc[(MULTI, "theirs")]
    assert row[["paper_low", "released", "difference_released"]].isna().all()


def test_words_of_table_7(published):
    rows = [
        score("german-cda", "german/ours", 5.0),
        score("german-cda", "german/ours", 7.0, "cb_additional_both", n=35),
    ]
    rows += [score("german-cda", "german/ours/Peru", 1, "n_tokens", unit="target")]
    tuned = [TREATED[4]._replace(treatment="tuned")]
    rows = published_of.table(tidy(pd.DataFrame(rows)), published, "7", LANGUAGES, tuned)
    assert rows["words"].tolist() == ["base", "additional attributes and targets"]
    assert rows["published"].tolist() == [5.604, 6.840]
    assert rows["paper"].tolist() == [5.0, 7.0]
    assert rows["n"].tolist() == [30, 35]
    assert rows["n_tokens"].isna().tolist() == [False, True]  # it is of the base targets


def test_divergences_by_hand_whatever_the_order_of_the_languages(numbers, published):
    rows = beside(numbers, published, "3").set_index("model")
    assert rows.index.tolist() == [MULTI, "monolingual"]
    row = rows.loc["monolingual"]
    assert row["measured"] == f"{DE} − {EN}"
    assert row[["language", "other_language", "list", "other_list"]].tolist() == ["german", "english", "ours", "ours"]
    assert row[["published", "paper", "paper_low", "released"]].tolist() == [0.162, 0.2, 0.1, 0.3]
    assert row["difference"] == pytest.approx(0.2 - 0.162)
    assert row[["n_tokens", "other_n_tokens"]].tolist() == [1, 3.5]
    assert rows.loc[MULTI, "published"] == 0.130
    (root,) = beside(numbers, published, "9").to_dict("records")
    assert (root["measure"], root["published"]) == ("sqrt_jsd", 0.402)
    assert root["difference"] == pytest.approx(math.sqrt(0.2) - 0.402)
    assert root["doubt"] == "called a divergence; it is the root of Table 3"


def test_trainings_of_one_changed_model_are_one_row_with_what_they_differ_by(published):
    values = {"german-tuned": 5.0, "german-tuned-seed2": 6.0, "german-tuned-seed3": 7.0}
    rows = [score(name, "german/ours", value, ci_low=0, ci_high=99) for name, value in values.items()]
    rows += [score(name, "german/ours", 10 * value, definition="released") for name, value in values.items()]
    rows += [score("german-tuned-seed2", "german/ours/Peru", 2, "n_tokens", unit="target")]
    table = beside(tidy(pd.DataFrame(rows)), published, "2")
    (row,) = table.to_dict("records")
    assert [row[key] for key in ("model", "treatment", "measured", "published")] == [DE, "tuned", "german-tuned", 5.604]
    # of three trainings, s = 1, beside a mean of five: t(2) √(1/3 + 1/5) = 4.3027 × 0.7303
    assert [row[name] for name in ("paper", "paper_low", "paper_high")] == pytest.approx([6, 2.8578, 9.1422], abs=1e-4)
    assert [row[name] for name in ("released", "released_low")] == pytest.approx([60, 28.578], abs=1e-3)
    assert (row["n"], row["n_tokens"]) == (30, 2)
    assert row["note"] == "german-tuned: trained on german by ahn_oh (weights: head), mean of 3"


def test_one_training_has_no_bounds_and_says_so(published):
    rows = [score("german-cda", "german/ours", 5.0, ci_low=4, ci_high=6, note="without Peru: sentences were refused")]
    (row,) = beside(tidy(pd.DataFrame(rows)), published, "2").to_dict("records")
    assert (row["treatment"], row["published"], row["paper"]) == (CDA, 4.831, 5.0)
    assert math.isnan(row["paper_low"])
    assert math.isnan(row["paper_high"])
    assert row["note"] == (
        "german-cda: trained on german-exchanged by ahn_oh (weights: head) once: how much another training would "
        "differ is unknown; without Peru: sentences were refused"
    )


def test_a_changed_model_stands_neither_beside_figures_of_its_source_nor_of_another_schedule(published):
    changed = ["german-tuned", "german-cda", "german-otherwise", "german-aligned"]
    rows = tidy(pd.DataFrame([score(name, "german/ours", 5.0) for name in changed]))
    table = pd.concat([beside(rows, published, number) for number in ("2", "4", "7")])
    assert table["measured"].tolist() == [
        "german-tuned",
        "german-cda",
        "german-aligned",
        "german-tuned",
        "german-aligned",
    ]
    assert table["published"].tolist() == [5.604, 4.831, 3.990, 5.604, 3.990]


def test_a_language_aligned_to_english_stands_in_its_column_of_table_9_alone(published):
    languages = {**LANGUAGES, "german": LANGUAGES["german"] | {"models": ["german-aligned", DE, MULTI]}}
    row = divergence(f"german-aligned − {EN}", 0.5, variant="sqrt_jsd", ci_low=0.1, ci_high=0.9)
    rows = tidy(pd.DataFrame([row, row | {"variant": "jsd", "estimate": 0.25}]))
    (figure_row,) = beside(rows, published, "9", languages).to_dict("records")
    assert (figure_row["treatment"], figure_row["published"], figure_row["paper"]) == (f"aligned to {EN}", 0.343, 0.5)
    assert math.isnan(figure_row["paper_low"])
    assert beside(rows, published, "3", languages).empty


def test_a_language_aligned_to_english_that_was_treated_itself_stands_beside_no_figure(published):
    english = Treated("english-tuned", EN, "tuned", "ahn_oh", "english", "head", ("english-tuned",))
    languages = {
        "german": LANGUAGES["german"] | {"models": ["german-aligned", MULTI]},
        "english": LANGUAGES["english"] | {"models": ["english-tuned", MULTI]},
    }
    rows = tidy(pd.DataFrame([divergence("german-aligned − english-tuned", 0.5, variant="sqrt_jsd")]))
    assert published_of.table(rows, published, "9", languages, [*TREATED, english]).empty


def test_english_before_and_after_its_alignment_stands_in_the_other_half_of_table_9(published):
    names = [f"to-german-{seed}" for seed in (1, 2)]
    aligned = Treated("to-german", EN, f"aligned to {DE}", "ahn_oh", "english", "head", tuple(names))
    rows = [
        divergence(f"{EN} − {name}", estimate, variant="sqrt_jsd", group="english")
        for name, estimate in zip(names, (0.2, 0.3), strict=True)
    ]
    table = published_of.table(tidy(pd.DataFrame(rows)), published, "9", LANGUAGES, [aligned])
    (figure_row,) = table.to_dict("records")
    assert (figure_row["measured"], figure_row["published"]) == ("to-german", 0.207)
    assert figure_row["paper"] == pytest.approx(0.25)
    assert figure_row["paper_low"] < 0.2  # of five more trainings
    others = {"models": {EN: "", DE: "another commit"}, "data": {"english": {"ours": ""}}}
    (reason,) = published_of.reasons(table, published, LANGUAGES, [aligned], others)
    assert reason == "another commit"
    compared = published_of.beside(published, {"9": agreement.marked(table, [""])})
    ours = compared[compared["paper"].notna()]
    assert ours["row"].tolist() == [f"{EN}, aligned to {DE}, english"]
    assert ours["agreement"].tolist() == ["doubtful"]


@pytest.mark.parametrize("table", NUMBERS)
def test_without_any_cell_only_the_header_is_left(numbers, published, table):
    rows = beside(numbers[numbers["model"] == "other"], published, table, {})
    columns = published_of.DIVERGENCES if table in ("3", "9") else published_of.SCORES
    assert rows.to_csv(index=False) == ",".join(columns) + "\n"


# --- whether they agree ---


def agreed(numbers, languages):
    """Every published figure beside ours, of the schema "published"."""
    path = "resources/categorical_bias/published.csv"
    as_printed, as_numbers = (read_table(path, text) for text in (["table", "value"], ["table"]))
    tables = {number: published_of.table(numbers, as_numbers, number, languages, TREATED) for number in NUMBERS}
    return published_of.beside(as_printed, tables)


def test_agreement_is_with_the_published_list():
    languages = {
        "german": {"lists": {"grammatical": "a", "published": "b"}, "models": [MULTI]},
        "english": {"lists": {"grammatical": "c"}, "models": [MULTI]},
    }
    rows = [
        score(MULTI, "german/grammatical", 0.899),
        score(MULTI, "german/published", 0.5),
        score(MULTI, "german/published", 0.8994, definition="released"),
        divergence(MULTI, 0.1302, ci_low=0.125, ci_high=0.15),
    ]
    frame = agreed(pd.DataFrame(rows).reindex(columns=TIDY.fields.names), languages)
    assert frame.columns.tolist() == agreement.PUBLISHED.fields.names
    assert (frame["metric"] == "categorical_bias").all()
    table = frame.set_index(["table", "row", "column"])
    of_score = table.loc[("2", f"{MULTI}, german", "cb")]
    assert (of_score["agreement"], of_score["paper"], of_score["released"]) == ("doubtful", 0.5, 0.8994)
    assert of_score["note"] == (
        "the released code counts every sub-token at every mask; ours agrees as released; list published"
    )
    of_pair = table.loc[("3", f"{MULTI}, english − german", "jsd")]
    assert of_pair["agreement"] == "agrees"  # printed 0.130
    assert of_pair[["difference", "tolerance"]].tolist() == pytest.approx([0.0002, 0.0005])
    # it is also each language's own model, the first of it
    assert table.loc[("3", "monolingual, english − german", "jsd"), "agreement"] == "differs"
    assert (frame.loc[frame["table"].isin(["2", "3"]), "agreement"] == "not measured").sum() == 35 + 30 - 3


def test_what_trainings_differ_by_is_a_tolerance_and_what_words_differ_by_is_not():
    trainings = [score(name, "german/published", value) for name, value in zip(GERMAN, (5, 6, 7), strict=True)]
    wide = [score(model, "german/published", 6.0, ci_low=0, ci_high=99) for model in (DE, "german-cda")]
    table = agreed(tidy(pd.DataFrame(trainings + wide)), LANGUAGES).set_index(["table", "row"])
    tuned, cda = (table.loc[("2", f"{DE}, {treatment}, german")] for treatment in ("tuned", CDA))
    assert tuned["tolerance"] == pytest.approx(0.0005 + 3.1422, abs=1e-4)  # printed 5.604
    assert "ours agrees; list published; german-tuned: trained on german" in tuned["note"]
    assert cda["tolerance"] == pytest.approx(0.0005)
    assert "ours differs" in cda["note"]
    assert table.loc[("2", f"{DE}, german"), "tolerance"] == pytest.approx(0.0005)


def test_nothing_measured_has_every_figure_once():
    table = agreed(pd.DataFrame(columns=TIDY.fields.names), {})
    assert len(table) == 162
    assert not table.duplicated(["table", "row", "column"]).any()
    assert (table[["row", "column", "published"]] != "").all(axis=None)
    assert (table["agreement"] == "not measured").all()
    assert table[["paper", "released", "difference", "tolerance"]].isna().all(axis=None)


def others(**models):
    lists = {"german": {"ours": "other words", "theirs": ""}, "english": {"ours": ""}}
    return {"models": dict.fromkeys((DE, EN, MULTI), "") | models, "data": lists}


def cell(model, *lists, treatment=""):
    sides = dict(zip(("language", "list", "other_language", "other_list"), lists, strict=False))
    return {"model": model, "treatment": treatment, **sides}


@pytest.mark.parametrize(
    ("row", "models", "reason"),
    [
        (cell(DE, "german", "theirs"), {}, ""),
        (cell(DE, "german", "ours"), {}, "other words"),
        (cell(DE, "german", "theirs"), {DE: "it is planted"}, "it is planted"),
        (cell(DE, "german", "theirs", treatment="tuned"), {DE: "it is planted"}, "it is planted"),
        (cell(DE, "german", "theirs", treatment=f"aligned to {EN}"), {EN: "it is planted"}, "it is planted"),
        (cell(DE, "german", "theirs", treatment="aligned to kcbert-base"), {}, "'kcbert-base' is not in this study"),
        (cell("monolingual", "german", "theirs", "english", "ours"), {}, ""),
        (cell("monolingual", "german", "theirs", "english", "ours"), {EN: "it is planted"}, "it is planted"),
        (cell(MULTI, "german", "ours", "english", "ours"), {}, "other words"),
    ],
)
def test_another_model_or_list_is_not_compared(published, row, models, reason):
    table = pd.DataFrame([row])
    assert published_of.reasons(table, published, LANGUAGES, TREATED, others(**models)) == [reason]


def test_the_first_model_of_a_language_may_be_another_than_the_papers(published):
    swapped = LANGUAGES | {"german": LANGUAGES["german"] | {"models": [MULTI, DE]}}
    table = pd.DataFrame([cell("monolingual", "german", "theirs", "english", "ours")])
    (reason,) = published_of.reasons(table, published, swapped, TREATED, others())
    assert reason == f"'{MULTI}' is not the paper's model of german"
