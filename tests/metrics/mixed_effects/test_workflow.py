"""The mixed-effects metric through the workflow: what is observed, fitted and written, and what a change runs again."""

import re
import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.reports import assert_numbers_are_in, assert_opens
from tests.workflow.conftest import copy_project

import herbarium
from herbarium.core import store

pytestmark = pytest.mark.slow  # runs workflows (three minutes together)

TABLES = {
    "templates": "key,kind,asked,text,negative\n"
    "t1,plain,subject,[determiner] [subject] is [a] [target] person.,yes\n"
    "t2,plain,subject,[determiner] [subject] is [target].,yes\n"
    "t3,worked,possessor,[determiner] [possessor] [target] way is of [possessive] work.,\n",
    "pairs": "female,male,common\nwoman,man,yes\naunt,uncle,\nqueen,king,yes\nshe,he,\n",
    "pronouns": "gender,subject,object,possessor,possessive\nfemale,she,her,her,her\nmale,he,him,his,his\n"
    "neo,xe,xem,xyr,xyr\n",
    "targets": "dimension,polarity,target\norder,positive,tidy\norder,positive,clean\norder,positive,austere\n"
    "order,negative,untidy\norder,negative,dirty\n",
}
CROWS = [
    (kind, f"The {one} were {how} of the {what}.", f"The {other} were {how} of the {what}.")
    for kind, one, other in (("age", "old", "young"), ("place", "islanders", "townsmen"))
    for how in ("afraid", "fond", "tired")
    for what in ("rain", "long wet night", "work that nobody else at all wanted to do")
]
STUDY = {
    "models": {"tiny": {"path": "tiny", "kind": "masked"}, "next": {"path": "next", "kind": "causal"}},
    "herb": {"models": []},
    "shards": 2,
    "mixed_effects": {
        "stimuli": {"mine": {"lists": "lists", "models": ["tiny", "next"], "determiners": ["the", "my"]}},
        "sensitivity": ["words", "templates"],
    },
    "mixed_models": {"bootstrap": {"replicates": 40}},
    "crows_pairs": {"table": "crows.csv", "models": ["tiny"]},
}


def set_up(project, model_folder, **changes):
    shutil.rmtree(project.folder / "tiny", ignore_errors=True)
    shutil.copytree(model_folder("roberta"), project.folder / "tiny")
    shutil.copytree(model_folder("llama"), project.folder / "next")
    for name, text in TABLES.items():
        project.write(f"lists/{name}.csv", text)
    table = pd.DataFrame(CROWS, columns=["bias_type", "sent_more", "sent_less"])
    project.write("crows.csv", table.to_csv())
    configure(project, **changes)


def configure(project, **changes):
    """changes: by section, keys and values instead of those of `STUDY`."""
    study = {"results": "results", "seed": 3, **STUDY}
    study |= {section: {**STUDY.get(section, {}), **values} for section, values in changes.items()}
    project.write("study.yaml", yaml.safe_dump(study))


def observations(project, model):
    path = project.folder / f"results/work/observations/{model}/mixed_effects/mine.parquet"
    return store.read_frame(path, "mixed_effects_observations")


@pytest.fixture(scope="module")
def fitted(tmp_path_factory, model_folder):
    """A study of both models that has run; the tests of this module share it."""
    made = copy_project(tmp_path_factory.mktemp("fitted"))
    set_up(made, model_folder)
    made.run()
    return made


def test_each_word_has_its_least_perplexing_sentence_with_the_librarys_association(fitted):
    seen = observations(fitted, "tiny")
    rows = seen[(seen["definition"] == "paper") & (seen["template"] == "t2") & (seen["target"] == "clean")]
    texts = {word: [f"{d} {word} is clean." for d in ("the", "my")] for word in ("woman", "man")}
    folder = fitted.folder / "tiny"
    chosen = {}
    for word, candidates in texts.items():
        pppl = herbarium.score(candidates, folder, "pppl")
        chosen[word] = ("the", "my")[int(np.argmin(pppl))]
        text = candidates[int(np.argmin(pppl))]
        spans = {
            "asked": [(text.index(word), text.index(word) + len(word))],
            "condition": [(len(text) - 6, len(text) - 1)],
        }
        expected = (
            herbarium.score([text], folder, "slot", spans=spans).iloc[0]
            - herbarium.score([text], folder, "slot_prior", spans=spans).iloc[0]
        )
        row = rows[(rows["word"] == word) & (rows["determiner"] == chosen[word])].iloc[0]
        assert row["association"] == pytest.approx(expected, abs=1e-5)
        assert row["pppl"] == pytest.approx(pppl.min(), rel=1e-5)
    pair = rows[rows["pair"] == "woman-man"]
    assert set(pair["determiner"]) == set(chosen.values())
    causal = observations(fitted, "next")
    row = causal[(causal["word"] == "he") & (causal["template"] == "t2") & (causal["target"] == "tidy")].iloc[0]
    loss = herbarium.score(["he is tidy."], fitted.folder / "next", "loss", kind="causal").iloc[0]
    assert row["association"] == pytest.approx(-loss, abs=1e-5)


def test_the_fits_that_are_asked_for_are_in_the_tables_and_the_report(fitted):
    results = fitted.folder / "results"
    fits = store.read_frame(results / "work/metrics/fits.parquet", "adjusted_fits")
    asked = fits.groupby(["model", "data", "definition"]).size()
    # three contrasts, shared, with negative, common, two kinds, crossed and of equal length; words and three templates
    # left out
    counts = [asked["tiny", "mine", "paper"], asked["tiny", "mine", "released"], asked["next", "mine", "paper"]]
    assert counts == [16] * 3
    assert asked["tiny", "crows_pairs", "paper"] == 2
    assert ("next", "mine", "released") not in asked
    main = fits[(fits["structure"] == "intercepts") & (fits["data"] == "mine")]
    assert (main["r2_low"] <= main["r2_high"]).all()
    untested = fits["p_value"].isna()
    assert set(fits.loc[untested, "structure"]) == {"crossed"}  # of which three templates are too few
    assert fits.loc[untested, "note"].str.contains("templates").all()
    assert fits["p_adjusted"].ge(fits["p_value"])[~untested].all()
    summary = pd.read_csv(results / "summary.csv")
    assert set(summary["metric"]) == {"mixed_effects", "crows_pairs"}
    scores = pd.read_csv(results / "tables/mixed_effects_scores.csv")
    assert len(scores) == (fits["data"] == "mine").sum()
    assert_numbers_are_in(summary, (results / "report/index.html").read_text(encoding="utf-8"))


def test_the_report_opens_in_a_browser(fitted, browser):
    assert_opens(browser, fitted.folder / "results/report/index.html")


def test_a_change_runs_again_what_depends_on_it(fitted):
    assert "nothing to be done" in fitted.run().lower()

    # how tests are adjusted concerns no fit; how many replicates, no score
    configure(fitted, mixed_models={"tests": {"correction": "fdr_bh"}, **STUDY["mixed_models"]})
    jobs = fitted.jobs()
    assert "adjust_fits" in jobs
    assert not [rule for rule in jobs if rule.startswith(("measure", "fit", "score", "observe"))]
    configure(fitted, mixed_models={"bootstrap": {"replicates": 30}})
    jobs = fitted.jobs()
    assert jobs["measure_mixed_effects"] == 2
    assert not [rule for rule in jobs if rule.startswith(("score", "observe", "plan"))]
    configure(fitted)

    # a new target is scored in its own shard, for itself alone
    fitted.edit("lists/targets.csv", "order,positive,tidy", "order,positive,prompt\norder,positive,tidy")
    log = fitted.run(*(f"results/work/observations/{model}/mixed_effects/mine.parquet" for model in STUDY["models"]))
    ran = [
        line for line in log.splitlines() if "inputs have answers already" in line and not line.endswith(" 0 to run.")
    ]
    assert len(ran) == 2  # a shard of each model
    assert "prompt" in set(observations(fitted, "tiny")["target"])


def test_without_an_engine_the_rest_of_the_study_runs(project, model_folder):
    set_up(project, model_folder, mixed_models={"engine": "none"})
    jobs = project.jobs()
    assert "summarize" in jobs
    assert not [rule for rule in jobs if "mixed" in rule or "fit" in rule]


def test_a_machine_without_r_gets_one_clear_sentence(project, model_folder):
    stimuli = {"mine": {"lists": "lists", "models": ["tiny"]}}
    set_up(project, model_folder, mixed_effects={"stimuli": stimuli}, crows_pairs={"table": None, "models": []})
    project.write("no r/rpy2/__init__.py", "raise ImportError('no R here')")
    log = project.fails("mixed_effects", "--keep-going", PYTHONPATH=str(project.folder / "no r"))
    (settings,) = {line.partition("Error: ")[2] for line in log.splitlines() if "Error: Mixed-effects" in line}
    assert "no R here" in settings
    assert "`mixed_models: engine: none`" in settings
    assert "Traceback" not in log.partition("Error: Mixed-effects")[2]
    assert (project.folder / "results/work/observations/tiny/mixed_effects/mine.parquet").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stimuli": {"mine": {"lists": "lists", "models": ["tinny"]}}}, "'tinny' is not one of the models.*'tiny'"),
        ({"stimuli": {"mine": {"lists": "list", "models": ["tiny"]}}}, "list/templates.csv: no such file"),
        ({"sensitivity": ["word"]}, "mixed_effects.sensitivity"),
        ({"probes": {}}, "'mixed_effects.probes' is now called 'mixed_effects.stimuli'"),
        ({"engine": "none"}, "'mixed_effects.engine' is now called 'mixed_models.engine'"),
    ],
)
def test_a_faulty_section_is_told_before_the_first_job(project, model_folder, changes, message):
    set_up(project, model_folder, mixed_effects=changes)
    log = project.fails("-n")
    assert re.search(message, log), log
