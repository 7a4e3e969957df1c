"""docs/winobias.md as it stands there, and causal models."""

import pandas as pd
import pytest
import yaml
from tests.pages import ROOT, blocks
from tests.reports import words
from tests.workflow.conftest import copy_project

import herbarium

pytestmark = pytest.mark.nightly

PAGE = ROOT / "docs/winobias.md"


@pytest.fixture(scope="module")
def followed(tmp_path_factory, model_folder):
    """The page, done, with a causal model beside the planted ones."""
    project = copy_project(tmp_path_factory.mktemp("winobias") / "herbarium")
    (study,) = (block for block in blocks(PAGE) if block.language == "yaml")
    (command,) = (block for block in blocks(PAGE) if block.language == "bash")
    values = yaml.safe_load(study.text)
    values["models"]["causal"] = {"path": str(model_folder("gpt2")), "kind": "causal"}
    for entry in values["sentence_sets"].values():
        entry["models"].append("causal")
    project.write(study.file, yaml.safe_dump(values))
    project.follow(command.text)
    return project.folder / "results/winobias"


@pytest.fixture(scope="module")
def numbers(followed):
    return pd.read_csv(followed / "tables/sentence_sets_numbers.csv")


def of_all(numbers, stimuli):
    return numbers[(numbers["stimuli"] == stimuli) & (numbers["group"] == "all") & numbers["planted"].notna()]


def test_the_order_of_planted_stereotypes_is_found_and_none_where_there_is_none(numbers):
    pronouns, antecedents = (of_all(numbers, name) for name in ("pronouns", "antecedents"))
    for rows in (pronouns, antecedents[antecedents["side"] == "difference"]):
        none, weak, strong = rows.sort_values("planted").to_dict("records")
        assert none["estimate"] < weak["estimate"] < strong["estimate"]
        assert strong["p_value"] < 0.05
        assert not none["p_value"] < 0.05  # it has none where all answers agree


def test_the_page_has_these_numbers(numbers):
    text = PAGE.read_text(encoding="utf-8").replace("−", "-")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if "| planted-" in line]
    pronouns, antecedents = (of_all(numbers, name) for name in ("pronouns", "antecedents"))
    assert [row[:-3] for row in rows] == [[name] for name in pronouns["model"]] + (
        antecedents[["side", "model"]].to_numpy().tolist()
    )
    # another processor gives other digits
    for correlations_of, those, most in ((pronouns, rows[:3], 0.5), (antecedents, rows[3:], 40)):
        assert [float(row[-3]) for row in those] == pytest.approx(correlations_of["estimate"].tolist(), abs=most)


def test_planted_stereotypes_go_with_the_share_of_women(followed):
    table = pd.read_csv(followed / "tables/sentence_sets_correlations.csv").set_index("model")
    assert table.loc["planted-strong", "correlation"] > 0.9
    assert table.loc["planted-strong", "p_value"] < 0.05 < table.loc["planted-none", "p_value"]
    assert table["n"].eq(8).all()
    each = pd.read_csv(followed / "tables/sentence_sets_each.csv")
    assert each[each["model"] == "planted-strong"].groupby("known")["estimate"].mean().idxmax() >= 85
    page = (followed / "report/index.html").read_text(encoding="utf-8")
    assert "Each value separately" in page
    assert "E2E" in page


def test_a_masked_pronoun_and_a_causal_sentence_are_those_of_the_library(followed, model_folder):
    sentences = pd.read_csv(followed / "tables/sentence_sets_sentences.csv")
    of_pair = sentences[(sentences["stimuli"] == "pronouns") & (sentences["set"] == "type2-dev-1")]
    texts = of_pair[of_pair["model"] == "causal"]["text"].tolist()
    by_hand = herbarium.score(texts, model_folder("gpt2"), "ll", kind="causal")
    assert of_pair[of_pair["model"] == "causal"]["value"].tolist() == pytest.approx(by_hand.tolist(), abs=1e-4)
    ends = [len(text) - 1 for text in texts]  # the pronoun stands before the full stop
    spans = {"asked": [(end - 3, end) for end in ends]}
    by_hand = herbarium.score(texts, followed / "work/testbed/planted-weak", "slot", spans=spans)
    assert of_pair[of_pair["model"] == "planted-weak"]["value"].tolist() == pytest.approx(by_hand.tolist(), abs=1e-5)


def test_ours_have_no_faults_to_be_told(followed):
    assert pd.read_csv(followed / "tables/sentence_sets_faults.csv").empty
    page = (followed / "report/index.html").read_text(encoding="utf-8")
    assert "In its files" not in words(page)
