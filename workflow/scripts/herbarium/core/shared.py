"""Files of the results that rules of several metrics read or write. Those of a metric stand in its `targets.py`.

A pattern has the wildcards of its rule; `targets.filled` puts values in their place.
"""

# Regions and their other names.
REGIONS, NAMES = "<work>/regions.parquet", "<work>/names.parquet"

# The record of a model, of a model as it scores some stimuli, and the tokens that it then takes per pass.
MODEL = "<work>/models/{model}.json"
SCORING_MODEL = "<work>/models/{model}/{stimuli}.json"
PROBES = "<work>/probes/{model}/{stimuli}.json"
# Folders of the models that the workflow makes, each with a record next to it.
TESTBED = "<work>/testbed/{model}"
CONVERTED = "<work>/converted/{model}"
MERGED = "<work>/merged/{model}"
DERIVED = "<work>/derived/{model}"

# From sentences to scores. A plan is of the model that a derived one comes from.
STIMULI = "<work>/stimuli/{stimuli}/{shard}.parquet"
INPUTS, REQUESTS, SENTENCES = (
    f"<work>/plans/{{origin}}/{{stimuli}}/{table}-{{shard}}.parquet" for table in ("inputs", "requests", "sentences")
)
ANSWERS = "<work>/scores/{model}/{stimuli}/shard-{shard}.parquet"
# Answers by what determines them; no job's output, so that nothing but people deletes them.
ARCHIVE = "<work>/answers"
SCORES = "<work>/scores/{model}/{stimuli}.parquet"
REFUSALS = "<work>/refusals/{model}/{stimuli}.parquet"

# Words of a metric, by `{metric}/{name}`, and what a source of vectors has for them.
WORDS = "<work>/words/{words}.parquet"
VECTORS = "<work>/vectors/{source}/{words}.parquet"

CORPUS = "<work>/corpora/{corpus}.parquet"
