"""What a study asks for of Categorical Bias."""

from herbarium.core.targets import Files, Targets, filled, list_tables
from herbarium.metrics.categorical_bias.stimuli import Languages, leading, measured
from herbarium.models import genealogy, originals

FILES = Files("categorical_bias", source="Ahn and Oh 2021")
STIMULI = "categorical_bias/{language}"
DESIGN = "<work>/designs/categorical_bias/{language}/{name}.json"
# log P' of every sentence, and the sub-tokens of attributes.
ASSOCIATIONS = "<work>/associations/{model}/{language}.parquet"
TOKENS = "<work>/attribute_tokens/{model}/{language}.parquet"
NUMBERS = "<work>/metrics/categorical_bias/{model}/{language}.parquet"
ITEMS = "<work>/items/categorical_bias/{model}/{language}.parquet"
DIFFERENCES = "<work>/metrics/categorical_bias_differences.parquet"
DIVERGENCES = "<work>/metrics/categorical_bias_divergences.parquet"
CHANGES = "<work>/changes/categorical_bias.parquet"
MEASURES_OF_MODELS = "<work>/metrics/model_measures/categorical_bias.parquet"
FIGURES = {
    "scores": "What both forms of attributes have in common, and CB, by language and model",
    "distributions": "Which targets a model expects with some attributes",
    "heatmap": "Which targets a model expects with which attributes",
    "lengths": "What each target adds to CB, by its number of sub-tokens",
}
TABLES = {
    "table2": "CB of multilingual and monolingual models, as published and ours",
    "table3": "Divergences between languages, as published and ours",
    "table4": "CB in six languages, as published and ours",
    "table5": "CB in English, as published and ours",
    "table7": "CB with additional words, as published and ours",
    "table8": "CB in Arabic and Greek, as published and ours",
    "table9": "Divergences from English, as published and ours",
    "tableC": "CB of XLM-RoBERTa, as published and ours",
    "scores": "Every score of every list",
    "targets": "What each target adds, and its sub-tokens",
    "templates": "CB by template",
    "attributes": "CB by attribute",
    "differences": "Differences between models, languages and lists, tested",
    "divergences": "Divergences between languages, and between models of one",
}
# Made from the lists alone.
REMARKS = {"lists": "What is odd about the lists"}


def targets(study) -> Targets:
    """The files of the metric; none without a language. study: of `study.config`."""
    languages = study.categorical_bias.model_dump(mode="json")["languages"]
    if not languages:
        return Targets()
    models = study.categorical_bias.models
    planted = study.planted(models)
    return Targets(
        shards={filled(STIMULI, language=language): 1 for language in languages},
        scored=[(model, filled(STIMULI, language=language)) for model, language in measured(languages)],
        planted={model: [filled(FILES.planted, model=model)] for model in planted},
        numbers=[*files(NUMBERS, languages), DIFFERENCES, DIVERGENCES],
        changes=[CHANGES] if study.compared(models) else [],
        items=files(ITEMS, languages),
        published=[FILES.published],
        calibration=[FILES.calibration] if planted else [],
        figures=FILES.figures(FIGURES),
        validity=[FILES.validity],
        tables=FILES.tables(TABLES | REMARKS),
        parts=[FILES.part],
    )


def files(pattern: str, languages: Languages) -> list[str]:
    """The files of a pattern: one per model and language."""
    return [filled(pattern, model=model, language=language) for model, language in measured(languages)]


def changed(study) -> list[tuple[str, str]]:
    """Models before and after each change that is compared."""
    compared = (pair[2:] for pair in study.compared(study.categorical_bias.models))
    return [models for models in compared if genealogy.is_made_from(study.models, *models)]


def languages_of(model: str, languages: Languages) -> list[str]:
    """The languages in which a model is measured."""
    return [language for name, language in measured(languages) if name == model]


def designs(languages: Languages) -> list[str]:
    """The designs of all lists of the languages."""
    return [
        filled(DESIGN, language=language, name=name) for language, entry in languages.items() for name in entry["lists"]
    ]


def leading_designs(languages: Languages) -> list[str]:
    """The designs of the leading list of each language."""
    return [filled(DESIGN, language=language, name=name) for language, name in leading(languages).items()]


def learned(model: str, languages: Languages) -> list[str]:
    """The designs of the lists that a model with a planted bias learns: the leading one of each of its languages."""
    return leading_designs({language: languages[language] for language in languages_of(model, languages)})


def original_data(study) -> dict[str, dict[str, str]]:
    """Reasons why data are not those of published figures (`models.originals`), by language and list."""

    def reason(language: str, lists: str) -> str:
        digest = originals.texts_digest(list_tables(lists))
        return originals.data("categorical_bias", {language: digest})[language]

    return {
        language: {name: reason(language, lists) for name, lists in entry.lists.items()}
        for language, entry in study.categorical_bias.languages.items()
    }
