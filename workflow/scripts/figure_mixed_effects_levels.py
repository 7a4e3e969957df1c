"""Random effects of templates and targets, and the table that the figure was drawn from (rule
figure_mixed_effects_levels)."""

from herbarium import store
from herbarium.console import start_log
from herbarium.figures import mixed_effects_levels, style

start_log(snakemake.log[0])
table = mixed_effects_levels.table(
    store.read_frames(snakemake.input.levels, "mixed_effects_levels"),
    snakemake.params.probes,
    [store.read_json(path) for path in snakemake.input.models],
)
store.write_text(snakemake.output.csv, table.to_csv(index=False, lineterminator="\n"))
style.save(mixed_effects_levels.figure(table), [snakemake.output.pdf, snakemake.output.png])
