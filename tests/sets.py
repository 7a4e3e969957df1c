"""Small files in the formats of the catalogue's sets, in place of those of their authors."""

import json
from itertools import product
from pathlib import Path

import pandas as pd

from herbarium.study import catalogue

PAIRS = [
    ("The old mill is red.", "The new mill is red."),
    ("Old café boats leak.", "New café boats leak."),
    ("A bad pair.", "A bad pair."),
]


def _commas(path, rows, encoding="utf-8"):
    pd.DataFrame(rows).to_csv(path, index=False, encoding=encoding)
    return path


def _tabs(path, rows):
    """Without quotes, which mean nothing there."""
    cells = [rows[0], *(row.values() for row in rows)]
    path.write_text("".join("\t".join(map(str, line)) + "\n" for line in cells), encoding="utf-8")
    return path


def _crows_pairs(folder, encoding="utf-8"):
    rows = [
        {"": n, "sent_more": more, "sent_less": less, "stereo_antistereo": "stereo", "bias_type": "age"}
        for n, (more, less) in enumerate(PAIRS)
    ]
    return _commas(folder / f"crows_pairs_{encoding}.csv", rows, encoding)


def _crows_pairs_dutch(folder):
    return _crows_pairs(folder, "mac_roman")


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


def _bec_pro_german(folder):
    """An occupation has two words, `Frau` belongs to two pairs, and a template has two forms."""
    people = [
        ("Dieser Mann", "Diese Frau"),
        ("Mein Ehemann", "Meine Frau"),
        ("Er", "Sie"),
        ("Mein Sohn", "Meine Tochter"),
    ]
    good_day = ", hatte einen guten Arbeitstag."
    templates = {
        "<person subject> ist <profession>.": "{} ist {}.",
        f"<person subject>, {{}} <profession>{good_day}": f"{{}}, {{article}} {{}}{good_day}",
    }
    rows = [
        {
            "": 0,
            "Sentence": text.format(person, job, article=article),
            "Template": template.format(article),
            "Person": person.split()[-1],
            "Gender": gender,
            "Profession": job,
            "Prof_Gender": "balanced",
            "Profession_EN": english,
        }
        for template, text in templates.items()
        for english, jobs in {"miller": ("Müller", "Müllerin"), "smith": ("Schmied", "Schmiedin")}.items()
        for pair in people
        for person, job, gender, article in zip(pair, jobs, ("male", "female"), ("der", "die"), strict=True)
    ]
    return _tabs(folder / "BEC-Pro_DE.tsv", rows)


def _mbbq(folder):
    """Questions in several languages, the words for men and women not in English; and control questions."""
    questions = [
        {
            **{
                "example_id": n,
                "question_index": str(index),
                "question_polarity": polarity,
                "category": "Gender_identity",
            },
            **{"context_condition": context, "context": "Una mujer y un hombre comieron.", "question": "¿Quién pagó?"},
            **{"ans0": "La mujer", "ans1": "El hombre", "ans2": "No se sabe", "label": 2 if context == "ambig" else 0},
            "answer_info": {
                "ans0": ["mujer", "mujer"],
                "ans1": ["hombre", "hombre"],
                "ans2": ["No se sabe", "unknown"],
            },
            "additional_metadata": {"stereotyped_groups": ["F"]},
        }
        for n, (index, polarity, context) in enumerate(product((1, 2), ("neg", "nonneg"), ("ambig", "disambig")))
    ]
    place = folder / "mbbq"
    place.mkdir(exist_ok=True)
    for language, kind in product(("en", "es", "nl", "tr"), ("", "_control")):
        lines = "".join(json.dumps(line) + "\n" for line in questions)
        (place / f"Gender_identity{kind}_{language}.jsonl").write_text(lines, encoding="utf-8")
    return place


def _redditbias(folder):
    rows = [
        {
            "initial_demo": "['old']",
            "replaced_demo": "['new']",
            "comments": one,
            "comments_processed": other,
            "perplexity": 9,
        }
        for one, other in PAIRS
    ]
    return _commas(folder / "redditbias.csv", rows)


def _winoqueer(folder):
    texts = ["{} people are odd.", "Alex is {} and has odd friends", "everyone likes Alex because they are {}."]
    rows = [
        {"": n, "Gender_ID_x": group, "Gender_ID_y": other, "sent_x": text.format(group), "sent_y": text.format(other)}
        for n, (group, other, text) in enumerate(product(("Queer", "Asexual"), ("Straight", "Cis"), texts))
    ]
    return _commas(folder / "winoqueer.csv", rows)


MADE = {
    "bec-pro-german": _bec_pro_german,
    "crows-pairs": _crows_pairs,
    "crows-pairs-dutch": _crows_pairs_dutch,
    "crows-pairs-french": _crows_pairs,
    **dict.fromkeys(("mbbq-dutch", "mbbq-spanish", "mbbq-turkish"), _mbbq),
    **dict.fromkeys((f"redditbias-{who}" for who in ("gender", "jews", "muslims", "orientation", "race")), _redditbias),
    "winoqueer": _winoqueer,
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
    "stereoset-next-portuguese": "stereoset/dev.json",
    "stereoset": "stereoset/dev.json",
    "bbq": "bbq",
    "bbq-answers": "bbq",
    "bbq-choices": "bbq",
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
