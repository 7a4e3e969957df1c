"""Two models in two results folders: the comparison must say what one study of both says of them."""

import contextlib
import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from safetensors.numpy import load_file, save_file
from tests.workflow.conftest import HERB, STUDY, copy_project

from herbarium.core import store

pytestmark = pytest.mark.slow  # three small studies, a minute and a half

SETS = {
    "table": "resources/sentence_sets/pronouns/sentences.csv",
    "quantity": "pll",
    "sides": ["he", "she"],
    "bootstrap": {"replicates": 300},
}


def study(results, **models):
    """One of HERB and of pairs of sentences. models: folder by name."""
    names = list(models)
    of = {name: {"path": folder, "kind": "masked"} for name, folder in models.items()}
    return {
        **STUDY,
        "results": results,
        "models": of,
        "herb": {**HERB, "models": names},
        "sentence_sets": {"pronouns": {**SETS, "models": names}},
    }


def perturbed(source, target):
    """A copy of a model whose weights are a little different, as those of one that was trained on."""
    shutil.copytree(source, target)
    random = np.random.default_rng(1)
    weights = load_file(target / "model.safetensors")
    noise = {name: (0.05 * random.normal(size=of.shape)).astype(of.dtype) for name, of in weights.items()}
    save_file({name: of + noise[name] for name, of in weights.items()}, target / "model.safetensors", {"format": "pt"})


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
    for name, of in studies.items():
        made.write(f"{name}.yaml", yaml.safe_dump(of, sort_keys=False))
        made.run(config=f"{name}.yaml")
    return made


def compared(project, *more):
    log = project.run("compare_runs", "--config", "base=old", "against={mine: published}", *more)
    return log, pd.read_csv(project.folder / "results/comparison/changes.csv", keep_default_na=False, na_values=[""])


@contextlib.contextmanager
def without(project, *places):
    """Take files of the earlier run away for a time."""
    for place in places:
        shutil.move(project.folder / place, project.folder / "aside")
    try:
        yield
    finally:
        for place in places:
            shutil.move(project.folder / "aside", project.folder / place)


def test_differences_are_those_of_one_study_of_both(project):
    _, changes = compared(project)
    assert (changes["model"].unique(), changes["model_base"].unique()) == (["mine"], ["published"])
    number = changes.set_index(["metric", "variant", "group"])
    within = pd.read_csv(project.folder / "both/figures/changes.csv").set_index("measure")
    columns = ["std_error", "ci_low", "ci_high", "p_value"]
    for key, measure, pairing in (
        (("sentence_sets", "pll_difference", "all"), "pronouns", "items"),
        (("herb_crossed", "D2", "earth"), "HERB, D² between continents", "influences"),
    ):
        row, oracle = number.loc[key], within.loc[measure]
        assert row["pairing"] == pairing
        assert row["difference"] == pytest.approx(oracle["estimate"])
        assert row[columns].tolist() == pytest.approx(oracle[columns].tolist())

    of_herb = store.read_frame(project.folder / "both/metrics/herb_differences.parquet", "tidy")
    oracle = of_herb[(of_herb["variant"] == "C_w_over_descriptions") & (of_herb["unit"] == "models")]
    oracle = oracle.set_index("group").loc["earth"]
    row = number.loc[("herb", "C_w", "earth")]
    assert row["pairing"] == "draws"
    assert oracle["model"] == "published − mine"
    assert row[["difference", "ci_high", "ci_low"]].tolist() == pytest.approx(
        (-oracle[["estimate", "ci_low", "ci_high"]].astype(float)).tolist()
    )
    assert row[["std_error", "p_value"]].tolist() == pytest.approx(oracle[["std_error", "p_value"]].tolist())
