"""Pairs of CrowS-Pairs by other software, the same sentences and weights: results/real_models/peers.csv.

PYTHONPATH=workflow/scripts:.:.oracles python docs/real_models/peers.py, after the study of study.yaml. All give the
log-likelihood of a whole sentence in float32 on the CPU; they differ in what they do between the sentences and the
model. Each runs in a process of its own; seconds are without loading, and memory is the most that the process had.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import numpy as np
import pandas as pd
import torch
import yaml
from tests import peers
from transformers import AutoTokenizer

import herbarium
from herbarium.core import downloads

STUDY = Path(__file__).with_name("study.yaml")
TABLE = Path("results/real_models/peers.csv")
CONVERTED = Path("results/real_models/work/converted")
PAIRS = 300  # the first of the table: a minute a model and software
BATCHES = (16, 64)  # sentences in a batch of the others, of which the faster counts


def ours(folder: Path, start: str | None = None) -> peers.Score:
    """start: the token that a text begins with; None for what Herbarium chooses."""
    model = herbarium.load(folder, start=start)
    return lambda pairs: model.score([text for _, text in pairs], "ll").to_numpy()


def chosen_by_others(folder: Path) -> str | None:
    """The token with which the others begin a text, if the tokenizer does not put it there by itself."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    return tokenizer.bos_token if tokenizer("a")["input_ids"][0] != tokenizer.bos_token_id else None


def scored(make: Callable[..., peers.Score], arguments: tuple, texts: Sequence[str]) -> dict:
    """`values`, the log-likelihoods, the CPU seconds that they took (`cpu_s`), and the largest resident set of this
    process (`memory_mb`). make: with its arguments, what scores."""
    score = make(*arguments)
    with torch.inference_mode():
        start = time.process_time()
        values = score([("", text) for text in texts])
    taken = time.process_time() - start
    return {"values": values, "cpu_s": taken, "memory_mb": getrusage(RUSAGE_SELF).ru_maxrss / 1024}


def alone(make: Callable[..., peers.Score], *arguments: object, texts: Sequence[str]) -> dict:
    """As `scored`, in a new process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        return processes.submit(scored, make, arguments, texts).result()


def beside(folder: Path, pairs: pd.DataFrame) -> pd.DataFrame:
    """A row for each software: `share`, per cent of the pairs whose sent_more is likelier, `largest` difference of a
    log-likelihood from ours with the same beginning, `cpu_s` and `memory_mb`. folder: of a causal model. pairs: with
    sent_more and sent_less."""
    texts = [*pairs["sent_more"], *pairs["sent_less"]]
    results = {"Herbarium": alone(ours, folder, texts=texts)}
    if start := chosen_by_others(folder):
        results[f"Herbarium, `start: {start}`"] = alone(ours, folder, start, texts=texts)
    reference = [*results.values()][-1]["values"]
    others = {"lm-evaluation-harness": (peers.harness,), "minicons": (peers.minicons, True)}
    for name, (other, *more) in others.items():
        tried = [alone(other, folder, batch, *more, texts=texts) for batch in BATCHES]
        results[name] = min(tried, key=lambda result: result["cpu_s"])
    rows = []
    for name, result in results.items():
        more, less = np.split(result["values"], 2)
        largest = np.abs(result["values"] - reference).max()
        numbers = {key: result[key] for key in ("cpu_s", "memory_mb")}
        rows.append({"software": name, "share": 100 * np.mean(more > less), "largest": largest} | numbers)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    section = yaml.safe_load(STUDY.read_text(encoding="utf-8"))["crows_pairs"]
    pairs = pd.read_csv(downloads.local(section["table"]), nrows=PAIRS)
    pd.concat([beside(CONVERTED / name, pairs).assign(model=name) for name in section["models"]]).to_csv(
        TABLE, index=False
    )
