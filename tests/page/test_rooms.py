"""The rooms of the page on the whole study: their numbers are those of the tables, their claims follow from them."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.reports import shown, table, words

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


# --- what each room shows ---

NONE_REFUSED = {"model": "a", "stimuli": "lean", "reason": None, "refused": False, "n": 0, "of": 1000}
CUT = {"model": "b", "reason": "more tokens than the 64 that the model takes", "refused": True, "n": 20}
REFUSED = [NONE_REFUSED, NONE_REFUSED | CUT, NONE_REFUSED | {"model": "b", "reason": "only a part", "n": 5}]
GONE = {"model": "c", "stimuli": None, "reason": "left out: it is gone", "refused": True, "n": 0, "of": 0}
NOTES = [number("leaning", note=f"note {i}") for i in [*range(15), 3]]
PUBLISHED = LEAN.assign(published=[np.nan, 210.0], source="Ours et al., Table 1")
WITH_LEAD = {"lead": "<p>Seen.</p>", "html": '<section><h2 id="lean">Leaning</h2><table></table></section>'}


def of_published():
    return LEANING._replace(answers=[answer("Lean", "How far it leans.", "nats", "lean", PUBLISHED, {"none": 0.0})])


def many(n):
    return overviewed([answering(n)], [model_record(f"real {i}", None) for i in range(n)])


SHOWN = {
    "figures, none measured": lambda: page(reproduction(beside(), [LEANING], SOURCES, NO_REST)),
    "figures, some measured": lambda: page(reproduction(OURS, [LEANING], SOURCES, REST)),
    "figures, none published": lambda: page(reproduction(beside().iloc[:0], [EFFECTS], SOURCES, NO_REST)),
    "uncertainty": lambda: sure(ROWS, REFUSED),
    "uncertainty of a metric without a part": lambda: sure([number("mine")]),
    "uncertainty, a model left out": lambda: sure(ROWS, [GONE, NONE_REFUSED]),
    "uncertainty, many notes and no power": lambda: sure(NOTES, parts=[LEANING]),
    "overview": lambda: overviewed([answering(), EFFECTS], MODELS, [FORGOTTEN]),
    "overview of planted models": lambda: overviewed([answering()], MODELS[1:]),
    "overview with a published number": lambda: overviewed([of_published()], MODELS),
    "overview of 12": lambda: many(12),
    "overview of 13": lambda: many(13),
    "overview of nothing": lambda: overviewed([], []),
    "part with a lead": lambda: page(answering()._replace(**WITH_LEAD)),
    "part without answers": lambda: page(LEANING),
    "limits": lambda: page(limits([LEANING])),
    "error rates": lambda: page(error_rates([VALIDITY], [LEANING])),
    "error rates that hold": lambda: page(error_rates([VALIDITY[VALIDITY["holds"] == "yes"]], [LEANING])),
    "error rates without simulations": lambda: page(error_rates([], [LEANING])),
    "provenance": lambda: page(provenance(MADE, STUDY)),
}


@pytest.mark.parametrize("room", SHOWN)
def test_a_room_shows_what_its_tables_have(room, snapshot):
    assert shown(SHOWN[room]()) == snapshot


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
