"""Plan and gather alone, at the size of all cities of the world (`make bench`): no model is run.

34,000 names x 112 descriptions, 3.8 million sentences: the workflow's own scripts, each in a process of its own,
with a WordPiece tokenizer of real size. Answers stand in for what a model would say. A shard is planned beside the
tokenizer alone, which is given each of its sentences, in this process.
"""

import json
import subprocess
import sys
import tempfile
from itertools import chain, count, islice
from pathlib import Path

import numpy as np
from studies.benchmarks.shared import Figure, say, size, timed
from tokenizers import BertWordPieceTokenizer
from transformers import BertTokenizerFast

from herbarium.core import resources, store
from herbarium.core.console import tracked
from herbarium.core.provenance import file_hash
from herbarium.metrics.herb import stimuli
from herbarium.regions.hierarchy import geonames
from herbarium.scoring import answers, quantities

NAMES, DESCRIPTIONS, SHARDS = size(34_000, 60), size(112, 6), size(8, 2)
CONTINENTS = ["AF", "AS", "EU", "NA", "OC", "SA"]
# What a script is given by Snakemake. Last it says how much memory it took: `resource` would say what the process that
# started it did, if that was more.
RUN = """
import json, re, runpy, sys, types
from snakemake.iocontainers import InputFiles, Log, OutputFiles, Params, Wildcards

def laid_out(kind, values):
    made = kind()
    for name, value in values.items():
        start, many = len(made), isinstance(value, list)
        made.extend(value if many else [value])
        made._set_name(name, start, end=len(made) if many else None)
    return made

said = json.load(sys.stdin)
kinds = {"input": InputFiles, "output": OutputFiles, "log": Log, "params": Params, "wildcards": Wildcards}
said |= {name: laid_out(kind, said[name]) for name, kind in kinds.items()}
runpy.run_path(sys.argv[1], {"snakemake": types.SimpleNamespace(**said)})
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


def filled_up(words: list[str], n: int) -> list[str]:
    """The distinct words and others made from them, n in all."""
    distinct = list(dict.fromkeys(words))
    made = (f"{word}-{i}" for i in count() for word in distinct)
    return list(islice(chain(distinct, made), n))


def made(folder: Path) -> dict:
    """What a step must find in the files that it reads."""
    return {"results": str(folder), "models": {}}


def make_stimuli(folder: Path) -> list[str]:
    """Write the shards of the stimuli; gives the text that a tokenizer learns from."""
    names = filled_up(geonames(CONTINENTS, "all", "all", 0, None)["name"].tolist(), NAMES)
    lists = sorted(Path("resources/herb/descriptions").glob("*.txt"))
    descriptions = filled_up([word for path in lists for word in resources.read_words(path)], DESCRIPTIONS)
    template = stimuli.read_template("resources/herb/templates/published.txt")
    header = {**made(folder), "slots": stimuli.SLOTS, "quantities": ["aul"]}
    shards = stimuli.by_shard([stimuli.BARE_NAME, *((template, word) for word in descriptions)], SHARDS)
    for shard, frames in enumerate(tracked(shards, SHARDS, "shards", "Instantiating")):
        with store.table_writer(folder / f"stimuli-{shard}.parquet", stimuli.STIMULI, header) as append:
            for start in range(0, NAMES, 3_000):
                append(stimuli.instantiate(frames, names[start : start + 3_000]))
    return [template, *names, *descriptions]


def make_tokenizer(folder: Path, texts: list[str]) -> None:
    tokenizer = BertWordPieceTokenizer(lowercase=False)
    tokenizer.train_from_iterator(texts, vocab_size=28_996, show_progress=False)
    BertTokenizerFast(tokenizer_object=tokenizer._tokenizer, do_lower_case=False).save_pretrained(folder)


def run(script: str, folder: Path, **given: object) -> tuple[float, float]:
    """Run a script of the workflow as its rule would: seconds, and GB."""
    snakemake = {
        "rule": script,
        "config": {"results": str(folder)},
        "log": {"log": folder / "log"},
        "params": {"code": ""},
        "wildcards": {"model": "bench", "stimuli": "herb"},
        **given,
    }
    command, text = [sys.executable, "-c", RUN, f"workflow/scripts/{script}.py"], json.dumps(snakemake, default=str)
    seconds, done = timed(lambda: subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True))
    return seconds, int(done.stdout.split()[-1]) / 2**20


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_tokenizer(folder / "model", make_stimuli(folder))
        files = {file.name: file_hash(file) for file in (folder / "model").iterdir()}
        record = {"name": "bench", "kind": "masked", "hub": None, "path": str(folder / "model"), "max_tokens": 512}
        record |= dict.fromkeys(["chat_template", "start", "served", "revision", "tokenizer"])
        record |= {"lowercase": False, "cuts": False, "files": files}
        store.write_record(folder / "model.json", record, made(folder))
        plan = {
            kind: [folder / f"{kind}-{shard}.parquet" for shard in range(SHARDS)]
            for kind in ("inputs", "requests", "sentences", "answers")
        }
        taken, random = [], np.random.default_rng(0)
        for shard in range(SHARDS):
            files = {kind: paths[shard] for kind, paths in plan.items()}
            given = {"model": folder / "model.json", "stimuli": folder / f"stimuli-{shard}.parquet"}
            taken.append(("plan_scoring", *run("plan_scoring", folder, input=given, output=files)))
            inputs, requests = (store.read_table(files[kind], f"plan_{kind}") for kind in ("inputs", "requests"))
            answered = answers.by_input(inputs, requests, -random.exponential(5, len(requests)))
            text = made(folder) | {"model": record, "device": "none"}
            store.write_table(files["answers"], quantities.ANSWERS, answered, text)
        gathered = {kind: folder / f"{kind}.parquet" for kind in ("scores", "refusals")}
        taken.append(("gather_scores", *run("gather_scores", folder, input=plan, output=gathered)))
        tokenizer = BertTokenizerFast.from_pretrained(folder / "model")
        texts = store.read_table(folder / "stimuli-0.parquet", stimuli.STIMULI.name)["text"].to_pylist()
        alone, _ = timed(lambda: [tokenizer(texts[at : at + 10_000]) for at in range(0, len(texts), 10_000)])
        _, planned, _ = taken[0]
        say(f"{store.count_rows(folder / 'scores.parquet', 'scores'):,} sentences")
        for script, seconds, gb in taken:
            say(f"{script}: {seconds:.1f} s, {gb:.2f} GB", Figure(script, seconds, "s"), Figure(script, gb, "GB"))
        say(
            f"a shard: {planned / alone:.2f} of the tokenizer alone",
            Figure("plan of a shard", planned / alone, peer="tokenizer alone"),
        )


if __name__ == "__main__":
    main()
