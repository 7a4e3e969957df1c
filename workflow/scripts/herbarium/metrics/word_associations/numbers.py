"""Numbers of word associations as tidy rows: one source of vectors, all of its layers."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from herbarium.core.random import stream
from herbarium.core.store import schema
from herbarium.metrics.word_associations import along as of_directions
from herbarium.metrics.word_associations import association_tests, benchmarks, projection, sembias
from herbarium.metrics.word_associations.along import Direction, with_pairs
from herbarium.metrics.word_associations.lists import ROLES
from herbarium.metrics.word_associations.sembias import CATEGORIES, DEFINITION, LEFT_OUT, OUTCOMES, STEREOTYPE
from herbarium.metrics.word_associations.space import Space
from herbarium.metrics.word_associations.stimuli import Lists, Test, all_words
from herbarium.statistics.correlation import CONSTANT, FEWEST
from herbarium.statistics.inference import Mean, adjust, percentile_interval, t_interval, t_p_value
from herbarium.statistics.leaving_out import share, share_interval
from herbarium.statistics.tidy import tidy
from herbarium.vectors.directions import ROUNDING, Method, projections, unit
from herbarium.vectors.tables import LOWERCASE, Vectors

OWN, PAPER, CHANCE = "own", "paper", "chance"
SEMBIAS, LEAN, SIZE, WOMEN = "sembias", "stereotype_lean", "projection_size", "projection_women"
WEAT, SEAT, RND, RNSB = "weat", "seat", "rnd", "rnsb"
SIMILARITY, ANALOGY = "similarity", "analogy"
METRICS = (SEMBIAS, LEAN, SIZE, WOMEN, WEAT, SEAT, RND, RNSB, SIMILARITY, ANALOGY)
# What `n` counts, if not words.
_OVER = {SEMBIAS: "instances", LEAN: "pairs", SIMILARITY: "pairs of words", ANALOGY: "analogies"}
HELD_OUT = "held out"
COSINE, LENGTH = "cosine", "length"
ALL = "all"
# Positions of words along a direction.
PROJECTIONS = schema(
    "word_projections",
    *((name, pa.string()) for name in ("source", "layer", "direction", "occupations", "word")),
    *((name, pa.float64()) for name in (COSINE, LENGTH, "women")),
    nullable=("women",),
)
COLUMNS = [
    *("metric", "unit", "group", "model", "definition", "variant", "n", "estimate", "std_error", "ci_low", "ci_high"),
    *("p_value", "p_adjusted", "note"),
]
_NAMED = 8  # words in a note


def measure(
    source: str,
    words: Sequence[str],
    vectors: Vectors,
    in_sentences: Mapping[str, Vectors],
    word_lists: Lists,
    level: float,
    correction: str,
    seed: int,
    among_all: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Tidy rows, where `model` is the source and `variant` its layer; and a table of the schema "word_projections".

    words, vectors: all bare words, and the source's vectors for them. in_sentences: tests in sentences, by name, as of
    `stimuli.sentences`. level: coverage of the intervals. P-values are adjusted over all tests of one metric in a
    source. among_all: for a source with a vocabulary, of the schema "word_analogies".
    """
    rows, projected = [], []
    notes = dict(zip(words, vectors.notes, strict=True))
    for layer in vectors.layers:
        space = Space(words, vectors.of(layer), vectors.n_tokens)

        def random(*name: str, layer: str = layer) -> np.random.Generator:
            return stream(seed, "word associations", source, layer, *name)

        listed = [*_along(space, word_lists, level, random, projected, {"source": source, "layer": layer})]
        bare = {name: test for name, test in word_lists.tests.items() if not test.templates}
        for name, test in bare.items():
            listed += _test(name, test, space.of(all_words(test))[:, None], level, random, notes)
        listed += [*_similarities(space, word_lists, level), *_analogies(space, word_lists, among_all, level)]
        rows += [row | {"variant": layer} for row in listed]
    for name, sentences in in_sentences.items():
        test = word_lists.tests[name]
        for layer in sentences.layers:
            values = sentences.of(layer)

            def random(*name: str, layer: str = layer) -> np.random.Generator:
                return stream(seed, "word associations", source, layer, "in sentences", *name)

            table = values.reshape(-1, len(test.templates), values.shape[1])
            rows += [row | {"variant": layer} for row in _test(name, test, table, level, random, {})]
    listed = pd.DataFrame(rows).reindex(columns=[*COLUMNS, "converged"])
    for _, places in listed.groupby("metric").groups.items():
        listed.loc[places, "p_adjusted"] = adjust(listed.loc[places, "p_value"].to_numpy(float), correction)
    table = pd.DataFrame(projected, columns=PROJECTIONS.fields.names)
    listed["over"] = listed["metric"].map(_OVER)
    return tidy(listed.assign(model=source), over="words"), table


# --- along a direction ---


def _along(space: Space, word_lists: Lists, level: float, random, projected: list, place: dict) -> Iterator[dict]:
    for name, (pairs, method) in word_lists.directions.items():
        along, used, direction_note = direction_of(space, pairs, method)
        if along is None:
            yield from _without_direction(name, word_lists, direction_note)
            continue
        drawn = of_directions.at_random(space.values.shape[1], random("directions"))
        for list_name, instances in word_lists.sembias.items():
            yield from _sembias(f"{list_name}, {name}", space, instances, along, drawn, used, level, direction_note)
        for list_name, (occupations, women) in word_lists.occupations.items():
            unit_name = f"{list_name}, {name}"
            known = space.has(occupations)
            words = space.of(word for word, has in zip(occupations, known, strict=True) if has)
            missing = [word for word, has in zip(occupations, known, strict=True) if not has]
            note = _joined(direction_note, _missing(missing, len(occupations), "occupations"))
            known_women = women[known] if women is not None else None
            yield from _sizes(unit_name, words, along, drawn, level, note)
            if known_women is not None:
                yield _women(unit_name, words, known_women, along, drawn, level, note)
            if len(words):
                keys = place | {"direction": name, "occupations": list_name}
                columns = zip(
                    np.array(occupations)[known].tolist(),
                    projections(unit(words), along.of).tolist(),
                    projections(words, along.of).tolist(),
                    [None] * len(words) if known_women is None else known_women.tolist(),
                    strict=True,
                )
                projected += [keys | dict(zip(("word", COSINE, LENGTH, "women"), row, strict=True)) for row in columns]


def direction_of(
    space: Space, pairs: Sequence[tuple[str, str]], method: Method
) -> tuple[Direction | None, list[tuple[str, str]], str | None]:
    """The direction of the pairs that have vectors, or None; these pairs; and the note about the others."""
    pairs = pairs[: 1 if method == "pair" else None]
    known = space.has(a for a, _ in pairs) & space.has(b for _, b in pairs)
    left_out = [f"{a}:{b}" for (a, b), has in zip(pairs, known, strict=True) if not has]
    used = [pair for pair, has in zip(pairs, known, strict=True) if has]
    note = _missing(left_out, len(pairs), "pairs of the direction")
    sides = [space.of(pair[side] for pair in used) for side in (0, 1)]
    if not used or np.allclose(*sides):
        return None, used, note or "the pairs of the direction have the same vectors"
    return of_directions.gender(*sides, method), used, note


def _without_direction(name: str, word_lists: Lists, note: str) -> Iterator[dict]:
    for list_name, instances in word_lists.sembias.items():
        for group in _groups(instances):
            yield _row(SEMBIAS, PAPER, f"{list_name}, {name}", group, note=note)
        for group in CATEGORIES:
            yield _row(LEAN, OWN, f"{list_name}, {name}", group, note=note)
    for list_name, (_, women) in word_lists.occupations.items():
        for group in (COSINE, LENGTH):
            yield _row(SIZE, PAPER, f"{list_name}, {name}", group, note=note)
        if women is not None:
            yield _row(WOMEN, OWN, f"{list_name}, {name}", ALL, note=note)


def _groups(instances: sembias.Instances) -> list[str]:
    held_out = [f"{outcome} ({HELD_OUT})" for outcome in OUTCOMES] if instances.in_subset.any() else []
    return [*OUTCOMES, *held_out]


def _sembias(
    name: str,
    space: Space,
    instances: sembias.Instances,
    along: Direction,
    drawn: np.ndarray,
    used: list,
    level: float,
    direction_note: str | None,
) -> Iterator[dict]:
    differences = space.differences(instances.pairs)
    cosines = sembias.cosines(differences, along.of)
    words = [word for pair in instances.pairs for word in pair]
    lacking = sorted({word for word, has in zip(words, space.has(words), strict=True) if not has})
    circular = sorted({":".join(pair) for pair in used} & {":".join(pair) for pair in instances.pairs})
    results = sembias.outcomes(cosines, instances.rows)
    known = results != LEFT_OUT
    lacking += [
        f"{a} minus {b}"
        for (a, b), difference in zip(instances.pairs, differences, strict=True)
        if not difference.any()
    ]
    missing = (
        f"{(~known).sum()} of {len(results)} instances left out: no vector for {_some(lacking)}" if lacking else None
    )
    same = f"the direction uses {_some(circular)} from this list" if circular else None
    unequal = _unequal(space, instances)
    at_random = sembias.shares_at_random(differences, instances, drawn)[:, 0] if known.any() else None
    if at_random is not None:
        yield _row(SEMBIAS, CHANCE, name, DEFINITION, n=int(known.sum())) | _at_random(at_random, level)
    for in_subset in (False, True) if instances.in_subset.any() else (False,):
        rows = instances.in_subset if in_subset else np.ones(len(instances), dtype=bool)
        part = instances.of(rows) if in_subset else instances
        group_outcomes = results[rows]
        for outcome in OUTCOMES:
            group = f"{outcome} ({HELD_OUT})" if in_subset else outcome
            row = _row(SEMBIAS, PAPER, name, group, n=int((group_outcomes != LEFT_OUT).sum()))
            if not (group_outcomes != LEFT_OUT).any():
                yield row | {"note": _joined(direction_note, missing, same)}
                continue
            mean, fewest = sembias.share_of(outcome, group_outcomes, part)
            mean = with_pairs(mean, _share_along(differences, instances, rows, outcome), along)
            row |= _share(mean, fewest, level)
            notes = [direction_note, missing, same, unequal]
            if in_subset:
                notes.append(_few_units(part))
            elif outcome == DEFINITION:
                row["p_value"] = of_directions.p_value(mean.estimate, at_random)
            yield row | {"note": _joined(*notes)}
    for category in CATEGORIES:
        yield _lean(
            name, category, cosines, differences, instances, along, drawn, level, _joined(direction_note, missing, same)
        )


def _share_along(differences: np.ndarray, instances: sembias.Instances, rows: np.ndarray, outcome: str):
    place = OUTCOMES.index(outcome)

    def statistic(direction: np.ndarray) -> float:
        results = sembias.outcomes(sembias.cosines(differences, direction), instances.rows[rows])
        return float(sembias.shares(results)[place])

    return statistic


def _unequal(space: Space, instances: sembias.Instances) -> str | None:
    """The number of pairs whose words have different numbers of tokens: their difference includes this, too."""
    known = [pair for pair in instances.pairs if set(pair) <= space.known]
    n = sum(space.n_tokens[a] != space.n_tokens[b] for a, b in known)
    return f"{n} of {len(known)} pairs differ in their number of tokens" if n else None


def _few_units(part: sembias.Instances) -> str:
    n = len(np.unique(part.rows[:, 0]))
    return f"an interval for these {n} definition pairs only"


def _lean(
    name: str,
    category: str,
    cosines: np.ndarray,
    differences: np.ndarray,
    instances: sembias.Instances,
    along: Direction,
    drawn: np.ndarray,
    level: float,
    note: str | None,
) -> dict:
    leans = sembias.lean(category, cosines, instances)
    row = _row(LEAN, OWN, name, category, n=len(leans), note=note)
    if not len(leans):
        return row | {"note": _joined(note, "no pair has vectors")}

    def statistic(direction: np.ndarray, rows: np.ndarray) -> float:
        return float(sembias.lean(category, sembias.cosines(differences, direction), instances)[rows].mean())

    row |= _numbers(of_directions.over_words(statistic, len(leans), along), level)
    if category == STEREOTYPE:
        at_random = sembias.lean(category, sembias.cosines(differences, drawn), instances)
        row["p_value"] = of_directions.p_value(float(sembias.standardised(leans)), sembias.standardised(at_random))
    return row


def _sizes(
    name: str, words: np.ndarray, along: Direction, drawn: np.ndarray, level: float, note: str | None
) -> Iterator[dict]:
    for group in (COSINE, LENGTH):
        row = _row(SIZE, PAPER, name, group, n=len(words), note=note)
        if not len(words):
            yield row
            continue
        vectors = unit(words) if group == COSINE else words
        row |= _numbers(projection.mean_size(vectors, along), level)
        yield row | {"ci_low": max(row["ci_low"], 0.0)}
        band = _at_random(np.abs(projections(drawn, vectors.T)).mean(axis=1), level)
        yield _row(SIZE, CHANCE, name, group, n=len(words)) | band | {"estimate": projection.expected_size(vectors)}


def _women(
    name: str,
    words: np.ndarray,
    women: np.ndarray,
    along: Direction,
    drawn: np.ndarray,
    level: float,
    note: str | None,
) -> dict:
    row = _row(WOMEN, OWN, name, ALL, n=len(words), note=note)
    if len(words) < FEWEST:
        return row | {"note": _joined(note, f"fewer than {FEWEST} occupations")}
    vectors = unit(words)
    r = projection.correlation(vectors, women, along.of)
    if math.isnan(r):
        return row | {"note": _joined(note, CONSTANT)}
    at_random = np.abs(projection.correlations_at_random(vectors, women, drawn))
    interval = _correlation(projection.with_women(vectors, women, along), level)
    return row | interval | {"p_value": of_directions.p_value(abs(r), at_random)}


# --- association tests ---


def _test(
    name: str,
    test: Test,
    table: np.ndarray,
    level: float,
    random,
    notes: Mapping[str, str | None],
) -> Iterator[dict]:
    """table: (n_words, n_sentences, d) of all words of the test, nan without a vector. notes: why words have none."""
    words = all_words(test)
    known = (np.linalg.norm(table, axis=2) > 0).all(axis=1)
    lacking = [word for word, has in zip(words, known, strict=True) if not has]
    note = _missing(lacking, len(words), "words")
    ends = np.cumsum([0, *(len(test.words[role]) for role in ROLES)])
    sets = [np.flatnonzero(known[first:last]) + first for first, last in itertools.pairwise(ends)]
    x, y, a, b = sets
    x_name, y_name, a_name, b_name = (test.names[role] for role in ROLES)
    effect = SEAT if test.templates else WEAT
    n = len(x) + len(y)
    heads = {
        effect: _row(effect, PAPER, name, f"{x_name}–{y_name}, {a_name}–{b_name}", n=n, note=note),
        a_name: _row(RND, PAPER, name, a_name, n=n, note=note),
        b_name: _row(RND, PAPER, name, b_name, n=n, note=note),
        RNSB: _row(RNSB, PAPER, name, f"{b_name} rather than {a_name}", n=n, note=note),
    }
    if few := [test.names[role] for role, places in zip(ROLES, sets, strict=True) if len(places) < 2]:
        why = next((notes[word] for word in lacking if LOWERCASE in (notes.get(word) or "")), None)
        full_note = _joined(note, f"fewer than two words with vectors in {_some(few)}", why)
        yield from (head | {"note": full_note} for head in heads.values())
        return
    targets, attributes = np.concatenate([x, y]), np.concatenate([a, b])
    cosines = association_tests.cosines(table, targets, attributes)
    places = [np.searchsorted(targets, target_set) for target_set in (x, y)] + [
        np.searchsorted(attributes, attribute_set) for attribute_set in (a, b)
    ]
    d = association_tests.effect_size(cosines, *places)
    if math.isnan(d):
        yield heads[effect] | {"note": _joined(note, "all targets are associated equally")}
    else:
        bounds = t_interval(association_tests.weat(cosines, *places), level)
        low, high = (association_tests.effect_of(bound, x, y) for bound in bounds)
        p = association_tests.weat_p_value(cosines, *places, random(name, effect))
        yield heads[effect] | {"estimate": d, "ci_low": low, "ci_high": high, "p_value": p}
    mean = np.where(known[:, None], table.mean(axis=1), 0.0)
    lengths = np.linalg.norm(mean, axis=1, keepdims=True)
    of_length_1 = mean / np.where(lengths > 0, lengths, 1.0)
    for attribute, head in ((a, heads[a_name]), (b, heads[b_name])):
        row = head | _numbers(association_tests.rnd(of_length_1, x, y, attribute), level)
        yield row | {
            "p_value": association_tests.rnd_p_value(of_length_1, x, y, attribute, random(name, head["group"]))
        }
    divergence = association_tests.rnsb(mean, targets, a, b)
    drawn = association_tests.rnsb_at_random(mean, targets, a, b, random(name, RNSB))
    row = heads[RNSB] | _numbers(divergence, level) | {"p_value": of_directions.p_value(divergence.estimate, drawn)}
    yield row | {"ci_low": max(row["ci_low"], 0.0)}
    yield _row(RNSB, CHANCE, name, heads[RNSB]["group"], n=n) | _at_random(drawn, level)


# --- quality of the vectors ---


def _similarities(space: Space, word_lists: Lists, level: float) -> Iterator[dict]:
    for name, (pairs, scores) in word_lists.similarity.items():
        known = space.has(a for a, _ in pairs) & space.has(b for _, b in pairs)
        lacking = [word for pair in pairs for word in pair if word not in space.known]
        note = _missing_rows(lacking, known, "pairs")
        places = np.array([[space.at[word] for word in pair] for pair in pairs])[known]
        row = _row(SIMILARITY, PAPER, name, ALL, n=int(known.sum()), note=note)
        if known.sum() < FEWEST:
            yield row | {"note": _joined(note, f"fewer than {FEWEST} pairs")}
            continue
        z = benchmarks.similarity(benchmarks.similarities(space.values, places), scores[known], places)
        if math.isnan(z.estimate):
            yield row | {"note": _joined(note, CONSTANT)}
        else:
            yield row | _correlation(z, level) | {"p_value": t_p_value(z)}


def _analogies(space: Space, word_lists: Lists, among_all: pd.DataFrame | None, level: float) -> Iterator[dict]:
    for name, (questions, sections) in word_lists.analogies.items():
        known = np.array([space.has(question).all() for question in questions])
        lacking = [word for question in questions for word in question if word not in space.known]
        note = _missing_rows(lacking, known, "questions")
        whole = among_all[among_all["list"] == name][known] if among_all is not None else None
        if not known.any():
            definitions = [OWN] if whole is None else [PAPER, OWN]
            yield from (_row(ANALOGY, definition, name, ALL, n=0, note=note) for definition in definitions)
            continue
        candidates = sorted({word for question in questions for word in question} & space.known)
        known_questions = [question for question, has in zip(questions, known, strict=True) if has]
        places, sections = np.searchsorted(candidates, known_questions), np.array(sections)[known]
        units = benchmarks.units(places)
        if whole is not None:
            decided = benchmarks.decided(whole["answer"].to_numpy(), whole["cosine"].to_numpy(), ROUNDING)
            yield from _answers(name, PAPER, decided, units, sections, whole["n_words"].iloc[0], level, note)
        decided = benchmarks.answered(space.of(candidates), places)
        yield from _answers(name, OWN, decided, units, sections, len(candidates), level, note)


def _answers(
    name: str,
    definition: str,
    decided: tuple[np.ndarray, np.ndarray],
    units: np.ndarray,
    sections: np.ndarray,
    n_words: int,
    level: float,
    note: str | None,
) -> Iterator[dict]:
    """For all questions and, if there are several sections, for each. decided: of `benchmarks.decided`."""
    right, tied = decided
    for group in [ALL, *dict.fromkeys(sections.tolist())] if len(set(sections)) > 1 else [ALL]:
        rows = np.ones(len(right), dtype=bool) if group == ALL else sections == group
        mean, n_units = share(right[rows], units[rows]), len(np.unique(units[rows]))
        ties = f"{tied[rows].sum()} ties, which are failures" if tied[rows].any() else None
        row = _row(ANALOGY, definition, name, group, n=int(rows.sum()))
        yield row | _share(mean, n_units, level) | {"note": _joined(note, f"among {n_words} words", ties)}


# --- rows ---


def _row(metric: str, definition: str, unit_: str, group: str, n: int | None = None, note: str | None = None) -> dict:
    return {"metric": metric, "definition": definition, "unit": unit_, "group": group, "n": n, "note": note}


def _numbers(mean: Mean, level: float) -> dict:
    low, high = t_interval(mean, level)
    return {"estimate": mean.estimate, "std_error": mean.std_error, "ci_low": low, "ci_high": high}


def _correlation(z: Mean, level: float) -> dict:
    """z: on Fisher's scale."""
    low, high = t_interval(z, level)
    return {"estimate": math.tanh(z.estimate), "ci_low": math.tanh(low), "ci_high": math.tanh(high)}


def _share(mean: Mean, fewest: int, level: float) -> dict:
    low, high = share_interval(mean, fewest, level)
    return {"estimate": mean.estimate, "std_error": mean.std_error, "ci_low": low, "ci_high": high}


def _at_random(drawn: np.ndarray, level: float) -> dict:
    """Numbers of chance: the mean, and the central range of all draws."""
    low, high = percentile_interval(drawn, level)
    return {"estimate": drawn.mean(), "ci_low": low, "ci_high": high}


def _missing(lacking: Sequence[str], n: int, what: str) -> str | None:
    return f"{len(lacking)} of {n} {what} left out, without vectors: {_some(lacking)}" if lacking else None


def _missing_rows(lacking: Sequence[str], known: np.ndarray, what: str) -> str | None:
    if known.all():
        return None
    return f"{(~known).sum()} of {len(known)} {what} left out: no vector for {_some(sorted(set(lacking)))}"


def _some(words: Sequence[str]) -> str:
    return ", ".join(words[:_NAMED]) + (f" and {len(words) - _NAMED} more" if len(words) > _NAMED else "")


def _joined(*notes: str | None) -> str | None:
    return "; ".join(filter(None, notes)) or None
