"""docs/stereoset.md and docs/bbq.md as they stand there."""

import pandas as pd
import pytest
from tests.pages import ROOT, blocks
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.nightly

# What rises with what is planted, and the rows of each page.
PAGES = {
    "stereoset": ("ss", ["ss", "lms", "icat"]),
    "bbq": ("difference", ["unknown", "difference", "accuracy", "bias", "scaled"]),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_done_finds_what_is_planted(name, tmp_path):
    page, (primary, rows) = ROOT / f"docs/{name}.md", PAGES[name]
    project = copy_project(tmp_path / "herbarium")
    (study,) = (block for block in blocks(page) if block.language == "yaml" and block.file)
    (command,) = (block for block in blocks(page) if block.language == "bash")
    project.write(study.file, study.text)
    project.follow(command.text)
    tables = project.folder / "results" / name / "tables"
    table = pd.read_csv(tables / "sentence_sets_numbers.csv")
    of_all = table[table["group"] == "all"].pivot(index="model", columns="side", values="estimate")
    assert set(of_all.columns) == set(rows)
    assert of_all.loc["planted-strong", primary] > of_all.loc["planted-none", primary] + 10
    assert table.loc[(table["side"] == primary) & (table["model"] == "planted-none"), "p_value"].iloc[0] > 0.05
    assert pd.read_csv(tables / "sentence_sets_faults.csv").empty
