"""The targets of pseudo-perplexity."""

from herbarium.core.targets import Files, Targets, filled

FILES = Files("perplexity")
STIMULI = "perplexity/{corpus}"
NUMBERS = "<work>/metrics/perplexity/{model}/{corpus}.parquet"
CHANGES = "<work>/changes/perplexity/{corpus}.parquet"


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without a model."""
    section = study.perplexity
    if not section.models:
        return Targets()
    return Targets(
        shards={filled(STIMULI, corpus=corpus): 1 for corpus in section.texts},
        scored=[(model, filled(STIMULI, corpus=corpus)) for corpus in section.texts for model in section.models],
        numbers=[filled(NUMBERS, model=model, corpus=corpus) for corpus in section.texts for model in section.models],
        changes=[filled(CHANGES, corpus=corpus) for corpus in section.texts if study.compared(section.models)],
        validity=[FILES.validity],
        parts=[FILES.part],
    )
