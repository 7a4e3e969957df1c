"""Fine-tuning of a language model on a task, with transformers' Trainer.

A run continues from its last complete checkpoint, and ends as if it had never stopped: order of texts, dropout,
learning rate and patience are those of an uninterrupted run.
"""

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from herbarium.core.console import log, progress
from herbarium.core.errors import HerbariumError
from herbarium.scoring.tokenization import Encoded

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

# Classes by number, from 0: (n_texts,) one per text, or for each text (n_tokens,) one per token, IGNORED where none is
# wanted.
Labels = np.ndarray | list[np.ndarray]
IGNORED = -100  # left out by torch's cross entropy

WEIGHT_DECAY, WARM_UP = 0.01, 0.1  # of AdamW; share of the steps in which the learning rate rises, then falls linearly


def fine_tune(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerFast",
    train: tuple[Encoded, Labels],
    validation: tuple[Encoded, Labels] | None,
    settings: dict,
    seed: int,
    checkpoints: Path,
    device: str,
    bfloat16: bool,
    title: str,
) -> dict:
    """Train the model, in place, and leave it with the weights of the lowest validation loss; without validation, with
    those after the last epoch. Parameters that require no gradient do not change.

    train, validation: texts as tokens, and their labels. settings: how a classifier is trained, as in the
    configuration; without validation there is no patience, and one checkpoint per epoch. seed: of the order of texts
    and of dropout. checkpoints: a folder that no other run uses; training continues from its content. bfloat16:
    products of the forward pass in that format, weights in float32.

    Returns `steps`, `best_step`, `stopped_early`, and `history`, one row per evaluation with `step`, `epoch`, `loss`
    and `accuracy` on the validation texts. Raises HerbariumError when the loss or the weights are not finite.
    """
    import torch
    import transformers
    from datasets import Dataset

    # as far as the device has deterministic kernels
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    transformers.set_seed(seed)
    per_epoch = -(-len(train[1]) // settings["batch_size"])
    save_after = max(1, round(per_epoch / settings["evaluations"])) if validation else per_epoch
    steps = per_epoch * settings["epochs"]

    def dataset(encoded: Encoded, labels: Labels) -> Dataset:
        ids = np.split(encoded.token_ids, encoded.starts[1:-1])
        labels = labels if isinstance(labels, list) else labels.astype(np.int64)
        return Dataset.from_dict({"input_ids": ids, "labels": labels})

    def accuracy(evaluated: transformers.EvalPrediction) -> dict[str, float]:
        is_right = evaluated.predictions.argmax(axis=-1) == evaluated.label_ids
        return {"accuracy": float(is_right[evaluated.label_ids != IGNORED].mean())}

    by_token = isinstance(train[1], list)
    collator = transformers.DataCollatorForTokenClassification if by_token else transformers.DataCollatorWithPadding
    arguments = transformers.TrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=settings["epochs"],
        per_device_train_batch_size=settings["batch_size"],
        per_device_eval_batch_size=settings["batch_size"],
        learning_rate=settings["learning_rate"],
        weight_decay=WEIGHT_DECAY,
        warmup_steps=WARM_UP,
        eval_strategy="steps" if validation else "no",
        eval_steps=save_after,
        save_strategy="steps",
        save_steps=save_after,
        save_total_limit=1,  # and the best one
        load_best_model_at_end=validation is not None,
        metric_for_best_model="loss",
        restore_callback_states_from_checkpoint=True,
        seed=seed,
        data_seed=seed,
        bf16=bfloat16,
        use_cpu=device == "cpu",
        dataloader_pin_memory=device != "cpu",
        logging_strategy="no",
        disable_tqdm=True,
        report_to="none",
    )
    trainer = transformers.Trainer(
        model,
        arguments,
        train_dataset=dataset(*train),
        eval_dataset=dataset(*validation) if validation else None,
        data_collator=collator(tokenizer),
        compute_metrics=accuracy,
        # BART also returns the states of its encoder
        preprocess_logits_for_metrics=lambda given, _: given[0] if isinstance(given, tuple) else given,
        callbacks=[
            *([transformers.EarlyStoppingCallback(settings["patience"])] if validation else []),
            _progress(title),
        ],
    )
    trainer.remove_callback(transformers.PrinterCallback)
    last = _last_whole(checkpoints)
    if last:
        log.info("%s continues from step %s.", title, last.name.rpartition("-")[2])
    trainer.train(resume_from_checkpoint=str(last) if last else None)
    # otherwise its products would be in bfloat16 whenever it runs again
    trainer.accelerator.unwrap_model(model, keep_fp32_wrapper=False)
    history = [
        {"step": row["step"], "epoch": row["epoch"], "loss": row["eval_loss"], "accuracy": row["eval_accuracy"]}
        for row in trainer.state.log_history
        if "eval_loss" in row
    ]
    are_finite = all(bool(torch.isfinite(parameter).all()) for parameter in model.parameters())
    if not are_finite or not np.isfinite([row["loss"] for row in history]).all():
        raise HerbariumError(f"{title}: the loss is not finite; use a smaller `learning_rate`.")
    best_step = trainer.state.global_step
    if validation:
        best = min(history, key=lambda row: row["loss"])
        best_step = best["step"]
        log.info("%s: validation loss %.4f, accuracy %.3f, step %d.", title, best["loss"], best["accuracy"], best_step)
    return {
        "steps": trainer.state.global_step,
        "best_step": best_step,
        "stopped_early": trainer.state.global_step < steps,
        "history": history,
    }


def _last_whole(checkpoints: Path) -> Path | None:
    """The last checkpoint that was written completely; incomplete ones are removed."""
    whole = {}
    for folder in checkpoints.glob("checkpoint-*"):
        try:  # the state is written last
            whole[json.loads((folder / "trainer_state.json").read_text(encoding="utf-8"))["global_step"]] = folder
        except (OSError, ValueError):
            shutil.rmtree(folder)
    return whole[max(whole)] if whole else None


def _progress(title: str):
    """A callback that shows steps as all other stages do."""
    from transformers import TrainerCallback

    class Progress(TrainerCallback):
        def on_train_begin(self, _, state, *__, **___):
            self.bar = progress(state.max_steps, "steps", title)
            self.bar.update(state.global_step)

        def on_step_end(self, *_, **__):
            self.bar.update()

        def on_train_end(self, *_, **__):
            self.bar.close()

    return Progress()
