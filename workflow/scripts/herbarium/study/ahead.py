"""What a study of ours costs on this machine, roughly: before its texts and models are there to be measured."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from herbarium.core.places import CLONE

# At most: tokens that models of the size of BERT-base read, three passes' worth for each that they learn from
# (docs/cost.md). The default study first, and what it extends.
TOKENS = {"config/everything.yaml": 29e9, "config/core.yaml": 4e9}
_PARAMETERS = 86e6  # of BERT-base, without its embeddings; each is multiplied and added once per token
_SHARE = 0.4  # of the speed of large products that such a model reaches
_SIZE, _SECONDS = 2048, 0.3  # of a product, and how long products are timed
_WEEK = 168  # hours


def sentences(
    files: Iterable[str | Path], results: str | Path, device_speed: Callable[[], tuple[str, float]]
) -> list[str]:
    """What to tell before a run of a study of ours: its hours, and those of the smaller one.

    files: of its configuration. results: its results folder; an estimate there takes the place of the guess.
    device_speed: as `speed`. Empty for other studies, and where a run has ended.
    """
    known = [name for name in TOKENS if CLONE / name in {Path(file).resolve() for file in files}]
    if not known or (Path(results) / "run.json").is_file():
        return []
    estimate = Path(results) / "estimate.csv"
    if estimate.is_file():
        measured = pd.read_csv(estimate)["hours"].sum()
        return [f"{known[0]}: by {estimate}, {_hours(measured)} on this machine, one job after the other."]
    device, operations = device_speed()
    guessed = {name: 2 * _PARAMETERS * tokens / (_SHARE * operations) / 3600 for name, tokens in TOKENS.items()}
    smaller = [name for name in list(TOKENS)[1:] if name != known[0]]
    return [
        f"{known[0]} takes some {_hours(guessed[known[0]])} on this machine ({device}), as a rough guess; "
        "`snakemake estimate` measures it.",
        *(f"A smaller study: --configfile {name}, some {_hours(guessed[name])}." for name in smaller),
    ]


def speed() -> tuple[str, float]:
    """Where models run here, and the floating-point operations per second of large products in single precision."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    one = torch.ones(_SIZE, _SIZE, device=device)
    begun, n = time.perf_counter(), 0
    while time.perf_counter() < begun + _SECONDS:
        float((one @ one)[0, 0])  # which waits for the device
        n += 1
    name = torch.cuda.get_device_name() if device == "cuda" else "no GPU"
    return name, 2 * _SIZE**3 * n / (time.perf_counter() - begun)


def _hours(hours: float) -> str:
    if hours >= 3 * _WEEK:
        return f"{hours / _WEEK:,.0f} weeks"
    return f"{hours:,.0f} hours" if hours >= 2 else f"{hours:.1f} hours"
