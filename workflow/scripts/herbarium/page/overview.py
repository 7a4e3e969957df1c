"""The first part of the report: the study's models, and one sentence a finding. Facts are those of the other parts."""

from collections.abc import Mapping

from herbarium.drawing import style
from herbarium.page.build import Part

# Parts that findings come from, by what they measure.
HERB, CATEGORICAL_BIAS, MIXED_EFFECTS, DOWNSTREAM = "herb", "categorical_bias", "mixed_effects", "downstream"
NAMES = {
    HERB: "regional bias (HERB)",
    CATEGORICAL_BIAS: "ethnic bias (Categorical Bias)",
    MIXED_EFFECTS: "effect sizes (linear mixed models)",
    DOWNSTREAM: "downstream tasks",
}


def part(parts: Mapping[str, Part], models: list[dict]) -> Part:
    """The part of the page. parts: those of what was measured, by metric. models: records of all models."""
    facts = {metric: of.facts for metric, of in parts.items()}
    planted = [model for model in style.by_strength(models) if model["planted"] is not None]
    found = {
        "planted": [style.label(model["name"], model["planted"]) for model in planted],
        "real": [model["name"] for model in models if model["planted"] is None],
        "herb": facts.get(HERB) and {key: facts[HERB][key] for key in ("extremes", "has_intervals")},
        "categorical_bias": facts.get(CATEGORICAL_BIAS) and _scores(facts[CATEGORICAL_BIAS]),
        "mixed_effects": facts.get(MIXED_EFFECTS) and facts[MIXED_EFFECTS]["questions"],
        "missing": [name for metric, name in NAMES.items() if metric not in parts],
        "downstream": facts.get(DOWNSTREAM) and facts[DOWNSTREAM]["tasks"],
    }
    return Part("", [("overview", "Overview")], "overview.html.j2", found)


def _scores(facts: dict) -> list[dict]:
    """A row a model and language: its score, and how that stands against chance."""
    both = zip(facts["scores"], facts["against_chance"], strict=True)
    return [against | {"score": score["cb"]} for score, against in both]
