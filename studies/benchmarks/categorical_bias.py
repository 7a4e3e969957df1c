"""Categorical Bias of one model in English, 30 targets, 70 attributes, 10 templates (`make bench`).

A BERT of base size with random weights, whose tokenizer has every word as one token: plan, score, gather; and the
same unique inputs through the encoder alone, which is the least it could take. The scores, with their intervals
and permutations. The scores alone from P' on: one after the other, as the released code goes through sentences, and
ours.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from studies.benchmarks.shared import BASE, Figure, say, size, timed
from transformers import BertConfig, BertForMaskedLM

from herbarium.metrics.categorical_bias import score, stimuli
from herbarium.metrics.categorical_bias.numbers import measure
from herbarium.models.kinds import Kind
from herbarium.scoring import answering, planning, quantities
from herbarium.training import planted

THREADS, TEMPLATES = 2, size(10, 2)


def lists() -> stimuli.Lists:
    """The published English ones, base words."""
    whole = stimuli.read("resources/categorical_bias/english/published")
    return stimuli.Lists(
        whole.templates[:TEMPLATES],
        *(table[table["set"] == stimuli.BASE] for table in (whole.targets, whole.attributes)),
    )


def released(p: np.ndarray, prior: np.ndarray) -> float:
    """CB of one model as its authors have it: for each template and attribute a table of targets, and its variance."""
    of_templates = []
    for template in range(len(p)):
        variances = []
        for attribute in range(p.shape[1]):
            table = pd.DataFrame({"p": p[template, attribute], "prior": prior[template, attribute]})
            table["normalised"] = np.log(table["p"] / table["prior"])
            variances.append(table["normalised"].var())
        of_templates.append(np.mean(variances))
    return float(np.mean(of_templates))


def main() -> None:
    torch.set_num_threads(THREADS)
    rows = pd.concat(stimuli.instantiate("published", lists()), ignore_index=True)
    asked = {
        "quantities": stimuli.QUANTITIES[Kind.masked],
        "slots": stimuli.SLOTS,
        "roles": stimuli.ROLES,
    }
    tokenizer = planted.word_tokenizer(rows["text"].tolist())
    model = BertForMaskedLM(BertConfig(vocab_size=30_522, **BASE)).eval()
    table = pa.Table.from_pandas(rows, schema=stimuli.STIMULI.fields, preserve_index=False)

    planned, plan = timed(lambda: planning.Planner(tokenizer, 512, lowercase=False).add_stimuli(table, asked))
    scored, answers = timed(lambda: answering.answer_all(model, "cpu", plan, "bench"))

    def gather() -> pd.DataFrame:
        scores = quantities.gather(answers, plan.sentences).to_pandas()
        return stimuli.associate("bench", "english", rows, scores)

    gathered, associations = timed(gather)
    by_length: dict[int, list] = {}
    for token_ids in plan.inputs["token_ids"].to_pylist():
        by_length.setdefault(len(token_ids), []).append(token_ids)

    @torch.inference_mode()
    def encoder() -> None:
        for group in by_length.values():
            for first in range(0, len(group), 512 // len(group[0])):
                model.bert(torch.tensor(group[first : first + 512 // len(group[0])]))

    floor, _ = timed(encoder)
    say(
        f"{len(plan.inputs)} unique inputs, {len(plan.requests):,} requests: plan {planned:.1f} s, score "
        f"{scored:.1f} s, gather {gathered:.1f} s; encoder alone {floor:.1f} s",
        Figure("plan", planned, "s"),
        Figure("score", scored, "s"),
        Figure("gather", gathered, "s"),
        Figure("score", scored / floor, peer="encoder alone"),
    )

    of_lists, tests = {"published": lists()}, {"permutations": 999, "correction": "holm"}

    def numbers() -> pd.DataFrame:
        cut = stimuli.cut("bench", "english", rows, of_lists, tokenizer, lowercase=False)
        return measure("bench", "english", of_lists, associations, cut, 1, 0.95, tests, 0)[0]

    seconds, result = timed(numbers)
    say(f"{len(result)} numbers, both definitions: {seconds:.1f} s", Figure("numbers", seconds, "s"))

    p, prior = np.random.default_rng(0).uniform(size=(2, 10, 70, 30))
    theirs, expected = timed(lambda: released(p, prior))
    ours, result = timed(lambda: score.score(np.log(p / prior)))
    np.testing.assert_allclose(result, expected)
    say(
        f"from P' on: released arithmetic {theirs:.3f} s, ours {ours:.4f} s",
        Figure("score from P' on", ours, "s"),
        Figure("score from P' on", ours / theirs, peer="released arithmetic"),
    )


if __name__ == "__main__":
    main()
