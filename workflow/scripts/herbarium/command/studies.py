"""Folders with a study: make one, and run the workflow on it."""

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

    model: a folder or hub id, which the study compares with planted ones, with the quick metrics for its kind
    (`study.first`); None: two planted models. Raises HerbariumError if something is there already, or the model cannot
    be found.
    """
    files = {file.name: file.read_text(encoding="utf-8") for file in sorted(_NEW.iterdir())}
    if model is not None:
        study = first.study(first.entry(model, kind), _RESULTS)
        about = f"# {model}, with the quick metrics for its kind. config/README.md of Herbarium explains all keys.\n"
        files[CONFIGURATION] = about + yaml.safe_dump(study, sort_keys=False)
    try:
        if folder.exists():
            raise HerbariumError(f"{folder} is there already, and nothing in it is overwritten; choose another folder.")
        with store.atomic_folder(folder) as partial:
            for name, text in files.items():
                (partial / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise HerbariumError(f"{folder} cannot be made: {error.strerror}. Choose another folder.") from error


def run(folder: Path, arguments: list[str]) -> NoReturn:
    """Become snakemake, on a study and in its folder, so that signals (Ctrl-C, a scheduler) reach it.

    arguments: of the snakemake command. Unless they say otherwise, all cores are used, and one GPU, if there is one.
    Raises HerbariumError if the folder has no study.
    """
    if not (folder / SNAKEFILE).is_file():
        raise HerbariumError(f"{folder / SNAKEFILE}: no such file. `herbarium new FOLDER` makes a study.")
    ours = ["--workflow-profile", str(CLONE / "profiles/default"), "--resources", "gpu=1", "--cores", "all"]
    os.chdir(folder)
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *ours, *arguments])  # noqa: S606 - no shell is wanted
