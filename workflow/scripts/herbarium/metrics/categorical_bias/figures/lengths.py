"""Whether a target's contribution to Categorical Bias comes from its length in sub-tokens."""

import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.numbers import METRIC
from herbarium.metrics.categorical_bias.stimuli import PAPER, RELEASED, WHOLE, Languages

COLUMNS = [
    *shared.PLACE,
    "definition",
    "target",
    "n_tokens",
    "contribution",
    "std_error",
    "ci_low",
    "ci_high",
    "n",
    "length_share",
    "length_share_ci_low",
    "length_share_ci_high",
    "note",
]
EMPTY = style.Empty("No language has targets to show.")
# Offset of a definition, so that both can be seen.
_SHIFTS = {PAPER: -0.12, RELEASED: 0.12, WHOLE: 0.0}
# Definition -> its look.
LOOKS = {
    PAPER: style.Look(style.COLOURS[0], "o"),
    RELEASED: style.Look(style.COLOURS[1], "D"),
    WHOLE: style.Look(style.COLOURS[2], "s"),
}
_TICKS = 8  # lengths with a number, at most
_AXES = "sub-tokens of the target", "contribution of the target to CB (no unit)"
_BOUNDS = ["ci_low", "ci_high"]  # not drawn: intervals of neighbours would cover one another


def table(numbers: pd.DataFrame, languages: Languages, models: list[dict]) -> pd.DataFrame:
    """Length of every target and its contribution to CB, for the leading list, base words.

    numbers: tidy rows. languages, models: as for `shared.places`.

    Returns one row per language, model, definition and target, with COLUMNS. `n_tokens`: sub-tokens,
    the mean over templates. `contribution`: the target's contribution to CB, with its error and bounds; it has the unit
    of CB, squared natural logarithms. `length_share`: of CB of the whole list, without unit. `n` targets.
    """
    places = shared.places(languages, models)
    ours = numbers[numbers["metric"] == METRIC]
    parts = []
    for place in places.itertuples(index=False):
        group = f"{place.language}/{place.list}"
        model_rows = ours[ours["model"] == place.model]
        shares = model_rows[(model_rows["group"] == group) & (model_rows["variant"] == "length_share")].set_index(
            "definition"
        )
        targets = model_rows[(model_rows["unit"] == "target") & model_rows["group"].str.startswith(f"{group}/")]
        targets = targets.assign(target=targets["group"].str.removeprefix(f"{group}/"))
        lengths, rows = (targets[targets["variant"] == variant] for variant in ("n_tokens", "cb_contribution"))
        rows = rows.rename(columns={"estimate": "contribution"}).merge(
            lengths[["definition", "target", "estimate"]].rename(columns={"estimate": "n_tokens"}),
            on=["definition", "target"],
            validate="one_to_one",
        )
        for column, name in (("", "estimate"), ("_ci_low", "ci_low"), ("_ci_high", "ci_high")):
            rows[f"length_share{column}"] = rows["definition"].map(shares[name])
        parts.append(rows.assign(**place._asdict())[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def panels(table: pd.DataFrame) -> list[dict]:
    """Dots, one panel per language, its own model, definitions side by side; the axis of contributions is
    logarithmic.

    table: rows of `table` (see there). A contribution of 0 is an arrow at the lower end.
    """
    group = table[table["own"].astype(bool)]
    if group["contribution"].isna().all():
        return []
    group = group.assign(estimate=group["contribution"], x=group["n_tokens"] + group["definition"].map(_SHIFTS))
    group = group.assign(series=group["definition"], name=group["target"]).drop(columns=_BOUNDS)
    lengths = range(int(group["n_tokens"].min()), int(group["n_tokens"].max()) + 2)
    ticks = {float(length): f"{length}" for length in lengths[:: -(-len(lengths) // _TICKS)]}
    return [
        interactive.scatter(_title(language, rows), rows, *_AXES, group, LOOKS, 1, "y", ticks, is_log=True)
        for language, rows in group.groupby("language", sort=False)
    ]


def _title(language: str, rows: pd.DataFrame) -> str:
    shares = "; ".join(f"{share} ({definition})" for definition, share in _shares(rows).items())
    return f"{language}, {shared.label(rows.iloc[0])}: length explains {shares}"


def _shares(rows: pd.DataFrame) -> dict[str, str]:
    """Definition -> the share that length explains, with its interval. rows: of one language and model."""
    columns = ["length_share", "length_share_ci_low", "length_share_ci_high"]
    first = rows.drop_duplicates("definition").set_index("definition")[columns]
    return {definition: style.with_interval(*values, ".0%") for definition, values in first.iterrows()}


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the share that length explains, and the range of lengths."""
    unchanged = table[table["own"].astype(bool)]
    if unchanged["contribution"].isna().all():
        return EMPTY
    sentences = []
    for language, rows in unchanged.groupby("language", sort=False):
        shares = ", ".join(f"{share} ({definition})" for definition, share in _shares(rows).items())
        low, high = rows["n_tokens"].min(), rows["n_tokens"].max()
        sentences.append(
            f"{language} ({shared.label(rows.iloc[0])}): {low:g} to {high:g} sub-tokens; length explains {shares}."
        )
    return f"Dots of each target's contribution to Categorical Bias, by its number of sub-tokens. {' '.join(sentences)}"
