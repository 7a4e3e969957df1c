"""The studies of docs/which_model.md, as they stand there, with tiny models in the folders that they name."""

import json
import shutil

import pandas as pd
import pytest
import transformers
from tests.pages import ROOT, blocks
from tests.served import NAME, serve
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow  # three small studies (half a minute each)

STUDIES = {block.file: block.text for block in blocks(ROOT / "docs/which_model.md") if block.file}
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|> {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|> {% endif %}"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory, model_folder):
    made = copy_project(tmp_path_factory.mktemp("which") / "herbarium")
    for name, family in {"chat": "qwen2", "large": "gpt2", "encoder": "bert"}.items():
        shutil.copytree(model_folder(family), made.folder / "models" / name)
    transformers.AutoModel.from_pretrained(model_folder("bert")).save_pretrained(made.folder / "models/encoder")
    # room for a conversation, of which the tiny tokenizer makes a token of each letter
    extend(made.folder / "models/chat/config.json", max_position_embeddings=512)
    extend(made.folder / "models/chat/tokenizer_config.json", model_max_length=512, chat_template=TEMPLATE)
    return made


def extend(file, **settings):
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


def measured(project, file, **changes):
    """The models of each metric in the summary of a study of the page. changes: in its text, new by old."""
    text = STUDIES[file]
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    project.write(file, text)
    folder = f"results/{file.removesuffix('.yaml')}"
    project.run(f"{folder}/report/index.html", f"{folder}/summary.csv", config=file)
    summary = pd.read_csv(project.folder / folder / "summary.csv")
    return summary.dropna(subset="estimate").groupby("metric")["model"].agg(set).to_dict()


def test_a_chat_model_is_measured_in_a_conversation_and_without(project):
    assert measured(project, "chat.yaml")["sentence_sets"] == {"bare", "asked"}


@pytest.mark.nightly
def test_the_vectors_of_an_encoder_are_measured(project):
    by_metric = measured(project, "encoder.yaml")
    assert [by_metric[metric] for metric in ("seat", "gender_in_context")] == [{"encoder"}] * 2


@pytest.mark.nightly
def test_a_served_model_is_asked(project, model_folder):
    with serve(model_folder("gpt2")) as server:
        address = {"http://localhost:8000/v1": server.url, "my-large-model": NAME}
        assert measured(project, "served.yaml", **address)["sentence_sets"] == {"large"}
        assert server.seen
