"""Which targets a model expects with an attribute: P' scaled to sum to 1 (after Fig. 3 to 6 of Ahn and Oh, 2021)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.metrics.categorical_bias import score as cb
from herbarium.metrics.categorical_bias.figures import shared
from herbarium.metrics.categorical_bias.numbers import METRIC
from herbarium.metrics.categorical_bias.stimuli import Languages, by_first_definition

COLUMNS = [
    *shared.PLACE,
    "attribute",
    "target",
    "n",
    "n_templates",
    "share",
    "std_error",
    "rank",
    "cb",
    "cb_ci_low",
    "cb_ci_high",
    "note",
    "before",
]
SCORE = ["cb", "cb_ci_low", "cb_ci_high"]
NAMED = 3
UNKNOWN, REFUSED = "not among the list's base attributes", "left out: sentences were refused"
_AXIS, _EQUAL, _ABREAST = "share of P' (per cent)", "all equal", 3
EMPTY = style.Empty("No language has a distribution over targets to show.")


def table(
    associations: dict[tuple[str, str], shared.Associations],
    numbers: pd.DataFrame,
    languages: Languages,
    models: list[dict],
    attributes: list[str],
    compared: Sequence[Sequence[str]],
) -> pd.DataFrame:
    """The share of every target in P' of some attributes, and their CB.

    associations: of `shared.by_place`. numbers: tidy rows. languages, models: as for `shared.places`.
    attributes: keys. compared: of `models.comparisons`.

    Returns one row per language, model, attribute and base target, targets by key, with COLUMNS. `share`: P' over the
    sum of P' of the `n` targets, the mean over `n_templates`; `std_error`: of this mean. `rank`: 1 for the largest
    share, equal ones share the lowest rank. `cb`: of the attribute. Null, with a note, if the attribute is not in the
    list, or it or the target was left out. `before`: the language's own model, if this one (the first of several
    trainings) is compared with it as the model after a change; else null.
    """
    pairs = {(first, second) for first, second, *_ in compared}
    parts = []
    for place in shared.places(languages, models).itertuples(index=False):
        measured = associations[place.model, place.language]
        shares = cb.distributions(measured.cube.log_p)
        n_templates, _, n = shares.shape
        words = pd.MultiIndex.from_product([attributes, measured.targets], names=["attribute", "target"])
        error = shares.std(axis=0, ddof=1) / np.sqrt(n_templates) if n_templates > 1 else shares[0] * np.nan
        values = {"share": measured.frame(shares.mean(axis=0)), "std_error": measured.frame(error)}
        rows = pd.DataFrame({name: of_words.stack().reindex(words) for name, of_words in values.items()}).reset_index()
        rows["rank"] = rows.groupby("attribute")["share"].rank(method="min", ascending=False).astype("Int64")
        rows["note"] = np.select(
            [~rows["attribute"].isin(measured.attributes), rows["share"].isna()], [UNKNOWN, REFUSED], default=None
        )
        rows["group"] = f"{place.language}/{place.list}/" + rows["attribute"]
        source = languages[place.language]["models"][0]
        before = source if (source, place.model) in pairs else None
        parts.append(rows.assign(**place._asdict(), n=n, n_templates=n_templates, before=before))
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    return pd.concat(parts, ignore_index=True).merge(
        _scores(numbers), how="left", on=["model", "group"], validate="many_to_one"
    )[COLUMNS]


def _scores(numbers: pd.DataFrame) -> pd.DataFrame:
    """CB of every attribute, by model and group."""
    wanted = (numbers["metric"] == METRIC) & (numbers["unit"] == "attribute") & (numbers["variant"] == "cb")
    names = dict(zip(["estimate", "ci_low", "ci_high"], SCORE, strict=True))
    return by_first_definition(numbers[wanted])[["model", "group", *names]].rename(columns=names)


def panels(table: pd.DataFrame) -> list[dict]:
    """Dots of `share` for each language's own model and each model compared with it: one panel per attribute and
    language.

    table: rows of `table` (see there). All panels have the same order of targets, that of their keys, and those of an
    attribute the same scale, so that languages can be compared by eye.
    """
    shown = table[table["own"].astype(bool) | table["before"].notna()]
    if shown["share"].isna().all():
        return []
    targets = sorted(shown["target"].unique(), key=str.casefold)
    shown = shown.assign(line=pd.Categorical(shown["target"], targets), estimate=100 * shown["share"])
    shown = shown.assign(series=interactive.labels(shown)).sort_values("line", kind="stable")
    looks, plots = interactive.looks_of(shown), []
    for attribute in table["attribute"].unique():
        of_attribute = shown[shown["attribute"] == attribute]
        end = 1.05 * of_attribute["estimate"].max()
        for language in table["language"].unique():
            rows = of_attribute[of_attribute["language"] == language].drop(columns="language")
            if rows.empty:
                continue
            group = rows[rows["own"].astype(bool)]
            is_known = rows["share"].notna().any()
            options = ([100 / group["n"].iloc[0]], (0, end)) if is_known else ([],)
            title = f"{language}, {attribute}: {_said(group)}"
            panel = interactive.forest(title, rows.astype({"line": str}), _AXIS, looks, *options)
            for shape in panel["layout"]["shapes"][:1]:
                shape["name"] = _EQUAL
            plots.append(panel | {"abreast": _ABREAST})
    return plots


def _said(group: pd.DataFrame) -> str:
    """CB of an attribute, or why it has none. own: rows of the language's own model."""
    if group["share"].notna().any():
        return f"CB {style.with_interval(*group.iloc[0][SCORE])}"
    return "not in this list" if group["note"].iloc[0] == UNKNOWN else "refused"


def describe(table: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: the first three targets of each language and attribute."""
    originals = table[table["own"].astype(bool)]
    if originals["share"].isna().all():
        return EMPTY
    shown = table[table["own"].astype(bool) | table["before"].notna()]
    sentences = []
    for (language, _), rows in shown.groupby(["language", "model"], sort=False):
        clauses = []
        for attribute, words in rows.groupby("attribute", sort=False):
            first = words.dropna(subset="share").sort_values("rank", kind="stable").head(NAMED)
            if first.empty:
                clauses.append(f"{attribute}: {words['note'].iloc[0]}")
                continue
            named = ", ".join(f"{row.target} {row.share:.1%}" for row in first.itertuples())
            score = style.with_interval(*first.iloc[0][SCORE])
            clauses.append(f"{attribute}: {named} (CB {score})")
        sentences.append(f"{language} ({shared.label(rows.iloc[0])}): {'; '.join(clauses)}.")
    return f"Dots of the share of each target in P', by attribute and language. {' '.join(sentences)}"
