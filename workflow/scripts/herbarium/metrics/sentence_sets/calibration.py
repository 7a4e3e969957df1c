"""Numbers of custom sentence sets for planted preferences, against their strength."""

from collections.abc import Mapping

import pandas as pd

from herbarium.metrics.sentence_sets import planted
from herbarium.metrics.sentence_sets.bbq_contrast import ANSWERED
from herbarium.metrics.sentence_sets.stereoset_contrast import SS, STEREOSET
from herbarium.statistics import calibration
from herbarium.statistics.calibration import CALIBRATION, Panel
from herbarium.statistics.sets import ALL
from herbarium.statistics.within_sets import ACCURACY, CANDIDATES, DIFFERENCE, SHARE

_SECTION, _COUNTED = "sentence-sets", "units"
DIFFERENCES = Panel("sentence_sets", "Sentence sets: differences", "nats", _SECTION, _COUNTED)
SHARES = Panel("sentence_sets_shares", "Sentence sets: shares", "per cent of pairs", _SECTION, _COUNTED, null=50.0)
ACCURACIES = Panel(
    "sentence_sets_accuracies", "Sentence sets: differences of answers", "per cent of sets", _SECTION, _COUNTED
)

_PANEL = {
    **dict.fromkeys((SHARE.name, STEREOSET.name), SHARES.panel),
    **dict.fromkeys((contrast.name for contrast in (ACCURACY, *ANSWERED)), ACCURACIES.panel),
}


def rows(
    numbers: pd.DataFrame, entries: Mapping[str, Mapping], observations: Mapping[tuple[str, str], pd.DataFrame]
) -> pd.DataFrame:
    """A table of the schema "calibration": for all sets; for candidates the first, which is the planted one; for
    accuracies their difference.

    numbers: of `numbers.with_contrasts`. entries: `sentence_sets` of the configuration. observations: (model, name of
    the sets) -> of the schema "sentence_sets_observations".
    """
    firsts = numbers["stimuli"].map({name: entry["sides"][0] for name, entry in entries.items()})
    wanted = numbers["contrast"].map({STEREOSET.name: SS}).fillna(DIFFERENCE)
    wanted = firsts.where(numbers["contrast"] == CANDIDATES.name, wanted)
    is_planted = numbers["side"].isna() | (numbers["side"] == wanted)
    planted_rows = numbers[is_planted & (numbers["group"] == ALL)].dropna(subset="planted")
    known = [
        (planted.expected(entries[name], observed, strength), planted.learned(observed, entries[name], strength))
        for model, name, strength in zip(
            planted_rows["model"], planted_rows["stimuli"], planted_rows["planted"], strict=True
        )
        for observed in (observations[model, name],)
    ]
    expected, learned = zip(*known, strict=True) if known else ((), ())
    planted_rows = planted_rows.assign(series=planted_rows["stimuli"], expected=expected, learned=learned)
    panel_of = planted_rows["contrast"].map(_PANEL).fillna(DIFFERENCES.panel)
    panels = DIFFERENCES, SHARES, ACCURACIES
    tables = [calibration.rows(panel, planted_rows[panel_of == panel.panel]) for panel in panels]
    return pd.concat([table for table in tables if len(table)] or [pd.DataFrame(columns=CALIBRATION.fields.names)])
