"""Word vectors in the workflow: trained on a corpus, debiased, and asked for like those of any other source."""

import numpy as np
import pandas as pd
import pytest

from herbarium.core import store
from herbarium.vectors import tables
from herbarium.vectors.directions import direction, projections, unit

pytestmark = pytest.mark.slow  # runs and dry runs of the workflow

SETTINGS = {"corpus": "own", "dimensions": 8, "window": 5, "min_count": 5, "iterations": 30}
GN = {**SETTINGS, "method": "gn_glove", "pairs": {"table": "pairs.csv"}}
SOURCES = {
    "glove": {"trained": {**SETTINGS, "method": "glove"}},
    "gn": {"trained": GN},
    "gn-l2": {"trained": {**GN, "definition": "l2"}},
    "gn-neutral": {"trained": {**GN, "part": "neutral"}},
    "gn-released": {"trained": {**GN, "variant": "released"}},
    "hard": {"debiased": {"from": "glove", "pairs": {"masculine": "male.txt", "feminine": "female.txt"}}},
    "known": {"planted": 2.0},
    "known-hard": {"debiased": {"from": "known", "pairs": {"table": "pairs.csv"}, "direction": "mean"}},
}
PAIRS = [("he", "she"), ("man", "woman"), ("boy", "girl"), ("son", "daughter")]
JOBS = {"clerk": 0.9, "driver": 0.8, "nurse": 0.2, "cook": 0.1}  # share of masculine words beside each
WORDS = [*JOBS, "He", "unheard"]
# What uses the sources: not run here.
OCCUPATIONS = {"o": {"table": "jobs.csv"}}
TARGETS = [f"results/work/vectors/{source}/mine/jobs.parquet" for source in SOURCES]


@pytest.fixture
def study(project):
    random = np.random.default_rng(0)
    texts = []
    for job, share in JOBS.items():
        for n in range(400):
            pair = PAIRS[random.integers(len(PAIRS))]
            texts.append(f"The {job} said that {pair[n >= share * 400]} saw {random.choice(list('uvwxyz'))} {n}.")
    project.write("own.txt", "\n".join(texts) + "\n")
    project.write("pairs.csv", "male,female\n" + "".join(f"{m},{f}\n" for m, f in PAIRS))
    project.write("male.txt", "".join(f"{m}\n" for m, _ in PAIRS))
    project.write("female.txt", "".join(f"{f}\n" for _, f in PAIRS))
    project.write("jobs.csv", "occupation\n" + "".join(f"{job}\n" for job in JOBS))
    measured = {"sources": list(SOURCES), "occupations": OCCUPATIONS}
    project.configure(corpora={"own": {"path": "own.txt"}}, vectors=SOURCES, word_associations=measured)
    # as a metric writes what it wants vectors of
    made = dict.fromkeys(store.MAKING, "") | {"results": project.folder / "results", "models": {}, "inputs": {}}
    words = tables.bare(WORDS, lean=[1.0, 1, -1, -1, 0, 0])
    store.write_table(project.folder / "results/work/words/mine/jobs.parquet", tables.WORDS, words, made)
    return project


def test_what_runs(study):
    """Co-occurrences are counted once, and vectors that differ by the part that is wanted are trained once."""
    jobs = study.jobs(*TARGETS)
    expected = {"read_corpus": 1, "count_cooccurrences": 1, "train_vectors": 4, "list_pairs": 2, "debias_vectors": 2}
    assert {rule: jobs[rule] for rule in expected} == expected
    assert jobs["represent"] == 8


def test_vectors_are_trained_and_debiased(study):
    study.run(*TARGETS)
    results = study.folder / "results"
    vectors_by_name = {
        name: tables.read(results / f"work/vectors/{name}/mine/jobs.parquet").of("input") for name in SOURCES
    }
    at = {word: row for row, word in enumerate(WORDS)}
    for name, values in vectors_by_name.items():
        assert np.isnan(values).all(axis=1)[at["unheard"]] == (not name.startswith("known")), name
        assert np.isfinite(values[: at["unheard"]]).all(), name
    assert {name: values.shape[1] for name, values in vectors_by_name.items() if name.startswith("gn")} == {
        "gn": 8,
        "gn-l2": 8,
        "gn-neutral": 7,
        "gn-released": 8,
    }
    np.testing.assert_array_equal(vectors_by_name["gn-neutral"], vectors_by_name["gn"][:, :-1])

    # before, occupations lean as in the texts; after, not at all
    learned = store.read_frame(results / "work/word_vectors/glove.parquet", "word_vectors").set_index("word")
    assert learned["count"].is_monotonic_decreasing
    sides = [unit(np.stack(learned["vector"][[pair[side] for pair in PAIRS]])) for side in (0, 1)]
    jobs = slice(0, len(JOBS))
    leans = projections(unit(vectors_by_name["glove"][jobs]), direction(*sides, "pca"))
    assert leans[:2].min() > leans[2:].max()
    np.testing.assert_allclose(projections(vectors_by_name["hard"][jobs], direction(*sides, "pca")), 0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors_by_name["hard"][jobs], axis=1), 1, atol=1e-6)
    w_g = vectors_by_name["gn-l2"][:, -1]
    assert w_g[at["He"]] > 0.5
    assert w_g[:2].min() > w_g[2:4].max()

    # any source with one vector for a word can be debiased
    before = projections(unit(vectors_by_name["known"][jobs]), direction(*pairs_of(results), "mean"))
    assert before[:2].mean() > before[2:].mean() + 0.1
    rest = projections(vectors_by_name["known-hard"][jobs], direction(*pairs_of(results), "mean"))
    np.testing.assert_allclose(rest, 0, atol=1e-6)

    record = store.read_record(results / "work/word_vectors/gn.json")
    assert (record["n_pairs_listed"], record["n_pairs"], record["n_words"]) == (4, 4, len(learned))
    losses = pd.read_csv(results / "work/word_vectors/gn.csv")
    assert losses["j"].tolist() == pytest.approx([row["j"] for row in record["losses"]])
    assert losses["j_g"].iloc[-1] < losses["j_g"].iloc[0]
    assert study.jobs(*TARGETS) == {}
    # other seed words train what has them, and nothing else
    study.edit("pairs.csv", "son,daughter\n", "")
    jobs = study.jobs(*TARGETS)
    assert (jobs["train_vectors"], jobs["list_pairs"], jobs.get("count_cooccurrences")) == (3, 1, None)


def pairs_of(results):
    """Of the planted source: vectors of masculine and feminine words."""
    values = unit(tables.read(results / "work/vectors/known/debiased/known-hard.parquet").of("input"))
    return values[: len(PAIRS)], values[len(PAIRS) :]
