"""Models and what was done to them, as plain data: by this, not by a name, a published figure finds the models of ours
that it is of. `models.treatments` reads it from a study."""

from collections.abc import Collection, Iterable
from typing import NamedTuple


class Treated(NamedTuple):
    """A model of the configuration, all trainings of it together."""

    name: str
    source: str  # the model at the beginning of the chain that it comes from; itself where it comes from none
    treatment: str = ""  # in words; empty of a model as it is
    schedule: str = ""  # that of its last training; empty where a setting of it was changed, or there is none
    corpus: str = ""  # of its last training
    weights: str = ""  # which of them its last training changed
    trainings: tuple[str, ...] = ()  # the models to measure

    def said(self, n: int) -> str:
        """What is to be noted of a mean over n of its trainings."""
        trained = f"{self.name}: trained on {self.corpus} by {self.schedule} (weights: {self.weights})"
        return f"{trained}, mean of {n}" if n > 1 else f"{trained} once: what another training gives is not known"


def unchanged(name: str) -> Treated:
    """A model as it is."""
    return Treated(name, name, trainings=(name,))


def matching(treated: Iterable[Treated], model: str, treatment: str, schedules: Collection[str] = ()) -> list[Treated]:
    """Those that a figure of a model after a treatment is of: a changed one only if its last training was by one of
    some schedules, those of the study that the figure is from."""
    return [
        of
        for of in treated
        if (of.source, of.treatment) == (model, treatment) and (not treatment or of.schedule in schedules)
    ]
