"""The mixed model of continents on the effects of countries (rule measure_mixed_effects_downstream)."""

from herbarium.core import store
from herbarium.core.console import log, tracked
from herbarium.core.step import begin
from herbarium.metrics.downstream import predictions
from herbarium.statistics import fits as mixed_effects_fits
from herbarium.statistics import grouped, lme4

made = begin(snakemake)
lme4.require()
made["libraries"] |= lme4.versions()
(task, model), given, params = snakemake.wildcards.probed.split("/"), snakemake.input, snakemake.params
examples = store.read_frame(given.examples, "task_examples")
prefixes = store.read_frame(given.prefixes, "task_prefixes")
data = grouped.of_downstream(
    predictions.gather(given.predictions, params.shards, len(prefixes)).log_odds,
    examples.loc[examples["split"] == "test", "label"].to_numpy(),
    prefixes,
    store.read_frame(given.regions, "regions"),
    task,
    params.seed,
)
asked = tracked(grouped.ask(data), None, "models", f"{task} {model}")
chosen = mixed_effects_fits.settings(params.settings, params.seed)
fits, _ = mixed_effects_fits.answers(model, grouped.TASK + task, asked, lme4.fit, chosen)
store.write_table(snakemake.output[0], mixed_effects_fits.FITS, fits, made)
log.info("%d models of %s.", len(fits), task)
