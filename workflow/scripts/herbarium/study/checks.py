"""What must hold between the sections of a study, each of which is valid by itself.

study: a `config.Study`. Every check raises ValueError, whose message begins with the key at fault.
"""

import os
from operator import attrgetter
from pathlib import Path

from herbarium.core.errors import did_you_mean, require_known
from herbarium.core.places import CLONE, expanded
from herbarium.core.section import ByKind, Section, paths
from herbarium.models import comparisons
from herbarium.models.kinds import a_model

# Folders of the clone that never hold results.
OURS = (
    *(".ci", ".git", ".github", ".snakemake", ".venv", "config", "docs", "envs", "profiles", "resources"),
    *("studies", "tests", "workflow"),
)


def require_all(study) -> None:
    """Every check, in the order in which a reader meets what is checked: models, names, places."""
    require_scorable(study)
    require_known_names(study)
    require_vectors(study)
    require_offered(study)
    comparisons.require(study.comparisons or [], study.models)
    require_names_apart(study)
    require_plantable(study)
    require_regions(study)
    require_results_apart(study)


def require_scorable(study) -> None:
    """No key may name an unknown model, or one that cannot give what its metric needs."""
    neutralised = study.neutralised
    for section in study.sections.values():
        for key, wanted, kinds, what, not_neutralised, only_scores, has_answers in section.needs():
            for name in study.models if wanted is None else [wanted]:
                require_known(key, name, study.models, "models")
                model = study.models[name]
                if model.kind not in kinds.computed:
                    raise ValueError(
                        f"{key}: '{name}' is {model.kind}; {what} needs {a_model(kinds.computed)}"
                        f"{_instead(study, section, kinds, model.kind)}"
                    )
                if not_neutralised and name in neutralised:
                    raise ValueError(f"{key}: '{name}' is neutralised: {not_neutralised}")
                if not only_scores and model.served is not None:
                    raise ValueError(
                        f"{key}: '{name}' is served, and a server only scores texts; {what} needs a model with "
                        "weights on this machine"
                    )
                if not only_scores and model.chat_template is not None:
                    raise ValueError(
                        f"{key}: '{name}' has a 'chat_template', which only applies to scores of texts; {what} "
                        "would ignore it. Name a model without it"
                    )
                if model.chat_template and model.chat_template.question and not has_answers:
                    raise ValueError(
                        f"{key}: '{name}' is asked questions ('chat_template.question'), and the sentences for {what} "
                        "are none: they mark no words as an answer. Name a model without it"
                    )


def _instead(study, section: Section, kinds: ByKind, kind: str) -> str:
    """What to use for a kind that cannot be measured, if there is something, in words, after a sentence."""
    other = (study.instead(kinds, kind) if section.by_kind else kinds.instead.get(kind)) or ""
    other = other.replace("`", "'")
    return f"; use {other} instead" if other else ""


def require_known_names(study) -> None:
    """What recipes and sections refer to must be there."""
    study.texts_of_recipes.require_for(study.models)
    for section in study.sections.values():
        for key, name, to in section.refers():
            require_known(key, name, attrgetter(to)(study), to)


def require_vectors(study) -> None:
    """Sources of vectors must be there, and be in context where a metric needs that."""
    study.sources_of_vectors.require_debiasable()
    for section in study.sections.values():
        for key, name, in_sentences in section.vectors_wanted():
            require_known(key, name, study.vectors, "vectors")
            if in_sentences and not study.vectors[name].is_contextual:
                raise ValueError(
                    f"{key}: '{name}' has one vector per word, whatever the sentence; name a source with `model` "
                    "and `layers: all`, or a list of layers"
                )


def require_offered(study) -> None:
    """What a recipe takes from the section of a metric must be there."""
    recipes = {name: model.derived.by for name, model in study.models.items() if model.derived}
    for owner, section in study.sections.items():
        for key, offered in section.offers().items():
            for name, by in recipes.items():
                if (asked := getattr(by, key, None)) is not None:
                    require_known(f"models.{name}.derived.by.{key}", asked, offered, f"{key} of '{owner}'")


def require_names_apart(study) -> None:
    """Names must differ by the files that are named after them, even if the file system ignores case."""
    named = {"models": study.models}
    for section in study.sections.values():
        named |= section.named()
        for place, names in section.further_models().items():
            if taken := [name for name in names if name in study.models]:
                raise ValueError(f"{place}: '{taken[0]}' is already the name of a model")
            named[place] = [*study.models, *names]
    for place, names in named.items():
        seen: dict[str, str] = {}
        for name in names:
            if (other := seen.setdefault(name.casefold(), name)) != name:
                raise ValueError(f"{place}: '{other}' and '{name}' differ only in capitals")
            if place != "models" and name in type(study).model_fields:
                raise ValueError(f"{place}: '{name}' is the name of other results")


def require_plantable(study) -> None:
    """A bias can only be planted in metrics that provide a text for it."""
    planting = study.planting
    for name, model in study.models.items():
        for metric in model.planted_in or ():
            if metric not in planting:
                hint = did_you_mean(metric, planting)
                raise ValueError(f"models.{name}.planted_in: no text for '{metric}' is planted{hint}")


def require_regions(study) -> None:
    """The hierarchy must have every region that a section names."""
    for section in study.sections.values():
        for places in section.places():
            study.regions.require(places)


def require_results_apart(study) -> None:
    """The folder of the results must hold nothing else."""
    results = Path(study.results).resolve()
    if taken := next((folder for folder in (results, *results.parents) if folder.is_file()), None):
        raise ValueError(f"results: '{taken}' is a file; name a folder")
    for name, taken in {
        "the current folder": Path.cwd(),
        "your home folder": Path(expanded("~")).resolve(),
    }.items():
        if taken.is_relative_to(results):
            raise ValueError(f"results: '{study.results}' contains {name}; give the results a folder of their own")
    for path in paths(study, of_models=False):  # a study may measure models that another one has trained
        if path.resolve().is_relative_to(results):
            raise ValueError(
                f"results: '{study.results}' contains '{path}', which the study reads; name another folder"
            )
    for place in (results, Path(os.path.abspath(study.results))):  # noqa: PTH100 - resolve would follow a link in the clone
        in_clone = place.relative_to(CLONE).parts[:1] if place.is_relative_to(CLONE) else ()
        if ".git" in place.parts or (in_clone and in_clone[0].casefold() in OURS):
            raise ValueError(f"results: '{study.results}' is a folder of the project itself; name another one")
