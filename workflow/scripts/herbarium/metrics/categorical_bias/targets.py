"""What a study asks for of Categorical Bias."""

from herbarium.core.targets import Targets, list_tables
from herbarium.metrics.categorical_bias.stimuli import Languages, leading, measured

FIGURES = ("scores", "distributions", "heatmap", "lengths")
# The paper's tables that have a number that we measure, by their numbers.
PUBLISHED = ("2", "3", "4", "5", "7", "8", "9", "C")
TABLES = (
    *(f"table{number}" for number in PUBLISHED),
    *("scores", "targets", "templates", "attributes", "differences", "divergences", "lists"),
)


def targets(study) -> Targets:
    """Its files; none without a language."""
    languages = study.categorical_bias.model_dump(mode="json")["languages"]
    places = measured(languages)
    if not places:
        return Targets()
    is_planted = any(study.models[model].planted is not None for model, _ in places)
    models = study.categorical_bias.models
    return Targets(
        shards={f"categorical_bias/{language}": 1 for language in languages},
        scored=[(model, f"categorical_bias/{language}") for model, language in places],
        planted={
            model: [f"<results>/testbed/text/categorical_bias/{model}.parquet"]
            for model in models
            if study.models[model].planted is not None
        },
        grouped={
            (model, "categorical_bias"): f"<results>/grouped/{model}/categorical_bias.parquet"
            for model in models
            if study.categorical_bias.groups
            and study.mixed_models.engine == "lme4"
            and len(languages_of(model, languages)) > 1
        },
        numbers=[
            *files("metrics/categorical_bias", places),
            "<results>/metrics/categorical_bias_differences.parquet",
            "<results>/metrics/categorical_bias_divergences.parquet",
        ],
        replicates=files("replicates/categorical_bias", places),
        published=["<results>/published/categorical_bias.parquet"],
        calibration=["<results>/calibration/categorical_bias.parquet"] if is_planted else [],
        figures=[f"categorical_bias_{name}" for name in FIGURES],
        tables=[f"<results>/tables/categorical_bias_{name}.csv" for name in TABLES],
        parts=["<results>/parts/categorical_bias.json"],
    )


def files(folder: str, places: list[tuple[str, str]]) -> list[str]:
    """A file a model and language, in a folder of the results. places: of `stimuli.measured`."""
    return [f"<results>/{folder}/{model}/{language}.parquet" for model, language in places]


def languages_of(model: str, languages: Languages) -> list[str]:
    """The languages that a model is measured in."""
    return [language for name, language in measured(languages) if name == model]


def leading_folders(languages: Languages) -> dict[str, str]:
    """Language -> the folder of the list that leads."""
    return {language: languages[language]["lists"][name] for language, name in leading(languages).items()}


def list_files(languages: Languages) -> list[str]:
    """The tables of all lists of all languages."""
    return list_tables(*(folder for language in languages.values() for folder in language["lists"].values()))
