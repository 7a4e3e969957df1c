"""The targets of word associations."""

from herbarium.core.targets import Files, Targets, filled

METRIC = "word_associations"
FILES = Files(METRIC, source="Zhao 2021")
DESIGN = "<work>/designs/word_associations.json"
# The table of all words by themselves; those of tests in sentences are named by `table_of`.
WORDS = "words"
TABLE = "word_associations/{name}"
ANALOGIES = "<work>/analogies/word_associations/{source}.parquet"
PROJECTIONS = "<work>/projections/word_associations/{source}.parquet"
NUMBERS = "<work>/metrics/word_associations/{source}.parquet"
ITEMS = "<work>/items/word_associations/{source}.parquet"
CHANGES = "<work>/changes/word_associations.parquet"
FIGURES = {
    "sembias": "Which pairs are most like the gender direction",
    "occupations": "Occupations along the gender direction, with the share of women in them",
}
TABLES = {
    "numbers": "Every number by source and layer",
    "projections": "The position of every occupation along every direction",
    "words": "Every word that is looked up, and its number of tokens in each source, or why it has none",
}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without sources."""
    section = study.word_associations
    if not section.sources:
        return Targets()
    return Targets(
        numbers=[filled(NUMBERS, source=source) for source in section.sources],
        changes=[CHANGES] if study.compared_sources(section.sources) else [],
        items=[filled(ITEMS, source=source) for source in section.sources] if section.sembias else [],
        published=[FILES.published],
        calibration=[FILES.calibration] if planted(study) else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def in_sentences(study, source: str) -> dict[str, str]:
    """Tests in sentences on a source, and the names of their tables of sentences."""
    return {test: table_of(test) for test, origin in study.word_associations.in_sentences if origin == source}


def table_of(test: str) -> str:
    """The name of the table of a test's sentences."""
    return f"test-{test}"


def vocabularies(study) -> dict[str, str]:
    """Source -> the source whose whole vocabulary its analogies are answered among: itself or, for a debiased one, its
    original. Not for planted sources and models, which have vectors for any word."""
    section, by_table = study.word_associations, {}
    for name in section.sources if section.analogies else []:
        debiased = study.vectors[name].debiased
        origin = debiased.source if debiased else name
        if study.vectors[origin].has_vocabulary:
            by_table[name] = origin
    return by_table


def planted(study) -> dict[str, float]:
    """The strength of sources with a planted gender direction."""
    return study.sources_of_vectors.planted(study.word_associations.sources)
