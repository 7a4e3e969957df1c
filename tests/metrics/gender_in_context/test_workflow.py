"""Gender in context as a workflow: planted models, a causal one, and corpora that are counted."""

import shutil

import pandas as pd
import pytest
import yaml
from tests.workflow.conftest import copy_project

pytestmark = pytest.mark.slow  # two models trained (two minutes)

SENTENCES = {
    "format": "winobias_gender",
    "table": "resources/sentence_sets/winobias",
    "quantity": "slot_likelihood",
    "sides": ["feminine", "masculine"],
    "unit": "masculine",
    "crossed_with": "feminine",
}
PRONOUN_FIRST = {
    "table": "resources/gender_in_context/pronoun_first.csv",
    "models": ["causal"],
    "quantity": "ll",
    "sides": ["feminine", "masculine"],
}
TRAINING = {"recipe": "continued", "batch_size": 8, "warm_up": 2, "learning_rate": 1e-3, "epochs": 1}
CHANGED = {"from": "pronoun-strong", "by": {**TRAINING, "corpus": "little"}}


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path / "herbarium")


def test_what_is_planted_is_found_and_a_causal_model_is_measured_where_the_pronoun_comes_first(project, model_folder):
    shutil.copytree(model_folder("gpt2"), project.folder / "causal")
    planted = ["pronoun-none", "pronoun-strong"]
    study = {
        "shards": 1,
        "seed": 2022,
        "testbed": {"steps": 600, "batch_size": 192},
        "models": {name: {"planted": side, "kind": "masked"} for name, side in zip(planted, (0.0, 2.0), strict=True)}
        | {"causal": {"path": "causal", "kind": "causal"}, "changed": {"derived": CHANGED}},
        "vectors": {f"{name}-layers": {"model": name, "layers": "all"} for name in [*planted, "causal", "changed"]},
        "corpora": {"text": {"planted": "pronoun-strong"}, "little": {"path": "little.txt"}},
        "sentence_sets": {"occupations": SENTENCES | {"models": planted}, "first": PRONOUN_FIRST},
        "gender_in_context": {
            "corpora": ["text"],
            "sets": {
                "occupations": {
                    "sentences": "occupations",
                    "vectors": [f"{name}-layers" for name in [*planted, "changed"]],
                },
                "first": {"sentences": "first", "vectors": ["causal-layers"]},
                "swapped": {"corpus": "text", "vectors": ["pronoun-strong-layers"]},
            },
            "occupations": "occupations.csv",
        },
    }
    # one of the two of each sentence
    of_jobs = ["plumber,masculine\n", "welder,masculine\n", "midwife,feminine\n", "typist,feminine\n"]
    project.write("occupations.csv", "".join(["occupation,stereotype\n", *of_jobs]))
    texts = [f"The {job} said that {who} was late again." for job in ("welder", "midwife") for who in ("he", "she")]
    project.write("little.txt", "".join(f"{text} {n}\n" for n in range(10) for text in texts))
    project.write("study.yaml", yaml.safe_dump(study))
    project.run()
    results = project.folder / "results"
    published = pd.read_csv(results / "tables/reproduction.csv")
    assert set(published["agreement"]) == {"not comparable"}  # each figure has one of ours beside it
    assert set(published["table"]) == {"Table 3.4", "Section 3.2.2.3"}
    assert "Zhao (2021), Section 3.2.2, Table 3.4: 6 figures" in (results / "report/index.html").read_text()
    table = pd.read_csv(results / "tables/gender_in_context_numbers.csv")
    of_corpus = table[table["unit"] == "swapped"]
    shared = of_corpus[(of_corpus["variant"] == "common_share") & (of_corpus["definition"] == "gender")]
    assert shared["n"].tolist() == [4, 4, 4]
    assert shared["estimate"].iloc[-1] > 0
    of_causal = table[table["model"] == "causal-layers"]
    table = table[table["unit"] == "occupations"]
    last = table[table["variant"] == "stereotype_difference"].groupby("model").last()
    assert last.loc["pronoun-strong-layers", "p_adjusted"] < 0.05
    assert last.loc["pronoun-strong-layers", "ci_low"] > 0
    assert last.loc["pronoun-none-layers", "p_adjusted"] > 0.05
    assert (of_causal.groupby("group")["estimate"].count() > 0).all()
    assert of_causal["n"].max() == 40
    assert not of_causal["note"].str.contains("left out", na=False).any()
    (change,) = pd.read_csv(results / "figures/changes.csv").to_dict("records")
    assert change["measure"] == "Gender in context, occupations: stereotype difference"
    values = last.loc[["pronoun-strong-layers", "changed-layers"], "estimate"].tolist()
    assert [change["value_before"], change["value_after"]] == pytest.approx(values)
    assert change["estimate"] == pytest.approx(values[1] - values[0])
    assert change["note"] == "one training: how much another would differ is unknown"
    reliability = pd.read_csv(results / "tables/reliability.csv").set_index("measure")
    of_set = reliability.loc["stereotype_difference, occupations"]
    assert of_set[["over", "n_objects"]].tolist() == ["models", 3]
    counts = pd.read_csv(results / "tables/gender_in_context_counts.csv")
    assert (counts["n_pronouns"] > 0).all()
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert 'id="table-gender_in_context"' in page
    # a second run has nothing to do, and a new neutral swap reads sentences again, of the new words alone
    assert project.jobs() == {}
