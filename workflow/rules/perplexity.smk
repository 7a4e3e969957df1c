"""Pseudo-perplexity: how well a model predicts texts that it has not learned from."""

from herbarium.metrics.perplexity import targets as perplexity_targets

PERPLEXITY = perplexity_targets.targets(STUDY)
PERPLEXITY_SCORES = filled(shared.SCORES, stimuli=perplexity_targets.STIMULI)


rule instantiate_perplexity:
    """Take held-out texts of a corpus, which no model has learned from."""
    input:
        shared.CORPUS,
    output:
        filled(shared.STIMULI, stimuli=perplexity_targets.STIMULI, shard=0),
    wildcard_constraints:
        corpus=any_of(STUDY.perplexity.texts),
    params:
        max_texts=STUDY.perplexity.max_texts,
        max_words=STUDY.perplexity.max_words,
    script:
        "../scripts/instantiate_perplexity.py"


rule measure_perplexity:
    """Measure how well a model predicts held-out texts."""
    input:
        PERPLEXITY_SCORES,
    output:
        perplexity_targets.NUMBERS,
    wildcard_constraints:
        corpus=any_of(STUDY.perplexity.texts),
    group:
        "metrics"
    params:
        level=STUDY.perplexity.level,
    script:
        "../scripts/measure_perplexity.py"


rule compare_perplexity:
    """Compare pseudo-perplexity before and after a change of a model."""
    input:
        expand(PERPLEXITY_SCORES, model=sorted(STUDY.perplexity.models), allow_missing=True),
    output:
        perplexity_targets.CHANGES,
    wildcard_constraints:
        corpus=any_of(STUDY.perplexity.texts),
    params:
        compared=STUDY.compared(STUDY.perplexity.models),
        models=sorted(STUDY.perplexity.models),
        level=STUDY.perplexity.level,
        worst_ratio=STUDY.perplexity.worst_ratio,
    script:
        "../scripts/compare_perplexity.py"


rule part_perplexity:
    """Write the part of the page on pseudo-perplexity."""
    input:
        numbers=PERPLEXITY.numbers,
        models=[
            scoring_record(model, filled(perplexity_targets.STIMULI, corpus=corpus))
            for corpus in STUDY.perplexity.texts
            for model in STUDY.perplexity.models
        ],
    output:
        perplexity_targets.FILES.part,
    params:
        level=STUDY.perplexity.level,
        max_words=STUDY.perplexity.max_words,
    script:
        "../scripts/part_perplexity.py"
