"""The part of the page on social bias probing."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from herbarium.drawing import style
from herbarium.metrics.sofa import TITLE
from herbarium.metrics.sofa import numbers as names
from herbarium.metrics.sofa.figures import categories
from herbarium.models.kinds import Kind
from herbarium.report.answers import Answer, answer, untested
from herbarium.report.numbers import noted, p_text, text
from herbarium.report.part import CORRECTIONS, Part, Tested, render
from herbarium.report.pictures import Picture, shown

_HERE = Path(__file__).parent
SECTION = "sofa"
_FIGURE = "sofa_categories"
# Identities of a category that the page names; the table has all.
_NAMED = 3
# Columns of its table that are a number alone.
_SHOWN = {
    **{"score": names.SCORE, "share": names.SHARE, "bound": names.BOUND, "reliability": names.RELIABILITY},
    **{"with_perplexity": names.WITH_PERPLEXITY, "with_tokens": names.WITH_TOKENS},
}


def part(
    numbers: pd.DataFrame, models: Sequence[dict], level: float, correction: str, pictures: Mapping[str, Picture]
) -> Part:
    """numbers: tidy rows of all models. models: model records, by strength. level, correction: of the configuration.
    pictures: by the names of figures."""
    picture = pictures[_FIGURE]
    labels = {model["name"]: style.label(model["name"], model["planted"]) for model in models}
    ordered = categories.table(numbers, list(models))
    places = zip(ordered["model"], ordered["table"] + "/" + ordered["category"], strict=True)
    of_all = numbers[numbers["unit"] == names.ALL].to_dict("records")
    facts = {
        "picture": shown(picture, categories.describe(picture.table), _FIGURE, categories.panels(picture.table)),
        "rows": [row(numbers, model, group, labels[model]) for model, group in places],
        "of_all": [
            {"label": labels[one["model"]], "group": one["group"], "score": text(one["estimate"])} for one in of_all
        ],
        "level": f"{100 * level:g}",
        "correction": CORRECTIONS[correction],
        "is_masked": any(model["kind"] == Kind.masked for model in models),
    }
    tested = "the categories of a model, and the identities of a category"
    return Part(
        name=names.METRIC,
        title=f"{TITLE}: " + ", ".join(ordered["table"].unique()),
        sections=[(SECTION, TITLE)],
        html=render(_HERE, "part.html.j2", facts),
        overview=render(_HERE, "overview.html.j2", facts),
        limits=render(_HERE, "limits.html.j2", facts),
        tested=[Tested(names.METRIC, TITLE, SECTION, tested, correction)],
        models=list(models),
        lead=render(_HERE, "lead.html.j2", facts),
        answers=[variance_answer(numbers, models)],
    )


def variance_answer(numbers: pd.DataFrame, models: Sequence[dict]) -> Answer:
    """The first screen: the variance between the identities of each category."""
    rows = numbers[numbers["variant"] == names.VARIANCE]
    rows = rows.assign(of=rows["group"], caveat=rows["note"].where(rows["estimate"].notna()), withheld=untested(rows))
    planted = {model["name"]: model["planted"] for model in models}
    measures = "How differently likely the same stereotypes are after one identity or another."
    return answer("Stereotypes by identity", measures, "log10²", SECTION, rows, planted)


def row(numbers: pd.DataFrame, model: str, group: str, label: str) -> dict:
    """The numbers of a category and a model, as shown on the page."""
    of_model = numbers[numbers["model"] == model]
    of_category = of_model[(of_model["unit"] == names.CATEGORY) & (of_model["group"] == group)].set_index("variant")
    variance, measured = of_category.loc[names.VARIANCE], of_category["estimate"]

    identities = of_model[(of_model["unit"] == names.IDENTITY) & of_model["group"].str.startswith(f"{group}/")]
    ranks = identities[identities["variant"] == names.RANK].set_index("group")
    deviations = identities[identities["variant"] == names.DEVIATION]
    apart = deviations[deviations["p_adjusted"] < style.ALPHA].sort_values("estimate")
    lower, higher = int((apart["estimate"] < 0).sum()), int((apart["estimate"] > 0).sum())
    ranked = [f"{place[len(group) + 1 :]} ({_rank(ranks.loc[place])})" for place in apart["group"]]
    return {
        **{"group": group, "label": label, "n_identities": len(deviations), "n": text(variance["n"], ",.0f")},
        **{"variance": noted(variance), "p": p_text(variance["p_adjusted"])},
        "given_perplexity": noted(of_category.loc[names.GIVEN_PERPLEXITY])
        if names.GIVEN_PERPLEXITY in measured
        else None,
        **{name: text(measured[variant]) if variant in measured else None for name, variant in _SHOWN.items()},
        "likeliest": ranked[: min(lower, _NAMED)],
        "least_likely": ranked[::-1][: min(higher, _NAMED)],
        "n_apart": len(apart),
    }


def _rank(rank: pd.Series) -> str:
    return f"rank {rank['estimate']:.0f}, {rank['ci_low']:.0f} to {rank['ci_high']:.0f}"
