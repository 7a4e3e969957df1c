"""What metrics have in common: the p-values of all mixed models adjusted together, and groups of any metric."""

TARGETS.add(statistics_targets.of_all(TARGETS))


rule adjust_fits:
    """Put the fits of all mixed models into one table, with adjusted p-values."""
    input:
        TARGETS.fits,
    output:
        fits=statistics_targets.FITS,
        numbers=statistics_targets.OF_FITS,
    group:
        "report"
    params:
        correction=STUDY.mixed_models.tests.correction,
    script:
        "../scripts/adjust_fits.py"


rule measure_groups:
    """Measure how much the profiles of groups differ, for every model and metric with groups."""
    input:
        TARGETS.grouped.values(),
    output:
        statistics_targets.GROUPS,
    group:
        "report"
    resources:
        mem_mb=growing(8000),
    params:
        measured=list(TARGETS.grouped),
        settings=plain(STUDY.mixed_models),
    script:
        "../scripts/measure_groups.py"


rule part_groups:
    """Write the part of the page on groups, for all metrics."""
    input:
        numbers=statistics_targets.GROUPS,
        models=expand(
            shared.MODEL,
            # what is measured like a model may not be one of the study's
            model=sorted({model for model, _ in TARGETS.grouped} & STUDY.models.keys()),
        ),
    output:
        statistics_targets.FILES.part,
    params:
        settings=plain(STUDY.mixed_models),
    script:
        "../scripts/part_groups.py"
