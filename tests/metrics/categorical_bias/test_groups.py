"""log P' as observations of languages."""

import pandas as pd

from herbarium.metrics.categorical_bias.groups import grouped
from herbarium.statistics.grouped import GROUPED

LANGUAGES = {
    "english": {"lists": {"ours": "a", "theirs": "b"}, "models": ["m"]},
    "greek": {"lists": {"own": "c"}, "models": ["m"]},
}


def test_log_p_of_the_leading_lists_by_the_paper_is_grouped_by_language():
    columns = ["model", "language", "list", "definition", "template", "attribute", "target", "log_p"]
    associations = pd.DataFrame(
        [
            ("m", "english", "ours", "paper", "is", "spy", "Peru", 0.5),
            ("m", "english", "ours", "released", "is", "spy", "Peru", 9.0),
            ("m", "english", "theirs", "paper", "is", "spy", "Peru", 9.0),
            ("m", "greek", "own", "paper", "are", "vet", "Cuba", None),  # refused: counted where it is fitted
        ],
        columns=columns,
    )
    rows = grouped(associations, LANGUAGES)
    assert rows.columns.tolist() == GROUPED.fields.names
    assert rows.fillna(-1).to_dict("records") == [
        {"association": 0.5, "group": "english", "template": "is", "target": "spy", "pair": "Peru", "word": "Peru"}
        | {"weight": 1.0},
        {"association": -1, "group": "greek", "template": "are", "target": "vet", "pair": "Cuba", "word": "Cuba"}
        | {"weight": 1.0},
    ]
