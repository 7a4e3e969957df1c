"""What a causal model would gain from computing the prefix of a template once, and what it would cost (`make bench`).

(t) 112 sentences that share their first six tokens, as HERB's on one region do, in a GPT-2 and a Llama of base size
with random weights: each sentence whole, as Herbarium runs it, against its last five tokens behind the kept keys and
values of the first six. It is not done: log-probabilities would change in their last digits, and by which sentences
stand beside.
"""

from functools import partial

import torch
from tests.benchmarks.shared import BASE, SHORT, Figure, say, size, timed
from transformers import DynamicCache, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, PreTrainedModel

SENTENCES, PREFIX, REST = 112, 6, 5
VOCABULARY = size(30_000, 500)
ROUNDS = size(3, 1)


def models() -> dict[str, PreTrainedModel]:
    torch.manual_seed(0)
    small = {"n_embd": 32, "n_layer": 2, "n_head": 2} if SHORT else {}
    base = BASE or {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 2048}
    return {
        "GPT-2": GPT2LMHeadModel(
            GPT2Config(vocab_size=VOCABULARY, bos_token_id=None, eos_token_id=None, **small)
        ).eval(),
        "Llama": LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, **base)).eval(),
    }


def whole(model: PreTrainedModel, prefix: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
    ids = torch.cat([prefix.expand(len(rest), -1), rest], dim=1)
    states = model.base_model(ids, use_cache=False).last_hidden_state
    return model.lm_head(states[:, PREFIX - 1 : -1])


def shared(model: PreTrainedModel, prefix: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
    cache = DynamicCache()
    before = model.base_model(prefix, past_key_values=cache, use_cache=True).last_hidden_state
    cache.batch_repeat_interleave(len(rest))
    behind = model.base_model(rest[:, :-1], past_key_values=cache, use_cache=True).last_hidden_state
    return model.lm_head(torch.cat([before[:, -1:].expand(len(rest), -1, -1), behind], dim=1))


def log_probabilities(logits: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
    return torch.log_softmax(logits.double(), dim=-1).gather(2, rest[..., None])


def main() -> None:
    prefix = torch.randint(VOCABULARY, (1, PREFIX))
    rest = torch.randint(VOCABULARY, (SENTENCES, REST))
    for name, model in models().items():
        with torch.inference_mode():
            times, settings = {}, {}
            for run in (whole, shared):
                runs = [timed(partial(run, model, prefix, rest)) for _ in range(ROUNDS)]
                times[run] = min(seconds for seconds, _ in runs)
                settings[run] = log_probabilities(runs[0][1], rest)
        change = (settings[whole] - settings[shared]).abs().max().item()
        say(
            f"(t) {name}: {times[whole]:.2f} s, with the prefix computed once {times[shared]:.2f} s; log-probabilities "
            f"change by {change:.1e} at most",
            Figure(f"(t) {name}", times[whole] / times[shared], peer="prefix computed once"),
            Figure(f"(t) {name}, change", change, "log-probability"),
        )


if __name__ == "__main__":
    main()
