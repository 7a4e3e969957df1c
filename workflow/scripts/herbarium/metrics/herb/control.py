"""The control of HERB: names of no place, as one more region with as many sub-regions.

A model knows nothing of them. What sets them apart, and so what HERB says of that region, is what names alone do: their
tokens, and what a model takes them for. A score of real regions says something of bias where it lies above.
"""

from collections.abc import Iterable

import pandas as pd

REGION, LEVEL = "control", "control"


def regions(made_up_names: Iterable[str]) -> pd.DataFrame:
    """The control as a hierarchy, a table of the schema "regions": its root, and one region below it per name."""
    below = [(f"{REGION}:{name}", REGION, "made_up", name, None) for name in made_up_names]
    rows = [(REGION, None, LEVEL, "made-up names", None), *below]
    return pd.DataFrame(rows, columns=["region", "parent", "level", "name", "iso2"])
