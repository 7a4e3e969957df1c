"""The same study again, on other cores and in other shards: the same numbers, to the last bit.

That the same configuration gives the same bytes, whatever happens meanwhile, is in test_killed.py.
"""

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from tests.measured.study import FILES, TALK, with_genders
from tests.pages import ROOT, blocks
from tests.reports import assert_opens
from tests.workflow.conftest import HERB, copy_project

pytestmark = pytest.mark.nightly  # a small study twice (two minutes together)

# What is cut into shards, and so is other files with more of them.
CUT = ("stimuli/", "plans/", "scores/", "predictions-")


def a_study(folder, model_folder, shards):
    """All that is measured of one model but the fits of R, whose bits are compared in statistics/test_lme4.py."""
    project = copy_project(folder)
    shutil.copytree(model_folder("roberta"), project.folder / "tiny")
    for block in blocks(ROOT / "docs/your_language.md"):
        if block.file:
            project.write(block.file, block.text)
    project.write("talk.csv", with_genders(TALK).to_csv(index=False))
    sections = yaml.safe_load(FILES["study.yaml"])
    downstream = sections["downstream"]
    task = {key: value for key, value in downstream["tasks"]["talk"].items() if key != "classifiers"}
    downstream |= {"tasks": {"talk": task | {"models": ["tiny"]}}}
    downstream["training"] |= {"sets": 1, "epochs": 1}
    project.configure(
        shards=shards,
        herb=HERB,
        categorical_bias={"languages": {"italian": {"lists": {"mine": "italian"}, "models": ["tiny"]}}},
        mixed_models={"engine": "none"},
        **{name: sections[name] for name in ("downstream", "propagation", "local_group_bias")},
    )
    return project


def numbers(path):
    """What a file says, but for what made it: that names the configuration, which has another number of shards."""
    return pq.read_table(path).replace_schema_metadata() if path.suffix == ".parquet" else path.read_bytes()


@pytest.fixture(scope="module")
def study(tmp_path_factory, model_folder):
    made = a_study(tmp_path_factory.mktemp("one"), model_folder, shards=1)
    made.run(cores=2)
    return made


def test_the_report_of_nearly_every_metric_opens_in_a_browser(study, browser):
    assert_opens(browser, study.folder / "results/report/index.html")


def test_cores_and_shards_change_no_number_and_a_second_run_no_byte(study, tmp_path, model_folder):
    first = study.results()
    kinds = {".parquet", ".csv", ".json", ".svg", ".pdf", ".png", ".html", ".safetensors", ""}  # exchange/Snakefile
    assert {Path(name).suffix for name in first} == kinds
    assert len([name for name in first if name.startswith("tables/")]) > 15

    # on one core, in a path that is not plain, for someone without a home
    other = a_study(tmp_path / "other – 书", model_folder, shards=3)
    assert "Provided cores: 1" in other.run(cores=1, own_server=True, HOME="/nonexistent", LC_ALL="C")
    one, two = (
        {name: path for name, path in run.items() if not any(cut in name for cut in CUT)}
        for run in (first, other.results())
    )
    assert one.keys() == two.keys()
    of_numbers = [
        name
        for name in one
        if Path(name).suffix in (".parquet", ".csv", ".safetensors") and name != "exchange/signatures.csv"
    ]  # a signature names the configuration, which has another number of shards
    assert [name for name in of_numbers if numbers(one[name]) != numbers(two[name])] == []

    # the files that are cut, once more
    before = {name: path.read_bytes() for name, path in first.items()}
    for name in ("work/models", "work/stimuli/herb", "work/plans/tiny/herb", "work/scores/tiny/herb"):
        shutil.rmtree(study.folder / "results" / name)
    study.run("results/work/scores/tiny/herb/shard-0.parquet")
    again = {name: path.read_bytes() for name, path in study.results().items()}
    assert "work/scores/tiny/herb/shard-0.parquet" in again
    assert [name for name, file in again.items() if file != before[name]] == []
