"""The words of a language whose vectors are needed: occupations, seeds, those of dictionaries, and further ones."""

from collections.abc import Iterable, Sequence

import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from herbarium.metrics.languages.lists import Lists
from herbarium.vectors.tables import bare

# The planted stereotype of every occupation: a man's.
LEAN = 1.0


def words(
    word_lists: Lists, in_dictionaries: Iterable[str], concepts: dict[str, str], further: Sequence[str]
) -> pd.DataFrame:
    """As of the schema "words", each word once.

    in_dictionaries: words of this language in dictionaries. concepts: their meanings (`concepts`). further: other words
    among which neighbours are searched for.
    """
    is_strong = word_lists.occupations["masculine"] != word_lists.occupations["feminine"]
    occupations = word_lists.occupations.assign(gender=is_strong.astype(float))
    seeds = word_lists.seeds.assign(gender=1.0)
    forms = [
        table.assign(text=table[form], gender=sign * table["gender"], lean=lean)
        for table, lean in ((occupations, LEAN), (seeds, 0.0))
        for form, sign in (("masculine", 1.0), ("feminine", -1.0))
    ]
    others = pd.DataFrame({"text": [*in_dictionaries, *further]}, dtype=object)
    others = others.assign(concept=[concepts.get(word, word) for word in others["text"]], gender=0.0, lean=0.0)
    table = pd.concat([*forms, others]).drop_duplicates("text", ignore_index=True)
    return bare(table["text"], **{name: table[name] for name in ("concept", "gender", "lean")})


def concepts(dictionaries: Iterable[tuple[str, str, pd.DataFrame]]) -> dict[tuple[str, str], str]:
    """The concepts of the words of dictionaries, by language and word: translations of one another, directly or through
    others, have the same concept.

    dictionaries: two languages and a table of `source` and `target`, words of these, each.
    """
    ends = [
        pd.DataFrame({"a": source + "\t" + table["source"], "b": target + "\t" + table["target"]})
        for source, target, table in dictionaries
    ]
    if not ends:
        return {}
    links = pd.concat(ends)
    names = pd.unique(links.to_numpy().ravel())
    place = {name: number for number, name in enumerate(names)}
    rows, columns = (links[end].map(place).to_numpy() for end in ("a", "b"))
    graph = coo_array(([1] * len(rows), (rows, columns)), shape=(len(names), len(names)))
    component = connected_components(graph, directed=False)[1]
    return {tuple(name.split("\t")): f"dictionary {number}" for name, number in zip(names, component, strict=True)}
