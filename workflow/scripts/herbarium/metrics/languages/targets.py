"""The targets of languages."""

from herbarium.core.targets import Targets
from herbarium.metrics.languages.lists import MIBS
from herbarium.models.comparisons import Compared

FIGURES = {"inbias": "inBias by language, and in the space of each pivot", "map": "Occupations in one space"}
TABLES = {
    "numbers": "Every number by space, language and pivot",
    "pairs": "Every pair of occupations with its gap, by language and pivot",
    "translations": "Every word whose translation was searched for",
    "missing": "Every word without a vector",
}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without spaces."""
    spaces = study.languages.spaces
    if not spaces:
        return Targets()
    return Targets(
        numbers=[f"<work>/metrics/languages/{space}.parquet" for space in spaces],
        changes=[f"<work>/changes/languages/{space}.parquet" for space in spaces if compared(study, space)],
        items=[f"<work>/items/languages/{space}.parquet" for space in spaces],
        published=["<work>/published/languages.parquet"] if of_authors(study) else [],
        calibration=["<work>/calibration/languages.parquet"] if planted(study) else [],
        validity=["resources/languages/validity.csv"],
        figures=[f"languages_{name}" for name in FIGURES],
        tables=[f"<results>/tables/languages_{name}.csv" for name in TABLES],
        parts=["<work>/parts/languages.json"],
    )


def planted(study) -> dict[str, float]:
    """The strength of each measured source that is planted."""
    return study.sources_of_vectors.planted(study.languages.sources)


def compared(study, space: str) -> list[Compared]:
    """The comparisons of the sources of a space."""
    return study.compared_sources(of.source for of in study.languages.spaces[space].languages.values())


def of_authors(study) -> list[str]:
    """Spaces with only the authors' lists."""
    spaces = study.languages.spaces
    return [name for name, of in spaces.items() if all(one.format == MIBS for one in of.languages.values())]


def sides(study, space: str, alignment: str | None = None) -> list[str]:
    """The languages of a space; of an alignment by its name, the mapped one and its pivot."""
    if alignment is None:
        return list(study.languages.spaces[space].languages)
    of = study.languages.alignment(space, alignment)
    return [of.language, of.pivot]


def words(study, space: str, alignment: str | None = None) -> list[str]:
    """The files with the words of `sides`."""
    return [f"{study.work}/words/languages/{space}/{language}.parquet" for language in sides(study, space, alignment)]


def vectors(study, space: str, alignment: str | None = None) -> list[str]:
    """The files with the vectors of `sides`."""
    languages = study.languages.spaces[space].languages
    return [
        f"{study.work}/vectors/{languages[language].source}/languages/{space}/{language}.parquet"
        for language in sides(study, space, alignment)
    ]


def files(study, space: str, language: str | None = None) -> list[str]:
    """The user's files for a space: the lists of one of its languages or of all, and its dictionaries."""
    of = study.languages.spaces[space]
    lists = [file for name, one in of.languages.items() if language in (None, name) for file in one.files]
    return [*lists, *(file for one in of.alignments for file in one.files)]


def files_of_alignment(study, space: str, alignment: str) -> list[str]:
    """The user's files for an alignment: the lists of its languages, and its dictionaries."""
    languages = study.languages.spaces[space].languages
    lists = [file for language in sides(study, space, alignment) for file in languages[language].files]
    return [*lists, *study.languages.alignment(space, alignment).files]
