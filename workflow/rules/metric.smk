"""Declared metrics: the way from sentences to the page, written once by the wildcard `metric`. What a step calls, reads and
is told follows from the declaration, `workflow/scripts/herbarium/metrics/{metric}/metric.py`.

A metric that declares no function for a step makes it by rules of its own (workflow/rules/{metric}.smk), or not at all.
"""

from herbarium.core import steps


rule instantiate:
    """Write the sentences of one shard."""
    input:
        unpack(read_by("instantiate")),
    output:
        steps.SENTENCES,
    wildcard_constraints:
        **made_by("instantiate", "name"),
    group:
        "stimuli"
    conda:
        "../../envs/scoring.yaml"
    params:
        **told_to("instantiate"),
    script:
        "../scripts/take_step.py"


rule measure:
    """Measure a model."""
    input:
        unpack(read_by("measure")),
    output:
        observations=steps.OBSERVATIONS,
        numbers=steps.NUMBERS,
    wildcard_constraints:
        **made_by("measure", "name", has_items=False),
    group:
        "metrics"
    params:
        **told_to("measure"),
    script:
        "../scripts/take_step.py"


use rule measure as measure_with_items with:
    output:
        observations=steps.OBSERVATIONS,
        numbers=steps.NUMBERS,
        of_items=steps.ITEMS,
    wildcard_constraints:
        **made_by("measure", "name", has_items=True),


rule compare:
    """Compare a model before and after a change."""
    input:
        unpack(read_by("compare")),
    output:
        steps.CHANGES,
    wildcard_constraints:
        **made_by("compare", "name"),
    params:
        **told_to("compare"),
    script:
        "../scripts/take_step.py"


rule calibrate:
    """Compare planted models with perfect models of the text that they learned."""
    input:
        unpack(read_by("calibrate")),
    output:
        steps.CALIBRATION,
    wildcard_constraints:
        **made_by("calibrate"),
    group:
        "report"
    params:
        **told_to("calibrate"),
    script:
        "../scripts/take_step.py"


rule table:
    """Lay out a table to read."""
    input:
        unpack(read_by("table")),
    output:
        csv=report(*table_files("{metric}_{table}"), **listed("Tables", "table")),
        sidecar=sidecars(*table_files("{metric}_{table}")),
    wildcard_constraints:
        **made_by("table", "table"),
    params:
        **told_to("table"),
    script:
        "../scripts/table.py"


rule draw:
    """Draw a figure."""
    input:
        numbers=lambda wildcards: list(map(real_path, metric_of(wildcards).targets(STUDY).numbers)),
        models=lambda wildcards: real_paths(shared.MODEL, model=metric_of(wildcards).models(STUDY)),
    output:
        report(figure_files("{metric}_{figure}")[0], **listed("Figures", "figure")),
        figure_files("{metric}_{figure}")[1:],
    wildcard_constraints:
        **made_by("draw", "figure"),
    params:
        does=lambda wildcards: metric_of(wildcards).does("draw", wildcards),
        order=ORDER,
    script:
        "../scripts/draw.py"


rule part:
    """Write the part of the page."""
    input:
        numbers=lambda wildcards: list(map(real_path, metric_of(wildcards).targets(STUDY).numbers)),
        models=lambda wildcards: records_of(metric_of(wildcards)),
        figures=lambda wildcards: [
            real_path(file) for file in figure_files(*metric_of(wildcards).targets(STUDY).figures)
        ],
    output:
        steps.PART,
    wildcard_constraints:
        **made_by("part"),
    params:
        does=lambda wildcards: metric_of(wildcards).does("part", wildcards),
        settings=lambda wildcards: metric_of(wildcards).settings(STUDY, "part", wildcards),
    script:
        "../scripts/part.py"


rule plant:
    """Write the text that a planted model learns."""
    input:
        unpack(read_by("plant")),
    output:
        steps.TEXT,
    wildcard_constraints:
        **made_by("plant"),
    group:
        "stimuli"
    params:
        **told_to("plant"),
    script:
        "../scripts/take_step.py"
