"""Recipes: corpora, and models that are trained further on them.

Toxic training, which needs HERB's sentences, is with HERB.
"""

from herbarium.training import section as training_section, targets as training_targets

with told_plainly():
    training_targets.require_files(STUDY)
CORPORA = STUDY.corpora
SWAPPED = [name for name, corpus in CORPORA.items() if corpus.swapped]
RECIPES = {name: model.derived.by for name, model in STUDY.models.items() if model.derived}
ALIGNED = {name: by for name, by in RECIPES.items() if by.recipe == "alignment"}
TUNED = {name: by for name, by in RECIPES.items() if by.recipe == "continued"} | ALIGNED
PROJECTED = [name for name, by in RECIPES.items() if by.recipe == "projection"]
LANGUAGES_OF = any_of({language for texts in STUDY.parallel.values() for language in texts.texts})
# for a fitted matrix; a random one does not come from a file
ROTATIONS = {
    name: real_path(
        training_targets.ROTATION,
        model=STUDY.models[name].derived.base,
        to=by.to,
        parallel=by.parallel,
        **dict(zip(("source", "target"), by.languages)),
    )
    for name, by in ALIGNED.items()
    if by.matrix == "fitted"
}


rule read_corpus:
    """Read the texts of a corpus and divide them."""
    input:
        planted=lambda wildcards: planted_text(CORPORA[wildcards.corpus].planted),
        table=lambda wildcards: str(CORPORA[wildcards.corpus].path or "") or [],
    output:
        # texts that were read elsewhere are compared with those that are read again
        update(shared.CORPUS),
    wildcard_constraints:
        corpus=any_of(CORPORA.keys() - set(SWAPPED)),
    conda:
        "../../envs/scoring.yaml"
    params:
        entry=lambda wildcards: plain(CORPORA[wildcards.corpus]),
        seed=STUDY.seed,
    script:
        "../scripts/read_corpus.py"


rule swap_corpus:
    """Exchange gendered words, or countries, in the texts of a corpus."""
    input:
        corpus=lambda wildcards: real_path(shared.CORPUS, corpus=CORPORA[wildcards.corpus].swapped.corpus),
        lists=ancient(lambda wildcards: list(map(str, CORPORA[wildcards.corpus].swapped.lists))),
    output:
        texts=shared.CORPUS,
        table=training_targets.CORPUS_TABLE,
        sidecars=sidecars(training_targets.CORPUS_TABLE),
    wildcard_constraints:
        corpus=any_of(SWAPPED),
    params:
        contents=lambda wildcards: contents(*CORPORA[wildcards.corpus].swapped.lists),
        entry=lambda wildcards: plain(CORPORA[wildcards.corpus].swapped),
        seed=STUDY.seed,
    script:
        "../scripts/swap_corpus.py"


rule read_parallel:
    """Read the texts of one language of parallel texts."""
    input:
        lambda wildcards: str(STUDY.parallel[wildcards.parallel].texts[wildcards.language].path or "") or [],
    output:
        # texts that were read elsewhere are compared with those that are read again
        update(training_targets.PARALLEL),
    wildcard_constraints:
        parallel=any_of(STUDY.parallel),
        language=LANGUAGES_OF,
    conda:
        "../../envs/scoring.yaml"
    params:
        entry=lambda wildcards: plain(STUDY.parallel[wildcards.parallel].texts[wildcards.language]),
    script:
        "../scripts/read_parallel.py"


rule align_words:
    """Align the words of each text with those of its translation."""
    input:
        texts=[filled(training_targets.PARALLEL, language=language) for language in ("{source}", "{target}")],
        alignments=lambda wildcards: str(STUDY.parallel[wildcards.parallel].alignments or "") or [],
    output:
        training_targets.WORD_ALIGNMENTS,
    wildcard_constraints:
        parallel=any_of(STUDY.parallel),
        source=LANGUAGES_OF,
        target=LANGUAGES_OF,
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        # whether the languages are in the opposite order to the file of alignments
        is_reversed=lambda wildcards: next(iter(STUDY.parallel[wildcards.parallel].texts)) != wildcards.source,
        max_texts=lambda wildcards: STUDY.parallel[wildcards.parallel].max_texts,
        seed=STUDY.seed,
    script:
        "../scripts/align_words.py"


rule fit_rotation:
    """Fit the matrix that rotates one model's hidden states into another's space."""
    input:
        base=shared.MODEL,
        to=filled(shared.MODEL, model="{to}"),
        weights=lambda wildcards: [*weights_of(wildcards.model), *weights_of(wildcards.to)],
        base_texts=filled(training_targets.PARALLEL, language="{source}"),
        to_texts=filled(training_targets.PARALLEL, language="{target}"),
        words=training_targets.WORD_ALIGNMENTS,
    output:
        training_targets.ROTATION,
    wildcard_constraints:
        to=any_of(STUDY.models),
        parallel=any_of(STUDY.parallel),
        source=LANGUAGES_OF,
        target=LANGUAGES_OF,
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(120),
    script:
        "../scripts/fit_rotation.py"


rule train_continued:
    """Train a model further on a corpus. A checkpoint is kept until the end, so that a killed run continues."""
    input:
        base=base_record,
        weights=lambda wildcards: weights_of(STUDY.models[wildcards.model].derived.base),
        corpus=lambda wildcards: real_path(shared.CORPUS, corpus=TUNED[wildcards.model].corpus),
        rotation=lambda wildcards: ROTATIONS.get(wildcards.model, []),
    output:
        weights=weight_files(shared.DERIVED),
        record=f"{shared.DERIVED}.json",
    wildcard_constraints:
        model=any_of(TUNED),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(480),
    params:
        settings=lambda wildcards: TUNED[wildcards.model].settings,
        is_turned=lambda wildcards: wildcards.model in ALIGNED,
        training_seed=lambda wildcards: STUDY.models[wildcards.model].derived.seed,
        seed=STUDY.seed,
    script:
        "../scripts/train_continued.py"


rule project_model:
    """Remove directions from what the head of a model sees."""
    input:
        base=base_record,
        weights=lambda wildcards: weights_of(STUDY.models[wildcards.model].derived.base),
        corpus=lambda wildcards: real_path(shared.CORPUS, corpus=RECIPES[wildcards.model].corpus),
        words=ancient(lambda wildcards: str(CORPORA[RECIPES[wildcards.model].corpus].swapped.file)),
    output:
        weights=weight_files(shared.DERIVED),
        record=f"{shared.DERIVED}.json",
    wildcard_constraints:
        model=any_of(PROJECTED),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(240),
    params:
        contents=lambda wildcards: contents(CORPORA[RECIPES[wildcards.model].corpus].swapped.file),
        terms=lambda wildcards: CORPORA[RECIPES[wildcards.model].corpus].swapped.terms,
        key=lambda wildcards: RECIPES[wildcards.model].key,
        settings=lambda wildcards: RECIPES[wildcards.model].settings,
    script:
        "../scripts/project_model.py"


rule sample_continued:
    """Train a model on a sample of a corpus for some seconds, and estimate what all of its training will take."""
    input:
        unpack(timed_model),
        corpus=lambda wildcards: real_path(shared.CORPUS, corpus=TUNED[wildcards.model].corpus),
    output:
        training_targets.SAMPLE,
    wildcard_constraints:
        model=any_of(TUNED),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        settings=lambda wildcards: TUNED[wildcards.model].settings,
        recipe=lambda wildcards: TUNED[wildcards.model].recipe,
        seed=STUDY.seed,
    script:
        "../scripts/sample_continued.py"


rule sample_projection:
    """Find directions in a sample of a corpus, and estimate what finding them in all of it will take."""
    input:
        unpack(timed_model),
        corpus=lambda wildcards: real_path(shared.CORPUS, corpus=RECIPES[wildcards.model].corpus),
        words=ancient(lambda wildcards: str(CORPORA[RECIPES[wildcards.model].corpus].swapped.file)),
    output:
        training_targets.SAMPLE,
    wildcard_constraints:
        model=any_of(PROJECTED),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        contents=lambda wildcards: contents(CORPORA[RECIPES[wildcards.model].corpus].swapped.file),
        terms=lambda wildcards: CORPORA[RECIPES[wildcards.model].corpus].swapped.terms,
        key=lambda wildcards: RECIPES[wildcards.model].key,
        settings=lambda wildcards: RECIPES[wildcards.model].settings,
        recipe=lambda wildcards: RECIPES[wildcards.model].recipe,
        seed=STUDY.seed,
    script:
        "../scripts/sample_projection.py"
