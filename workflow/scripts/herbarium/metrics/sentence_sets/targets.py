"""What a study asks for of sentences of one's own."""

from herbarium.core.targets import Targets

FIGURES = ("forest",)
TABLES = ("numbers", "sentences", "faults")


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without a set of sentences."""
    sets, places = study.sentence_sets, measured(study)
    if not sets:
        return Targets()
    planted = study.planted(models(study))
    return Targets(
        shards={f"sentence_sets/{name}": 1 for name in sets},
        scored=[(model, f"sentence_sets/{name}") for model, name in places],
        planted={model: [f"<results>/testbed/text/sentence_sets/{model}.parquet"] for model in planted},
        numbers=[f"<results>/metrics/sentence_sets/{model}/{name}.parquet" for model, name in places],
        replicates=[
            f"<results>/replicates/sentence_sets/{model}/{name}.parquet"
            for model, name in places
            if sets[name].bootstrap.replicates
        ],
        changes=[
            f"<results>/changes/sentence_sets/{name}.parquet"
            for name, entry in sets.items()
            if study.compared(entry.models)
        ],
        items=[f"<results>/items/sentence_sets/{model}/{name}.parquet" for model, name in places],
        validity=["resources/sentence_sets/validity.csv"],
        calibration=["<results>/calibration/sentence_sets.parquet"] if planted else [],
        figures=[f"sentence_sets_{name}" for name in FIGURES],
        tables=[f"<results>/tables/sentence_sets_{name}.csv" for name in TABLES],
        parts=["<results>/parts/sentence_sets.json"],
    )


def measured(study) -> list[tuple[str, str]]:
    """(model, name of the sets) of all that is measured."""
    return [(model, name) for name, entry in study.sentence_sets.items() for model in entry.models]


def models(study) -> list[str]:
    """Every model that is measured with any of the sets, each once."""
    return list(dict.fromkeys(model for model, _ in measured(study)))


def entries(study) -> dict[str, dict]:
    """What each set of sentences is compared by, as plain data."""
    return {
        name: entry.model_dump(mode="json", exclude={"format", "table", "models"})
        for name, entry in study.sentence_sets.items()
    }


def learned(study, model: str) -> list[str]:
    """The files with the sentences that a model with a planted bias learns."""
    return [file for entry in study.sentence_sets.values() if model in entry.models for file in entry.files]
