"""The targets of word associations."""

from herbarium.core.targets import Targets

METRIC = "word_associations"
WORDS = "words"
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
        numbers=[f"<work>/metrics/{METRIC}/{source}.parquet" for source in section.sources],
        changes=[f"<work>/changes/{METRIC}.parquet"] if study.compared_sources(section.sources) else [],
        items=[f"<work>/items/{METRIC}/{source}.parquet" for source in section.sources] if section.sembias else [],
        published=[f"<work>/published/{METRIC}.parquet"],
        calibration=[f"<work>/calibration/{METRIC}.parquet"] if planted(study) else [],
        validity=[f"resources/{METRIC}/validity.csv"],
        figures=[f"{METRIC}_{name}" for name in FIGURES],
        tables=[f"<results>/tables/{METRIC}_{name}.csv" for name in TABLES],
        parts=[f"<work>/parts/{METRIC}.json"],
    )


def in_sentences(study, source: str) -> dict[str, str]:
    """Tests in sentences on a source, and the names of their tables of sentences."""
    return {test: table_of(test) for test, of in study.word_associations.in_sentences if of == source}


def table_of(test: str) -> str:
    """The name of the table of a test's sentences."""
    return f"test-{test}"


def vocabularies(study) -> dict[str, str]:
    """Source -> the source whose whole vocabulary its analogies are answered among: itself or, for a debiased one, its
    original. Not for planted sources and models, which have vectors for any word."""
    section, found = study.word_associations, {}
    for name in section.sources if section.analogies else []:
        debiased = study.vectors[name].debiased
        origin = debiased.source if debiased else name
        if study.vectors[origin].has_vocabulary:
            found[name] = origin
    return found


def planted(study) -> dict[str, float]:
    """The strength of sources with a planted gender direction."""
    return study.sources_of_vectors.planted(study.word_associations.sources)
