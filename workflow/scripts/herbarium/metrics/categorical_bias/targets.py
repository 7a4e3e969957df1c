"""What a study asks for of Categorical Bias."""

from herbarium.core.targets import Targets, list_tables
from herbarium.metrics.categorical_bias.published import NUMBERS
from herbarium.metrics.categorical_bias.stimuli import Languages, leading, measured
from herbarium.models import originals

MEASURES_OF_MODELS = "<work>/metrics/model_measures/categorical_bias.parquet"
FIGURES = ("scores", "distributions", "heatmap", "lengths")
TABLES = (
    *(f"table{number}" for number in NUMBERS),
    *("scores", "targets", "templates", "attributes", "differences", "divergences", "lists"),
)


def targets(study) -> Targets:
    """The files of the metric; none without a language. study: of `study.config`."""
    languages = study.categorical_bias.model_dump(mode="json")["languages"]
    if not languages:
        return Targets()
    models = study.categorical_bias.models
    planted = study.planted(models)
    return Targets(
        shards={f"categorical_bias/{language}": 1 for language in languages},
        scored=[(model, f"categorical_bias/{language}") for model, language in measured(languages)],
        planted={model: [f"<work>/testbed/text/categorical_bias/{model}.parquet"] for model in planted},
        numbers=[
            *files("metrics/categorical_bias", languages),
            "<work>/metrics/categorical_bias_differences.parquet",
            "<work>/metrics/categorical_bias_divergences.parquet",
        ],
        changes=["<work>/changes/categorical_bias.parquet"] if study.compared(models) else [],
        items=files("items/categorical_bias", languages),
        published=["<work>/published/categorical_bias.parquet"],
        calibration=["<work>/calibration/categorical_bias.parquet"] if planted else [],
        figures=[f"categorical_bias_{name}" for name in FIGURES],
        validity=["resources/categorical_bias/validity.csv"],
        tables=[f"<results>/tables/categorical_bias_{name}.csv" for name in TABLES],
        parts=["<work>/parts/categorical_bias.json"],
    )


def files(folder: str, languages: Languages) -> list[str]:
    """The files of a folder of the results: one per model and language."""
    return [f"<work>/{folder}/{model}/{language}.parquet" for model, language in measured(languages)]


def languages_of(model: str, languages: Languages) -> list[str]:
    """The languages in which a model is measured."""
    return [language for name, language in measured(languages) if name == model]


def list_files(languages: Languages) -> list[str]:
    """The tables of all lists of the languages."""
    return list_tables(*(folder for language in languages.values() for folder in language["lists"].values()))


def leading_files(languages: Languages) -> list[str]:
    """The tables of the leading list of each language."""
    return list_tables(*(languages[language]["lists"][name] for language, name in leading(languages).items()))


def learned(model: str, languages: Languages) -> list[str]:
    """The folders of the lists that a model with a planted bias learns: the leading one of each of its languages."""
    return [
        languages[language]["lists"][name]
        for language, name in leading(languages).items()
        if language in languages_of(model, languages)
    ]


def lists_in(language: str, languages: Languages) -> list[str]:
    """The tables of all lists of a language."""
    return list_tables(*languages[language]["lists"].values())


def learned_files(model: str, languages: Languages) -> list[str]:
    """The tables of the lists of `learned`."""
    return list_tables(*learned(model, languages))


def original_data(study) -> dict[str, dict[str, str]]:
    """Reasons why data are not those of published figures (`models.originals`), by language and list."""

    def reason(language: str, lists: str) -> str:
        digest = originals.texts_digest(list_tables(lists))
        return originals.data("categorical_bias", {language: digest})[language]

    return {
        language: {name: reason(language, lists) for name, lists in entry.lists.items()}
        for language, entry in study.categorical_bias.languages.items()
    }
