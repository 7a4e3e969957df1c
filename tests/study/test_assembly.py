"""Rows of several models, metrics and comparisons in what is made of a whole study: see tests/assembly.py."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from tests.assembly import Assembly, assert_assembled, tables_of_tables
from tests.drawing.test_every_figure import PACKAGE
from tests.metrics.mixed_effects.figure_toys import fits
from tests.report import test_answers, test_reference
from tests.report.test_answers import REFERENCE, STRONG, lean, row
from tests.statistics import test_agreement, test_grouped, test_paired
from tests.study import figure_toys, test_reliability, test_reproduction, test_words

from herbarium.page import changes as changes_page
from herbarium.page import overview, uncertainty
from herbarium.report import answers, reference
from herbarium.statistics import agreement, calibration, fits_overview, grouped, paired
from herbarium.statistics.items import items
from herbarium.study import changes, checkpoints, comparison, differences, reliability, reproduction, results, words
from herbarium.study.calibration import by_kind

WEAK = row("weak", 3.0, 2.8, 3.2)  # more than the strongest: no scale for others
GIVEN = [
    lean(REFERENCE, STRONG, row("mine", 1.0, 0.1, 1.9, p=0.02), row("other", 0.5, -0.4, 1.4, p=0.04)),
    lean(REFERENCE, STRONG, row("mine", 0.3, 0.1, 0.5, p=0.01), title="Other"),
]
SCREEN = ("p_screen", "detectable", "sentence")


def screened():
    return answers.table(GIVEN)


def screen_with_expected(given, calibration):
    return answers.table(answers.with_expected(given, calibration))


def expected():
    known = [("strong", 2.0, 2.0, 1.6), ("weak", 1.0, 2.0, 1.1), ("none", 0.0, 0.01, 0.0)]
    return pd.DataFrame(known, columns=["model", "planted", "estimate", "expected"])


def of_items():
    x = np.random.default_rng(0).normal(size=(2, 6, 4, 2))
    tables = [test_reliability.item_table(model, x[at], f"m{at}") for at, model in enumerate("ab")]
    return items(pd.concat([*tables, test_reliability.item_table("b", x[0], "m0")]))


def known_fits():
    return fits_overview.adjusted(fits().assign(p_equivalence=0.002), "holm")


def summary():
    return pd.concat([figure_toys.of_run(0.0), figure_toys.of_run(1.0).assign(metric="other")])


ADJUSTED = {"p_adjusted": ("model",), "p_equivalence_adjusted": ("model",)}
ASSEMBLED = [
    Assembly(answers.table, screened, rows={"model": "mine"}, family=dict.fromkeys((*SCREEN, "verdict"), ("model",))),
    Assembly(answers.table, screened, rows={"model": "strong"}),
    Assembly(
        answers.table, screened, rows={"title": "Other"}, family=dict.fromkeys(SCREEN, ("title",)), leading=("title",)
    ),
    Assembly(screen_with_expected, lambda: screen_with_expected(GIVEN, expected()), rows={"model": "strong"}),
    Assembly(answers.headline, lambda: answers.headline(screened()), rows={"model": "mine", "title": "Lean"}),
    Assembly(
        answers.foremost,
        test_answers.test_the_row_that_stands_for_all_is_the_clearest_not_the_largest,
        rows={"model": "m"},
    ),
    Assembly(
        reference.shares,
        test_reference.test_shares_of_several_series_are_one_text,
        rows={"model": "strong", "panel": "lean"},
    ),
    Assembly(
        reference.withdrawn,
        test_reference.test_a_withdrawn_reference_has_no_row_and_no_mark_on_the_screen,
        rows={"panel": "lean"},
        nothing={"model": "weak"},
    ),
    Assembly(fits_overview.adjusted, known_fits, rows={"model": "strong", "definition": "paper"}, family=ADJUSTED),
    Assembly(fits_overview.adjusted, known_fits, rows={"data": "traits", "contrast": "male-female"}),
    Assembly(
        fits_overview.overview,
        lambda: fits_overview.overview(known_fits()),
        rows={"model": "strong", "definition": "paper", "data": "nouns"},
    ),
    Assembly(
        grouped.adjusted,
        test_grouped.test_p_values_are_adjusted_over_the_models_of_the_same_data,
        rows={"model": "a", "variant": "share"},
        family={"p_adjusted": ("model",)},
    ),
    Assembly(
        agreement.beside, test_agreement.test_several_models_beside_one_figure_have_a_row_each, rows={"row": "bert"}
    ),
    Assembly(calibration.rows, figure_toys.calibrated, rows={"series": "root", "model": "model-1"}),
    Assembly(
        changes.combined,
        figure_toys.combined,
        rows={"second": "placebo", "measure": "D²"},
        family={"p_adjusted": ("second", "measure"), "p_further": ("second", "measure")},
    ),
    Assembly(
        by_kind,
        test_reference.test_a_reference_that_learned_nothing_is_withdrawn_for_its_kind,
        rows={"model": "masked-strong"},
    ),
    Assembly(
        paired.family,
        test_paired.family,
        rows={"group": "1"},
        family={"p_adjusted": ("group",)},
    ),
    Assembly(
        agreement.counts,
        lambda: agreement.counts(test_reproduction.TABLE),
        rows={"metric": "lean", "table": "2"},
    ),
    Assembly(changes_page.pairs, lambda: changes_page.pairs(figure_toys.combined()), rows={"second": "placebo"}),
    Assembly(
        checkpoints.table,
        figure_toys.along_two_trainings,
        rows={"training": "run", "measure": "D²"},
        nothing={"before": "another"},
    ),
    Assembly(
        comparison.changes,
        figure_toys.of_two_runs,
        rows={"model": "m", "metric": "toy"},
        family={"p_adjusted": ("model",)},
    ),
    Assembly(
        differences.table,
        lambda: figure_toys.that_differ(figure_toys.of_two_runs()[:4]),
        rows={"metric": "toy", "model": "m"},
    ),
    Assembly(
        reliability.table,
        lambda: reliability.table(of_items(), {}, 1),
        rows={"model": "b", "metric": "leaning", "measure": "m0"},
        over_all="over == 'models'",
        in_order=False,
    ),
    Assembly(
        reproduction.by_source,
        test_reproduction.test_a_study_without_any_of_them_has_measured_none,
        rows={"source": "Chan 2019"},
    ),
    Assembly(
        results.with_primary,
        lambda: results.with_primary(figure_toys.of_run(0.0), figure_toys.of_run(0.0)[:3]),
        rows={"model": "m", "metric": "toy"},
    ),
    Assembly(
        words.table, lambda: words.table(test_words.CROSSED, test_words.NAMES), rows={"model": "m", "metric": "toy"}
    ),
    Assembly(overview.counted, lambda: overview.counted(screened()), rows={"label": "mine"}),
    Assembly(uncertainty.metrics, lambda: uncertainty.metrics(summary(), {}), rows={"metric": "other"}),
]


# Functions that say something row by row, of one model, or of all together.
ALONE = {
    *("report.answers.told", "report.tasks.by_label", "report.tasks.in_order", "page.drivers.by_part"),
    *("page.answers.blocks", "page.answers.placed", "page.answers.scales"),
    *("study.estimate.by_stage", "study.pairing.paired_by", "study.scope.by_source", "study.scope.left"),
    *("study.sentences.of_metrics", "study.side_by_side.noted", "study.side_by_side.renamed"),
    "study.signatures.table",
}


def test_every_function_that_assembles_rows_is_declared():
    modules = [f"{room}.{path.stem}" for room in ("report", "page", "study") for path in (PACKAGE / room).glob("*.py")]
    functions = [name for module in modules for name in tables_of_tables(import_module(f"herbarium.{module}"))]
    assert sorted({*functions} - {assembly.name for assembly in ASSEMBLED} - ALONE) == []


@pytest.mark.parametrize("assembly", ASSEMBLED, ids=lambda assembly: assembly.name)
def test_what_stands_beside_it_changes_no_row(assembly):
    assert_assembled(assembly)
