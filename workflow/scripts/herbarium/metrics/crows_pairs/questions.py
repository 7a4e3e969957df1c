"""The questions about CrowS-Pairs for a mixed model (Appendix A.5.2 of Shrestha et al. 2025)."""

from collections.abc import Iterator

import pandas as pd

from herbarium.metrics.crows_pairs.stimuli import ANTISTEREO, STEREO, primary
from herbarium.statistics.fits import INTERCEPTS, scored


def ask(observations: pd.DataFrame) -> Iterator[tuple[dict[str, str], pd.DataFrame, int]]:
    """Keys, data and number of refused sentences of each bias type: stereotypical against anti-stereotypical sentences.

    observations: of the schema "crows_pairs_observations". `template` is the group of sentences of similar length.
    Only the first definition of the score is fitted; `definition` is that
    of the mixed model.
    """
    for bias_type, rows in primary(observations).groupby("group"):
        data = pd.DataFrame(
            {
                "association": rows["value"],
                "group": rows["side"].map({STEREO: 1.0, ANTISTEREO: 0.0}),
                "template": rows["length_group"],
                "target": bias_type,
                "pair": rows["set"],
                "word": rows["side"],
                "weight": 1 / rows["pppl"],
            }
        )
        keys = {"definition": "paper", "subset": "all", "structure": INTERCEPTS, "dimension": bias_type}
        yield keys | {"contrast": f"{STEREO}-{ANTISTEREO}"}, *scored(data)
