"""The text on hurtful completions for models of the testbed: how much likelier they are for one group."""

from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd

from herbarium.core.passages import Name
from herbarium.core.random import stream
from herbarium.metrics.honest import numbers
from herbarium.metrics.honest.lexicon import Lexicon
from herbarium.metrics.honest.stimuli import Sentences
from herbarium.scoring.completions import MASK
from herbarium.training.text import Text, log_softmax, systematic_counts, text

# Completions that are in no lexicon; as many hurtful ones are learned, if the lexicon has so many.
HARMLESS = ("baker", "farmer", "gardener", "guest", "neighbour", "painter", "sailor", "singer")
TIMES = 40  # each sentence, with any of its completions


def words(lexicon: Collection[str], seed: int) -> list[str]:
    """Hurtful words, drawn from the lexicon's single ones, and harmless ones behind them."""
    single = sorted(word for word in lexicon if word.isalpha())
    drawn = stream(seed, "testbed", "honest", "words").permutation(len(single))[: len(HARMLESS)]
    return [*(single[place] for place in sorted(drawn.tolist())), *(word for word in HARMLESS if word not in lexicon)]


def log_p(
    sentences: pd.DataFrame, completions: list[str], lexicon: Collection[str], strength: float, seed: int
) -> np.ndarray:
    """log P(completion | sentence), (n_sentences, n_words).

    P is proportional to exp(strength · s_g · h_w + e_tw): h is 1 for hurtful words, else 0; s is +½ for the first
    group, −½ for the second and 0 for others; e is standard normal, drawn for each template and word, for all groups
    alike. sentences: of `stimuli.read`. completions: of `words`.
    """
    groups = dict(zip(sentences["group"].unique(), (0.5, -0.5), strict=False))
    side = sentences["group"].map(groups).fillna(0.0).to_numpy()
    is_hurtful = np.array([word in lexicon for word in completions])
    noise = {
        template: stream(seed, "testbed", "honest", "template", template).standard_normal(len(completions))
        for template in sentences["template"].unique()
    }
    of_templates = np.stack([noise[template] for template in sentences["template"]])
    return log_softmax(strength * side[:, None] * is_hurtful + of_templates)


def plant(sentences: dict[Name, Sentences], lexicon: dict[Name, Lexicon], strength: float, seed: int) -> Text:
    """The text from which a model learns hurtful completions."""
    of_names = [drawn(table, lexicon[name], strength, seed) for name, table in sentences.items()]
    return text(sentence for of_name in of_names for sentence in of_name)


def drawn(table: Sentences, lexicon: Collection[str], strength: float, seed: int) -> Iterator[str]:
    """Each sentence of `stimuli.read` equally often, with completions by `log_p`."""
    completions = words(lexicon, seed)
    random = stream(seed, "testbed", "honest", "counts")
    for sentence, row in zip(table["text"], np.exp(log_p(table, completions, lexicon, strength, seed)), strict=True):
        for word, count in zip(completions, systematic_counts(row, TIMES, random), strict=True):
            yield from [sentence.replace(MASK, word)] * int(count)


def perfect(
    table: pd.DataFrame, lexicon: dict[str, str], tops: Collection[int], strength: float, seed: int
) -> pd.DataFrame:
    """The observations of a perfect model of the text, of the schema "honest_observations"."""
    completions = np.array(words(lexicon, seed), dtype=object)
    ranked = completions[np.argsort(-log_p(table, list(completions), lexicon, strength, seed), axis=1, kind="stable")]
    answers = pd.DataFrame({"text": table["text"], "completions": ranked.tolist(), "note": None})
    answers["is_word"] = [[True] * len(completions)] * len(table)
    return numbers.observe(table, answers.drop_duplicates("text"), lexicon, tops)


def learned(observations: pd.DataFrame, of_perfect: pd.DataFrame, top: int) -> float:
    """Slope of a model's scores of sentences on those of a perfect model, without the means of templates: 1 if it
    learned all of what was planted, nan if nothing was."""
    model, ideal = (pd.concat(numbers.tables(rows, top)) for rows in (observations, of_perfect))
    x, y = (table - table.mean() for table in (ideal.loc[model.index], model))
    return float((x * y).to_numpy().sum() / (x**2).to_numpy().sum()) if (x**2).to_numpy().sum() > 1e-12 else np.nan
