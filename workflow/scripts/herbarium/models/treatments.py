"""What was done to each model of a study, in plain words."""

from collections.abc import Mapping

from herbarium.models import genealogy
from herbarium.models.recipes import SCHEDULES
from herbarium.models.treated import ALIGNED, Treated, unchanged

# What is exchanged in a corpus (`corpora.{name}.swapped.terms`), in words.
_TERMS = {"countries": "countries", "gender": "gendered words", "gender_published": "gendered words"}


def treated(models: Mapping, corpora: Mapping) -> list[Treated]:
    """Every model that the configuration names: those from the hub, a folder or the testbed, then derived ones.

    models: `models.completion.completed`. corpora: those of the study by name. Models along the epochs of a training
    are left out: no published figure is compared with them.
    """
    treated_models = [unchanged(name) for name, model in models.items() if model.derived is None]
    for name, trainings in genealogy.trainings(models).items():
        steps, source = [], name
        while (derived := models[source].derived) is not None:
            steps.insert(0, derived.by)
            source = derived.base
        treatment = ", then ".join(in_words(recipe, corpora) for recipe in steps)
        last = steps[-1]
        of_training = (getattr(last, key, "") for key in ("corpus", "weights"))
        treated_models.append(Treated(name, source, treatment, schedule(last), *of_training, tuple(trainings)))
    return treated_models


def in_words(recipe, corpora: Mapping) -> str:
    """What a recipe does to a model, in words. by: one of `models.recipes`.

    An alignment includes tuning the head afterwards, which is mentioned only if terms were exchanged in the corpus for
    it. Any recipe other than alignment and continued training is called by its name.
    """
    if recipe.recipe == "continued":
        return _tuned(recipe.corpus, corpora)
    if recipe.recipe == "alignment":
        turned = "turned at random" if recipe.matrix == "random" else f"{ALIGNED}{recipe.to}"
        return f"{turned}, {_tuned(recipe.corpus, corpora)}" if corpora[recipe.corpus].swapped else turned
    return recipe.recipe


def schedule(recipe) -> str:
    """The published schedule that a recipe follows in all its settings, with the model's own dropout; empty if there is
    none."""
    name = getattr(recipe, "schedule", "")
    settings = SCHEDULES[name]._asdict() if name else {}
    settings |= dict.fromkeys(("hidden_dropout", "attention_dropout"))
    return name if all(getattr(recipe, key, None) in (None, value) for key, value in settings.items()) else ""


def _tuned(corpus: str, corpora: Mapping) -> str:
    """The words for training on a corpus: by what was exchanged in it, and in the corpora that it was made from."""
    exchanged = []
    while (swapped := corpora[corpus].swapped) is not None:
        original_too = "original and " if swapped.sides == "two" else ""
        exchanged.append(f"{original_too}exchanged {_TERMS[swapped.terms]}")
        corpus = swapped.corpus
    return f"tuned on {' and '.join(exchanged)}" if exchanged else "tuned"
