"""What an edit reruns in the demo, with all of its metrics. Nothing is measured: its files are there, empty, and
Snakemake takes them for made."""

import re
from pathlib import Path

import pytest
import yaml
from tests.workflow.conftest import Project, after, changed, copy_project, rows

from herbarium.study import config, targets

pytestmark = pytest.mark.slow  # half a minute to make the files, then a dry run an edit

DEMO = "config/demo.yaml"
TRAINED = {"train_testbed", "train_continued", "finetune_downstream"}
RUN = {"score_shard", "predict_downstream", "embed_herb", "complete_honest", "embed_local_group_bias", "represent"}
ROWS = {row[0]: row[1:] for row in rows("tests/workflow/reruns.md", "what you edit in the demo")}
EDIT = re.compile(r"`([^`]+)`: `([^`]+)` → `([^`]+)`")
# Files that no record names: what a model's record says of them, what a server is asked again, the record itself.
APART = re.compile(
    r"/(testbed/[\w-]+|classifier)/[^/]+\.(json|safetensors)$|/probes/|/run\.json$|"
    r"/exchange/(?!signatures)|/ro-crate-metadata\.json$|/stimuli/croissant\.json$"
)
FOLDERS = ("exchange/lm_eval",)  # outputs that are no files


class Demo(Project):
    def snakemake(self, *arguments, config=DEMO, **options):
        return super().snakemake(*arguments, config=config, **options)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    made = Demo(copy_project(tmp_path_factory.mktemp("demo")).folder)
    for file in made.summary():
        if file.endswith(FOLDERS):
            (made.folder / file).mkdir(parents=True)
        else:
            made.write(file, "")
    made.snakemake("--touch", "--forceall")
    assert made.jobs() == {}
    made.outputs = made.summary()
    return made


@pytest.mark.parametrize("what", ROWS)
def test_an_edit_reruns_what_the_page_says(demo, what):
    """An edit of code by the hashes of what rules run; of lists and keys by a dry run."""
    example, trains, runs, parts = ROWS[what]
    edit = EDIT.fullmatch(example).groups()
    if edit[0].startswith("workflow/scripts/"):
        jobs = after(demo.outputs, demo.rules_of(*edit))
    else:
        with changed(demo, *edit):
            jobs = demo.jobs().keys()
    assert ("yes" if TRAINED & jobs else "no", "yes" if RUN & jobs else "no") == (trains, runs)
    settings = {rule.removeprefix("part_") for rule in jobs if rule.startswith("part_")}
    assert settings == {*re.findall(r"`(\w+)`", parts)}
    assert (parts == "nothing runs") is (not jobs)


def test_comments_and_strays_rerun_nothing(demo):
    """In every list, template and table that people write; beside every file of code."""
    for path in [*demo.folder.rglob("resources/**/*.csv"), *demo.folder.rglob("resources/**/*.txt")]:
        path.write_text(f"# a remark\n{path.read_text(encoding='utf-8')}# another\n", encoding="utf-8")
    for path in [*demo.folder.rglob("workflow/**/*.py"), *demo.folder.rglob("workflow/**/*.j2")]:
        for stray in (".DS_Store", f"._{path.name}", f".{path.name}.swp", f"{path.name}~", f"#{path.name}#"):
            path.with_name(stray).touch()
    assert demo.jobs() == {}


@pytest.mark.nightly
def test_a_list_of_models_says_which_and_not_in_which_order(demo):
    study = yaml.safe_load((demo.folder / DEMO).read_text(encoding="utf-8"))
    models = study["mixed_effects"]["stimuli"]["demo"]["models"]

    def jobs(*names):
        models[:] = names
        demo.write("other.yaml", yaml.safe_dump(study, sort_keys=False))
        output = demo.run("-n", config="other.yaml")
        return demo.stats(output), set(re.findall(r"^Job \d+: .*\((?:.*, )?model ([\w-]+)", output, re.MULTILINE))

    assert models == ["planted-none", "planted-strong"]
    assert jobs("planted-strong", "planted-none")[0].keys() == {
        "write_report",
        "record_run",
        "exchange",
        "all",
    }  # name the study
    counts, of_models = jobs("planted-weak", "planted-strong", "planted-none")
    assert counts["train_testbed"] == 1  # what it learns has the new sentences, too
    assert of_models == {"planted-weak"}


def test_the_record_of_the_run_names_every_file(demo):
    """It names what it is made from, and so on back: all that any job of the study leaves must be among that."""
    outputs = demo.outputs
    (record,) = [file for file in outputs if file.endswith("/run.json")]
    result, waiting = set(), [*outputs[record][1]]
    while waiting:
        file = waiting.pop()
        if file in outputs and file not in result:
            result.add(file)
            # weights say nothing, so that nothing is found through them
            waiting += [] if APART.search(file) else outputs[file][1]
    assert len(result) > 200
    assert [file for file in outputs if file not in result and not APART.search(file)] == []


def test_the_full_demo_measures_every_metric():
    """One that is added is measured there, too."""
    study = config.load(yaml.safe_load(Path("config/demo_full.yaml").read_text(encoding="utf-8")))
    parts = {Path(part).stem for part in targets.of(study).parts}
    # its targets are made of all others' stimuli, so that its rules add them
    parts |= {"counterfactual"} if study.counterfactual.models else set()
    assert parts == {path.parent.name for path in Path("workflow/scripts/herbarium/metrics").glob("*/section.py")}
