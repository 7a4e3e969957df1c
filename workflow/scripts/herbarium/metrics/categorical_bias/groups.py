"""Languages as groups: log P' of Categorical Bias as observations of the common mixed model (`statistics.grouped`)."""

import pandas as pd

from herbarium.metrics.categorical_bias.stimuli import Languages, of_leading


def grouped(associations: pd.DataFrame, languages: Languages) -> pd.DataFrame:
    """Rows of the schema "grouped": log P' of a model, one row per template, attribute and target; `group` is the
    language.

    associations: of this schema, of one model. Taken are the leading lists, definition `paper`.
    """
    rows = of_leading(associations, languages)
    rows = rows[rows["definition"] == "paper"]
    return pd.DataFrame(
        {
            "association": rows["log_p"],
            "group": rows["language"],
            "template": rows["template"],
            "target": rows["attribute"],
            "pair": rows["target"],
            "word": rows["target"],
            "weight": 1.0,
        }
    ).reset_index(drop=True)
