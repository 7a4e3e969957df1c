"""The targets of occupations predicted from biographies."""

from functools import partial

from herbarium.core.errors import check_all
from herbarium.core.files import placed
from herbarium.core.targets import Files, Source, Targets, filled
from herbarium.models import sources
from herbarium.vectors.targets import represented

METRIC = "biographies"
FILES = Files(METRIC, source="Zhao 2021")
# The texts whose vectors are wanted, their words, which texts they belong to, and what was left out.
TEXTS, VOCABULARY = "biographies/{name}", "biographies_words/{name}"
DESIGN = "<work>/designs/biographies/{name}.parquet"
COUNTED = "<work>/designs/biographies/{name}.json"
PREDICTIONS = "<work>/biographies/{name}/{model}/{form}/set-{set}.parquet"
# What fine-tuning a model costs, from a sample, and what the probes of a source do.
SAMPLE = "<work>/estimate/biographies/{name}/{model}.parquet"
PROBES = "<work>/estimate/probes/{name}.parquet"
NUMBERS = "<work>/metrics/biographies/{source}/{name}.parquet"
OCCUPATIONS = "<work>/observations/{source}/biographies/{name}/occupations.parquet"
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
        numbers=[filled(NUMBERS, source=source, name=name) for source, name in section.measured],
        published=[FILES.published],
        costs={(source, f"{METRIC}/{name}"): filled(PROBES, name=name) for source, name in section.probed}
        | {
            (model, f"{METRIC}/{name}"): filled(SAMPLE, model=study.origin(model), name=name)
            for model, name in section.finetuned
        }
        | represented(study, ((source, filled(TEXTS, name=name)) for source, name in section.probed)),
        calibration=[FILES.calibration] if planted(section) else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(TABLES),
        parts=[FILES.part],
    )


def is_of_words(study, source: str) -> bool:
    """Whether a source has only vectors of words: from a file, or trained, and the same after debiasing."""
    entry = study.vectors[source]
    entry = study.vectors[entry.debiased.source] if entry.debiased else entry
    return entry.model is None and entry.planted is None


def predictions(study, model: str, name: str, form: str) -> list[str]:
    """The predictions of a model fine-tuned on a task for its texts in one form, one file per training set; none if it
    is not such a model. Real paths."""
    section = study.biographies
    sets = range(1, section.sets + 1) if (model, name) in section.finetuned else ()
    pattern = placed(filled(PREDICTIONS, name=name, model=model, form=form), study.results)
    return [filled(pattern, set=number) for number in sets]


def planted(section) -> dict[str, float]:
    """Task -> strength of its biographies, of those that are planted."""
    return {name: task.data.planted for name, task in section.tasks.items() if task.data.planted is not None}


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
