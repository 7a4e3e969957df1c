"""Folders with a study: making one, and running the workflow on it."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import yaml

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.places import CLONE
from herbarium.study import first

CONFIGURATION, SNAKEFILE = "config.yaml", "Snakefile"
_NEW = CLONE / "config/new"
_RESULTS = "results"


def make(folder: Path, model: str | None = None, kind: str | None = None) -> None:
    """Make the folder of a study, with all its files or not at all.

    model: a folder or hub id, which the study measures beside planted ones, by the quick metrics of its kind
    (`study.first`); None: two planted models. Raises HerbariumError when something is there already, or the model
    cannot be had.
    """
    if folder.exists():
        raise HerbariumError(f"{folder} is there already, and nothing in it is overwritten; name another folder.")
    files = {file.name: file.read_text(encoding="utf-8") for file in sorted(_NEW.iterdir())}
    if model is not None:
        study = first.study(first.entry(model, kind), _RESULTS)
        about = f"# {model}, by the quick metrics of its kind. What every key means: config/README.md of Herbarium.\n"
        files[CONFIGURATION] = about + yaml.safe_dump(study, sort_keys=False)
    with store.atomic_folder(folder) as partial:
        for name, text in files.items():
            (partial / name).write_text(text, encoding="utf-8")


def run(folder: Path, arguments: list[str]) -> NoReturn:
    """Become snakemake, on a study and in its folder: what stops the one (Ctrl-C, a scheduler) is told to the other.

    arguments: of the snakemake command. Where they do not say otherwise, all cores are used, and one GPU, if there is
    one. Raises HerbariumError when the folder holds no study.
    """
    if not (folder / SNAKEFILE).is_file():
        raise HerbariumError(f"{folder / SNAKEFILE}: no such file. `herbarium new FOLDER` makes a study.")
    ours = ["--workflow-profile", str(CLONE / "profiles/default"), "--resources", "gpu=1", "--cores", "all"]
    os.chdir(folder)
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *ours, *arguments])  # noqa: S606 - no shell is wanted
