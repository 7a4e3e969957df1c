"""A toy of the figure: a source of vectors, and a fine-tuned model."""

import pandas as pd

from herbarium.metrics.biographies.figures import gaps
from herbarium.metrics.biographies.numbers import BALANCED, DEFINITIONS, FINETUNED


def occupations():
    """Two occupations by each definition; of the fine-tuned model, those that it has."""
    rows = [
        ("toy", model, definition, group, occupation, share, 40, 60, gap, gap - 0.1, gap + 0.1, p_adjusted)
        for model, group in (("vectors", "1"), ("tuned", FINETUNED))
        for (_, training), definition in DEFINITIONS.items()
        if (group, training) != (FINETUNED, BALANCED)
        for occupation, share, gap, p_adjusted in (("nurse", 0.8, 0.2, 0.01), ("pilot", 0.3, -0.05, 0.5))
    ]
    return pd.DataFrame(rows, columns=gaps.COLUMNS)


TOYS = {"gaps": lambda: (occupations(),)}
