"""Put every pair of subjects into the templates, with every question and intervention (rule
instantiate_interventions)."""

from herbarium.core import store
from herbarium.core.console import log
from herbarium.core.step import begin
from herbarium.metrics.interventions import formats, stimuli

made = begin(snakemake)
form, params = snakemake.wildcards.form, snakemake.params
roles = stimuli.ROLES[form]
made |= {"quantities": stimuli.QUANTITIES[form], "slots": list(roles), "roles": roles}
if form == stimuli.SPAN_FORM:
    made["around"] = stimuli.AROUND
n = 0
with store.table_writer(snakemake.output[0], stimuli.STIMULI, made) as append:
    for sentences in stimuli.instantiate(formats.read(params.entry, params.seed), form):
        append(sentences)
        n += len(sentences)
log.info("%d sentences of %d questions.", n, n // 8)
if keys := formats.left_out(params.entry):
    log.warning("%d keys are left out: their contexts have different questions, as those of '%s'.", len(keys), keys[0])
