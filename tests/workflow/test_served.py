"""Models in a chat and on a server through the workflow, beside the same weights on this machine."""

import json
import shutil

import pandas as pd
import pytest
import yaml
from tests import served
from tests.workflow.conftest import copy_project

import herbarium
from herbarium.core import store
from herbarium.scoring import quantities

pytestmark = pytest.mark.slow  # five runs of the workflow, four of them of one or two jobs

KEY = "hunter2"
CHAT = {"user": "Who?"}
STIMULI = "sentence_sets/pairs"
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"


@pytest.fixture(scope="module")
def server(model_folder):
    with served.serve(model_folder("llama")) as tiny:
        tiny.key = KEY
        yield tiny


@pytest.fixture(scope="module")
def measured(tmp_path_factory, model_folder, server):
    """One model on this machine, on a server that is compared with its weights, and on one that is not."""
    made = copy_project(tmp_path_factory.mktemp("served"))
    shutil.copytree(model_folder("llama"), made.folder / "next")
    made.write("next/chat_template.jinja", TEMPLATE)
    shutil.copytree(made.folder / "next", made.folder / "bare", ignore=shutil.ignore_patterns("*.safetensors"))
    pairs = [
        (f"{word}-{side}", word, side, f"People in {place} are {word}.")
        for word in ("weak", "wise", "shy", "loud")
        for side, place in (("peru", "Peru"), ("zealand", "New Zealand"))
    ]
    made.write("pairs.csv", pd.DataFrame(pairs, columns=["id", "set", "side", "text"]).to_csv(index=False))
    of = {"kind": "causal", "chat_template": CHAT}
    by = {"url": server.url, "model": served.NAME, "key_env": "TINY_KEY"}
    models = {
        "here": {"path": "next", **of},
        "compared": {"path": "next", **of, "served": by},
        "alone": {"path": "bare", **of, "served": by | {"compare": False, "concurrent": 2}},
    }
    contrast = {"quantity": "likelihood", "contrast": "share", "sides": ["peru", "zealand"]}
    sets = {"pairs": {"table": "pairs.csv", "models": list(models), **contrast}}
    study = {"results": "results", "shards": 1, "models": models, "sentence_sets": sets}
    made.write("study.yaml", yaml.safe_dump(study))
    made.log = made.run("sentence_sets", "results/report/index.html", TINY_KEY=KEY)
    return made


def scores(measured, model):
    table = store.read_frame(measured.folder / f"results/scores/{model}/{STIMULI}.parquet", quantities.SCORES.name)
    return table.sort_values("sentence_id")


def test_numbers_are_those_of_the_model_on_this_machine(measured):
    sentences = pd.read_csv(measured.folder / "results/tables/sentence_sets_sentences.csv")
    texts = sentences[sentences["model"] == "here"]["text"].tolist()
    expected = herbarium.score(texts, measured.folder / "next", "ll", kind="causal", chat_template=CHAT)
    assert expected.notna().all()
    for model in ("here", "compared", "alone"):
        own = sentences[sentences["model"] == model]
        assert own["text"].tolist() == texts
        assert own["value"].tolist() == pytest.approx(expected.tolist(), abs=1e-4)
        assert scores(measured, model)["n_tokens"].tolist() == scores(measured, "here")["n_tokens"].tolist()


def test_the_record_has_the_conversation_and_how_far_the_server_agrees(measured):
    record = {
        model: json.loads((measured.folder / f"results/models/{model}/{STIMULI}.json").read_text())
        for model in ("here", "compared", "alone")
    }
    assert record["here"]["chat_template"]["before"] == "user: Who?\nassistant: "
    assert record["here"]["served"] is None
    assert set(record["compared"]["tuned"]["changes"]) == {"asking again", "the server"}
    assert set(record["alone"]["tuned"]["changes"]) == {"asking again"}
    assert record["compared"]["tuned"]["changes"]["the server"]["max"] < 1e-5
    assert record["alone"]["served"]["id"] == served.NAME


def test_the_key_is_in_no_file(measured, server):
    files = [path for path in measured.folder.rglob("*") if path.is_file()]
    assert len(files) > 50
    assert not [path for path in files if KEY.encode() in path.read_bytes()]
    assert KEY not in measured.log


def test_a_shard_that_was_interrupted_asks_only_for_what_is_missing(measured, server):
    before, wanted = scores(measured, "alone"), f"results/scores/alone/{STIMULI}.parquet"
    shutil.rmtree(measured.folder / "results/scores/alone")
    server.seen.clear()
    server.stops_after = 5
    said = measured.fails(wanted, TINY_KEY=KEY)
    assert "400 Bad Request" in said
    n_answered = len(server.seen)
    assert 0 < n_answered < len(before)
    server.stops_after = None
    measured.run(wanted, TINY_KEY=KEY)
    # of two that are asked at once, one may have been answered behind one that was not
    assert len(server.seen) - n_answered <= len(before) - n_answered + 1
    pd.testing.assert_frame_equal(scores(measured, "alone").reset_index(drop=True), before.reset_index(drop=True))


def test_a_server_of_other_weights_stops_the_run_with_figures(measured, server):
    wanted = f"results/models/compared/{STIMULI}.json"
    (measured.folder / wanted).unlink()
    server.wrong = "lies"
    said = measured.fails(wanted, TINY_KEY=KEY)
    server.wrong = None
    assert (
        "models.compared.served: the server changes the scores of this study by more than `precision` accepts" in said
    )
    assert "max |Δ| 0.5" in said
    said = measured.fails(wanted, TINY_KEY="")
    assert "the environment has no variable 'TINY_KEY'" in said
