"""The targets of CrowS-Pairs."""

from herbarium.core.provenance import file_hash
from herbarium.core.targets import Files, Targets, filled
from herbarium.models import originals

FILES = Files("crows_pairs", source="Shrestha et al. 2025")
STIMULI = "crows_pairs"
OBSERVATIONS = "<work>/observations/{model}/crows_pairs.parquet"
NUMBERS = "<work>/metrics/crows_pairs/{model}.parquet"
ITEMS = "<work>/items/crows_pairs/{model}.parquet"
FITS = "<work>/fits/crows_pairs/{model}.parquet"
CHANGES = "<work>/changes/crows_pairs.parquet"
TABLES = {"table15": "CrowS-Pairs, as published and ours"}


def targets(study) -> Targets:
    """study: a `study.config.Study`.

    The published table is from the mixed-effects study: it is compared if that study, or CrowS-Pairs, is measured.
    """
    models = study.crows_pairs.models
    is_fitted = study.mixed_models.are_fitted
    beside = Targets(published=[FILES.published], tables=FILES.tables(TABLES))
    if not models:
        return beside if study.mixed_effects.stimuli and is_fitted else Targets()
    measured = Targets(
        shards={STIMULI: 1},
        scored=[(model, STIMULI) for model in models],
        # the mixed models of each model; none without lme4
        fits=[filled(FITS, model=model) for model in models if is_fitted],
        numbers=[filled(NUMBERS, model=model) for model in models],
        changes=[CHANGES] if study.compared(models) else [],
        items=[filled(ITEMS, model=model) for model in models],
        validity=[FILES.validity],
        parts=[FILES.part],
    )
    measured.add(beside)
    return measured


def original_data(study) -> dict[str, str]:
    """Reasons why data are not those of published figures (`models.originals`), by name."""
    table = study.crows_pairs.table
    return originals.data("crows_pairs", {"crows_pairs": file_hash(table)} if table else {})
