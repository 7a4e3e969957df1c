"""Plan the unique inputs that a model needs for a shard's sentences (rule plan_scoring)."""

import contextlib

import pyarrow.compute as pc

from herbarium.core import store
from herbarium.core.console import log, progress
from herbarium.core.step import begin
from herbarium.models import loading, tokenizer_files
from herbarium.scoring import planning, quantities

made = begin(snakemake)
record = store.read_record(snakemake.input.model)
stimuli = snakemake.input.stimuli
# the stimuli say which quantities are asked for, and what their slots are
wanted = planning.asked_of(store.read_header(stimuli), record["name"], record["kind"])
folder = loading.folder_of(record, with_weights=False)
tokenizer = tokenizer_files.load_recorded(record, folder)
file = tokenizer_files.as_it_is(tokenizer, folder, record)
planner = planning.Planner.for_record(record, tokenizer)
made["model"] = record
n_inputs = n_requests = n_refused = 0
with contextlib.ExitStack() as stack:
    to_inputs, to_requests, to_sentences = (
        stack.enter_context(store.table_writer(path, table, made))
        for path, table in (
            (snakemake.output.inputs, quantities.INPUTS),
            (snakemake.output.requests, quantities.REQUESTS),
            (snakemake.output.sentences, quantities.SENTENCES),
        )
    )
    bar = stack.enter_context(progress(store.count_rows(stimuli), "sentences", "Planning"))
    for sentences in filter(len, store.read_pieces([stimuli])):  # a shard may have none
        if file is not None:
            tokenizer_files.require_same_tokens(tokenizer, file, record, sentences["text"].to_pylist())
        block = planner.add_stimuli(sentences, wanted)
        to_inputs(block.inputs)
        to_requests(block.requests)
        to_sentences(block.sentences)
        n_inputs += len(block.inputs)
        n_requests += len(block.requests)
        n_refused += pc.sum(pc.equal(block.sentences["n_tokens"], 0)).as_py() or 0
        bar.update(len(sentences))
log.info("%d unique inputs, %d requests, %d sentences refused.", n_inputs, n_requests, n_refused)
