"""What is odd about the lists of Categorical Bias (rule check_lists)."""

from herbarium import store
from herbarium.console import log
from herbarium.probes import categorical_bias, list_remarks
from herbarium.step import begin

made = begin(snakemake)
lists = {
    (language, name): categorical_bias.read(folder)
    for language, of_language in snakemake.params.lists.items()
    for name, folder in of_language.items()
}
remarks = list_remarks.remarks(lists)
store.write_csv(snakemake.output[0], remarks, made)
log.info("%d lists, %d remarks.", len(lists), len(remarks))
