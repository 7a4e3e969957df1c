"""What classifiers will cost: how many texts, tokens and passes, by hand and as they run."""

import numpy as np
import pandas as pd
import pytest

from herbarium.core.costs import FINETUNE
from herbarium.metrics.downstream import costs
from herbarium.models import loading
from herbarium.scoring import classifiers, perturbation

TRAINING = {"sets": 2, "epochs": 3, "batch_size": 4, "evaluations": 2}
EXAMPLES = pd.DataFrame(
    {
        "text": [f"Lima was {'weak ' * (i % 5)}{i}" for i in range(40)],
        "split": ["train"] * 24 + ["validation"] * 6 + ["test"] * 10,
        "set": [*[1] * 14, *[2] * 10, *[1] * 3, *[2] * 3, *[pd.NA] * 10],
    }
)
NAMES = ["", "Peru", "Fiji", "Canada"]
PREFIXES = pd.DataFrame(
    {"prefix": range(4), "name": NAMES, "text": [f"People in {name} are loud." if name else "" for name in NAMES]}
)


def test_texts_jobs_and_files_are_counted():
    rows = costs.counted(EXAMPLES, 4, TRAINING, 5)
    trained, asked = rows[FINETUNE], rows[costs.PREDICT]
    assert (trained["jobs"], trained["sentences"]) == (2, 24 * 3)
    assert (asked["jobs"], asked["files"], asked["sentences"]) == (10, 10, 2 * 10 * 4)


def test_a_published_classifier_is_not_trained():
    rows = costs.counted(EXAMPLES, 4, None, 5)
    assert rows.keys() == {costs.PREDICT}
    assert (rows[costs.PREDICT]["jobs"], rows[costs.PREDICT]["sentences"]) == (5, 40)


def test_few_pairs_are_all_drawn_and_of_many_no_more_than_the_sample():
    few = costs.drawn(10, PREFIXES, np.random.default_rng(0))
    assert sorted(few.itertuples(index=False, name=None)) == [(i, j) for i in range(10) for j in range(4)]
    many = costs.drawn(costs.SAMPLE, PREFIXES, np.random.default_rng(0))
    assert len(many) == len(many.drop_duplicates()) == costs.SAMPLE


def test_training_takes_its_tokens_by_the_rate():
    trainings = costs.trainings(EXAMPLES, TRAINING)
    row = trainings.taking(padded=8.0, tokens_a_second=2.0, start_seconds=36.0)
    # two evaluations of three texts an epoch, of a third of the work each
    seconds = [36 + (n + 3 * 2 / 3) * 8 / 2 * 3 for n in (14, 10)]
    assert row["longest_job"] == pytest.approx(max(seconds) / 3600)
    assert row["hours"] == pytest.approx(sum(seconds) / 3600)
    assert row["tokens"] == 24 * 8 * 3
    assert trainings.counted("finetune", 1)["passes"] == (4 + 3) * 3


PASS_TOKENS = 512


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize(("characters", "n_blocks"), [(2**24, 1), (600, 3)])
def test_tokens_and_passes_are_those_that_run(model_folder, monkeypatch, device, characters, n_blocks):
    monkeypatch.setattr(perturbation, "_BLOCK", characters)
    tokenizer = loading.load_tokenizer(model_folder("bert"), "m")
    texts, prefixes = [f"Lima {'weak ' * (i % 3)}." for i in range(10)], PREFIXES.iloc[1:]
    prefixes = prefixes.assign(name="Peru", text="People in Peru are loud.")  # so that blocks are alike
    blocks = list(perturbation.perturbed(tokenizer, texts, prefixes, 64, False))
    assert len(blocks) == n_blocks
    run = [
        len(rows) * int(encoded.lengths[rows[0]])
        for _, encoded in blocks
        for rows, _ in classifiers._passes(np.arange(len(encoded.lengths)), encoded.lengths, device, PASS_TOKENS)
    ]
    lengths = np.concatenate([rows["n_tokens"] for rows, _ in blocks])
    row = costs.of_predicting(texts, prefixes, lengths, 1, device, PASS_TOKENS, float)
    assert row["tokens"] == lengths.sum()
    assert row["passes"] == len(run)
    assert row["hours"] == row["longest_job"] == sum(run)
