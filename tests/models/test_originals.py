"""What a study measures is what published figures are of: by contents, never by name."""

import os
import shutil
from pathlib import Path

import pytest
import yaml
from tests.hub import COMMIT, serve

from herbarium.core import resources
from herbarium.metrics.categorical_bias import targets as categorical_bias
from herbarium.metrics.crows_pairs import targets as crows_pairs
from herbarium.metrics.downstream import targets as downstream
from herbarium.metrics.herb import targets as herb
from herbarium.metrics.mixed_effects import targets as mixed_effects
from herbarium.models import loading, originals
from herbarium.models.section import Model
from herbarium.study import config

FULL = yaml.safe_load(Path("config/core.yaml").read_text())
NAME = "roberta-large"


@pytest.fixture(scope="module")
def study():
    return config.load(FULL)


def with_keys(**keys):
    """A study whose only model is called as one of the tables."""
    return config.load({"models": {NAME: keys}})


def test_the_models_of_the_full_study_are_those_of_the_tables(study):
    table = resources.read_text_table("resources/published/models.csv", ["name"]).set_index("name")
    result = originals.models(study)
    for name, original in table.to_dict("index").items():
        assert (FULL["models"][name]["hub"], FULL["models"][name]["kind"]) == (original["hub"], original["kind"])
        if "revision" in FULL["models"][name]:
            assert result[name] == ""
    assert "not recorded" in result["bert-base-cased-toxic"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"hub": "other/roberta-large"}, "here it is other/roberta-large at 722cf37b1afa"),
        ({"revision": "0" * 40}, "at 000000000000"),
        ({"hub": None, "revision": None, "planted": 1.0}, "a planted bias"),
        ({"hub": None, "revision": None, "path": "mine"}, "the folder mine"),
        ({"adapter": {"path": "mine"}}, "an adapter"),
        ({"lowercase": True}, "lower-casing"),
        ({"kind": "causal", "chat_template": True}, "conversations"),
        ({"kind": "causal"}, "a causal model"),
        ({"kind": "causal", "served": {"url": "http://gpu/v1", "model": "m", "compare": False}}, "server"),
    ],
)
def test_a_model_that_only_has_the_name_says_what_it_is(changes, reason):
    keys = {key: value for key, value in (FULL["models"][NAME] | changes).items() if value is not None}
    assert reason in originals.models(with_keys(**keys))[NAME]


def test_a_folder_is_the_model_of_a_figure_as_long_as_it_is_what_the_hub_gave(model_folder, connect, tmp_path):
    from huggingface_hub import snapshot_download

    def reason(path, commit=COMMIT):
        original = {"hub": "org/name", "revision": commit, "kind": "masked"}
        return originals.model_reason("m", Model(path=path, kind="masked"), tmp_path / "lock.yaml", original)

    with serve({"models/org/name": model_folder("bert")}) as address:
        connect(address)
        cached = loading.fetch("org/name", COMMIT)
        (tmp_path / "link").symlink_to(cached)
        local = Path(snapshot_download("org/name", revision=COMMIT, local_dir=tmp_path / "local"))
    for folder in (cached, tmp_path / "link", local):
        assert reason(folder) == ""
        assert reason(folder, "d" * 40).endswith(f"here it is the folder {folder}, of commit {COMMIT[:12]}")
    copies = [Path(shutil.copytree(cached, tmp_path / name)) for name in ("plain", f"snapshots/{COMMIT}")]
    date = (local / "config.json").stat().st_mtime + 60
    os.utime(local / "config.json", (date, date))
    (cached / "vocab.txt").write_text("more")
    for folder in (*copies, local, cached):
        assert reason(folder).endswith(f"the folder {folder}, for whose files the hub recorded no common commit")


def test_a_commit_in_the_lock_file_counts(tmp_path):
    rows = FULL["models"][NAME]
    lock = tmp_path / "lock.yaml"
    for commit in (rows["revision"], "0" * 40):
        lock.write_text(yaml.safe_dump({rows["hub"]: commit}))
        loaded = config.load({"models": {NAME: {"hub": rows["hub"], "kind": "masked"}}, "lock": str(lock)})
        assert (originals.models(loaded)[NAME] == "") == (commit == rows["revision"])


def test_our_lists_are_those_of_the_papers_as_they_were_recorded(study):
    assert set(mixed_effects.original_data(study).values()) == {""}
    assert set(herb.original_data(study).values()) == {""}
    assert downstream.original_data(study)["hatespeech18"] == ""
    lists = categorical_bias.original_data(study)
    assert {item["published"] for item in lists.values()} == {""}
    assert all("other contents" in item["grammatical"] for item in lists.values())


def test_the_same_lists_elsewhere_are_the_same_and_a_changed_word_is_not(study, tmp_path):
    copy = tmp_path / "traits"
    shutil.copytree("resources/mixed_effects/traits", copy)
    entry = {"lists": str(copy), "models": ["m"]}

    def reason(**keys):
        study = config.load({"models": {"m": {"planted": 0.0}}, "mixed_effects": {"stimuli": {"traits": entry | keys}}})
        return mixed_effects.original_data(study)["traits"]

    assert reason() == ""
    assert "other contents" in reason(lowercase=False)
    table = copy / "targets.csv"
    table.write_text("# a comment\n" + table.read_text())
    assert reason() == ""
    table.write_text(table.read_text().replace("affable", "friendly"))
    assert "other contents" in reason()


@pytest.mark.parametrize("regions", [{"cities": {"largest": 3}}, {"continents": ["EU", "AF"]}])
def test_scores_over_other_regions_are_not_those_of_the_table(regions):
    values = {key: FULL[key] for key in ("models", "herb")} | {"regions": regions}
    assert "regions" in herb.original_data(config.load(values))["words"]


def test_other_pairs_are_not_those_of_the_authors(tmp_path, shared):
    table = tmp_path / "crows.csv"
    table.write_text(",sent_more,sent_less,bias_type\n0,A is.,B is.,age\n")

    def reason(path):
        section = {"table": str(path), "models": ["m"]}
        study = config.load({"models": {"m": {"planted": 0.0, "kind": "masked"}}, "crows_pairs": section})
        return crows_pairs.original_data(study)["crows_pairs"]

    assert "other contents" in reason(table)
    assert reason(shared / "data/crows_pairs/crows_pairs_anonymized.csv") == ""


def test_every_name_of_a_published_table_is_recorded_or_known_to_be_missing():
    recorded = set(resources.read_text_table("resources/published/models.csv", ["name"])["name"])
    named = set()
    for metric in ("mixed_effects", "crows_pairs", "categorical_bias"):
        named |= set(resources.read_table(f"resources/{metric}/published.csv", ["model"])["model"])
    assert named - recorded <= {"seven", "monolingual", "", *(name for name in FULL["models"])}
