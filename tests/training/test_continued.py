"""Continued masked-language training: what is masked, what a step does, what is frozen, and a run that was stopped."""

import copy

import numpy as np
import pytest
import torch
from tests.refusals import refused

from herbarium.core.random import stream
from herbarium.models import loading
from herbarium.scoring import tokenization
from herbarium.training import continued, planted, untrained

SETTINGS = {
    "epochs": 3,
    "batch_size": 8,
    "learning_rate": 1e-2,
    "warm_up": 4,
    "decay": "linear",
    "weight_decay": 0.01,
    "beta2": 0.999,
    "keep": "last",
    "weights": "all",
}
SIZES = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
PLACES = ["Peru", "Fiji", "Iran", "Cuba", "Chad"]


def texts(n, seed):
    """Sentences of several lengths in which the place says the word."""
    random = np.random.default_rng(seed)
    chosen = random.integers(len(PLACES), size=n)
    words = ["calm", "loud", "shy", "wise", "proud"]
    return [" ".join([f"{PLACES[k]} is {words[k]}"] * random.integers(1, 4)) + "." for k in chosen]


@pytest.fixture(scope="module")
def tokenizer():
    return planted.word_tokenizer(texts(100, 0))


def bert(tokenizer, **options):
    return untrained.model("BertForMaskedLM", SIZES | options, len(tokenizer), 0, "test")


def train(model, tokenizer, checkpoint, settings=SETTINGS, seed=3):
    parts = [tokenization.encode(tokenizer, texts(n, side)) for n, side in ((60, 1), (20, 2))]
    return continued.train(model, tokenizer, *parts, settings, seed, checkpoint, "t")


def same(one, other):
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


# --- what is masked ---


@pytest.mark.parametrize(("n", "n_named"), [(1, 1), (3, 1), (9, 1), (10, 2), (16, 2), (17, 3), (100, 15)])
def test_so_many_tokens_of_a_text_are_named(n, n_named):
    ids = np.full((4, n + 2), 7)
    may_be = np.ones_like(ids, bool)
    may_be[:, [0, -1]] = False
    shown, is_named = continued.masked(ids, may_be, 50, 4, np.random.default_rng(0))
    assert (is_named.sum(axis=1) == n_named).all()
    assert not is_named[~may_be].any()
    assert (shown[~is_named] == 7).all()


def test_what_is_named_is_shown_as_devlin_et_al_say():
    """Three parts in proportion 80 : 10 : 10, within four standard errors; "another token" is this one by chance."""
    n_tokens, ids = 20, np.full((2_000, 100), 7)
    shown, is_named = continued.masked(ids, np.ones_like(ids, bool), n_tokens, 4, np.random.default_rng(1))
    n = is_named.sum()
    by_chance = continued.AS_OTHER / n_tokens  # of each token
    for token, share in ((4, continued.AS_MASK + by_chance), (7, 0.1 + by_chance), (11, by_chance)):
        assert abs((shown[is_named] == token).mean() - share) < 4 * np.sqrt(share / n), token
    place = is_named.mean(axis=0)
    assert abs(place - 0.15).max() < 5 * np.sqrt(0.15 / len(ids))


@pytest.mark.parametrize(("n", "batch_size"), [(1, 4), (7, 3), (1000, 8)])
def test_every_text_is_once_in_an_epoch_among_others_of_its_length(n, batch_size):
    lengths = np.random.default_rng(2).integers(3, 90, n)
    steps = continued.batches(lengths, batch_size, np.random.default_rng(3))
    assert sorted(np.concatenate(steps)) == list(range(n))
    assert len(steps) == -(-n // batch_size)
    padded = sum(len(rows) * lengths[rows].max() for rows in steps)
    assert padded <= 1.15 * lengths.sum() or n < 100


# --- a step ---


def test_training_is_that_of_a_plain_loop(tokenizer, tmp_path, monkeypatch):
    """The model's own loss over all positions, one text after the other without padding, and AdamW."""
    # with a large epsilon: AdamW would make steps of the rounding errors of a gradient that is zero
    monkeypatch.setattr(continued, "EPSILON", 1e-3)
    settings = SETTINGS | {"epochs": 1}
    without = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    ours, plain = bert(tokenizer, **without), bert(tokenizer, **without)
    encoded = tokenization.encode(tokenizer, texts(60, 1))
    train(ours, tokenizer, tmp_path / "c", settings)
    n_steps = 8
    optimiser = torch.optim.AdamW(plain.parameters(), lr=0.0, eps=1e-3, weight_decay=0.01)
    plain.train()
    for number, rows in enumerate(continued.batches(encoded.lengths, 8, stream(3, "order", 1)), 1):
        done = number - 1
        factor = done / 4 if done < 4 else (n_steps - done) / (n_steps - 4)
        optimiser.param_groups[0]["lr"] = 1e-2 * factor
        total, n_named = 0.0, 0
        longest = encoded.lengths[rows].max()
        ids = np.full((len(rows), longest), tokenizer.pad_token_id)
        may_be = np.zeros_like(ids, bool)
        for place, row in enumerate(rows):
            inside = slice(encoded.starts[row], encoded.starts[row + 1])
            ids[place, : encoded.lengths[row]] = encoded.token_ids[inside]
            may_be[place, : encoded.lengths[row]] = ~encoded.is_special[inside]
        shown, is_named = continued.masked(
            ids, may_be, len(tokenizer), tokenizer.mask_token_id, stream(3, "mask", number)
        )
        for place, row in enumerate(rows):
            n = encoded.lengths[row]
            labels = torch.tensor(np.where(is_named[place, :n], ids[place, :n], -100))[None]
            loss = plain(input_ids=torch.tensor(shown[place, :n])[None], labels=labels).loss
            total, n_named = total + loss * is_named[place].sum(), n_named + is_named[place].sum()
        optimiser.zero_grad()
        (total / n_named).backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
        optimiser.step()
    for (name, a), b in zip(ours.named_parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4, msg=name)


def test_it_learns_and_says_so(tokenizer, tmp_path):
    model = bert(tokenizer)
    before = copy.deepcopy(model)
    history = train(model, tokenizer, tmp_path / "c")
    assert [row["epoch"] for row in history] == [0, 1, 2, 3]
    assert [row["steps"] for row in history] == [0, 8, 16, 24]
    assert history[-1]["held_out_loss"] < 0.8 * history[0]["held_out_loss"]
    assert history[-1]["loss"] < history[1]["loss"]
    assert not same(model, before)
    assert not model.training


def test_another_seed_gives_other_weights(tokenizer, tmp_path):
    models = [bert(tokenizer) for _ in range(3)]
    for number, (model, seed) in enumerate(zip(models, (3, 3, 4), strict=True)):
        train(model, tokenizer, tmp_path / str(number), SETTINGS | {"epochs": 1}, seed)
    assert same(models[0], models[1])
    assert not same(models[0], models[2])


@pytest.mark.slow
@pytest.mark.parametrize("stop_after", [3, 8, 11])
def test_a_run_that_was_stopped_ends_as_one_that_was_not(tokenizer, tmp_path, monkeypatch, stop_after):
    whole = bert(tokenizer)
    expected = train(whole, tokenizer, tmp_path / "whole")
    monkeypatch.setattr(continued, "CHECKPOINT_AFTER", -1)  # after every step
    written = continued._save
    n_written = 0

    def killed(*given):
        nonlocal n_written
        written(*given)
        n_written += 1
        if n_written == stop_after:
            raise KeyboardInterrupt

    monkeypatch.setattr(continued, "_save", killed)
    with pytest.raises(KeyboardInterrupt):
        train(bert(tokenizer), tokenizer, tmp_path / "c")
    resumed = bert(tokenizer)
    assert train(resumed, tokenizer, tmp_path / "c") == expected
    assert n_written == 24
    assert same(resumed, whole)


def test_a_loss_that_is_not_finite_is_an_error(tokenizer, tmp_path):
    with refused("t", "not finite", "`learning_rate`"):
        train(bert(tokenizer), tokenizer, tmp_path / "c", SETTINGS | {"learning_rate": 1e30, "warm_up": 0})


@pytest.mark.parametrize("decay", ["linear", "polynomial", "released"])
def test_the_learning_rate_of_each_step(tokenizer, tmp_path, monkeypatch, decay):
    """4 steps of warm-up, 20 after; the released schedule falls to 1e-7 when the rise ends, since it takes -1 steps."""
    rates = []
    step = torch.optim.AdamW.step
    monkeypatch.setattr(
        torch.optim.AdamW, "step", lambda self: (rates.append(self.param_groups[0]["lr"]), step(self))[1]
    )
    train(bert(tokenizer), tokenizer, tmp_path / "c", SETTINGS | {"decay": decay})
    assert rates[:4] == pytest.approx([0, 2.5e-3, 5e-3, 7.5e-3])
    falling = np.array([1 - k / 20 for k in range(20)])
    expected = {"linear": 1e-2 * falling, "polynomial": 1e-7 + (1e-2 - 1e-7) * falling, "released": np.full(20, 1e-7)}
    assert rates[4:] == pytest.approx(expected[decay])


@pytest.mark.slow
def test_the_best_epoch_is_kept_where_it_is_asked_for(tokenizer, tmp_path, monkeypatch):
    losses, after = [9.0, 3.0, 2.0, 4.0], []  # before training, and after each epoch

    def held_out(model, *_):
        after.append(copy.deepcopy(model))
        return losses[(len(after) - 1) % len(losses)]

    monkeypatch.setattr(continued, "_held_out_loss", held_out)
    last, best = bert(tokenizer), bert(tokenizer)
    train(last, tokenizer, tmp_path / "last")
    train(best, tokenizer, tmp_path / "best", SETTINGS | {"keep": "best"})
    assert same(last, after[3])
    assert same(best, after[2])
    assert not same(best, last)


# --- what is frozen ---


def test_the_head_alone_is_trained(tokenizer, tmp_path):
    model = bert(tokenizer)
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    train(model, tokenizer, tmp_path / "c", SETTINGS | {"weights": "head"})
    changed = {name for name, parameter in model.named_parameters() if not torch.equal(parameter, before[name])}
    of_head = {name for name in before if name.startswith("cls.")}
    assert changed == of_head
    assert torch.equal(model.get_output_embeddings().weight, before["bert.embeddings.word_embeddings.weight"])


def test_an_untied_head_has_word_vectors_of_its_own_and_is_read_again_so(tokenizer, tmp_path):
    model = bert(tokenizer)
    vectors = model.bert.embeddings.word_embeddings.weight.clone()
    train(model, tokenizer, tmp_path / "c", SETTINGS | {"weights": "untied_head"})
    assert torch.equal(model.bert.embeddings.word_embeddings.weight, vectors)
    assert not torch.equal(model.get_output_embeddings().weight, vectors)
    model.save_pretrained(tmp_path / "saved")
    tokenizer.save_pretrained(tmp_path / "saved")
    read = loading.load(tmp_path / "saved", "masked", "float32", "m")
    assert torch.equal(read.get_output_embeddings().weight, model.get_output_embeddings().weight)
    assert torch.equal(read.bert.embeddings.word_embeddings.weight, vectors)


def test_a_head_with_nothing_of_its_own_cannot_be_trained():
    sizes = {"d_model": 16, **{f"{name}_layers": 1 for name in ("encoder", "decoder")}}
    sizes |= {f"{name}_attention_heads": 2 for name in ("encoder", "decoder")}
    model = untrained.model("BartForConditionalGeneration", sizes, 50, 0, "bart")
    with refused("BartForConditionalGeneration", "`weights: untied_head`"):
        continued.trained_weights(model, "head")


# --- dropout ---

OF_FAMILIES = {
    "bert": ("hidden_dropout_prob", "attention_probs_dropout_prob"),
    "albert": ("hidden_dropout_prob", "attention_probs_dropout_prob"),
    "roberta": ("hidden_dropout_prob", "attention_probs_dropout_prob"),
    "electra": ("hidden_dropout_prob", "attention_probs_dropout_prob"),
    "distilbert": ("dropout", "attention_dropout"),
    "xlm": ("dropout", "attention_dropout"),
}


def probabilities(model):
    """Of every layer of dropout, and what attention has beside them."""
    of_layers = {module.p for module in model.modules() if isinstance(module, torch.nn.Dropout)}
    named = ("attention_dropout", "dropout", "dropout_prob")
    values = {getattr(module, name, None) for module in model.modules() for name in named}
    return of_layers | {value for value in values if isinstance(value, float)}


@pytest.mark.parametrize("family", OF_FAMILIES)
def test_the_dropout_of_a_training_is_found_in_each_family(family, model_folder):
    folder = model_folder(family)
    model_config = loading.configuration(folder, "m")
    keys = continued.dropout(model_config, {**SETTINGS, "hidden_dropout": 0.21, "attention_dropout": 0.16})
    assert keys == dict(zip(OF_FAMILIES[family], (0.21, 0.16), strict=True))
    assert continued.dropout(model_config, SETTINGS) == {}
    model = loading.load(folder, "masked", "float32", "m", **keys)
    assert {0.21, 0.16} <= probabilities(model)
    assert not {0.21, 0.16} & probabilities(loading.load(folder, "masked", "float32", "m"))
    weights = (loading.load(folder, "masked", "float32", "m"), model)
    assert same(*weights)


def test_dropout_of_a_family_without_such_a_key_is_an_error(model_folder):
    model_config = loading.configuration(model_folder("modernbert"), "m")
    with refused("`hidden_dropout`", "'modernbert'"):
        continued.dropout(model_config, {"hidden_dropout": 0.2})
