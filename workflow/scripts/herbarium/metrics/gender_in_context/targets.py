"""The targets of gender in the vectors of words in context."""

from herbarium.core import shared
from herbarium.core.errors import HerbariumError
from herbarium.core.targets import Files, Targets, filled
from herbarium.metrics.gender_in_context import corpus, stimuli
from herbarium.metrics.gender_in_context.names import FEWEST_WORDS
from herbarium.models.kinds import Kind
from herbarium.vectors.targets import represented

FILES = Files("gender_in_context", source="Zhao 2021")
WORDS = "gender_in_context/{name}"
DESIGN = "<work>/designs/gender_in_context/{name}.parquet"
# Each occupation with its stereotype.
OCCUPATIONS = "<work>/designs/gender_in_context.json"
NUMBERS = "<work>/metrics/gender_in_context/{source}/{name}.parquet"
CURVES, ACCURACIES, PLACES, PRODUCTS = (
    f"<work>/observations/{{source}}/gender_in_context/{{name}}/{table}.parquet"
    for table in ("curves", "accuracies", "places", "products")
)
ITEMS = "<work>/items/gender_in_context/{source}/{name}.parquet"
CHANGES = "<work>/changes/gender_in_context/{name}.parquet"
FIGURES = {
    "layers": "Gender in the vectors of words, layer by layer",
    "components": "Shares of the differences along their first principal directions",
}
TABLES = {
    "numbers": "Every number by set, source of vectors and layer",
    "accuracies": "Accuracy of the classifiers with each ν",
    "places": "The position of each word between the sides",
}
COUNTS = {"counts": "Gendered pronouns in corpora, and occupations that occur with them"}


def targets(study) -> Targets:
    """study: a `study.config.Study`. Nothing without sets or corpora; raises HerbariumError if sentences are not
    pairs, or a causal model does not see what differs in them."""
    section = study.gender_in_context
    for name, entry in section.sets.items():
        if len(sides := sides_of(study, name)) != 2:
            raise HerbariumError(
                f"gender_in_context.sets.{name}.sentences: '{entry.sentences}' has {len(sides)} sides; pairs have two."
            )
        _require_seen(study, name)
    if not section.sets:
        return Targets(tables=FILES.tables(COUNTS) if section.corpora else [])
    return Targets(
        numbers=files(NUMBERS, study),
        changes=[
            filled(CHANGES, name=name) for name, entry in section.sets.items() if study.compared_sources(entry.vectors)
        ],
        items=files(ITEMS, study),
        published=[FILES.published],
        costs=represented(study, ((source, filled(WORDS, name=name)) for source, name in section.measured)),
        calibration=[FILES.calibration] if planted(study) else [],
        validity=[FILES.validity],
        figures=FILES.figures(FIGURES),
        tables=FILES.tables(tables(study)),
        parts=[FILES.part],
    )


def _require_seen(study, name: str) -> None:
    """Raise HerbariumError if a set of sentences is measured in a causal model, and too few of its words come after
    what differs. Sentences of a corpus are not known yet; those that such a model does not see are left out."""
    entry = study.gender_in_context.sets[name]
    causal = [source for source in entry.vectors if study.models[study.vectors[source].model].kind == Kind.causal]
    if entry.corpus or not causal:
        return
    words = stimuli.words_behind(study.sentence_sets[entry.sentences].sentences, entry.word, sides_of(study, name))
    if len(words) < FEWEST_WORDS:
        raise HerbariumError(
            f"gender_in_context.sets.{name}.vectors: '{causal[0]}' is of a causal model, in which the vector of a word "
            f"only depends on what comes before it; in '{entry.sentences}' the gendered word comes before {len(words)} "
            f"words to measure, and at least {FEWEST_WORDS} are needed. Use sentences such as "
            "resources/gender_in_context/pronoun_first.csv."
        )


def files(pattern: str, study) -> list[str]:
    """The files of a pattern, one for each source of vectors and set that are measured."""
    return [filled(pattern, source=source, name=name) for source, name in study.gender_in_context.measured]


def sides_of(study, name: str) -> list[str]:
    """The sides of a set."""
    entry = study.gender_in_context.sets[name]
    return corpus.SIDES if entry.corpus else study.sentence_sets[entry.sentences].sides


def sentences_of(study, name: str) -> str:
    """The file with the sentences of a set: those of a set of sentences, or the corpus."""
    entry = study.gender_in_context.sets[name]
    if entry.corpus:
        return filled(shared.CORPUS, corpus=entry.corpus)
    return filled(shared.STIMULI, stimuli=f"sentence_sets/{entry.sentences}", shard=0)


def tables(study) -> dict[str, str]:
    """The content of each table for readers, in words, by its name."""
    return TABLES | (COUNTS if study.gender_in_context.corpora else {})


def planted(study) -> dict[str, float]:
    """Source of vectors -> strength that is planted in the sentence sets of its model, of those that have one."""
    strengths = study.strengths_in("sentence_sets")
    sets = study.gender_in_context.sets
    measured = [source for source, name in study.gender_in_context.measured if sets[name].sentences]
    of_model = {source: strengths.get(study.vectors[source].model) for source in measured}
    return {source: strength for source, strength in of_model.items() if strength is not None}
