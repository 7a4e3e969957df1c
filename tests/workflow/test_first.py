"""`make first`: from a folder with a model to a page on it, beside planted models with its tokens."""

import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from gguf import GGMLQuantizationType as Type
from tests.models import ggufs
from tests.workflow.conftest import ROOT, copy_project

from herbarium.core import store
from herbarium.study import first

pytestmark = pytest.mark.slow  # small studies of three models (a minute each)


@pytest.fixture(scope="module", params=["masked", pytest.param("gguf", marks=pytest.mark.nightly)])
def looked_at(request, tmp_path_factory, model_folder):
    """A folder with a masked model, or a GGUF file with a causal one."""
    made = copy_project(tmp_path_factory.mktemp("first") / "herbarium")
    shutil.copy(ROOT / "Makefile", made.folder)
    (made.folder / ".venv").symlink_to(sys.prefix)
    kind, given = {"masked": ("masked", "mine"), "gguf": ("causal", "mine.gguf")}[request.param]
    if kind == "masked":
        shutil.copytree(model_folder("bert"), made.folder / "my models" / given)
    else:
        (made.folder / "my models").mkdir()
        tokenizer = ggufs.byte_level()
        ggufs.write(made.folder / "my models" / given, ggufs.llama(len(tokenizer)), tokenizer, Type.Q8_0)
    # fewer steps, countries, words and replicates: what planted models learn of them is in tests of each metric
    config = f"config/first/{kind}.yaml"
    study = yaml.safe_load((made.folder / config).read_text(encoding="utf-8"))
    study["testbed"]["steps"] = 20
    study["regions"]["countries"] = study["regions"]["countries"][::6]
    study["herb"]["bootstrap"] = {"replicates": 20}
    study["mixed_models"] = {"bootstrap": {"replicates": 20}}
    if kind == "masked":
        lists = study["categorical_bias"]["languages"]["english"]["lists"]["grammatical"]
        attributes = (made.folder / lists / "attributes.csv").read_text(encoding="utf-8").splitlines(keepends=True)
        made.write(f"{lists}/attributes.csv", "".join(attributes[:9]))
        study["herb"]["descriptions"] = dict([*study["herb"]["descriptions"].items()][:1])
    made.write(config, yaml.safe_dump(study, sort_keys=False))
    made.metrics = study.keys() & {"herb", "categorical_bias", "mixed_effects", "sentence_sets"}
    # the set-up aside, which is there
    run = ["make", "-o", "setup", "first", f"MODEL=my models/{given}"]
    made.results = made.folder / first.FOLDER / given
    environment = {**os.environ, "PYTHONPATH": ""}
    made.done = subprocess.run(run, cwd=made.folder, env=environment, capture_output=True, text=True)
    return made


def test_it_ends_in_a_page_and_numbers_of_the_model_and_its_references(looked_at):
    assert looked_at.done.returncode == 0, looked_at.done.stdout + looked_at.done.stderr
    assert (looked_at.results / "report/index.html").is_file()
    summary = pd.read_csv(looked_at.results / "summary.csv", low_memory=False)
    for metric in looked_at.metrics:
        measured = summary.loc[(summary["metric"] == metric) & summary["estimate"].notna(), "model"]
        assert set(measured) == {"mine", "planted-none", "planted-strong"}, metric
    assert "control" in set(summary.loc[summary["metric"] == "herb", "group"])


def test_the_references_have_the_tokens_of_the_model(looked_at):
    records = {
        name: store.read_record(looked_at.results / f"work/models/{name}.json") for name in ("mine", "planted-none")
    }
    one, other = (record["files"]["tokenizer.json"] for record in records.values())
    assert one == other
    sentences = [
        store.read_frame(
            looked_at.results / f"work/plans/{name}/sentence_sets/pronouns/sentences-0.parquet", "plan_sentences"
        )
        for name in records
    ]
    pd.testing.assert_series_equal(sentences[0]["n_tokens"], sentences[1]["n_tokens"])


def test_without_a_model_it_says_what_to_say(looked_at):
    done = subprocess.run(
        ["make", "-o", "setup", "first"], cwd=looked_at.folder, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "make first MODEL=folder-or-hub-id" in done.stdout
