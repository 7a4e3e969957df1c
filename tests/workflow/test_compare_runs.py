"""Two models in two results folders: the comparison must say what one study of both says of them."""

import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from safetensors.numpy import load_file, save_file
from tests.reports import assert_opens
from tests.workflow.conftest import HERB, STUDY, copy_project

from herbarium.core import store

pytestmark = pytest.mark.nightly  # three small studies; in test_run.py, a run is compared with an earlier one

SETS = {
    "table": "resources/sentence_sets/pronouns/sentences.csv",
    "quantity": "pll",
    "sides": ["he", "she"],
    "bootstrap": {"replicates": 300},
}


def study(results, **models):
    """One of HERB and of pairs of sentences. models: folder by name."""
    names = list(models)
    entries = {name: {"path": folder, "kind": "masked"} for name, folder in models.items()}
    return {
        **STUDY,
        "results": results,
        "models": entries,
        "herb": {**HERB, "models": names, "bootstrap": {"replicates": 200}},
        "sentence_sets": {"pronouns": {**SETS, "models": names}},
    }


def perturbed(source, target):
    """A copy of a model whose weights are a little different, as those of one that was trained on."""
    shutil.copytree(source, target)
    random = np.random.default_rng(1)
    weights = load_file(target / "model.safetensors")
    noise = {name: (0.05 * random.normal(size=weight.shape)).astype(weight.dtype) for name, weight in weights.items()}
    save_file(
        {name: weight + noise[name] for name, weight in weights.items()}, target / "model.safetensors", {"format": "pt"}
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory, model_folder):
    """One study of both models, and one of each alone."""
    made = copy_project(tmp_path_factory.mktemp("runs") / "herbarium")
    shutil.copytree(model_folder("bert"), made.folder / "published")
    perturbed(made.folder / "published", made.folder / "mine")
    studies = {
        "both": study("both", published="published", mine="mine") | {"comparisons": [["published", "mine"]]},
        "old": study("old", published="published"),
        "study": study("results", mine="mine"),
    }
    for name, item in studies.items():
        made.write(f"{name}.yaml", yaml.safe_dump(item, sort_keys=False))
        made.run(config=f"{name}.yaml")
    return made


def compared(project):
    log = project.run("compare_runs", "--config", "base=old", "against={mine: published}")
    return log, pd.read_csv(project.folder / "results/comparison/changes.csv", keep_default_na=False, na_values=[""])


def test_differences_are_those_of_one_study_of_both(project):
    log, changes = compared(project)
    assert changes[["model", "model_base"]].drop_duplicates().to_numpy().tolist() == [["mine", "published"]]
    number = changes.set_index(["metric", "definition", "variant", "group"])

    within = pd.read_csv(project.folder / "both/figures/changes.csv").set_index("measure").loc["pronouns"]
    row = number.loc[("sentence_sets", "own", "pll_difference", "all")]
    assert row["pairing"] == "items"
    assert row["difference"] == pytest.approx(within["estimate"])
    columns = ["std_error", "ci_low", "ci_high", "p_value"]
    assert row[columns].tolist() == pytest.approx(within[columns].tolist())

    of_herb = store.read_frame(project.folder / "both/work/metrics/herb_differences.parquet", "tidy")
    is_primary = (of_herb["variant"] == "C_w_over_descriptions") & (of_herb["unit"] == "models")
    within = of_herb[is_primary].set_index("group").loc["earth"]
    row = number.loc[("herb", "paper", "C_w", "earth")]
    assert row["pairing"] == "draws"
    sign = {"mine − published": 1, "published − mine": -1}[within["model"]]
    bounds = sorted(sign * within[["ci_low", "ci_high"]].astype(float))
    assert row[["difference", "ci_low", "ci_high"]].tolist() == pytest.approx([sign * within["estimate"], *bounds])
    assert row[["std_error", "p_value"]].tolist() == pytest.approx(within[["std_error", "p_value"]].tolist())
    assert "Everything is in results/comparison/index.html" in log


def test_the_page_stands_by_itself(project, browser):
    compared(project)
    assert_opens(browser, project.folder / "results/comparison/index.html")


def test_a_damaged_file_is_refused_by_name(project):
    path = next((project.folder / "old/work/items/sentence_sets").rglob("*.parquet"))
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    log = project.fails("compare_runs", "--config", "base=old", "against={mine: published}")
    path.write_bytes(content)
    assert f"{path.relative_to(project.folder)} is damaged" in log
    log = project.fails("compare_runs", "--config", "base=old", "against={mine: bert}")
    assert "against: old has no numbers of 'bert'. It has numbers of published" in log
