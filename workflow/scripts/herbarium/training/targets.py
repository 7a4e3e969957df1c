"""The texts for recipes that are fetched from elsewhere."""

from collections.abc import Iterable
from pathlib import Path

from herbarium.core.errors import HerbariumError, check_all
from herbarium.core.targets import Source, Targets, filled, first_alike
from herbarium.models import sources
from herbarium.models.recipes import Advice, Alignment, Continued, Projection
from herbarium.training import parallel, swapping
from herbarium.training.section import TERMS, Swapped

# A swapped corpus to read, texts in several languages, and which of their words are translations of each other.
CORPUS_TABLE = "<work>/corpora/{corpus}.csv"
PARALLEL = "<work>/parallel/{parallel}/{language}.parquet"
WORD_ALIGNMENTS = "<work>/parallel/{parallel}/words/{source}/{target}.parquet"
# The matrix that rotates one model's hidden states into another's space.
ROTATION = "<work>/rotations/{model}/{to}/{parallel}/{source}/{target}.parquet"
# What training a derived model costs, from a sample.
SAMPLE = "<work>/estimate/recipes/{model}.parquet"


def targets(study) -> Targets:
    """The targets for the recipes of a study (`study.config.Study`), their corpora and parallel texts."""
    entries = [(f"corpora.{name}", corpus, "read_corpus", {"corpus": name}) for name, corpus in study.corpora.items()]
    entries += [
        (f"parallel.{name}.texts.{language}", texts, "read_parallel", {"parallel": name, "language": language})
        for name, entry in study.parallel.items()
        for language, texts in entry.texts.items()
    ]
    return Targets(
        sources=[
            Source(key, entry.model_dump(mode="json"), True, rule, wildcards)
            for key, entry, rule, wildcards in entries
            if entry.hub or entry.git
        ],
        costs={
            (model, f"recipes/{study.models[model].derived.by.recipe}"): filled(SAMPLE, model=like)
            for model, like in timed_as(study).items()
        },
    )


def timed_as(study) -> dict[str, str]:
    """Model that a recipe makes -> the first one that costs the same: its origin is the same, and so is all that is
    done to it but the seed."""
    made = {}
    for name, model in study.models.items():
        if model.derived and model.derived.by.has_weights:
            recipe = model.derived.by
            # each of the models along the epochs is one epoch from the next
            apart = {"epochs"} if recipe.along_epochs else None
            made[name] = study.origin(name), recipe.model_dump(mode="json", exclude=apart)
    return first_alike(made)


def require_files(study) -> None:
    """Raise HerbariumError, listing all, for local tables that are unsuitable as corpora and parallel texts."""
    aligned = [texts for entry in study.parallel.values() for texts in entry.texts.values()]
    local = [entry for entry in [*study.corpora.values(), *aligned] if entry.path]
    check_all(
        [
            *(lambda entry=entry: sources.require_columns(entry.path, [entry.text]) for entry in local),
            *(lambda answered=answered: _require_there(*answered) for answered in _answered(study).items()),
        ]
    )


def _answered(study) -> dict[str, Path]:
    """Model that is trained to take advice -> the file of answered questions that it also learns from."""
    recipes = {name: model.derived.by for name, model in study.models.items() if model.derived}
    return {name: recipe.squad for name, recipe in recipes.items() if isinstance(recipe, Advice) and recipe.squad}


def _require_there(model: str, squad: Path) -> None:
    if not squad.is_file():
        raise HerbariumError(f"models.{model}.derived.by.squad: {squad}: no such file.")


def _require_squad(model: str, squad: Path) -> None:
    from herbarium.training import advice

    try:
        advice.read_squad(squad)
    except HerbariumError as error:
        raise HerbariumError(f"models.{model}.derived.by.squad: {error}") from None


def require_terms(study, names: Iterable[str]) -> None:
    """Raise HerbariumError, listing all, for those of these corpora that are made from local texts without any term to
    exchange."""
    by_source = {name: study.texts_of_recipes.sources(name)[-1] for name in names}
    local = {
        source: _texts(study, source) for source in dict.fromkeys(by_source.values()) if study.corpora[source].path
    }
    wanted = [(study.corpora[name].swapped, local[source]) for name, source in by_source.items() if source in local]
    check_all([lambda pair=pair: _require_term(*pair) for pair in wanted])


def _texts(study, corpus: str) -> list[str]:
    data = study.corpora[corpus].model_dump(mode="json")
    texts = sources.texts(data, sources.read(data), f"corpora.{corpus}")
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _require_term(swapped: Swapped, texts: list[str]) -> None:
    terms = TERMS[swapped.terms][1](swapped.file)
    swapping.require_terms(any(map(terms.has_term, texts)), len(texts), str(swapped.file))


def require_trainable(study, names: Iterable[str]) -> None:
    """Raise HerbariumError, listing all, for those of these derived models whose recipe cannot be applied to the model
    that they come from, as far as configurations in local folders show it, or whose file of answered questions cannot
    be read."""
    names = list(names)
    answered = {name: file for name, file in _answered(study).items() if name in names}
    check_all(
        [
            *(lambda name=name: _require_trainable(study, name) for name in names),
            *(lambda pair=pair: _require_squad(*pair) for pair in answered.items()),
        ]
    )


def _require_trainable(study, name: str) -> None:
    recipe, model = study.models[name].derived.by, _skeleton(study, name)
    if model is None:
        return
    from herbarium.training import alignment, continued, projection

    try:
        if isinstance(recipe, Continued):
            continued.dropout(model.config, recipe.settings)
            continued.trained_weights(model, recipe.settings["weights"])
        if isinstance(recipe, Alignment | Projection):
            n_hidden = alignment.first_layer(model).in_features
        if isinstance(recipe, Projection):
            projection.require_room(recipe.settings.get(recipe.key, 1), n_hidden, recipe.key)
        if isinstance(recipe, Alignment) and recipe.to and (other := _skeleton(study, recipe.to)) is not None:
            alignment.require_same_size(model, other)
    except HerbariumError as error:
        raise HerbariumError(f"models.{name}.derived.by: {error}") from None


def _skeleton(study, name: str):
    """The layers of a model, or of the one that it comes from; None if no local folder has its configuration."""
    from herbarium.models import loading

    origin = study.models[study.origin(name)]
    return loading.skeleton(origin.path, origin.kind, study.origin(name)) if origin.path else None


def require_equal(study, names: Iterable[str]) -> None:
    """Raise HerbariumError for those of these parallel texts whose local files differ in their number of rows."""
    for name in names:
        entry = study.parallel[name]
        n_rows = {language: sources.count_rows(texts.path) for language, texts in entry.texts.items() if texts.path}
        if entry.alignments:
            n_rows[str(entry.alignments)] = len(parallel.read_alignments(entry.alignments))
        parallel.require_equal(name, n_rows)
