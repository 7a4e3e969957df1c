"""Counterfactual sentences: how much scores change when gendered words are swapped, in all sentences that other metrics have models score.

The models score the swapped sentences like any others.
"""

from herbarium.metrics.counterfactual import targets as counterfactual_targets

# those of metrics from elsewhere, too: this file is read after theirs
COUNTERFACTUAL_MEASURED = counterfactual_targets.measured(STUDY, TARGETS)
with told_plainly():
    COUNTERFACTUAL = counterfactual_targets.targets(STUDY, TARGETS)
    if not LEFT_OUT:  # which may have had all that is swapped
        counterfactual_targets.require_sentences(STUDY, TARGETS)
        targets.require_effect({"counterfactual": targets.ignored(STUDY, "counterfactual", COUNTERFACTUAL)})
COUNTERFACTUAL_STIMULI = list(dict.fromkeys(stimuli for _, stimuli in COUNTERFACTUAL_MEASURED))
COUNTERFACTUAL_WORDS = str(STUDY.counterfactual.words)
TARGETS.add(COUNTERFACTUAL)


# as for a neutralised model, but the same for all
use rule swap_stimuli as swap_counterfactual with:
    input:
        stimuli=shared.STIMULI,
        words=ancient(COUNTERFACTUAL_WORDS),
    output:
        filled(shared.STIMULI, stimuli=counterfactual_targets.STIMULI),
    wildcard_constraints:
        stimuli=any_of(COUNTERFACTUAL_STIMULI),
    params:
        contents=contents(COUNTERFACTUAL_WORDS),


rule pair_counterfactual:
    """Pair each sentence with its gender-swapped version, each pair once."""
    input:
        stimuli=lambda wildcards: real_paths(shared.STIMULI, shard=range(TARGETS.shards[wildcards.stimuli])),
        words=ancient(COUNTERFACTUAL_WORDS),
    output:
        counterfactual_targets.PAIRS,
    wildcard_constraints:
        stimuli=any_of(COUNTERFACTUAL_STIMULI),
    group:
        "metrics"
    params:
        contents=contents(COUNTERFACTUAL_WORDS),
    script:
        "../scripts/pair_counterfactual.py"


rule measure_counterfactual:
    """Measure how much swapping gendered words changes the scores of sentences."""
    input:
        pairs=counterfactual_targets.PAIRS,
        scores=shared.SCORES,
        swapped=filled(shared.SCORES, stimuli=counterfactual_targets.STIMULI),
    output:
        numbers=counterfactual_targets.NUMBERS,
        changes=counterfactual_targets.OBSERVATIONS,
    wildcard_constraints:
        stimuli=any_of(COUNTERFACTUAL_STIMULI),
    group:
        "metrics"
    params:
        level=STUDY.counterfactual.level,
    script:
        "../scripts/measure_counterfactual.py"


rule compare_counterfactual:
    """Compare the effect of gender swaps on scores before and after a change of a model."""
    input:
        lambda wildcards: [
            real_path(counterfactual_targets.OBSERVATIONS, model=model)
            for model, stimuli in sorted(COUNTERFACTUAL_MEASURED)
            if stimuli == wildcards.stimuli
        ],
    output:
        counterfactual_targets.CHANGES,
    wildcard_constraints:
        stimuli=any_of(COUNTERFACTUAL_STIMULI),
    params:
        models=lambda wildcards: sorted(model for model, of in COUNTERFACTUAL_MEASURED if of == wildcards.stimuli),
        compared=lambda wildcards: STUDY.compared(
            [model for model, of in COUNTERFACTUAL_MEASURED if of == wildcards.stimuli]
        ),
        level=STUDY.counterfactual.level,
    script:
        "../scripts/compare_counterfactual.py"


rule table_counterfactual:
    """Lay out how swapping gendered words changes scores, as tables."""
    input:
        numbers=COUNTERFACTUAL.numbers,
        changes=[
            filled(counterfactual_targets.OBSERVATIONS, model=model, stimuli=stimuli)
            for model, stimuli in COUNTERFACTUAL_MEASURED
        ],
    output:
        **written("counterfactual", **counterfactual_targets.TABLES),
    params:
        measured=COUNTERFACTUAL_MEASURED,
    script:
        "../scripts/table_counterfactual.py"


rule part_counterfactual:
    """Write the part of the page on counterfactual sentences."""
    input:
        numbers=COUNTERFACTUAL.numbers,
        models=[scoring_record(*place) for place in COUNTERFACTUAL_MEASURED],
    output:
        counterfactual_targets.FILES.part,
    params:
        level=STUDY.counterfactual.level,
    script:
        "../scripts/part_counterfactual.py"


rule counterfactual:
    """Measure how much swapping gendered words changes scores: numbers and tables."""
    input:
        COUNTERFACTUAL.numbers,
        COUNTERFACTUAL.tables,
