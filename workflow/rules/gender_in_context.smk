"""Gender in context: how the gender of a sentence changes the vectors of its other words."""

from herbarium.metrics.gender_in_context import targets as gender_in_context_targets

with told_plainly():
    GENDER_IN_CONTEXT = gender_in_context_targets.targets(STUDY)
GENDER_IN_CONTEXT_MEASURED = STUDY.gender_in_context.measured
GENDER_IN_CONTEXT_MODELS = {source: MODEL_OF[source] for source, _ in GENDER_IN_CONTEXT_MEASURED}


rule design_gender_in_context:
    """Read the stereotypes of occupations."""
    input:
        lists=ancient(str(STUDY.gender_in_context.occupations)),
    output:
        gender_in_context_targets.OCCUPATIONS,
    group:
        "stimuli"
    params:
        contents=contents(STUDY.gender_in_context.occupations),
    script:
        "../scripts/design_gender_in_context.py"


rule instantiate_gender_in_context:
    """List the words in pairs of sentences whose vectors are needed."""
    input:
        sentences=lambda wildcards: real_path(gender_in_context_targets.sentences_of(STUDY, wildcards.name)),
        lists=ancient(lambda wildcards: str(STUDY.gender_in_context.sets[wildcards.name].neutral)),
        words=ancient(str(STUDY.gender_in_context.terms)),
        occupations=gender_in_context_targets.OCCUPATIONS,
    output:
        words=filled(shared.WORDS, words=gender_in_context_targets.WORDS),
        design=gender_in_context_targets.DESIGN,
    wildcard_constraints:
        name=any_of(STUDY.gender_in_context.sets),
    group:
        "stimuli"
    params:
        contents=lambda wildcards: contents(
            STUDY.gender_in_context.sets[wildcards.name].neutral, STUDY.gender_in_context.terms
        ),
        is_corpus=lambda wildcards: STUDY.gender_in_context.sets[wildcards.name].corpus is not None,
        word=lambda wildcards: STUDY.gender_in_context.sets[wildcards.name].word,
        stereotype=lambda wildcards: STUDY.gender_in_context.sets[wildcards.name].stereotype,
        sides=lambda wildcards: gender_in_context_targets.sides_of(STUDY, wildcards.name),
    script:
        "../scripts/instantiate_gender_in_context.py"


rule measure_gender_in_context:
    """Measure how the gender of a sentence changes the vectors of its words, layer by layer."""
    input:
        design=gender_in_context_targets.DESIGN,
        vectors=filled(shared.VECTORS, words=gender_in_context_targets.WORDS),
        model=lambda wildcards: real_path(shared.MODEL, model=GENDER_IN_CONTEXT_MODELS[wildcards.source]),
    output:
        numbers=gender_in_context_targets.NUMBERS,
        curves=gender_in_context_targets.CURVES,
        accuracies=gender_in_context_targets.ACCURACIES,
        places=gender_in_context_targets.PLACES,
        products=gender_in_context_targets.PRODUCTS,
        of_items=gender_in_context_targets.ITEMS,
    wildcard_constraints:
        source=any_of(GENDER_IN_CONTEXT_MODELS),
        name=any_of(STUDY.gender_in_context.sets),
    group:
        "metrics"
    resources:
        runtime=growing(240),
    params:
        settings=dict(
            nu=STUDY.gender_in_context.nu,
            folds=STUDY.gender_in_context.folds,
            max_pairs=STUDY.gender_in_context.max_pairs,
            level=STUDY.gender_in_context.level,
            correction=STUDY.gender_in_context.correction,
            seed=STUDY.seed,
        ),
        sides=lambda wildcards: gender_in_context_targets.sides_of(STUDY, wildcards.name),
    script:
        "../scripts/measure_gender_in_context.py"


rule compare_gender_in_context:
    """Compare gender in context before and after a change of a source of vectors."""
    input:
        numbers=lambda wildcards: real_paths(
            gender_in_context_targets.NUMBERS, source=STUDY.gender_in_context.sets[wildcards.name].vectors
        ),
        products=lambda wildcards: real_paths(
            gender_in_context_targets.PRODUCTS, source=STUDY.gender_in_context.sets[wildcards.name].vectors
        ),
    output:
        gender_in_context_targets.CHANGES,
    wildcard_constraints:
        name=any_of(STUDY.gender_in_context.sets),
    params:
        compared=lambda wildcards: STUDY.compared_sources(STUDY.gender_in_context.sets[wildcards.name].vectors),
        sources=lambda wildcards: STUDY.gender_in_context.sets[wildcards.name].vectors,
        sides=lambda wildcards: gender_in_context_targets.sides_of(STUDY, wildcards.name),
    script:
        "../scripts/compare_gender_in_context.py"


rule count_gender_in_context:
    """Count gendered pronouns in corpora, and occupations that occur with them."""
    input:
        corpora=expand(shared.CORPUS, corpus=STUDY.gender_in_context.corpora),
        occupations=gender_in_context_targets.OCCUPATIONS,
    output:
        **written("gender_in_context", **gender_in_context_targets.COUNTS),
    group:
        "report"
    params:
        corpora=STUDY.gender_in_context.corpora,
    script:
        "../scripts/count_gender_in_context.py"


rule reproduce_gender_in_context:
    """Compare published counts and accuracies with ours. They are in Section 3.2.2 of the thesis."""
    input:
        numbers=GENDER_IN_CONTEXT.numbers,
        counts=gender_in_context_targets.FILES.tables(
            gender_in_context_targets.COUNTS if STUDY.gender_in_context.corpora else []
        ),
        published=ancient(ours("resources/gender_in_context/published.csv")),
    output:
        gender_in_context_targets.FILES.published,
    group:
        "report"
    params:
        sides={name: gender_in_context_targets.sides_of(STUDY, name) for name in STUDY.gender_in_context.sets},
        contents=contents(ours("resources/gender_in_context/published.csv")),
    script:
        "../scripts/reproduce_gender_in_context.py"


rule table_gender_in_context:
    """Lay out gender in context as tables, and compare it with what is planted."""
    input:
        numbers=GENDER_IN_CONTEXT.numbers,
        accuracies=gender_in_context_targets.files(gender_in_context_targets.ACCURACIES, STUDY),
        places=gender_in_context_targets.files(gender_in_context_targets.PLACES, STUDY),
    output:
        **written("gender_in_context", **gender_in_context_targets.TABLES),
        calibration=GENDER_IN_CONTEXT.calibration,
    params:
        planted=gender_in_context_targets.planted(STUDY),
    script:
        "../scripts/table_gender_in_context.py"


rule draw_gender_in_context:
    """Plot gender in context layer by layer, and the shares of principal directions."""
    input:
        numbers=GENDER_IN_CONTEXT.numbers,
        curves=gender_in_context_targets.files(gender_in_context_targets.CURVES, STUDY),
    output:
        **drawn("gender_in_context", **gender_in_context_targets.FIGURES),
    params:
        order=ORDER,
    script:
        "../scripts/draw_gender_in_context.py"


rule part_gender_in_context:
    """Write the part of the page on gender in context."""
    input:
        numbers=GENDER_IN_CONTEXT.numbers,
        models=expand(shared.MODEL, model=sorted(set(GENDER_IN_CONTEXT_MODELS.values()))),
        figures=figure_files(*GENDER_IN_CONTEXT.figures),
    output:
        gender_in_context_targets.FILES.part,
    params:
        model_of=GENDER_IN_CONTEXT_MODELS,
        level=STUDY.gender_in_context.level,
        correction=STUDY.gender_in_context.correction,
    script:
        "../scripts/part_gender_in_context.py"
