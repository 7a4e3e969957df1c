"""The room of the page for those who write a paper: results and methods as text, and what to cite.

The text is made from the effective configuration, the records of the models, what each metric says about its tests, and
the versions of the libraries: nothing in it is typed by hand.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from herbarium.drawing import style
from herbarium.page.build import Room, room
from herbarium.report import answers
from herbarium.report.numbers import p_text
from herbarium.report.part import CORRECTIONS, Part

# "Li et al., 2022", "Ahn and Oh (2021)", "Zhao (2021)": surname, other authors if any, year.
_CITED = re.compile(r"(\w[\w-]*)( et al\.| and \w[\w-]*)?,? \(?(\d{4})")
_KINDS = {"conference-paper": ("inproceedings", "booktitle"), "thesis": ("phdthesis", "school")}
_LIBRARIES = ("torch", "transformers", "numpy", "scipy", "pandas", "lme4")  # named in a paper; the page lists all


def methods(text: Sequence[str], parts: Sequence[Part], citation: Mapping) -> Room:
    """text: of `paragraphs`. parts: those of the metrics that were measured; their results are told, and their papers
    cited. citation: CITATION.cff."""
    screen = answers.headline(answers.table([answer for part in parts for answer in part.answers]))
    references = [citation, *cited([*(part.title for part in parts), *_papers(parts)], citation["references"])]
    entries = [{"said": in_words(reference), "bibtex": bibtex(reference)} for reference in references]
    facts = {"results": results(screen), "text": "\n\n".join(text), "references": entries}
    return room("methods", "For the paper", facts)


def _papers(parts: Iterable[Part]) -> list[str]:
    return [paper for part in parts for _, paper, _ in part.papers]


def results(screen: pd.DataFrame) -> list[str]:
    """A line for each number of the first screen that a paper would report. screen: of `answers.headline`."""
    return [
        f"{answers.number_in_words(row)}; without bias {row['null']:g}; {_decided(row)}."
        for row in answers.told(screen).to_dict("records")
    ]


def _decided(row: Mapping) -> str:
    if row["verdict"] in (answers.WITHHELD, answers.NONE):
        return "no verdict"
    p = p_text(row["p_screen"])
    return f"p {p}" if p.startswith("<") else f"p = {p}"


# --- the text ---


def paragraphs(
    parts: Sequence[Part],
    models: Sequence[dict],
    study: Mapping,
    refusals: pd.DataFrame,
    made: Mapping,
    versions: Mapping[str, str],
    citation: Mapping,
) -> list[str]:
    """Models, sentences, measures, tests and software, one paragraph for each.

    parts: those of the metrics that were measured. models: records of all models. study: the effective configuration,
    plain data. refusals: of `study.refusals`. made: what the page is made from (`step.begin`). versions: of libraries.
    citation: CITATION.cff.
    """
    return [
        of_models(models),
        of_sentences(refusals),
        *(of_part(part) for part in parts if part.answers),
        "Whether the number of a measured model differs from its value without bias is decided by its test or, if it "
        "has none, by its interval. These p-values are one family over all models and numbers of the overview (Holm); "
        f"the level is {style.ALPHA:g}. A number that is not distinguishable from its value without bias is no "
        "evidence that there is no bias.",
        f"All numbers were computed with Herbarium {citation['version']} (run {made['run']}, seed {study['seed']}"
        f"{_versions(versions)}).",
    ]


def of_models(models: Sequence[dict]) -> str:
    """Which models were measured, and which are planted."""
    measured = [_model(model) for model in models if model["planted"] is None]
    planted = [f"{model['name']} ({model['planted']:g})" for model in models if model["planted"] is not None]
    sentences = [f"We measured {_listed(measured)}."] if measured else []
    if planted:
        sentences.append(
            f"As a scale, {len(planted)} small models were trained by the workflow on text with a bias of known "
            f"strength (in brackets; 0: the unbiased reference): {', '.join(planted)}."
        )
    return " ".join(sentences) or "No model was scored."


def _model(model: Mapping) -> str:
    if model["source"] == "hub":
        return f"{model['name']} ({model['hub']}, revision {model['revision']})"
    if model["source"] == "derived":
        derived = model["derived"]
        return f"{model['name']} (made from {derived['from']} by the recipe “{derived['by']['recipe']}”)"
    return f"{model['name']} (local weights)"


def of_sentences(refusals: pd.DataFrame) -> str:
    """How many sentences of each set were scored, and how many were refused."""
    sets = refusals.drop_duplicates(["model", "stimuli"]).groupby("stimuli", sort=False)["of"].max()
    refused = refusals.loc[refusals["refused"].astype(bool), "n"].sum()
    total = refusals.drop_duplicates(["model", "stimuli"])["of"].sum()
    listed = _listed([f"{n:,} of {name}" for name, n in sets.items()])
    return (
        f"Each model scored the sentences of its sets: {listed}. Of {total:,} sentences, counted separately for each "
        f"model, {refused:,} were refused because a word was unknown to the tokenizer or the sentence would have been "
        "truncated."
    )


def of_part(part: Part) -> str:
    """What a metric measures, and how it is tested."""
    sentences = [f"{part.title}."]
    for answer in part.answers:
        null = "no value without bias is known" if answer.null is None else f"{answer.null:g} without bias"
        sentences.append(
            f"{answer.title}: {answer.measures[0].lower()}{answer.measures[1:].rstrip('.')} ({answer.unit}; {null})."
        )
    families = {(family.family, CORRECTIONS[family.correction]) for family in part.tested if family.family}
    sentences += [f"p-values are adjusted over {family} ({correction})." for family, correction in sorted(families)]
    return " ".join(sentences)


def _versions(versions: Mapping[str, str]) -> str:
    known = [f"{name} {versions[name]}" for name in _LIBRARIES if name in versions]
    return f"; {', '.join(known)}" if known else ""


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


# --- references ---


def cited(texts: Iterable[str], references: Sequence[Mapping]) -> list[Mapping]:
    """The references that texts name by surname and year, in the order of `references` (from CITATION.cff)."""
    named = {
        (surname, 1 if not several else 2 if several.startswith(" and") else 3, int(year))
        for text in texts
        for surname, several, year in _CITED.findall(text)
    }
    return [
        reference
        for reference in references
        if (reference["authors"][0]["family-names"], min(len(reference["authors"]), 3), reference["year"]) in named
    ]


def _names(reference: Mapping) -> list[str]:
    """Authors: people, or a group under one name."""
    return [
        author["name"] if "name" in author else f"{author['family-names']}, {author['given-names']}"
        for author in reference["authors"]
    ]


def _year(reference: Mapping) -> str:
    return str(reference.get("year") or reference["date-released"])[:4]


def in_words(reference: Mapping) -> str:
    """A reference as a line of text."""
    where = reference.get("collection-title") or reference.get("institution", {}).get("name") or ""
    version = f"Version {reference['version']}" if "version" in reference else ""
    return (
        ". ".join(filter(None, ["; ".join(_names(reference)), _year(reference), reference["title"], where, version]))
        + "."
    )


def bibtex(reference: Mapping) -> str:
    """A reference as a BibTeX entry."""
    first = reference["authors"][0]
    name = first.get("family-names") or first["name"].split()[1]
    word = next(title_word for title_word in re.findall(r"\w+", reference["title"].lower()) if len(title_word) > 2)
    kind, container = _KINDS.get(
        reference["type"], ("misc" if reference["type"] == "software" else "article", "journal")
    )
    where = reference.get("collection-title") or reference.get("institution", {}).get("name")
    pages = f"{reference['start']}--{reference['end']}" if "start" in reference else None
    names = zip(_names(reference), reference["authors"], strict=True)
    authors = " and ".join(f"{{{name}}}" if "name" in author else name for name, author in names)
    fields = {
        "author": authors,
        "title": f"{{{reference['title']}}}",
        container: where,
        "year": _year(reference),
        "pages": pages,
    }
    fields["version"] = reference.get("version")
    lines = [f"  {key} = {{{value}}}" for key, value in fields.items() if value]
    return f"@{kind}{{{name.lower()}{_year(reference)}{word},\n" + ",\n".join(lines) + "\n}"
