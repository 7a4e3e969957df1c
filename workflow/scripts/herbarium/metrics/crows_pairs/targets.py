"""The targets of CrowS-Pairs."""

from herbarium.core.provenance import file_hash
from herbarium.core.targets import Targets
from herbarium.models import originals

TABLES = ("table15",)


def targets(study) -> Targets:
    """study: a `study.config.Study`.

    The published table is from the mixed-effects study: it is compared if that study, or CrowS-Pairs, is measured.
    """
    models = study.crows_pairs.models
    is_fitted = study.mixed_models.are_fitted
    beside = Targets(
        published=["<work>/published/crows_pairs.parquet"],
        tables=[f"<results>/tables/crows_pairs_{name}.csv" for name in TABLES],
    )
    if not models:
        return beside if study.mixed_effects.stimuli and is_fitted else Targets()
    measured = Targets(
        shards={"crows_pairs": 1},
        scored=[(model, "crows_pairs") for model in models],
        fits=fits(study),
        numbers=[f"<work>/metrics/crows_pairs/{model}.parquet" for model in models],
        changes=["<work>/changes/crows_pairs.parquet"] if study.compared(models) else [],
        items=[f"<work>/items/crows_pairs/{model}.parquet" for model in models],
        validity=["resources/crows_pairs/validity.csv"],
        parts=["<work>/parts/crows_pairs.json"],
    )
    measured.add(beside)
    return measured


def fits(study) -> list[str]:
    """The mixed models of each model; none without lme4."""
    if not study.mixed_models.are_fitted:
        return []
    return [f"<work>/fits/crows_pairs/{model}.parquet" for model in study.crows_pairs.models]


def original_data(study) -> dict[str, str]:
    """Reasons why data are not those of published figures (`models.originals`), by name."""
    table = study.crows_pairs.table
    return originals.data("crows_pairs", {"crows_pairs": file_hash(table)} if table else {})
