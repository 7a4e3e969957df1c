"""The targets of counterfactual sentences, given those of all other metrics."""

from herbarium.core.errors import HerbariumError
from herbarium.core.targets import Files, Targets, filled

FILES = Files("counterfactual")
STIMULI = "counterfactual/{stimuli}"
PAIRS = "<work>/pairs/counterfactual/{stimuli}.parquet"
NUMBERS = "<work>/metrics/counterfactual/{model}/{stimuli}.parquet"
OBSERVATIONS = "<work>/observations/{model}/counterfactual/{stimuli}.parquet"
CHANGES = "<work>/changes/counterfactual/{stimuli}.parquet"
TABLES = {
    "numbers": "Mean absolute changes by sentences, quantity and model",
    "sentences": "Every pair of sentences with its change",
}


def require_sentences(study, asked: Targets) -> None:
    """Raise HerbariumError for a model that nothing else measures, since the sentences of other metrics are swapped."""
    if idle := set(study.counterfactual.models) - {model for model, _ in measured(study, asked)}:
        raise HerbariumError(
            f"counterfactual.models: '{min(idle)}' scores no sentence that could be swapped; measure it with another "
            "metric, too."
        )


def targets(study, asked: Targets) -> Targets:
    """study: a `study.config.Study`. asked: the targets of all other metrics. Nothing without a model."""
    places = measured(study, asked)
    if not places:
        return Targets()
    stimuli = list(dict.fromkeys(stimuli for _, stimuli in places))
    return Targets(
        shards={swapped(stimuli_name): asked.shards[stimuli_name] for stimuli_name in stimuli},
        # the number format is that of the original sentences
        tuned_by={swapped(stimuli_name): asked.tuned_by.get(stimuli_name, stimuli_name) for stimuli_name in stimuli},
        scored=[(model, swapped(stimuli_name)) for model, stimuli_name in places],
        numbers=[filled(NUMBERS, model=model, stimuli=stimuli_name) for model, stimuli_name in places],
        changes=[
            filled(CHANGES, stimuli=stimuli_name)
            for stimuli_name in stimuli
            if study.compared([model for model, other in places if other == stimuli_name])
        ],
        tables=FILES.tables(TABLES),
        validity=[FILES.validity],
        parts=[FILES.part],
    )


def measured(study, asked: Targets) -> list[tuple[str, str]]:
    """(model, stimuli) of everything swapped: what the models score for other metrics."""
    wanted = study.counterfactual.models
    return list(dict.fromkeys((model, stimuli) for model, stimuli in asked.scored if model in wanted))


def swapped(stimuli: str) -> str:
    """The stimuli made from others by swapping gendered words."""
    return filled(STIMULI, stimuli=stimuli)
