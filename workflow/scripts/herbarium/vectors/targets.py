"""The targets of a study for sources of vectors: files on the hub, and what training vectors costs."""

from herbarium.core.targets import Source, Targets, filled

# Counts of a corpus, and vectors trained on them: .parquet, with .json and .csv on the training next to it.
VOCABULARY = "<work>/cooccurrences/{corpus}/{window}-{min_count}-vocabulary.parquet"
COOCCURRENCES = "<work>/cooccurrences/{corpus}/{window}-{min_count}.parquet"
LEARNED = "<work>/word_vectors/{source}"
# What training such vectors costs, from a sample.
SAMPLE = "<work>/estimate/vectors/{source}.parquet"
# The gendered words that hard debiasing needs.
DEBIASED = "debiased/{source}"


def targets(study) -> Targets:
    """study: a `study.config.Study`."""
    return Targets(
        sources=[
            Source(f"vectors.{name}", source.entry, False, "represent", {"source": name})
            for name, source in study.vectors.items()
            if source.hub
        ],
        costs={
            (source, f"corpora/{study.vectors[source].trained.corpus}"): filled(SAMPLE, source=source)
            for source in dict.fromkeys(study.sources_of_vectors.trained.values())
        },
    )
