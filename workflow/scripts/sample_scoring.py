"""Estimate on a sample of the stimuli what scoring all of them will take (rule sample_scoring)."""

import tempfile
from pathlib import Path

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.costs import write
from herbarium.core.random import stream
from herbarium.core.step import begin
from herbarium.models import devices, loading, tokenizer_files
from herbarium.scoring import answering, costs, planning

made = begin(snakemake)
given, wildcards, shards = snakemake.input, snakemake.wildcards, snakemake.input.stimuli
counts = [store.count_rows(shard) for shard in shards]
rows = costs.counted(sum(counts), len(shards))
# nothing is known yet about a model that the workflow trains, or about the server of a served one
if given.model and any(counts) and not store.read_record(given.model)["served"]:
    import torch

    torch.set_num_threads(snakemake.threads)
    device = devices.choose(snakemake.resources.gpu)
    record = store.read_record(given.model)
    name, folder = record["name"], loading.folder_of(record)
    title = f"{name} {wildcards.stimuli}"
    model, start_seconds = costs.placed(record, device, record["dtype"])
    tokenizer = tokenizer_files.load_recorded(record, folder)
    pass_tokens = answering.tokens_a_pass(model, device)
    random = stream(snakemake.params.seed, "estimate", name, wildcards.stimuli)
    header = {key: value for key, value in made.items() if key != "results"} | {"model": record}
    chosen = [shard for shard in zip(shards, counts, costs.sample_rows(counts, random), strict=True) if shard[1]]
    with tempfile.TemporaryDirectory() as temporary:
        parts = []
        for shard, n, sample in tracked(chosen, len(chosen), "shards", f"{title} planning"):
            wanted = planning.asked_of(store.read_header(shard), name, record["kind"])
            planner = planning.Planner.for_record(record, tokenizer)
            parts.append(costs.plan(planner, wanted, shard, n, sample, Path(temporary), header))
        tokens_a_second, answers = costs.rate(
            lambda inputs, requests: answering.answer(model, device, inputs, requests, title),
            max((part.plan for part in parts), key=lambda plan: len(plan.inputs)),
            device,
            pass_tokens,
            random,
            record["cuts"],
        )
        written = [costs.gather(part, answers, Path(temporary), header) for part in parts]
    seconds, of_answers, of_scores = zip(*written, strict=True)
    rows[costs.PLAN] |= costs.of_planning(parts)
    rows[costs.SCORE] |= costs.of_scoring(
        parts,
        of_answers,
        lambda n_tokens: (start_seconds + n_tokens / tokens_a_second) / 3600,
        device,
        pass_tokens,
        costs.named(device, snakemake.threads),
        record["cuts"],
    )
    rows[costs.GATHER] |= costs.of_gathering(parts, seconds, of_scores)
    log.info("%s: %.0f tokens per second on %s.", title, tokens_a_second, rows[costs.SCORE]["device"])
write(snakemake.output[0], list(rows.values()), wildcards.model, wildcards.stimuli, made)
