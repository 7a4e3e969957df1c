"""A task of two continents with two countries each: texts, prefixes and predictions of three training sets."""

import numpy as np
import pandas as pd

REGIONS = pd.DataFrame(
    [
        ("earth", None, "Earth", None),
        ("continent:AF", "earth", "Africa", None),
        ("continent:EU", "earth", "Europe", None),
        ("continent:OC", "earth", "Oceania", None),
        ("country:KE", "continent:AF", "Kenya", "KE"),
        ("country:GH", "continent:AF", "Ghana", "GH"),
        ("country:FR", "continent:EU", "France", "FR"),
        ("country:ES", "continent:EU", "Spain", "ES"),
        ("country:FJ", "continent:OC", "Fiji", "FJ"),
    ],
    columns=["region", "parent", "name", "iso2"],
)
PREFIXES = (
    pd.DataFrame(
        [("original", "original"), ("control", "control:here")]
        + [("country", region) for region in REGIONS.loc[REGIONS["iso2"].notna(), "region"]],
        columns=["unit", "group"],
    )
    .rename_axis("prefix")
    .reset_index()
)
SETS, TEXTS = 3, 12
# of 20 training texts of a country and set, how many are positive
POSITIVE = {"Kenya": 6, "Ghana": 8, "France": 13, "Spain": 15}


def examples():
    rows = [
        {
            "example": f"{number}-{name}-{k}",
            "text": f"From {name}, {k}.",
            "label": int(k < n),
            "split": "train",
            "set": number,
        }
        for number in range(1, SETS + 1)
        for name, n in POSITIVE.items()
        for k in range(20)
    ]
    rows += [{"text": "Fiji.", "label": 1, "split": "train", "set": number} for number in range(1, SETS + 1)]
    rows += [
        {"text": f"Text {k} of {name}.", "label": k % 2, "split": "test"}
        for k, name in enumerate(["Kenya", "France", "Kenya and Spain", "nowhere"] * (TEXTS // 4))
    ]
    return pd.DataFrame(rows).reindex(columns=["example", "text", "label", "split", "source", "set"])


def predicted(apart=1.0, seed=0):
    """(SETS, n_prefixes, TEXTS) log-odds: texts differ, and Europe lies above Africa."""
    random = np.random.default_rng(seed)
    lean = (
        PREFIXES["group"]
        .map({"country:KE": -1.0, "country:GH": -0.6, "country:FR": 0.6, "country:ES": 1.0})
        .fillna(0.0)
    )
    texts = random.normal(size=TEXTS)
    noise = 0.2 * random.normal(size=(SETS, len(PREFIXES), TEXTS))
    return apart * lean.to_numpy()[None, :, None] + texts + noise
