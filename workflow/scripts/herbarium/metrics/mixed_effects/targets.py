"""The targets of the mixed-effects metric."""

from herbarium.core.targets import Targets, list_tables
from herbarium.metrics.mixed_effects.tables import PUBLISHED
from herbarium.models import originals

FIGURES = ("scores", "effect_sizes", "levels", "bins")
TABLES = (*PUBLISHED, "scores", "bins", "sentences")


def targets(study) -> Targets:
    """study: a `study.config.Study`. Tidy numbers are those of all fits, for every metric (groups.smk)."""
    section = study.mixed_effects
    # models learn the same text with or without R
    learned = study.planted(section.models)
    found = Targets(planted={model: [f"<work>/testbed/text/mixed_effects/{model}.parquet"] for model in learned})
    if not study.mixed_models.are_fitted or not section.stimuli:
        return found
    kinds = ["main", *(["further"] if section.sensitivity else [])]
    found.add(
        Targets(
            shards={f"mixed_effects/{name}": study.shards for name in section.stimuli},
            scored=[(model, f"mixed_effects/{name}") for model, name in section.measured],
            fits=[f"<work>/fits/mixed_effects/{model}/{kind}.parquet" for kind in kinds for model in section.models],
            changes=[
                f"<work>/changes/mixed_effects/{name}.parquet"
                for name, entry in section.stimuli.items()
                if study.compared(entry.models)
            ],
            published=["<work>/published/mixed_effects.parquet"],
            calibration=["<work>/calibration/mixed_effects.parquet"] if learned else [],
            items=[f"<work>/items/mixed_effects/{model}.parquet" for model in section.models],
            validity=["resources/mixed_effects/validity.csv"],
            figures=[f"mixed_effects_{name}" for name in FIGURES],
            tables=[f"<results>/tables/mixed_effects_{name}.csv" for name in TABLES],
            parts=["<work>/parts/mixed_effects.json"],
        )
    )
    return found


def lists_of(study, model: str) -> list[str]:
    """The tables of all stimuli with which a model is measured."""
    return list_tables(*study.mixed_effects.lists_of(model).values())


def original_data(study) -> dict[str, str]:
    """Reasons why data are not those of published figures (`models.originals`), by name of the stimuli."""
    stimuli = study.mixed_effects.stimuli
    digests = {name: originals.texts_digest(list_tables(of.lists), of.lowercase) for name, of in stimuli.items()}
    return originals.data("mixed_effects", digests)
