"""The targets of pseudo-perplexity."""

from herbarium.core.targets import Targets


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without a model."""
    section = study.perplexity
    if not section.models:
        return Targets()
    return Targets(
        shards={f"perplexity/{corpus}": 1 for corpus in section.texts},
        scored=[(model, f"perplexity/{corpus}") for corpus in section.texts for model in section.models],
        numbers=[
            f"<work>/metrics/perplexity/{model}/{corpus}.parquet"
            for corpus in section.texts
            for model in section.models
        ],
        changes=[
            f"<work>/changes/perplexity/{corpus}.parquet" for corpus in section.texts if study.compared(section.models)
        ],
        validity=["resources/perplexity/validity.csv"],
        parts=["<work>/parts/perplexity.json"],
    )
