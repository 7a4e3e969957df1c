"""Groups: one mixed model for the scores of any metric by group, and the p-values of all mixed models adjusted together.

Input: what the targets of metrics list as `grouped` and as `fits`. Output: results/fits/groups/{model}/{data}.parquet;
results/metrics/fits.parquet, every fit with its adjusted p-value, and the same as tidy numbers; results/parts/groups.json.
"""

from herbarium.statistics import targets as fits_targets

GROUP_FITS = fits_targets.group_fits(TARGETS)
TARGETS.add(fits_targets.of_fits(TARGETS))


rule fit_groups:
    """Fit the mixed model of groups to the scores of a metric."""
    input:
        lambda wildcards: TARGETS.grouped[wildcards.model, wildcards.data].replace("<results>", STUDY.results),
    output:
        "<results>/fits/groups/{model}/{data}.parquet",
    log:
        "<logs>/fit_groups/{model}/{data}.log",
    wildcard_constraints:
        model=any_of({model for model, _ in TARGETS.grouped}),
        data=any_of({data for _, data in TARGETS.grouped}),
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(240),
    params:
        settings=STUDY.mixed_models.fitting,
        seed=STUDY.seed,
        code=code("fit_groups"),
    script:
        "../scripts/fit_groups.py"


rule adjust_fits:
    """Put the fits of all mixed models into one table, with p-values adjusted."""
    input:
        TARGETS.fits,
        GROUP_FITS,
    output:
        fits="<results>/metrics/fits.parquet",
        numbers=fits_targets.NUMBERS,
    log:
        "<logs>/adjust_fits.log",
    group:
        "report"
    conda:
        "../../envs/analysis.yaml"
    params:
        correction=STUDY.mixed_models.tests.correction,
        code=code("adjust_fits"),
    script:
        "../scripts/adjust_fits.py"


rule part_groups:
    """Write what the page says of groups, whatever metric their scores are of."""
    input:
        fits="<results>/metrics/fits.parquet",
        models=expand(
            "<results>/models/{model}.json",
            # what is measured like a model may be none of the study's
            model=sorted({model for model, _ in TARGETS.grouped} & STUDY.models.keys()),
        ),
    output:
        fits_targets.PART,
    log:
        "<logs>/part_groups.log",
    group:
        "report"
    conda:
        "../../envs/analysis.yaml"
    params:
        data=sorted({data for _, data in TARGETS.grouped}),
        told=sorted(TARGETS.told),
        settings=plain(STUDY.mixed_models),
        code=code("part_groups"),
    script:
        "../scripts/part_groups.py"
