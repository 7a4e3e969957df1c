"""What others read of a study: held against what each form requires, and read back by those who wrote it."""

import hashlib
import json
import uuid
from datetime import UTC, date, datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
import yaml
from rocrate.rocrate import ROCrate
from tests.refusals import refused

import herbarium
from herbarium.statistics.tidy import tidy
from herbarium.study import config
from herbarium.study.exchange import every_eval_ever, lm_eval
from herbarium.study.exchange.crate import CRATE, RELEASED, WORKFLOW, crate
from herbarium.study.exchange.croissant import Shards, croissant
from herbarium.study.exchange.section import Exchange

NOTHING = Exchange().model_dump(mode="json")
CHOSEN = NOTHING | {
    "title": "Regions in two models",
    "license": "CC-BY-4.0",
    "date": "2026-12-01",
    "url": "https://example.org/regions",
    "authors": {"Ada Lovelace": "https://orcid.org/0000-0002-1825-0097", "Who Else": ""},
}
COMMIT = "c" * 40
HUB = {"name": "bert", "hub": "google-bert/bert", "revision": COMMIT, "files": {"model.safetensors": "1" * 64}}
HUB |= {"dtype": "bfloat16", "n_parameters": 110, "tuned": {}}
TRAINED = {"name": "a model", "hub": None, "revision": None, "files": {"config.json": "2" * 64}}
CONTENT = b"a,b\n"
PLACES = ["summary.csv", "tables/100 %.csv", "figures/map.svg", "report/index.html", "scores/bert.parquet"]


def made(place):
    inputs = {"resources/words.txt": "lines:3", "tables of mine/x.csv": "4" * 64} if "summary" in place else {}
    return {"sha256": hashlib.sha256(CONTENT).hexdigest(), "inputs": inputs}


RECORD = {
    "run": "79efe62ef38be7ce",
    "libraries": {"herbarium": herbarium.__version__},
    "study": {"results": "results"},
    "models": {"models/bert.json": HUB, "models/bert/herb.json": HUB, "models/a.json": TRAINED},
    "files": {place: made(place) for place in PLACES},
    "sources": {
        "texts.parquet": {"data": {"hub": "a/b", "revision": COMMIT}, "files": {"x.parquet": "5" * 64}},
        "others.parquet": {"data": {"hub": None, "git": "https://some.where/x", "revision": COMMIT}, "files": {}},
    },
}
GIVEN = {WORKFLOW: hashlib.sha256(CONTENT).hexdigest(), "exchange/lm_eval/bert.json": "6" * 64}


@pytest.fixture(params=[NOTHING, CHOSEN], ids=["nothing chosen", "chosen"])
def settings(request):
    return request.param


@pytest.fixture
def folder(tmp_path, settings):
    """The files of a crate, and the crate."""
    for place in [*PLACES, *GIVEN, "run.json"]:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(CONTENT)
    (tmp_path / CRATE).write_text(json.dumps(crate(RECORD, settings, GIVEN)))
    return tmp_path


def test_the_crate_is_read_back_and_every_file_is_there(folder):
    read = ROCrate(folder)
    parts = {part.id for part in read.root_dataset["hasPart"]}
    files = {entity.id for entity in read.data_entities}
    assert parts == files
    assert "tables/100%20%25.csv" in parts
    assert "scores/bert.parquet" not in parts  # leads to results, and is none
    for file in read.get_by_type("File"):
        path = folder / file.source
        assert path.is_file()
        if "sha256" in file and not file.id.startswith("exchange/lm_eval"):
            assert file["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert "sha256" not in read.get("run.json")


def references(graph):
    """Every object inside an entity of a crate."""
    values = [value for entity in graph for value in entity.values()]
    return [
        side for value in values for side in (value if isinstance(value, list) else [value]) if isinstance(side, dict)
    ]


def test_the_crate_is_flat_and_names_nothing_that_it_does_not_have(settings):
    graph = crate(RECORD, settings, GIVEN)["@graph"]
    known = [entity["@id"] for entity in graph]
    assert len(known) == len(set(known))
    assert all(reference.keys() == {"@id"} for reference in references(graph))
    named = {reference["@id"] for reference in references(graph)}
    assert {identifier for identifier in named if not identifier.startswith("http")} <= set(known)
    assert set(known) - named == {CRATE}


def test_what_the_profile_requires_is_there(folder, settings):
    """Workflow Run Crate 0.5, with Process Run Crate 0.5 and Workflow RO-Crate 1.0: each MUST, and what we chose of
    SHOULD."""
    read = ROCrate(folder)
    root, workflow = read.root_dataset, read.mainEntity
    profiles = {profile.id: profile for profile in root["conformsTo"]}
    for name, version in (("process", "0.5"), ("workflow", "0.5")):
        profile = profiles[f"https://w3id.org/ro/wfrun/{name}/{version}"]
        assert (profile.type, profile["version"]) == ("CreativeWork", version)
    assert "https://w3id.org/workflowhub/workflow-ro-crate/1.0" in profiles
    assert {"File", "SoftwareSourceCode", "ComputationalWorkflow"} == set(workflow.type)
    assert workflow["programmingLanguage"].type == "ComputerLanguage"
    assert root["license"].type == "CreativeWork"
    assert date.fromisoformat(root["datePublished"]) == date.fromisoformat(settings["date"] or RELEASED)
    assert root["name"] == settings["title"]
    assert root["description"]
    (action,) = read.get_by_type("CreateAction")
    assert root["mentions"] == action
    assert action["instrument"] == workflow
    assert {entity.id for entity in action["result"]} == {entity.id for entity in root["hasPart"]} - {workflow.id}
    used = {entity.id for entity in action["object"]}
    assert {f"https://huggingface.co/google-bert/bert/tree/{COMMIT}", "#model/a%20model"} <= used
    assert {"#text/resources/words.txt", f"https://huggingface.co/datasets/a/b/tree/{COMMIT}"} <= used
    assert f"https://some.where/x#{COMMIT}" in used
    assert ("agent" in action) == bool(settings["authors"])
    assert {person["name"] for person in read.get_by_type("Person")} == settings["authors"].keys()


def test_models_are_named_by_the_checksums_of_their_files():
    graph = {entity["@id"]: entity for entity in crate(RECORD, NOTHING, GIVEN)["@graph"]}
    hub = graph[f"https://huggingface.co/google-bert/bert/tree/{COMMIT}"]
    assert (hub["version"], hub["identifier"]) == (COMMIT, f"model.safetensors sha256 {'1' * 64}")
    assert graph["#text/resources/words.txt"]["identifier"] == "lines:3"


def test_the_same_study_gives_the_same_crate():
    assert crate(RECORD, NOTHING, GIVEN) == crate(
        json.loads(json.dumps(RECORD)), NOTHING, dict(reversed(GIVEN.items()))
    )


# --- lm-evaluation-harness ---

ROWS = tidy(
    pd.DataFrame(
        [
            {"group": "Asia", "estimate": 0.25, "std_error": 0.01, "n": 7},
            {"group": "Asia", "variant": "by name, all", "estimate": 0.5},
            {"group": "Africa", "note": "no word"},
        ]
    ).assign(model="bert", metric="herb", definition="paper", unit="continent")
).assign(signature=["first", "second", "third"])


def test_results_are_those_of_lm_evaluation_harness():
    result = lm_eval.results(ROWS, "bert", HUB, {"herbarium": "0.1.0", "transformers": "5"}, 3)
    task = "herb / continent / Asia"
    assert result["results"] == {
        task: {
            "alias": task,
            "paper,none": 0.25,
            "paper_stderr,none": 0.01,
            "paper,by name, all": 0.5,
            "paper_stderr,by name, all": "N/A",
        }
    }
    assert result["configs"][task]["metadata"]["signatures"] == {"paper,none": "first", "paper,by name, all": "second"}
    for name in ("versions", "n-shot", "configs", "higher_is_better", "group_subtasks"):
        assert result[name].keys() == result["results"].keys()
    assert result["n-samples"] == {task: {"original": 7, "effective": 7}}
    assert result["config"]["model_args"] == f"pretrained=google-bert/bert,revision={COMMIT},dtype=bfloat16"
    assert result["config"]["random_seed"] == 3
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_vectors_and_models_of_ones_own_have_results_too():
    result = lm_eval.results(ROWS, "glove", None, {"herbarium": "0.1.0"}, 3)
    assert result["config"]["model_args"] == "pretrained=glove"
    own_results = lm_eval.results(ROWS, "mine", HUB | {"hub": None, "revision": None}, {"herbarium": "0.1.0"}, 3)
    assert own_results["config"]["model_args"] == "pretrained=mine,dtype=bfloat16"


# --- Every Eval Ever ---

RECORDS = CHOSEN | {
    "every_eval_ever": {"organization": "Ours", "relationship": "third_party", "lower_is_better": {"herb": True}}
}


def test_records_are_those_of_every_eval_ever():
    """Schema 0.2.2: required properties, no others at the top, every detail a text."""
    rows = ROWS.assign(ci_low=[0.2, None, None], ci_high=[0.3, None, None])
    place, actual = every_eval_ever.record(rows, HUB, RECORDS, {"herbarium": "0.1.0", "transformers": "5"})
    assert place.startswith("herbarium/google-bert/bert/")
    assert uuid.UUID(Path(place).stem)
    required = {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info"}
    assert actual.keys() == required | {"eval_library", "evaluation_results"}
    assert actual["evaluation_id"] == f"herbarium/google-bert/bert/{actual['retrieved_timestamp']}"
    assert datetime.fromtimestamp(int(actual["retrieved_timestamp"]), UTC).date() == date(2026, 12, 1)
    assert {"source_type", "source_organization_name", "evaluator_relationship"} <= actual["source_metadata"].keys()
    assert {"name", "id"} <= actual["model_info"].keys()
    assert set(map(type, actual["model_info"]["additional_details"].values())) == {str}
    first, second = actual["evaluation_results"]  # not the one without an estimate
    for result in (first, second):
        assert {"evaluation_name", "source_data", "metric_config", "score_details"} <= result.keys()
        assert {"dataset_name", "source_type"} <= result["source_data"].keys()
        assert result["metric_config"]["lower_is_better"] is True
    assert first["score_details"] == {
        "score": 0.25,
        "uncertainty": {
            "standard_error": {"value": 0.01},
            "confidence_interval": {"lower": 0.2, "upper": 0.3},
            "num_samples": 7,
        },
    }
    assert second["metric_config"]["metric_name"] == "paper, by name, all"
    assert second["score_details"] == {"score": 0.5, "uncertainty": {}}
    assert json.loads(json.dumps(actual, allow_nan=False)) == actual


def test_a_metric_that_was_not_measured_is_told():
    every_eval_ever.require_measured(["herb"], ["herb", "weat"])
    with refused("exchange.every_eval_ever.lower_is_better", "'herbs'", "'herb'"):
        every_eval_ever.require_measured(["herbs"], ["herb", "weat"])


# --- Croissant ---

COLUMNS = pa.schema(
    [("sentence_id", pa.int64()), ("text", pa.string()), ("weight", pa.float32()), ("words", pa.list_(pa.string()))]
)
SETS = {"herb": Shards({"herb/1.parquet": "b" * 64, "herb/0.parquet": "a" * 64}, COLUMNS)}


def test_sentences_are_described_as_croissant_requires(settings):
    """Croissant 1.0: the required properties of a data set, of a FileObject, a RecordSet and a Field."""
    result = croissant(SETS, settings, "0.1.0")
    required = {"@context", "@type", "conformsTo", "description", "license", "name", "url", "creator", "datePublished"}
    assert required <= result.keys()
    assert (result["@type"], result["conformsTo"]) == ("sc:Dataset", "http://mlcommons.org/croissant/1.0")
    assert [file["contentUrl"] for file in result["distribution"]] == ["herb/0.parquet", "herb/1.parquet"]
    for file in result["distribution"]:
        assert file["@type"] == "cr:FileObject"
        assert {"name", "contentUrl", "encodingFormat", "sha256"} <= file.keys()
    files = {file["@id"] for file in result["distribution"]}
    for records in result["recordSet"]:
        assert records["@type"] == "cr:RecordSet"
        assert [field["name"] for field in records["field"]] == COLUMNS.names
        assert [field["dataType"] for field in records["field"]] == ["sc:Integer", "sc:Text", "sc:Float", "sc:Text"]
        assert [field.get("repeated", False) for field in records["field"]] == [False, False, False, True]
        assert {field["source"]["fileObject"]["@id"] for field in records["field"]} <= files
    ids = [entity["@id"] for entity in [*result["distribution"], *result["recordSet"]]]
    assert len(ids) == len(set(ids))


# --- what is chosen ---


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("date", date(2026, 11, 20), ("exchange.date", "'2026-11-20'")),
        ("date", "20.11.2026", ("exchange.date", "'20.11.2026'")),
        ("license", "CC BY 4.0", ("exchange.license", "'CC BY 4.0'")),
        ("authors", {"Ada": "0000-0002-1825-0097"}, ("exchange.authors.Ada", "'0000-0002-1825-0097'")),
        ("every_eval_ever", RECORDS["every_eval_ever"], ("exchange.date", "Every Eval Ever")),
    ],
)
def test_a_mistake_is_told(key, value, fault):
    values = yaml.safe_load(Path("config/demo.yaml").read_text(encoding="utf-8"))
    with refused(*fault):
        config.load(values | {"exchange": {key: value}})


def test_the_release_is_that_of_the_citation():
    citation = yaml.safe_load(Path("CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == herbarium.__version__
    assert citation["date-released"].isoformat() == RELEASED


def test_the_citation_names_the_papers_that_the_metrics_are_from():
    titles = {
        reference["title"]
        for reference in yaml.safe_load(Path("CITATION.cff").read_text(encoding="utf-8"))["references"]
    }
    assert titles >= {
        "HERB: Measuring Hierarchical Regional Bias in Pre-trained Language Models",
        "Mitigating Language-Dependent Ethnic Bias in BERT",
        "Robust Bias Detection in MLMs and its Application to Human Trait Ratings",
        "Building Accountable Natural Language Processing Models: on Social Bias Detection and Mitigation",
    }
