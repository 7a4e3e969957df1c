"""Write the part of the page on CrowS-Pairs (rule part_crows_pairs)."""

import pandas as pd

from herbarium.core import resources, store
from herbarium.core.step import begin
from herbarium.metrics.crows_pairs import published
from herbarium.metrics.crows_pairs.report.part import part
from herbarium.metrics.crows_pairs.score import METRIC
from herbarium.statistics.fits_overview import ADJUSTED

made = begin(snakemake)
given = snakemake.input
fits = store.read_frames(given.fits, "adjusted_fits") if given.fits else pd.DataFrame(columns=ADJUSTED.fields.names)
page_part = part(
    store.read_frames(given.numbers, "tidy"),
    fits[fits["data"] == METRIC],
    [store.read_record(path) for path in given.models],
    snakemake.params.settings,
    published.of_all_pairs(resources.read_table(given.published, ["table", "value"]), snakemake.params.others),
)
store.write_record(snakemake.output[0], page_part._asdict(), made)
