"""Models: their weights, and the records that identify them.

What the workflow makes itself: planted models (testbed/), safetensors from pytorch_model.bin or a GGUF file (converted/), adapters merged into
their base (merged/), and models changed by a recipe (derived/), whose rule is with the metric that the recipe needs. Next to each
of these folders, {model}.json says what was written into it; anything else there is rejected.
"""

# Models that are run; the scores of neutralised ones are made from those of others (neutralised.smk).
RUN_MODELS = any_of(name for name in STUDY.models if name not in NEUTRALISED)
ADAPTERS = {name: model.adapter for name, model in STUDY.models.items() if model.adapter}
MADE_FROM_FILES = {*ADAPTERS, *(name for name, model in STUDY.models.items() if model.gguf)}


rule resolve_model:
    """Find a model's weights, reject what cannot be scored, and record what identifies them."""
    input:
        weights=weights,
        # its files count by content; training that gave the same ones again changes nothing
        written=ancient(lambda wildcards: written_record(wildcards.model)),
        # for these, it also says what they were made from
        merged=lambda wildcards: written_record(wildcards.model) if wildcards.model in MADE_FROM_FILES else [],
    output:
        shared.MODEL,
    wildcard_constraints:
        model=RUN_MODELS,
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        entry=lambda wildcards: plain(STUDY.models[wildcards.model]),
        # None for an unpinned one, with which no run starts
        commit=lambda wildcards: loading.pinned(plain(STUDY.models[wildcards.model]), STUDY.lock),
        weighted=lambda wildcards: wildcards.model in STUDY.weighted,
    script:
        "../scripts/resolve_model.py"


rule train_testbed:
    """Train a tiny language model with a planted bias on the texts that metrics provide for it."""
    input:
        text=lambda wildcards: planted_text(wildcards.model),
        # a planted model may share the tokenizer of another one
        tokenizer=lambda wildcards: (
            real_path(shared.MODEL, model=tokenizer) if (tokenizer := STUDY.models[wildcards.model].tokenizer) else []
        ),
    output:
        weights=weight_files(shared.TESTBED),
        record=f"{shared.TESTBED}.json",
    wildcard_constraints:  # the folder of a model from another study is a local model, not to be trained here
        model=any_of(STUDY.planted(STUDY.models)),
    conda:
        "../../envs/scoring.yaml"
    threads: 1
    params:
        settings=plain(STUDY.testbed),
        seed=lambda wildcards: STUDY.training_seed(wildcards.model),
        kind=lambda wildcards: str(STUDY.models[wildcards.model].kind),
        start=lambda wildcards: STUDY.models[wildcards.model].start,
    script:
        "../scripts/train_testbed.py"


rule convert_weights:
    """Read weights of pytorch_model.bin, only as tensors, or of a GGUF file, dequantised, once, and keep them as safetensors."""
    input:
        lambda wildcards: files_in(
            STUDY.models[wildcards.model].path, loading.source_file(plain(STUDY.models[wildcards.model]))
        ),
    output:
        weights=weight_files(shared.CONVERTED),
        record=f"{shared.CONVERTED}.json",
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        entry=lambda wildcards: plain(STUDY.models[wildcards.model]),
        # None for an unpinned one, with which no run starts
        commit=lambda wildcards: loading.pinned(plain(STUDY.models[wildcards.model]), STUDY.lock),
    script:
        "../scripts/convert_weights.py"


rule merge_adapter:
    """Merge the adapter of a model into its base, in float32, and keep the result as safetensors."""
    input:
        lambda wildcards: files_in(
            STUDY.models[wildcards.model].path, loading.source_file(plain(STUDY.models[wildcards.model]))
        ),
        lambda wildcards: files_in(ADAPTERS[wildcards.model].path),
    output:
        weights=weight_files(shared.MERGED),
        record=f"{shared.MERGED}.json",
    wildcard_constraints:
        model=any_of(ADAPTERS),
    conda:
        "../../envs/scoring.yaml"
    threads: 1
    resources:
        mem_mb=growing(16000),
        runtime=growing(120),
    params:
        entry=lambda wildcards: plain(STUDY.models[wildcards.model]),
        # None for an unpinned one, with which no run starts
        commit=lambda wildcards: loading.pinned(plain(STUDY.models[wildcards.model]), STUDY.lock),
        # None for a local one
        adapter_commit=lambda wildcards: loading.pinned(plain(ADAPTERS[wildcards.model]), STUDY.lock),
    script:
        "../scripts/merge_adapter.py"


rule pin_models:
    """Ask the hub for the commit of every model without a revision, and write these commits to the lock file."""
    conda:
        "../../envs/scoring.yaml"
    params:
        pins=[
            loading.pin(plain(model))
            for model in (*STUDY.models.values(), *ADAPTERS.values())
            if model.hub and model.revision is None
        ],
        lock=str(STUDY.lock),
    script:
        "../scripts/pin_models.py"


rule fetch_models:
    """Download every hub model and data set of the study into the local cache, for machines without a network."""
    conda:
        "../../envs/scoring.yaml"
    resources:
        mem_mb=growing(1000),
        runtime=growing(240),
    params:
        models={
            key: entry
            for key, entry in loading.with_adapters({name: plain(one) for name, one in STUDY.models.items()}).items()
            if entry["hub"]
        },
        sources=[source._asdict() for source in TARGETS.sources],
        lock=str(STUDY.lock),
    script:
        "../scripts/fetch_models.py"
