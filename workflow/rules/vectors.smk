"""Vectors: what sources give for words, on their own or in sentences."""

from herbarium.vectors import targets as vectors_targets

# the model whose vectors a source has, if any; and whether that takes a GPU
MODEL_OF = {name: source.model for name, source in STUDY.vectors.items()}
ON_GPU = {name: int(model is not None and not STUDY.is_tiny(model)) for name, model in MODEL_OF.items()}
TRAINED = STUDY.sources_of_vectors.trained
COUNTED = {
    name: {"corpus": trained.corpus, "window": trained.window, "min_count": trained.min_count}
    for name, trained in ((name, STUDY.vectors[name].trained) for name in TRAINED)
}
LEARNED = {name: real_path(f"{vectors_targets.LEARNED}.parquet", source=first) for name, first in TRAINED.items()}
DEBIASED = {name: source.debiased for name, source in STUDY.vectors.items() if source.debiased}
FILE_OF = {name: str(source.path) for name, source in STUDY.vectors.items() if source.path and not source.hub}


rule represent:
    """Find the vectors of a source for words."""
    input:
        words=shared.WORDS,
        model=lambda wildcards: real_path(shared.MODEL, model=model) if (model := MODEL_OF[wildcards.source]) else [],
        weights=lambda wildcards: weights_of(model) if (model := MODEL_OF[wildcards.source]) else [],
        file=lambda wildcards: FILE_OF.get(wildcards.source, []),
        trained=lambda wildcards: LEARNED.get(wildcards.source, []),
    output:
        shared.VECTORS,
    wildcard_constraints:
        source=any_of(STUDY.vectors.keys() - DEBIASED.keys()),
    threads: lambda wildcards: 8 if ON_GPU[wildcards.source] else 1
    resources:
        gpu=lambda wildcards: ON_GPU[wildcards.source],
        mem_mb=growing(16000),
        runtime=growing(60),
    params:
        entry=lambda wildcards: STUDY.vectors[wildcards.source].entry,
        seed=STUDY.seed,
    script:
        "../scripts/represent.py"


rule sample_represent:
    """Find the vectors of words in a sample of texts for some seconds, and estimate what all of them will take."""
    input:
        # models of the testbed are not trained for it, and so not timed
        model=lambda wildcards: (
            real_path(shared.MODEL, model=STUDY.origin(MODEL_OF[wildcards.source])) if ON_GPU[wildcards.source] else []
        ),
        weights=lambda wildcards: (
            weights_of(STUDY.origin(MODEL_OF[wildcards.source])) if ON_GPU[wildcards.source] else []
        ),
        words=shared.WORDS,
    output:
        vectors_targets.REPRESENTED,
    wildcard_constraints:
        source=any_of(name for name, model in MODEL_OF.items() if model),
    threads: lambda wildcards: 8 if ON_GPU[wildcards.source] else 1
    resources:
        gpu=lambda wildcards: ON_GPU[wildcards.source],
        mem_mb=growing(16000),
    params:
        layers=lambda wildcards: STUDY.vectors[wildcards.source].entry["layers"],
        seed=STUDY.seed,
    script:
        "../scripts/sample_represent.py"


rule count_cooccurrences:
    """Count the words of a corpus, and how often they co-occur."""
    input:
        corpus=shared.CORPUS,
    output:
        vocabulary=vectors_targets.VOCABULARY,
        records=vectors_targets.COOCCURRENCES,
    wildcard_constraints:
        corpus=any_of(CORPORA),
        window=r"\d+",
        min_count=r"\d+",
    resources:
        mem_mb=growing(16000),
        runtime=growing(120),
    script:
        "../scripts/count_cooccurrences.py"


rule train_vectors:
    """Train word vectors: GloVe or GN-GloVe."""
    input:
        vocabulary=lambda wildcards: real_path(vectors_targets.VOCABULARY, **COUNTED[wildcards.source]),
        records=lambda wildcards: real_path(vectors_targets.COOCCURRENCES, **COUNTED[wildcards.source]),
        lists=ancient(lambda wildcards: list(map(str, STUDY.vectors[wildcards.source].trained.lists))),
    output:
        vectors=f"{vectors_targets.LEARNED}.parquet",
        record=f"{vectors_targets.LEARNED}.json",
        losses=f"{vectors_targets.LEARNED}.csv",
        sidecars=sidecars(f"{vectors_targets.LEARNED}.csv"),
    wildcard_constraints:
        source=any_of(set(TRAINED.values())),
    resources:
        mem_mb=growing(16000),
        runtime=growing(24 * 60),
    params:
        contents=lambda wildcards: contents(*STUDY.vectors[wildcards.source].trained.lists),
        entry=lambda wildcards: STUDY.vectors[wildcards.source].trained.made,
        seed=STUDY.seed,
    script:
        "../scripts/train_vectors.py"


rule sample_vectors:
    """Train word vectors on a sample of co-occurrences for some seconds, and estimate what all of it will take."""
    input:
        vocabulary=lambda wildcards: real_path(vectors_targets.VOCABULARY, **COUNTED[wildcards.source]),
        records=lambda wildcards: real_path(vectors_targets.COOCCURRENCES, **COUNTED[wildcards.source]),
        lists=ancient(lambda wildcards: list(map(str, STUDY.vectors[wildcards.source].trained.lists))),
    output:
        vectors_targets.SAMPLE,
    wildcard_constraints:
        source=any_of(set(TRAINED.values())),
    resources:
        mem_mb=growing(16000),
    params:
        contents=lambda wildcards: contents(*STUDY.vectors[wildcards.source].trained.lists),
        entry=lambda wildcards: STUDY.vectors[wildcards.source].trained.made,
        seed=STUDY.seed,
    script:
        "../scripts/sample_vectors.py"


rule list_pairs:
    """List the gendered words whose vectors hard debiasing needs."""
    input:
        lists=ancient(lambda wildcards: list(map(str, DEBIASED[wildcards.source].pairs.lists))),
    output:
        filled(shared.WORDS, words=vectors_targets.DEBIASED),
    wildcard_constraints:
        source=any_of(DEBIASED),
    params:
        contents=lambda wildcards: contents(*DEBIASED[wildcards.source].pairs.lists),
    script:
        "../scripts/list_pairs.py"


rule debias_vectors:
    """Remove gender from the vectors of another source."""
    input:
        words=shared.WORDS,
        vectors=lambda wildcards: real_path(shared.VECTORS, source=DEBIASED[wildcards.source].source),
        pairs=filled(shared.WORDS, words=vectors_targets.DEBIASED),
        gendered=lambda wildcards: real_path(
            shared.VECTORS, source=DEBIASED[wildcards.source].source, words=vectors_targets.DEBIASED
        ),
    output:
        shared.VECTORS,
    wildcard_constraints:
        source=any_of(DEBIASED),
    params:
        direction=lambda wildcards: DEBIASED[wildcards.source].direction,
    script:
        "../scripts/debias_vectors.py"
