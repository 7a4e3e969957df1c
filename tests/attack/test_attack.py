"""Damage to every kind of file, with fixed seeds (`make attack`): each is refused, or changes nothing.

docs/security.md has the table of what is tried here; the last test compares the two.
"""

import json
import shutil
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
import yaml
from tests.attack.damage import damaged
from tests.core.test_fuzz import SUFFIXES, TABLES, read, text_readers
from tests.workflow.conftest import HERB, copy_project, rows

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.files import table_with
from herbarium.models import loading, records, sources
from herbarium.study import config, verification

pytestmark = pytest.mark.nightly  # one run of a small study (a minute or two), then a thousand files are read

TRIED = Counter()
TASK = {
    "data": {"planted": 2.0, "texts": 240},
    "max_test_samples": 20,
    "prefix": "People in [region] are the cast.",
    "controls": ["here", "home"],
    "models": ["planted"],
}
OF_RESULTS = {
    ".parquet": "tables between steps (parquet)",
    ".csv": "tables to read (CSV)",
    ".csv-metadata.json": "what says how a table was made (sidecars)",
    ".json": "records of models, parts of the page, the record of the run (JSON)",
    ".svg": "figures (SVG, PDF, PNG)",
    ".pdf": "figures (SVG, PDF, PNG)",
    ".png": "figures (SVG, PDF, PNG)",
    ".html": "the report (HTML)",
}


@pytest.fixture(scope="module")
def study(tmp_path_factory, model_folder):
    """A finished study with a local model, one that the workflow trained, and a classifier."""
    made = copy_project(tmp_path_factory.mktemp("attacked") / "a study")
    shutil.copytree(model_folder("bert"), made.folder / "tiny")
    made.configure(
        shards=1,
        models={"tiny": {"path": "tiny", "kind": "masked"}, "planted": {"planted": 1.0, "kind": "masked"}},
        testbed={"steps": 10, "batch_size": 16},
        herb=HERB,
        downstream={
            "tasks": {"talk": TASK},
            "training": {"sets": 1, "epochs": 1, "batch_size": 32, "max_tokens": 40},
            "bootstrap": {"replicates": 20},
        },
    )
    made.run()
    return made


@pytest.fixture
def inside(study, monkeypatch):
    """The results, with the study's folder as the working directory, as steps have it."""
    monkeypatch.chdir(study.folder)
    return Path("results")


def spoil(path, n):
    """Write one damaged copy after another over a file; at the end it is whole again."""
    whole = path.read_bytes()
    try:
        for content in damaged(whole, n, path.as_posix()):
            path.write_bytes(content)
            yield content
    finally:
        path.write_bytes(whole)


def refused(reader, *arguments):
    """Whether a reader refuses with an error for people. Any other error is one of the test."""
    try:
        reader(*arguments)
    except HerbariumError:
        return True
    return False


def suffix(path):
    return next(ending for ending in sorted(OF_RESULTS, key=len, reverse=True) if path.name.endswith(ending))


def recorded(results):
    return json.loads((results / "run.json").read_text())


def test_files_of_the_results(inside):
    """A step that is given one of them refuses it (`store.examine`)."""
    run = recorded(inside)
    for place in [*run["files"], "run.json"]:
        path = inside / place
        if suffix(path) == ".html":
            continue
        whole = store.examine_result(path)
        for content in spoil(path, 4):
            assert read(store.examine_result, path) in (None, whole), (path, content[:99])
            TRIED[OF_RESULTS[suffix(path)]] += 1


def test_sidecars(inside):
    for path in sorted(inside.rglob("*.csv-metadata.json")):
        table = table_with(path)
        whole = store.examine_result(table)
        for content in spoil(path, 4):
            assert read(store.examine_result, table) in (None, whole), (path, content[:99])
            TRIED[OF_RESULTS[suffix(path)]] += 1


def test_the_report(inside):
    """No step reads it; `verify` compares it with the record of the run."""
    page = inside / "report/index.html"
    for _ in spoil(page, 16):
        assert f"{page} is not the file that the run left." in verification.verify(inside)
        TRIED[OF_RESULTS[".html"]] += 1


def test_files_of_models_that_were_recorded(inside):
    """A step that loads the model refuses it (`loading.folder_of`), whoever wrote its files."""
    of_models = [record for record in recorded(inside)["models"].values() if record["path"]]
    assert len(of_models) >= 3  # a local model, a planted one, a classifier
    for record in of_models:
        loading.folder_of(record)
        assert {"config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"} <= set(record["files"])
        for file in record["files"]:
            for _ in spoil(Path(record["path"], file), 12):
                assert refused(loading.folder_of, record), (record["path"], file)
                TRIED["files of models and classifiers, after they were recorded"] += 1


def test_files_of_a_model_before_it_is_recorded(inside):
    """Refused, or recorded as another model."""
    entry = config.Model(path=Path("tiny"), kind="masked").model_dump(mode="json")

    def described():
        records.check({"tiny": entry})
        return records.describe("tiny", entry, Path("tiny"), None)

    files = described()["files"]
    for file in files:
        for content in spoil(Path("tiny", file), 24):
            result = read(described)
            assert result is None or result["files"] != files, (file, content[:99])
            TRIED["files of a model of yours, before it is recorded"] += 1


@pytest.mark.parametrize(("kind", "check"), text_readers().items())
def test_lists_and_tables_of_people(tmp_path, kind, check):
    path = tmp_path / "file.csv"
    path.write_bytes(TABLES[kind])
    for _ in spoil(path, 24):
        read(check, path)  # no other error than one for people; what it gives is what such a file holds
        TRIED["word lists, templates, tables of sentences and regions"] += 1


@pytest.mark.parametrize("file", ["demo.yaml", "demo_full.yaml", "core.yaml"])
def test_configurations(tmp_path, file):
    path = tmp_path / file
    shutil.copy(Path("config") / file, path)
    for content in spoil(path, 40):
        read(config.load, {}, [path])
        TRIED["configurations (YAML)"] += 1
        try:
            values = yaml.safe_load(content)
        except (yaml.YAMLError, ValueError):  # Snakemake refuses it before us
            continue
        study = read(config.load, values, [path])
        assert study is None or isinstance(study, config.Study)


@pytest.mark.parametrize(("suffix", "content"), SUFFIXES.items(), ids=SUFFIXES)
def test_tables_of_texts(tmp_path, suffix, content):
    path = tmp_path / f"texts{suffix}"
    path.write_bytes(content)
    for _ in spoil(path, 40):
        table = read(sources._read_file, str(path))
        assert table is None or isinstance(table.index, pd.RangeIndex)
        TRIED["tables of texts of tasks (CSV, gzip, parquet)"] += 1


def test_lock_files(tmp_path):
    path = tmp_path / "models.lock.yaml"
    path.write_text("".join(f"org/model-{n}: {n:040x}\n" for n in range(4)))
    for _ in spoil(path, 40):
        pins = read(loading.read_lock, path)
        assert pins is None or all(isinstance(pin, str) for pin in pins.values())
        TRIED["lock files"] += 1


def test_records_of_snakemake_beside_the_results(study):
    """A dry run passes them over, or makes again what they were of."""
    kept = sorted(path for path in (study.folder / "results/.snakemake/metadata").rglob("*") if path.is_file())
    shutil.rmtree(study.folder / ".snakemake")  # as in a fresh clone
    for path in kept[:: len(kept) // 8][:8]:
        for content in spoil(path, 1):
            output = study.run("-n")
            assert "Traceback" not in output, content[:99]
            TRIED["Snakemake's records beside the results"] += 1


def test_the_page_says_what_was_tried():
    table = rows("docs/security.md", "what is damaged")
    settings = {what: tuple(map(int, numbers)) for what, *numbers in table}
    assert settings.keys() == TRIED.keys()
    for what, (tries, held) in settings.items():
        assert TRIED[what] >= tries == held, what  # a test above fails where one does not hold
    assert sum(TRIED.values()) >= 1000
