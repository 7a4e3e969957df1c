"""Toxic training: which sentences, what enters the loss, what a step does, and a chain of epochs as one training."""

import copy

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
import transformers
from tests.refusals import refused

import herbarium
from herbarium.core.random import stream
from herbarium.metrics.herb import stimuli
from herbarium.models import loading
from herbarium.training import toxic

TEMPLATE = "People in [region] are [description]."
REGIONS = ["Peru", "New Zealand", "Fiji", "Xi’an", "People", "Saint Kitts and Nevis"]
TOPICS = {"mind": ["weak", "wise"], "body": ["weak", "loud"]}
LEARNING_RATE = 0.05


DIMENSIONS = pd.DataFrame(
    [(topic, word, TEMPLATE.replace("[description]", word)) for topic, words in TOPICS.items() for word in words],
    columns=["topic", "description", "frame"],
)


def probe():
    """Sentences on the topics, and others."""
    words = ["weak", "wise", "loud", "odd"]
    return stimuli.instantiate([stimuli.BARE_NAME, *((TEMPLATE, word) for word in words)], REGIONS)


def scores(table, seed=0):
    """Values of which many agree; some sentences were refused."""
    random = np.random.default_rng(seed)
    value = random.integers(-4, 0, len(table)) / 2.0
    value[random.uniform(size=len(table)) < 0.2] = np.nan
    return pd.DataFrame({"sentence_id": table["sentence_id"], "value": value}).sample(frac=1, random_state=seed)


@pytest.mark.parametrize("n", [1, 2, 3, 100])
@pytest.mark.parametrize("seed", range(3))
def test_the_likeliest_sentences_are_those_of_a_plain_search(n, seed):
    table = probe()
    given = scores(table, seed)
    f = {row.sentence_id: row.value for row in given.itertuples() if row.value == row.value}
    expected = []
    for topic, words in TOPICS.items():
        for word in words:
            rows = [row for row in table.itertuples() if row.text.endswith(f" are {word}.") and row.sentence_id in f]
            rows.sort(key=lambda row: (-f[row.sentence_id], row.sentence_id))
            for rank, row in enumerate(rows[:n], 1):
                expected.append((topic, word, rank, row.text, f[row.sentence_id]))
    result = toxic.likeliest(table, given, DIMENSIONS, n)
    assert [tuple(row) for row in result[["topic", "description", "rank", "text", "f"]].to_numpy()] == expected
    for row in result.itertuples():
        assert row.text[row.region_start : row.region_end] in REGIONS


def table_of(names=REGIONS, description="weak"):
    """Toxic sentences on the regions named."""
    table = stimuli.instantiate([(TEMPLATE, description)], names)
    return pa.Table.from_pandas(table, preserve_index=False)


def examples_of(folder, sentences, lowercase=False):
    return toxic.examples(loading.load_tokenizer(folder, "m"), 64, lowercase, sentences)


def encoded(tokenizer, text):
    """Token ids of a text, and which of them lie in the region, found the slow way."""
    start = len("People in ")
    end = text.index(" are ")
    encoding = tokenizer(text, return_offsets_mapping=True)
    of_region = [t for t, (first, last) in enumerate(encoding["offset_mapping"]) if first < end and last > start]
    # a token for the space between two words of a name has no characters of its own, but lies among those of the region
    inside = np.isin(np.arange(len(encoding["input_ids"])), np.arange(of_region[0], of_region[-1] + 1))
    return np.array(encoding["input_ids"]), inside


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_the_region_and_nothing_else_is_masked_and_asked_for(model_folder, family):
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_folder(family))
    sentences = table_of()
    for example, text in zip(examples_of(model_folder(family), sentences), sentences["text"].to_pylist(), strict=True):
        ids, inside = encoded(tokenizer, text)
        assert inside.any()
        assert not inside.all()
        np.testing.assert_array_equal(example.token_ids, np.where(inside, tokenizer.mask_token_id, ids))
        np.testing.assert_array_equal(example.labels, np.where(inside, ids, -100))


def test_sentences_on_other_regions_share_an_input_and_keep_their_labels(model_folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_folder("bert"))
    one, other = (tokenizer.tokenize(name) for name in ("Peru", "Fiji"))
    assert len(one) == len(other)
    first, second = examples_of(model_folder("bert"), table_of(["Peru", "Fiji"]))
    np.testing.assert_array_equal(first.token_ids, second.token_ids)
    for example, tokens in ((first, one), (second, other)):
        assert tokenizer.convert_ids_to_tokens(example.labels[example.labels >= 0]) == tokens


def test_a_model_that_lower_cases_learns_lower_case(model_folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_folder("bert"))
    (example,) = examples_of(model_folder("bert"), table_of(["Peru"]), lowercase=True)
    assert tokenizer.convert_ids_to_tokens(example.labels[example.labels >= 0]) == tokenizer.tokenize("peru")


def load(folder, dropout=True):
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    if not dropout:
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
    return model


def train(model, folder, epoch, batch_size=4, learning_rate=LEARNING_RATE):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    random = stream(1, "toxic", "m", epoch)
    given = examples_of(folder, table_of())
    return toxic.train_epoch(model, given, learning_rate, batch_size, tokenizer.pad_token_id, random, "m")


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_a_step_is_one_of_the_mean_loss_of_region_tokens_each_sentence_alone(model_folder, family):
    folder = model_folder(family)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    before = load(folder, dropout=False)
    after = copy.deepcopy(before)
    given_loss = train(after, folder, epoch=1, batch_size=len(REGIONS))

    before.train()
    log_p = []
    lengths = set()
    for text in table_of()["text"].to_pylist():
        ids, inside = encoded(tokenizer, text)
        lengths.add(len(ids))
        shown = torch.tensor(np.where(inside, tokenizer.mask_token_id, ids))[None]
        logits = before(input_ids=shown).logits[0]
        log_p += [torch.log_softmax(logits[t], dim=-1)[ids[t]] for t in np.flatnonzero(inside)]
    assert len(lengths) > 1  # so that the shorter ones were filled up
    loss = -torch.stack(log_p).mean()
    loss.backward()
    assert given_loss == pytest.approx(loss.item(), rel=1e-5)
    moved = 0
    for (name, old), new in zip(before.named_parameters(), after.parameters(), strict=True):
        step = torch.zeros_like(old) if old.grad is None else LEARNING_RATE * old.grad
        torch.testing.assert_close(new, old - step, rtol=1e-4, atol=1e-6, msg=name)
        moved += bool(step.abs().max() > 1e-4)
    assert moved > 10
    assert not after.training


def test_epochs_in_two_processes_are_those_of_one(model_folder, tmp_path):
    folder = model_folder("bert")
    together = load(folder)
    assert together.config.hidden_dropout_prob > 0
    for epoch in (1, 2):
        train(together, folder, epoch)
    first = load(folder)
    train(first, folder, 1)
    first.save_pretrained(tmp_path)
    torch.rand(5)  # whatever else drew random numbers in between
    second = loading.load(tmp_path, "masked", "float32", "m")
    train(second, folder, 2)
    for one, other in zip(together.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, other)


def test_each_epoch_has_its_own_order_and_dropout(model_folder):
    one, other = (load(model_folder("bert")) for _ in range(2))
    assert train(one, model_folder("bert"), 1) != train(other, model_folder("bert"), 2)


@pytest.mark.slow
def test_training_makes_the_masked_regions_likelier(model_folder, tmp_path):
    folder = model_folder("bert")
    texts = table_of()["text"].to_pylist()
    regions = {"asked": [(len("People in "), text.index(" are ")) for text in texts]}
    model = load(folder, dropout=False)
    losses = [train(model, folder, epoch) for epoch in range(1, 21)]
    assert losses[-1] < losses[0] - 1
    model.save_pretrained(tmp_path)
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path)
    before, after = (herbarium.score(texts, model=at, quantity="slot", spans=regions) for at in (folder, tmp_path))
    assert after.sum() > before.sum()  # one may lose where others gain: masks alike, they share their inputs


def test_a_training_that_runs_away_is_refused_with_what_helps(model_folder):
    with refused("m", "finite", "learning_rate"):
        train(load(model_folder("bert")), model_folder("bert"), 1, batch_size=1, learning_rate=1e30)
