"""Average the scores of sentences and of their gender-swapped versions (rule neutralise_scores)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.scoring import answers, refusals
from herbarium.scoring.quantities import SCORES
from herbarium.training import neutralised

made = begin(snakemake)
given, wildcards, output = snakemake.input, snakemake.wildcards, snakemake.output
headers = [store.read_header(path, SCORES.name) for path in (given.scores, given.swapped)]
made["model"] = store.read_record(given.model)
made["device"] = answers.devices(headers, f"{wildcards.model} {wildcards.stimuli}")
swapped = store.read_frame(given.swapped, SCORES.name)
with store.table_writer(output.scores, SCORES, made) as append:
    for piece in store.read_pieces([given.scores], SCORES.name):
        append(neutralised.means(piece.to_pandas(), swapped))
refusals.write(output.refusals, output.scores, wildcards.model, wildcards.stimuli, made)
if swapped.empty:
    log.warning(
        "%s: no sentence of %s has a word to swap: its scores are the model's.", wildcards.model, wildcards.stimuli
    )
log.info("%d of %d scores are means of two.", len(swapped), store.count_rows(output.scores))
