"""List the gendered words whose vectors hard debiasing needs (rule list_pairs)."""

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.vectors import pairs
from herbarium.vectors.tables import WORDS, bare

made = begin(snakemake)
masculine, feminine = zip(*pairs.of_one_gender(pairs.read(snakemake.input.lists)), strict=True)
genders = [1.0] * len(masculine) + [-1.0] * len(feminine)
store.write_table(snakemake.output[0], WORDS, bare([*masculine, *feminine], gender=genders), made)
