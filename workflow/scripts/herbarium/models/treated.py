"""Models and what was done to them, as plain data: a published figure is matched to our models by this, not by a name.
`models.treatments` reads it from a study."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

ALIGNED = "aligned to "  # a treatment, before the name of the other model


class Treated(NamedTuple):
    """A model of the configuration with all its trainings."""

    name: str
    source: str  # the model at the beginning of the chain that it comes from; itself if there is none
    treatment: str = ""  # in words; empty for an unchanged model
    schedule: str = ""  # of its last training; empty if one of its settings was changed, or there is none
    corpus: str = ""  # of its last training
    weights: str = ""  # those that its last training changed
    trainings: tuple[str, ...] = ()  # the models to measure

    def said(self, n: int) -> str:
        """The note on a mean over n of its trainings."""
        trained = f"{self.name}: trained on {self.corpus} by {self.schedule} (weights: {self.weights})"
        return (
            f"{trained}, mean of {n}" if n > 1 else f"{trained} once: how much another training would differ is unknown"
        )


def unchanged(name: str) -> Treated:
    """An unchanged model."""
    return Treated(name, name, trainings=(name,))


def matching(treated: Iterable[Treated], model: str, treatment: str, schedules: Collection[str] = ()) -> list[Treated]:
    """The models that a published figure on a model after a treatment applies to: a changed one only if its last
    training was by one of the schedules of the study that the figure is from."""
    return [
        entry
        for entry in treated
        if (entry.source, entry.treatment) == (model, treatment) and (not treatment or entry.schedule in schedules)
    ]
