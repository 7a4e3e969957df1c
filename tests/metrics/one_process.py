"""Runs every job of a study in one process, with answers that are given in the place of models'.

python tests/metrics/one_process.py CONFIG CASE…, in a copy of the project. Snakemake says which jobs there are, in
their order; what loads a model or a classifier is replaced (`Given`), all other scripts run as they are. Jobs that ask
for no answer run once, the others in a fork for each case: it works in a copy of the folder, which is beside it and
named after the case. There it writes ran.json: the rules of all jobs that ran and, by job, the end of the traceback of
each that failed.
"""

import gc
import importlib
import json
import logging
import os
import pkgutil
import runpy
import shutil
import sys
import traceback
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

CONSTANT, ONE_CONSTANT, ONE_NULL = "constant", "one_constant", "one_null"
EQUAL, ONE_REFUSES, ALL_REFUSE = "equal", "one_refuses", "all_refuse"
WHY = "refused: the tokenizer knows no part of it, only [UNK]"


def number(*names) -> float:
    """A number of [0, 1) that goes with some names."""
    return zlib.crc32("\t".join(map(str, names)).encode()) / 2**32


class AskedError(Exception):
    """A job asks for an answer, which depends on the case, and there is none yet."""


class Given:
    """The scripts whose place is taken. case: what is odd about the answers; without one, to ask raises AskedError."""

    def __init__(self, kinds: dict[str, str], case: str | None = None):
        """kinds: of the models, by name."""
        self._case, self.kinds = case, kinds
        self.firsts = {kind: next(name for name in kinds if kinds[name] == kind) for kind in kinds.values()}

    @property
    def case(self) -> str:
        if self._case is None:
            raise AskedError
        return self._case

    def likelihood(self, model: str, *names) -> float:
        """A natural logarithm, between -9 and -1."""
        first = self.first(model)
        if self.case == CONSTANT or (self.case == ONE_CONSTANT and model == first):
            return -3.0
        return -1 - 8 * number(first if self.case == EQUAL else model, *names)

    def refuses(self, model: str) -> bool:
        return self.case == ALL_REFUSE or (self.case == ONE_REFUSES and model == self.first(model))

    def first(self, model: str) -> str:
        """The first of the models of a kind, or of any."""
        return self.firsts.get(self.kinds.get(model), next(iter(self.kinds)))

    def resolve_model(self, job, made):
        from tests.conftest import model_record

        from herbarium.core import store

        model = job.wildcards.model
        record = model_record(model, job.params.entry["planted"]) | {"kind": self.kinds[model]}
        store.write_record(job.output[0], record | {"max_tokens": 64}, made)

    def cut_categorical_bias(self, job, made):
        """As the script does it, with a tokenizer of whole words."""
        from herbarium.core import store
        from herbarium.metrics.categorical_bias import stimuli
        from herbarium.training import planted

        sentences = store.read_frame(job.input.stimuli, "categorical_bias_stimuli")
        lists = {record["list"]: stimuli.lists_from(record) for record in map(store.read_record, job.input.designs)}
        tokenizer = planted.word_tokenizer(sentences["text"].tolist())
        place = job.wildcards.model, job.wildcards.language
        tokens = stimuli.cut(*place, sentences, lists, tokenizer, lowercase=False)
        store.write_table(job.output[0], stimuli.ATTRIBUTE_TOKENS, tokens, made)

    def gather_scores(self, job, made):
        from herbarium.core import store
        from herbarium.scoring import quantities, refusals
        from herbarium.scoring.planning import asked_of

        (model, stimuli), rows = (job.wildcards.model, job.wildcards.stimuli), []
        for path in sorted(Path(job.config["results"], "work/stimuli", stimuli).glob("*.parquet")):
            sentences = store.read_table(path, store.read_header(path)["schema"]).to_pandas()
            asked = asked_of(store.read_header(path), model, self.kinds[model])["quantities"]
            for quantity in asked:
                of_quantity = sentences[sentences["quantity"] == quantity] if "quantity" in sentences else sentences
                for sentence in of_quantity.itertuples():
                    value = self.likelihood(model, quantity, sentence.text)
                    value = np.exp(-value) if quantity == quantities.PPPL else value
                    number, n_tokens = sentence.sentence_id, 1 + len(sentence.text) % 2
                    rows.append((number, quantity, value, n_tokens, number, None))
        scores = pd.DataFrame(rows, columns=quantities.SCORES.fields.names)
        lost = np.full(len(scores), self.refuses(model))
        if self.case == ONE_NULL and len(scores):  # all that is asked of one sentence
            lost = (scores["sentence_id"] == scores["sentence_id"].iloc[len(scores) // 2]).to_numpy()
        scores.loc[lost, ["value", "note"]] = np.nan, WHY
        store.write_table(job.output.scores, quantities.SCORES, scores, made)
        counts = refusals.count([scores]).assign(model=model, stimuli=stimuli)
        store.write_table(job.output.refusals, refusals.REFUSALS, counts, made)

    def complete_honest(self, job, made):
        from herbarium.core import store
        from herbarium.metrics.honest import stimuli
        from herbarium.scoring.completions import COMPLETIONS

        model, words = job.wildcards.model, ("fool", "guest", "baker", "cook", "##s")
        texts = stimuli.read(**job.params.sentences_from)["text"].unique().tolist()
        likely = [sorted(words, key=lambda word: self.likelihood(model, text, word)) for text in texts]
        lost = [self.refuses(model) or (self.case == ONE_NULL and row == 0) for row in range(len(texts))]
        table = pd.DataFrame({"text": texts, "note": [WHY if gone else None for gone in lost]})
        table["completions"] = [None if gone else list(row) for gone, row in zip(lost, likely, strict=True)]
        table["is_word"] = [
            None if gone else [word.isalpha() for word in row] for gone, row in zip(lost, likely, strict=True)
        ]
        store.write_table(job.output[0], COMPLETIONS, table[COMPLETIONS.fields.names], made)

    def embed_herb(self, job, made):
        from herbarium.core import store
        from herbarium.regions import levels
        from herbarium.vectors.representations import EMBEDDINGS

        model = job.wildcards.model
        names = levels.countries(store.read_frame(job.input.regions, "regions"))[["region"]]
        lost = [self.refuses(model) or (self.case == ONE_NULL and row == 0) for row in range(len(names))]
        values = [[self.likelihood(model, name, axis) for axis in range(4)] for name in names["region"]]
        table = names.assign(
            n_tokens=np.where(lost, 0, 1),
            representation=[None if gone else vector for gone, vector in zip(lost, values, strict=True)],
            note=np.where(lost, WHY, None),
        )
        store.write_table(job.output[0], EMBEDDINGS, table, made)

    def represent(self, job, made):
        from herbarium.core import store
        from herbarium.vectors import lookup
        from herbarium.vectors.tables import ONLY, VECTORS, WORDS, made_of

        source, entry, layers = job.wildcards.source, job.params.entry, [ONLY]
        words = store.read_frame(job.input.words, WORDS.name)
        if (model := entry["model"]) is None:
            vectors = lookup.vectors(words, entry, source, job.params.seed)
        else:  # the first layer depends on the word alone
            layers = ["0", "1"]
            lost = [self.refuses(model) or (self.case == ONE_NULL and row == 0) for row in range(len(words))]
            asked = [text[start:end] for text, start, end in words[["text", "start", "end"]].itertuples(index=False)]
            values = [
                [[self.likelihood(model, seen, axis) for axis in range(4)] for seen in (word, text)]
                for word, text in zip(asked, words["text"], strict=True)
            ]
            results = [None if gone else vector for gone, vector in zip(lost, values, strict=True)]
            vectors = made_of(results, [int(not gone) for gone in lost], [WHY if gone else None for gone in lost])
        store.write_table(job.output[0], VECTORS, vectors, made | {"layers": layers})

    def finetune_downstream(self, job, made):
        from tests.conftest import model_record

        from herbarium.core import store

        base = model_record(job.wildcards.model, None)
        training = {"set": int(job.wildcards.set), **job.params.training, "bfloat16": False}
        best = {"step": 1, "epoch": 1.0, "loss": 0.5, "accuracy": 0.75}
        training |= {"history": [best], "steps": 1, "best_step": 1, "stopped_early": False}
        record = base | {"task": job.wildcards.task, "positive": 1, "max_tokens": 64, "training": training}
        store.write_record(job.output.record, record | {"base": base, "changes": {}}, made)

    def train_tagging(self, job, made):
        from herbarium.core import store
        from herbarium.metrics.tagging.sentences import PREDICTIONS, SENTENCES, TEST

        sentences = store.read_frame(job.input.sentences, SENTENCES.name)
        model = job.wildcards.model
        model = self.first(model) if self.case == EQUAL else model
        tags = [
            tags if number(model, place) < 0.5 else ["O"] * len(tags)
            for place, tags in enumerate(sentences.loc[sentences["split"] == TEST, "tags"])
        ]
        store.write_table(job.output[0], PREDICTIONS, pd.DataFrame({"tags": tags, "n_untagged": 0}), made)

    def predict_downstream(self, job, made):
        from herbarium.core import store
        from herbarium.scoring.predictions import PREDICTIONS

        examples = store.read_frame(job.input.examples, "task_examples")
        prefixes = store.read_frame(job.input.prefixes, "task_prefixes")
        shard = prefixes["prefix"].iloc[int(job.wildcards.shard) :: job.params.shards]
        places = [(example, prefix) for example in range((examples["split"] == "test").sum()) for prefix in shard]
        rows = pd.DataFrame(places, columns=["example", "prefix"])
        rows["log_odds"] = [5 + self.likelihood(job.wildcards.model, *place) for place in places]
        store.write_table(job.output[0], PREDICTIONS, rows.assign(n_tokens=9, truncated=False), made)

    def embed_local_group_bias(self, job, made):
        from herbarium.core import store
        from herbarium.scoring.perturbation import FEATURES

        rows = store.read_frame(job.input.instances, "local_instances", ["example", "prefix"]).drop_duplicates()
        feature = [[self.likelihood("", *place, axis) for axis in range(3)] for place in rows.to_numpy().tolist()]
        store.write_table(job.output[0], FEATURES, rows.assign(feature=feature), made)

    def sign_numbers(self, job, made):
        """Lines without what a number depends on, which the records of given answers do not say."""
        from herbarium.core import store
        from herbarium.study import signatures

        rows = pd.concat([store.read_frame(path, "tidy") for path in job.input])
        lines = [signatures.of_row(row, {"version": "0"}) for row in rows.to_dict("records")]
        store.write_csv(job.output.csv, rows[[*signatures.KEY]].assign(signature=lines), made)


# What other scripts read only through those of `Given`, or what a study ends in: records that go back to all sources.
LEFT_OUT = {
    *("train_testbed", "plan_scoring", "tune_scoring", "score_shard"),
    *("record_run", "exchange", "all"),
}


def named(job) -> str:
    """The rule of a job; of a rule of all metrics, with its metric."""
    return "_".join([job.rule.name, *filter(None, [job.wildcards.get("metric")])])


def run(given: Given, job, config: dict, scripts: Path) -> None:
    """Run the script of a job, or what takes its place."""
    from snakemake.script import Snakemake

    for path in [*job.output, *job.log]:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    parts = (job.input, job.output, job.params, job.wildcards, 1, SimpleNamespace(gpu=0), job.log, config)
    told = Snakemake(*parts, job.rule.name, None, str(scripts))
    if taken := getattr(given, job.rule.name, None):
        taken(told, {"results": config["results"], "models": {}, "inputs": {}, "rule": job.rule.name})
    else:
        script = scripts / Path(job.rule.script).name  # a rule may have that of another
        runpy.run_path(str(script), {"snakemake": told})


@dataclass
class Course:
    """How jobs went. ran: the rules of those that ran. faults: by job. absent: files that a failed job would have made.
    waiting: jobs that ask for an answer, and those after them. awaited: the files that these make."""

    ran: list[str] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    waiting: list = field(default_factory=list)
    awaited: set[str] = field(default_factory=set)

    def go(self, jobs: list, given: Given, config: dict, scripts: Path) -> None:
        for job in jobs:
            if self.absent & set(job.input):
                self.absent.update(job.output)
                continue
            try:
                if self.awaited & set(job.input):
                    raise AskedError
                run(given, job, config, scripts)
            except AskedError:
                self.waiting.append(job)
                self.awaited.update(job.output)
                continue
            except Exception as error:
                title = " ".join([named(job), *map(str, job.wildcards)])
                self.faults[title] = "".join(traceback.format_exception(error)[-4:])
                self.absent.update(job.output)
            self.ran.append(named(job))
            logging.getLogger("herbarium").handlers.clear()


def go_on(course: Course, place: Path, given: Given, config: dict, scripts: Path) -> None:
    """Run the jobs that wait for answers, in a copy of the folder; ends the process."""
    try:
        os.chdir(shutil.copytree(".", place))
        after = Course(course.ran, course.faults, course.absent)
        after.go(course.waiting, given, config, scripts)
        Path("ran.json").write_text(json.dumps({"ran": after.ran, "faults": after.faults}, indent=1))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def lay_out() -> None:
    """Have figures laid out, which is where they fail, and kept as a dot: to draw them takes as long again."""
    from PIL import Image

    from herbarium.drawing import style

    def as_a_dot(figure, paths, made=None):
        with style.context():
            figure.draw_without_rendering()
        for path in map(Path, paths):
            if path.suffix == ".png":
                Image.new("RGB", (1, 1)).save(path)
            else:
                path.touch()

    style.save = as_a_dot


def import_everything() -> None:
    """What the jobs of each case would import anew."""
    import herbarium
    from herbarium.statistics import lme4

    for module in pkgutil.walk_packages(herbarium.__path__, "herbarium."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    lme4.require()
    gc.collect()
    gc.freeze()


def main(config: str, *cases: str) -> None:
    from snakemake import cli
    from snakemake.executors.dryrun import Executor

    def run_all(executor, _):
        """All jobs, the first time that Snakemake would show one."""
        lay_out()
        workflow = executor.workflow
        models, scripts = workflow.globals["STUDY"].models, Path("workflow/scripts").resolve()
        kinds = {name: str(model.kind) for name, model in models.items()}
        jobs = [job for level in workflow.dag.toposorted() for job in level]
        with_script = [job for job in jobs if job.rule.name not in LEFT_OUT and job.rule.script]
        course, values = Course(), workflow.globals["config"]
        course.go(with_script, Given(kinds), values, scripts)
        import_everything()
        for case in cases:
            if (fork := os.fork()) == 0:
                go_on(course, Path("..", case), Given(kinds, case), values, scripts)
            if os.waitpid(fork, 0)[1]:
                os._exit(1)
        os._exit(0)

    os.fsync = lambda _: None  # of a thousand files, none of which has to outlive the machine
    Executor.run_job = run_all
    cli.main(["-n", "--cores", "1", "--resources", "gpu=1", "--configfile", config])


if __name__ == "__main__":
    main(*sys.argv[1:])
