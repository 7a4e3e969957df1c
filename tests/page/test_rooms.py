"""The rooms of the page on the whole study: their numbers are those of the tables, their claims follow from them."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.reports import table, words

from herbarium.page.build import Room, build
from herbarium.page.error_rates import error_rates
from herbarium.page.limits import limits
from herbarium.page.overview import looks, overview
from herbarium.page.provenance import provenance
from herbarium.page.reliability import reliability
from herbarium.page.reproduction import reproduction
from herbarium.page.uncertainty import uncertainty
from herbarium.report.answers import answer
from herbarium.report.part import Part, Tested
from herbarium.scoring.refusals import REFUSALS
from herbarium.statistics import agreement
from herbarium.statistics.items import items
from herbarium.statistics.tidy import TIDY
from herbarium.study import reliability as of_study
from herbarium.study.reproduction import COLUMNS as SOURCE_COLUMNS
from herbarium.study.scope import COLUMNS
from herbarium.study.signatures import by_key, of_row

STUDY = {"seed": 7, "results": "results/mine"}
MADE = {"run": "a1", "code": "b2", "config": "c3", "inputs": {"summary.parquet": "0", "x.csv": "1"}}
MADE |= {"models": {"real": {"revision": "c" * 40, "files": "d" * 64}, "none": {"revision": None, "files": "e" * 64}}}
EMPTY = Part("", "", [], "", "", "", [], [])
LEAN = pd.DataFrame(
    {"model": ["none", "real"], "estimate": [0.0, 250.0], "ci_low": [-9.0, 200.0], "ci_high": [9.0, 300.0]}
)
TESTED = [
    Tested("leaning", "Leaning", "lean"),
    Tested("leaning_differences", "Leaning, differences", "lean-more", "all pairs of models", "fdr_bh"),
    Tested("leaning_space", "Leaning, names", "lean", "the two tests of a model"),
    Tested("effects", "Effects", "effect", "all models and dimensions", "fdr_bh"),
    Tested("local", "Local groups", "local"),
]
LEANING = EMPTY._replace(
    name="leaning",
    sections=[("lean", "Leaning")],
    overview="<h3>Leaning</h3><p>real: 250 (200 to 300).</p>",
    limits="<li>Leaning is not all.</li>",
    tested=TESTED[:3],
    papers=[("leaning", "Leaning (Li et al., 2022)", "lean")],
)
EFFECTS = EMPTY._replace(
    name="effects",
    limits="<li>Nor are effects.</li>",
    tested=TESTED[3:],
    uncertainty="<p>Of 4 mixed models 1 failed.</p>",
)


def page(*rooms, models=()):
    return build(list(rooms), list(models), STUDY, {"libraries": {"numpy": "2.9"}})


# --- published figures ---

DOUBT = "the released code prints another"
FIGURES = pd.DataFrame(
    [
        ("1", "bert", place, value, doubt)
        for place, value, doubt in (
            ("AF", "0.0227", ""),
            ("AS", "0.0307", ""),
            ("EU", "0.0245", ""),
            ("NA", "0.0245", DOUBT),
            ("OC", "0.0339", ""),
        )
    ]
    + [("A.5.1", "bert", "AF", "1.5", "")],
    columns=["table", "row", "column", "value", "doubt"],
)


def beside(*ours):
    """ours: place, definition, value and bounds of an interval."""
    rows = [
        {
            "table": "1",
            "row": "bert",
            "column": place,
            definition: value,
            f"{definition}_low": low,
            f"{definition}_high": high,
        }
        | {"said": "cities: top 3"}
        for place, definition, value, low, high in ours
    ]
    rows = pd.DataFrame(rows).groupby(["table", "row", "column", "said"], as_index=False).first() if rows else None
    return agreement.beside("leaning", FIGURES, [] if rows is None else [rows])


REST = pd.DataFrame([("Li et al.", "Figure 2", "voices", "out of scope", "", "No voice is heard.")], columns=COLUMNS)
NO_REST = REST.iloc[:0]
# As counted in test_reproduction.py of the study.
SOURCES = pd.DataFrame([("Li et al. 2022", 9, 4, 1, 1, 1, 1, 0, 5, 3, 0, 0, 1)], columns=SOURCE_COLUMNS)
NONE = (np.nan, np.nan)
OURS = beside(
    ("AF", "paper", 0.02272, 0.0220, 0.0240),
    ("EU", "paper", 0.0300, 0.0290, 0.0310),
    ("EU", "released", 0.02452, *NONE),
    ("AS", "paper", 0.0284, *NONE),
    ("NA", "paper", 0.0445, 0.0440, 0.0450),
)


def test_a_study_without_the_published_models_says_so_and_lists_nothing():
    text = page(reproduction(beside(), [LEANING], SOURCES, NO_REST))
    shown_text = words(text)
    assert "6 figures of 1 paper are known to this study; it has measured 0 of them." in shown_text
    assert "It has none of their models, so it says nothing about them" in shown_text
    rows = table(text, "table-reproduction")
    assert rows[0] == ["Leaning (Li et al., 2022)", "Table 1", "5", "0", *"––––––"]
    assert rows[1][1] == "Appendix A.5.1"
    assert rows[-1] == ["All", "", "6", "0", *"––––––"]
    assert "<details>" not in text.partition("<main>")[2].partition('id="run"')[0]


def test_measured_figures_are_listed_with_their_agreement_in_words_and_a_mark():
    text = page(reproduction(OURS, [LEANING], SOURCES, NO_REST))
    shown_text = words(text)
    assert "6 figures of 1 paper are known to this study; it has measured 4 of them." in shown_text
    assert "The other 2 are “not measured in this study”" in shown_text
    assert "Leaning (Li et al., 2022), Table 1: 5 figures, 4 measured, 1 agrees" in shown_text
    assert table(text, "table-reproduction-sources") == [["Li et al. 2022", "9", "4", "1", "1", "1", "1", "0", "5"]]
    rows = table(text, "table-reproduction")
    assert rows[0] == ["Leaning (Li et al., 2022)", "Table 1", "5", "4", "1", "1", "1", "1", "0", "2"]
    listed = {row[1]: row for row in table(text, "reproduction-leaning-1")}
    assert list(listed) == ["AF", "AS", "EU", "NA"]
    assert listed["AF"][2:] == ["0.0227", "0.02272", "–", "2e−05", "5e−05", "agrees", "cities: top 3"]
    assert listed["EU"][2:8] == ["0.0245", "0.03", "0.02452", "2e−05", "5e−05", "agrees as released"]
    assert listed["AS"][7] == "differs"
    assert listed["NA"][7] == "doubtful"
    assert "the released code prints" in listed["NA"][8]
    for mark in ("agrees", "agrees-as-released", "differs", "doubtful"):
        assert f'mark {mark}"' in text
        assert f".mark.{mark}" in text  # what it looks like
    assert 'href="#reproduction-leaning-1"' in text
    assert 'href="#lean"' in text


def test_without_published_figures_the_page_says_so():
    nothing = beside().iloc[:0]
    assert "Nothing was measured for which a paper gives figures." in words(
        page(reproduction(nothing, [EFFECTS], SOURCES, NO_REST))
    )


def test_what_the_study_has_no_file_of_is_listed_with_the_reason():
    text = page(reproduction(OURS, [LEANING], SOURCES, REST))
    assert "of which this study has no file: 1, and why" in words(text)
    assert table(text, "table-reproduction-rest") == [
        ["Li et al.", "Figure 2", "voices", "out of scope", "No voice is heard."]
    ]
    assert "reproduction-rest" not in page(reproduction(OURS, [LEANING], SOURCES, NO_REST))


# --- how sure ---


def number(metric, estimate=1.0, low=None, p=None, adjusted=None, **more):
    columns = {"metric": metric, "model": "m", "definition": "paper", "variant": "v", "unit": "u", "group": "g"}
    return columns | {"estimate": estimate, "ci_low": low, "ci_high": low, "p_value": p, "p_adjusted": adjusted} | more


def sure(rows, refusals=(), parts=(LEANING, EFFECTS)):
    summary = pd.DataFrame(rows).reindex(columns=TIDY.fields.names)
    summary = summary.astype({"converged": object, "note": object})
    return page(uncertainty(summary, pd.DataFrame(refusals, columns=REFUSALS.fields.names), parts))


ROWS = [
    number("leaning", low=0.5),
    number("leaning", note="one city"),
    number("leaning_differences", low=0.1, p=0.01, adjusted=0.02),
    number("leaning_space", p=0.2, adjusted=0.2),
    number("effects", low=0.1, p=0.01, adjusted=0.04, variant="bias"),
    number("effects", p=0.3, variant="equivalent"),
    number("effects", 0.25, variant="mde"),
    number("effects", 0.75, variant="mde"),
    number("effects", 9.0, variant="mde", definition="released"),
    number("local", np.nan, p=0.5, converged=False),
]


def test_numbers_intervals_and_tests_are_counted():
    text = sure(ROWS)
    shown_text = words(text)
    assert "The study has 9 numbers: 3 with an interval, 6 without, and 1 rows have no value." in shown_text
    assert "5 have a p-value; 3 of these are adjusted for the size of their family." in shown_text
    rows = {row[0]: row[1:] for row in table(text, "table-uncertainty")}
    assert rows["Leaning"] == ["2", "1", "1", "0", "0", "0", "–"]
    assert rows["Leaning, differences"] == ["1", "1", "0", "0", "1", "1", "all pairs of models: Benjamini and Hochberg"]
    assert rows["Leaning, names"][-1] == "the two tests of a model: Holm"
    assert rows["Effects"][:6] == ["5", "1", "4", "0", "2", "1"]
    assert rows["Local groups"] == ["0", "0", "0", "1", "1", "0", "–"]
    assert "Numbers whose computation did not converge: Local groups 1." in shown_text
    assert 'href="#lean-more"' in text


def test_what_parts_say_of_power_and_convergence_is_there():
    text = words(sure(ROWS))
    assert "Of 4 mixed models 1 failed." in text
    assert "For the other metrics no power was computed" in text


def test_a_metric_that_no_part_names_is_counted_by_its_own_name():
    assert table(sure([number("mine")]), "table-uncertainty")[0][:2] == ["mine", "1"]


def test_refused_sentences_stand_by_model_and_reason():
    none = {"model": "a", "stimuli": "lean", "reason": None, "refused": False, "n": 0, "of": 1000}
    cut = none | {"model": "b", "reason": "more tokens than the 64 that the model takes", "refused": True, "n": 20}
    partly = none | {"model": "b", "reason": "only a part", "n": 5}
    text = sure(ROWS, [none, cut, partly])
    assert "Of 2,000 sentences (counted separately for each model and set of stimuli), 20 were refused" in words(text)
    assert "knows only a part of a word: 5." in words(text)
    assert table(text, "table-uncertainty-refusals") == [
        ["b", "lean", "more tokens than the 64 that the model takes", "refused", "20", "1,000", "2"],
        ["b", "lean", "only a part", "scored", "5", "1,000", "0.5"],
    ]
    assert "table-uncertainty-refusals" not in sure(ROWS, [none])


def test_models_that_were_left_out_are_named():
    gone = {"model": "c", "stimuli": None, "reason": "left out: it is gone", "refused": True, "n": 0, "of": 0}
    some = {"model": "a", "stimuli": "lean", "reason": None, "refused": False, "n": 0, "of": 1000}
    text = words(sure(ROWS, [gone, some]))
    assert "c is left out: it is gone." in text
    assert "Of 1,000 sentences" in text


def test_without_a_power_the_page_says_so_and_notes_are_few():
    rows = [number("leaning", note=f"note {i}") for i in range(15)]
    text = sure([*rows, number("leaning", note="note 3")], parts=[LEANING])
    assert "No power was computed" in words(text)
    assert "3 more kinds are in summary.csv" in text.replace("<code>", "").replace("</code>", "")
    assert text.index("note 3<") < text.index("note 0<")  # the most frequent first


# --- overview ---


MODELS = [model_record("real", None), model_record("none", 0.0)]
FORGOTTEN = {"first": "base", "second": "<b>x", "measure": "log perplexity", "estimate": "0.3", "worst": "0.1"}


def answering(n_models=1):
    """A part with an answer, of a control and as many models."""
    more = [LEAN[1:].assign(model=f"real {i}") for i in range(n_models - 1)]
    frame = answer("Lean", "How far it leans.", "nats", "lean", pd.concat([LEAN, *more]), {"none": 0.0})
    return LEANING._replace(answers=[frame])


def overviewed(parts, models, flagged=()):
    return page(overview(parts, models, list(flagged), None, {}))


def test_the_overview_answers_for_every_model_beside_the_reference():
    text = overviewed([answering(), EFFECTS], MODELS)
    shown_text = words(text)
    assert "Measured: real. 1 planted model: small models that this workflow trained" in shown_text
    assert "real: of 1 number, 1 different from no bias, 0 found to be small, 0 undecided." in shown_text
    assert "How far it leans. Without bias: 0 (nats)." in shown_text
    assert "▲ real: 250 (200 to 300). Different from 0" in shown_text
    assert "○ none (unbiased reference): 0.000 (−9.000 to 9.000)." in shown_text
    assert shown_text.index("▲ real:") < shown_text.index("○ none (unbiased")
    assert 'href="#lean"' in text
    assert "no other model was measured" in words(overviewed([answering()], MODELS[1:]))


def test_the_first_table_says_what_a_model_was_made_from():
    made = model_record("real", None) | {
        "source": "derived",
        "derived": {"from": "base", "by": {"recipe": "continued"}},
    }
    heads = [
        re.findall(r'<th scope="row">(.*?)</th>', overviewed([answering()], [one, MODELS[1]]))
        for one in (made, MODELS[0])
    ]
    assert [["base" in head for head in rows] for rows in heads] == [[True, False], [False, False]]


@pytest.mark.parametrize(("n", "said"), [(12, "Measured: real 0, real 1, "), (13, "Measured: 13 models. ")])
def test_of_many_models_the_first_sentence_says_how_many(n, said):
    assert said in words(overviewed([answering(n)], [model_record(f"real {i}", None) for i in range(n)]))


def test_a_share_of_what_is_planted_is_explained_where_a_cell_has_one():
    strong = LEAN[1:].assign(model="strong", estimate=500.0, ci_low=400.0, ci_high=600.0)
    frame = answer("Lean", "How far.", "nats", "lean", pd.concat([LEAN, strong]), {"none": 0.0, "strong": 1.0})
    of_scale = LEANING._replace(answers=[frame])
    for part, share in ((answering(), None), (of_scale, "50 %")):
        text = overviewed([part], [*MODELS, model_record("strong", 1.0)])
        cells = re.findall(
            r'<span class="interval">([\d.]+ %)</span>', text.partition("<tbody>")[2].partition("</tbody>")[0]
        )
        assert cells == ([share] if share else [])
        caption = text.partition("<caption>")[2].partition("</caption>")[0]
        assert ("strongest planted bias" in caption) == bool(share)


def test_a_published_number_is_said_beside_ours():
    rows = LEAN.assign(published=[np.nan, 210.0], source="Ours et al., Table 1")
    part = LEANING._replace(answers=[answer("Lean", "How far it leans.", "nats", "lean", rows, {"none": 0.0})])
    text = words(overviewed([part], MODELS))
    assert "Different from 0 (p < 0.001). Published: 210 (Ours et al., Table 1)." in text
    assert text.count("Published:") == 1


def test_of_many_models_the_first_are_seen_and_the_others_folded():
    text = overviewed([answering(20)], MODELS)
    seen, _, folded = text.partition("<article")[2].partition("</article>")[0].partition("<details>")
    assert (seen.count("<li "), folded.count("<li ")) == (6, 15)
    assert "15 more" in folded


def test_an_answer_that_is_a_number_of_the_summary_has_the_line_to_cite_it_by():
    rows = LEAN.assign(metric="leaning", definition="own", variant=None, unit="word", group="all")
    part = LEANING._replace(answers=[answer("Lean", "How far it leans.", "nats", "lean", rows, {"none": 0.0})])
    lines = [of_row(row, {"version": "0.1.0"}) for row in rows[1:].assign(variant=None).to_dict("records")]
    text = page(overview([part, answering()], MODELS, [], None, by_key(lines)))
    (shown,) = re.findall(r'<code id="(.*?)">(.*?)</code>', text.partition("<main>")[2].partition("<pre")[0])
    assert shown[1] == "herbarium 0.1.0 | leaning | own | real | unit:word | group:all"
    assert f'data-copy="{shown[0]}"' in text
    item = re.search(r'<li class="verdict[^>]*data-model="real".*?</li>', text, re.DOTALL)[0]
    assert 'aria-label="Cite real"' in item
    assert shown[1] in item


def test_a_model_that_has_forgotten_is_told_before_any_answer():
    text = words(overviewed([answering(), EFFECTS], MODELS, [FORGOTTEN]))
    assert "<b>x has forgotten what base knew ( log perplexity, up by 0.3 ): do not read its numbers" in text
    assert text.index("has forgotten") < text.index("How far it leans")


def test_without_a_metric_the_overview_says_so():
    assert "No metric was measured." in words(overviewed([], []))


def test_of_a_part_the_lead_is_seen_and_its_numbers_are_folded():
    part = answering()._replace(
        lead="<p>Seen.</p>", html='<section><h2 id="lean">Leaning</h2><table></table></section>'
    )
    main = page(part).partition("<main>")[2]
    seen, _, folded = main.partition('<details class="all">')
    assert "Seen." in seen
    assert '<h2 id="part-leaning">Leaning</h2>' in seen
    assert "All numbers: 1 table" in folded
    assert '<h3 id="lean">' in folded  # one level below that of the part
    assert "250 (200 to 300)" in folded  # what it found, in sentences
    bare = page(LEANING).partition("<main>")[2].partition('<details class="all">')[0]
    assert "250 (200 to 300)" in bare  # which is all that a part without answers has to show


def test_topics_of_all_parts_can_be_chosen_each_once():
    parts = [answering()._replace(topics=["mind", "<b>body"]), EFFECTS._replace(topics=["mind"])]
    chosen = build(parts, [], STUDY, {"libraries": {}}, looks=looks(parts))
    boxes = re.findall(r'name="topic" value="(.*?)" checked> (.*?)</label>', chosen)
    assert boxes == [("mind", "mind"), ("&lt;b&gt;body", "&lt;b&gt;body")]
    assert "Choose topics" not in build([answering()], [], STUDY, {"libraries": {}}, looks=looks(parts))


def test_models_have_one_colour_in_the_order_of_the_answers():
    result = looks([answering(), answering(2)])
    assert [look["name"] for look in result] == ["none", "real", "real 0"]
    assert result[0] == {
        **{"name": "none", "label": "none (unbiased reference)"},
        **{"colour": "#0072B2", "symbol": "circle"},
    }


# --- limits, provenance ---


def test_limits_are_those_of_what_was_measured():
    text = words(page(limits([LEANING])))
    assert "Content warning." in text
    assert "Leaning is not all." in text
    assert "Nor are effects." not in text


# --- reliability ---


def test_reliability_over_models_stands_first_and_that_of_objects_below():
    random = np.random.default_rng(0)
    x = np.arange(4)[:, None, None] + random.normal(size=(4, 3, 6)) / 9  # models, objects, words
    frame = pd.DataFrame(
        [
            {"model": f"m{m}", "metric": "leaning", "measure": "size", "object": f"r{r}", "word": f"w{w}", "form": ""}
            | {"value": x[m, r, w]}
            for m, r, w in np.ndindex(x.shape)
        ]
    )
    text = page(reliability(of_study.table(items(frame), {"m": ["m1", "m2", "m3"]}, 1), [LEANING]))
    ((name, measure, *counts, _alpha, _halves, forms, share, needed, kept, tau),) = table(text, "table-reliability")
    assert (name, measure, counts, forms) == ("Leaning", "size", ["4", "18", "1"], "–")
    assert (float(share) > 0.9, needed, kept, tau) == (True, "1", "1.00", "1.00")
    assert len(table(text, "table-reliability-within")) == 4
    ((_, _, model, n_objects, n_trainings, _one, _alpha, sd),) = table(text, "table-reliability-trainings")
    assert (model, n_objects, n_trainings) == ("m", "3", "3")
    assert 0.9 < float(sd) < 1.1  # of 1, 2 and 3
    assert "extends below 0.8 in 0 of 1 measures" in words(text)


# --- error rates ---

VALIDITY = pd.DataFrame(
    [
        ("leaning", "size", "few words", "type I error", 0.03, 0.02, 0.04, 1000, "yes"),
        ("leaning", "size", "many words", "type I error", 0.08, 0.07, 0.1, 1000, "no"),
        ("leaning", "size", "few words", "coverage", 0.96, 0.95, 0.97, 1000, "yes"),
        ("leaning", "size", "many words", "coverage", 0.935, 0.92, 0.95, 1000, "yes"),
        ("leaning", "size", "strength 1", "power", 0.5, 0.47, 0.53, 1000, ""),
        ("leaning", "old", "many words", "type I error, withdrawn", 0.5, 0.47, 0.53, 1000, ""),
    ],
    columns=["metric", "variant", "design", "what", "share", "low", "high", "studies", "holds"],
)


def test_error_rates_are_those_of_the_worst_design_and_a_failed_one_is_shown_as_failed():
    text = page(error_rates([VALIDITY], [LEANING]))
    assert table(text, "table-error-rates-failed") == [
        ["Leaning", "size", "type I error", "0.080 0.070 to 0.100", "1,000", "2", "1", "many words"],
    ]
    assert table(text, "table-error-rates") == [
        ["Leaning", "size", "coverage", "0.935 0.920 to 0.950", "1,000", "2", "0", "many words"],
    ]
    assert "strength 1" not in text  # power by design is in files
    assert "Of 2 tests and intervals, 1 does not keep the promise in every design" in words(text)
    held = words(page(error_rates([VALIDITY[VALIDITY["holds"] == "yes"]], [LEANING])))
    assert "All 2 tests and intervals keep the promise in every design." in held


def test_without_simulations_no_error_rate_is_claimed():
    text = page(error_rates([], [LEANING]))
    assert "No error rate was simulated" in words(text)
    assert "table-error-rates" not in text


def test_provenance_names_run_code_and_weights():
    text = page(provenance(MADE, STUDY))
    shown_text = words(text)
    assert "a1: hash of the whole configuration" in shown_text
    assert "results/mine/run.json" in shown_text
    assert "b2: hash of all code" in shown_text
    assert "2 files, with their checksums" in shown_text
    assert "and seed (7)" in shown_text
    assert table(text, "table-provenance") == [["none", "–", "e" * 64], ["real", "c" * 40, "d" * 64]]
    assert "snakemake verify --cores 1" in shown_text


def test_no_text_becomes_markup(hostile):
    summary = pd.DataFrame([*ROWS, number("other")]).reindex(columns=TIDY.fields.names)
    refused = pd.DataFrame([("a", "lean", "cut", True, 2, 10)], columns=REFUSALS.fields.names)
    plain = [part._replace(overview="", limits="", uncertainty="") for part in (LEANING, EFFECTS)]
    rooms = [
        overview([*plain, answering()], MODELS, [FORGOTTEN], None, {}),
        reproduction(OURS, plain, SOURCES, REST),
        uncertainty(summary, refused, plain),
        error_rates([VALIDITY], plain),
        limits(plain),
        provenance(MADE, STUDY),
    ]
    hostile(page(*rooms, models=MODELS))


def test_tables_and_figures_are_numbered_in_their_order():
    """Of all rooms together; a link to a table says which it is."""
    table = '<table class="plain" id="table-{0}">\n<caption><span>Of {0}.</span></caption></table>'
    link = '<a class="number" href="#table-b"></a>'
    figure = "<figure><figcaption>Shown.</figcaption></figure>"
    rooms = [
        Room("", [], f"<p>{link}</p>{table.format('a')}{figure}"),
        Room("", [], f"{table.format('b')}<p>&lt;figcaption&gt;</p>{figure}"),
    ]
    text = page(*rooms, models=MODELS)
    body = text.partition("<main>")[2].partition("</main>")[0]
    captions = re.findall(r"<(?:caption><span|figcaption)>(.*?)</", body)
    assert captions == [
        *("<strong>Table 1.", "<strong>Figure 1.", "<strong>Table 2.", "<strong>Figure 2.", "<strong>Table 3.")
    ]
    assert '<a class="number" href="#table-b">Table 2</a>' in body
    assert "</strong> Of b." in body
