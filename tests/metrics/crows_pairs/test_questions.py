"""What a mixed model asks of CrowS-Pairs."""

import pandas as pd

from herbarium.metrics.crows_pairs.questions import ask


def test_crows_pairs_are_asked_by_bias_type():
    rows = pd.DataFrame(
        [
            (str(i), kind, side, ["short", "long"][i % 2], i + (side == "stereo"), 2.0, None)
            for i, kind in enumerate(["age", "age", "race", "race"])
            for side in ("stereo", "antistereo")
        ],
        columns=["set", "group", "side", "length_group", "value", "pppl", "note"],
    )
    asked = list(ask(rows.assign(definition="paper")))
    assert [keys["dimension"] for keys, *_ in asked] == ["age", "race"]
    keys, data, refused = asked[0]
    assert keys["contrast"] == "stereo-antistereo"
    assert data.groupby("group")["association"].mean().diff().iloc[-1] == 1
    assert data["pair"].tolist() == ["0", "0", "1", "1"]
    assert data["template"].tolist() == ["short", "short", "long", "long"]
    assert refused == 0
