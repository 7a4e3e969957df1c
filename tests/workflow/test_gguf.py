"""A GGUF file through the workflow: dequantised once, measured like any model, and named with its type and digest."""

import pandas as pd
import pytest
import yaml
from gguf import GGMLQuantizationType as Type
from tests.models import ggufs
from tests.workflow.conftest import copy_project
from tests.workflow.test_adapters import SENTENCES

import herbarium
from herbarium.core import store
from herbarium.core.provenance import file_hash

pytestmark = pytest.mark.slow  # one run of the workflow (a minute)

PAIRS = {"table": "pairs.csv", "quantity": "likelihood", "contrast": "share", "sides": ["peru", "zealand"]}
STUDY = {"results": "results", "shards": 1, "models": {"small": {"path": "models/small.gguf"}}, "sentence_sets": {}}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    made = copy_project(tmp_path_factory.mktemp("gguf"))
    tokenizer = ggufs.byte_level()
    (made.folder / "models").mkdir()
    ggufs.write(made.folder / "models/small.gguf", ggufs.llama(len(tokenizer)), tokenizer, Type.Q8_0)
    made.write("pairs.csv", pd.DataFrame(SENTENCES, columns=["id", "set", "side", "text"]).to_csv(index=False))
    made.write("study.yaml", yaml.safe_dump(STUDY | {"sentence_sets": {"pairs": PAIRS | {"models": ["small"]}}}))
    made.run("sentence_sets", "results/report/index.html")
    return made


def test_its_scores_are_those_of_the_file(measured):
    rows = pd.read_csv(measured.folder / "results/tables/sentence_sets_sentences.csv")
    expected = herbarium.score(rows["text"], measured.folder / "models/small.gguf")
    assert len(rows) == len(SENTENCES)
    assert rows["value"].to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-3)


def test_record_and_page_name_the_file_and_its_type(measured):
    record = store.read_json(measured.folder / "results/work/models/small.json")
    digest = file_hash(measured.folder / "models/small.gguf")
    assert record["gguf"]["sha256"] == digest
    assert record["gguf"]["tensor_types"].keys() == {"F32", "Q8_0"}
    assert (record["kind"], record["path"]) == ("causal", "results/work/converted/small")
    page = (measured.folder / "results/report/index.html").read_text(encoding="utf-8")
    assert f"GGUF file small.gguf (Q8_0, sha256 {digest[:12]}). {record['gguf']['note']}" in page


def test_another_file_is_another_model(measured):
    targets = ("sentence_sets", "results/report/index.html")
    assert measured.jobs(*targets) == {}
    tokenizer = ggufs.byte_level()
    ggufs.write(measured.folder / "models/small.gguf", ggufs.llama(len(tokenizer)), tokenizer, Type.F16)
    assert {"convert_weights", "score_shard"} <= measured.jobs(*targets).keys()
