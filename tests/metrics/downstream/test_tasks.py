"""From a table to examples: labels, splits and what must not be divided; every fault of the data is told."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import tells

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.metrics.downstream import tasks
from herbarium.models import sources

NAMED = {"column": "part", "train": ["train"], "test": ["test"], "test_share": None, "balanced": False}
OWN = {**NAMED, "column": None}
TASK = {
    "data": {"hub": None, "git": None, "revision": None, "subset": None, "path": "talk.csv", "planted": None},
    "text": "text",
    "label": "label",
    "id": None,
    "source": None,
    "negative": ["good"],
    "positive": ["bad", "worse"],
    "ignored": ["unsure"],
    "split": NAMED,
    "max_test_samples": None,
}


def made(share, balanced=False):
    return {"column": None, "train": None, "test": None, "test_share": share, "balanced": balanced}


def table(n=24, part=("train", "train", "test")):
    """n rows; every second one is positive."""
    return pd.DataFrame(
        {
            "key": [f"{i // 4}_{i % 4}" for i in range(n)],
            "text": [f"text {i}" for i in range(n)],
            "label": ["good", "bad"] * (n // 2),
            "part": [part[i // 2 % len(part)] for i in range(n)],
        }
    )


def prepared(rows, validation_share=0.25, seed=1, n_sets=1, **changes):
    """The labelled rows and the examples of a table."""
    task = {**TASK, **changes}
    tables = rows if isinstance(rows, dict) else {None: rows}
    labelled = tasks.labelled(tables, task, "talk.csv")
    return labelled, tasks.examples(labelled, task, "talk", validation_share, n_sets, seed)


def fault(rows, **changes):
    with pytest.raises(HerbariumError) as caught:
        prepared(rows, **changes)
    return str(caught.value)


def counts(examples):
    return examples.groupby(["split", "label"]).size().to_dict()


def test_labels_and_splits_by_hand(tmp_path):
    rows = pd.DataFrame(
        [
            ("a good one", "good", "train"),
            ("a bad one", "bad", "train"),
            ("who knows", "unsure", "train"),
            ("not used", "never heard of", ""),
            ("one more", "good", "train"),
            ("and more", "bad", "train"),
            ("fine", "good", "test"),
            ("terrible", "worse", "test"),
            ("a bad one", "bad", "test"),
            ("", "unsure", "test"),
        ],
        columns=["text", "label", "part"],
    )
    labelled, examples = prepared(rows, validation_share=0.5)
    assert examples["example"].tolist() == [f"row-{row}" for row in (1, 2, 5, 6, 7, 8, 9)]
    assert examples["label"].tolist() == [0, 1, 0, 1, 0, 1, 1]
    assert examples["split"].eq("test").tolist() == [False] * 4 + [True] * 3
    assert counts(examples[:4]) == {(split, label): 1 for split in ("train", "validation") for label in (0, 1)}
    assert tasks.summary(len(rows), labelled, examples) == {
        "counts": {
            "train": {"negative": 1, "positive": 1},
            "validation": {"negative": 1, "positive": 1},
            "test": {"negative": 1, "positive": 2},
        },
        "left_out": 1,
        "ignored": {"unsure": 2},
        "not_sampled": 0,
        "texts_in_train_and_test": 1,
        "sources_in_train_and_test": None,
        "noted": {},
    }
    unseen = examples.assign(text=examples["text"].str.replace("bad", "b\N{SOFT HYPHEN}ad"))
    ((what, n),) = tasks.summary(len(rows), labelled, unseen)["noted"].items()
    assert (n, "U+00AD" in what) == (examples["text"].str.contains("bad").sum(), True)
    store.write_table(tmp_path / "e.parquet", tasks.EXAMPLES, examples)
    again = store.read_frame(tmp_path / "e.parquet", "task_examples")
    same = (table.astype(object).where(table.notna(), None) for table in (again, examples))
    pd.testing.assert_frame_equal(*same, check_dtype=False)


def test_the_splits_of_a_hub_set_are_its_own():
    everything = {"train": table(8), "test": table(4), "unsupervised": table(2).assign(label=-1)}
    labelled, examples = prepared(everything, split=OWN)
    assert len(labelled) == 12
    assert examples["example"].tolist() == [f"train-{i}" for i in range(1, 9)] + [f"test-{i}" for i in range(1, 5)]
    text = fault({"train": table(8), "validation": table(4)}, split=OWN)
    assert text == "talk.csv: no row has 'test' as its split; there are 'train', 'validation'."


@pytest.mark.parametrize("labels", [[0, 1], [0.0, 1.0], ["0", "1"]])
def test_labels_are_compared_as_text(labels):
    rows = table(8).assign(label=labels * 4)
    _, examples = prepared(rows, negative=["0"], positive=["1"])
    assert examples["label"].tolist() == [0, 1] * 4


def test_a_label_that_is_missing_does_not_make_the_others_floats():
    rows = table(8).assign(label=[0, 1] * 3 + [None, 1])
    text = fault(rows, negative=["0"], positive=["1"], ignored=[])
    assert text == (
        "talk.csv, row 7, column 'label': '' is not one of the labels 0, 1; name it under 'negative', 'positive' or "
        "'ignored'."
    )


def test_a_split_is_made_by_share_label_and_whole_sources():
    rows = table(240)
    labelled, examples = prepared(rows, split=made(0.25), id="key", source=r"^(\d+)_")
    assert counts(examples) == {
        **{("test", label): 30 for label in (0, 1)},
        **{("validation", label): 22 for label in (0, 1)},  # of 90, a quarter, but in whole sources of two
        **{("train", label): 68 for label in (0, 1)},
    }
    assert examples.groupby("source")["split"].nunique().max() == 1
    assert tasks.summary(240, labelled, examples)["sources_in_train_and_test"] == 0
    _, other = prepared(rows, split=made(0.25), id="key", source=r"^(\d+)_", seed=2)
    assert not other["split"].equals(examples["split"])


def test_training_sets_share_no_text_and_no_source():
    rows = table(400, part=("train", "train", "train", "test"))
    rows.loc[rows.index % 7 == 0, "text"] = "text 0"
    rows["label"] = np.where(rows["text"] == "text 0", "good", rows["label"])
    _, examples = prepared(rows, n_sets=3, id="key", source="^(.*)_")
    learned = examples[examples["split"] != "test"]
    assert examples["set"].isna().equals(examples["split"] == "test")
    for column in ("text", "source"):
        assert learned.groupby(column)["set"].nunique().max() == 1
    _, examples = prepared(table(400), n_sets=3)
    sizes = examples.groupby(["split", "label", "set"]).size()
    assert sizes.groupby(["split", "label"]).agg(np.ptp).max() <= 1
    assert set(examples["set"].dropna()) == {1, 2, 3}
    again = prepared(table(400), n_sets=3)[1]
    pd.testing.assert_frame_equal(examples, again)
    assert not prepared(table(400), n_sets=3, seed=2)[1]["set"].equals(examples["set"])


def test_a_training_set_without_a_class_is_refused():
    rows = table(24, part=("train", "train", "train", "test"))
    assert tells(fault(rows, n_sets=8), None, "6")


def test_equal_texts_are_not_divided_by_a_split_that_is_made():
    rows = table(200)
    rows["text"] = [f"text {i // 10}" for i in range(200)]
    _, examples = prepared(rows, split=made(0.25))
    assert counts(examples)["test", 1] == 25
    assert examples.groupby("text")["split"].nunique().max() == 1


def test_a_balanced_sample_has_as_many_of_each_label():
    rows = table(100)
    rows.loc[rows.index[21:], "label"] = "good"
    labelled, examples = prepared(rows, split=made(0.2, balanced=True))
    assert counts(examples[examples["split"] == "test"]) == {("test", 0): 2, ("test", 1): 2}
    assert examples["label"].sum() == 10 == len(examples) - 10
    assert tasks.summary(100, labelled, examples)["not_sampled"] == 80
    _, whole = prepared(rows, split=made(0.2))
    assert len(whole) == 100
    assert counts(whole)["test", 1] == 2


def test_a_limit_of_test_samples_is_stratified_and_a_smaller_one_is_a_part_of_a_larger_one():
    rows = table(100, part=("train", "test"))
    rows.loc[rows["part"].eq("test") & (rows.index >= 20), "label"] = "good"  # 5 of 50 are positive
    chosen = {}
    for limit in (2, 10, 20, 50, None):
        labelled, examples = prepared(rows, max_test_samples=limit)
        test = examples[examples["split"] == "test"]
        chosen[limit] = set(test["example"])
        n_positive = {2: 1, 10: 1, 20: 2}.get(limit, 5)
        assert counts(test) == {("test", 0): (limit or 50) - n_positive, ("test", 1): n_positive}
        assert len(examples[examples["split"] != "test"]) == 50
        assert tasks.summary(100, labelled, examples)["not_sampled"] == 50 - (limit or 50)
    assert chosen[2] < chosen[10] < chosen[20] < chosen[50] == chosen[None]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 12), st.integers(0, 40)), min_size=1, max_size=80),
    st.floats(0.05, 0.95),
    st.integers(0, 5),
)
def test_a_part_held_out_never_exceeds_its_share_nor_divides_a_group(items, share, seed):
    label, source, text = (np.array(column) for column in zip(*items, strict=True))
    source = pd.Series(source).map(lambda number: None if number < 4 else f"s{number}").astype(object)
    rows = pd.DataFrame({"label": label, "source": source, "text": [f"t{number}" for number in text]})
    taken = tasks._held_out(rows, share, np.random.default_rng(seed))
    for value in (0, 1):
        assert taken[label == value].sum() <= round(share * (label == value).sum())
    for column in ("source", "text"):
        assert rows.assign(taken=taken).groupby(column)["taken"].nunique().max() <= 1 or rows[column].isna().all()
    if (source.isna() & ~rows["text"].duplicated(keep=False)).all():  # nothing is bound: the share is met
        assert [taken[label == value].sum() for value in (0, 1)] == [
            round(share * (label == value).sum()) for value in (0, 1)
        ]


def test_sources_are_shared_where_the_data_have_split_them():
    labelled, examples = prepared(table(24), id="key", source=r"^(\d+)_")
    by_hand = {key.split("_")[0] for key in table(24).query("part == 'test'")["key"]} & {
        key.split("_")[0] for key in table(24).query("part == 'train'")["key"]
    }
    assert tasks.summary(24, labelled, examples)["sources_in_train_and_test"] == len(by_hand) == 4
    training = examples[examples["split"] != "test"]
    assert training.groupby("source")["split"].nunique().max() == 1


def test_a_group_of_the_expression_after_the_first_is_not_the_source():
    _, examples = prepared(table(24), id="key", source=r"^(\d+)_(\d)")
    assert examples["source"].tolist() == [str(i // 4) for i in range(24)]


@pytest.mark.parametrize(
    ("spoil", "changes", "told"),
    [
        (lambda t: t.drop(columns="text"), {}, ("talk.csv", "'text'")),
        (lambda t: t, {"id": "kye"}, (None, "'kye'")),
        (lambda t: t.replace({"label": {"bad": "Bad"}}), {}, (None, "2", "'label'", "'Bad'")),
        (lambda t: t.assign(text=t["text"].where(t.index != 4, " ")), {}, (None, "5", "'text'", "' '")),
        (lambda t: t.assign(text=t["text"].where(t.index != 4)), {}, (None, "5", "'text'", "''")),
        (lambda t: t.assign(key=t["key"].where(t.index != 6, "0_1")), {"id": "key"}, (None, "7", "'key'", "'0_1'")),
        (lambda t: t.assign(key=t["key"].where(t.index != 6, "")), {"id": "key"}, (None, "7", "'key'", "''")),
        (lambda t: t, {"id": "key", "source": "^c([0-9])"}, (None, "1", "'key'", "'0_0'", "'^c([0-9])'")),
        (lambda t: t.assign(part="train"), {}, ("talk.csv", "'test'", "'part'", "'train'")),
        (lambda t: t.assign(label=t["label"].where(t["part"] == "train", "good")), {}, ("downstream.tasks.talk", "8")),
        (lambda t: t.assign(label="bad"), {}, (None, "12")),
        (lambda t: t[:0], {}, ("talk.csv",)),
        (lambda t: t[:6], {}, (None, "0")),
    ],
)
def test_faults_of_the_data_are_told_with_their_place(spoil, changes, told):
    assert tells(fault(spoil(table()), **changes), *told)


def test_the_fault_of_a_hub_set_names_its_split():
    spoiled = table(4)
    spoiled.loc[2, "label"] = "odd"
    assert fault({"train": table(8), "test": spoiled}, split=OWN).startswith(
        "talk.csv, split 'test', row 3, column 'label': 'odd' is not one of"
    )


def test_hatespeech18_as_its_authors_split_it(shared):
    task = {
        **TASK,
        "data": {**TASK["data"], "path": str(shared / "data/hatespeech18/hatespeech18.csv")},
        **{"id": "file_id", "source": r"^(\d+)_", "negative": ["noHate"], "positive": ["hate"]},
        "ignored": ["relation", "idk/skip"],
        "split": {**NAMED, "column": "sampled_split"},
    }
    tables = sources.read(task["data"])
    labelled = tasks.labelled(tables, task, "hatespeech18")
    examples = tasks.examples(labelled, task, "hatespeech18", 0.1, 3, 2022)
    assert tasks.summary(len(tables[None]), labelled, examples) == {
        "counts": {
            "train": {"negative": 861, "positive": 861},
            "validation": {"negative": 96, "positive": 96},
            "test": {"negative": 239, "positive": 239},
        },
        "left_out": 10_944 - 1_914 - 478,
        "ignored": {},
        "not_sampled": 0,
        "texts_in_train_and_test": 3,
        "sources_in_train_and_test": 124,
        "noted": {},
    }
    # the full corpus, and a balanced sample of it
    for balanced, n_negative in ((False, 9_507), (True, 1_196)):
        task["split"] = made(0.2, balanced)
        labelled = tasks.labelled(tables, task, "hatespeech18")
        examples = tasks.examples(labelled, task, "hatespeech18", 0.1, 3, 2022)
        result = tasks.summary(len(tables[None]), labelled, examples)
        assert result["ignored"] == {"relation": 168, "idk/skip": 73}
        assert (result["texts_in_train_and_test"], result["sources_in_train_and_test"]) == (0, 0)
        assert examples["label"].value_counts().to_dict() == {0: n_negative, 1: 1_196}
        assert result["counts"]["test"] == {"negative": round(n_negative / 5), "positive": 239}


def test_movie_reviews_by_a_share(shared):
    path = str(shared / "data/movie_reviews/movie_reviews.csv.gz")
    task = {**TASK, "data": {**TASK["data"], "path": path}, "id": "id", "negative": ["neg"], "positive": ["pos"]}
    task |= {"split": made(0.25), "max_test_samples": 100}
    labelled = tasks.labelled(sources.read(task["data"]), task, path)
    examples = tasks.examples(labelled, task, "movies", 0.1, 1, 2022)
    assert counts(examples) == {
        **{("test", label): 50 for label in (0, 1)},
        **{("train", label): 675 for label in (0, 1)},
        **{("validation", label): 75 for label in (0, 1)},
    }
    assert examples["source"].isna().all()
