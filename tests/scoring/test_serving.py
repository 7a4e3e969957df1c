"""Served models: the numbers of the local ones, whatever fails on the way; and servers that are refused."""

import json
import logging
import threading
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests import served
from tests.conftest import TEXT, tokenizer_of
from tests.refusals import refused

import herbarium
from herbarium.core.errors import HerbariumError
from herbarium.models import loading, records, servers
from herbarium.scoring import answering, planning, quantities, serving, tuning
from herbarium.study import config

SENTENCES = [*TEXT, "Peru", "People in Fiji are wise."]
CARD = {
    "id": served.NAME,
    "object": "model",
    "created": 0,
    "owned_by": "vllm",
    "root": served.NAME,
    "max_model_len": 65,
}
ACCEPTED = {"max": 0.05, "mean": 0.01}


@pytest.fixture(scope="module")
def running(model_folder):
    with served.serve(model_folder("llama")) as tiny:
        yield tiny


@pytest.fixture
def tiny(running, monkeypatch):
    """The server as it should be, and no time to wait for."""
    running.wrong, running.failures, running.key = None, [], None
    running.lies_after, running.raw = None, None
    running.card = dict(CARD)
    running.seen.clear()
    running.headers.clear()
    running.waits = []
    monkeypatch.setattr(servers.time, "sleep", running.waits.append)
    return running


def entry(tiny, folder="m", **keys):
    settings = {"url": tiny.url, "model": served.NAME} | keys
    return config.Model(path=folder, kind="causal", served=settings).model_dump(mode="json")


def connected(tiny, **keys):
    return servers.connect(entry(tiny, **keys)["served"], "m")


def planned(folder, texts=SENTENCES, quantities=("ll", "loss")):
    return planning.Planner(tokenizer_of(folder), 64, False, whole=True).add(np.arange(len(texts)), texts, quantities)


def asked(server, plan, keep=None):
    answers = np.empty(len(plan.requests))
    answers[plan.requests["request"].to_numpy()] = serving.answer(server, plan.inputs, plan.requests, "t", keep)
    return answers


def local(folder, plan):
    return answering.answer_all(loading.load(folder, "causal", "float32", "m"), "cpu", plan, "t")


@pytest.mark.parametrize("concurrent", [1, 8])
def test_a_server_gives_the_scores_of_the_model(tiny, model_folder, concurrent):
    folder = model_folder("llama")
    plan = planned(folder)
    metric_targets = quantities.gather(asked(connected(tiny, concurrent=concurrent), plan), plan.sentences).to_pandas()
    for quantity in ("ll", "loss"):
        expected = herbarium.score(SENTENCES, folder, quantity, kind="causal")
        values = metric_targets[metric_targets["quantity"] == quantity].sort_values("sentence_id")["value"]
        np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-5)
    assert sorted(tiny.seen) == sorted(plan.inputs["token_ids"].to_pylist())  # each once, token by token


def test_a_part_of_a_shard_in_any_order_gives_the_same(tiny, model_folder):
    plan = planned(model_folder("llama"))
    whole = asked(connected(tiny), plan)
    some = plan.inputs.filter(pc.greater(pc.bit_wise_and(plan.inputs["input"], 1), 0))
    requests = plan.requests.filter(pc.is_in(plan.requests["input"], some["input"]))
    order = np.random.default_rng(0).permutation(len(requests))
    requests = requests.take(pa.array(order))
    result = serving.answer(connected(tiny), some.take(pa.array(np.arange(len(some))[::-1])), requests, "t")
    np.testing.assert_array_equal(result, whole[requests["request"].to_numpy()])


# --- what fails on the way ---


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_server_that_is_busy_is_asked_again(tiny, model_folder, status):
    plan = planned(model_folder("llama"))
    expected = asked(connected(tiny), plan)
    tiny.failures = [(status, {})] * 3
    np.testing.assert_array_equal(asked(connected(tiny, concurrent=1), plan), expected)
    assert tiny.waits == [1, 2, 4]


def test_it_is_asked_again_when_it_says(tiny, model_folder):
    plan = planned(model_folder("llama"), ["Peru"])
    tiny.failures = [(429, {"Retry_After": 7}), (503, {"Retry_After": "soon"}), (503, {"Retry_After": -5})]
    asked(connected(tiny), plan)
    assert tiny.waits == [7, 2, 4]


def test_what_was_answered_before_an_error_is_kept(tiny, model_folder):
    plan = planned(model_folder("llama"))
    expected, kept = asked(connected(tiny), plan), []
    server = connected(tiny, concurrent=1)
    answered = type(server).log_probabilities
    calls = []

    def failing(self, token_ids):
        calls.append(token_ids)
        if len(calls) == 4:
            tiny.failures = [(503, {})] * 8
        return answered(self, token_ids)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(servers.Server, "log_probabilities", failing)
        with refused("models.m.served", "503", "8 times"):
            asked(server, plan, kept.append)
    known = np.isfinite(kept[-1])
    assert 0 < known.sum() < len(known)
    np.testing.assert_array_equal(kept[-1][known], expected[plan.requests["request"].to_numpy()][known])


def test_a_server_that_is_not_there(tiny):
    gone = replace(connected(tiny), url="http://127.0.0.1:1/v1")
    with refused("models.m.served", "http://127.0.0.1:1/v1", "refused"):
        gone.identity()
    assert len(tiny.waits) == 7


# --- servers that are refused ---


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ("truncates", ("prompt of",)),
        ("other tokens", ("token", "was sent")),
        ("positive", ("0.1", "logarithm")),
        ("not finite", ("nan", "logarithm")),
        ("silent", ("`prompt_logprobs`",)),
        ("no json", ("JSON",)),
    ],
)
def test_an_answer_that_will_not_do_is_refused(tiny, model_folder, wrong, fault):
    tiny.wrong = wrong
    with refused("models.m.served", tiny.url, *fault):
        asked(connected(tiny), planned(model_folder("llama")))


@pytest.mark.slow
def test_a_server_whose_answers_are_those_of_the_weights_is_accepted(tiny, model_folder):
    folder = model_folder("llama")
    plan = planned(folder)
    changes, probes = serving.check(
        connected(tiny), plan, ACCEPTED, lambda: tuning.sentence_means(local(folder, plan), plan)
    )
    assert changes["asking again"] == {"max": 0.0, "mean": 0.0}
    assert 0 <= changes["the server"]["mean"] <= changes["the server"]["max"] < 1e-5
    assert list(serving.check(connected(tiny), plan, ACCEPTED).changes) == ["asking again"]
    exact = local(folder, plan)
    for probe in probes:
        number = plan.inputs["token_ids"].to_pylist().index(probe.token_ids)
        input_requests = plan.requests.filter(pc.equal(plan.requests["input"], plan.inputs["input"][number]))
        assert probe.positions == [position + 1 for position in input_requests["position"].to_pylist()]
        np.testing.assert_allclose(probe.log_p, exact[input_requests["request"].to_numpy()], atol=1e-5)


def test_a_server_of_other_weights_is_refused_with_figures(tiny, model_folder):
    folder = model_folder("llama")
    plan = planned(folder)
    tiny.wrong = "lies"
    with refused("models.m.served", "max |Δ| 0.5", "mean |Δ| 0.5"):
        serving.check(connected(tiny), plan, ACCEPTED, lambda: tuning.sentence_means(local(folder, plan), plan))


def test_a_server_that_answers_each_time_otherwise_is_refused_with_figures(tiny, model_folder):
    tiny.wrong = "neighbours"
    with refused("models.m.served", "asking again", "max |Δ|"):
        serving.check(connected(tiny), planned(model_folder("llama")), ACCEPTED)


def test_a_server_that_serves_another_model(tiny):
    with refused("models.m.served", "tiny-model", "'tony'"):
        connected(tiny, model="tony").identity()


# --- servers that change after their check ---


@pytest.fixture
def checked(tiny, model_folder, monkeypatch):
    """A plan of many inputs, the probes of a check, and what the server then answers; probes come after four inputs."""
    monkeypatch.setattr(serving, "_AT_ONCE", 4)
    plan = planned(model_folder("llama"), [f"{text} {word}" for text in SENTENCES for word in ("so", "who", "and")])
    server = connected(tiny, concurrent=1)
    probes = serving.check(server, plan, ACCEPTED).probes
    answers = asked(server, plan)[plan.requests["request"].to_numpy()]
    tiny.seen.clear()
    return plan, server, probes, answers


def watched(checked, keep=None):
    plan, server, probes, _ = checked
    return serving.answer(server, plan.inputs, plan.requests, "t", keep, probes, ACCEPTED)


@pytest.mark.slow
def test_an_honest_server_is_asked_its_probes_before_among_and_after(tiny, checked):
    plan, _, probes, expected = checked
    np.testing.assert_array_equal(watched(checked), expected)
    prompts, again = plan.inputs["token_ids"].to_pylist(), [probe.token_ids for probe in probes]
    assert len(again) == 8
    blocks = [prompts[start : start + 4] for start in range(0, len(prompts), 4)]
    assert tiny.seen == [*again, *(prompt for block in blocks for prompt in [*block, *again])]


@pytest.mark.slow
@pytest.mark.parametrize("honest", [0, 5, 8, 9, 30])
def test_a_server_that_lies_from_some_prompt_on_is_found_out_and_its_lies_are_not_kept(tiny, checked, honest):
    kept, expected = [], checked[-1]
    tiny.lies_after = honest
    with refused("models.m.served", "no longer", "mean |Δ|"):
        watched(checked, kept.append)
    known = np.isfinite(kept[-1])
    np.testing.assert_array_equal(kept[-1][known], expected[known])
    assert known.any() == (honest == 30)


@pytest.mark.slow
def test_a_server_that_lies_in_the_end_alone_is_found_out(tiny, checked):
    watched(checked)
    tiny.lies_after, kept = len(tiny.seen) - 8, []
    tiny.seen.clear()
    with refused("models.m.served", "no longer"):
        watched(checked, kept.append)
    plan = checked[0]
    last = plan.inputs["input"].to_numpy()[(len(plan.inputs) - 1) // 4 * 4 :]
    np.testing.assert_array_equal(np.isnan(kept[-1]), np.isin(plan.requests["input"].to_numpy(), last))


# --- answers that are meant to do harm ---


def body(content, status=b"200 OK", headers=b""):
    """What writes one answer. content: its body."""
    head = b"HTTP/1.1 " + status + b"\r\nContent-Length: %d\r\n" % len(content) + headers + b"\r\n"
    return lambda file: file.write(head + content)


def without_end(file):
    file.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        file.write(b" " * 2**16)


def dripping(start):
    """What writes the beginning of an answer, and then a byte now and then."""

    def write(file):
        file.write(start)
        while True:
            file.write(b"x")
            file.flush()
            threading.Event().wait(0.02)

    return write


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (without_end, "1,048,576 bytes"),
        (body(b" " * 2**21), "1,048,576 bytes"),
        (body(b"[" * 10**5), "JSON"),
        (body(b'{"data": ' + b"9" * 5000 + b"}"), "JSON"),
        (body(b"\xff\xfe"), "JSON"),
        (body(b'{"data": 7}'), "no list"),
        (body(b'{"data": null}'), "no list"),
        (body(b'{"data": [7, null, []]}'), "'tiny-model'"),
        (body(b"[]"), "no list"),
        (body(b'{"error": "\x1b[2J\x1b]0;owned\x07"}', b"400 \x1b[31mBad"), "400 [31mBad"),
        (body(b"busy", b"503 Busy", b"Retry-After: " + b"9" * 400 + b"\r\n"), "503 Busy, 8 times"),
        (body(b"busy", b"503 Busy", b"Retry-After: Fri, 31 Dec 99999 23:59:59 GMT\r\n"), "503 Busy, 8 times"),
        (lambda file: file.write(b"\x1b[31m nonsense\r\n\r\n"), "does not answer"),
        (lambda file: file.write(HEAD + b"Content-Length: 99\r\n\r\n{}"), "does not answer"),
        (lambda file: None, "does not answer"),
    ],
)
def test_what_a_server_sends_ends_in_one_message(tiny, raw, fault):
    tiny.raw = raw
    with refused("models.m.served", tiny.url, fault) as caught:
        connected(tiny).identity()
    message = str(caught.value)
    assert message.startswith(f"models.m.served: {tiny.url}: ")
    assert message.isprintable()
    assert len(message) < 700


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 ", HEAD + b"X-Long: ", HEAD + b"Content-Length: 9999\r\n\r\n", HEAD + b"\r\n["]
)
def test_an_answer_that_drips_has_a_deadline_for_all_of_it(tiny, monkeypatch, start):
    monkeypatch.setattr(servers, "_TIMEOUT", 0.1)
    monkeypatch.setattr(servers, "_PATIENCE", 0.15)
    tiny.raw = dripping(start)
    with refused("models.m.served", "2"):
        connected(tiny).identity()


@pytest.mark.parametrize("value", [-1e308, -9999.0, -(10**400), 10**400, True, "-1", None, [-1.0], {"logprob": -1.0}])
def test_a_value_that_is_no_log_probability_of_a_token_is_refused(tiny, monkeypatch, value):
    def wrong(token_ids):
        return [None, *({str(token): {"logprob": value}} for token in token_ids[1:])]

    monkeypatch.setattr(tiny, "of_prompt", wrong)
    with refused("models.m.served", "token 5", "logarithm") as caught:
        connected(tiny).log_probabilities([4, 5, 6])
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize("longest", ["64", 1e400, -1, 10**400, True, [64], 0])
def test_a_longest_input_that_is_no_number_of_tokens_is_refused(tiny, longest):
    tiny.card["max_model_len"] = longest
    with refused("models.m.served", "max_model_len"):
        connected(tiny).identity()


# --- secrets ---


SECRET = "sk-hun/ter+2=="


@pytest.mark.parametrize(
    "echo", [SECRET, "sk-hun%2Fter%2B2%3D%3D", "sk-hun\\/ter+2==", "sk-hun&#x2F;ter+2==", "\\u0073k-hun/ter+2=="]
)
def test_a_key_that_a_server_sends_back_is_nowhere(tiny, monkeypatch, caplog, echo):
    monkeypatch.setenv("TINY_KEY", SECRET)
    server = connected(tiny, key_env="TINY_KEY")
    hidden = [SECRET, SECRET[4:], echo]

    def message(raw, ask=server.identity):
        tiny.raw = raw
        with caplog.at_level(logging.INFO), pytest.raises(HerbariumError) as caught:
            ask()
        return str(caught.value)

    sent = echo.encode()
    values = [
        message(body(b"", b"400 " + sent)),
        message(body(b" " * 290 + sent, b"400 Bad")),
        message(body(b"x" * 290 + sent, b"400 Bad")),
        message(body(b"", b"503 " + sent)),
        message(lambda file: file.write(sent + b"\r\n\r\n")),
        message(body(json.dumps({"data": [{"id": SECRET}]}).encode())),
    ]
    for of_token in ({SECRET: {"logprob": -1.0}}, SECRET, {"5": SECRET}, {"5": {"logprob": SECRET}}):
        choices = {"choices": [{"prompt_logprobs": [None, of_token]}]}
        values.append(message(body(json.dumps(choices).encode()), lambda: server.log_probabilities([4, 5])))
    tiny.raw = None
    tiny.card |= {"root": f"/models/{SECRET}", "owned_by": {"of": [SECRET]}}
    values += [str(server.identity()), caplog.text]
    for words in values:
        assert not [secret for secret in hidden if secret in words], words


def test_a_variable_that_holds_no_key_is_refused_and_not_repeated(tiny, monkeypatch):
    for value in ("hunter2\n", "hunter 2", "hünter2"):
        monkeypatch.setenv("TINY_KEY", value)
        with refused("models.m.served.key_env", "'TINY_KEY'") as caught:
            connected(tiny, key_env="TINY_KEY")
        assert "nter" not in str(caught.value)


def test_the_key_is_in_a_variable_and_nowhere_else(tiny, model_folder, monkeypatch, caplog):
    monkeypatch.setenv("TINY_KEY", "hunter2")
    tiny.key = "hunter2"
    server = connected(tiny, key_env="TINY_KEY")
    tiny.failures = [(503, {})]
    with caplog.at_level(logging.INFO):
        asked(server, planned(model_folder("llama")))
    assert "503" in caplog.text
    tiny.key = "another"
    with refused("models.m.served", "401", "no such key: Bearer …") as caught:
        server.identity()
    for side in (str(caught.value), caplog.text, repr(server), str(entry(tiny, key_env="TINY_KEY"))):
        assert "hunter2" not in side
    with refused("models.m.served", "401", "`key_env`"):
        connected(tiny).identity()
    monkeypatch.delenv("TINY_KEY")
    with refused("models.m.served.key_env", "'TINY_KEY'"):
        connected(tiny, key_env="TINY_KEY")


def test_the_key_follows_no_redirect(tiny, monkeypatch):
    monkeypatch.setenv("TINY_KEY", "hunter2")
    tiny.failures = [(302, {"Location": f"{tiny.url}/models"})]
    with refused("models.m.served", "302"):
        connected(tiny, key_env="TINY_KEY").identity()
    assert len(tiny.headers) == 1


# --- the record ---


def test_the_record_has_what_the_server_says_and_not_where_it_is(tiny, model_folder):
    folder = model_folder("llama")

    def record(**keys):
        model_entry = entry(tiny, folder, **keys)
        return records.describe(
            "m", model_entry, folder, None, served=servers.connect(model_entry["served"], "m").identity()
        )

    result = record()
    assert result["served"] == {"id": "tiny-model", "root": "tiny-model", "owned_by": "vllm", "max_model_len": 65}
    assert (result["dtype"], result["max_tokens"], result["architecture"]) == ("served", 64, "LlamaForCausalLM")
    assert tiny.url not in str(result)
    assert "model.safetensors" in result["files"]
    without = record(compare=False)
    assert (without["n_parameters"], without["architecture"]) == (None, "LlamaForCausalLM")
    assert "tokenizer.json" in without["files"]
    assert "model.safetensors" not in without["files"]
    for record_of_server in (result, without):
        loading.folder_of(record_of_server | {"path": str(folder)})


def test_a_folder_without_weights_will_do_where_they_are_not_compared(tiny, model_folder, tmp_path):
    for file in model_folder("llama").glob("*.json"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {"a": "model-1.safetensors"}}')
    without = entry(tiny, tmp_path, compare=False)
    records.check({"m": without})
    identity = servers.connect(without["served"], "m").identity()
    loading.folder_of(records.describe("m", without, tmp_path, None, served=identity))
    with refused("models.m", "safetensors"):
        records.check({"m": entry(tiny, tmp_path)})


def test_a_server_that_serves_another_thing_than_was_recorded(tiny):
    settings = entry(tiny)["served"]
    record = {"name": "m", "served": servers.connect(settings, "m").identity()}
    assert servers.connect_recorded(settings, record).url == tiny.url
    with refused("models.m.served", "recorded", "'root': 'x'"):
        servers.connect_recorded(settings, record | {"served": record["served"] | {"root": "x"}})
