"""CrowS-Pairs (Nangia et al. 2020): how often the more stereotypical of two sentences is preferred, and a mixed model fitted to it."""

from herbarium.metrics.crows_pairs import targets as crows_pairs_targets

CROWS_PAIRS = crows_pairs_targets.targets(STUDY)
CROWS_PAIRS_TABLE = [str(STUDY.crows_pairs.table)] if STUDY.crows_pairs.table else []
CROWS_PAIRS_REMARKS = [str(STUDY.crows_pairs.remarks)] if STUDY.crows_pairs.remarks else []
CROWS_PAIRS_FITS = [statistics_targets.FITS] if CROWS_PAIRS.fits else []


rule instantiate_crows_pairs:
    """Lay out the sentences of CrowS-Pairs, pair by pair."""
    input:
        lists=ancient(CROWS_PAIRS_TABLE),
        remarks=ancient(CROWS_PAIRS_REMARKS),
    output:
        filled(shared.STIMULI, stimuli=crows_pairs_targets.STIMULI, shard=0),
    group:
        "stimuli"
    params:
        contents=contents(*CROWS_PAIRS_TABLE, *CROWS_PAIRS_REMARKS),
    script:
        "../scripts/instantiate_crows_pairs.py"


rule measure_crows_pairs:
    """Count how often the more stereotypical sentence of a pair has the higher score."""
    input:
        stimuli=filled(shared.STIMULI, stimuli=crows_pairs_targets.STIMULI, shard=0),
        scores=filled(shared.SCORES, stimuli=crows_pairs_targets.STIMULI),
    output:
        observations=crows_pairs_targets.OBSERVATIONS,
        numbers=crows_pairs_targets.NUMBERS,
        of_items=crows_pairs_targets.ITEMS,
    group:
        "metrics"
    params:
        level=STUDY.mixed_models.bootstrap.level,
        seed=STUDY.seed,
    script:
        "../scripts/measure_crows_pairs.py"


rule fit_crows_pairs:
    """Fit the mixed model to the pairs of each bias type with lme4, with intervals for R²."""
    input:
        crows_pairs_targets.OBSERVATIONS,
    output:
        crows_pairs_targets.FITS,
    resources:
        runtime=growing(120),
    params:
        settings=STUDY.mixed_models.fitting,
        seed=STUDY.seed,
    script:
        "../scripts/fit_crows_pairs.py"


rule compare_crows_pairs:
    """Compare the share of preferred stereotypical sentences before and after a change of a model."""
    input:
        observations=expand(crows_pairs_targets.OBSERVATIONS, model=sorted(STUDY.crows_pairs.models)),
        numbers=sorted(CROWS_PAIRS.numbers),
    output:
        crows_pairs_targets.CHANGES,
    params:
        compared=STUDY.compared(STUDY.crows_pairs.models),
        models=sorted(STUDY.crows_pairs.models),
    script:
        "../scripts/compare_crows_pairs.py"


rule table_crows_pairs:
    """Compare CrowS-Pairs as published with our numbers."""
    input:
        numbers=CROWS_PAIRS.numbers,
        fits=CROWS_PAIRS_FITS,
        published=ancient(ours("resources/crows_pairs/published.csv")),
    output:
        **written("crows_pairs", **crows_pairs_targets.TABLES),
        beside=crows_pairs_targets.FILES.published,
    params:
        others=compared(crows_pairs_targets.original_data),
        contents=contents(ours("resources/crows_pairs/published.csv")),
    script:
        "../scripts/table_crows_pairs.py"


rule part_crows_pairs:
    """Write the part of the page on CrowS-Pairs."""
    input:
        numbers=CROWS_PAIRS.numbers,
        fits=CROWS_PAIRS_FITS,
        models=[scoring_record(model, crows_pairs_targets.STIMULI) for model in STUDY.crows_pairs.models],
        published=ancient(ours("resources/crows_pairs/published.csv")),
    output:
        crows_pairs_targets.FILES.part,
    params:
        settings=plain(STUDY.mixed_models),
        others=compared(crows_pairs_targets.original_data),
        contents=contents(ours("resources/crows_pairs/published.csv")),
    script:
        "../scripts/part_crows_pairs.py"
