"""Log-likelihoods by other software, of the same sentences by the same weights: what docs/real_models/peers.py and
studies/benchmarks/prefixes.py compare with. `make oracles` installs lm-evaluation-harness and minicons.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

# Of each pair, a context and what follows it, the natural log-likelihood of the second given the first, (n,). The
# context "" asks for a whole sentence.
Score = Callable[[Sequence[tuple[str, str]]], np.ndarray]


def harness(folder: Path, batch: int) -> Score:
    """lm-evaluation-harness, as its tasks ask. folder: of a causal model, here and below; batch: sentences a pass."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(str(folder), dtype="float32", device="cpu", batch_size=batch)

    def score(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        requests = [Instance("loglikelihood", {}, pair, number) for number, pair in enumerate(pairs)]
        return np.array([value for value, _ in model.loglikelihood(requests, disable_tqdm=True)])

    return score


def minicons(folder: Path, batch: int, start: bool) -> Score:
    """start: whether it puts the token that a text begins with before each."""
    from minicons.scorer import IncrementalLMScorer

    model = IncrementalLMScorer(str(folder), "cpu")
    how = {"reduction": lambda log_p: log_p.sum(0).item(), "bos_token": start}

    def score(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        values = []
        for first in range(0, len(pairs), batch):
            contexts, texts = map(list, zip(*pairs[first : first + batch], strict=True))
            if any(contexts):
                values += model.conditional_score(contexts, texts, separator="", **how)
            else:
                values += model.sequence_score(texts, **how)
        return np.array(values)

    return score


def padded(folder: Path, batch: int) -> Score:
    """transformers alone: padded batches in the order of the sentences, the log-softmax of every position."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)

    def score(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        values = []
        for first in range(0, len(pairs), batch):
            some = pairs[first : first + batch]
            encoded = tokenizer(
                ["".join(pair) for pair in some], padding=True, padding_side="right", return_tensors="pt"
            )
            ids, is_token = encoded["input_ids"], encoded["attention_mask"]
            log_p = torch.log_softmax(model(ids, attention_mask=is_token).logits[:, :-1], dim=-1)
            of_tokens = log_p.gather(2, ids[:, 1:, None])[..., 0]
            for row, (context, _) in enumerate(some):
                n = len(tokenizer(context)["input_ids"])
                values.append(of_tokens[row, n - 1 : is_token[row].sum() - 1].sum().item())
        return np.array(values)

    return score
