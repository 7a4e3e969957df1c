"""A copy of the project to run, edit and spoil."""

import atexit
import compileall
import contextlib
import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import ClassVar

import pytest
import yaml
from tests import warm

from herbarium.core import provenance

ROOT = Path(__file__).parents[2]
# What a run leaves in the results that says when it was, or how long something took.
OF_THE_RUN = ("work/logs/", "work/benchmarks/", "work/probes/", "work/answers/", ".snakemake/")
MEMO = ".snakemake/herbarium/code.json"  # where workflow/rules/configuration.smk has it
PARTS = ("Snakefile", "CITATION.cff", "workflow", "config", "resources", "profiles", "envs")
STUDY = {
    "results": "results",
    "seed": 3,
    "shards": 2,
    "models": {"tiny": {"path": "tiny", "kind": "masked"}},
    "regions": {"table": "regions.csv"},
    "herb": {
        "descriptions": {"mind": "words/mind.txt", "body": "words/body.txt"},
        "bootstrap": {"replicates": 20},
        "map_description": "weak",
    },
}
# Without the padded sentences of the released code, which are stimuli of their own.
HERB = {**STUDY["herb"], "released": {"pad_mean": False}}
REGIONS = """region,parent,level,name,iso2
earth,,earth,the Earth,
a,earth,continent,America,
o,earth,continent,Oceania,
pe,a,country,Peru,PE
ca,a,country,Canada,CA
nz,o,country,New Zealand,NZ
fj,o,country,Fiji,FJ
li,pe,city,Lima,
cu,pe,city,Cusco,
ot,ca,city,Ottawa,
"""


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def rows(page: str, head: str) -> list[list[str]]:
    """The rows of the Markdown table of a page whose head begins so."""
    table = text_of(page).partition(f"\n| {head} |")[2].partition("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def reruns() -> dict[str, tuple[str, set[str]]]:
    """What reruns.md, here, says of each thing that one can edit: an example, and the rules that run again."""
    words = {word: set(re.findall(r"`(\w+)`", rules)) for word, rules in rows("tests/workflow/reruns.md", "word")}
    words["nothing"] = set()
    reasons = {}
    for what, example, again in rows("tests/workflow/reruns.md", "what you edit"):
        named = [{word.strip("`")} if word.startswith("`") else words[word] for word in again.split(", ")]
        reasons[what.partition(":")[0]] = example, set().union(*named)
    return reasons


@cache
def rules_parsed() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="herbarium-rules-")
    atexit.register(folder.cleanup)
    return Path(folder.name) / "parsed.pickle"


class Again:
    """Snakemake in a folder, for as long as its library is as it was: see again.py. Few of them run at a time."""

    running: ClassVar[list["Again"]] = []

    def __init__(self, folder: Path):
        while len(self.running) > 2:
            self.running.pop(0).process.communicate()
        self.running.append(self)
        self.folder, self.library, self.environment = folder, library_of(folder), surroundings()
        environment = {**os.environ, "PYTHONPATH": "", "HERBARIUM_PYTHON": warm.python()}
        given = rules_parsed(), warm.FOLDER, sys.executable, json.dumps(environment)
        self.process = subprocess.Popen(
            [warm.python(), Path(__file__).with_name("again.py"), *given],
            cwd=folder,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        atexit.register(self.process.communicate)

    def is_as_it_was(self) -> bool:
        return self.environment == surroundings() and self.library == library_of(self.folder)

    def call(self, arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess:
        with tempfile.NamedTemporaryFile() as output:
            print(json.dumps([arguments, environment, output.name]), file=self.process.stdin, flush=True)
            status = int(self.process.stdout.readline())
            return subprocess.CompletedProcess(arguments, status, output.read().decode())


def surroundings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


def library_of(folder: Path) -> dict[Path, bytes]:
    """The code of a copy, which a process that has imported it goes on to run."""
    return {path: path.read_bytes() for path in (folder / "workflow/scripts").rglob("*.py")}


class Project:
    """A copy of the project with a small study of its own. warm: whether Python starts warm (workflow/warm/)."""

    warm = True

    def __init__(self, folder: Path):
        self.folder = folder

    @cached_property
    def again(self) -> Again:
        return Again(self.folder)

    def can_run_again(self) -> bool:
        """Whether what runs in its folder is as it is there now."""
        if "again" in vars(self) and self.again not in Again.running:
            del self.again
        return self.again.is_as_it_was()

    def write(self, file: str, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, file: str, old: str, new: str) -> None:
        text = (self.folder / file).read_text(encoding="utf-8")
        assert old in text
        self.write(file, text.replace(old, new))

    def configure(self, **changes) -> None:
        self.write("study.yaml", yaml.safe_dump({**STUDY, **changes}, sort_keys=False))

    def snakemake(
        self,
        *arguments: str,
        config: str = "study.yaml",
        cores: int = 1,
        before: Sequence[str] = (),
        own_server: bool = False,
        **environment: str,
    ) -> subprocess.CompletedProcess:
        """cores: one, as another process of tests has the other; with two, jobs and threads of both would wait for
        each other. own_server: whether jobs start warm in this environment. In one that libraries read at their import,
        forks of the server that all tests share would start anew, each in seconds."""
        command = ["snakemake"]
        given = ["--cores", str(cores), "--resources", "gpu=1", "--configfile", config]
        if self.warm and not (own_server or before or environment) and self.can_run_again():
            environment = {**os.environ, "PYTHONPATH": "", "HERBARIUM_PYTHON": warm.python()}
            return self.again.call([shutil.which("snakemake"), *arguments, *given], environment)
        if own_server:
            command = [sys.executable, str(warm.FOLDER / "run.py"), *command]
        elif self.warm and not before:  # what stands before it would not reach a fork
            command = [warm.python(), shutil.which("snakemake")]
            environment = {"HERBARIUM_PYTHON": warm.python(), **environment}
        return self._execute([*before, *command, *arguments, *given], environment)

    def _execute(self, command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess:
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": "", **environment},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, *arguments: str, **options) -> str:
        done = self.snakemake(*arguments, **options)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def fails(self, *arguments: str, **options) -> str:
        done = self.snakemake(*arguments, **options)
        assert done.returncode != 0, done.stdout
        return done.stdout

    def follow(self, command: str) -> None:
        """Run a command of a page as it stands there; its jobs start warm."""
        done = self._execute(shlex.split(command), {"HERBARIUM_PYTHON": warm.python()})
        assert done.returncode == 0, done.stdout

    def results(self) -> dict[str, Path]:
        """Every file of the results by its place, but those of the hour."""
        root = self.folder / "results"
        files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
        return {place: path for place, path in files.items() if not place.startswith(OF_THE_RUN)}

    def jobs(self, *arguments: str) -> dict[str, int]:
        """Rules that a run would execute now, with the number of their jobs."""
        return self.stats(self.run("-n", *arguments))

    def summary(self) -> dict[str, tuple[str, list[str]]]:
        """Every output of the study: its rule, and the files that its job reads."""
        text = self.run("--detailed-summary").partition("output_file")
        table = csv.DictReader(io.StringIO(text[1] + text[2]), delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["output_file"]: (row["rule"], row["input-file(s)"].split(",")) for row in table if row["rule"]}

    def rules_of(self, file: str, old: str, new: str) -> set[str]:
        """The rules whose code an edit changes, as workflow/rules/helpers.smk has Snakemake notice it."""
        scripts = self.folder / "workflow/scripts"
        reached = [script for script in scripts.glob("*.py") if self.folder / file in provenance.closure(script)]
        beside = (self.folder / file).suffix != ".py"  # a template, which modules in its folder may name
        reached = [*scripts.glob("*.py")] if beside else reached
        before = {script.stem: provenance.code_hash(script) for script in reached}
        with changed(self, file, old, new):
            return {script.stem for script in reached if provenance.code_hash(script) != before[script.stem]}

    @staticmethod
    def stats(output: str) -> dict[str, int]:
        counts = output.partition("Job stats:")[2].partition("\ntotal")[0]
        return {rule: int(n) for rule, n in re.findall(r"^(\w+) +(\d+)$", counts, re.MULTILINE)}


# Rules whose inputs are `ancient`: only their own code runs them again.
FOR_THEMSELVES = {"tune_scoring"}


def after(outputs: dict[str, tuple[str, list[str]]], rules: set[str]) -> set[str]:
    """The rules that have a job of some rules, or one that comes after such a job. outputs: of `Project.summary`."""
    made = {file for file, (rule, _) in outputs.items() if rule in rules}
    others = {file: inputs for file, (rule, inputs) in outputs.items() if rule not in FOR_THEMSELVES}
    while new := {file for file, inputs in others.items() if not made.isdisjoint(inputs)} - made:
        made |= new
    return {outputs[file][0] for file in made}


@contextlib.contextmanager
def changed(project: Project, file: str, old: str, new: str):
    """An edit that is taken back."""
    path = project.folder / file
    before, times = path.read_bytes(), path.stat()
    project.edit(file, old, new)
    try:
        yield
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@cache
def worked_out() -> Path:
    """The clone's memo of the hashes of its code (`provenance.code_hashes`). It and what Python compiles hold for every
    copy until that is edited, and take seconds to make."""
    scripts, memo = ROOT / "workflow/scripts", ROOT / MEMO
    compileall.compile_dir(scripts, quiet=2)
    provenance.code_hashes(scripts, scripts, memo)
    return memo


def copy_project(folder: Path) -> Project:
    folder.mkdir(exist_ok=True)
    memo = worked_out()
    for part in PARTS:
        source, target = ROOT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    (folder / MEMO).parent.mkdir(parents=True)
    shutil.copy(memo, folder / MEMO)
    project = Project(folder)
    project.configure()
    project.write("regions.csv", REGIONS)
    project.write("words/mind.txt", "weak\nwise\n")
    project.write("words/body.txt", "weak\nhard-working\nloud\n")
    return project


@pytest.fixture(scope="session")
def untouched(tmp_path_factory, model_folder):
    """A copy with the tiny BERT as its model, and what its files were."""
    made = copy_project(tmp_path_factory.mktemp("project") / "a study")  # with a space in its path
    shutil.copytree(model_folder("bert"), made.folder / "tiny")
    files = [path for path in made.folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return made, {path: (path.stat(), path.read_bytes()) for path in files}


@pytest.fixture
def project(untouched):
    """A copy in which nothing has run: one for all tests, whose files are put back before each."""
    made, files = untouched
    for path in sorted(made.folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in files and path.suffix != ".pyc":
            path.unlink()
    for path, (state, content) in files.items():
        if not path.exists() or (path.stat().st_mtime_ns, path.stat().st_size) != (state.st_mtime_ns, state.st_size):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    return made


@pytest.fixture(scope="module")
def finished(tmp_path_factory, model_folder):
    """A copy whose study has run; the tests of a module share it and put back what they change."""
    made = copy_project(tmp_path_factory.mktemp("run"))
    shutil.copytree(model_folder("bert"), made.folder / "tiny")
    made.log = made.run()
    return made
