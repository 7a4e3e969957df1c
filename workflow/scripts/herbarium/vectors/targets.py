"""The targets of a study for sources of vectors: files on the hub, and what training vectors costs."""

from collections.abc import Iterable

from herbarium.core.targets import Source, Targets, filled, first_alike

# Counts of a corpus, and vectors trained on them: .parquet, with .json and .csv on the training next to it.
VOCABULARY = "<work>/cooccurrences/{corpus}/{window}-{min_count}-vocabulary.parquet"
COOCCURRENCES = "<work>/cooccurrences/{corpus}/{window}-{min_count}.parquet"
LEARNED = "<work>/word_vectors/{source}"
# What training such vectors costs, and what finding those of a model, from a sample.
SAMPLE = "<work>/estimate/vectors/{source}.parquet"
REPRESENTED = "<work>/estimate/words/{source}/{words}.parquet"
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


def represented(study, asked: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The costs (`Targets.costs`) of the vectors that models have for words. asked: sources, and the names of words."""
    debiased = {name: source.debiased.source for name, source in study.vectors.items() if source.debiased}
    made = {
        name: (study.origin(source.model), source.entry["layers"])
        for name, source in study.vectors.items()
        if source.model is not None
    }
    pairs = [(debiased.get(source, source), words) for source, words in asked]
    like = first_alike(made)
    return {
        (source, f"words/{words}"): filled(REPRESENTED, source=like[source], words=words)
        for source, words in pairs
        if source in made
    }
