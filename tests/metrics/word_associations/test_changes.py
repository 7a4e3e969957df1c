"""What leans are means of, and what changed from one source of vectors to another."""

import numpy as np
import pandas as pd
import pytest
from tests.metrics.word_associations.toy import ENTRY, NOTHING, PAIRS, SEED, of_source, row, vectors_of

from herbarium.metrics.word_associations import association_tests, changes, items, numbers, sembias, stimuli
from herbarium.metrics.word_associations.along import gender
from herbarium.metrics.word_associations.lists import ROLES
from herbarium.statistics.inference import adjust
from herbarium.vectors import debiased, directions, pairs
from herbarium.vectors.directions import unit

OF = stimuli.read(ENTRY)
WORDS = stimuli.words(OF)
TEXTS = WORDS["text"].tolist()
COMPARED = [("before", "after", "before", "after")]


def sources(before=1.0, after=0.0, seed=SEED + 1):
    return {"before": vectors_of(WORDS, before), "after": vectors_of(WORDS, after, seed)}


def tidy(result):
    tables = [numbers.measure(name, TEXTS, vectors, {}, OF, 0.95, "holm", SEED)[0] for name, vectors in result.items()]
    return pd.concat(tables, ignore_index=True)


@pytest.fixture(scope="module")
def both():
    result = sources()
    return result, tidy(result)


@pytest.fixture(scope="module")
def table(both):
    vectors_by_name, numbers_of_both = both
    return changes.changes(COMPARED, TEXTS, vectors_by_name, OF, numbers_of_both).set_index("measure")


def space(vectors):
    return numbers.Space(TEXTS, vectors.of("input"), vectors.n_tokens)


@pytest.mark.slow
def test_every_primary_number_after_less_before(both, table):
    _, numbers_of_both = both
    what = [f"{side}, {direction}" for direction in ("he-she", "ten") for side in ("own", "jobs")]
    ends = ["lean of stereotype pairs", "correlation with the share of women"] * 2
    measures = [f"Word associations, {unit_}: {end}" for unit_, end in zip(what, ends, strict=True)]
    assert table.index.tolist() == [*measures, "Word associations, family: WEAT"]
    by_model = dict(list(numbers_of_both.groupby("model")))
    for place, *number in (
        (0, "stereotype_lean", "own, he-she", "stereotype"),
        (3, "projection_women", "jobs, ten", "all"),
        (4, "weat", "family", "men–women, career–family"),
    ):
        values = [row(by_model[name], *number)["estimate"] for name in ("before", "after")]
        if number[0] != "weat":  # which is shown as an effect
            assert table[["value_before", "value_after"]].iloc[place].tolist() == pytest.approx(values)
        assert table["estimate"].iloc[place] == pytest.approx(values[1] - values[0])
    assert (table["std_error"] > 0).all()
    assert (table["note"].isna()).all()


def test_errors_are_paired_over_the_same_words(both, table):
    """The jackknife of a difference, which leaves the same word and pair out of both."""
    spaces = [space(vectors) for vectors in both[0].values()]
    (instances,) = OF.sembias.values()
    of_stereotype = [p for p, name in zip(instances.pairs, instances.category, strict=True) if name == "stereotype"]
    differ = [space.differences(of_stereotype) for space in spaces]
    ten, method = OF.directions["ten"]
    along = [gender(space.of(["he"]), space.of(["she"]), "pair").of for space in spaces]
    cosines = [sembias.cosines(*sides) for sides in zip(differ, along, strict=True)]
    n, change = len(cosines[0]), cosines[1] - cosines[0]
    assert table["std_error"].iloc[0] == pytest.approx(change.std(ddof=1) / np.sqrt(n))
    assert table["n"].iloc[0] == n

    def without(pair):
        sides = [[space.of(p[side] for k, p in enumerate(ten) if k != pair) for side in (0, 1)] for space in spaces]
        return [directions.direction(*pair_vectors, method) for pair_vectors in sides]

    def mean(along, rows):
        return np.mean([sembias.cosines(differ[1][rows], along[1]) - sembias.cosines(differ[0][rows], along[0])])

    whole, alone, rows = without(None), [without(pair) for pair in range(len(ten))], np.arange(n)
    estimate = mean(whole, rows)
    of_pairs = np.array([mean(along, rows) for along in alone])
    of_words = np.array([mean(whole, np.delete(rows, k)) for k in rows])
    of_both = np.array([[mean(along, np.delete(rows, k)) for along in alone] for k in rows])
    left = of_both - of_words[:, None] - of_pairs + estimate
    parts = [(len(values) - 1) * np.var(values) for values in (of_words, of_pairs)]
    shared = (n - 1) * (len(ten) - 1) / (n * len(ten)) * (left**2).sum()
    assert table["std_error"].iloc[2] ** 2 == pytest.approx(max(sum(parts) - shared, *parts))


def test_equal_sources_change_by_nothing(both):
    same = {"before": both[0]["before"], "after": both[0]["before"]}
    result = changes.differences(*changes._spaces(TEXTS, list(same.values())), OF)
    assert [(mean.estimate, mean.variance) for _, _, mean, _ in result] == [(0, 0)] * 5


def test_words_that_one_of_both_lacks_are_in_neither():
    result, lost = sources(), "carpenter"
    result["after"].values[TEXTS.index(lost)] = np.nan
    changed = changes.differences(*changes._spaces(TEXTS, list(result.values())), OF)
    mean, n = {(metric, unit_): rest for metric, unit_, *rest in changed}["projection_women", "jobs, he-she"]
    words, (jobs, women) = [word for word in TEXTS if word != lost], OF.occupations["jobs"]
    assert n == len(jobs) - 1
    kept, rs = np.array(jobs) != lost, []
    for vectors in result.values():
        array = np.delete(space(vectors).values, TEXTS.index(lost), axis=0)
        known = numbers.Space(words, array, np.ones(len(words)))
        direction = gender(known.of(["he"]), known.of(["she"]), "pair").of
        rs.append(float(numbers.projection.correlation(unit(known.of(np.array(jobs)[kept])), women[kept], direction)))
    assert mean.estimate == pytest.approx(rs[1] - rs[0])
    # sources may have other dimensions
    shorter = result["after"]._replace(values=result["after"].values[..., :-1])
    means = [mean for *_, mean, _ in changes.differences(*changes._spaces(TEXTS, [result["before"], shorter]), OF)]
    assert all(np.isfinite(mean.variance) for mean in means)


def test_too_few_words_and_tests_of_one_source_alone(both):
    vectors_by_name, numbers_of_both = both
    few = {name: vectors._replace(values=vectors.values.copy()) for name, vectors in vectors_by_name.items()}
    jobs = OF.occupations["jobs"][0]
    few["after"].values[[TEXTS.index(job) for job in jobs[3:]]] = np.nan
    alone = numbers_of_both[(numbers_of_both["metric"] != "weat") | (numbers_of_both["model"] == "before")]
    rows = changes.changes(COMPARED, TEXTS, few, OF, alone)
    assert not rows["measure"].str.contains("WEAT").any()
    of_women = rows[rows["measure"].str.contains("women")]
    assert of_women["estimate"].isna().all()
    assert set(of_women["note"]) == {"fewer than 4 words with vectors in both"}


def test_after_hard_debiasing_nothing_is_left_and_nothing_is_made_of_rounding():
    gendered = pairs.read(["resources/vectors/english_pairs.csv"])
    listed = stimuli.read(NOTHING | {"directions": {"he-she": {"pairs": PAIRS, "method": "pair"}}, **{
        key: ENTRY[key] for key in ("sembias", "occupations")}})  # fmt: skip
    known = stimuli.words(listed)
    both = [(m, f) for m, f in gendered if {m, f} <= set(known["text"])]
    vectors = vectors_of(known, 2.0)
    at = known["text"].tolist().index
    values = vectors.of("input")
    sides = (values[[at(pair[side]) for pair in both]] for side in (0, 1))
    free = debiased.vectors(known["text"], values, both, *sides, "pair").astype(np.float32)[:, None]
    texts = known["text"].tolist()
    table, _ = numbers.measure("hard", texts, vectors._replace(values=free), {}, listed, 0.95, "holm", 0)
    lean = row(table, "stereotype_lean", "own, he-she", "stereotype")
    assert abs(lean["estimate"]) < 1e-6
    assert lean["p_value"] == 1
    women = row(table, "projection_women", "jobs, he-she", "all")
    assert np.isnan(women["estimate"])
    assert women["note"] == "no correlation: one side is constant"


def test_items_have_the_lean_for_their_mean_and_directions_for_their_forms():
    numbers_table, _ = of_source("<b>real</b>", 1.0)
    result = items.of_items("toy", space(vectors_of(WORDS, 1.0)), OF)
    assert set(result["form"]) == {"he-she", "ten"}
    assert set(result["object"]) == {"own"}
    for form, mean in result.groupby("form")["value"].mean().items():
        lean = row(numbers_table, "stereotype_lean", f"own, {form}", "stereotype")["estimate"]
        assert mean == pytest.approx(lean, rel=1e-6)
    vectors = vectors_of(WORDS, 1.0)
    vectors.values[TEXTS.index("she")] = vectors.values[TEXTS.index("he")]  # no direction, no item
    assert "he-she" not in set(items.of_items("toy", space(vectors), OF)["form"])
    assert items.of_items("toy", space(vectors), OF._replace(sembias={})).empty


def test_a_table_of_a_test_is_that_of_its_words():
    word_space = space(vectors_of(WORDS, 1.0))
    sets = [word_space.of(OF.tests["family"].words[role]) for role in ROLES]
    table, (x, y, a, b) = association_tests.of_words(sets)
    by_hand = unit(np.concatenate(sets[:2])) @ unit(np.concatenate(sets[2:])).T
    np.testing.assert_allclose(table[:, 0], by_hand)
    assert [len(rows_of_set) for rows_of_set in (x, y, a, b)] == [len(rows_of_set) for rows_of_set in sets]
    assert (np.concatenate([x, y]) == np.arange(len(table))).all()
    assert (np.concatenate([a, b]) == np.arange(table.shape[2])).all()


def of_two_layers(vectors, first):
    """Vectors with a layer before their own."""
    values = np.concatenate([first.values, vectors.values], axis=1)
    return vectors._replace(layers=["early", "late"], values=values)


FEW = OF._replace(directions={"he-she": OF.directions["he-she"]}, tests={})


def tidy_of_few(result):
    tables = [numbers.measure(name, TEXTS, vectors, {}, FEW, 0.95, "holm", SEED)[0] for name, vectors in result.items()]
    return pd.concat(tables, ignore_index=True)


def test_a_change_is_of_the_last_layer_of_each_source(both, table):
    """One source has two layers, the first of which is that of another."""
    result, _ = both
    layered = {"before": of_two_layers(result["before"], vectors_of(WORDS, 3.0, 99)), "after": result["after"]}
    compared = changes.changes(COMPARED, TEXTS, layered, FEW, tidy_of_few(layered)).set_index("measure")
    columns = ["estimate", "std_error", "value_before", "value_after", "n"]
    assert len(compared) == 2
    pd.testing.assert_frame_equal(compared[columns], table.loc[compared.index, columns])


def test_layers_of_a_source_are_one_family_in_each_metric(both):
    result, numbers_of_both = both
    rows = tidy_of_few({"m": of_two_layers(result["before"], result["after"])})
    assert rows["variant"].unique().tolist() == ["early", "late"]
    for _, family in rows[rows["p_value"].notna()].groupby("metric"):
        assert set(family["variant"]) == {"early", "late"}
        p = family["p_value"].to_numpy(float)
        assert family["p_adjusted"].tolist() == pytest.approx(adjust(p, "holm").tolist())
    keys = ["metric", "unit", "group", "definition"]
    late = rows[(rows["variant"] == "late") & (rows["definition"] != "chance")].set_index(keys)["estimate"]
    alone = numbers_of_both[numbers_of_both["model"] == "before"].set_index(keys)["estimate"]
    assert late.to_dict() == pytest.approx(alone[late.index].to_dict(), nan_ok=True)
