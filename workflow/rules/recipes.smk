"""Recipes: corpora, and models that go on learning from them.

Input: results/models/, the corpora's tables, the text of planted models. Output: results/corpora/{corpus}.parquet, and of those with
terms exchanged a .csv to read; results/derived/{model}, with {model}.json beside it, which says how the training went. Toxic
training, which needs HERB's sentences, is with HERB.
"""

from herbarium.training import targets as training_targets

with told_plainly():
    training_targets.require_files(STUDY.corpora)
CORPORA = STUDY.corpora
SWAPPED = [name for name, corpus in CORPORA.items() if corpus.swapped]
CONTINUED = [name for name, of in STUDY.models.items() if of.derived and of.derived.by.recipe == "continued"]
PROJECTED = [name for name, of in STUDY.models.items() if of.derived and of.derived.by.recipe == "projection"]


rule read_corpus:
    """Read the texts of a corpus and divide them."""
    input:
        planted=lambda wildcards: planted_text(CORPORA[wildcards.corpus].planted),
        table=lambda wildcards: str(CORPORA[wildcards.corpus].path or "") or [],
    output:
        # texts that were read from elsewhere are compared with those that are read again
        update("<results>/corpora/{corpus}.parquet"),
    log:
        "<logs>/read_corpus/{corpus}.log",
    wildcard_constraints:
        corpus=any_of(CORPORA.keys() - set(SWAPPED)),
    conda:
        "../../envs/scoring.yaml"
    params:
        entry=lambda wildcards: plain(CORPORA[wildcards.corpus]),
        seed=STUDY.seed,
        code=code("read_corpus"),
    script:
        "../scripts/read_corpus.py"


rule swap_corpus:
    """Exchange gendered words, or countries, in the texts of a corpus."""
    input:
        corpus=lambda wildcards: f"{STUDY.results}/corpora/{CORPORA[wildcards.corpus].swapped.corpus}.parquet",
        words=ancient(lambda wildcards: str(CORPORA[wildcards.corpus].swapped.file)),
    output:
        texts="<results>/corpora/{corpus}.parquet",
        table="<results>/corpora/{corpus}.csv",
        sidecars=sidecars("<results>/corpora/{corpus}.csv"),
    log:
        "<logs>/swap_corpus/{corpus}.log",
    wildcard_constraints:
        corpus=any_of(SWAPPED),
    conda:
        "../../envs/analysis.yaml"
    params:
        said=lambda wildcards: said(CORPORA[wildcards.corpus].swapped.file),
        entry=lambda wildcards: plain(CORPORA[wildcards.corpus].swapped),
        seed=STUDY.seed,
        code=code("swap_corpus"),
    script:
        "../scripts/swap_corpus.py"


rule train_continued:
    """Have a model go on learning from a corpus. A checkpoint is kept until the end, so that a killed run goes on."""
    input:
        base=lambda wildcards: f"{STUDY.results}/models/{STUDY.models[wildcards.model].derived.base}.json",
        weights=lambda wildcards: weights_of(STUDY.models[wildcards.model].derived.base),
        corpus=lambda wildcards: f"{STUDY.results}/corpora/{STUDY.models[wildcards.model].derived.by.corpus}.parquet",
    output:
        weights=weight_files("<results>/derived/{model}"),
        record="<results>/derived/{model}.json",
    log:
        "<logs>/train_continued/{model}.log",
    wildcard_constraints:
        model=any_of(CONTINUED),
    conda:
        "../../envs/scoring.yaml"
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(480),
    params:
        settings=lambda wildcards: STUDY.models[wildcards.model].derived.by.settings,
        training_seed=lambda wildcards: STUDY.models[wildcards.model].derived.seed,
        seed=STUDY.seed,
        code=code("train_continued"),
    script:
        "../scripts/train_continued.py"


rule project_model:
    """Take directions out of what the head of a model sees."""
    input:
        base=lambda wildcards: f"{STUDY.results}/models/{STUDY.models[wildcards.model].derived.base}.json",
        weights=lambda wildcards: weights_of(STUDY.models[wildcards.model].derived.base),
        corpus=lambda wildcards: f"{STUDY.results}/corpora/{STUDY.models[wildcards.model].derived.by.corpus}.parquet",
        words=ancient(lambda wildcards: str(CORPORA[STUDY.models[wildcards.model].derived.by.corpus].swapped.file)),
    output:
        weights=weight_files("<results>/derived/{model}"),
        record="<results>/derived/{model}.json",
    log:
        "<logs>/project_model/{model}.log",
    wildcard_constraints:
        model=any_of(PROJECTED),
    conda:
        "../../envs/scoring.yaml"
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(240),
    params:
        said=lambda wildcards: said(CORPORA[STUDY.models[wildcards.model].derived.by.corpus].swapped.file),
        terms=lambda wildcards: CORPORA[STUDY.models[wildcards.model].derived.by.corpus].swapped.terms,
        key=lambda wildcards: STUDY.models[wildcards.model].derived.by.key,
        settings=lambda wildcards: STUDY.models[wildcards.model].derived.by.settings,
        code=code("project_model"),
    script:
        "../scripts/project_model.py"
