"""Perturbed predictions against their floor and usual practice (`make bench`).

A classifier of BERT's base size with random weights, on the CPU: 16 texts of 6 to 60 words with each of 25 prefixes.

The *floor* is the bare forward passes of the same token ids, whole batches of one length, in packed products as
Herbarium runs them or as PyTorch does, whichever is faster. *Practice* is what a script does: each prefixed text
tokenized whole, batches of 32 in their order, padded to the longest. All give the same log-odds. The fastest of the
rounds counts.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from studies.benchmarks.shared import BASE, Figure, say, size, timed
from transformers import BertConfig, BertForSequenceClassification

from herbarium.models.loading import load_tokenizer
from herbarium.scoring import answering, classifiers, perturbation
from herbarium.training.planted import word_tokenizer

TEXTS, PREFIXES, BATCH, ROUNDS = size(16, 4), size(25, 5), 32, 2
VOCABULARY = 30_522
FLOOR_TOKENS = (512, 1_024, 4_096)


def study() -> tuple[list[str], pd.DataFrame]:
    """Texts, and prefixes with names of one word."""
    random = np.random.default_rng(0)
    words = [f"word{number}" for number in range(2_000)]
    texts = [" ".join(random.choice(words, random.integers(6, 61))) for _ in range(TEXTS)]
    names = [f"Place{number}" for number in range(PREFIXES - 1)]
    prefixes = pd.DataFrame({"prefix": range(PREFIXES), "name": ["original", *names]})
    return texts, prefixes.assign(text=["", *(f"I am from {name}." for name in names)])


@torch.inference_mode()
def main() -> None:
    texts, prefixes = study()
    whole = [f"{prefix} {text}".strip() for prefix in prefixes["text"] for text in texts]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        word_tokenizer(whole).save_pretrained(folder)
        torch.manual_seed(0)
        BertForSequenceClassification(BertConfig(vocab_size=VOCABULARY, **BASE)).save_pretrained(folder)
        tokenizer = load_tokenizer(folder, "bench")
        plain = classifiers.load(folder, "bench", "float32")
        placed = answering.place(classifiers.load(folder, "bench", "float32"), "cpu")

    def herbarium() -> np.ndarray:
        blocks = perturbation.perturbed(tokenizer, texts, prefixes, 128, lowercase=False)
        return np.concatenate([classifiers.log_odds(placed, "cpu", encoded, 1, "") for _, encoded in blocks])

    def practice() -> np.ndarray:
        values = []
        for start in range(0, len(whole), BATCH):
            batch = tokenizer(whole[start : start + BATCH], padding=True, truncation=True, return_tensors="pt")
            logits = plain(**batch).logits.double()
            values.append(logits[:, 1] - logits[:, 0])
        return torch.cat(values).numpy()

    ids = [tokenizer(text)["input_ids"] for text in whole]

    def floor(model: BertForSequenceClassification, tokens: int) -> np.ndarray:
        values = np.empty(len(ids))
        lengths = np.array([len(item) for item in ids])
        for length in np.unique(lengths):
            rows = np.flatnonzero(lengths == length)
            for some in np.split(rows, range(max(1, tokens // length), len(rows), max(1, tokens // length))):
                logits = model(input_ids=torch.tensor([ids[row] for row in some])).logits.double()
                values[some] = (logits[:, 1] - logits[:, 0]).numpy()
        return values

    runs = {"herbarium": herbarium, "practice": practice}
    runs |= {
        f"floor {tokens} {packed}": lambda model=model, tokens=tokens: floor(model, tokens)
        for tokens in FLOOR_TOKENS
        for packed, model in (("packed", placed), ("plain", plain))
    }
    seconds = dict.fromkeys(runs, np.inf)
    for _ in range(ROUNDS):
        for what, run in runs.items():
            taken, result = timed(run)
            seconds[what] = min(seconds[what], taken)
            if what == "herbarium":
                ours = result
            np.testing.assert_allclose(result, ours, atol=1e-4)
    least = min(second for what, second in seconds.items() if what.startswith("floor"))
    ours = seconds["herbarium"]
    n_tokens = sum(map(len, ids))
    say(
        f"{len(ids):,} predictions, {n_tokens:,} tokens: {ours:.1f} s, {ours / least:.2f} x floor, "
        f"{seconds['practice'] / ours:.1f} x faster than practice",
        Figure("predictions", ours, "s"),
        Figure("predictions", ours / least, peer="floor"),
        Figure("predictions", ours / seconds["practice"], peer="practice"),
    )


if __name__ == "__main__":
    main()
