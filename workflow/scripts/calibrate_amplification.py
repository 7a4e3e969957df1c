"""Compare amplification in planted tasks with what their plan implies (rule calibrate_amplification)."""

import numpy as np

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.metrics.amplification import calibration
from herbarium.regions import leans, mentions
from herbarium.statistics.calibration import CALIBRATION
from herbarium.training.text import word_weights

made = begin(snakemake)
given, params = snakemake.input, snakemake.params
regions = store.read_frame(given.regions, "regions")
lean, group = leans.country_leans(regions, params.seed), mentions.number_of(regions, params.groups)
wanted = {}
for (task, strength), path in zip(params.planted.items(), given.examples, strict=True):
    examples, words = store.read_frame(path, "task_examples"), store.read_header(path, "task_examples")["words"]
    weights = word_weights(words, params.seed)
    texts = examples.loc[examples["split"] == "test", "text"]
    of_words = np.array([weights[calibration.words_of(text, words)].sum() for text in texts])
    wanted[task] = calibration.expected(of_words, lean.to_numpy(), group[lean.index].to_numpy(), strength)
numbers = store.read_frames(given.numbers, "tidy")
store.write_table(snakemake.output[0], CALIBRATION, calibration.rows(numbers, params.planted, wanted), made)
