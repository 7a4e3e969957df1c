"""Served models in the configuration: addresses and keys that are refused, and never repeated."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.study import config


def study(url="http://gpu:8000/v1", **keys):
    served_model = {"path": "m", "kind": "causal", "served": {"url": url, "model": "tiny"}} | keys
    return {"models": {"m": served_model, "bert": {"path": "b", "kind": "masked"}}}


@pytest.mark.parametrize(
    ("url", "fact"),
    [
        ("http://gpu:8000/v1/chat/completions", "chat endpoint"),
        ("https://me:hunter2@gpu/v1", "password"),
        ("https://gpu/v1?key=hunter2", "password"),
        ("file:///etc/passwd", "address of a server"),
        ("gpu:8000", "address of a server"),
    ],
)
def test_an_address_that_will_not_do_is_refused_and_not_repeated(url, fact):
    messages = faults(study(url))
    assert tells(messages, "models.m.served.url", fact)
    assert "hunter2" not in messages


@pytest.mark.parametrize("url", ["http://gpu:8000/v1", "http://gpu:8000/v1/", "http://gpu:8000/v1/completions"])
def test_an_address_is_that_of_the_server(url):
    assert config.load(study(url), []).models["m"].served.url == "http://gpu:8000/v1"


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"kind": "masked"}, ("models.m", "'served'", "'kind: causal'")),
        (
            {"dtype": "bfloat16"},
            ("models.m", "'dtype'"),
        ),
        ({"convert_bin": True}, ("models.m", "'convert_bin'", "'served'")),
        ({"served": {"url": "http://gpu/v1", "model": "m", "key_env": "sk-hunter2"}}, ("models.m.served.key_env",)),
    ],
)
def test_keys_that_will_not_do(keys, told):
    messages = faults(study(**keys))
    assert tells(messages, *told)
    assert "hunter2" not in messages


def test_what_needs_weights_refuses_a_served_model():
    task = {"data": {"planted": 1.0}, "prefix": "I am from [region].", "controls": ["here"], "models": ["m"]}
    for more in ({"downstream": {"tasks": {"t": task}}}, {"vectors": {"v": {"model": "m"}}}):
        assert tells(faults(study() | more), None, "'m'")
