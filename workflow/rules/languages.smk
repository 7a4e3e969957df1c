"""Languages in one space: how close the forms of occupations are to words of their gender, in each language and in the space of another."""

from herbarium.metrics.languages import targets as languages_targets

LANGUAGES_TARGETS = languages_targets.targets(STUDY)
LANGUAGES_SPACES = STUDY.languages.spaces
LANGUAGES_ALIGNED = STUDY.languages.aligned
LANGUAGES_ALIGNMENTS = {name: [one.name for one in entry.alignments] for name, entry in LANGUAGES_SPACES.items()}
LANGUAGES_PLANTED = languages_targets.planted(STUDY)
LANGUAGES_OF_AUTHORS = languages_targets.of_authors(STUDY)


rule list_languages:
    """Read the lists of a language, and list the words whose vectors are needed."""
    input:
        lists=ancient(lambda wildcards: languages_targets.files(STUDY, wildcards.space, wildcards.language)),
    output:
        words=filled(shared.WORDS, words=languages_targets.WORDS),
        design=languages_targets.DESIGN,
    wildcard_constraints:
        space=any_of(LANGUAGES_SPACES),
        language=any_of(language for _, language in STUDY.languages.vocabularies),
    group:
        "stimuli"
    params:
        entry=lambda wildcards: LANGUAGES_SPACES[wildcards.space].languages[wildcards.language].entry,
        alignments=lambda wildcards: {
            alignment.name: plain(alignment) for alignment in LANGUAGES_SPACES[wildcards.space].alignments
        },
        contents=lambda wildcards: contents(*languages_targets.files(STUDY, wildcards.space, wildcards.language)),
    script:
        "../scripts/list_languages.py"


rule align_languages:
    """Move a language into the space of another, and search for translations there."""
    input:
        words=lambda wildcards: languages_targets.words(STUDY, **wildcards),
        vectors=lambda wildcards: languages_targets.vectors(STUDY, **wildcards),
        designs=lambda wildcards: languages_targets.designs(STUDY, **wildcards),
    output:
        aligned=languages_targets.ALIGNED,
        controls=languages_targets.CONTROLS,
        translations=languages_targets.TRANSLATIONS,
    wildcard_constraints:
        space=any_of(LANGUAGES_SPACES),
        alignment=any_of(name for _, name in LANGUAGES_ALIGNED),
    group:
        "metrics"
    resources:
        mem_mb=growing(8000),
        runtime=growing(120),
    params:
        sources=lambda wildcards: [
            LANGUAGES_SPACES[wildcards.space].languages[side].source
            for side in languages_targets.sides(STUDY, **wildcards)
        ],
        seed=STUDY.seed,
        where=lambda wildcards: f"languages.spaces.{wildcards.space}.alignments, {wildcards.alignment}",
    script:
        "../scripts/align_languages.py"


rule measure_languages:
    """Measure inBias of each language on its own, and in the space of each pivot."""
    input:
        words=lambda wildcards: languages_targets.words(STUDY, **wildcards),
        vectors=lambda wildcards: languages_targets.vectors(STUDY, **wildcards),
        aligned=lambda wildcards: real_paths(languages_targets.ALIGNED, alignment=LANGUAGES_ALIGNMENTS[wildcards.space]),
        controls=lambda wildcards: real_paths(
            languages_targets.CONTROLS, alignment=LANGUAGES_ALIGNMENTS[wildcards.space]
        ),
        translations=lambda wildcards: real_paths(
            languages_targets.TRANSLATIONS, alignment=LANGUAGES_ALIGNMENTS[wildcards.space]
        ),
        designs=lambda wildcards: languages_targets.designs(STUDY, **wildcards),
    output:
        **({"changes": languages_targets.CHANGES} if LANGUAGES_TARGETS.changes else {}),
        numbers=languages_targets.NUMBERS,
        pairs=languages_targets.PAIRS,
        map=languages_targets.MAP,
        missing=languages_targets.MISSING,
        of_items=languages_targets.ITEMS,
    wildcard_constraints:
        space=any_of(LANGUAGES_SPACES),
    group:
        "metrics"
    params:
        models=lambda wildcards: {name: one.source for name, one in LANGUAGES_SPACES[wildcards.space].languages.items()},
        alignments=lambda wildcards: [[one.language, one.pivot] for one in LANGUAGES_SPACES[wildcards.space].alignments],
        compared=lambda wildcards: languages_targets.compared(STUDY, wildcards.space),
        level=STUDY.languages.level,
        correction=STUDY.languages.correction,
        seed=STUDY.seed,
    script:
        "../scripts/measure_languages.py"


rule table_languages:
    """Lay out the numbers of languages as tables, and compare them with what is planted and published."""
    input:
        numbers=LANGUAGES_TARGETS.numbers,
        pairs=expand(languages_targets.PAIRS, space=LANGUAGES_SPACES),
        missing=expand(languages_targets.MISSING, space=LANGUAGES_SPACES),
        translations=[
            filled(languages_targets.TRANSLATIONS, space=space, alignment=name) for space, name in LANGUAGES_ALIGNED
        ],
        published=ancient(ours("resources/languages/published.csv")),
    output:
        **written("languages", **languages_targets.TABLES),
        calibration=LANGUAGES_TARGETS.calibration,
        published=LANGUAGES_TARGETS.published,
    params:
        aligned=LANGUAGES_ALIGNED,
        planted=LANGUAGES_PLANTED,
        of_authors=LANGUAGES_OF_AUTHORS,
        contents=contents(ours("resources/languages/published.csv")),
    script:
        "../scripts/table_languages.py"


rule draw_languages:
    """Plot inBias by language and pivot, and a map of each aligned space."""
    input:
        numbers=LANGUAGES_TARGETS.numbers,
        map=expand(languages_targets.MAP, space=LANGUAGES_SPACES),
    output:
        **drawn("languages", **languages_targets.FIGURES),
    params:
        planted=LANGUAGES_PLANTED,
    script:
        "../scripts/draw_languages.py"


rule part_languages:
    """Write the part of the page on languages in one space."""
    input:
        numbers=LANGUAGES_TARGETS.numbers,
        models=expand(shared.MODEL, model=STUDY.sources_of_vectors.models(STUDY.languages.sources)),
        figures=figure_files(*LANGUAGES_TARGETS.figures),
    output:
        languages_targets.FILES.part,
    params:
        planted=LANGUAGES_PLANTED,
        level=STUDY.languages.level,
        correction=STUDY.languages.correction,
    script:
        "../scripts/part_languages.py"
