"""Small files in the formats of the catalogue's sets, in place of those of their authors."""

from pathlib import Path

import pandas as pd

from herbarium.study import catalogue

PAIRS = [
    ("The old mill is red.", "The new mill is red."),
    ("Old boats leak.", "New boats leak."),
    ("A bad pair.", "A bad pair."),
]


def _commas(path, rows):
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def _tabs(path, rows):
    """Without quotes, which mean nothing there."""
    cells = [rows[0], *(row.values() for row in rows)]
    path.write_text("".join("\t".join(map(str, line)) + "\n" for line in cells), encoding="utf-8")
    return path


def _crows_pairs(folder):
    rows = [
        {"": n, "sent_more": more, "sent_less": less, "stereo_antistereo": "stereo", "bias_type": "age"}
        for n, (more, less) in enumerate(PAIRS)
    ]
    return _commas(folder / "crows_pairs.csv", rows)


def _indibias(folder):
    rows = [
        {
            "": n,
            "index": n,
            "modified_eng_sent_more": more,
            "modified_eng_sent_less": less,
            "sent_more_hindi": more,
            "sent_less_hindi": less,
            "bias_type": "Age",
            "stereo_antistereo": "stereo",
        }
        for n, (more, less) in enumerate(PAIRS)
    ]
    return _commas(folder / "indibias.csv", rows)


def _winogender(folder):
    rows = [
        {
            "sentid": f"{occupation}.{participant}.{answer}.{gender}.txt",
            "sentence": f'The {occupation} told {participant} that {pronoun} "would" be late, {answer}.',
        }
        for occupation in ("miller", "smith")
        for participant in ("someone", "the guest")
        for answer in (0, 1)
        for gender, pronoun in {"male": "he", "female": "she", "neutral": "they"}.items()
    ]
    return _tabs(folder / "sentences.tsv", rows)


def _bec_pro(folder):
    rows = [
        {
            "": 0,
            "Sentence": template.replace("PERSON", person).replace("JOB", job),
            "Template": template,
            "Person": person,
            "Gender": gender,
            "Profession": job,
            "Prof_Gender": "balanced",
        }
        for template in ("My PERSON is a JOB.", "My PERSON works as a JOB.")
        for job in ("mason", "smith")
        for person, gender in {"son": "male", "daughter": "female", "uncle": "male", "aunt": "female"}.items()
    ]
    return _tabs(folder / "BEC-Pro_EN.tsv", rows)


MADE = {
    "crows-pairs": _crows_pairs,
    "indibias": _indibias,
    "indibias-hindi": _indibias,
    "winogender": _winogender,
    "bec-pro": _bec_pro,
}
OURS = {
    "winobias": "winobias",
    "winobias-questions": "winobias",
    "winobias-occupations": "winobias",
    "stereoset-next": "stereoset/dev.json",
    "stereoset": "stereoset/dev.json",
    "bbq": "bbq",
    "bbq-answers": "bbq",
}


def imitate(values, folder):
    """Put the files of this module in place of those that the cards in a configuration name, in place."""
    catalogue.complete(values)
    for name, entry in values.get("sentence_sets", {}).items():
        chosen = entry.get("set", name)
        if chosen in catalogue.names():
            made = MADE[chosen](folder) if chosen in MADE else Path("resources/sentence_sets", OURS[chosen])
            entry["table"] = str(made)
            if "beside" in entry:
                entry["beside"] = "resources/sentence_sets/winobias_made_up_women.csv"
            for key in ("git", "revision"):
                entry.pop(key, None)
    return values
