"""Categorical Bias: the variance of log P' over ethnic targets, by language.

A *list* is a folder with templates, targets and attributes of one language; the first list of a language *leads*: it is
the primary one, in figures and on the page.
"""

from herbarium.metrics.categorical_bias import targets as categorical_bias_targets

CATEGORICAL_BIAS = categorical_bias_targets.targets(STUDY)
LANGUAGES = plain(STUDY.categorical_bias)["languages"]
CATEGORICAL_BIAS_DESIGNS = categorical_bias_targets.designs(LANGUAGES)
CATEGORICAL_BIAS_LEADING = categorical_bias_targets.leading_designs(LANGUAGES)
categorical_bias_designs = lambda wildcards: real_paths(
    categorical_bias_targets.DESIGN, name=LANGUAGES[wildcards.language]["lists"]
)


rule design_categorical_bias:
    """Write what all other rules need of a list: its templates, targets and attributes."""
    input:
        lists=ancient(lambda wildcards: list_tables(LANGUAGES[wildcards.language]["lists"][wildcards.name])),
    output:
        categorical_bias_targets.DESIGN,
    wildcard_constraints:
        language=any_of(LANGUAGES),
    group:
        "stimuli"
    params:
        folder=lambda wildcards: LANGUAGES[wildcards.language]["lists"][wildcards.name],
        contents=lambda wildcards: contents(*list_tables(LANGUAGES[wildcards.language]["lists"][wildcards.name])),
    script:
        "../scripts/design_categorical_bias.py"


rule instantiate_categorical_bias:
    """Put every target and attribute into the templates of a language's lists."""
    input:
        designs=categorical_bias_designs,
    output:
        filled(shared.STIMULI, stimuli=categorical_bias_targets.STIMULI, shard=0),
    wildcard_constraints:
        language=any_of(LANGUAGES),
    group:
        "stimuli"
    script:
        "../scripts/instantiate_categorical_bias.py"


rule check_categorical_bias:
    """List what is odd about the word lists of Categorical Bias."""
    input:
        designs=CATEGORICAL_BIAS_DESIGNS,
    output:
        **written("categorical_bias", **categorical_bias_targets.REMARKS),
    group:
        "report"
    script:
        "../scripts/check_categorical_bias.py"


rule plant_categorical_bias:
    """Write the text on ethnic targets that a model with a planted bias learns."""
    input:
        designs=lambda wildcards: [*map(real_path, categorical_bias_targets.learned(wildcards.model, LANGUAGES))],
    output:
        categorical_bias_targets.FILES.planted,
    group:
        "stimuli"
    params:
        strength=lambda wildcards: STUDY.strengths_in("categorical_bias")[wildcards.model],
        seed=STUDY.seed,
    script:
        "../scripts/plant_categorical_bias.py"


rule cut_categorical_bias:
    """Split the attributes of a language's lists into a model's sub-tokens."""
    input:
        model=shared.MODEL,
        weights=weights,
        designs=categorical_bias_designs,
        stimuli=filled(shared.STIMULI, stimuli=categorical_bias_targets.STIMULI, shard=0),
    output:
        categorical_bias_targets.TOKENS,
    wildcard_constraints:
        language=any_of(LANGUAGES),
    group:
        "metrics"
    conda:
        "../../envs/scoring.yaml"
    script:
        "../scripts/cut_categorical_bias.py"


rule assemble_categorical_bias:
    """Lay out log P' by template, attribute and target."""
    input:
        stimuli=filled(shared.STIMULI, stimuli=categorical_bias_targets.STIMULI, shard=0),
        scores=filled(shared.SCORES, stimuli=categorical_bias_targets.STIMULI),
    output:
        categorical_bias_targets.ASSOCIATIONS,
    wildcard_constraints:
        language=any_of(LANGUAGES),
    group:
        "metrics"
    script:
        "../scripts/assemble_categorical_bias.py"


rule measure_categorical_bias:
    """Measure the Categorical Bias of a model in a language, with intervals and a test against chance."""
    input:
        associations=categorical_bias_targets.ASSOCIATIONS,
        tokens=categorical_bias_targets.TOKENS,
        designs=categorical_bias_designs,
    output:
        numbers=categorical_bias_targets.NUMBERS,
        values=categorical_bias_targets.ITEMS,
    wildcard_constraints:
        language=any_of(LANGUAGES),
    group:
        "metrics"
    params:
        ddof=STUDY.categorical_bias.ddof,
        level=STUDY.categorical_bias.level,
        tests=plain(STUDY.categorical_bias.tests),
        seed=STUDY.seed,
    script:
        "../scripts/measure_categorical_bias.py"


rule describe_categorical_bias:
    """Write Categorical Bias of whole models, for metrics that compare it with something else."""
    input:
        numbers=categorical_bias_targets.files(categorical_bias_targets.NUMBERS, LANGUAGES),
    output:
        categorical_bias_targets.MEASURES_OF_MODELS,
    params:
        leading=STUDY.categorical_bias.leading,
    script:
        "../scripts/describe_categorical_bias.py"


rule compare_categorical_bias:
    """Compare the Categorical Bias of models, languages and lists, paired over the words that both have."""
    input:
        associations=categorical_bias_targets.files(categorical_bias_targets.ASSOCIATIONS, LANGUAGES),
        tokens=categorical_bias_targets.files(categorical_bias_targets.TOKENS, LANGUAGES),
        numbers=categorical_bias_targets.files(categorical_bias_targets.NUMBERS, LANGUAGES),
        designs=CATEGORICAL_BIAS_DESIGNS,
    output:
        differences=categorical_bias_targets.DIFFERENCES,
        changes=CATEGORICAL_BIAS.changes,
    params:
        compared=STUDY.compared(STUDY.categorical_bias.models),
        languages=LANGUAGES,
        ddof=STUDY.categorical_bias.ddof,
        level=STUDY.categorical_bias.level,
        correction=STUDY.categorical_bias.tests.correction,
    script:
        "../scripts/compare_categorical_bias.py"


rule measure_categorical_bias_divergences:
    """Measure how far apart distributions over targets are: of two languages, and before and after a change of a model."""
    input:
        associations=categorical_bias_targets.files(categorical_bias_targets.ASSOCIATIONS, LANGUAGES),
        designs=CATEGORICAL_BIAS_LEADING,
    output:
        categorical_bias_targets.DIVERGENCES,
    resources:
        runtime=growing(60),
    params:
        changed=categorical_bias_targets.changed(STUDY),
        languages=LANGUAGES,
        level=STUDY.categorical_bias.level,
    script:
        "../scripts/measure_categorical_bias_divergences.py"


rule draw_categorical_bias:
    """Plot the figures of Categorical Bias."""
    input:
        numbers=categorical_bias_targets.files(categorical_bias_targets.NUMBERS, LANGUAGES),
        associations=categorical_bias_targets.files(categorical_bias_targets.ASSOCIATIONS, LANGUAGES),
        models=expand(shared.MODEL, model=STUDY.categorical_bias.models),
        designs=CATEGORICAL_BIAS_LEADING,
    output:
        **drawn("categorical_bias", **categorical_bias_targets.FIGURES),
    params:
        languages=LANGUAGES,
        shown=STUDY.categorical_bias.shown,
        compared=STUDY.compared(STUDY.categorical_bias.models),
        order=ORDER,
    script:
        "../scripts/draw_categorical_bias.py"


rule table_categorical_bias:
    """Lay out Categorical Bias as tables, and compare it with what was published and what was planted."""
    input:
        numbers=CATEGORICAL_BIAS.numbers,
        associations=categorical_bias_targets.files(categorical_bias_targets.ASSOCIATIONS, LANGUAGES),
        tokens=categorical_bias_targets.files(categorical_bias_targets.TOKENS, LANGUAGES),
        designs=CATEGORICAL_BIAS_LEADING,
        published=ancient(ours("resources/categorical_bias/published.csv")),
    output:
        **written("categorical_bias", **categorical_bias_targets.TABLES),
        published=categorical_bias_targets.FILES.published,
        calibration=CATEGORICAL_BIAS.calibration,
    params:
        languages=LANGUAGES,
        planted={model: STUDY.strengths_in("categorical_bias")[model] for model in STUDY.categorical_bias.models},
        treated=[treated._asdict() for treated in STUDY.treated],
        ddof=STUDY.categorical_bias.ddof,
        seed=STUDY.seed,
        others=compared(categorical_bias_targets.original_data),
        contents=contents(ours("resources/categorical_bias/published.csv")),
    script:
        "../scripts/table_categorical_bias.py"


rule part_categorical_bias:
    """Write the part of the page on Categorical Bias."""
    input:
        numbers=CATEGORICAL_BIAS.numbers,
        models=expand(shared.MODEL, model=STUDY.categorical_bias.models),
        figures=figure_files(*CATEGORICAL_BIAS.figures),
        remarks=categorical_bias_targets.FILES.table("lists"),
    output:
        categorical_bias_targets.FILES.part,
    params:
        section=plain(STUDY.categorical_bias),
    script:
        "../scripts/part_categorical_bias.py"
