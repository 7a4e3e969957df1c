"""HERB: how far apart regions are in what a model says about them, and how that changes with toxic training.

Input: regions, scores of the stimuli herb, herb_countries, herb_wordings and herb_padded. Output: results/work/likelihoods/{model}.parquet, f(S) by
region and description; results/work/metrics/herb*, results/work/items/herb/, results/work/replicates/herb/, results/work/influences/herb/; tables, figures and part of the page. For other metrics:
results/work/metrics/country_measures/{model}.parquet and country_vectors/{model}.parquet; results/work/grouped/{model}/herb.parquet. Models
along toxic training: results/work/derived/{model}, where only the weights of the last epoch are kept.
"""

from herbarium.core.section import paths
from herbarium.metrics.herb import stimuli as herb_stimuli
from herbarium.metrics.herb import targets as herb_targets

HERB = herb_targets.targets(STUDY)
HERB_MODELS = STUDY.herb.measured(STUDY.models)
HERB_FRAMES = herb_targets.frames(STUDY)
# Replicates are computed in processes, each of which takes a second or two to start.
HERB_THREADS = min(8, 1 + STUDY.herb.bootstrap.replicates // 250)
HERB_LISTS = sorted({str(path) for path in paths(STUDY.herb)})
HERB_CONTROL = [str(STUDY.herb.control)] if STUDY.herb.control else []
HERB_TOPICS = [str(path) for path in STUDY.herb.descriptions.values()]
# Model that is trained -> the models after each epoch; HERB is reported for those in the second.
TOXIC = herb_targets.trainings(STUDY)
MEASURED_TOXIC = herb_targets.measured_trainings(STUDY)
ALONG_TOXIC = herb_targets.along_training(STUDY)


rule instantiate_herb:
    """Put regions into the frames of one shard of HERB's stimuli."""
    input:
        regions="<work>/regions.parquet",
        names=lambda wildcards: (
            f"{STUDY.work}/names.parquet" if any(HERB_FRAMES[wildcards.stimuli]["other_names"]) else []
        ),
    output:
        "<work>/stimuli/{stimuli}/{shard}.parquet",
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
        regions="<work>/regions.parquet",
    output:
        "<work>/stimuli/herb_padded/{shard}.parquet",
    group:
        "stimuli"
    params:
        wordings=herb_targets.padded(STUDY),
        without_cities=herb_targets.without_cities(STUDY),
        n_shards=STUDY.shards,
    script:
        "../scripts/instantiate_herb_padded.py"


rule plant_herb:
    """Write the text on regions that a model with a planted bias learns."""
    input:
        lists=ancient(HERB_LISTS),
        regions="<work>/regions.parquet",
    output:
        "<work>/testbed/text/herb/{model}.parquet",
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
        lists=ancient(HERB_LISTS),
        regions="<work>/regions.parquet",
        names="<work>/names.parquet",
        stimuli=herb_targets.shards(STUDY, "herb"),
        wordings=herb_targets.shards(STUDY, "herb_wordings"),
        padded=herb_targets.shards(STUDY, "herb_padded"),
        scores=expand(
            "<work>/scores/{{model}}/{stimuli}.parquet",
            stimuli=[of for of in herb_targets.sets(STUDY) if of != "herb_padded"],
        ),
        padded_scores=expand(
            "<work>/scores/{{model}}/{stimuli}.parquet",
            stimuli=[of for of in herb_targets.sets(STUDY) if of == "herb_padded"],
        ),
    output:
        regions="<work>/likelihoods/{model}.parquet",
        control="<work>/likelihoods/control/{model}.parquet",
    group:
        "herb"
    resources:
        mem_mb=growing(8000),
    params:
        wordings=STUDY.herb.wordings,
        padded=list(herb_targets.padded(STUDY)),
        without_cities=herb_targets.without_cities(STUDY),
        control=STUDY.herb.made_up_names,
        n_shards=STUDY.shards,
    script:
        "../scripts/assemble_herb.py"


rule embed_herb:
    """Embed the bare name of each country with the model."""
    input:
        model="<work>/models/{model}.json",
        weights=weights,
        regions="<work>/regions.parquet",
    output:
        "<work>/embeddings/{model}/herb.parquet",
    group:
        device_group
    conda:
        "../../envs/scoring.yaml"
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
    script:
        "../scripts/embed_herb.py"


rule measure_herb:
    """Measure HERB for every region of every level, with intervals over descriptions (bootstrap) and over sub-regions (jackknife)."""
    input:
        lists=ancient([*HERB_TOPICS, *HERB_CONTROL]),
        regions="<work>/regions.parquet",
        likelihoods="<work>/likelihoods/{model}.parquet",
        control="<work>/likelihoods/control/{model}.parquet",
    output:
        numbers="<work>/metrics/herb/{model}.parquet",
        intervals="<work>/metrics/herb_intervals/{model}.parquet",
        replicates="<work>/replicates/herb/{model}.parquet",
    group:
        "herb"
    threads: HERB_THREADS
    resources:
        runtime=growing(60),
    params:
        topics=STUDY.herb.topics,
        control=STUDY.herb.made_up_names,
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb.py"


rule measure_herb_crossed:
    """Measure crossed distances of the regions below the root, which are 0 on average if names in a region are no more similar."""
    input:
        lists=ancient(HERB_TOPICS),
        regions="<work>/regions.parquet",
        countries=ours("resources/maps/countries.geojson"),
        likelihoods="<work>/likelihoods/{model}.parquet",
    output:
        numbers="<work>/metrics/herb_crossed/{model}.parquet",
        by_word="<work>/items/herb/{model}.parquet",
        influences="<work>/influences/herb/{model}.parquet",
    group:
        "herb"
    params:
        topics=STUDY.herb.topics,
        templates=herb_stimuli.template_wordings(STUDY.herb.wordings),
        level=STUDY.herb.bootstrap.level,
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb_crossed.py"


rule expect_herb:
    """Compute what a perfect model of a planted text would score, and how much of it the model learned."""
    input:
        lists=ancient(HERB_LISTS),
        regions="<work>/regions.parquet",
        likelihoods="<work>/likelihoods/{model}.parquet",
    output:
        "<work>/testbed/expected/herb/{model}.parquet",
    group:
        "herb"
    params:
        topics=STUDY.herb.topics,
        wordings={name: STUDY.herb.wordings[name] for name in herb_stimuli.template_wordings(STUDY.herb.wordings)},
        strength=lambda wildcards: STUDY.strengths_in("herb")[wildcards.model],
        control=STUDY.herb.made_up_names,
        seed=STUDY.seed,
    script:
        "../scripts/expect_herb.py"


rule measure_herb_hierarchy:
    """Test whether the sub-regions of a region are closer to each other than by chance."""
    input:
        lists=ancient(HERB_TOPICS),
        regions="<work>/regions.parquet",
        likelihoods="<work>/likelihoods/{model}.parquet",
        names=herb_targets.shard_of_names(STUDY),
        scores="<work>/scores/{model}/herb.parquet",
    output:
        "<work>/metrics/herb_hierarchy/{model}.parquet",
    group:
        "herb"
    threads: HERB_THREADS
    resources:
        runtime=growing(60),
    params:
        topics=STUDY.herb.topics,
        bootstrap=plain(STUDY.herb.bootstrap),
        tests=plain(STUDY.herb.tests),
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb_hierarchy.py"


rule ablate_herb:
    """Measure HERB with other words, topics, templates and names, without hierarchy, and as in the released code."""
    input:
        lists=ancient(HERB_TOPICS),
        regions="<work>/regions.parquet",
        likelihoods="<work>/likelihoods/{model}.parquet",
    output:
        "<work>/metrics/herb_ablations/{model}.parquet",
    group:
        "herb"
    threads: HERB_THREADS
    resources:
        runtime=growing(120),
    params:
        topics=STUDY.herb.topics,
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
        regions="<work>/regions.parquet",
        embeddings="<work>/embeddings/{model}/herb.parquet",
    output:
        "<work>/metrics/herb_space/{model}.parquet",
    group:
        "metrics"
    params:
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb_space.py"


rule compare_herb:
    """Compare HERB between models and between continents, on the same names and resamples."""
    input:
        regions="<work>/regions.parquet",
        numbers=herb_targets.of_models("metrics/herb", HERB_MODELS),
        replicates=HERB.replicates,
        crossed=herb_targets.of_models("metrics/herb_crossed", HERB_MODELS),
        influences=herb_targets.of_models("influences/herb", HERB_MODELS),
    output:
        differences="<work>/metrics/herb_differences.parquet",
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
        lists=ancient(HERB_TOPICS),
        regions="<work>/regions.parquet",
        likelihoods="<work>/likelihoods/{model}.parquet",
        numbers="<work>/metrics/herb/{model}.parquet",
        embeddings="<work>/embeddings/{model}/herb.parquet",
    output:
        measures="<work>/metrics/country_measures/{model}.parquet",
        vectors="<work>/metrics/country_vectors/{model}.parquet",
    params:
        topics=STUDY.herb.topics,
    script:
        "../scripts/describe_herb.py"


rule group_herb:
    """Lay out f(S) of countries by continent, for the comparison of groups."""
    input:
        lists=ancient(HERB_TOPICS),
        regions="<work>/regions.parquet",
        likelihoods="<work>/likelihoods/{model}.parquet",
        names=herb_targets.shard_of_names(STUDY),
        scores="<work>/scores/{model}/herb.parquet",
    output:
        "<work>/grouped/{model}/herb.parquet",
    params:
        topics=STUDY.herb.topics,
        templates=herb_stimuli.template_wordings(STUDY.herb.wordings),
    script:
        "../scripts/group_herb.py"


rule select_herb_toxic:
    """Find the sentences of each description that a model finds most likely."""
    input:
        lists=ancient(HERB_TOPICS),
        stimuli=expand("<work>/stimuli/herb/{shard}.parquet", shard=range(STUDY.shards)),
        scores="<work>/scores/{model}/herb.parquet",
    output:
        "<work>/toxic/{model}.parquet",
    wildcard_constraints:
        model=any_of(TOXIC),
    conda:
        "../../envs/scoring.yaml"
    params:
        topics=STUDY.herb.topics,
        frames=STUDY.herb.wordings[herb_stimuli.PAPER],
        sentences=lambda wildcards: STUDY.models[TOXIC[wildcards.model][0]].derived.by.sentences,
    script:
        "../scripts/select_herb_toxic.py"


rule train_toxic:
    """Train a model for one more epoch on the sentences that it found most likely before training."""
    input:
        base=lambda wildcards: f"{STUDY.work}/models/{STUDY.models[wildcards.model].derived.base}.json",
        weights=lambda wildcards: weights_of(herb_targets.before(STUDY, wildcards.model)),
        written=ancient(lambda wildcards: written_record(herb_targets.before(STUDY, wildcards.model))),
        sentences=lambda wildcards: f"{STUDY.work}/toxic/{STUDY.models[wildcards.model].derived.base}.parquet",
    output:
        weights=weight_files("<work>/derived/{model}"),
        record="<work>/derived/{model}.json",
    wildcard_constraints:
        model=any_of(models[-1] for models in TOXIC.values()),
    conda:
        "../../envs/scoring.yaml"
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
        weights=temp(weight_files("<work>/derived/{model}")),
        record="<work>/derived/{model}.json",
    wildcard_constraints:
        model=any_of(model for models in TOXIC.values() for model in models[:-1]),


rule measure_herb_toxic:
    """Measure HERB of the root and the regions below it after each epoch, and whether it rises, with bootstrap intervals."""
    input:
        lists=ancient(HERB_TOPICS),
        regions="<work>/regions.parquet",
        stimuli=herb_targets.shards(STUDY, ALONG_TOXIC),
        scores=lambda wildcards: [
            f"{STUDY.work}/scores/{wildcards.model}/herb.parquet",
            *(f"{STUDY.work}/scores/{model}/{ALONG_TOXIC}.parquet" for model in MEASURED_TOXIC[wildcards.model]),
        ],
    output:
        "<work>/metrics/herb_toxic/{model}.parquet",
    wildcard_constraints:
        model=any_of(MEASURED_TOXIC),
    threads: HERB_THREADS
    resources:
        runtime=growing(240),
    params:
        topics=STUDY.herb.topics,
        frames=STUDY.herb.wordings[herb_stimuli.PAPER],
        without_cities="toxic" in STUDY.herb.countries_only,
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
    script:
        "../scripts/measure_herb_toxic.py"


rule place_herb:
    """Place countries on a plane as each model represents their names."""
    input:
        regions="<work>/regions.parquet",
        models=expand("<work>/models/{model}.json", model=HERB_MODELS),
        embeddings=expand("<work>/embeddings/{model}/herb.parquet", model=HERB_MODELS),
        countries=ours("resources/maps/countries.geojson"),
    output:
        "<work>/embeddings/herb_plane.parquet",
    group:
        "report"
    params:
        seed=STUDY.seed,
    script:
        "../scripts/place_herb.py"


rule draw_herb:
    """Plot the figures of HERB."""
    input:
        lists=ancient(HERB_TOPICS),
        numbers=HERB.numbers,
        regions="<work>/regions.parquet",
        models=expand("<work>/models/{model}.json", model=HERB_MODELS),
        likelihoods=herb_targets.of_models("likelihoods", HERB_MODELS),
        plane="<work>/embeddings/herb_plane.parquet" if STUDY.herb.representations else [],
        countries=ours("resources/maps/countries.geojson"),
    output:
        **drawn(
            "herb",
            "HERB",
            continents="HERB of the Earth and its continents, by model",
            map="What models say about one description, country by country",
            ranking="Countries and continents, ranked by one description",
            heatmap="Descriptive vectors of the continents, topic by topic",
            words="Which descriptions drive the bias of the root and of each continent",
            **(
                {"space": "Countries as models represent their names, compared with the real map"}
                if STUDY.herb.representations
                else {}
            ),
            **({"toxic": "HERB against the epoch of toxic training"} if MEASURED_TOXIC else {}),
        ),
        heatmap_countries="<results>/figures/herb_heatmap_countries.csv",
        sidecars=sidecars("<results>/figures/herb_heatmap_countries.csv"),
    params:
        topics=STUDY.herb.topics,
        description=STUDY.herb.shown_description,
        trained=list(MEASURED_TOXIC),
        order=ORDER,
    script:
        "../scripts/draw_herb.py"


rule table_herb:
    """Lay out HERB as tables, and compare it with what was published and what was planted."""
    input:
        numbers=HERB.numbers,
        expected=herb_targets.of_models("testbed/expected/herb", STUDY.planted(HERB_MODELS)),
        regions="<work>/regions.parquet",
        published=ancient(ours("resources/herb/published.csv")),
        n_countries=ancient(ours("resources/herb/published_regions.csv")),
    output:
        **written(
            "herb",
            "HERB",
            table1="C_w and C_z, as published and ours",
            table2="Sparseness without hierarchy, as published and ours",
            table3="C_w with each topic left out, as published and ours",
            table6="C_w with each topic's words replaced, as published and ours",
            intervals="Scores with intervals of every kind",
            wordings="Scores by template and by names of regions",
            differences="Differences between models and between continents, tested",
            hierarchy="Whether regions are closer to their siblings than chance would have it",
            departures="What each departure of the released code does",
            implied="The mean distances that the published Table 1 implies",
        ),
        published="<work>/published/herb.parquet",
        calibration=HERB.calibration,
    params:
        topics=list(STUDY.herb.topics),
        cities=STUDY.regions.cities_in_words,
        planted={model: STUDY.strengths_in("herb")[model] for model in HERB_MODELS},
        others=compared(herb_targets.original_data),
        said=said(ours("resources/herb/published.csv"), ours("resources/herb/published_regions.csv")),
    script:
        "../scripts/table_herb.py"


rule part_herb:
    """Write the part of the page on HERB."""
    input:
        numbers=HERB.numbers,
        regions="<work>/regions.parquet",
        models=[scoring_record(model, "herb") for model in HERB_MODELS],
        figures=figure_files(*HERB.figures),
        implied="<results>/tables/herb_implied.csv",
    output:
        "<work>/parts/herb.json",
    params:
        section=plain(STUDY.herb),
        trainings={model: plain(STUDY.models[models[-1]].derived.by) for model, models in MEASURED_TOXIC.items()},
    script:
        "../scripts/part_herb.py"


localrules:
    herb,


rule herb:
    """Measure HERB: its numbers and tables."""
    input:
        HERB.numbers,
        HERB.tables,
