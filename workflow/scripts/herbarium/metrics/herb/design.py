"""The design of HERB's stimuli: what its numbers need of the lists. A record has pairs, as their order counts."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from herbarium.metrics.herb.stimuli import PAPER, Frame, frame_text


def as_record(
    wordings: Mapping[str, Sequence[Frame]],
    topics: Mapping[str, Sequence[str]] | None = None,
    made_up_names: Sequence[str] = (),
) -> dict[str, list]:
    """The design of a set of stimuli, as plain data.

    wordings: name -> its frames. topics: topic -> its descriptions. made_up_names: those of the control.
    """
    return {
        "wordings": [[name, list(map(list, frames))] for name, frames in wordings.items()],
        "topics": [[topic, list(words)] for topic, words in (topics or {}).items()],
        "made_up_names": list(made_up_names),
    }


def topics(record: Mapping) -> dict[str, list[str]]:
    """Topic -> its descriptions, in a design."""
    return dict(record["topics"])


def wordings(records: Iterable[Mapping]) -> dict[str, list[Frame]]:
    """Name -> frames of every wording in some designs."""
    return {name: list(map(tuple, frames)) for record in records for name, frames in record["wordings"]}


def dimensions(record: Mapping) -> pd.DataFrame:
    """The dimensions of the published wording in a design: `topic`, `description`, and its `frame`, as stimuli have
    it."""
    words = [(topic, word) for topic, listed in topics(record).items() for word in listed]
    frames = map(frame_text, wordings([record])[PAPER])
    return pd.DataFrame(words, columns=["topic", "description"]).assign(frame=list(frames))
