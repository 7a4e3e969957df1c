"""Neutralised models: the scores of another model, averaged with its scores of the same sentences with gendered words swapped.

The base scores the swapped sentences like any others.
"""

# those of metrics from elsewhere, too: this file is read after theirs
TARGETS.add(targets.swapped(STUDY, TARGETS))
TERMS_OF = {name: training_section.table_of(by.terms, by.table) for name, by in RECIPES.items() if name in NEUTRALISED}


rule record_neutralised:
    """Record which model's scores a neutralised model averages."""
    input:
        lambda wildcards: real_path(shared.MODEL, model=NEUTRALISED[wildcards.model]),
    output:
        shared.MODEL,
    wildcard_constraints:
        model=any_of(NEUTRALISED),
    params:
        derived=lambda wildcards: plain(STUDY.models[wildcards.model].derived),
    script:
        "../scripts/record_neutralised.py"


# as it scores some stimuli: in the number format that the base was tuned to
use rule record_neutralised as record_neutralised_scoring with:
    input:
        lambda wildcards: scoring_record(NEUTRALISED[wildcards.model], wildcards.stimuli),
    output:
        shared.SCORING_MODEL,


rule swap_stimuli:
    """Swap gendered words in a shard of stimuli."""
    input:
        stimuli=shared.STIMULI,
        words=ancient(lambda wildcards: str(TERMS_OF[wildcards.model])),
    output:
        filled(shared.STIMULI, stimuli=targets.neutralised("{model}", "{stimuli}")),
    wildcard_constraints:
        model=any_of(NEUTRALISED),
    params:
        contents=lambda wildcards: contents(TERMS_OF[wildcards.model]),
    script:
        "../scripts/swap_stimuli.py"


rule neutralise_scores:
    """Average the scores of sentences and of their gender-swapped versions."""
    input:
        model=lambda wildcards: scoring_record(wildcards.model, wildcards.stimuli),
        scores=lambda wildcards: real_path(shared.SCORES, model=NEUTRALISED[wildcards.model]),
        swapped=lambda wildcards: real_path(
            shared.SCORES, model=NEUTRALISED[wildcards.model], stimuli=targets.neutralised(**wildcards)
        ),
    output:
        scores=shared.SCORES,
        refusals=shared.REFUSALS,
    wildcard_constraints:
        model=any_of(NEUTRALISED),
    resources:
        # as gather_scores
        mem_mb=growing(6000),
    script:
        "../scripts/neutralise_scores.py"
