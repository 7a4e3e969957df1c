"""Which numbers of two runs are paired, and what is inferred then: by hand, and as one study says of both models."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit
from tests.refusals import refused

from herbarium.core import store
from herbarium.metrics.crows_pairs import score as crows_pairs
from herbarium.metrics.crows_pairs.stimuli import SIDES
from herbarium.metrics.herb import differences as herb
from herbarium.statistics import items as of_items
from herbarium.statistics.inference import bootstrap_p_value, crossed_mean, percentile_interval, t_interval, t_p_value
from herbarium.statistics.items import CROSSED, ITEMS
from herbarium.statistics.replicates import REPLICATES
from herbarium.statistics.tidy import TIDY, tidy
from herbarium.study import changes as of_study
from herbarium.study import comparison, pairing, side_by_side
from herbarium.study.pairing import Left
from herbarium.study.side_by_side import Run

PLACE = {"model": "m", "metric": "toy", "definition": "own", "variant": "v", "unit": "set", "group": "all"}
INFERRED = ["difference", "std_error", "ci_low", "ci_high", "p_value"]


def number(estimate, std_error, n, **place):
    return tidy(pd.DataFrame([{**PLACE, **place, "estimate": estimate, "std_error": std_error, "n": n}]))


def mean_of(values, **place):
    values = np.asarray(values, float)
    return number(values.mean(), values.std(ddof=1) / np.sqrt(len(values)), len(values), **place)


def items(values, words=None, **place):
    rows = pd.DataFrame({"word": words or [str(i) for i in range(len(values))], "value": values, "form": ""})
    return of_items.items(rows.assign(**{"model": "m", "metric": "toy", "measure": "v", "object": "all", **place}))


def compared(base, new, kind=None, *sides):
    left = [] if kind is None else [(kind, Left(*sides))]
    return comparison.changes(base, new, left)


BASE, NEW = [1.0, 2.0, 3.0, 4.0], [2.0, 2.0, 4.0, 6.0]
NONE = np.nan


def test_items_by_hand():
    """Differences 1, 0, 1, 2: their mean is 1, their variance 2/3, and three degrees of freedom."""
    (row,) = compared(mean_of(BASE), mean_of(NEW), pairing.ITEMS, items(BASE), items(NEW)).to_dict("records")
    error = np.sqrt(2 / 3 / 4)
    assert (row["pairing"], row["difference"], row["std_error"]) == ("items", 1.0, pytest.approx(error))
    assert row["z"] == pytest.approx(1 / error)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(
        (1 - stdtrit(3, 0.975) * error, 1 + stdtrit(3, 0.975) * error)
    )
    assert row["p_value"] == row["p_adjusted"] == pytest.approx(2 * stdtr(3, -1 / error))


def test_a_number_is_not_paired_by_what_is_not_its_error():
    """Its mean is that of the items, but its error is over something else: names, say."""
    base, new = (mean_of(side).assign(std_error=0.9) for side in (BASE, NEW))
    (row,) = compared(base, new, pairing.ITEMS, items(BASE), items(NEW)).to_dict("records")
    assert (row["pairing"], row["std_error"]) == ("independent", pytest.approx(0.9 * 2**0.5))


@pytest.mark.parametrize("std_error", [np.std(BASE, ddof=1) / 2, NONE])
def test_a_number_is_not_paired_by_items_with_another_mean_or_of_another_number(std_error):
    """The error may be theirs all the same, or there is none."""
    sides = items(BASE), items(BASE)
    for shift, n, paired in ((0.0, 4, "items"), (1.0, 4, None), (0.0, 3, None if np.isnan(std_error) else "items")):
        both = number(np.mean(BASE) + shift, std_error, n)
        (row,) = compared(both, both, pairing.ITEMS, *sides).to_dict("records")
        assert (row["pairing"] == "items") == (paired == "items")


@pytest.mark.parametrize("words", [["0", "1", "2", "x"], ["0", "1", "2"]])
def test_other_words_are_not_paired(words):
    (row,) = compared(mean_of(BASE), mean_of(NEW), pairing.ITEMS, items(BASE), items(NEW[: len(words)], words)).to_dict(
        "records"
    )
    assert row["pairing"] == "independent"


def test_a_difference_without_a_spread_has_no_p_value_and_none_has_p_1():
    shifted = [value + 1 for value in BASE]
    (row,) = compared(mean_of(BASE), mean_of(shifted), pairing.ITEMS, items(BASE), items(shifted)).to_dict("records")
    assert (row["pairing"], row["difference"]) == ("items", 1.0)
    assert np.isnan([row["p_value"], row["ci_low"]]).all()
    (row,) = compared(mean_of(BASE), mean_of(BASE), pairing.ITEMS, items(BASE), items(BASE)).to_dict("records")
    assert (row["change"], row["p_value"], row["ci_low"]) == ("same", 1.0, 0.0)


def test_crossed_forms_are_samples_as_in_the_metric():
    """As Categorical Bias: over forms of two kinds and attributes, each of which is an object, not over their words."""
    random = np.random.default_rng(0)
    cubes = random.normal(size=(2, 3, 4, 5, 6)) + np.array([0, 1]).reshape(2, 1, 1, 1, 1)
    index = pd.MultiIndex.from_product([list("abc"), list("ABCD"), list("12345"), list("uvwxyz")])
    numbers, tables = [], []
    for cube in cubes:
        rows = pd.DataFrame({"value": cube.ravel()}, index=index.set_names(["a", "b", "object", "word"])).reset_index()
        place = {"model": "m", "metric": "toy", "measure": "v", "form": rows["a"] + CROSSED + rows["b"]}
        tables.append(of_items.items(rows.assign(**place)))
        cells = crossed_mean(cube.mean(axis=3))
        numbers.append(number(cells.estimate, cells.std_error, 6))
    (row,) = compared(*numbers, pairing.ITEMS, *tables).to_dict("records")
    wanted = crossed_mean((cubes[1] - cubes[0]).mean(axis=3))
    assert row["pairing"] == "items"
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(t_interval(wanted, 0.95))
    assert row["p_value"] == pytest.approx(t_p_value(wanted))


# --- the oracle: one study of both models ---


def in_one_study(changes):
    return of_study.combined(changes.astype({"null": float, "worst": float}), [], []).iloc[0]


def observations(random, n=60):
    """Pairs of CrowS-Pairs, two bias types."""
    sets = np.repeat([f"pair {i}" for i in range(n)], 2)
    frame = pd.DataFrame({"set": sets, "side": list(SIDES) * n, "group": np.repeat(["age", "sex"], n)})
    common = np.outer(random.normal(size=n), [1, -1]).ravel()
    for model in ("a", "b"):
        value = common + random.normal(size=2 * n)
        yield (
            model,
            frame.assign(
                value=value, length_group="", remark="", definition="paper", cluster=sets, note=None, pppl=1.0
            ),
        )


def test_crows_pairs_is_what_one_study_says_of_both_models():
    observations_by_model = dict(observations(np.random.default_rng(1)))
    numbers = {model: crows_pairs.score(model, table, 0.95, 1) for model, table in observations_by_model.items()}
    within = in_one_study(
        crows_pairs.changes([("a", "b", "a", "b")], pd.concat(numbers.values()), observations_by_model)
    )
    tables = [crows_pairs.of_items("m", table) for table in observations_by_model.values()]
    result = compared(*(table.assign(model="m") for table in numbers.values()), pairing.ITEMS, *tables)
    cps = result[result["variant"] == "cps"].set_index("group")
    assert cps["pairing"].to_dict() == {"all": "items", "age": "items", "sex": "items"}
    assert cps.loc["all", INFERRED].tolist() == pytest.approx(within[["estimate", *INFERRED[1:]]].tolist())
    assert set(result.loc[result["variant"] == "difference", "pairing"]) == {"independent"}  # it has no items


def test_the_distance_of_herb_is_what_one_study_says_of_both_models():
    random = np.random.default_rng(2)
    names = [f"name {i}" for i in range(50)]
    place = {"metric": "herb_crossed", "definition": "crossed", "variant": "D2", "unit": "earth", "group": "earth"}
    common = random.normal(size=50)
    influences = {
        model: pd.DataFrame({**place, "model": model, "drawn": names, "value": common + random.normal(size=50)})
        for model in ("a", "b")
    }
    numbers = [number(side, 9.0, 50, **place, model=model) for side, model in ((3.0, "a"), (7.0, "b"))]
    regions = pd.DataFrame({"region": ["earth"], "parent": [None]})
    compared_in_one = [("a", "b", "a", "b")]
    within = in_one_study(herb.changes(compared_in_one, pd.concat(numbers), pd.concat(influences.values()), regions))
    sides = [influence.assign(model="m") for influence in influences.values()]
    base, new = (item.assign(model="m") for item in numbers)
    (row,) = compared(base, new, pairing.INFLUENCES, *sides).to_dict("records")
    assert row["pairing"] == "influences"
    assert [row[column] for column in INFERRED] == pytest.approx(within[["estimate", *INFERRED[1:]]].tolist())
    others = [sides[0], sides[1].assign(drawn="other " + sides[1]["drawn"])]
    assert compared(base, new, pairing.INFLUENCES, *others)["pairing"].tolist() == ["independent"]
    few = [side[side["drawn"].isin(names[:30])] for side in sides]  # the error rates do not hold
    assert compared(base, new, pairing.INFLUENCES, *few)["pairing"].tolist() == ["independent"]


def draws(random, values, n=1000):
    drawn = random.multinomial(values.shape[1], [1 / values.shape[1]] * values.shape[1], size=n)
    means = values @ drawn.T / values.shape[1]
    return [pd.DataFrame({**PLACE, "replicate": np.arange(n), "value": mean}) for mean in means]


def test_draws_that_the_metric_infers_from_itself():
    """As HERB: the number's error is the spread of its replicates, whose variant says over what they were drawn."""
    random = np.random.default_rng(3)
    values = random.normal(size=(2, 100)) + random.normal(size=100) + [[0.0], [0.3]]
    tables = draws(random, values)
    base, new = (
        number(values_of_side.mean(), table["value"].std(ddof=1), 7)
        for values_of_side, table in zip(values, tables, strict=True)
    )
    sides = [table.assign(variant="v_over_words").sample(frac=1, random_state=1) for table in tables]
    (row,) = compared(base, new, pairing.DRAWS, *sides).to_dict("records")
    differences = (tables[1]["value"] - tables[0]["value"]).to_numpy()
    assert row["pairing"] == "draws"
    assert row["std_error"] == pytest.approx(differences.std(ddof=1))
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(percentile_interval(differences, 0.95))
    assert row["p_value"] == pytest.approx(bootstrap_p_value(differences))
    fewer = [sides[0], sides[1][sides[1]["replicate"] < 500]]
    others = [sides[0], sides[1].assign(replicate=sides[1]["replicate"] + 1)]
    for unlike in (fewer, others):
        assert compared(base, new, pairing.DRAWS, *unlike)["pairing"].tolist() == ["independent"]


def test_draws_of_units_have_students_interval():
    """So nearly that of their items, but for the draws."""
    random = np.random.default_rng(4)
    values = random.normal(size=(2, 8)) + random.normal(size=8) + [[0.0], [0.5]]
    numbers = [mean_of(values_of_side) for values_of_side in values]
    drawn = draws(random, values, 20_000)
    (row,) = compared(*numbers, pairing.DRAWS, *drawn).to_dict("records")
    both = [(pairing.ITEMS, Left(*map(items, values))), (pairing.DRAWS, Left(*drawn))]
    assert comparison.changes(*numbers, both)["pairing"].tolist() == ["items"]  # the first that applies
    unequal = [numbers[0], numbers[1].assign(n=9)]
    assert compared(*unequal, pairing.DRAWS, *drawn)["pairing"].tolist() == ["independent"]
    (by_items,) = compared(*numbers, pairing.ITEMS, *map(items, values)).to_dict("records")
    assert row["pairing"] == "draws"
    assert [row[column] for column in INFERRED] == pytest.approx([by_items[column] for column in INFERRED], rel=0.03)
    other = [item.assign(std_error=2 * item["std_error"]) for item in numbers]  # an error over something else
    assert compared(*other, pairing.DRAWS, *draws(random, values))["pairing"].tolist() == ["independent"]


# --- properties ---

VALUES = st.lists(st.tuples(*[st.floats(-100, 100).map(lambda table: round(table, 3))] * 2), min_size=3, max_size=12)


@pytest.mark.slow
@settings(max_examples=15, database=None, phases=[Phase.generate])
@given(VALUES, st.randoms())
def test_neither_order_nor_direction_matters(values, random):
    before, after = (list(column) for column in zip(*values, strict=True))
    sides = [items(before), items(after)]
    numbers = [mean_of(before), mean_of(after)]
    (row,) = compared(*numbers, pairing.ITEMS, *sides).to_dict("records")
    mixed = [side.sample(frac=1, random_state=random.randrange(1000)) for side in sides]
    (again,) = compared(*numbers, pairing.ITEMS, *mixed).to_dict("records")
    (turned,) = compared(*numbers[::-1], pairing.ITEMS, *sides[::-1]).to_dict("records")
    assert row["pairing"] == again["pairing"] == turned["pairing"]
    assert [again[column] for column in INFERRED] == pytest.approx([row[column] for column in INFERRED], nan_ok=True)
    assert [turned[name] for name in ("difference", "ci_low", "ci_high", "p_value")] == pytest.approx(
        [-row["difference"], -row["ci_high"], -row["ci_low"], row["p_value"]], nan_ok=True
    )


# --- folders ---


def run_of(folder, model="m", seed=1, values=BASE, sentence="The nurse slept.", lists="lines:1", replicates=300):
    """A results folder with one number, its items and replicates, and the sentences that they come from."""
    random = np.random.default_rng(0)
    made = {"results": str(folder), "rule": "r", "run": "r", "code": "c", "config": f"seed {seed}"}
    made |= {"inputs": {}, "models": {}, "libraries": {"torch": "2"}}
    sentences = store.schema("stimuli", ("sentence_id", pa.int64()), ("text", pa.string()))
    units = np.array(values)
    tables = {
        "work/stimuli/toy/0.parquet": (sentences, pd.DataFrame({"sentence_id": [1], "text": [sentence]})),
        f"work/items/toy/{model}.parquet": (ITEMS, items(values, model=model)),
        f"work/replicates/toy/{model}.parquet": (
            REPLICATES,
            draws(random, units[None], replicates)[0].assign(model=model),
        ),
        f"metrics/toy/{model}.parquet": (TIDY, mean_of(values, model=model)),
        "summary.parquet": (TIDY, mean_of(values, model=model)),
    }
    files = {}
    for place, (schema, table) in tables.items():
        given = {"work/stimuli/toy/0.parquet": "1"} | ({} if place.startswith("work/stimuli") else {"words.txt": lists})
        store.write_table(folder / place, schema, table, made)
        making = {"rule": "r", "code": "c", "config": f"seed {seed}", "libraries": {}, "models": {}}
        inputs = {} if place.startswith("work/stimuli") else given
        files[place] = {"checksum": store.examine(folder / place)[0], "inputs": inputs, **making}
    record = {
        "study": {},
        "files": files,
        "models": {f"work/models/{model}.json": {"source": "path", "files": {"w": model}}},
    }
    store.write_record(folder / "run.json", record, made)
    return Run.read(folder)


def kinds(base, new, against=None):
    return [kind for kind, _ in side_by_side.left(base, new, against or {})]


def test_what_two_folders_share(tmp_path):
    base = run_of(tmp_path / "base")
    assert kinds(base, run_of(tmp_path / "new", values=NEW)) == ["items", "draws"]
    assert kinds(base, run_of(tmp_path / "seed", seed=2)) == ["items"]  # of other draws
    assert kinds(base, run_of(tmp_path / "lists", lists="lines:2")) == ["items"]
    assert kinds(base, run_of(tmp_path / "other", sentence="The pilot slept.")) == []


@pytest.mark.parametrize(
    ("change", "paired"),
    [({}, "items"), ({"seed": 2}, "items"), ({"sentence": "The pilot slept."}, "independent")],
)
def test_folders_are_compared_by_what_they_share(tmp_path, change, paired):
    base, new = run_of(tmp_path / "base"), run_of(tmp_path / "new", values=NEW, **change)
    numbers = side_by_side.summaries(base, new, {})
    (row,) = comparison.changes(*numbers, side_by_side.left(base, new, {})).to_dict("records")
    assert row["pairing"] == paired


def test_two_models_of_two_folders_are_compared_as_one_is(tmp_path):
    base, new = run_of(tmp_path / "base"), run_of(tmp_path / "new", values=NEW)
    mine, published = run_of(tmp_path / "mine", "mine", values=NEW), run_of(tmp_path / "published", "published")
    tables = []
    for pair, against in (((base, new), {}), ((published, mine), {"mine": "published"})):
        assert kinds(*pair, against) == ["items", "draws"]
        numbers = side_by_side.summaries(*pair, against)
        table = comparison.changes(*numbers, side_by_side.left(*pair, against))
        tables.append(side_by_side.noted(table, *pair, against))
    assert tables[1][["model", "model_base"]].to_numpy().tolist() == [["mine", "published"]]
    named = ["model", "model_base"]
    pd.testing.assert_frame_equal(tables[0].drop(columns=named), tables[1].drop(columns=named))


def test_a_training_of_its_own_is_told(tmp_path):
    base, new = run_of(tmp_path / "base"), run_of(tmp_path / "new", values=NEW)
    table = comparison.changes(*side_by_side.summaries(base, new, {}))
    new.record["models"]["work/models/m.json"] = {"source": "derived", "files": {"w": "of another training"}}
    assert side_by_side.noted(table, base, new, {})["note"].tolist() == [of_study.ONE_TRAINING]
    new.record["models"]["work/models/m.json"]["files"] = base.model("m")["files"]
    assert side_by_side.noted(table, base, new, {})["note"].isna().all()


def test_a_model_that_is_not_there_is_named(tmp_path):
    base, new = run_of(tmp_path / "base"), run_of(tmp_path / "new")
    with refused("against", "'mine'"):
        side_by_side.summaries(base, new, {"mine": "m"})
    with refused("against", "'bert'"):
        side_by_side.summaries(base, new, {"m": "bert"})


def test_folders_without_a_model_in_common_need_to_be_told(tmp_path):
    base, new = run_of(tmp_path / "base"), run_of(tmp_path / "new", "mine")
    with refused("base", "--config 'against={new: old}'"):
        side_by_side.summaries(base, new, {})


def test_a_folder_without_a_record_and_a_damaged_file_are_refused_by_name(tmp_path):
    with refused("nowhere", "run.json"):
        Run.read(tmp_path / "nowhere")
    base, new = run_of(tmp_path / "base"), run_of(tmp_path / "new")
    items_of = tmp_path / "base/work/items/toy/m.parquet"
    content = items_of.read_bytes()
    items_of.write_bytes(content[:200] + bytes([content[200] ^ 1]) + content[201:])
    with refused("base/work/items/toy/m.parquet", "damaged"):
        kinds(base, new)
