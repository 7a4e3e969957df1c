"""The environment: what is pinned is what is installed, by pip and by conda alike, and R answers."""

import importlib.metadata
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from herbarium.core import provenance
from herbarium.study import targets

PINS = dict(re.findall(r"^([\w.-]+)==(\S+)$", Path("envs/constraints.txt").read_text(), re.MULTILINE))
# What a rule names, or what workflow/Snakefile gives it.
ENVIRONMENTS = {
    match[1]: "scoring.yaml" if "gpu=" in match[2] or "envs/scoring.yaml" in match[2] else "analysis.yaml"
    for file in Path("workflow/rules").glob("*.smk")
    for match in re.finditer(r"^rule (\w+):\n((?:    .*\n|\n)+)", file.read_text(), re.MULTILINE)
    if "    script:" in match[2]
}


def test_installed_packages_are_the_pinned_ones():
    assert len(PINS) > 50
    assert {name: importlib.metadata.version(name) for name in PINS} == PINS


def test_direct_requirements_are_all_pinned():
    wanted = re.findall(r"^([\w.-]+)", Path("envs/requirements.in").read_text(), re.MULTILINE)
    assert {name.lower().replace("_", "-") for name in wanted} <= PINS.keys()


@pytest.mark.parametrize("file", sorted(Path("envs").glob("*.yaml")), ids=str)
def test_conda_environments_hold_the_same_versions(file):
    packages = yaml.safe_load(file.read_text())["dependencies"]
    (by_pip,) = (entry["pip"] for entry in packages if isinstance(entry, dict))
    torch = re.search(r"^TORCH=(\S+)", Path("envs/setup.sh").read_text(), re.MULTILINE)[1]
    for package in by_pip:
        if package != "-r constraints.txt":
            name, version = package.split("==")
            assert version == ({**PINS, "torch": torch})[name], package


def test_conda_environments_with_r_hold_the_packages_of_the_set_up():
    wanted = re.search(r"^R_PACKAGES=\((.*)\)", Path("envs/setup.sh").read_text(), re.MULTILINE)[1].lower().split()
    for name in ("analysis", "herbarium"):
        packages = yaml.safe_load(Path(f"envs/{name}.yaml").read_text())["dependencies"]
        in_r = {package.split("=")[0] for package in packages if isinstance(package, str) and package.startswith("r-")}
        assert in_r == {"r-base", *(f"r-{package}" for package in wanted)}


@pytest.mark.parametrize(("given", "build"), [("", "cpu"), ("cuda", "cuda")])
def test_a_machine_without_a_gpu_can_be_set_up_for_those_that_have_one(given, build):
    line = re.search(r"^TORCH_BUILD=.*$", Path("envs/setup.sh").read_text(), re.MULTILINE)[0]
    path = {"PATH": "/nowhere"} | ({"HERBARIUM_TORCH": given} if given else {})
    done = subprocess.run([shutil.which("bash"), "-euc", f"{line}; echo $TORCH_BUILD"], env=path, capture_output=True)
    assert done.stdout.decode() == f"{build}\n"


def test_the_set_up_shows_that_it_goes_on_and_passes_failures_on():
    shell = ["bash", "-euc", "source envs/apt.sh; sleep() { command sleep 0.01; }; busy $0 $1 $2; echo after"]
    slow = subprocess.run([*shell, "command", "sleep", "0.8"], capture_output=True, text=True)
    assert (slow.returncode, slow.stdout) == (0, "after\n")
    assert "   15 s\n" in slow.stderr
    failing = subprocess.run([*shell, "bash", "-c", "false"], capture_output=True, text=True)
    assert (failing.returncode, failing.stdout) == (1, "")


spec = importlib.util.spec_from_file_location("audit", "envs/audit.py")
audit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(audit)


def test_the_audit_asks_for_every_pin():
    assert re.findall(r"^[\w.-]+==\S+$", audit.pins(), re.MULTILINE)[:-1] == [
        f"{name}=={pin}" for name, pin in PINS.items()
    ]
    assert re.search(r"^torch==[\d.]+$", audit.pins(), re.MULTILINE)


FINE = {"name": "a", "version": "1", "vulns": []}
UNKNOWN = {"name": "b", "skip_reason": "not found"}
BAD = {"name": "c", "version": "2", "vulns": [{"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["3"]}]}


@pytest.mark.parametrize(
    ("packages", "message", "status"),
    [
        ([FINE], "audit: 1 packages, 0 known vulnerabilities.", 0),
        ([FINE, BAD], "c 2: PYSEC-1, CVE-1; fixed in 3.\naudit: 2 packages, 1 known vulnerabilities.", 1),
        ([FINE, UNKNOWN], "The service does not know b.\naudit: 1 packages, 0 known vulnerabilities.", 0),
        (
            [UNKNOWN],
            "audit: skipped: the service that knows vulnerabilities cannot be reached.",
            2,
        ),  # knows none: is none
    ],
)
def test_the_audit_says_what_is_known(packages, message, status):
    assert audit.verdict(json.dumps({"dependencies": packages, "fixes": []})) == (message, status)


def test_an_audit_without_an_answer_is_no_good_news():
    text, status = audit.verdict("Traceback")
    assert "skipped" in text
    assert status == 2


def test_an_audit_that_cannot_be_installed_does_not_pass(monkeypatch):
    monkeypatch.setattr(audit.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1))
    assert audit.main() == 2


@pytest.mark.slow
def test_lme4_answers():
    lme4 = "suppressMessages(library(lmerTest)); cat(class(lmer(Reaction ~ Days + (1 | Subject), lme4::sleepstudy)))"
    done = subprocess.run(["Rscript", "-e", lme4], capture_output=True, text=True, check=True)
    assert done.stdout == "lmerModLmerTest"


@pytest.fixture
def bare_machine(tmp_path):
    """The set-up, and a PATH with nothing but what every Linux has: no R, no apt-get, no sudo."""
    shutil.copytree("envs", tmp_path / "envs")
    (tmp_path / "bin").mkdir()
    for tool in ("bash", "cat", "cut", "dirname", "sha256sum", "python3", "gcc", "git"):
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool))

    def command(name, text):
        path = tmp_path / "bin" / name
        path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
        path.chmod(0o755)

    def setup():
        environment = {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}
        return subprocess.run(["bash", "envs/setup.sh"], cwd=tmp_path, env=environment, capture_output=True, text=True)

    return command, setup


def test_a_machine_without_apt_is_told_how_conda_does_it(bare_machine):
    _, setup = bare_machine
    done = setup()
    assert done.returncode == 1
    assert "has no apt-get" in done.stderr
    assert "r-cran-lme4" in done.stderr
    assert "conda env create -n herbarium -f envs/herbarium.yaml" in done.stderr


def test_a_user_who_is_not_root_is_told_what_root_must_install(bare_machine):
    command, setup = bare_machine
    command("apt-get", "exit 0")
    command("id", "echo 1000")
    done = setup()
    assert done.returncode == 1
    assert "takes root. Run once as root: apt-get install r-cran-lme4" in done.stderr
    assert "conda env create" in done.stderr


IMPORTED_AS = {
    "yaml": "pyyaml",
    "jinja2": "jinja2",
    "markupsafe": "jinja2",
    "PIL": "pillow",
    "huggingface_hub": "transformers",
    "tokenizers": "transformers",
    "sklearn": "scikit-learn",
    "umap": "umap-learn",
}


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "environment"), sorted(ENVIRONMENTS.items()))
def test_a_rules_environment_has_what_its_script_imports(rule, environment):
    packages = yaml.safe_load(Path("envs", environment).read_text())["dependencies"]
    (by_pip,) = (entry["pip"] for entry in packages if isinstance(entry, dict))
    there = {package.split("==")[0] for package in by_pip}
    script = Path("workflow/scripts", f"{rule}.py")
    # what a rule of all metrics calls
    calls = [
        name for metric in targets.DECLARED.values() for step, names in metric.calls() if step == rule for name in names
    ]
    for file in provenance.closure(script if script.exists() else script.with_name("take_step.py"), calls=calls):
        for name in provenance.imported_names(file):
            top = name.split(".")[0]
            if top not in sys.stdlib_module_names and top != "herbarium":
                assert IMPORTED_AS.get(top, top) in there, f"{file} imports {top}"
