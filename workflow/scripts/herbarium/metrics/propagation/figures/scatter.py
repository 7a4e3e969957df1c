"""What a model encodes about countries against their effects in tasks: does one predict the other?"""

import pandas as pd

from herbarium.drawing import style, tasks
from herbarium.drawing.panels import scatter
from herbarium.drawing.style import SCALE
from herbarium.metrics.propagation import score

COUNTRY, MODEL = "country", "model"
COLUMNS = ["unit", *tasks.PLACE, "measure", "region", "name", "continent", "continent_name"]
COLUMNS += ["intrinsic", "effect", "effect_low", "effect_high"]
# Intrinsic measures of a country, the first available one; and that of a model.
MEASURES = (score.LEAVES, score.C_W)
EFFECT = "change in the log-odds of the positive class beyond that of made-up names"
EMPTY = style.Empty("No country of these tasks has both C_w and an effect.")
NAMED = 2  # countries that are named at either end of either axis
_C_W = "C<sub>w</sub> × 10³"  # SCALE


def table(countries: pd.DataFrame, numbers: pd.DataFrame, regions: pd.DataFrame, where: pd.DataFrame) -> pd.DataFrame:
    """C_w and effects of countries; and of models, if a task has several.

    countries: rows of "propagation_countries" of all. numbers: tidy rows of metrics "herb" and "downstream" of the same
    models. regions: table of regions. where: of `drawing.tasks.places`.

    Returns rows with COLUMNS by task. `unit` "country": one row per model and country, `intrinsic` its C_w by HERB,
    only for countries without sub-regions if others have some (`measure`), and `effect` the change of probability
    beyond the controls. `unit` "model": one row per model, C_w of the root, and the mean absolute effect of countries.
    """
    root = regions.loc[regions["parent"].isna(), "region"].item()
    names = regions.set_index("region")["name"]
    scores = score.scores(numbers, root)
    of_root = scores[scores["measure"] == "C_w"].set_index("model")["value"]
    is_outcome = (numbers["metric"] == "downstream") & (numbers["definition"] == "paper") & (numbers["unit"] == "all")
    outcomes = numbers[is_outcome & (numbers["variant"] == "absolute_effect")].set_index(["model", "group"])
    outcomes = outcomes.rename(columns={"estimate": "effect", "ci_low": "effect_low", "ci_high": "effect_high"})
    parts = []
    for task, of_task in where.groupby("task", sort=False):
        for _, model, planted in of_task.itertuples(index=False):
            task_rows = countries[(countries["task"] == task) & (countries["model"] == model)]
            measure = next((measure for measure in MEASURES if (task_rows["measure"] == measure).any()), None)
            task_rows = task_rows[task_rows["measure"] == measure].assign(unit=COUNTRY, planted=planted)
            parts.append(task_rows.assign(continent_name=task_rows["continent"].map(names)))
        models = of_task.assign(intrinsic=of_task["model"].map(of_root), unit=MODEL, measure="C_w")
        key = pd.MultiIndex.from_product([models["model"], [f"{task}/country"]])
        bounds = outcomes[["effect", "effect_low", "effect_high"]].reindex(key).set_axis(models.index)
        models = models.join(bounds).assign(name=models["model"]).dropna(subset=["intrinsic", "effect"])
        parts += [models] if len(models) > 1 else []
    rows = pd.concat([pd.DataFrame(columns=COLUMNS), *parts], ignore_index=True)[COLUMNS]
    return rows.astype({"planted": "float64", **dict.fromkeys(COLUMNS[-4:], "float64")})


def _of_countries(rows: pd.DataFrame, numbers: pd.DataFrame) -> str:
    task, model, measure = rows[["task", "model", "measure"]].iloc[0]
    return _correlation(numbers, model, f"{task}/{measure}", score.PRIMARY, "countries")


def _of_models(task: str, numbers: pd.DataFrame) -> str:
    return _correlation(numbers, score.ALL_MODELS, f"{task}/C_w", "spearman_absolute_effect", "models")


def _correlation(numbers: pd.DataFrame, model: str, group: str, variant: str, what: str) -> str:
    """A correlation with its interval, n and p, or why there is none. numbers: tidy rows of metric "propagation"."""
    row = _row(numbers, model, group, variant)
    if row is None:
        return "ρ: not measured"
    if pd.isna(row["estimate"]):
        return f"ρ: {row['note']}"
    value = style.with_interval(*row[["estimate", "ci_low", "ci_high"]])
    inside = ", within continents and given the name's length" if variant == score.PRIMARY else ""
    return f"ρ{inside} = {value}, n = {row['n']:.0f} {what}, adjusted p = {row['p_adjusted']:.2g}"


def _row(numbers: pd.DataFrame, model: str, group: str, variant: str) -> pd.Series | None:
    is_it = (numbers["model"] == model) & (numbers["group"] == group) & (numbers["variant"] == variant)
    rows = numbers[is_it & (numbers["metric"] == score.METRIC)]
    return rows.iloc[0] if len(rows) else None


def _remark(task: str, numbers: pd.DataFrame) -> str:
    """The wording of a correlation over models, "" if there is none."""
    row = _row(numbers, score.ALL_MODELS, f"{task}/C_w", "spearman_absolute_effect")
    return "" if row is None or pd.isna(row["estimate"]) or pd.isna(row["note"]) else row["note"]


def describe(table: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """The figure in words, for those who cannot see it: one sentence per panel. Arguments as for `panels`."""
    if table.empty:
        return EMPTY
    of_countries, of_models = (table[table["unit"] == unit] for unit in (COUNTRY, MODEL))
    sentences = [
        f"{task}, {label}: {_of_countries(rows, numbers)}." for (task, _, label), rows in tasks.by_model(of_countries)
    ]
    for task in of_models["task"].unique():
        summary = "; ".join(filter(None, [_of_models(task, numbers), _remark(task, numbers)]))
        sentences.append(f"{task}, over models: {summary}.")
    return (
        f"Scatter plots by task and model of each country's {EFFECT} against its C_w by HERB, and by task of "
        f"models' mean absolute effect against their C_w. {' '.join(sentences)}"
    )


def panels(table: pd.DataFrame, numbers: pd.DataFrame) -> list[dict]:
    """Scatter plots: one panel per task and model with its countries, then one per task with its models.

    table: rows of `table` (see there). numbers: tidy rows of metric "propagation", for the titles.
    """
    table = table.rename(columns={"effect": "estimate", "effect_low": "ci_low", "effect_high": "ci_high"})
    table = table.assign(x=SCALE * table["intrinsic"])
    is_model = table["unit"] == MODEL
    plots = []
    for (task, _, label), rows in tasks.by_model(table[~is_model]):
        axes = f"{_C_W} of the country", "effect (log-odds)"
        plots.append(scatter(f"{task}, {label}: {_of_countries(rows, numbers)}", rows, *axes, rows, named=NAMED))
    for task, rows in table[is_model].groupby("task", sort=False):
        title = "; ".join(filter(None, [_of_models(task, numbers), _remark(task, numbers)]))
        axes = f"{_C_W} of the model", "mean size of effects"
        plots.append(scatter(f"{task}, over models: {title}", rows, *axes, rows, named=len(rows)))
    return plots
