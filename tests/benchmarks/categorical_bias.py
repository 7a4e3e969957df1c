"""Categorical Bias of one model in English, 30 targets, 70 attributes, 10 templates (`make bench`).

(i) A BERT of base size with random weights, whose tokenizer has every word as one token: plan, score, gather; and the
same unique inputs through the encoder alone, which is the least it could take. (j) The scores, with their intervals
and permutations.
"""

import time

import pandas as pd
import pyarrow as pa
import torch
from transformers import BertConfig, BertForMaskedLM

from herbarium.metrics.categorical_bias import stimuli
from herbarium.metrics.categorical_bias.numbers import measure
from herbarium.scoring import answering, planning, quantities
from herbarium.training import planted

THREADS = 2


def lists() -> stimuli.Lists:
    """The published English ones, base words."""
    whole = stimuli.read("resources/categorical_bias/english/published")
    return stimuli.Lists(
        whole.templates, *(table[table["set"] == stimuli.BASE] for table in (whole.targets, whole.attributes))
    )


def main() -> None:
    torch.set_num_threads(THREADS)
    rows = pd.concat(stimuli.instantiate("published", lists()), ignore_index=True)
    asked = {
        "quantities": [quantity for pair in stimuli.QUANTITIES.values() for quantity in pair],
        "slots": stimuli.SLOTS,
        "roles": stimuli.ROLES,
    }
    tokenizer = planted.word_tokenizer(rows["text"].tolist())
    model = BertForMaskedLM(BertConfig(vocab_size=30_522)).eval()
    table = pa.Table.from_pandas(rows, schema=stimuli.STIMULI.fields, preserve_index=False)

    start = time.perf_counter()
    plan = planning.Planner(tokenizer, 512, lowercase=False).add_stimuli(table, asked)
    planned = time.perf_counter()
    answers = answering.answer_all(model, "cpu", plan, "bench")
    scored = time.perf_counter()
    scores = quantities.gather(answers, plan.sentences).to_pandas()
    associations = stimuli.associate("bench", "english", rows, scores)
    gathered = time.perf_counter()
    by_length: dict[int, list] = {}
    for token_ids in plan.inputs["token_ids"].to_pylist():
        by_length.setdefault(len(token_ids), []).append(token_ids)
    with torch.inference_mode():
        for group in by_length.values():
            for first in range(0, len(group), 512 // len(group[0])):
                model.bert(torch.tensor(group[first : first + 512 // len(group[0])]))
    floor = time.perf_counter() - gathered
    print(
        f"(i) {len(plan.inputs)} unique inputs, {len(plan.requests):,} requests: plan {planned - start:.1f} s, score "
        f"{scored - planned:.1f} s, gather {gathered - scored:.1f} s; encoder alone {floor:.1f} s"
    )

    start = time.perf_counter()
    of_lists, tests = {"published": lists()}, {"permutations": 999, "correction": "holm"}
    cut = stimuli.cut("bench", "english", rows, of_lists, tokenizer, lowercase=False)
    numbers, _ = measure("bench", "english", of_lists, associations, cut, 1, 0.95, tests, 0)
    print(f"(j) {len(numbers)} numbers, both definitions: {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
