"""Toxic continual training (HERB, Section 4.7): a model learns from its likeliest sentences and is measured meanwhile.

Input: results/models/, results/plans/, results/scores/. Output: results/toxic/{model}/ (the sentences,
the scores after each epoch, and for as long as the next epoch needs them the weights),
results/metrics/herb_toxic/{model}.parquet, results/figures/herb_toxic.{svg,pdf,png,csv}.
"""


rule select_toxic:
    """Find the sentences of each description that the model finds likeliest."""
    input:
        probe=expand("<results>/probes/herb/{shard}.parquet", shard=SHARDS),
        scores="<results>/scores/{model}/herb.parquet",
    output:
        "<results>/toxic/{model}/sentences.parquet",
    log:
        "<logs>/select_toxic/{model}.log",
    benchmark:
        "<benchmarks>/select_toxic/{model}.tsv"
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        topics=TOPICS,
        frames=WORDINGS[herb.PAPER],
        sentences=TOXIC.sentences,
        code=code("select_toxic"),
    message:
        "Selecting the toxic sentences of {wildcards.model}"
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
        probe=expand("<results>/probes/herb/{shard}.parquet", shard=SHARDS),
    output:
        weights=temp(weight_files("<results>/toxic/{model}/weights-{epoch}")),
        scores="<results>/toxic/{model}/scores-{epoch}.parquet",
    log:
        "<logs>/train_toxic/{model}-{epoch}.log",
    benchmark:
        "<benchmarks>/train_toxic/{model}-{epoch}.tsv"
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
    message:
        "Toxic training of {wildcards.model}, epoch {wildcards.epoch}"
    script:
        "../scripts/train_toxic.py"


rule measure_toxic:
    """HERB of the root and the regions below it after each epoch, and whether it rises, with bootstrap intervals."""
    input:
        regions="<results>/regions.parquet",
        probe=expand("<results>/probes/herb/{shard}.parquet", shard=SHARDS),
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
    benchmark:
        "<benchmarks>/measure_toxic/{model}.tsv"
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
    message:
        "Measuring HERB along the toxic training of {wildcards.model}"
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
    benchmark:
        "<benchmarks>/figure_herb_toxic.tsv"
    conda:
        "../../envs/analysis.yaml"
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        code=code("figure_herb_toxic"),
    message:
        "Drawing HERB along toxic training"
    script:
        "../scripts/figure_herb_toxic.py"
