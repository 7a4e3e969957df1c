"""Metrics from outside the clone that declare themselves: the figure and the part of each, made from its numbers."""

CARDS = {card.metric: card for card in TARGETS.cards}
DECLARED_FIGURE = figure_files(*Files("{metric}").figures(["numbers"]))
DECLARED_PART = Files("{metric}").part
# Those for which no rule of their own makes it.
UNDRAWN, UNTOLD = (
    [metric for metric in CARDS if not internals.is_made(workflow, real_path(file, metric=metric))]
    for file in (DECLARED_FIGURE[0], DECLARED_PART)
)


rule draw_declared:
    """Draw all numbers of a metric that declares itself."""
    input:
        numbers=lambda wildcards: list(map(real_path, CARDS[wildcards.metric].numbers)),
        models=lambda wildcards: list(map(real_path, CARDS[wildcards.metric].models)),
    output:
        **drawn("{metric}", numbers="All numbers, by model"),
    wildcard_constraints:
        metric=any_of(UNDRAWN),
    params:
        card=lambda wildcards: CARDS[wildcards.metric].words(),
        order=ORDER,
    script:
        "../scripts/draw_declared.py"


rule part_declared:
    """Write the part of the page on a metric that declares itself."""
    input:
        numbers=lambda wildcards: list(map(real_path, CARDS[wildcards.metric].numbers)),
        models=lambda wildcards: list(map(real_path, CARDS[wildcards.metric].models)),
        figure=DECLARED_FIGURE,
    output:
        DECLARED_PART,
    wildcard_constraints:
        metric=any_of(UNTOLD),
    params:
        card=lambda wildcards: CARDS[wildcards.metric].words(),
    script:
        "../scripts/part_declared.py"
