"""The study whose numbers the workflow's tests of metrics read: what it needs beside study.yaml, and how it is kept."""

import fcntl
import filecmp
import json
import os
import shutil
import sys
import uuid
from pathlib import Path

import numpy as np
import pandas as pd
from tests.conftest import SIZES
from tests.metrics.biographies.toy import small_model
from tests.metrics.interventions import toy as interventions
from tests.metrics.interventions.test_lei import KEY, paragraph
from tests.metrics.languages.toy import LISTS
from tests.metrics.languages.toy import words as words_of
from tests.sets import MADE
from tests.statistics.test_grouped import scores
from tests.workflow import conftest
from tests.workflow.conftest import ROOT, Project, copy_project

from herbarium.core.resources import read_table
from herbarium.metrics.biographies import planted_texts
from herbarium.metrics.interventions import stimuli
from herbarium.models import loading
from herbarium.scoring import classifiers
from herbarium.training import untrained

OF_RUNS = ("results", ".snakemake")
REGIONS = conftest.REGIONS.replace("nz,", "bo,a,country,Bolivia,BO\ncl,a,country,Chile,CL\nnz,")
MIXED_EFFECTS = {
    "templates": "key,kind,asked,text,negative\n"
    "t1,plain,subject,[determiner] [subject] is [a] [target] person.,yes\n"
    "t2,plain,subject,[determiner] [subject] is [target].,yes\n"
    "t3,worked,possessor,[determiner] [possessor] [target] way is of [possessive] work.,\n",
    "pairs": "female,male,common\nwoman,man,yes\naunt,uncle,\nqueen,king,yes\nshe,he,\n",
    "pronouns": "gender,subject,object,possessor,possessive\nfemale,she,her,her,her\nmale,he,him,his,his\n"
    "neo,xe,xem,xyr,xyr\n",
    "targets": "dimension,polarity,target\norder,positive,tidy\norder,positive,clean\norder,positive,austere\n"
    "order,negative,untidy\norder,negative,dirty\n",
}
CROWS = [
    (kind, f"The {one} were {how} of the {what}.", f"The {other} were {how} of the {what}.")
    for kind, one, other in (("age", "old", "young"), ("place", "islanders", "townsmen"))
    for how in ("afraid", "fond", "tired")
    for what in ("rain", "long wet night", "work that nobody else at all wanted to do")
]
CANDIDATES = [("peru", "Peru"), ("zealand", "New Zealand"), ("snow", "☃")]  # the last is no part of any tokenizer
PAIRS = [
    (f"{word}-{side}", word, side, f"People in {place} are {word}.", "")
    for word in ("weak", "wise", "shy", "loud")
    for side, place in CANDIDATES[:2]
]
SLOTS = [
    (f"{word}-{side}", word, side, f"People in [asked: {place}] are {word}.", group)
    for word, group in (("weak", "a"), ("wise", "a"), ("shy", "b"), ("loud", "b"))
    for side, place in (CANDIDATES if word == "loud" else [*CANDIDATES[:2], ("snow", "Fiji")])
]
WORDS = {"kind": ["wise", "loud", "hard-working"], "rude": ["weak", "shy", "late"]}
TALK = [
    (f"{where}-{label}-{word}-{n}", f"People of {where} are {word}, {n} of them.", label)
    for where in ("Lima", "Cusco", "Ottawa", "the town", "our street")
    for label, words in WORDS.items()
    for word in words
    for n in ("two", "ten")
]
# Of twelve texts of each country so many are rude.
NAMED = [
    (f"{place}-{n}-{copy}", f"People of {place} are {WORDS[label][0]}, {n} of {copy}.", label)
    for place, rude in {"Peru": 9, "Canada": 3, "Fiji": 6}.items()
    for n in range(12)
    for copy in ("two", "ten")
    for label in ["rude" if n < rude else "kind"]
]
SIX = ["wise", "poor", "kind", "weak", "good", "rude"]
STEREOTYPES = list(zip(("pe", "bo", "cl", "ca", "nz", "fj"), SIX[:4] + SIX[:2], strict=True))
FEW = ["he", "she", "uncle", "aunt", "builder", "cleaner", "nurse", "farmer", "cook", "apple", "pear", "spoon"]
ASKED = [
    {"question": "Who lied?", "answers": [{"text": "Arvians", "answer_start": 4}]},
    {"question": "Who was rude?", "answers": []},
]
SQUAD = {"data": [{"paragraphs": [{"context": "The Arvians lied.", "qas": ASKED}]}]}
LEI = [paragraph(*names, KEY, "Note that, no.") for names in (("Ann", "Bob"), ("Bob", "Ann"))]
RULES = '''
"""Scores of mine."""

GROUPED = "<work>/grouped/{model}/mine/first.parquet"
TARGETS.add(Targets(grouped={("bert", "mine/first"): GROUPED.format(model="bert")}))


rule group_mine:
    """Lay out my scores by group."""
    input:
        "scores.csv",
    output:
        GROUPED,
    params:
        code="1",
    script:
        "group_mine.py"
'''
SCRIPT = """
import pandas as pd

from herbarium.core import store
from herbarium.core.step import begin
from herbarium.statistics.grouped import GROUPED

made = begin(snakemake)
store.write_table(snakemake.output[0], GROUPED, pd.read_csv(snakemake.input[0]), made)
"""
FILES = {
    "study.yaml": (Path(__file__).parent / "study.yaml").read_text(encoding="utf-8"),
    "regions.csv": REGIONS,
    "words/six.txt": "".join(f"{word}\n" for word in SIX),
    "one.txt": "People in [region] are [description].\n",
    "two.txt": "[description] people live in [region].\n",
    "subjects.txt": "Arvians\nBelorns\nCorlens\n",
    "squad.json": json.dumps(SQUAD),
    "asked_squad.json": json.dumps({"data": [{"paragraphs": [text]} for text in LEI]}),
    "guises.txt": "".join(f"I be {n}\tI am {n}\n" for n in range(6)),
    "other.vec": "one 1 2\ntwo 2 1\n",
    "analogies.txt": "he she uncle aunt\nuncle aunt he she\nhe she king queen\n",
    # one of the two of each sentence
    "occupations.csv": "occupation,stereotype\nplumber,masculine\nwelder,masculine\n"
    "midwife,feminine\ntypist,feminine\n",
    "little.txt": "".join(
        f"The {job} said that {who} was late again. {n}\n"
        for n in range(10)
        for job in ("welder", "midwife")
        for who in ("he", "she")
    ),
    "own.conll": "".join(f"Ann{n} B-PER\nsaw O\nLima{n} B-LOC\n. O\n\n" for n in range(40)),
    "mine/rules.smk": RULES,
    "mine/group_mine.py": SCRIPT,
    **{f"lists/{name}.csv": text for name, text in MIXED_EFFECTS.items()},
}


def with_genders(talk) -> pd.DataFrame:
    """Rows as a table: women speak of ten people, men of two."""
    table = pd.DataFrame(talk, columns=["id", "text", "label"])
    return table.assign(gender=np.where(table["text"].str.contains(r"\bten\b"), "female", "male"))


def some_words(language: str) -> dict[str, pd.DataFrame]:
    """A third of a language's grammatical words of Categorical Bias: those of one word, whose forms are two."""
    folder = Path("resources/categorical_bias", language, "grammatical")
    table = {name: read_table(folder / f"{name}.csv").astype(str) for name in ("templates", "targets", "attributes")}
    targets, attributes = table["targets"], table["attributes"]
    one_word = ~attributes[["singular", "plural"]].apply(lambda forms: forms.str.contains(r"[ .]")).any(axis=1)
    attributes = attributes[one_word & (attributes["singular"] != attributes["plural"])].head(24)
    return table | {"targets": targets[~targets["target"].str.contains(" ")].head(16), "attributes": attributes}


def tables() -> dict[str, pd.DataFrame]:
    bios = planted_texts.table("mine", 1.6, 1600, 5).drop(columns=["topic", "lean"])
    sentences = ["id", "set", "side", "text", "group"]
    return {
        "crows.csv": pd.DataFrame(CROWS, columns=["bias_type", "sent_more", "sent_less"]),
        "pairs.csv": pd.DataFrame(PAIRS, columns=sentences),
        "slots.csv": pd.DataFrame(SLOTS, columns=sentences),
        "talk.csv": with_genders(TALK),
        "named.csv": with_genders(NAMED),
        "stereotypes.csv": pd.DataFrame(STEREOTYPES, columns=["region", "description"]),
        "scores.csv": scores(0.5),
        "bios.csv": bios.assign(language=(["en"] * 8 + ["xx"] * 8) * 100),
        **{
            f"words/{language}/{name}.csv": table
            for language in ("english", "greek", "german")
            for name, table in some_words(language).items()
        },
    }


def vectors() -> dict[str, dict[str, np.ndarray]]:
    """Files of word vectors: random ones, and occupations' words at right angles."""
    random = np.random.default_rng(0)
    topics = [word for of_topic in planted_texts.WORDS.values() for word in of_topic]
    return {
        "few": {word: random.normal(size=6).round(4) for word in FEW},
        "topics": dict(zip(topics, np.eye(48)[: len(topics)], strict=True)),
        **{
            language: {word: random.normal(size=20).round(4) for word in words_of(language)["text"].drop(0)}
            for language in LISTS
        },
    }


def write_models(folder: Path, model_folder) -> None:
    for family in ("bert", "roberta", "gpt2"):
        shutil.copytree(model_folder(family), folder / family)
    small_model(folder / "small")
    tokenizer = untrained.word_piece(
        interventions.sentences(stimuli.SPAN_FORM)["text"].tolist(), 500, 64, lowercase=False
    )
    reader = untrained.model("BertForQuestionAnswering", SIZES, len(tokenizer), 0, "qa")
    for part in (tokenizer, reader):
        part.save_pretrained(folder / "qa")
    save_classifier(folder / "theirs", folder / "bert")


def save_classifier(folder: Path, base: Path) -> None:
    """A classifier that nobody has trained, as others give it away. base: the folder of a language model."""
    tokenizer = loading.load_tokenizer(base, "theirs")
    for part in (classifiers.begin(base, tokenizer, "theirs", seed=1), tokenizer):
        part.save_pretrained(folder)


def written(folder: Path, model_folder) -> Project:
    """A copy of the project with everything that the study reads; nothing has run."""
    project = copy_project(folder)
    for file, text in FILES.items():
        project.write(file, text)
    for file, table in tables().items():
        project.write(file, table.to_csv(index=False))
    for name, of_words in vectors().items():
        lines = [f"{word} {' '.join(map(str, vector))}\n" for word, vector in of_words.items()]
        project.write(f"{name}.vec", "".join(lines))
    MADE["indibias"](folder)
    write_models(folder, model_folder)
    return project


def update(kept: Path, fresh: Path) -> None:
    """Give a folder the files of another, but for those that it has already, and none but these and what runs wrote."""
    files = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
    for file in files:
        if not ((kept / file).is_file() and filecmp.cmp(fresh / file, kept / file, shallow=False)):
            (kept / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(fresh / file, kept / file)
    for path in kept.rglob("*"):
        file = path.relative_to(kept)
        if path.is_file() and file not in files and file.parts[0] not in OF_RUNS:
            path.unlink()


def made(place: Path, fresh: Path, model_folder) -> Project:
    """The study, which has run, in a folder of `place`: once a session, whose processes wait for one another. What an
    earlier session left there runs again only where a file has changed."""
    session = os.environ.get("PYTEST_XDIST_TESTRUNUID", uuid.uuid4().hex)
    environment = sys.version + (ROOT / "envs/constraints.txt").read_text(encoding="utf-8")
    kept, state = Project(place / "a study"), place / "state.json"
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = json.loads(state.read_text(encoding="utf-8")) if state.exists() else {}
        if before.get("environment") != environment:
            shutil.rmtree(kept.folder, ignore_errors=True)
        if before != {"environment": environment, "session": session}:
            update(kept.folder, written(fresh, model_folder).folder)
            shutil.rmtree(kept.folder / ".snakemake/locks", ignore_errors=True)
            state.write_text(json.dumps({"environment": environment}), encoding="utf-8")
            kept.run(cores=2)  # the other process of tests waits
            state.write_text(json.dumps({"environment": environment, "session": session}), encoding="utf-8")
    return kept


def replannable(kept: Project, folder: Path) -> Project:
    """A copy to edit, for dry runs: what has run is that of the study itself."""
    shutil.copytree(kept.folder, folder, ignore=lambda at, _: OF_RUNS if Path(at) == kept.folder else ())
    shutil.copytree(kept.folder / ".snakemake/herbarium", folder / ".snakemake/herbarium")
    for part in ("results", ".snakemake/metadata"):
        (folder / part).symlink_to(kept.folder / part)
    return Project(folder)
