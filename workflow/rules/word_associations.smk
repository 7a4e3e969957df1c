"""Word associations: what word vectors encode about gender. SemBias, projections on the gender direction, WEAT, SEAT, RND and RNSB; similarity and analogies."""

from herbarium.metrics.word_associations import targets as word_associations_targets

WORD_ASSOCIATIONS = word_associations_targets.targets(STUDY)
WORD_ASSOCIATIONS_SOURCES = STUDY.word_associations.sources if WORD_ASSOCIATIONS.numbers else []
WORD_ASSOCIATIONS_WORDS = filled(word_associations_targets.TABLE, name=word_associations_targets.WORDS)
WORD_ASSOCIATIONS_TESTS = {
    word_associations_targets.table_of(test): test for test, _ in STUDY.word_associations.in_sentences
}
WORD_ASSOCIATIONS_PROJECTIONS = expand(word_associations_targets.PROJECTIONS, source=WORD_ASSOCIATIONS_SOURCES)
WORD_ASSOCIATIONS_VECTORS = [
    filled(shared.VECTORS, source=source, words=WORD_ASSOCIATIONS_WORDS) for source in WORD_ASSOCIATIONS_SOURCES
]
# the source among whose whole vocabulary a source answers analogies, if there is one
WORD_ASSOCIATIONS_VOCABULARIES = word_associations_targets.vocabularies(STUDY)


rule design_word_associations:
    """Read the lists of words, pairs and tests."""
    input:
        lists=ancient(STUDY.word_associations.files),
    output:
        word_associations_targets.DESIGN,
    group:
        "stimuli"
    params:
        entry=STUDY.word_associations.entry,
        contents=contents(*STUDY.word_associations.files),
    script:
        "../scripts/design_word_associations.py"


rule instantiate_word_associations:
    """List the words, or put those of a test into its sentences."""
    input:
        word_associations_targets.DESIGN,
    output:
        filled(shared.WORDS, words=word_associations_targets.TABLE),
    wildcard_constraints:
        name=any_of([word_associations_targets.WORDS, *WORD_ASSOCIATIONS_TESTS]),
    group:
        "stimuli"
    params:
        test=lambda wildcards: WORD_ASSOCIATIONS_TESTS.get(wildcards.name, ""),
    script:
        "../scripts/instantiate_word_associations.py"


rule answer_word_associations:
    """Answer analogies among all words of a source of vectors."""
    input:
        design=word_associations_targets.DESIGN,
        words=filled(shared.WORDS, words=WORD_ASSOCIATIONS_WORDS),
        vectors=filled(shared.VECTORS, words=WORD_ASSOCIATIONS_WORDS),
        file=lambda wildcards: FILE_OF.get(WORD_ASSOCIATIONS_VOCABULARIES[wildcards.source], []),
        trained=lambda wildcards: LEARNED.get(WORD_ASSOCIATIONS_VOCABULARIES[wildcards.source], []),
        pairs=lambda wildcards: (
            real_path(shared.WORDS, words=vectors_targets.DEBIASED) if wildcards.source in DEBIASED else []
        ),
        gendered=lambda wildcards: (
            real_path(shared.VECTORS, source=debiased.source, words=vectors_targets.DEBIASED)
            if (debiased := DEBIASED.get(wildcards.source))
            else []
        ),
    output:
        word_associations_targets.ANALOGIES,
    wildcard_constraints:
        source=any_of(WORD_ASSOCIATIONS_VOCABULARIES),
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        source=lambda wildcards: STUDY.vectors[WORD_ASSOCIATIONS_VOCABULARIES[wildcards.source]].entry,
        direction=lambda wildcards: debiased.direction if (debiased := DEBIASED.get(wildcards.source)) else "",
    script:
        "../scripts/answer_word_associations.py"


rule measure_word_associations:
    """Measure what a source of vectors encodes about gender."""
    input:
        design=word_associations_targets.DESIGN,
        words=filled(shared.WORDS, words=WORD_ASSOCIATIONS_WORDS),
        vectors=filled(shared.VECTORS, words=WORD_ASSOCIATIONS_WORDS),
        in_sentences=lambda wildcards: [
            real_path(shared.VECTORS, words=filled(word_associations_targets.TABLE, name=table))
            for table in word_associations_targets.in_sentences(STUDY, wildcards.source).values()
        ],
        among_all=lambda wildcards: (
            real_path(word_associations_targets.ANALOGIES)
            if wildcards.source in WORD_ASSOCIATIONS_VOCABULARIES
            else []
        ),
    output:
        numbers=word_associations_targets.NUMBERS,
        projections=word_associations_targets.PROJECTIONS,
        of_items=word_associations_targets.ITEMS,
    wildcard_constraints:
        source=any_of(WORD_ASSOCIATIONS_SOURCES),
    group:
        "metrics"
    params:
        tests=lambda wildcards: [
            test for test in STUDY.word_associations.tests if wildcards.source in STUDY.word_associations.of_test(test)
        ],
        in_sentences=lambda wildcards: list(word_associations_targets.in_sentences(STUDY, wildcards.source)),
        level=STUDY.word_associations.level,
        correction=STUDY.word_associations.correction,
        seed=STUDY.seed,
    script:
        "../scripts/measure_word_associations.py"


rule compare_word_associations:
    """Compare word associations before and after a change of a source of vectors."""
    input:
        design=word_associations_targets.DESIGN,
        numbers=WORD_ASSOCIATIONS.numbers,
        words=filled(shared.WORDS, words=WORD_ASSOCIATIONS_WORDS),
        vectors=WORD_ASSOCIATIONS_VECTORS,
    output:
        word_associations_targets.CHANGES,
    params:
        compared=STUDY.compared_sources(WORD_ASSOCIATIONS_SOURCES),
        sources=WORD_ASSOCIATIONS_SOURCES,
    script:
        "../scripts/compare_word_associations.py"


rule table_word_associations:
    """Lay out word associations as tables, with published figures and those of planted sources."""
    input:
        design=word_associations_targets.DESIGN,
        numbers=WORD_ASSOCIATIONS.numbers,
        projections=WORD_ASSOCIATIONS_PROJECTIONS,
        words=filled(shared.WORDS, words=WORD_ASSOCIATIONS_WORDS),
        vectors=WORD_ASSOCIATIONS_VECTORS,
        published=ancient(ours("resources/word_associations/published.csv")),
    output:
        **written("word_associations", **word_associations_targets.TABLES),
        published=word_associations_targets.FILES.published,
        calibration=WORD_ASSOCIATIONS.calibration,
    params:
        contents=contents(ours("resources/word_associations/published.csv")),
        sources=WORD_ASSOCIATIONS_SOURCES,
        published_lists=[name for name, pairs in STUDY.word_associations.sembias.items() if not pairs.table.is_dir()],
        pair=next((name for name, one in STUDY.word_associations.directions.items() if one.method == "pair"), ""),
        planted=word_associations_targets.planted(STUDY),
        seed=STUDY.seed,
    script:
        "../scripts/table_word_associations.py"


rule draw_word_associations:
    """Plot SemBias, and occupations along the gender direction."""
    input:
        numbers=WORD_ASSOCIATIONS.numbers,
        projections=WORD_ASSOCIATIONS_PROJECTIONS,
    output:
        **drawn("word_associations", **word_associations_targets.FIGURES),
    params:
        planted=word_associations_targets.planted(STUDY),
    script:
        "../scripts/draw_word_associations.py"


rule part_word_associations:
    """Write the part of the page on word associations."""
    input:
        numbers=WORD_ASSOCIATIONS.numbers,
        models=expand(shared.MODEL, model=STUDY.sources_of_vectors.models(WORD_ASSOCIATIONS_SOURCES)),
        figures=figure_files(*WORD_ASSOCIATIONS.figures),
    output:
        word_associations_targets.FILES.part,
    params:
        planted=word_associations_targets.planted(STUDY),
        level=STUDY.word_associations.level,
        correction=STUDY.word_associations.correction,
    script:
        "../scripts/part_word_associations.py"
