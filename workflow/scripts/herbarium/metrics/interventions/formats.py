"""The formats of questions between two subjects: custom lists, or a file of the authors."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from herbarium.metrics.interventions import lei, stimuli
from herbarium.metrics.interventions.stimuli import Question

FORMATS = (LISTS, LEI) = ("lists", "lei")


def files(entry: Mapping) -> list[Path]:
    """The source files of questions. entry: of `interventions.questions`, as plain data."""
    if entry["format"] == LEI:
        return [Path(entry["table"])]
    given = entry["subjects"]
    subjects = Path(given["file"]) if given else stimuli.subjects_in(entry["table"])
    return [*stimuli.files(entry["table"]), subjects]


def left_out(entry: Mapping) -> list[str]:
    """The keys of questions that cannot be asked. entry: as of `files`."""
    return lei.unlike(entry["table"]) if entry["format"] == LEI else []


def read(entry: Mapping, seed: int) -> Iterator[Question]:
    """The questions. entry: as of `files`. seed: of the study. Raises HerbariumError."""
    if entry["format"] == LEI:
        return lei.questions(entry["table"])
    given = entry["subjects"]
    subjects = stimuli.read_subjects(given["file"], given["mark"]) if given else None
    return stimuli.questions(stimuli.read(entry["table"], subjects), entry["max_pairs"], seed)
