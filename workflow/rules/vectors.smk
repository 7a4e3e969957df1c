"""Vectors: what sources have for words, by themselves or in sentences.

Input: results/words/{metric}/{name}.parquet, written by each metric; models, files of word vectors. Output: results/vectors/{source}/{metric}/{name}.parquet.
"""

# the model that a source has vectors of, if it has; and whether that takes a GPU
MODEL_OF = {name: source.model for name, source in STUDY.vectors.items()}
ON_GPU = {name: int(model is not None and not STUDY.is_tiny(model)) for name, model in MODEL_OF.items()}
FILE_OF = {name: str(source.path) for name, source in STUDY.vectors.items() if source.path and not source.hub}


rule represent:
    """Find the vectors that a source has for words."""
    input:
        words="<results>/words/{words}.parquet",
        model=lambda wildcards: f"{STUDY.results}/models/{of}.json" if (of := MODEL_OF[wildcards.source]) else [],
        weights=lambda wildcards: weights_of(of) if (of := MODEL_OF[wildcards.source]) else [],
        file=lambda wildcards: FILE_OF.get(wildcards.source, []),
    output:
        "<results>/vectors/{source}/{words}.parquet",
    log:
        "<logs>/represent/{source}/{words}.log",
    wildcard_constraints:
        source=any_of(STUDY.vectors),
    conda:
        "../../envs/scoring.yaml"
    threads: lambda wildcards: 8 if ON_GPU[wildcards.source] else 1
    resources:
        gpu=lambda wildcards: ON_GPU[wildcards.source],
        mem_mb=growing(16000),
        runtime=growing(60),
    params:
        entry=lambda wildcards: STUDY.vectors[wildcards.source].entry,
        seed=STUDY.seed,
        code=code("represent"),
    script:
        "../scripts/represent.py"
