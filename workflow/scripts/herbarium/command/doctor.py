"""What this machine has and lacks, what that is needed for, and how to get it."""

import importlib.metadata
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from herbarium import __version__
from herbarium.core.places import CLONE

# What lme4 takes, beside R: the extra `r` of pyproject.toml.
OF_LME4 = ("pymer4", "rpy2", "rpy2-rinterface", "polars", "great-tables", "formulae", "joblib")
_MIXED = "mixed models"
_WITHOUT = "`mixed_models: {engine: none}` in the configuration leaves these out"
_FULL_STUDY = 10  # GB, without models


class Finding(NamedTuple):
    """One thing that was checked. said: its version or place; if it is missing, what to do. is_needed: whether no study
    runs without it."""

    what: str
    is_there: bool
    said: str
    is_needed: bool = False


def examine() -> list[Finding]:
    """Check everything. Nothing is changed or downloaded."""
    return [
        Finding("herbarium", True, f"{__version__}, workflow in {CLONE}"),
        Finding("python", True, platform.python_version()),
        *_packages(),
        *_r(),
        *_devices(),
        _disk(),
        *_hub(),
        _chromium(),
    ]


def describe(findings: list[Finding]) -> str:
    """One line per finding, and a summary."""
    width = max(len(finding.what) for finding in findings)
    lines = [
        f"{'ok' if finding.is_there else 'missing':<8} {finding.what:<{width}}  {finding.said}" for finding in findings
    ]
    needed = [finding.what for finding in findings if finding.is_needed and not finding.is_there]
    return "\n".join([*lines, "", f"Needed and missing: {', '.join(needed)}." if needed else "Studies can run."])


def pinned() -> dict[str, str]:
    """The tested versions of direct dependencies, by package: all but those for tests and style."""
    wanted, pins, setup = (_said(f"envs/{file}") for file in ("requirements.in", "constraints.txt", "setup.sh"))
    direct = re.findall(r"^([\w.-]+)", wanted.partition("# Tests and style")[0], re.MULTILINE)
    versions = dict(re.findall(r"^([\w.-]+)==(\S+)$", pins, re.MULTILINE))
    names = [name.lower().replace("_", "-") for name in direct]
    return {"torch": re.search(r"^TORCH=(\S+)", setup, re.MULTILINE)[1]} | {name: versions[name] for name in names}


def _said(file: str) -> str:
    """The text of a file of the workflow."""
    return (CLONE / file).read_text(encoding="utf-8")


def _packages() -> Iterator[Finding]:
    for name, tested in pinned().items():
        installed = None
        with suppress(importlib.metadata.PackageNotFoundError):
            installed = importlib.metadata.version(name)
        is_needed = name not in OF_LME4 and name != "snakemake-executor-plugin-slurm"
        if installed is None:
            purpose = "" if is_needed else f" (only for {_MIXED if name in OF_LME4 else 'clusters with SLURM'})"
            yield Finding(name, False, f"pip install {name}=={tested}{purpose}", is_needed)
        else:
            differs = "" if installed.partition("+")[0] == tested else f" (tested with {tested})"
            yield Finding(name, True, installed + differs, is_needed)


def _r() -> Iterator[Finding]:
    wanted = re.search(r"^R_PACKAGES=\((.*)\)", _said("envs/setup.sh"), re.MULTILINE)[1]
    names = wanted.replace(" ", ", ")
    if shutil.which("Rscript") is None:
        yield Finding("R", False, f"install R, and in it {names}, for {_MIXED}; {_WITHOUT}")
        return
    ask = 'cat(R.version.string, rownames(installed.packages()), sep = "\\n")'
    lines = subprocess.run(["Rscript", "-e", ask], capture_output=True, text=True).stdout.splitlines()
    yield Finding("R", True, lines[0] if lines else "it starts, but does not print its version")
    missing = [name for name in wanted.split() if name not in lines[1:]]
    install = f"install.packages(c({str(missing)[1:-1]})) in R, for {_MIXED}; {_WITHOUT}"
    yield Finding("R packages", not missing, install if missing else names)


def _devices() -> Iterator[Finding]:
    try:
        import torch
    except ImportError:  # told as a package
        return
    except OSError as error:  # libraries of its own that it does not find
        yield Finding("torch starts", False, f"{error}; install torch again (pytorch.org)", is_needed=True)
        return
    build = f"CUDA {torch.version.cuda}" if torch.version.cuda else "a CPU build"
    if torch.cuda.is_available():
        yield Finding("GPU", True, f"{torch.cuda.get_device_name()}, torch is built for {build}")
    elif shutil.which("nvidia-smi"):
        yield Finding("GPU", False, f"there is a driver, but torch ({build}) sees no device: install torch with CUDA")
    else:
        yield Finding("GPU", False, f"none (torch is {build}): everything runs on the CPU, and takes far longer")


def _disk() -> Finding:
    free = shutil.disk_usage(Path()).free / 1e9
    message = f"{free:,.0f} GB free here; the core study takes {_FULL_STUDY} GB and its models"
    if free >= 1:
        return Finding("disk", True, message)
    return Finding("disk", False, f"{message}: free some space, or choose another folder (`results:`)")


def _hub() -> Iterator[Finding]:
    try:
        from huggingface_hub.constants import HF_HUB_CACHE, HF_HUB_OFFLINE
    except ImportError:  # told as a package
        return
    models = list(Path(HF_HUB_CACHE).glob("models--*"))
    yield Finding("hub cache", True, f"{len(models)} models in {HF_HUB_CACHE}")
    message = "HF_HUB_OFFLINE is set: the cache only" if HF_HUB_OFFLINE else "what is not in the cache is downloaded"
    yield Finding("hub", True, message)


def _chromium() -> Finding:
    path = shutil.which("chromium")
    return Finding("chromium", path is not None, path or "only for tests of the page: `make browser` in a clone")
