"""Continued training against a plain Trainer, and the exchange of terms (`make bench`).

Continued masked-language training of a model of BERT's base size, random weights, on the CPU: texts of 6 to 60
words, one epoch, 16 a step. *Trainer* is that of transformers on the same texts, with its own collator, which masks
15 % of tokens, too, and pads each batch to its longest; neither saves or evaluates between. Sentences a second in
which gendered words, and countries, are exchanged.
"""

import contextlib
import tempfile
from pathlib import Path

import numpy as np
import torch
from studies.benchmarks.shared import BASE, Figure, say, size, timed
from transformers import (
    BertConfig,
    BertForMaskedLM,
    DataCollatorForLanguageModeling,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
)

from herbarium.models.loading import load_tokenizer
from herbarium.models.recipes import SCHEDULES
from herbarium.scoring import classifiers
from herbarium.training import continued, country_swapping, swapping
from herbarium.training.planted import word_tokenizer
from herbarium.training.section import TERMS

TEXTS, HELD_OUT, BATCH, ROUNDS = size(128, 16), 2, 16, 2
SENTENCES = size(50_000, 200)
VOCABULARY = 30_522
MAX_TOKENS = 128


def texts(n: int) -> list[str]:
    random = np.random.default_rng(0)
    words = [f"word{number}" for number in range(2_000)]
    return [" ".join(random.choice(words, random.integers(6, 61))) for _ in range(n)]


def fresh() -> BertForMaskedLM:
    torch.manual_seed(0)
    return BertForMaskedLM(BertConfig(vocab_size=VOCABULARY, **BASE))


def ours(tokenizer: PreTrainedTokenizerFast, some: list[str], folder: Path) -> float:
    settings = SCHEDULES["ahn_oh"]._asdict() | {"epochs": 1, "batch_size": BATCH, "weights": "all"}
    encoded = [classifiers.encode(tokenizer, side, MAX_TOKENS, False) for side in (some, some[:HELD_OUT])]
    model = fresh()
    seconds, _ = timed(
        lambda: continued.train(model, tokenizer, *encoded, settings, 0, folder / "checkpoint", "Continued")
    )
    return seconds


def theirs(tokenizer: PreTrainedTokenizerFast, some: list[str], folder: Path) -> float:
    arguments = TrainingArguments(
        output_dir=folder,
        num_train_epochs=1,
        per_device_train_batch_size=BATCH,
        learning_rate=1e-4,
        warmup_steps=1000,
        max_grad_norm=1.0,
        save_strategy="no",
        logging_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        seed=0,
    )
    rows = [tokenizer(text, truncation=True, max_length=MAX_TOKENS) for text in some]
    collator = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    trainer = Trainer(fresh(), arguments, train_dataset=rows, data_collator=collator)
    with contextlib.redirect_stdout(None):
        seconds, _ = timed(trainer.train)
    return seconds


def tune() -> None:
    some = texts(TEXTS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        word_tokenizer(some).save_pretrained(folder)
        BertConfig(vocab_size=VOCABULARY, **BASE).save_pretrained(folder)
        tokenizer = load_tokenizer(folder, "bench")
        least = {"ours": np.inf, "theirs": np.inf}
        for _ in range(ROUNDS):
            least["ours"] = min(least["ours"], ours(tokenizer, some, folder))
            least["theirs"] = min(least["theirs"], theirs(tokenizer, some, folder))
    say(
        f"{TEXTS} texts: continued training {least['ours']:.1f} s, Trainer {least['theirs']:.1f} s",
        Figure("continued training", TEXTS / least["ours"], "texts/s"),
        Figure("continued training", least["ours"] / least["theirs"], peer="Trainer of transformers"),
    )


def exchange() -> None:
    people = ["He said that his sister had seen her.", "The actress thanked the waiter.", "It rained all day."]
    places = ["The French minister went to Canada.", "A Peruvian meets two Germans.", "It rained all day."]
    for what, some, run in (
        ("gender", people, lambda table: swapping.corpus(table, swapping.read_pairs(TERMS["gender"][0]), True)),
        (
            "countries",
            places,
            lambda value: country_swapping.corpus(value, country_swapping.read_terms(TERMS["countries"][0]), 0, True),
        ),
    ):
        many = [some[number % len(some)] for number in range(SENTENCES)]
        seconds, _ = timed(lambda many=many, run=run: run(many))
        rate = Figure(f"{what} exchanged", len(many) / seconds, "sentences/s")
        say(f"{what}: {rate.value:,.0f} sentences a second", rate)


if __name__ == "__main__":
    tune()
    exchange()
