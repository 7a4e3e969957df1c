"""The targets of a study for sources of vectors: files on the hub."""

from herbarium.core.targets import Source, Targets

# Counts of a corpus, and vectors trained on them: .parquet, with .json and .csv on the training next to it.
VOCABULARY = "<work>/cooccurrences/{corpus}/{window}-{min_count}-vocabulary.parquet"
COOCCURRENCES = "<work>/cooccurrences/{corpus}/{window}-{min_count}.parquet"
LEARNED = "<work>/word_vectors/{source}"
# The gendered words that hard debiasing needs.
DEBIASED = "debiased/{source}"


def targets(study) -> Targets:
    """study: a `study.config.Study`."""
    return Targets(
        sources=[
            Source(f"vectors.{name}", source.entry, False, "represent", {"source": name})
            for name, source in study.vectors.items()
            if source.hub
        ]
    )
