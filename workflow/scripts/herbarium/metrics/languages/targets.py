"""The targets of languages."""

from herbarium.core import shared
from herbarium.core.files import placed
from herbarium.core.targets import Files, Targets, filled
from herbarium.metrics.languages.lists import MIBS
from herbarium.models.comparisons import Compared

FILES = Files("languages", source="Zhao 2021")
WORDS = "languages/{space}/{language}"
DESIGN = "<work>/designs/languages/{space}/{language}.json"
# The vectors of a language in the space of its pivot, those of controls, and translations that were searched for.
ALIGNED, CONTROLS, TRANSLATIONS = (
    f"<work>/aligned/languages/{{space}}/{{alignment}}{end}.parquet" for end in ("", "-controls", "-translations")
)
NUMBERS = "<work>/metrics/languages/{space}.parquet"
PAIRS, MAP, MISSING = (f"<work>/languages/{{space}}/{table}.parquet" for table in ("pairs", "map", "missing"))
ITEMS = "<work>/items/languages/{space}.parquet"
CHANGES = "<work>/changes/languages/{space}.parquet"
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
        numbers=[filled(NUMBERS, space=space) for space in spaces],
        changes=[filled(CHANGES, space=space) for space in spaces if compared(study, space)],
        items=[filled(ITEMS, space=space) for space in spaces],
        published=[FILES.published] if of_authors(study) else [],
        calibration=[FILES.calibration] if planted(study) else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def planted(study) -> dict[str, float]:
    """The strength of each measured source that is planted."""
    return study.sources_of_vectors.planted(study.languages.sources)


def compared(study, space: str) -> list[Compared]:
    """The comparisons of the sources of a space."""
    return study.compared_sources(entry.source for entry in study.languages.spaces[space].languages.values())


def of_authors(study) -> list[str]:
    """Spaces with only the authors' lists."""
    spaces = study.languages.spaces
    return [name for name, space in spaces.items() if all(one.format == MIBS for one in space.languages.values())]


def sides(study, space: str, alignment: str | None = None) -> list[str]:
    """The languages of a space; of an alignment by its name, the mapped one and its pivot."""
    if alignment is None:
        return list(study.languages.spaces[space].languages)
    entry = study.languages.alignment(space, alignment)
    return [entry.language, entry.pivot]


def words(study, space: str, alignment: str | None = None) -> list[str]:
    """The files with the words of `sides`. Real paths, as of the designs and vectors."""
    return _of_sides(filled(shared.WORDS, words=WORDS), study, space, alignment)


def designs(study, space: str, alignment: str | None = None) -> list[str]:
    """The files with the lists of `sides`."""
    return _of_sides(DESIGN, study, space, alignment)


def vectors(study, space: str, alignment: str | None = None) -> list[str]:
    """The files with the vectors of `sides`."""
    return _of_sides(filled(shared.VECTORS, words=WORDS), study, space, alignment)


def _of_sides(pattern: str, study, space: str, alignment: str | None) -> list[str]:
    pattern, languages = placed(pattern, study.results), study.languages.spaces[space].languages
    return [
        filled(pattern, source=languages[language].source, space=space, language=language)
        for language in sides(study, space, alignment)
    ]


def files(study, space: str, language: str) -> list[str]:
    """The user's files for a language of a space: its lists, and all dictionaries."""
    entry = study.languages.spaces[space]
    return [*entry.languages[language].files, *(file for one in entry.alignments for file in one.files)]
