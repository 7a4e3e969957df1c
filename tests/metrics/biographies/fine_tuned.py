"""A study in which a small model is fine-tuned to tell the occupations of planted biographies.

`PYTHONPATH=workflow/scripts:. python tests/metrics/biographies/fine_tuned.py FOLDER` runs it in a new folder, with
strengths 0 and 1, and prints what docs/metrics/biographies.md has of it.
"""

import sys
from pathlib import Path

import pandas as pd
import yaml
from tests.metrics.biographies.toy import small_model
from tests.workflow.conftest import copy_project

STRENGTHS = {"even": 0.0, "uneven": 1.0}


def study(strengths=STRENGTHS, texts=4000, sets=3):
    return {
        "seed": 2022,
        "models": {"small": {"path": "small", "kind": "masked"}},
        "biographies": {
            "sets": sets,
            "training": {"epochs": 12, "learning_rate": 5e-3, "evaluations": 1, "max_tokens": 32},
            "tasks": {
                name: {"data": {"planted": strength, "texts": texts}, "models": ["small"]}
                for name, strength in strengths.items()
            },
        },
    }


def project(folder, study):
    """A copy of the project with this study and its model."""
    made = copy_project(folder)
    small_model(made.folder / "small")
    made.write("study.yaml", yaml.safe_dump(study))
    return made


if __name__ == "__main__":
    made = project(Path(sys.argv[1]), study())
    made.run("biographies")
    numbers = pd.read_csv(made.folder / "results/tables/biographies_numbers.csv")
    columns = ["unit", "definition", "variant", "estimate", "ci_low", "ci_high", "p_adjusted", "n"]
    print(numbers.loc[numbers["variant"].isin(["slope", "accuracy"]), columns].to_string(index=False))
