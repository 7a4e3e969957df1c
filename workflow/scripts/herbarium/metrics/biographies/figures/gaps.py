"""The gap of each occupation between women and men, against the share of women among its training texts."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.biographies.numbers import BALANCED, DEFINITIONS, FINETUNED, IN_WORDS, TRAININGS
from herbarium.metrics.biographies.stimuli import FORMS

COLUMNS = [
    *("unit", "model", "definition", "group", "occupation", "share", "n_female", "n_male"),
    *("estimate", "ci_low", "ci_high", "p_adjusted"),
]
EMPTY = style.Empty("Occupations could not be predicted for any task.")
AXIS = "accuracy for women − accuracy for men"
_HEADED = {BALANCED: ", balanced"}
_DODGE = 0.012  # of a share, between two forms of the texts


def table(occupations: pd.DataFrame) -> pd.DataFrame:
    """Rows of COLUMNS: the last layer of each source, and fine-tuned models. occupations: of the schema
    "biographies_occupations"."""
    last = occupations.groupby(["unit", "model"])["group"].transform("last")
    return occupations[occupations["group"] == last][COLUMNS].reset_index(drop=True)


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the largest gap in each direction."""
    if table.empty:
        return EMPTY
    sentences = []
    for (unit, source, definition), rows in table.groupby(["unit", "model", "definition"], sort=False):
        ends = [rows.loc[row] for row in (rows["estimate"].idxmin(), rows["estimate"].idxmax())]
        least, most = (
            f"{row['occupation']} {style.with_interval(row['estimate'], row['ci_low'], row['ci_high'], '.2f')}"
            for row in ends
        )
        sentences.append(f"{unit}, {source}, {IN_WORDS[definition]}: from {least} to {most}.")
    return f"Gaps between women and men, by occupation. {' '.join(sentences)}"


def panels(table: pd.DataFrame) -> list[dict]:
    """Two panels per task and source, trained on texts as found and balanced, only the first for a fine-tuned model;
    in each the texts as they are and scrubbed. table: rows of `table`."""
    looks = style.looks(IN_WORDS[form] for form in FORMS)
    rows = table.rename(columns={"occupation": "name"}).assign(n=table["n_female"] + table["n_male"])
    plots = []
    for (unit, source, group), of_source in rows.groupby(["unit", "model", "group"], sort=False):
        layer = group if group == FINETUNED else f"layer {group}"
        for training in TRAININGS:
            of_forms = [
                of_source[of_source["definition"] == DEFINITIONS[form, training]].assign(
                    series=IN_WORDS[form], x=lambda rows, at=place: rows["share"] + _DODGE * (at - 0.5)
                )
                for place, form in enumerate(FORMS)
            ]
            shown = pd.concat(of_forms)
            if len(shown):
                title = f"{unit}, {source}, {layer}{_HEADED.get(training, '')}"
                plots.append(interactive.scatter(title, shown, "share of women", AXIS, of_source, looks))
    return plots
