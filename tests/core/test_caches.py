"""Without a home that can be written, libraries keep their caches where Snakemake works."""

import getpass
import os
import pwd
from pathlib import Path

import pytest

from herbarium.core import caches

NAMES = ("LOGNAME", "USER", "LNAME", "USERNAME")


@pytest.fixture
def homeless(tmp_path, monkeypatch):
    """Below a file there is no folder, whoever asks."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "file" / "home"))
    for name in ("XDG_CACHE_HOME", "MPLCONFIGDIR", "HF_HOME"):
        monkeypatch.setenv(name, "")  # so that it is put back
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_caches_are_below_the_working_folder(homeless):
    caches.require_place()
    assert os.environ["XDG_CACHE_HOME"] == str(homeless / ".snakemake/caches")
    assert Path(os.environ["MPLCONFIGDIR"]).is_relative_to(homeless)
    assert "HF_HOME" not in os.environ


def test_a_home_that_takes_them_keeps_them(homeless, monkeypatch):
    monkeypatch.setenv("HOME", str(homeless / "home"))
    caches.require_place()
    assert "XDG_CACHE_HOME" not in os.environ


def test_a_cache_that_is_named_is_used(homeless, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(homeless / "mine"))
    caches.require_place()
    assert os.environ["XDG_CACHE_HOME"] == str(homeless / "mine")


def test_models_are_read_from_a_home_that_takes_no_more(homeless, monkeypatch):
    monkeypatch.setenv("HOME", str(homeless))
    (homeless / ".cache/huggingface").mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    caches.require_place()
    assert os.environ["HF_HOME"] == str(homeless / ".cache/huggingface")
    assert os.environ["XDG_CACHE_HOME"] == str(homeless / ".snakemake/caches")


def test_a_user_without_an_entry_has_a_name(homeless, monkeypatch):
    def unknown(number):
        raise KeyError(f"getpwuid(): uid not found: {number}")

    for name in NAMES:
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    caches.require_place()
    assert getpass.getuser() == str(os.getuid())
