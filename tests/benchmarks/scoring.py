"""HERB scoring against its floor: the bare forward passes of the same unique tokens, head included (`make bench`).

A BERT of base size with random weights and a vocabulary of real size, 20 region names x 112 descriptions. The two are
timed in turn, and the ratio of their fastest rounds is printed.
"""

import tempfile
import time
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, BertTokenizerFast

from herbarium import planning, resources, scoring
from herbarium.models import load, load_tokenizer
from herbarium.probes import herb
from herbarium.probes.regions import geonames

ROUNDS = 3
VOCABULARY = 30_522


def make_model(folder: Path, words: list[str]) -> None:
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(words))]
    vocabulary += [f"unused{i}" for i in range(VOCABULARY - len(vocabulary))]
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = (
        normalizers.BertNormalizer(lowercase=False),
        pre_tokenizers.BertPreTokenizer(),
    )
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    BertTokenizerFast(tokenizer_object=tokenizer, do_lower_case=False).save_pretrained(folder)
    torch.manual_seed(0)
    BertForMaskedLM(BertConfig(vocab_size=VOCABULARY)).save_pretrained(folder)


def floor(model: BertForMaskedLM, lists: list[list[int]], tokens: int) -> None:
    """Forward passes of whole batches of one length, logits at the tokens only, and nothing else."""
    by_length: dict[int, list[list[int]]] = {}
    for ids in lists:
        by_length.setdefault(len(ids), []).append(ids)
    with torch.inference_mode():
        for length, group in by_length.items():
            size = max(1, tokens // length)
            for start in range(0, len(group), size):
                hidden = model.bert(torch.tensor(group[start : start + size])).last_hidden_state[:, 1:-1]
                model.cls(hidden)


def main() -> None:
    topics = sorted(Path("resources/herb/descriptions").glob("*.txt"))
    descriptions = [word for topic in topics for word in resources.read_words(topic)]
    cities = geonames(["AF", "AS", "EU", "NA", "OC", "SA"], "all", "all", 5_000_000, 1)
    names = cities.loc[cities["level"] == "city", "name"].tolist()[:20]
    probe = herb.instantiate(resources.read_template("resources/herb/template.txt", herb.SLOTS), names, descriptions)
    words = [word for text in probe["text"] for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)]
    with tempfile.TemporaryDirectory() as folder:
        make_model(Path(folder), words)
        model, tokenizer = load(Path(folder), "masked", "float32", "bench"), load_tokenizer(Path(folder), "bench")
        plan = planning.Planner(tokenizer, 512, False).add(
            probe["sentence_id"].to_numpy(), probe["text"].tolist(), "aul"
        )
        lists = plan.inputs["token_ids"].to_pylist()
        times: dict[str, list[float]] = {"herbarium": []}
        for _ in range(ROUNDS):
            start = time.perf_counter()
            scoring.answer(model, "cpu", plan.inputs, plan.requests, "herbarium")
            times["herbarium"].append(time.perf_counter() - start)
            for tokens in (256, 1024, 4096):
                start = time.perf_counter()
                floor(model, lists, tokens)
                times.setdefault(f"floor, {tokens} tokens a batch", []).append(time.perf_counter() - start)
    best_floor = min(min(seconds) for name, seconds in times.items() if name != "herbarium")
    assert len(lists) == len(probe)  # a vocabulary that knows every name
    print(f"{len(lists)} unique inputs, {sum(map(len, lists))} tokens, {torch.get_num_threads()} threads")
    for name, seconds in times.items():
        print(f"{name:28} {min(seconds):7.2f} s   {min(seconds) / best_floor:5.2f} x floor")


if __name__ == "__main__":
    main()
