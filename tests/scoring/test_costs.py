"""What scoring will cost: the sample of the sentences, the passes, and what the sample says of the whole."""

import numpy as np
import pyarrow as pa
import pytest

from herbarium.core import store
from herbarium.models import loading
from herbarium.scoring import answering, answers, costs, planning, quantities

TEXTS = [f"People in {a} are {b}." for a in ("Peru", "New Zealand", "Xi’an") for b in ("weak", "wise", "loud")]
STIMULI = store.schema("some_stimuli", ("sentence_id", pa.int64()), ("text", pa.string()))
ASKED = {"quantities": ["aul", "aula", "pppl"], "slots": []}
RANDOM = np.random.default_rng(0)


@pytest.fixture
def planner(model_folder):
    return lambda: planning.Planner(loading.load_tokenizer(model_folder("bert"), "m"), 64, False)


@pytest.fixture
def shard(tmp_path):
    """The file of a shard, written in two pieces."""
    path = tmp_path / "shard.parquet"
    with store.table_writer(path, STIMULI, {"quantities": ASKED["quantities"], "slots": []}) as append:
        for ids in (range(4), range(4, len(TEXTS))):
            append(pa.table({"sentence_id": list(ids), "text": [TEXTS[item] for item in ids]}))
    return path


# --- the sample ---


def test_few_sentences_are_all_planned():
    rows = costs.sample_rows([3, 0, 2], RANDOM)
    assert [row.tolist() for row in rows] == [[0, 1, 2], [], [0, 1]]


def test_of_many_sentences_runs_of_neighbours_are_planned():
    counts = [costs.WHOLE, 3 * costs.WHOLE + 1, 7]
    rows = costs.sample_rows(counts, RANDOM)
    assert sum(map(len, rows)) == pytest.approx(costs.SAMPLE, rel=0.05)
    assert len(rows[1]) == pytest.approx(3 * len(rows[0]), rel=0.05)
    for n, row in zip(counts, rows, strict=True):
        assert (np.diff(row) > 0).all()
        assert 0 <= row[0] <= row[-1] < n
        starts = row[np.flatnonzero(np.diff(row, prepend=-2) > 1)]
        assert (starts % 2 == 0).all()  # no pair is torn apart
        assert len(row) / len(starts) >= min(n, 1000)
    assert rows[2].tolist() == list(range(7))


# --- passes ---


def count(inputs, device, pass_tokens, cuts=False):
    lengths, n, n_kept = costs.kinds_of_inputs(inputs, cuts)
    return answering.count_passes(lengths, n, device, pass_tokens, n_kept=n_kept)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("pass_tokens", [16, 100, 512, 4096])
def test_passes_are_counted_as_they_run(planner, device, pass_tokens):
    batch = np.arange(9) // 3
    for asked in (["aul_padded"], ["aula"], ["pppl"], ["aul_padded", "aula", "pppl"]):
        plan = planner().add(np.arange(9), TEXTS, asked, batch=batch)
        layout = answering._lay_out(plan.inputs, plan.requests, None)
        run = list(answering._passes(layout, answering._Budget(device, pass_tokens, 2**22)))
        n_tokens = sum(one.token_ids.size for one in run)
        counted = count(plan.inputs, device, pass_tokens)
        assert counted == (len(run), n_tokens)


def test_what_runs_behind_prefixes_is_counted_with_its_filler(model_folder):
    tokenizer = loading.load_tokenizer(model_folder("llama"), "m")
    texts = [f"People in {place} are {word}" for place in ("Peru", "New Zealand") for word in ("weak", "hard-working")]
    start = np.array([text.index(" are ") + 5 for text in texts])
    bounds = {"word": (start, np.array(list(map(len, texts))))}
    plan = planning.Planner(tokenizer, 64, False, cuts=True).add(np.arange(4), texts, ["ll"], bounds)
    assert plan.inputs["n_prefix"].to_numpy().any()
    for device in ("cpu", "cuda"):
        layout = answering._lay_out(plan.inputs, plan.requests, 10_000)  # one chapter
        run = list(answering._passes(layout, answering._Budget(device, 64, 2**22)))
        assert count(plan.inputs, device, 64, cuts=True) == (len(run), sum(one.token_ids.size for one in run))


# --- from the sample to the whole ---


def test_a_whole_shard_is_planned_as_it_will_be(planner, shard, tmp_path):
    part = costs.plan(planner(), ASKED, shard, len(TEXTS), np.arange(len(TEXTS)), tmp_path, {})
    one = planner()
    whole = planning.joined(one.add_stimuli(piece, ASKED) for piece in store.read_pieces([shard]))
    assert part.plan.inputs.equals(whole.inputs)
    assert part.plan.requests.equals(whole.requests)
    assert part.plan_bytes == sum((tmp_path / name).stat().st_size for name in ("inputs", "requests", "sentences"))


def test_figures_of_the_whole_are_those_of_the_sample_when_that_is_the_whole(planner, shard, tmp_path):
    part = costs.plan(planner(), ASKED, shard, len(TEXTS), np.arange(len(TEXTS)), tmp_path, {})
    row = costs.of_scoring([part, part], [10, 20], lambda n: n / 7, "cpu", 512, "a CPU", False)
    lengths = [len(ids) for ids in part.plan.inputs["token_ids"].to_pylist()]
    assert row["inputs"] == 2 * len(lengths)
    assert row["tokens"] == 2 * sum(lengths)
    assert row["requests"] == 2 * len(part.plan.requests)
    assert row["bytes"] == 30
    assert row["sampled"] == 2 * len(TEXTS)
    n_passes, n_tokens = count(part.plan.inputs, "cpu", 512)
    assert row["passes"] == 2 * n_passes
    assert row["hours"] == pytest.approx(2 * n_tokens / 7)  # tokens by throughput
    assert row["longest_job"] == pytest.approx(n_tokens / 7)


def test_figures_of_a_sample_are_extrapolated(planner, shard, tmp_path):
    rows = np.array([0, 1, 6])
    part = costs.plan(planner(), ASKED, shard, 30, rows, tmp_path, {})
    planned = planner().add(rows, [TEXTS[row] for row in rows], ASKED["quantities"])
    row = costs.of_scoring([part], [10], lambda n: n / 7, "cpu", 16, "a CPU", False)
    assert row["inputs"] == 10 * len(planned.inputs)
    assert row["requests"] == 10 * len(planned.requests)
    assert row["bytes"] == 100
    assert row["sampled"] == 3
    assert costs.of_planning([part])["hours"] == pytest.approx(10 * part.plan_seconds / 3600)


def test_bytes_are_those_of_the_files(planner, shard, tmp_path):
    part = costs.plan(planner(), ASKED, shard, len(TEXTS), np.arange(len(TEXTS)), tmp_path, {})
    result = -RANDOM.exponential(size=len(part.plan.requests))
    _, of_answers, of_scores = costs.gather(part, result, tmp_path, {})
    answered = answers.by_input(part.plan.inputs, part.plan.requests, result)
    store.write_table(tmp_path / "other", quantities.ANSWERS, answered, {})
    assert of_answers == (tmp_path / "other").stat().st_size
    scores = store.read_frame(tmp_path / "scores", "scores")
    assert len(scores) == len(TEXTS) * len(ASKED["quantities"])
    assert of_scores == (tmp_path / "scores").stat().st_size


# --- time ---


def test_more_and_more_run_until_all_have():
    ran = []
    n, seconds, result = costs.timed(lambda n: ran.append(n) or n, 1000, first=3)
    assert (n, result) == (1000, 1000)
    assert ran[:2] == [3, 3]  # the first is not counted
    assert ran == sorted(ran)
    assert seconds > 0


def test_inputs_that_run_together_are_drawn_together():
    lengths = RANDOM.integers(3, 9, 500)
    order = costs.pass_by_pass(lengths, "cpu", 64, RANDOM)
    assert sorted(order) == list(range(500))
    n = np.diff(np.flatnonzero(np.diff(lengths[order], prepend=-1, append=-1)))  # of neighbours of one length
    by_length = [answering.inputs_a_pass("cpu", 64, length)[0] for length in range(3, 9)]
    assert len(n) <= sum(-(-np.bincount(lengths)[3:] // by_length))
    assert len(set(lengths[order][:50])) > 1  # passes of different lengths


def test_what_ran_is_what_was_answered(planner):
    plan = planner().add(np.arange(9), TEXTS, ["aul", "pppl"])
    seen = []

    def answer(inputs, requests):
        assert set(requests["input"].to_pylist()) == set(inputs["input"].to_pylist())
        seen.append(len(inputs))
        return np.zeros(len(requests))

    tokens_a_second, result = costs.rate(answer, plan, "cpu", 512, RANDOM, False)
    assert seen[-1] == len(plan.inputs)
    assert len(result) == len(plan.requests)
    assert tokens_a_second > 0


def test_nothing_runs_where_every_sentence_is_refused(planner):
    plan = planner().add(np.arange(1), [" ".join(["weak"] * 100)], ["aul"])
    assert costs.rate(None, plan, "cpu", 512, RANDOM, False)[0] == np.inf
