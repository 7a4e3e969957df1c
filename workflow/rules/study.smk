"""The whole study: files of all metrics with one schema, put together; the page; the record of the run.

Input: what the metrics' targets list. Output: results/summary.*, results/tables/,
results/figures/{answers,calibration,changes,checkpoints}.*, results/report/index.html, results/run.json, results/exchange/,
results/comparison/.
"""

from herbarium.models import genealogy

STUDY_PART = "The whole study"
SCORED = sorted(TARGETS.scored)  # in which order models are listed changes nothing
# The number of files of each set of sentences that is scored.
SCORED_SHARDS = {stimuli: TARGETS.shards[stimuli] for _, stimuli in SCORED}
# Trainings with two or more measured checkpoints.
TRAININGS = genealogy.families(STUDY.models, "steps") if TARGETS.changes else {}
CHECKPOINTS = figure_files("checkpoints") if any(len(of) > 1 for of in TRAININGS.values()) else []

if not TARGETS.numbers:
    names = ", ".join(f"`{of.__name__.split('.')[-2]}`" for of in targets.METRICS)
    raise Refusal(
        f"Nothing would be measured: no metric is configured for any model. Name one of {names} (config/README.md), or "
        "your own metric (`rules`). `mixed_models: engine: none` leaves out everything that fits a mixed model."
    )


rule summarize:
    """Put every number of the study into one table."""
    input:
        TARGETS.numbers,
    output:
        parquet="<results>/summary.parquet",
    group:
        "report"
    script:
        "../scripts/summarize.py"


rule sign_numbers:
    """Write a line for every number, which a paper can cite and which says what the number depends on."""
    input:
        TARGETS.numbers,
    output:
        csv="<results>/exchange/signatures.csv",
        sidecar=sidecars("<results>/exchange/signatures.csv"),
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
        **written("study", STUDY_PART, reproduction="Every published figure compared with ours"),
    script:
        "../scripts/table_reproduction.py"


rule table_refusals:
    """List the models and data that were left out, and count the sentences that each other one refused, with reasons."""
    input:
        [f"<work>/refusals/{model}/{stimuli}.parquet" for model, stimuli in SCORED],
    output:
        **written(
            "study", STUDY_PART, refusals="Models and data that were left out, sentences that were refused, and why"
        ),
    params:
        left_out=left_out.by_name(TOLD),
    script:
        "../scripts/table_refusals.py"


rule table_sentences:
    """List some sentences of every set, with the scores of all models: what numbers are made of."""
    input:
        stimuli=[f"<work>/stimuli/{name}/{shard}.parquet" for name, n in SCORED_SHARDS.items() for shard in range(n)],
        scores=[f"<work>/scores/{model}/{stimuli}.parquet" for model, stimuli in SCORED],
    output:
        **written("study", STUDY_PART, sentences="Some sentences of every set, and what each model scored"),
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
        **written(
            "study",
            STUDY_PART,
            reliability="Would other words, or another form, put the same things in the same order?",
        ),
    params:
        seed=STUDY.seed,
        trainings=genealogy.repeated(STUDY.models),
    script:
        "../scripts/table_reliability.py"


rule draw_calibration:
    """Plot each metric against the strength of planted bias."""
    input:
        TARGETS.calibration,
    output:
        **drawn(
            "study",
            STUDY_PART,
            calibration="Each metric against the strength of planted bias",
        ),
    script:
        "../scripts/draw_calibration.py"


rule draw_changes:
    """Plot what changes of models changed, metric by metric."""
    input:
        TARGETS.changes,
    output:
        **drawn("study", STUDY_PART, changes="Before and after a change of a model"),
    params:
        pairs=STUDY.pairs,
        trainings=TRAININGS,
        # a neutralised model has the weights of the one that it comes from, so it has forgotten nothing
        made_from=[
            pair for pair in STUDY.pairs if genealogy.is_made_from(STUDY.models, *pair) and pair[1] not in NEUTRALISED
        ],
        trained=[
            *(pair for pair in STUDY.pairs if any(map(STUDY.is_trained, pair))),
            *(of[:2] for of in STUDY.compared_sources(STUDY.vectors) if any(map(STUDY.is_trained_source, of[2:]))),
        ],
    script:
        "../scripts/draw_changes.py"


rule draw_checkpoints:
    """Plot each metric along training, checkpoint by checkpoint."""
    input:
        TARGETS.changes,
    output:
        **drawn("study", STUDY_PART, checkpoints="Each metric along training"),
    params:
        trainings=TRAININGS,
    script:
        "../scripts/draw_checkpoints.py"


rule draw_answers:
    """Plot the primary number of every metric in every model, and write the table to start from."""
    input:
        parts=TARGETS.parts,
        calibration=TARGETS.calibration,
        summary="<results>/summary.parquet",
    output:
        **drawn("study", STUDY_PART, answers="The primary number of every metric in every model"),
        headline="<results>/headline.csv",
        sidecar=sidecars("<results>/headline.csv"),
    params:
        order=ORDER,
    script:
        "../scripts/draw_answers.py"


rule write_summary:
    """Write every number for people, and whether it is on the first screen."""
    input:
        parquet="<results>/summary.parquet",
        headline="<results>/headline.csv",
    output:
        csv="<results>/summary.csv",
        sidecar=sidecars("<results>/summary.csv"),
    group:
        "report"
    script:
        "../scripts/write_summary.py"


rule write_report:
    """Put the parts of all metrics, and those on the whole study, on the study's page."""
    input:
        summary="<results>/summary.parquet",
        named="<results>/summary.csv",  # by the page
        signatures="<results>/exchange/signatures.csv",
        parts=TARGETS.parts,
        answers=figure_files("answers"),
        calibration=figure_files("calibration") if TARGETS.calibration else [],
        changes=figure_files("changes") if TARGETS.changes else [],
        checkpoints=CHECKPOINTS,
        reproduction="<results>/tables/reproduction.csv",
        refusals="<results>/tables/refusals.csv",
        sentences="<results>/tables/sentences.csv",
        reliability="<results>/tables/reliability.csv" if TARGETS.items else [],
        validity=ancient([ours(path) for path in TARGETS.validity]),
        countries=ours("resources/maps/countries.geojson"),
        citation=ancient(ours("CITATION.cff")),
    output:
        "<results>/report/index.html",
    group:
        "report"
    params:
        study=plain(STUDY),
        said=said(*map(ours, TARGETS.validity), ours("CITATION.cff")),
        order=ORDER,
    script:
        "../scripts/write_report.py"


rule record_run:
    """Record what made every final file of the study, back to its sources."""
    input:
        "<results>/summary.parquet",
        "<results>/summary.csv",
        sidecars("<results>/summary.csv"),
        ["<results>/headline.csv", *sidecars("<results>/headline.csv")],
        ["<results>/exchange/signatures.csv", *sidecars("<results>/exchange/signatures.csv")],
        TARGETS.replicates,
        TARGETS.tables,
        sidecars(*TARGETS.tables),
        # the texts that models learned: weights do not say what they were made from
        [file for files in TARGETS.planted.values() for file in files],
        figure_files(*TARGETS.figures),
        "<results>/tables/reproduction.csv",
        "<results>/tables/refusals.csv",
        "<results>/tables/sentences.csv",
        sidecars(*(f"<results>/tables/{name}.csv" for name in ("reproduction", "refusals", "sentences"))),
        figure_files("answers"),
        figure_files("calibration") if TARGETS.calibration else [],
        ["<results>/tables/reliability.csv", *sidecars("<results>/tables/reliability.csv")] if TARGETS.items else [],
        "<results>/report/index.html",
    output:
        # earlier configurations are kept while their files are in use
        update("<results>/run.json"),
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
        record="<results>/run.json",
        summary="<results>/summary.parquet",
        signatures="<results>/exchange/signatures.csv",
        workflow=ours("workflow/Snakefile"),
    output:
        crate="<results>/ro-crate-metadata.json",
        croissant="<work>/stimuli/croissant.json",
        lm_eval=directory("<results>/exchange/lm_eval"),
        every_eval_ever=directory("<results>/exchange/every_eval_ever") if STUDY.exchange.every_eval_ever else [],
        workflow="<results>/exchange/Snakefile",
        files="<results>/exchange/files.json",
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
