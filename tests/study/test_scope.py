"""The list of what the sources have (resources/scope.csv): nothing is forgotten, and what it names is there."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from herbarium.core.resources import read_text_table
from herbarium.study import config, scope, targets
from herbarium.study.reproduction import title

LI, AHN, SHRESTHA, ZHAO = "Li et al. 2022", "Ahn and Oh 2021", "Shrestha et al. 2025", "Zhao 2021"
SOURCES = {
    **{"herb": LI, "downstream": LI, "categorical_bias": AHN, "tagging": AHN},
    **{"mixed_effects": SHRESTHA, "crows_pairs": SHRESTHA},
    **{"word_associations": ZHAO, "languages": ZHAO, "amplification": ZHAO, "local_group_bias": ZHAO},
    **{"biographies": ZHAO, "gender_in_context": ZHAO},
}
# Figures of one table only, without a column for its number.
ONLY = {"tagging": "6"}
# Shipped as facts: those of another task, compared with nothing.
UNCOMPARED = {(ZHAO, "Table 3.3")}
# How many tables and figures each source has; of the thesis, by chapter.
NUMBERED = {
    LI: {"Table {}": 6, "Figure {}": 5},
    AHN: {"Table {}": 9, "Figure {}": 6},
    SHRESTHA: {"Table {}": 16, "Figure {}": 1},
    ZHAO: {
        **{"Figure 1.{}": 1, "Table 2.{}": 4, "Figure 2.{}": 1, "Table 3.{}": 16, "Figure 3.{}": 4},
        **{"Table 4.{}": 4, "Figure 4.{}": 1, "Table 5.{}": 2, "Figure 5.{}": 6, "Figure 6.{}": 6},
    },
}
ITEMS = scope.read("resources/scope.csv")
TOY = pd.DataFrame(
    [
        ("A", "Table 1", "lean", scope.REPRODUCED, "tables/lean.csv", ""),
        ("A", "Figure 1", "effect", scope.MEASURED, "figures/effect.pdf", "No numbers."),
        ("A", "Figure 2", "voices", "out of scope", "", "No voice is heard."),
        ("B", "Table 1", "other", "engine", "", "Bring voices."),
    ],
    columns=scope.COLUMNS,
)


def number_of(item: str) -> str:
    """An item without the part of it that is meant: "Figure 3.2" of "Figure 3.2, left"."""
    return item.partition(",")[0].partition(" (")[0]


@pytest.fixture(scope="module")
def files(everything):
    """The tables and figures of the default study and the full demo."""
    studies = [everything[1], yaml.safe_load(Path("config/demo_full.yaml").read_text())]
    return {file for values in studies for file in targets.shown(targets.of(config.load(values)))}


def test_every_row_says_what_its_status_asks_for():
    assert set(ITEMS["status"]) == set(scope.STATUSES)
    is_in_runs = ~ITEMS["status"].isin(scope.NOT_IN_RUNS)
    assert (is_in_runs == ITEMS["target"].ne("")).all()
    assert (ITEMS["status"].ne(scope.REPRODUCED) == ITEMS["reason"].ne("")).all()
    assert ITEMS["reason"].str.fullmatch(r"|[A-Z].*\.").all()
    assert ITEMS["what"].str.split().str.len().between(1, 12).all()
    assert not ITEMS.duplicated(["source", "item"]).any()


@pytest.mark.parametrize("source", NUMBERED)
def test_no_table_or_figure_is_forgotten(source):
    wanted = {form.format(n) for form, last in NUMBERED[source].items() for n in range(1, last + 1)}
    numbers = {number_of(item) for item in ITEMS.loc[ITEMS["source"] == source, "item"]}
    assert {item for item in numbers if item.startswith(("Table", "Figure"))} == wanted


@pytest.mark.slow
def test_runs_have_the_files(files):
    assert set(ITEMS["target"]) - {""} - files == set()


def test_files_of_the_project_in_a_reason_exist():
    words = ITEMS["reason"].str.findall(r"\bresources/[\w./]*\w").explode().dropna()
    assert len(words) > 5
    assert [path for path in words if not Path(path).exists()] == []


def test_reproduced_is_what_has_published_figures():
    published = {
        (SOURCES[path.parent.name], title(number))
        for path in Path("resources").glob("*/published.csv")
        for number in read_text_table(path, ["value"]).get("table", pd.Series([ONLY.get(path.parent.name)])).unique()
    }
    reproduced = ITEMS[ITEMS["status"] == scope.REPRODUCED]
    numbers = [*zip(reproduced["source"], reproduced["item"].map(number_of), strict=True)]
    assert len(set(numbers)) == len(numbers)
    assert set(numbers) == published - UNCOMPARED


def test_left_is_what_a_study_has_no_file_of_with_a_reason():
    rest = scope.left(TOY, {"tables/lean.csv", "tables/more.csv"})
    assert rest[["item", "reason"]].to_numpy().tolist() == [
        ["Figure 1", "It is in figures/effect.pdf of studies that ask for it."],
        ["Figure 2", "No voice is heard."],
    ]
    assert scope.left(TOY, set()).empty


@pytest.mark.slow
def test_of_the_full_demo_nothing_is_left_that_it_could_have(files):
    rest = scope.left(ITEMS, files)
    assert set(rest["source"]) == set(ITEMS["source"])
    assert set(rest["status"]) == set(scope.NOT_IN_RUNS)
