"""The mixed model of continents on the effects of countries (rule measure_mixed_effects_downstream)."""

from herbarium import lme4, store
from herbarium.console import log, tracked
from herbarium.downstream import predictions
from herbarium.metrics import mixed_effects_fits, mixed_effects_groups
from herbarium.step import begin

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
(task, model), given, params = snakemake.wildcards.probed.split("/"), snakemake.input, snakemake.params
examples = store.read_frame(given.examples, "task_examples")
prefixes = store.read_frame(given.prefixes, "task_prefixes")
data = mixed_effects_groups.of_downstream(
    predictions.gather(given.predictions, params.shards, len(prefixes)).log_odds,
    examples.loc[examples["split"] == "test", "label"].to_numpy(),
    prefixes,
    store.read_frame(given.regions, "regions"),
    task,
    params.seed,
)
asked = tracked(mixed_effects_groups.ask(data), None, "models", f"{task} {model}")
chosen = mixed_effects_fits.settings(params.settings, params.seed)
fits, _ = mixed_effects_fits.answers(model, mixed_effects_groups.TASK + task, asked, lme4.fit, chosen)
store.write_table(snakemake.output[0], mixed_effects_fits.FITS, fits, made)
log.info("%d models of %s.", len(fits), task)
