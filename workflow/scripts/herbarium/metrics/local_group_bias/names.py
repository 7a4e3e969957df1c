"""What the metric is called, and how its p-values are adjusted."""

METRIC = "local_group_bias"
CORRECTION = "holm"  # over the comparisons of a model in a task
