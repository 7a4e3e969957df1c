"""What a study asks for of counterfactual sentences, given what all other metrics ask for."""

from herbarium.core.errors import HerbariumError
from herbarium.core.targets import Targets

TABLES = {
    "numbers": "Mean absolute changes by sentences, quantity and model",
    "sentences": "Every pair of sentences with its change",
}


def targets(study, asked: Targets) -> Targets:
    """study: a `study.config.Study`. asked: what all other metrics ask for. Nothing without a model.

    Raises HerbariumError for a model that nothing else measures: it is other metrics' sentences that are swapped.
    """
    places = measured(study, asked)
    if idle := set(study.counterfactual.models) - {model for model, _ in places}:
        raise HerbariumError(
            f"counterfactual.models: '{min(idle)}' scores no sentence that could be swapped; have it measured by "
            "another metric, too."
        )
    if not places:
        return Targets()
    stimuli = list(dict.fromkeys(stimuli for _, stimuli in places))
    return Targets(
        shards={swapped(of): asked.shards[of] for of in stimuli},
        # number format and size of a pass are those that the sentences as they are were scored with
        tuned_by={swapped(of): asked.tuned_by.get(of, of) for of in stimuli},
        scored=[(model, swapped(of)) for model, of in places],
        numbers=[f"<results>/metrics/counterfactual/{model}/{of}.parquet" for model, of in places],
        changes=[
            f"<results>/changes/counterfactual/{of}.parquet"
            for of in stimuli
            if study.compared([model for model, other in places if other == of])
        ],
        tables=[f"<results>/tables/counterfactual_{name}.csv" for name in TABLES],
        validity=["resources/counterfactual/validity.csv"],
        parts=["<results>/parts/counterfactual.json"],
    )


def measured(study, asked: Targets) -> list[tuple[str, str]]:
    """(model, stimuli) of all that is swapped: what other metrics have the models score."""
    wanted = study.counterfactual.models
    return list(dict.fromkeys((model, stimuli) for model, stimuli in asked.scored if model in wanted))


def swapped(stimuli: str) -> str:
    """The stimuli that are others with gendered words swapped."""
    return f"counterfactual/{stimuli}"
