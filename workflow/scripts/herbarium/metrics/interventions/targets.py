"""The targets of interventions."""

from herbarium.core.targets import Files, Targets, filled
from herbarium.metrics.interventions.formats import LEI
from herbarium.metrics.interventions.stimuli import FILL, QUANTITIES, SPAN_FORM

FILES = Files("interventions")
STIMULI = "interventions/{name}/{form}"
OBSERVATIONS = "<work>/observations/{model}/interventions/{name}.parquet"
NUMBERS = "<work>/metrics/interventions/{model}/{name}.parquet"
CHANGES = "<work>/changes/interventions/{name}.parquet"
FIGURES = {"types": "Preferences by type of intervention"}
TABLES = {
    "numbers": "Every number by questions, type of intervention and model",
    "subjects": "Every subject's preference by type of intervention",
    "answers": "Every question with each model's preference",
}
# Of questions in the authors' files.
STORED = {"stored": "Numbers of the authors' model, from the probabilities stored in their files"}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without questions."""
    places = study.interventions.measured
    if not places:
        return Targets()
    models = study.interventions.models
    planted = study.planted(models)
    stimuli = list(dict.fromkeys(stimuli_of(study, *place) for place in places))
    return Targets(
        shards=dict.fromkeys(stimuli, 1),
        scored=[(model, stimuli_of(study, model, name)) for model, name in places],
        planted={model: [filled(FILES.planted, model=model)] for model in planted},
        numbers=[filled(NUMBERS, model=model, name=name) for model, name in places],
        changes=[
            filled(CHANGES, name=name)
            for name, entry in study.interventions.questions.items()
            if study.compared(entry.models)
        ],
        calibration=[FILES.calibration] if planted else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(tables(study)),
        parts=[FILES.part],
    )


def form_of(study, model: str) -> str:
    """The form in which a model is asked, of `stimuli.FORMS`."""
    return SPAN_FORM if study.models[model].kind in QUANTITIES[SPAN_FORM] else FILL


def stimuli_of(study, model: str, name: str) -> str:
    """The stimuli of some questions, in the form of a model."""
    return stimuli_in(name, form_of(study, model))


def stimuli_in(name: str, form: str) -> str:
    """The stimuli of some questions in a form."""
    return filled(STIMULI, name=name, form=form)


def tables(study) -> dict[str, str]:
    """The content of its tables, by name."""
    return TABLES | (STORED if of_authors(study) else {})


def of_authors(study) -> dict[str, str]:
    """The questions from a file of the authors, with the file."""
    return {name: str(entry.table) for name, entry in study.interventions.questions.items() if entry.format == LEI}


def learned(study, model: str) -> list[str]:
    """The questions that a planted model learns, by name."""
    return [name for measured_model, name in study.interventions.measured if measured_model == model]
