"""Served models in the configuration: addresses and keys that are refused, and never repeated."""

import pytest
from tests.study.configurations import faults

from herbarium.study import config


def study(url="http://gpu:8000/v1", **keys):
    served_model = {"path": "m", "kind": "causal", "served": {"url": url, "model": "tiny"}} | keys
    return {"models": {"m": served_model, "bert": {"path": "b", "kind": "masked"}}}


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://gpu:8000/v1/chat/completions", "a chat endpoint gives no log-probabilities of a prompt"),
        ("https://me:hunter2@gpu/v1", "the address holds a user name, password or key"),
        ("https://gpu/v1?key=hunter2", "the address holds a user name, password or key"),
        ("file:///etc/passwd", "this should be the address of a server"),
        ("gpu:8000", "this should be the address of a server"),
    ],
)
def test_an_address_that_will_not_do_is_refused_and_not_repeated(url, message):
    messages = faults(study(url))
    assert f"models.m.served.url: {message}" in messages
    assert "hunter2" not in messages


@pytest.mark.parametrize("url", ["http://gpu:8000/v1", "http://gpu:8000/v1/", "http://gpu:8000/v1/completions"])
def test_an_address_is_that_of_the_server(url):
    assert config.load(study(url), []).models["m"].served.url == "http://gpu:8000/v1"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"kind": "masked"}, "models.m: 'served' belongs to 'kind: causal'; this model is masked"),
        (
            {"dtype": "bfloat16"},
            "models.m: a served model has the 'dtype' that its server was started with; leave the key out",
        ),
        ({"convert_bin": True}, "models.m: 'convert_bin' and 'served' exclude one another"),
        ({"served": {"url": "http://gpu/v1", "model": "m", "key_env": "sk-hunter2"}}, "not the key itself"),
    ],
)
def test_keys_that_will_not_do(keys, message):
    messages = faults(study(**keys))
    assert message in messages
    assert "hunter2" not in messages


def test_what_needs_weights_refuses_a_served_model():
    task = {"data": {"planted": 1.0}, "prefix": "I am from [region].", "controls": ["here"], "models": ["m"]}
    for more in ({"downstream": {"tasks": {"t": task}}}, {"vectors": {"v": {"model": "m"}}}):
        assert "'m' is served, and a server only scores texts" in faults(study() | more)
