"""The targets of occupations predicted from biographies."""

from functools import partial

from herbarium.core.errors import check_all
from herbarium.core.targets import Source, Targets
from herbarium.models import sources

METRIC = "biographies"
FIGURES = {"gaps": "Gaps between women and men by occupation, against the share of women"}
TABLES = {
    "numbers": "Every number by task, source of vectors and layer, or fine-tuned model",
    "occupations": "Occupations: accuracies, gaps and shares of women",
}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without a task."""
    section = study.biographies
    if not section.tasks:
        return Targets()
    return Targets(
        sources=[
            Source(
                f"biographies.tasks.{name}.data",
                entry.data.model_dump(mode="json"),
                True,
                "read_biographies",
                {"name": name},
            )
            for name, entry in section.tasks.items()
            if entry.data.hub or entry.data.git
        ],
        numbers=[f"<work>/metrics/{METRIC}/{of}/{name}.parquet" for of, name in section.measured],
        calibration=[f"<work>/calibration/{METRIC}.parquet"] if planted(section) else [],
        validity=[f"resources/{METRIC}/validity.csv"],
        figures=[f"{METRIC}_{name}" for name in FIGURES],
        tables=[f"<results>/tables/{METRIC}_{name}.csv" for name in TABLES],
        parts=[f"<work>/parts/{METRIC}.json"],
    )


def is_of_words(study, source: str) -> bool:
    """Whether a source has only vectors of words: from a file, or trained, and the same after debiasing."""
    of = study.vectors[source]
    of = study.vectors[of.debiased.source] if of.debiased else of
    return of.model is None and of.planted is None


def predictions(study, model: str, name: str, form: str) -> list[str]:
    """The predictions of a model fine-tuned on a task for its texts in one form, one file per training set; none if it
    is not such a model. Real paths."""
    section = study.biographies
    sets = range(1, section.sets + 1) if (model, name) in section.finetuned else ()
    return [f"{study.work}/{METRIC}/{name}/{model}/{form}/set-{number}.parquet" for number in sets]


def planted(section) -> dict[str, float]:
    """Task -> strength of its biographies, of those that are planted."""
    return {name: of.data.planted for name, of in section.tasks.items() if of.data.planted is not None}


def require_files(section) -> None:
    """Raise HerbariumError, with all of them, for local tables without a column named by a task."""
    check_all(
        [
            partial(sources.require_columns, entry.data.path, [column for column in _columns(entry) if column])
            for entry in section.tasks.values()
            if entry.data.path
        ]
    )


def _columns(entry) -> list[str | None]:
    return [entry.text, entry.occupation, entry.gender, entry.name, entry.language, entry.column]
