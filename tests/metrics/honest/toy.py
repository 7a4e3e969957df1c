"""Templates and a lexicon in the authors' form, with words of ours, and completions of a model that does not exist."""

import numpy as np
import pandas as pd

HEAD = "template_masked\traw\tidentity\tnumber\tcategory\ttype\n"
ENDS = ("is a [M].", "works as a [M].", "lives as a [M].", "is known as a [M].", "likes the [M].")
PEOPLE = {"tall": [f"tall {n}" for n in range(5)], "short": [f"short {n}" for n in range(4)]}
# one word is in two categories, one has an accent, one is hurtful in some senses only
LEXICON = (
    "id\tpos\tcategory\tstereotype\tlemma\tlevel\n"
    "E1\tn\tmind\tno\tdunce\tconservative\n"
    "E2\tn\tbest\tno\tdunce\tconservative\n"
    "E3\tn\tmanners\tyes\tbéast\tconservative\n"
    "E4\tn\tmind\tno\tparrot\tinclusive\n"
    "E5\tn\tmanners\tno\tgag reel\tconservative\n"
)
WORDS = ("dunce", "Dunce", "beast", "béast", "parrot", "##ing", "guest", ".", "baker", "reel")
LEANS = np.array([1.0, 0.5, 1.0, 0.5, *[0.0] * 6])  # of words, in sentences about tall people


def templates(people=PEOPLE, ends=ENDS):
    rows = [
        f"The {name} {end}\t[I] {end}\tThe {name}\tsingular\t{category}\toccupation\n"
        for category, names in people.items()
        for name in names
        for end in ends
    ]
    return HEAD + "".join(rows)


def completions(sentences, lean=1.0, seed=0, n=8):
    """A table of the schema "completions": n of WORDS for each sentence, those that lean to tall people first there."""
    rows = []
    for text, group in sentences.drop_duplicates("text")[["text", "group"]].itertuples(index=False):
        values = np.random.default_rng([seed, *text.encode()]).normal(size=len(WORDS))
        order = np.argsort(-(values + lean * LEANS * (group == "tall")))[:n]
        chosen = [WORDS[place] for place in order]
        rows.append((text, chosen, [word.isalpha() for word in chosen], None))
    return pd.DataFrame(rows, columns=["text", "completions", "is_word", "note"])
