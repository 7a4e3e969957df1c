"""Texts that a model was not trained on, as sentences to be scored."""

import pandas as pd
import pyarrow as pa

from herbarium.core.store import schema
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import LL, PLL
from herbarium.scoring.sentences import sentence_id
from herbarium.statistics.repeats import content

# The score: for masked models the pseudo-log-likelihood (Salazar et al. 2020), for causal ones the log-likelihood.
QUANTITIES = {Kind.masked: [PLL], Kind.causal: [LL]}
STIMULI = schema("perplexity_stimuli", ("sentence_id", pa.int64()), ("text", pa.string()))


def instantiate(corpus: pd.DataFrame, max_texts: int, max_words: int) -> pd.DataFrame:
    """A table of the schema "perplexity_stimuli": the first texts of the held-out part that differ (`repeats`), cut.

    corpus: of the schema "corpus", whose texts are in random order. White space within a text becomes a space.
    """
    held_out = corpus[(corpus["split"] == "test") & (corpus["side"] == "original")]
    texts = held_out["text"].str.split().str[:max_words].str.join(" ").drop_duplicates()
    texts = texts[~texts.map(content).duplicated()][:max_texts]
    return pd.DataFrame({"sentence_id": texts.map(sentence_id), "text": texts}).reset_index(drop=True)
