"""HERB: how differently a model describes regions, and how toxic training changes that.

The models along toxic training are made here, too: only the weights of the last epoch are kept.
"""

from herbarium.metrics.herb import stimuli as herb_stimuli
from herbarium.metrics.herb import targets as herb_targets

HERB = herb_targets.targets(STUDY)
HERB_MODELS = STUDY.herb.measured(STUDY.models)
HERB_FRAMES = herb_targets.frames(STUDY)
HERB_SETS = herb_targets.sets(STUDY)
# Replicates are computed in processes, each of which takes a second or two to start.
HERB_THREADS = min(8, 1 + STUDY.herb.bootstrap.replicates // 250)
HERB_LISTS = herb_targets.listed(STUDY)
HERB_DESIGNS = herb_targets.designs(STUDY)
# Model that is trained -> the models after each epoch; HERB is reported for those in the second.
TOXIC = herb_targets.trainings(STUDY)
MEASURED_TOXIC = herb_targets.measured_trainings(STUDY)
ALONG_TOXIC = herb_targets.along_training(STUDY)


rule instantiate_herb:
    """Put regions into the frames of one shard of HERB's stimuli."""
    input:
        regions=shared.REGIONS,
        names=lambda wildcards: real_path(shared.NAMES) if any(HERB_FRAMES[wildcards.stimuli]["other_names"]) else [],
    output:
        shared.STIMULI,
    wildcard_constraints:
        stimuli=any_of(HERB_FRAMES),
    group:
        "stimuli"
    params:
        frames=lambda wildcards: HERB_FRAMES[wildcards.stimuli]["names"][int(wildcards.shard)],
        frames_of_countries=lambda wildcards: HERB_FRAMES[wildcards.stimuli]["country_names"][int(wildcards.shard)],
        frames_of_other_names=lambda wildcards: HERB_FRAMES[wildcards.stimuli]["other_names"][int(wildcards.shard)],
        no_cities_by_other_names="names" in STUDY.herb.countries_only,
        control=lambda wildcards: STUDY.herb.made_up_names if wildcards.stimuli == "herb" else [],
    script:
        "../scripts/instantiate_herb.py"


rule instantiate_herb_padded:
    """Lay out the sentences of one shard's regions in the batches that the released code pads."""
    input:
        regions=shared.REGIONS,
    output:
        filled(shared.STIMULI, stimuli=herb_stimuli.PADDED_SET),
    group:
        "stimuli"
    params:
        wordings=herb_targets.padded(STUDY),
        without_cities=herb_targets.without_cities(STUDY),
        n_shards=STUDY.shards,
    script:
        "../scripts/instantiate_herb_padded.py"


rule design_herb:
    """Write what numbers need of the lists behind a set of HERB's stimuli."""
    input:
        lists=ancient(lambda wildcards: HERB_LISTS[wildcards.stimuli]),
    output:
        herb_targets.DESIGN,
    wildcard_constraints:
        stimuli=any_of(HERB_DESIGNS),
    group:
        "stimuli"
    params:
        design=lambda wildcards: HERB_DESIGNS[wildcards.stimuli],
    script:
        "../scripts/design_herb.py"


rule plant_herb:
    """Write the text on regions that a model with a planted bias learns."""
    input:
        lists=ancient(HERB_LISTS[herb_stimuli.WORDINGS_SET]),
        regions=shared.REGIONS,
    output:
        herb_targets.FILES.planted,
    group:
        "stimuli"
    params:
        frames=herb_stimuli.frames_by_description(STUDY.herb.wordings, STUDY.herb.topics),
        strength=lambda wildcards: STUDY.strengths_in("herb")[wildcards.model],
        control=STUDY.herb.made_up_names,
        seed=STUDY.seed,
    script:
        "../scripts/plant_herb.py"


rule assemble_herb:
    """Lay out f(S) by region and description, wording by wording."""
    input:
        designs=expand(herb_targets.DESIGN, stimuli=HERB_DESIGNS),
        regions=shared.REGIONS,
        names=shared.NAMES,
        stimuli=herb_targets.shards(STUDY, herb_stimuli.SET),
        wordings=herb_targets.shards(STUDY, herb_stimuli.WORDINGS_SET),
        padded=lambda wildcards: [
            real_path(shard)
            for name in herb_targets.padded_sets_of(STUDY, wildcards.model)
            for shard in herb_targets.shards(STUDY, name)
        ],
        scores=[filled(shared.SCORES, stimuli=name) for name in HERB_SETS if name != herb_stimuli.PADDED_SET],
        padded_scores=lambda wildcards: [
            real_path(shared.SCORES, stimuli=name) for name in herb_targets.padded_sets_of(STUDY, wildcards.model)
        ],
    output:
        regions=herb_targets.LIKELIHOODS,
        control=herb_targets.CONTROL,
    group:
        "herb"
    resources:
        mem_mb=growing(8000),
    params:
        padded=list(herb_targets.padded(STUDY)),
        without_cities=herb_targets.without_cities(STUDY),
        n_shards=STUDY.shards,
    script:
        "../scripts/assemble_herb.py"


rule embed_herb:
    """Embed the bare name of each country with the model."""
    input:
        model=shared.MODEL,
        weights=weights,
        regions=shared.REGIONS,
    output:
        herb_targets.EMBEDDINGS,
    group:
        device_group
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    script:
        "../scripts/embed_herb.py"


rule measure_herb:
    """Measure HERB for every region of every level, with intervals over descriptions (bootstrap) and over sub-regions (jackknife)."""
    input:
        design=herb_targets.PUBLISHED_DESIGN,
        regions=shared.REGIONS,
        likelihoods=herb_targets.LIKELIHOODS,
        control=herb_targets.CONTROL,
    output:
        numbers=herb_targets.NUMBERS,
        intervals=herb_targets.INTERVALS,
        replicates=herb_targets.REPLICATES,
    group:
        "herb"
    threads: HERB_THREADS
    resources:
        runtime=growing(60),
    params:
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb.py"


rule measure_herb_crossed:
    """Measure crossed distances of the regions below the root, which are 0 on average if names in a region are no more similar."""
    input:
        design=herb_targets.PUBLISHED_DESIGN,
        regions=shared.REGIONS,
        countries=ours("resources/maps/countries.geojson"),
        likelihoods=herb_targets.LIKELIHOODS,
    output:
        numbers=herb_targets.CROSSED,
        by_word=herb_targets.ITEMS,
        influences=herb_targets.INFLUENCES,
    group:
        "herb"
    params:
        templates=herb_stimuli.template_wordings(STUDY.herb.wordings),
        level=STUDY.herb.bootstrap.level,
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb_crossed.py"


rule expect_herb:
    """Compute what a perfect model of a planted text would score, and how much of it the model learned."""
    input:
        designs=expand(herb_targets.DESIGN, stimuli=HERB_DESIGNS),
        regions=shared.REGIONS,
        likelihoods=herb_targets.LIKELIHOODS,
    output:
        herb_targets.EXPECTED,
    group:
        "herb"
    params:
        strength=lambda wildcards: STUDY.strengths_in("herb")[wildcards.model],
        seed=STUDY.seed,
        kind=lambda wildcards: str(STUDY.models[wildcards.model].kind),
    script:
        "../scripts/expect_herb.py"


rule measure_herb_hierarchy:
    """Test whether the sub-regions of a region are closer to each other than by chance."""
    input:
        design=herb_targets.PUBLISHED_DESIGN,
        regions=shared.REGIONS,
        likelihoods=herb_targets.LIKELIHOODS,
        names=herb_targets.shard_of_names(STUDY),
        scores=filled(shared.SCORES, stimuli=herb_stimuli.SET),
    output:
        herb_targets.HIERARCHY,
    group:
        "herb"
    threads: HERB_THREADS
    resources:
        runtime=growing(60),
    params:
        bootstrap=plain(STUDY.herb.bootstrap),
        tests=plain(STUDY.herb.tests),
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb_hierarchy.py"


rule ablate_herb:
    """Measure HERB with other words, topics, templates and names, without hierarchy, and as in the released code."""
    input:
        design=herb_targets.PUBLISHED_DESIGN,
        regions=shared.REGIONS,
        likelihoods=herb_targets.LIKELIHOODS,
    output:
        herb_targets.ABLATIONS,
    group:
        "herb"
    threads: HERB_THREADS
    resources:
        runtime=growing(120),
    params:
        substituted=list(STUDY.herb.substitutes),
        departures=STUDY.herb.departures,
        without_cities=herb_targets.without_cities(STUDY),
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
    script:
        "../scripts/ablate_herb.py"


rule measure_herb_space:
    """Measure whether countries of a continent are close together in a model's representations of their names."""
    input:
        regions=shared.REGIONS,
        embeddings=herb_targets.EMBEDDINGS,
    output:
        herb_targets.OF_SPACE,
    group:
        "metrics"
    params:
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb_space.py"


rule compare_herb:
    """Compare HERB between models and between continents, on the same names and resamples."""
    input:
        regions=shared.REGIONS,
        numbers=herb_targets.of_models(herb_targets.NUMBERS, HERB_MODELS),
        replicates=HERB.replicates,
        crossed=herb_targets.of_models(herb_targets.CROSSED, HERB_MODELS),
        influences=herb_targets.of_models(herb_targets.INFLUENCES, HERB_MODELS),
    output:
        differences=herb_targets.DIFFERENCES,
        changes=HERB.changes,
    params:
        compared=STUDY.compared(HERB_MODELS),
        level=STUDY.herb.bootstrap.level,
        correction=STUDY.herb.tests.correction,
    script:
        "../scripts/compare_herb.py"


rule describe_herb:
    """Write what a model encodes about each country, for metrics that compare it with something else."""
    input:
        design=herb_targets.PUBLISHED_DESIGN,
        regions=shared.REGIONS,
        likelihoods=herb_targets.LIKELIHOODS,
        numbers=herb_targets.NUMBERS,
        embeddings=herb_targets.EMBEDDINGS,
    output:
        measures=herb_targets.MEASURES,
        vectors=herb_targets.VECTORS,
    script:
        "../scripts/describe_herb.py"


rule group_herb:
    """Lay out f(S) of countries by continent, for the comparison of groups."""
    input:
        design=herb_targets.PUBLISHED_DESIGN,
        regions=shared.REGIONS,
        likelihoods=herb_targets.LIKELIHOODS,
        names=herb_targets.shard_of_names(STUDY),
        scores=filled(shared.SCORES, stimuli=herb_stimuli.SET),
    output:
        herb_targets.GROUPED,
    params:
        templates=herb_stimuli.template_wordings(STUDY.herb.wordings),
    script:
        "../scripts/group_herb.py"


rule select_herb_toxic:
    """Find the sentences of each description that a model finds most likely."""
    input:
        design=herb_targets.PUBLISHED_DESIGN,
        stimuli=expand(shared.STIMULI, stimuli=herb_stimuli.SET, shard=range(STUDY.shards)),
        scores=filled(shared.SCORES, stimuli=herb_stimuli.SET),
    output:
        herb_targets.SENTENCES,
    wildcard_constraints:
        model=any_of(TOXIC),
    conda:
        "../../envs/scoring.yaml"
    params:
        sentences=lambda wildcards: STUDY.models[TOXIC[wildcards.model][0]].derived.by.sentences,
    script:
        "../scripts/select_herb_toxic.py"


rule train_toxic:
    """Train a model for one more epoch on the sentences that it found most likely before training."""
    input:
        base=base_record,
        weights=lambda wildcards: weights_of(herb_targets.before(STUDY, wildcards.model)),
        written=ancient(lambda wildcards: written_record(herb_targets.before(STUDY, wildcards.model))),
        sentences=lambda wildcards: real_path(herb_targets.SENTENCES, model=STUDY.models[wildcards.model].derived.base),
    output:
        weights=weight_files(shared.DERIVED),
        record=f"{shared.DERIVED}.json",
    wildcard_constraints:
        model=any_of(models[-1] for models in TOXIC.values()),
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(480),
    params:
        recipe=lambda wildcards: plain(STUDY.models[wildcards.model].derived.by),
        seed=STUDY.seed,
    script:
        "../scripts/train_toxic.py"


use rule train_toxic as train_toxic_on with:
    output:
        weights=temp(weight_files(shared.DERIVED)),
        record=f"{shared.DERIVED}.json",
    wildcard_constraints:
        model=any_of(model for models in TOXIC.values() for model in models[:-1]),


rule sample_herb_toxic:
    """Train a model on some of its sentences for some seconds, and estimate what an epoch of toxic training will take."""
    input:
        unpack(timed_model),
        design=herb_targets.PUBLISHED_DESIGN,
        stimuli=expand(shared.STIMULI, stimuli=herb_stimuli.SET, shard=range(STUDY.shards)),
    output:
        training_targets.SAMPLE,
    wildcard_constraints:
        model=any_of(model for models in TOXIC.values() for model in models),
    threads: 1
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    params:
        recipe=lambda wildcards: plain(STUDY.models[wildcards.model].derived.by),
        seed=STUDY.seed,
    script:
        "../scripts/sample_herb_toxic.py"


rule measure_herb_toxic:
    """Measure HERB of the root and the regions below it after each epoch, and whether it rises, with bootstrap intervals."""
    input:
        design=herb_targets.PUBLISHED_DESIGN,
        regions=shared.REGIONS,
        stimuli=herb_targets.shards(STUDY, ALONG_TOXIC),
        scores=lambda wildcards: [
            real_path(shared.SCORES, stimuli=herb_stimuli.SET),
            *(real_path(shared.SCORES, model=model, stimuli=ALONG_TOXIC) for model in MEASURED_TOXIC[wildcards.model]),
        ],
    output:
        herb_targets.OF_TOXIC,
    wildcard_constraints:
        model=any_of(MEASURED_TOXIC),
    threads: HERB_THREADS
    resources:
        runtime=growing(240),
    params:
        without_cities="toxic" in STUDY.herb.countries_only,
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb_toxic.py"


rule place_herb:
    """Place countries on a plane as each model represents their names."""
    input:
        regions=shared.REGIONS,
        models=expand(shared.MODEL, model=HERB_MODELS),
        embeddings=expand(herb_targets.EMBEDDINGS, model=HERB_MODELS),
        countries=ours("resources/maps/countries.geojson"),
    output:
        herb_targets.PLANE,
    group:
        "report"
    params:
        seed=STUDY.seed,
    script:
        "../scripts/place_herb.py"


rule draw_herb:
    """Plot the figures of HERB."""
    input:
        design=herb_targets.PUBLISHED_DESIGN,
        numbers=HERB.numbers,
        regions=shared.REGIONS,
        models=expand(shared.MODEL, model=HERB_MODELS),
        likelihoods=herb_targets.of_models(herb_targets.LIKELIHOODS, HERB_MODELS),
        plane=herb_targets.PLANE if STUDY.herb.representations else [],
        countries=ours("resources/maps/countries.geojson"),
    output:
        **drawn("herb", **herb_targets.figures(STUDY)),
        heatmap_countries=herb_targets.HEATMAP,
        sidecars=sidecars(herb_targets.HEATMAP),
    params:
        description=STUDY.herb.shown_description,
        trained=list(MEASURED_TOXIC),
        order=ORDER,
    script:
        "../scripts/draw_herb.py"


rule table_herb:
    """Lay out HERB as tables, and compare it with what was published and what was planted."""
    input:
        numbers=HERB.numbers,
        expected=herb_targets.of_models(herb_targets.EXPECTED, STUDY.planted(HERB_MODELS)),
        regions=shared.REGIONS,
        published=ancient(ours("resources/herb/published.csv")),
        n_countries=ancient(ours("resources/herb/published_regions.csv")),
    output:
        **written("herb", **herb_targets.TABLES),
        published=herb_targets.FILES.published,
        calibration=HERB.calibration,
    params:
        topics=list(STUDY.herb.topics),
        cities=STUDY.regions.cities_in_words,
        planted={model: STUDY.strengths_in("herb")[model] for model in HERB_MODELS},
        others=compared(herb_targets.original_data),
        contents=contents(ours("resources/herb/published.csv"), ours("resources/herb/published_regions.csv")),
    script:
        "../scripts/table_herb.py"


rule part_herb:
    """Write the part of the page on HERB."""
    input:
        numbers=HERB.numbers,
        regions=shared.REGIONS,
        models=[scoring_record(model, herb_stimuli.SET) for model in HERB_MODELS],
        figures=figure_files(*HERB.figures),
        implied=herb_targets.FILES.table("implied"),
    output:
        herb_targets.FILES.part,
    params:
        section=plain(STUDY.herb),
        trainings={model: plain(STUDY.models[models[-1]].derived.by) for model, models in MEASURED_TOXIC.items()},
    script:
        "../scripts/part_herb.py"
