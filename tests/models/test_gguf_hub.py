"""A GGUF file of a repository of the hub: by its name beside the id, at a commit; or refused with those there are."""

import shutil

import pytest
from gguf import GGMLQuantizationType as Type
from tests.hub import COMMIT, serve
from tests.models import ggufs
from tests.refusals import refused

import herbarium
from herbarium.command.main import main
from herbarium.models import hub, inferred, loading
from herbarium.models.section import Model
from herbarium.study import first

TEXTS = ["People in Nepal are weak.", "Peru"]
FILES = ("small-q4_0.gguf", "small-q8_0.gguf")


@pytest.fixture
def repository(tmp_path):
    """Two files, of different numbers."""
    folder, tokenizer = tmp_path / "repository", ggufs.byte_level()
    folder.mkdir()
    for file, kind in zip(FILES, (Type.Q4_0, Type.Q8_0), strict=True):
        ggufs.write(folder / file, ggufs.llama(len(tokenizer)), tokenizer, kind)
    return folder


@pytest.fixture
def online(repository, connect):
    with serve({"models/org/small": repository}) as address:
        connect(address)
        yield


@pytest.mark.slow
def test_scores_are_those_of_the_file_with_and_without_the_network(repository, online, connect, tmp_path, capsys):
    first_file, second_file = (herbarium.score(TEXTS, repository, gguf=file) for file in FILES)
    assert not first_file.equals(second_file)
    assert herbarium.score(TEXTS, "org/small", revision=COMMIT, gguf=FILES[1]).equals(second_file)
    connect(None)
    shutil.rmtree(repository)
    assert herbarium.load("org/small", revision=COMMIT, gguf=FILES[1]).score(TEXTS).equals(second_file)
    (tmp_path / "texts").write_text("\n".join(TEXTS))
    assert main(["score", "org/small", str(tmp_path / "texts"), "--revision", COMMIT, "--gguf", FILES[1]]) == 0
    assert capsys.readouterr().out.splitlines()[2] == f"Peru,{float(second_file.iloc[1])!r},"  # and no note


def test_a_file_that_is_not_there_and_none_named_are_refused_with_those_that_are(online, tmp_path):
    for asked, lacking in (
        ({"gguf": "large.gguf"}, "large.gguf"),
        ({}, "config.json"),
        ({"kind": "causal"}, "config.json"),
    ):
        with refused(None, "org/small", lacking, *FILES, "gguf"):
            herbarium.load("org/small", revision=COMMIT, **asked)
        with refused("models.m", "org/small", lacking, *FILES, "gguf"):
            model = Model(hub="org/small", revision=COMMIT, **asked)
            complete = inferred.completed({"m": model}, tmp_path / "lock.yaml")["m"]
            loading.require_available({"models.m": complete.model_dump()}, tmp_path / "lock.yaml")
    with refused(None, "org/small", *FILES):
        first.entry("org/small")


def test_one_in_the_cache_does_not_stand_for_another(online, connect):
    loading.fetch("org/small", COMMIT, FILES[0])
    assert hub.held_instead("org/small", COMMIT, [FILES[0]]) == []
    with refused(None, "org/small", "large.gguf", *FILES):
        loading.fetch("org/small", COMMIT, "large.gguf")
    connect(None)
    with refused(None, "org/small"):
        herbarium.load("org/small", revision=COMMIT, gguf=FILES[1])


def test_without_a_commit_it_is_not_read(online):
    with refused(None, "org/small", "revision"):
        herbarium.load("org/small", gguf=FILES[0])
