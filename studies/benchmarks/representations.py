"""Vectors of words in sentences, all layers of a model of base size, beside the bare forward passes.

Pairs of sentences that differ in a pronoun, with two words of each asked for. The floor is what the model takes for
the same unique inputs in the same batches, with nothing done before or after; vectors include tokenization, the choice
of tokens and the table that is written.
"""

import torch
from studies.benchmarks.scoring import make_bert
from studies.benchmarks.shared import Figure, say, size, timed
from transformers import AutoTokenizer

from herbarium.models import loading
from herbarium.vectors import representations

FRAMES, ROUNDS = size(60, 3), size(3, 1)
JOBS = ["nurse", "driver", "teacher", "guard", "cook", "writer"]


def main(tmp_path) -> None:
    texts, bounds = [], []
    for number in range(FRAMES):
        for job in JOBS:
            for pronoun in ("he", "she"):
                text = f"The {job} said that {pronoun} had walked {number} miles."
                for word in (job, "miles"):
                    texts.append(text)
                    bounds.append((text.index(word), text.index(word) + len(word)))
    make_bert(tmp_path, set(texts))
    model = loading.load(tmp_path, "masked", "float32", "base")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    wanted = loading.layers(model, None, "base")

    def states(token_ids: torch.Tensor) -> torch.Tensor:
        return loading.layer_states(model, token_ids, wanted)

    inputs = {tuple(ids) for ids in tokenizer(sorted(set(texts)))["input_ids"]}
    by_length = {length: sorted(item for item in inputs if len(item) == length) for length in set(map(len, inputs))}
    batches = [
        same_length[start : start + 256]
        for same_length in by_length.values()
        for start in range(0, len(same_length), 256)
    ]

    def bare() -> None:
        with torch.inference_mode():
            for batch in batches:
                model.base_model(input_ids=torch.tensor(batch))

    def vectors() -> None:
        representations.represent(states, tokenizer, "cpu", texts, bounds, 64, False)

    bare()
    floor = min(timed(bare)[0] for _ in range(ROUNDS))
    ours = min(timed(vectors)[0] for _ in range(ROUNDS))
    rate = Figure("vectors, all layers", len(texts) / ours, "vectors/s")
    told = f"{rate.value:,.0f} vectors a second of {len(wanted)} layers; {ours / floor:.3f} times the bare passes"
    say(told, rate, Figure("vectors of words in sentences", ours / floor, peer="bare forward passes"))


if __name__ == "__main__":
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
