"""The part of the page on groups: one mixed model for the scores of any metric."""

from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.report import fits as of_fits
from herbarium.report.part import Part, render
from herbarium.statistics.grouped import EACH, OTHERS

NAME, TITLE = "groups", "Differences between groups (one mixed model for all metrics)"


def part(fits: pd.DataFrame, models: list[dict], settings: Mapping, told: Collection[str]) -> Part:
    """fits: of groups, of the schema "adjusted_fits". models: records of theirs. settings: `mixed_models` of the
    configuration. told: data whose fits stand in the part of their metric, so that they are only counted here."""
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in style.by_strength(models)}
    facts = {
        "level": f"{settings['bootstrap']['level'] * 100:g}",
        "rows": rows(fits[~fits["data"].isin(told)], labels),
        "told": sorted(set(fits["data"]) & set(told)),
        "troubles": of_fits.troubles(fits, labels),
    }
    return Part(
        name=NAME,
        title=TITLE,
        sections=[("groups", "Groups")],
        html=render(Path(__file__).parent, "groups.html.j2", facts),
        overview="",
        limits="",
        tested=[of_fits.tested("groups", settings)],
        models=models,
        uncertainty=of_fits.uncertainty(fits, settings["tests"], "Groups", "groups", "groups"),
    )


def rows(fits: pd.DataFrame, labels: Mapping[str, str]) -> list[dict]:
    """One row per fit of groups: data by data, contrast by contrast, models as in `labels`."""
    places = {model: place for place, model in enumerate(labels)}
    return [
        of_fits.row(fit, labels)
        | {"data": data, "contrast": _contrast(fit), "structure": of_fits.STRUCTURES[fit["structure"]]}
        for (data, _), own in fits.groupby(["data", "contrast"], sort=False)
        for _, fit in own.sort_values("model", key=lambda names: names.map(places)).iterrows()
    ]


def _contrast(fit: pd.Series) -> str:
    if fit["contrast"] == EACH:
        return "all groups at once"
    return f"{fit['contrast'].removesuffix(f'-{OTHERS}')} against the others"
