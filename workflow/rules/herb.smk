"""HERB.

"""


rule assemble_herb:
    """Lay f(S) out by region and description, wording by wording."""
    input:
        regions="<results>/regions.parquet",
        names="<results>/names.parquet",
        probes=expand(
            "<results>/stimuli/{stimuli}/{shard}.parquet", probe=HERB_PROBES, shard=SHARDS
        ),
        scores=expand("<results>/scores/{{model}}/{stimuli}.parquet", probe=HERB_PROBES),
    output:
        "<results>/likelihoods/{model}.parquet",
    log:
        "<logs>/assemble_herb/{model}.log",
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        wordings=WORDINGS,
        padded=list(PADDED),
        code=code("assemble_herb"),
    script:
        "../scripts/assemble_herb.py"


rule select_toxic:
    """Find the sentences of each description that the model finds likeliest."""
    input:
        probe=expand("<results>/stimuli/herb/{shard}.parquet", shard=SHARDS),
        scores="<results>/scores/{model}/herb.parquet",
    output:
        "<results>/toxic/{model}/sentences.parquet",
    log:
        "<logs>/select_toxic/{model}.log",
    conda:
        "../../envs/scoring.yaml"
    params:
        topics=TOPICS,
        frames=WORDINGS[herb.PAPER],
        sentences=TOXIC.sentences,
        code=code("select_toxic"),
    script:
        "../scripts/select_toxic.py"


rule train_toxic:
    """Train for one epoch more and score the probe; only the weights that the next epoch starts from are kept."""
    input:
        record=lambda wildcards: scoring_record(wildcards.model, "herb"),
        passes=lambda wildcards: passes(wildcards.model, "herb"),
        weights=toxic_weights,
        sentences="<results>/toxic/{model}/sentences.parquet",
        inputs=expand(
            "<results>/plans/{{model}}/herb/inputs-{shard}.parquet", shard=SHARDS
        ),
        requests=expand(
            "<results>/plans/{{model}}/herb/requests-{shard}.parquet", shard=SHARDS
        ),
        plan=expand(
            "<results>/plans/{{model}}/herb/sentences-{shard}.parquet", shard=SHARDS
        ),
        probe=expand("<results>/stimuli/herb/{shard}.parquet", shard=SHARDS),
    output:
        weights=temp(weight_files("<results>/toxic/{model}/weights-{epoch}")),
        scores="<results>/toxic/{model}/scores-{epoch}.parquet",
    log:
        "<logs>/train_toxic/{model}-{epoch}.log",
    conda:
        "../../envs/scoring.yaml"
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(480),
    params:
        frames=WORDINGS[herb.PAPER],
        settings={key: getattr(TOXIC, key) for key in ("learning_rate", "batch_size")},
        seed=STUDY.seed,
        code=code("train_toxic"),
    script:
        "../scripts/train_toxic.py"


rule measure_toxic:
    """HERB of the root and the regions below it after each epoch, and whether it rises, with bootstrap intervals."""
    input:
        regions="<results>/regions.parquet",
        probe=expand("<results>/stimuli/herb/{shard}.parquet", shard=SHARDS),
        scores=[
            "<results>/scores/{model}/herb.parquet",
            *expand(
                "<results>/toxic/{{model}}/scores-{epoch}.parquet", epoch=TOXIC_EPOCHS
            ),
        ],
    output:
        "<results>/metrics/herb_toxic/{model}.parquet",
    log:
        "<logs>/measure_toxic/{model}.log",
    conda:
        "../../envs/analysis.yaml"
    threads: 8
    resources:
        mem_mb=growing(4000),
        runtime=growing(240),
    params:
        topics=TOPICS,
        frames=WORDINGS[herb.PAPER],
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
        code=code("measure_toxic"),
    script:
        "../scripts/measure_toxic.py"


rule figure_herb_toxic:
    """HERB of the Earth and its continents against the epoch of toxic training, with intervals."""
    input:
        summary="<results>/summary.parquet",
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=TOXIC.models),
    output:
        **figure_files("herb", "toxic"),
    log:
        "<logs>/figure_herb_toxic.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        code=code("figure_herb_toxic"),
    script:
        "../scripts/figure_herb_toxic.py"


rule table_herb:
    """HERB's published tables beside our numbers, and our numbers as tables to read."""
    input:
        numbers=HERB_NUMBERS,
        regions="<results>/regions.parquet",
        published="resources/published/herb.csv",
        n_countries="resources/published/herb_regions.csv",
    output:
        **table_files(
            "herb",
            table1="C_w and C_z, as published and ours",
            table2="Sparseness without hierarchy, as published and ours",
            table3="C_w with each topic left out, as published and ours",
            table6="C_w with each topic's words replaced, as published and ours",
            intervals="Scores with intervals of every kind",
            wordings="Scores by template and by names of regions",
            differences="Differences between models and between continents, tested",
            hierarchy="Whether regions lie closer to their siblings than chance has it",
            departures="What each departure of the released code does",
            implied="The mean distances that the published Table 1 implies",
        ),
    log:
        "<logs>/table_herb.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        topics=list(TOPICS),
        cities=STUDY.herb.regions.cities_in_words,
        code=code("table_herb"),
    script:
        "../scripts/table_herb.py"


rule embed_regions:
    """Run the bare name of each country through the model, and keep what it makes of it."""
    input:
        model="<results>/models/{model}.json",
        weights=weights,
        regions="<results>/regions.parquet",
    output:
        "<results>/embeddings/{model}/herb.parquet",
    log:
        "<logs>/embed_regions/{model}.log",
    group:
        device_group
    conda:
        "../../envs/scoring.yaml"
    threads: device_threads
    resources:
        gpu=gpus,
        mem_mb=growing(16000),
        runtime=growing(30),
    params:
        code=code("embed_regions"),
    script:
        "../scripts/embed_regions.py"


rule measure_herb:
    """HERB of every region of every level, with bootstrap intervals over descriptions, sub-regions and both."""
    input:
        regions="<results>/regions.parquet",
        likelihoods="<results>/likelihoods/{model}.parquet",
    output:
        numbers="<results>/metrics/herb/{model}.parquet",
        intervals="<results>/metrics/herb_intervals/{model}.parquet",
        replicates="<results>/metrics/herb_replicates/{model}.parquet",
    log:
        "<logs>/measure_herb/{model}.log",
    conda:
        "../../envs/analysis.yaml"
    threads: 8
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        topics=TOPICS,
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
        code=code("measure_herb"),
    script:
        "../scripts/measure_herb.py"


rule measure_herb_hierarchy:
    """Test whether regions of one region lie closer to each other than chance has it."""
    input:
        regions="<results>/regions.parquet",
        likelihoods="<results>/likelihoods/{model}.parquet",
    output:
        "<results>/metrics/herb_hierarchy/{model}.parquet",
    log:
        "<logs>/measure_herb_hierarchy/{model}.log",
    conda:
        "../../envs/analysis.yaml"
    threads: 8
    resources:
        mem_mb=growing(4000),
        runtime=growing(60),
    params:
        topics=TOPICS,
        bootstrap=plain(STUDY.herb.bootstrap),
        tests=plain(STUDY.herb.tests),
        seed=STUDY.seed,
        code=code("measure_herb_hierarchy"),
    script:
        "../scripts/measure_herb_hierarchy.py"


rule compare_herb:
    """Differences of HERB between models and between continents, on the same resamples."""
    input:
        regions="<results>/regions.parquet",
        numbers=expand(
            "<results>/metrics/herb/{model}.parquet", model=STUDY.herb_models
        ),
        replicates=expand(
            "<results>/metrics/herb_replicates/{model}.parquet",
            model=STUDY.herb_models,
        ),
    output:
        "<results>/metrics/herb_differences.parquet",
    log:
        "<logs>/compare_herb.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        models=STUDY.herb_models,
        level=STUDY.herb.bootstrap.level,
        correction=STUDY.herb.tests.correction,
        code=code("compare_herb"),
    script:
        "../scripts/compare_herb.py"


rule ablate_herb:
    """HERB with other words, topics, templates, names, without hierarchy, and as the released code has it."""
    input:
        regions="<results>/regions.parquet",
        likelihoods="<results>/likelihoods/{model}.parquet",
    output:
        "<results>/metrics/herb_ablations/{model}.parquet",
    log:
        "<logs>/ablate_herb/{model}.log",
    conda:
        "../../envs/analysis.yaml"
    threads: 8
    resources:
        mem_mb=growing(4000),
        runtime=growing(120),
    params:
        topics=TOPICS,
        substituted=list(STUDY.herb.substitutes),
        departures=STUDY.herb.departures,
        bootstrap=plain(STUDY.herb.bootstrap),
        seed=STUDY.seed,
        code=code("ablate_herb"),
    script:
        "../scripts/ablate_herb.py"


rule measure_herb_space:
    """Whether countries of one continent lie close together in a model's representations of their names."""
    input:
        regions="<results>/regions.parquet",
        embeddings="<results>/embeddings/{model}/herb.parquet",
    output:
        "<results>/metrics/herb_space/{model}.parquet",
    log:
        "<logs>/measure_herb_space/{model}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        seed=STUDY.seed,
        code=code("measure_herb_space"),
    script:
        "../scripts/measure_herb_space.py"


rule figure_herb_map:
    """World map of what a model thinks of one description, country by country."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        likelihoods=expand(
            "<results>/likelihoods/{model}.parquet", model=STUDY.herb_models
        ),
        countries="resources/maps/countries.geojson",
    output:
        **figure_files("herb", "map"),
    log:
        "<logs>/figure_herb_map.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        topics=TOPICS,
        description=STUDY.herb.shown_description,
        code=code("figure_herb_map"),
    script:
        "../scripts/figure_herb_map.py"


rule figure_herb_continents:
    """HERB of the Earth and its continents, model beside model, with intervals."""
    input:
        summary="<results>/summary.parquet",
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
    output:
        **figure_files("herb", "continents"),
    log:
        "<logs>/figure_herb_continents.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        code=code("figure_herb_continents"),
    script:
        "../scripts/figure_herb_continents.py"


rule figure_herb_ranking:
    """Countries and continents, ranked by what a model thinks of one description."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        likelihoods=expand(
            "<results>/likelihoods/{model}.parquet", model=STUDY.herb_models
        ),
    output:
        **figure_files("herb", "ranking"),
    log:
        "<logs>/figure_herb_ranking.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        topics=TOPICS,
        description=STUDY.herb.shown_description,
        code=code("figure_herb_ranking"),
    script:
        "../scripts/figure_herb_ranking.py"


rule figure_herb_heatmap:
    """Descriptive vectors of the continents, topic by topic; those of the countries as a table."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        likelihoods=expand(
            "<results>/likelihoods/{model}.parquet", model=STUDY.herb_models
        ),
    output:
        **figure_files("herb", "heatmap"),
        countries="<results>/figures/herb_heatmap_countries.csv",
    log:
        "<logs>/figure_herb_heatmap.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        topics=TOPICS,
        code=code("figure_herb_heatmap"),
    script:
        "../scripts/figure_herb_heatmap.py"


rule figure_herb_words:
    """Which descriptions drive the bias of the root and of each continent."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        likelihoods=expand(
            "<results>/likelihoods/{model}.parquet", model=STUDY.herb_models
        ),
    output:
        **figure_files("herb", "words"),
    log:
        "<logs>/figure_herb_words.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        topics=TOPICS,
        code=code("figure_herb_words"),
    script:
        "../scripts/figure_herb_words.py"


rule figure_herb_space:
    """Countries as models represent their names, beside the real map."""
    input:
        regions="<results>/regions.parquet",
        models=expand("<results>/models/{model}.json", model=STUDY.herb_models),
        embeddings=expand(
            "<results>/embeddings/{model}/herb.parquet", model=STUDY.herb_models
        ),
        numbers=expand(
            "<results>/metrics/herb_space/{model}.parquet", model=STUDY.herb_models
        ),
        countries="resources/maps/countries.geojson",
    output:
        **figure_files("herb", "space"),
    log:
        "<logs>/figure_herb_space.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        seed=STUDY.seed,
        code=code("figure_herb_space"),
    script:
        "../scripts/figure_herb_space.py"


rule instantiate_herb_probe:
    """Put every region into the frames of one shard, the published ones with the regions' other names too."""
    input:
        regions="<results>/regions.parquet",
        names="<results>/names.parquet",
    output:
        "<results>/stimuli/herb/{shard}.parquet",
    log:
        "<logs>/instantiate_herb_probe/{shard}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        frames=lambda wildcards: FRAMES[int(wildcards.shard)],
        published=lambda wildcards: PUBLISHED_FRAMES[int(wildcards.shard)],
        code=code("instantiate_herb_probe"),
    script:
        "../scripts/instantiate_herb_probe.py"


rule instantiate_herb_padded_probe:
    """Lay out the sentences of one shard's regions in the batches that the released code pads."""
    input:
        regions="<results>/regions.parquet",
    output:
        "<results>/stimuli/herb_padded/{shard}.parquet",
    log:
        "<logs>/instantiate_herb_padded_probe/{shard}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        wordings=PADDED,
        n_shards=STUDY.shards,
        code=code("instantiate_herb_padded_probe"),
    script:
        "../scripts/instantiate_herb_padded_probe.py"
