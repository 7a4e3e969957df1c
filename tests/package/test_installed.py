"""An installed wheel, far from any clone: a study is made, run and verified by the command alone."""

import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import venv
from pathlib import Path

import pandas as pd
import pytest
from tests.package.conftest import ROOT, pip
from tests.pages import SHELL, blocks
from tests.users import AS_NOBODY, NOBODY

import herbarium
from herbarium.core import provenance, store

pytestmark = pytest.mark.nightly  # installs, and runs a small study (two minutes)

LIST = "resources/sentence_sets/pronouns/sentences.csv"
TINY = f"""
seed: 1
shards: 1
models: {{tiny: {{planted: 2.0, kind: masked}}}}
testbed: {{steps: 10, batch_size: 16}}
sentence_sets:
  pronouns: {{table: {LIST}, models: [tiny], quantity: slot, sides: [he, she], unit: occupation}}
mixed_models: {{engine: none}}
"""


def files(folder):
    contents = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {path: content for path, content in contents.items() if path.suffix != ".pyc"}


class Installed:
    """A plain environment: the wheel in the same folder as all that this environment has, without the clone or its
    paths. If root runs the tests, another user works in it, whom the system does not know."""

    def __init__(self, folder, wheel):
        self.folder = folder / "my work"
        self.folder.mkdir()
        venv.create(folder / "env", symlinks=True)
        self.bin = folder / "env/bin"
        done = subprocess.run(
            [self.bin / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True,
            text=True,
        )
        self.packages = Path(done.stdout.strip())
        for package in Path(sysconfig.get_path("purelib")).iterdir():
            if "herbarium" not in package.name:
                (self.packages / package.name).symlink_to(package)
        pip("install", "-q", "--no-deps", wheel, python=self.bin / "python")
        self.files = files(self.packages)
        self.as_user = AS_NOBODY if os.geteuid() == 0 and shutil.which("setpriv") else []

    def run(self, *command, folder=None):
        if self.as_user:
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        without = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "SNAKEMAKE_PROFILE", "XDG_CACHE_HOME"}
        environment = {name: value for name, value in os.environ.items() if name not in without}
        path = f"{self.bin}{os.pathsep}{environment['PATH']}"
        return subprocess.run(
            [*self.as_user, *map(str, command)],
            cwd=folder or self.folder,
            env={**environment, "PATH": path, "HOME": str(self.folder)},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def python(self, code):
        return self.run(self.bin / "python", "-c", code)

    def herbarium(self, *arguments, status=0, **options):
        done = self.run(self.bin / "herbarium", *arguments, **options)
        assert done.returncode == status, done.stdout
        return done.stdout


@pytest.fixture(scope="module")
def installed(wheel):
    with tempfile.TemporaryDirectory() as folder:  # pytest's own is closed to other users
        Path(folder).chmod(0o755)
        yield Installed(Path(folder), wheel)


@pytest.fixture(scope="module")
def finished(installed, model_folder):
    """A folder in which every command of docs/command.md has run, in its order, on a tiny study and model."""
    page = blocks(ROOT / "docs/command.md")
    (texts,) = [block for block in page if block.file == "texts.txt"]
    (installed.folder / "texts.txt").write_text(texts.text)
    shutil.copytree(model_folder("bert"), installed.folder / "models/mine")
    installed.study = installed.folder / "my-study"
    installed.said = {}
    for line in [line for block in page if block.language in SHELL for line in block.text.splitlines()]:
        done = installed.run("bash", "-c", line)
        assert done.returncode == 0, f"{line}\n{done.stdout}"
        installed.said[line] = done.stdout
        if line.startswith("herbarium new"):
            (installed.study / "config.yaml").write_text(TINY)
    return installed


def test_the_library_is_the_installed_one(installed):
    done = installed.python("import herbarium; print(herbarium.__file__, herbarium.SNAKEFILE, sep='\\n')")
    library, snakefile = map(Path, done.stdout.splitlines())
    assert library == installed.packages / "herbarium/__init__.py"
    assert snakefile == installed.packages / "herbarium/clone/workflow/Snakefile"
    assert snakefile.is_file()


def test_the_doctor_finds_what_this_environment_has(finished):
    text = finished.said["herbarium doctor"]
    assert f"workflow in {finished.packages}/herbarium/clone\n" in text
    assert re.search(r"^ok +torch +\d", text, re.MULTILINE)
    assert text.endswith("Studies can run.\n")


def test_sentences_are_scored(finished, model_folder):
    texts = (finished.folder / "texts.txt").read_text().splitlines()
    scores = pd.read_csv(finished.folder / "scores.csv", dtype=str)
    assert scores["text"].tolist() == texts
    assert scores["value"].astype(float).tolist() == herbarium.score(texts, model_folder("bert")).tolist()


def test_a_study_ends_in_its_page(finished):
    text = finished.said["herbarium run my-study"]
    assert f"Page: {finished.study}/results/report/index.html\n" in text
    assert "] 1 of " in text  # a line as a job starts, as where the workflow is no module
    assert (finished.study / "results/report/index.html").is_file()
    summary = store.read_frame(finished.study / "results/summary.parquet", "tidy")
    assert set(summary["model"]) == {"tiny"}
    assert "Nothing to be done" in finished.said["herbarium run my-study -- -n"]
    assert (finished.study / "results/estimate.txt").is_file()


def test_its_record_is_as_that_of_a_clone(finished):
    """Shipped lists by their names there and their contents, and the code by its hash."""
    record = store.read_record(finished.study / "results/run.json")
    given = {name: checksum for file in record["files"].values() for name, checksum in file["inputs"].items()}
    assert given[LIST] == provenance.text_hash(ROOT / LIST)
    assert record["study"]["sentence_sets"]["pronouns"]["table"] == LIST
    assert str(finished.packages) not in (finished.study / "results/run.json").read_text()
    scripts = ROOT / "workflow/scripts"
    code = {made_file["rule"]: made_file["code"] for made_file in record["files"].values()}
    assert {"train_testbed", "score_shard", "write_report"} <= code.keys()
    for rule, hashed in code.items():
        assert hashed == provenance.code_hash(scripts / f"{rule}.py"), rule


def test_verify_notices_what_changed(finished):
    assert "Everything in results is as its record says." in finished.said["cd my-study && herbarium verify"]
    summary = finished.study / "results/summary.csv"
    before = summary.read_bytes()
    summary.write_bytes(before + b"\n")
    text = finished.herbarium("verify", status=1, folder=finished.study)
    assert "results/summary.csv is not the file that the run left." in text
    summary.write_bytes(before)


def test_results_of_another_version_are_made_again_where_its_code_differs(finished):
    older = finished.folder / "copied/study"
    shutil.copytree(finished.study, older, ignore=shutil.ignore_patterns(".snakemake"))
    shutil.copytree(finished.study / "results/.snakemake", older / "results/.snakemake")
    assert "Nothing to be done" in finished.herbarium("run", older, "--", "-n")
    numbers = finished.packages / "herbarium/metrics/sentence_sets/numbers.py"
    before = numbers.read_text()
    numbers.write_text(before + "\nimport csv\n")
    told = finished.herbarium("run", older, "--", "-n")
    numbers.write_text(before)
    jobs = dict(re.findall(r"^(\w+) +(\d+)$", told, re.MULTILINE))
    assert jobs["measure_sentence_sets"] == "1"
    assert not {"train_testbed", "plan_scoring", "score_shard"} & jobs.keys()


def test_nothing_was_written_into_the_package(finished):
    assert files(finished.packages) == finished.files
