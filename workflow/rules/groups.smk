"""Groups: one mixed model for the observations of any metric, and the p-values of all mixed models, adjusted together.

Input: what the metrics' targets list as grouped, and their own fits. Output: results/fits/groups/{model}/{data}.parquet,
results/metrics/fits.parquet (every fit), results/metrics/mixed_effects.parquet (the same as tidy numbers).
"""

