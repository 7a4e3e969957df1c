"""Names of numbers and tables of gender in context."""

import pyarrow as pa

from herbarium.core.store import schema

METRIC = "gender_in_context"
# The fewest words that are measured.
FEWEST_WORDS = 4
# What differs in a pair: gendered words, or words without gender.
GENDER, NEUTRAL = "gender", "neutral"
# What is held out from a classifier: all sentences with the word, or the pair.
HELD_OUT = (WORDS, PAIRS) = ("held_out_words", "held_out_pairs")
DIFFERENCE, COMMON, FIRST = "stereotype_difference", "common_share", "first_component"
KERNELS = (LINEAR, RBF) = ("linear", "rbf")
ACCURACY, GAP, CONTROL, SELECTIVITY = "accuracy", "accuracy_gap", "control_accuracy", "selectivity"
# Results of classifiers, and what is held out.
CLASSIFIED = [(ACCURACY, WORDS), (GAP, WORDS), *((variant, PAIRS) for variant in (ACCURACY, GAP, CONTROL, SELECTIVITY))]
# Shares of the squared differences along their first principal directions, of gender and of each neutral swap.
CURVES = schema(
    "gender_in_context_curves",
    *((name, pa.string()) for name in ("model", "unit", "group", "swap")),
    ("n", pa.int64()),
    ("component", pa.int32()),
    ("share", pa.float64()),
    nullable=("share",),
)
# Accuracy of a classifier with each ν.
BY_NU = schema(
    "gender_in_context_accuracies",
    *((name, pa.string()) for name in ("model", "unit", "group", "held_out", "kernel")),
    ("nu", pa.float64()),
    ("accuracy", pa.float64()),
)
# The position of each word (`crossed.positions`).
PLACES = schema(
    "gender_in_context_places",
    *((name, pa.string()) for name in ("model", "unit", "group", "word", "stereotype")),
    ("n", pa.int64()),
    ("position", pa.float64()),
    nullable=("stereotype", "position"),
)
# Products of each word with each word (`crossed.Products`), in the last layer: all that a change needs. `stereotype` is
# of `word`.
PRODUCTS = schema(
    "gender_in_context_products",
    *((name, pa.string()) for name in ("model", "unit", "group", "word", "stereotype", "other")),
    ("along", pa.float64()),
    ("alike", pa.float64()),
    nullable=("stereotype",),
)
