"""Where the steps of all metrics have their files: the way from sentences to numbers, which workflow/rules/metric.smk
writes down once. `{metric}` is a metric, `{name}` an entry of its section."""

from herbarium.core import shared

STIMULI = "{metric}/{name}"
SENTENCES, SCORES = (pattern.replace("{stimuli}", STIMULI) for pattern in (shared.STIMULI, shared.SCORES))
OBSERVATIONS = f"<work>/observations/{{model}}/{STIMULI}.parquet"
NUMBERS = "<work>/metrics/{metric}/{model}/{name}.parquet"
ITEMS = "<work>/items/{metric}/{model}/{name}.parquet"
CHANGES = "<work>/changes/{metric}/{name}.parquet"
CALIBRATION = "<work>/calibration/{metric}.parquet"
TEXT = "<work>/testbed/text/{metric}/{model}.parquet"
PART = "<work>/parts/{metric}.json"
