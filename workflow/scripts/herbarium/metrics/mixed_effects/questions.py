"""The questions about the observations of stimuli: bias scores for which sentences, and for which words against
which."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from herbarium.metrics.mixed_effects.lengths import in_equal_pairs
from herbarium.metrics.mixed_effects.stimuli import FEMALE, MALE, NEGATIVE, NEO, POSITIVE, Lists, dimensions
from herbarium.statistics.fits import CROSSED, INTERCEPTS, PAIRS, SLOPES, WORDS, scored

ALL, SHARED, WITH_NEGATIVE, COMMON = "all", "shared", "with_negative", "common"
EQUAL_LENGTH = "equal_length"
CONTRASTS = ((MALE, FEMALE), (MALE, NEO), (FEMALE, NEO))
# Further fits that the configuration can ask for: structures of random effects, and fewer templates.
STRUCTURES = (PAIRS, WORDS, SLOPES)
TEMPLATES = "templates"


@dataclass(frozen=True)
class Question:
    """A bias score of a dimension: the first group of words against the second.

    subset: `all` are the positive targets in all templates; `shared` the same in the templates that take negative
    targets too, `with_negative` those with the negative ones, their association reversed (Table 5); `common` the
    smaller set of pairs (Table 6); `equal_length` the pairs whose words have the same number of tokens; any other the
    kind of some templates (Table 7), or "without " and a template's key.
    structure: of the random effects, a key of `FORMULAS`, or CROSSED.
    """

    dimension: str
    first: str
    second: str
    subset: str = ALL
    structure: str = INTERCEPTS

    @property
    def keys(self) -> dict[str, str]:
        keys = {name: getattr(self, name) for name in ("subset", "structure", "dimension")}
        return keys | {"contrast": f"{self.first}-{self.second}"}


def questions(lists: Lists) -> list[Question]:
    """All questions of the paper that the tables of the stimuli can answer, and for each contrast first the one that
    generalises to other words, templates and targets (CROSSED)."""
    has_neo = NEO in set(lists.pronouns["gender"])
    subsets = [SHARED, WITH_NEGATIVE] if NEGATIVE in set(lists.targets["polarity"]) else []
    subsets += [COMMON] if "common" in lists.pairs and (lists.pairs["common"] == "yes").any() else []
    kinds = _kinds(lists)
    subsets += kinds if len(kinds) > 1 else []
    listed = []
    contrasts = [contrast for contrast in CONTRASTS if has_neo or NEO not in contrast]
    for dimension in dimensions(lists):
        for structure in (CROSSED, INTERCEPTS):
            listed += [Question(dimension, *contrast, structure=structure) for contrast in contrasts]
        listed += [Question(dimension, MALE, FEMALE, subset) for subset in subsets]
    return listed


def further_questions(lists: Lists, kinds: Collection[str]) -> list[Question]:
    """Questions that the paper does not ask: male against female words, with other random effects, or fewer templates.

    asked: of `STRUCTURES` and TEMPLATES.
    """
    structures = [structure for structure in STRUCTURES if structure in kinds]
    keys = lists.templates["key"] if TEMPLATES in kinds and len(lists.templates) > 2 else []
    listed = []
    for dimension in dimensions(lists):
        listed += [Question(dimension, MALE, FEMALE, structure=structure) for structure in structures]
        listed += [Question(dimension, MALE, FEMALE, f"without {key}") for key in keys]
    return listed


def _kinds(lists: Lists) -> list[str]:
    return [kind for kind in dict.fromkeys(lists.templates.get("kind", [])) if kind]


def select(observations: pd.DataFrame, lists: Lists, question: Question) -> tuple[pd.DataFrame, int]:
    """The data of a question, and the number of its sentences that were refused.

    observations: of one definition, of the schema "mixed_effects_observations". `pair` is the word itself if it is in
    no pair.
    """
    templates = lists.templates
    if question.subset in (SHARED, WITH_NEGATIVE):
        templates = templates[templates.get("negative", "yes") == "yes"]
    elif question.subset in _kinds(lists):
        templates = templates[templates["kind"] == question.subset]
    else:
        templates = templates[("without " + templates["key"]) != question.subset]
    genders = [question.first, question.second]
    rows = observations[observations["template"].isin(templates["key"]) & observations["gender"].isin(genders)]
    if question.subset == EQUAL_LENGTH:
        rows = rows[in_equal_pairs(rows)]
    elif question.subset == COMMON:
        common = lists.pairs[lists.pairs["common"] == "yes"]
        rows = rows[rows["pair"].isin(common[FEMALE] + "-" + common[MALE])]
    parts = []
    for polarity, sign in [(POSITIVE, 1)] + [(NEGATIVE, -1)] * (question.subset == WITH_NEGATIVE):
        part = rows[rows["target"].isin(dimensions(lists, [polarity]).get(question.dimension, []))]
        parts.append(part.assign(association=sign * part["association"]))
    rows = pd.concat(parts)
    data = pd.DataFrame(
        {
            "association": rows["association"],
            "group": (rows["gender"] == question.first).astype(float),
            "template": rows["template"],
            "target": rows["target"],
            "pair": rows["pair"].fillna(rows["word"]),
            "word": rows["word"],
            "weight": 1 / rows["pppl"],
        }
    )
    return scored(data)


def ask(
    observations: pd.DataFrame, lists: Lists, asked: Sequence[Question]
) -> Iterator[tuple[dict[str, str], pd.DataFrame, int]]:
    """Keys, data and number of refused sentences of each question, for each definition; and of those that are also
    asked of the pairs whose words are as long as one another."""
    for definition, of_definition in observations.groupby("definition", sort=False):
        for question in [*asked, *_of_equal_length(of_definition, asked)]:
            yield {"definition": definition, **question.keys}, *select(of_definition, lists, question)


def _of_equal_length(observations: pd.DataFrame, listed: Sequence[Question]) -> list[Question]:
    """The bias scores of male against female words (CROSSED), asked of some pairs; none if all or no pairs have words
    of the same number of tokens. observations: of one definition."""
    is_equal = in_equal_pairs(observations[observations["pair"].notna()])
    if is_equal.all() or not is_equal.any():
        return []
    is_paired = [question.structure == CROSSED and NEO not in (question.first, question.second) for question in listed]
    return [
        replace(question, subset=EQUAL_LENGTH) for question, is_asked in zip(listed, is_paired, strict=True) if is_asked
    ]
