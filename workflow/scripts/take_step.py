"""Call what a metric declares for a step, with what its signature asks for, and write the tables that it returns (rules
instantiate, measure, measure_with_items, compare, calibrate, plant)."""

from herbarium.core import passages
from herbarium.core.step import begin

passages.take_step(snakemake, begin(snakemake))
