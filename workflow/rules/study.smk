"""The whole study: files of all metrics with one schema, put together; the page; the record of the run."""

from herbarium.models import genealogy

STUDY_TABLES = targets.TABLES | (targets.RELIABILITY | targets.WORDS if TARGETS.items else {})
# All published figures, also of metrics that the study does not have.
PUBLISHED = [ours(f"resources/{metric}/published.csv") for metric in targets.PUBLISHED]
CALIBRATION = figure_files(*targets.CALIBRATION) if TARGETS.calibration else []
SCORED = sorted(TARGETS.scored)  # in which order models are listed changes nothing
# The number of files of each set of sentences that is scored.
SCORED_SHARDS = {stimuli: TARGETS.shards[stimuli] for _, stimuli in SCORED}
# Trainings with two or more measured checkpoints.
TRAININGS = genealogy.families(STUDY.models, "steps") if TARGETS.changes else {}
CHECKPOINTS = figure_files(*targets.CHECKPOINTS) if any(len(training) > 1 for training in TRAININGS.values()) else []

if not TARGETS.numbers and LEFT_OUT:
    raise Refusal("\n".join([*left_out.sentences(config, LEFT_OUT), left_out.NOTHING_LEFT]))
if not TARGETS.numbers:
    names = ", ".join(f"`{metric_targets.__name__.split('.')[-2]}`" for metric_targets in targets.METRICS)
    raise Refusal(
        f"Nothing would be measured: no metric is configured for any model. Name one of {names} (config/README.md), or "
        "your own metric (`rules`). `mixed_models: engine: none` leaves out everything that fits a mixed model."
    )


rule summarize:
    """Put every number of the study into one table."""
    input:
        TARGETS.numbers,
    output:
        parquet=targets.SUMMARY,
    group:
        "report"
    script:
        "../scripts/summarize.py"


rule sign_numbers:
    """Write a line for every number, which a paper can cite and which says what the number depends on."""
    input:
        TARGETS.numbers,
    output:
        csv=targets.SIGNATURES,
        sidecar=sidecars(targets.SIGNATURES),
    group:
        "report"
    params:
        seed=STUDY.seed,
    script:
        "../scripts/sign_numbers.py"


rule table_reproduction:
    """Put every published figure that is compared with ours into one table."""
    input:
        TARGETS.published,
    output:
        **written("study", **targets.REPRODUCTION),
    script:
        "../scripts/table_reproduction.py"


rule table_sources:
    """Count the published figures of each source: how many are compared with ours, and how they agree."""
    input:
        reproduction=targets.FILES.table("reproduction"),
        published=ancient(PUBLISHED),
        lists=ancient(ours("resources/scope.csv")),
    output:
        **written("study", **targets.SOURCES),
    params:
        sources=targets.PUBLISHED,
        contents=contents(*PUBLISHED, ours("resources/scope.csv")),
    script:
        "../scripts/table_sources.py"


rule reproduction:
    """Show every published figure beside ours, and how many of each source are compared."""
    input:
        reproduction=targets.FILES.table("reproduction"),
        sources=targets.FILES.table("sources"),
    output:
        text="<results>/reproduction.txt",
    params:
        sources=targets.PUBLISHED,
    script:
        "../scripts/reproduction.py"


rule table_refusals:
    """List the models and data that were left out, and count the sentences that each other one refused, with reasons."""
    input:
        [filled(shared.REFUSALS, model=model, stimuli=stimuli) for model, stimuli in SCORED],
    output:
        **written("study", **targets.REFUSALS),
    params:
        left_out=left_out.by_name(TOLD),
    script:
        "../scripts/table_refusals.py"


rule table_sentences:
    """List some sentences of every set, with the scores of all models: what numbers are made of."""
    input:
        stimuli=[
            filled(shared.STIMULI, stimuli=name, shard=shard)
            for name, n in SCORED_SHARDS.items()
            for shard in range(n)
        ],
        scores=[filled(shared.SCORES, model=model, stimuli=stimuli) for model, stimuli in SCORED],
    output:
        **written("study", **targets.SENTENCES),
    params:
        shards=SCORED_SHARDS,
        scored=SCORED,
    script:
        "../scripts/table_sentences.py"


rule table_reliability:
    """Measure how reliable the primary number of each metric is: over words and forms, within and over models."""
    input:
        TARGETS.items,
    output:
        **written("study", **targets.RELIABILITY),
    params:
        seed=STUDY.seed,
        trainings=genealogy.repeated(STUDY.models),
    script:
        "../scripts/table_reliability.py"


rule table_words:
    """List the words with the largest and the smallest values: what drives each primary number."""
    input:
        values=TARGETS.items,
        regions=targets.regions_of(TARGETS.items),
    output:
        **written("study", **targets.WORDS),
    script:
        "../scripts/table_words.py"


rule draw_calibration:
    """Plot each metric against the strength of planted bias."""
    input:
        TARGETS.calibration,
    output:
        **drawn("study", **targets.CALIBRATION),
    params:
        kinds={name: str(STUDY.models[name].kind) for name in STUDY.planted(STUDY.models)},
    script:
        "../scripts/draw_calibration.py"


rule draw_changes:
    """Plot what changes of models changed, metric by metric."""
    input:
        TARGETS.changes,
    output:
        **drawn("study", **targets.CHANGES),
    params:
        pairs=STUDY.pairs,
        trainings=TRAININGS,
        # a neutralised model has the weights of the one that it comes from, so it has forgotten nothing
        made_from=[
            pair for pair in STUDY.pairs if genealogy.is_made_from(STUDY.models, *pair) and pair[1] not in NEUTRALISED
        ],
        trained=[
            *(pair for pair in STUDY.pairs if any(map(STUDY.is_trained, pair))),
            *(
                pair[:2]
                for pair in STUDY.compared_sources(STUDY.vectors)
                if any(map(STUDY.is_trained_source, pair[2:]))
            ),
        ],
    script:
        "../scripts/draw_changes.py"


rule draw_checkpoints:
    """Plot each metric along training, checkpoint by checkpoint."""
    input:
        TARGETS.changes,
    output:
        **drawn("study", **targets.CHECKPOINTS),
    params:
        trainings=TRAININGS,
    script:
        "../scripts/draw_checkpoints.py"


rule draw_answers:
    """Plot the primary number of every metric in every model, and write the table to start from."""
    input:
        parts=TARGETS.parts,
        calibration=TARGETS.calibration,
        summary=targets.SUMMARY,
    output:
        **drawn("study", **targets.ANSWERS),
        headline=targets.HEADLINE,
        sidecar=sidecars(targets.HEADLINE),
    params:
        order=ORDER,
    script:
        "../scripts/draw_answers.py"


rule write_summary:
    """Write every number for people, and whether it is on the first screen."""
    input:
        parquet=targets.SUMMARY,
        headline=targets.HEADLINE,
    output:
        csv=targets.SUMMARY_TABLE,
        sidecar=sidecars(targets.SUMMARY_TABLE),
    group:
        "report"
    script:
        "../scripts/write_summary.py"


rule write_report:
    """Put the parts of all metrics, and those on the whole study, on the study's page."""
    input:
        summary=targets.SUMMARY,
        named=targets.SUMMARY_TABLE,  # by the page
        signatures=targets.SIGNATURES,
        parts=TARGETS.parts,
        answers=figure_files(*targets.ANSWERS),
        calibration=CALIBRATION,
        changes=figure_files(*targets.CHANGES) if TARGETS.changes else [],
        checkpoints=CHECKPOINTS,
        reproduction=targets.FILES.table("reproduction"),
        sources=targets.FILES.table("sources"),
        refusals=targets.FILES.table("refusals"),
        sentences=targets.FILES.table("sentences"),
        reliability=targets.FILES.table("reliability") if TARGETS.items else [],
        words=targets.FILES.table("words") if TARGETS.items else [],
        validity=ancient([ours(path) for path in TARGETS.validity]),
        countries=ours("resources/maps/countries.geojson"),
        scope=ancient(ours("resources/scope.csv")),
        citation=ancient(ours("CITATION.cff")),
    output:
        targets.PAGE,
    group:
        "report"
    params:
        study=plain(STUDY),
        contents=contents(*map(ours, TARGETS.validity), ours("resources/scope.csv"), ours("CITATION.cff")),
        shown=targets.shown(TARGETS),
        order=ORDER,
    script:
        "../scripts/write_report.py"


rule record_run:
    """Record what made every final file of the study, back to its sources."""
    input:
        targets.SUMMARY,
        targets.SUMMARY_TABLE,
        sidecars(targets.SUMMARY_TABLE),
        [targets.HEADLINE, *sidecars(targets.HEADLINE)],
        [targets.SIGNATURES, *sidecars(targets.SIGNATURES)],
        TARGETS.replicates,
        TARGETS.tables,
        sidecars(*TARGETS.tables),
        # the texts that models learned: weights do not say what they were made from
        [file for files in TARGETS.planted.values() for file in files],
        figure_files(*TARGETS.figures),
        targets.FILES.tables(STUDY_TABLES),
        sidecars(*targets.FILES.tables(STUDY_TABLES)),
        figure_files(*targets.ANSWERS),
        CALIBRATION,
        targets.PAGE,
    output:
        # earlier configurations are kept while their files are in use
        update(targets.RUN),
    group:
        "report"
    conda:
        "../../envs/scoring.yaml"
    params:
        study=plain(STUDY),
        left_out=left_out.by_name(TOLD),
    script:
        "../scripts/record_run.py"


rule exchange:
    """Write the results in formats that other tools read: a crate, results by model, a description of the sentences."""
    input:
        record=targets.RUN,
        summary=targets.SUMMARY,
        signatures=targets.SIGNATURES,
        workflow=ours("workflow/Snakefile"),
    output:
        crate="<results>/ro-crate-metadata.json",
        croissant="<work>/stimuli/croissant.json",
        lm_eval=directory(f"{targets.EXCHANGE}/lm_eval"),
        every_eval_ever=directory(f"{targets.EXCHANGE}/every_eval_ever") if STUDY.exchange.every_eval_ever else [],
        workflow=f"{targets.EXCHANGE}/Snakefile",
        files=f"{targets.EXCHANGE}/files.json",
    group:
        "report"
    script:
        "../scripts/exchange.py"


rule verify:
    """Compute every checksum again, and report all differences from the record of the run, or from a signature."""
    conda:
        "../../envs/scoring.yaml"
    params:
        results=STUDY.results,
        signature=STUDY.signature,
    script:
        "../scripts/verify.py"


rule compare_runs:
    """Compare the numbers with those of another results folder, paired if both share what was drawn."""
    params:
        base=str(STUDY.base) if STUDY.base else None,
        against=STUDY.against,
        results=STUDY.results,
    script:
        "../scripts/compare_runs.py"
