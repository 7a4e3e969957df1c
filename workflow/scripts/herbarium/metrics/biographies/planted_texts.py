"""Biographies written by the workflow itself: how much the gaps between genders rise with the share of women is known.

"Mira works with bricks. She knows mortar and beams. On Sundays she likes chess."

- Eight occupations, with shares of women from 1/8 to 7/8. Each has six words of its own; a text has three of them.
- A text has the words of its own occupation with probability SHOWN + strength · (share − 1/2) / 2 if it is about a
  woman, SHOWN − strength · (share − 1/2) / 2 if it is about a man, where share is the share of women in the occupation;
  else the words of another one, all equally likely. So people of the rarer gender of an occupation are less often
  recognisable by its words. A probe that knows the words, but not gender, recognises exactly the texts with their
  occupation's words, and the expected gap, accuracy for women minus accuracy for men, is strength · (share − 1/2): its
  slope on the share is the strength. One that also sees gender, and overweights it, finds a steeper slope.
- Names and pronouns have the text's gender; likes are words that lean to it with probability LEAN.
- No text occurs twice.
"""

import numpy as np
import pandas as pd

from herbarium.core.random import stream
from herbarium.metrics.biographies.stimuli import FEMALE, MALE

SHOWN, LEAN = 0.7, 0.75
# (1 - SHOWN) over half of the largest distance of a share from 1/2: beyond it, a probability would be above 1.
LARGEST = 1.6
WORDS = {
    "baker": ("flour", "dough", "ovens", "bread", "yeast", "rolls"),
    "builder": ("bricks", "mortar", "beams", "concrete", "scaffolds", "cranes"),
    "dancer": ("ballet", "stages", "tango", "rhythm", "choreographies", "leaps"),
    "lawyer": ("courts", "contracts", "statutes", "appeals", "witnesses", "judges"),
    "nurse": ("wards", "patients", "bandages", "vaccines", "fevers", "wounds"),
    "painter": ("canvas", "brushes", "portraits", "oils", "galleries", "murals"),
    "pilot": ("runways", "cockpits", "flights", "altitudes", "turbines", "airports"),
    "teacher": ("pupils", "lessons", "classrooms", "grammar", "exams", "homework"),
}
SHARES = dict(zip(WORDS, (0.625, 0.125, 0.875, 0.375, 0.75, 0.5, 0.25, 0.625), strict=True))
NAMES = {
    FEMALE: ("Mira", "Tessa", "Olena", "Ruth", "Ines", "Carla", "Anna", "Sofia"),
    MALE: ("Anton", "Boris", "Carl", "Peter", "Emil", "Felix", "Hugo", "Oscar"),
}
LIKES = {FEMALE: ("knitting", "poetry", "yoga"), MALE: ("football", "fishing", "chess")}
PRONOUNS = {FEMALE: "she", MALE: "he"}
# The layout of the table, as in the configuration of other tasks.
LAYOUT = {
    **{"text": "text", "occupation": "occupation", "gender": "gender", "name": "name", "language": None},
    **{"female": [FEMALE], "male": [MALE], "occupations": [], "column": None, "train": [], "test": []},
}


def table(name: str, strength: float, n: int, seed: int) -> pd.DataFrame:
    """The table of a task with planted biographies, which `LAYOUT` describes; in addition, `topic`: the occupation of
    its words, and `lean`, +1 if the likes are masculine, else -1.

    name: of the task; two tasks have different texts. n: the number of texts, distributed evenly over occupations.
    """
    random, occupations, rows, seen = stream(seed, "biographies", "planted", name), list(WORDS), [], set()
    while len(rows) < n:
        occupation = occupations[len(rows) % len(occupations)]
        share = SHARES[occupation]
        is_woman = random.uniform() < share
        shown = SHOWN + (1 if is_woman else -1) * strength * (share - 0.5) / 2
        others = [other for other in occupations if other != occupation]
        topic = occupation if random.uniform() < shown else others[random.integers(len(others))]
        row = _text(topic, FEMALE if is_woman else MALE, random)
        if row["text"] not in seen:
            seen.add(row["text"])
            rows.append(row | {"occupation": occupation})
    return pd.DataFrame(rows)


def _text(topic: str, gender: str, random: np.random.Generator) -> dict:
    leans_to = gender if random.uniform() < LEAN else MALE if gender == FEMALE else FEMALE
    name, likes = random.choice(NAMES[gender]), random.choice(LIKES[leans_to])
    one, two, three = random.choice(WORDS[topic], 3, replace=False)
    pronoun = PRONOUNS[gender]
    text = (
        f"{name} works with {one}. {pronoun.capitalize()} knows {two} and {three}. "
        f"On {random.choice(('Mondays', 'Fridays', 'Sundays'))} {pronoun} likes {likes}."
    )
    return {"text": text, "gender": gender, "name": name, "topic": topic, "lean": 1.0 if leans_to == MALE else -1.0}
