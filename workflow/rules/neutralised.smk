"""Neutralised models: the scores of another model, averaged with its scores of the same sentences with gendered words swapped.

Input: results/stimuli/, the terms, results/models/{base}.json and what the base scores. Output: results/models/{model}.json and
results/models/{model}/{stimuli}.json; results/stimuli/neutralised/{model}/{stimuli}/, the sentences that have gendered words,
swapped, which the base scores like any others; results/scores/{model}/{stimuli}.parquet and results/refusals/{model}/{stimuli}.parquet.
"""

# those of metrics from elsewhere, too: this file is read after theirs
TARGETS.add(targets.swapped(STUDY, TARGETS))
TERMS_OF = {name: training_section.table_of(by.terms, by.table) for name, by in RECIPES.items() if name in NEUTRALISED}


rule record_neutralised:
    """Record which model's scores a neutralised model averages."""
    input:
        lambda wildcards: f"{STUDY.results}/models/{NEUTRALISED[wildcards.model]}.json",
    output:
        "<results>/models/{model}.json",
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
        "<results>/models/{model}/{stimuli}.json",


rule swap_stimuli:
    """Swap gendered words in a shard of stimuli."""
    input:
        stimuli="<results>/stimuli/{stimuli}/{shard}.parquet",
        words=ancient(lambda wildcards: str(TERMS_OF[wildcards.model])),
    output:
        "<results>/stimuli/neutralised/{model}/{stimuli}/{shard}.parquet",
    wildcard_constraints:
        model=any_of(NEUTRALISED),
    params:
        said=lambda wildcards: said(TERMS_OF[wildcards.model]),
    script:
        "../scripts/swap_stimuli.py"


rule neutralise_scores:
    """Average the scores of sentences and of their gender-swapped versions."""
    input:
        model=lambda wildcards: scoring_record(wildcards.model, wildcards.stimuli),
        scores=lambda wildcards: f"{STUDY.results}/scores/{NEUTRALISED[wildcards.model]}/{wildcards.stimuli}.parquet",
        swapped=lambda wildcards: (
            f"{STUDY.results}/scores/{NEUTRALISED[wildcards.model]}/"
            f"{targets.neutralised(wildcards.model, wildcards.stimuli)}.parquet"
        ),
    output:
        scores="<results>/scores/{model}/{stimuli}.parquet",
        refusals="<results>/refusals/{model}/{stimuli}.parquet",
    wildcard_constraints:
        model=any_of(NEUTRALISED),
    resources:
        # as gather_scores
        mem_mb=growing(6000),
    script:
        "../scripts/neutralise_scores.py"
