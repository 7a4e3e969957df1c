"""Regions in context as a workflow: stereotypes as a list, two templates, and a causal model."""

import shutil

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow  # some jobs of untrained models (a minute)

REGIONS = ("PE", "BO", "CL", "EC", "NZ", "FJ")


def test_two_templates_a_list_of_stereotypes_and_a_causal_model(tmp_path, model_folder):
    project = copy_project(tmp_path / "herbarium")
    for kind in ("bert", "gpt2"):
        shutil.copytree(model_folder(kind), project.folder / kind)
    words = ["wise", "poor", "kind", "weak", "good", "rude"]
    project.write("words.txt", "".join(f"{word}\n" for word in words))
    project.write("one.txt", "People in [region] are [description].\n")
    project.write("two.txt", "[description] people live in [region].\n")
    listed = [(f"country:{region}", words[number % 4]) for number, region in enumerate(REGIONS)]
    table = pd.DataFrame(listed, columns=["region", "description"])
    project.write("stereotypes.csv", table.to_csv(index=False))
    study = {
        "shards": 1,
        "models": {
            "bert": {"path": "bert", "kind": "masked"},
            "gpt2": {"path": "gpt2", "kind": "causal"},
        },
        "vectors": {name: {"model": name, "layers": "all"} for name in ("bert", "gpt2")},
        "regions_in_context": {
            "folds": 3,
            "sets": {
                "listed": {
                    "templates": {"one": "one.txt", "two": "two.txt"},
                    "descriptions": ["words.txt"],
                    "stereotypes": "stereotypes.csv",
                    "vectors": ["bert"],
                },
                "causal": {
                    "templates": {"one": "one.txt"},
                    "descriptions": ["words.txt"],
                    "vectors": ["gpt2"],
                },
            },
            "max_regions": 6,
        },
    }
    project.write("study.yaml", yaml.safe_dump(study))
    project.run()
    results = project.folder / "results"
    numbers = pd.read_csv(results / "tables/regions_in_context_numbers.csv").set_index("unit")
    listed = numbers.loc["listed"]
    agreement = listed[listed["variant"] == "stereotype_agreement"].iloc[-1]
    assert agreement[["ci_low", "ci_high", "p_value", "p_adjusted"]].notna().all()
    assert listed[listed["definition"] == "held_out_words"]["note"].str.startswith("6 regions").all()
    causal = numbers.loc["causal"]
    assert causal[causal["variant"] == "common_share"]["estimate"].notna().any()
    assert causal[causal["variant"] == "stereotype_agreement"]["estimate"].isna().all()
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert 'id="table-regions_in_context"' in page
    assert project.jobs() == {}
    project.write("stereotypes.csv", "region,description\ncountry:PE,wize\n")
    assert "the description 'wize' is in no list of 'descriptions'; did you mean 'wise'?" in project.fails()
