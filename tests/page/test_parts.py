"""The parts of the report on the whole study: their numbers are those of the tables, their claims follow from them."""

import numpy as np
import pandas as pd
import pytest
from tests.conftest import model_record
from tests.metrics.categorical_bias import test_report as of_cb
from tests.metrics.downstream import test_report as of_tasks
from tests.metrics.mixed_effects import test_report as of_fits
from tests.metrics.mixed_effects.test_report import table, words
from tests.reports import pictures_of
from tests.study.test_reproduction import NONE, PUBLISHED, herb

from herbarium.metrics.categorical_bias.report import part as categorical_bias
from herbarium.metrics.downstream.report import part as downstream
from herbarium.metrics.herb.report import part as herb_part
from herbarium.metrics.mixed_effects.report import part as mixed_effects
from herbarium.page import build, limits, overview, provenance, reproduction, uncertainty
from herbarium.page.build import Part
from herbarium.statistics.tidy import TIDY
from herbarium.study import reproduction as compared
from herbarium.study.refusals import COLUMNS as REFUSALS

TESTS = {"tests": {"correction": "fdr_bh", "power": 0.8, "alpha": 0.05}}
STUDY = {"seed": 7, "results": "results/mine", "herb": TESTS, "mixed_effects": TESTS}
MADE = {"run": "a1", "code": "b2", "config": "c3", "inputs": {"summary.parquet": "0", "x.csv": "1"}}
MADE |= {
    "models": {"real": {"revision": "c" * 40, "weights": "d" * 64}, "none": {"revision": None, "weights": "e" * 64}}
}


def page(*parts, models=()):
    return build.build(list(parts), list(models), STUDY, {"libraries": {"numpy": "2.9"}})


# --- published figures ---


def beside(ours):
    """Through a file, as the report reads it."""
    return compared.table(PUBLISHED, ours)


OURS = herb(
    ("continent:AF", "paper", 0.0230, 0.0220, 0.0240),
    ("continent:EU", "paper", 0.0300, 0.0290, 0.0310),
    ("continent:EU", "released", 0.02452, *NONE),
    ("continent:AS", "paper", 0.0284, *NONE),
    ("continent:NA", "paper", 0.0445, 0.0440, 0.0450),
)


def test_a_study_without_the_published_models_says_so_and_lists_nothing():
    text = page(reproduction.part(beside({}), ["herb"]))
    said = words(text)
    assert "959 figures of the three papers are known to this study; 0 of them it has measured." in said
    assert "It has none of the models that they are of, so it says nothing about them" in said
    rows = table(text, "table-reproduction")
    assert rows[0] == ["HERB (Li et al., 2022)", "Table 1", "56", "0", *"–––––"]
    assert rows[-1] == ["All", "", "959", "0", *"–––––"]
    assert {row[1] for row in rows} >= {"Table 16", "Appendix C", "Appendix A.5.1", "Section 3.2.4"}
    assert "<details" not in text.partition("<main>")[2].partition('id="run"')[0]


def test_measured_figures_are_listed_with_their_agreement_in_words_and_a_mark():
    text = page(reproduction.part(beside(OURS), ["herb"]))
    said = words(text)
    assert "959 figures of the three papers are known to this study; 4 of them it has measured." in said
    assert "The other 955 are “not measured in this study”" in said
    assert "HERB (Li et al., 2022), Table 1: 56 figures, 4 measured, 1 agrees" in said
    rows = table(text, "table-reproduction")
    assert rows[0] == ["HERB (Li et al., 2022)", "Table 1", "56", "4", "1", "1", "1", "1", "1"]
    listed = {row[1]: row for row in table(text, "reproduction-herb-1")}
    assert list(listed) == ["AF", "AS", "EU", "NA"]
    assert listed["AF"][2:] == ["0.0227", "0.023", "–", "0.0003", "0.00105", "agrees", "cities: top 3"]
    assert listed["EU"][2:8] == ["0.0245", "0.03", "0.02452", "2e−05", "5e−05", "agrees as released"]
    assert listed["AS"][7] == "differs"
    assert listed["NA"][7] == "doubtful"
    assert "the released code prints" in listed["NA"][8]
    for mark in ("agrees", "agrees-as-released", "differs", "doubtful"):
        assert f'mark {mark}"' in text
        assert f".mark.{mark}" in text  # what it looks like
    assert 'href="#reproduction-herb-1"' in text


# --- how sure ---


def number(metric, estimate=1.0, low=None, p=None, adjusted=None, **more):
    found = {"metric": metric, "model": "m", "definition": "paper", "variant": "v", "unit": "u", "group": "g"}
    return found | {"estimate": estimate, "ci_low": low, "ci_high": low, "p_value": p, "p_adjusted": adjusted} | more


def sure(rows, fits=None, refusals=(), sections=("mixed", "firm"), study=STUDY):
    summary = pd.DataFrame(rows).reindex(columns=TIDY.fields.names)
    summary = summary.astype({"converged": object, "note": object})
    fits = of_fits.table_of([]) if fits is None else fits
    refusals = pd.DataFrame(refusals, columns=REFUSALS)
    return page(uncertainty.part(summary, fits, refusals, study, frozenset(sections)))


ROWS = [
    number("herb", low=0.5),
    number("herb", note="one city"),
    number("herb_differences", low=0.1, p=0.01, adjusted=0.02),
    number("herb_space", p=0.2, adjusted=0.2),
    number("mixed_effects", low=0.1, p=0.01, adjusted=0.04, variant="bias"),
    number("mixed_effects", p=0.3, variant="equivalent"),
    number("mixed_effects", 0.25, variant="mde"),
    number("mixed_effects", 0.75, variant="mde"),
    number("mixed_effects", 9.0, variant="mde", definition="released"),
    number("local_group_bias", np.nan, p=0.5, converged=False),
]


def test_numbers_intervals_and_tests_are_counted():
    text = sure(ROWS)
    said = words(text)
    assert "The study has 9 numbers: 3 with an interval, 6 without, and 1 rows have no value." in said
    assert "5 have a p-value; 3 of these are adjusted for the size of their family." in said
    rows = {row[0]: row[1:] for row in table(text, "table-certainty")}
    assert rows["HERB"] == ["2", "1", "1", "0", "0", "0", "–"]
    over = "all pairs of models and all regions, or all pairs of continents of a model, by score"
    assert rows["HERB, differences"] == ["1", "1", "0", "0", "1", "1", f"{over}: Benjamini and Hochberg"]
    assert rows["HERB, names as a model represents them"][-1] == "the two tests of a model: Holm"
    assert rows["Mixed effects"][:6] == ["5", "1", "4", "0", "2", "1"]
    assert rows["Tasks, local groups"] == ["0", "0", "0", "1", "1", "0", "–"]
    assert table(text, "table-certainty-mde") == [["m", "2", "0.25", "0.5", "0.75"]]
    assert "Numbers whose computation did not converge: Tasks, local groups 1." in said
    assert "No mixed model was fitted." in said
    # only sections that the page has are linked to
    assert 'href="#firm"' in text
    assert 'href="#herb"' not in text


def test_fits_that_failed_are_counted():
    failed = [
        of_fits.fit("strong", "order"),
        of_fits.fit("strong", "care", converged=False),
        of_fits.fit("none", "order", singular=True),
        of_fits.fit("none", "care", p_value=np.nan),
    ]
    said = words(sure(ROWS, fits=of_fits.table_of(failed), sections=["mixed-firm"]))
    assert "Of 4 mixed models 1 did not converge, 1 is singular and 1 gave no p-value." in said


def test_refused_sentences_stand_by_model_and_reason():
    none = {"model": "a", "probe": "herb", "reason": None, "refused": False, "n": 0, "of": 1000}
    cut = none | {"model": "b", "reason": "more tokens than the 64 that the model takes", "refused": True, "n": 20}
    partly = none | {"model": "b", "reason": "only a part", "n": 5}
    text = sure(ROWS, refusals=[none, cut, partly])
    assert "Of 2,000 sentences (each model and probe by itself) were refused: 20" in words(text)
    assert "knows only a part of a word: 5." in words(text)
    assert table(text, "table-certainty-refusals") == [
        ["b", "herb", "more tokens than the 64 that the model takes", "refused", "20", "1,000", "2"],
        ["b", "herb", "only a part", "scored", "5", "1,000", "0.5"],
    ]
    assert "table-certainty-refusals" not in sure(ROWS, refusals=[none])


def test_without_a_power_the_page_says_so_and_notes_are_few():
    rows = [number("herb", note=f"note {i}") for i in range(15)]
    text = sure([*rows, number("herb", note="note 3")])
    assert "No power was computed in this study" in words(text)
    assert "3 more kinds stand in summary.csv" in text.replace("<code>", "").replace("</code>", "")
    assert text.index("note 3<") < text.index("note 0<")  # the most frequent first


# --- overview ---


def places(*rows):
    """Rows of the root and two regions of a model: label of the model is its name and strength."""
    names = ["model", "planted", "estimate", "ci_low", "ci_high"]
    return {
        "has_intervals": True,
        "extremes": [
            herb_part.extremes(pd.DataFrame([dict(zip(names, row, strict=True)) | {"name": "the Earth"}]))
            for row in rows
        ],
    }


def findings(pictures, floor=True):
    own = [("real", np.nan, 0.25, 0.2, 0.3)] + [("none", 0.0, 0.05, 0.04, 0.06)] * floor
    tasks = pd.DataFrame(of_tasks.numbers()).reindex(columns=TIDY.fields.names)
    labels = {"m": "m"}
    return {
        "herb": Part("", [], "", places(*own)),
        "categorical_bias": categorical_bias.part(of_cb.tidy(), of_cb.MEASURED, pictures, of_cb.REMARKS, of_cb.STUDY),
        "mixed_effects": mixed_effects.part(of_fits.fits(), of_cb.tidy(), of_fits.MODELS, {}, of_fits.STUDY),
        "downstream": Part(
            "",
            [],
            "",
            {
                "tasks": [downstream.findings(of_tasks.task(planted=1.0), tasks, {}, labels)],
            },
        ),
    }


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    tables = {name: pd.DataFrame(columns=module.COLUMNS) for name, module in categorical_bias.FIGURES.items()}
    return pictures_of(tables, tmp_path_factory.mktemp("pictures"))


MODELS = [model_record("real", None), model_record("none", 0.0)]


def test_every_finding_has_its_interval_and_null_value(pictures):
    said = words(page(overview.part(findings(pictures), MODELS)))
    assert "Measured: real. Of known bias, trained by this workflow to test the metrics: none (planted 0)." in said
    assert "Its null value, 0, no trained model reaches. The floor is what a model without bias has." in said
    assert "real: 250 (200 to 300). none (planted 0): 50.0 (40.0 to 60.0), the floor." in said
    assert (
        "strong (planted 2), greek: 1.25 (1.00 to 1.50). Of the mean: 0.625, where chance gives 0.312 (0.250 to "
        "0.417): more than chance, adjusted p = 0.032." in said
    )
    assert (
        "none (planted 0), traits, male against female words: of 2 dimensions, 2 are as good as 0, and 0 differ from 0 "
        "by the maximal model after adjustment; the paper’s decision calls 2 biased. Largest: order, 0.0200 (0.0100 to "
        "0.0300) by the paper’s model." in said
    )
    assert (
        "m, posts (texts with planted strength 1): 3.00 (2.50 to 3.50), adjusted p = 0.001: more than made-up names do."
        in said
    )


def test_without_a_floor_or_intervals_nothing_is_claimed(pictures):
    of = findings(pictures, floor=False)
    said = words(page(overview.part({"herb": of["herb"]}, MODELS[:1])))
    assert "so there is no floor: a value says by itself nothing of bias" in said
    assert "calibration" not in said
    of["herb"].facts["has_intervals"] = False
    said = words(page(overview.part({"herb": of["herb"]}, MODELS[:1])))
    assert "No intervals were computed, so nothing is concluded." in said
    assert "250" not in said
    missing = "ethnic bias (Categorical Bias), effect sizes (linear mixed models), downstream tasks."
    assert f"Not measured in this study: {missing}" in said
    assert "No metric was measured." in words(page(overview.part({}, [])))


# --- limits, provenance ---


def test_limits_are_those_of_what_was_measured():
    said = words(page(limits.part(["herb"])))
    assert "Content warning." in said
    assert "docs/herb.md" in said
    assert "docs/mixed_effects.md" not in said


def test_provenance_names_run_code_and_weights():
    text = page(provenance.part(MADE, STUDY))
    said = words(text)
    assert "a1: hash of the whole configuration" in said
    assert "results/mine/run.json" in said
    assert "b2: hash of all code" in said
    assert "2 files, with their checksums" in said
    assert "and seed (7)" in said
    assert table(text, "table-provenance") == [["none", "–", "e" * 64], ["real", "c" * 40, "d" * 64]]
    assert "snakemake verify --cores 1" in said


def test_no_text_becomes_markup(pictures, hostile):
    summary = pd.DataFrame([*ROWS, number("other")]).reindex(columns=TIDY.fields.names)
    refusals = pd.DataFrame([("a", "herb", "cut", True, 2, 10)], columns=REFUSALS)
    parts = [
        overview.part(findings(pictures), MODELS),
        reproduction.part(beside(OURS), ["herb"]),
        uncertainty.part(summary, of_fits.fits(), refusals, STUDY, frozenset(["mixed"])),
        limits.part(["herb"]),
        provenance.part(MADE, STUDY),
    ]
    hostile(page(*parts, models=MODELS))
