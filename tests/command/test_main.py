"""The command `herbarium`, in a clone: `python -m herbarium`."""

import errno
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.refusals import refused, tells
from tests.users import AS_ANYONE

import herbarium
from herbarium.command import studies
from herbarium.command.main import _QUANTITIES, main
from herbarium.core.places import CLONE, SNAKEFILE
from herbarium.models.kinds import Kind
from herbarium.scoring.quantities import QUANTITIES
from herbarium.study import config

TEXTS = ["People in Peru are weak.", "", 'A "quoted" word, and a comma.', "x " * 100]


def command(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(Path("workflow/scripts").absolute())}
    run = [sys.executable, "-m", "herbarium", *map(str, arguments)]
    return subprocess.run(run, env=environment, text=True, capture_output=True, **options)


def test_it_starts_without_what_takes_long_to_import():
    code = """
import sys
from herbarium.command.main import main
try:
    main(["--help"])
except SystemExit as end:
    assert not end.code
heavy = {"torch", "transformers", "snakemake", "pandas", "numpy", "pydantic", "yaml"} & sys.modules.keys()
assert not heavy, heavy
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": "workflow/scripts"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for name in ("score", "new", "run", "estimate", "doctor", "verify"):
        assert f"\n    {name} " in done.stdout


# --- score ---


def test_scores_of_lines_are_those_of_the_library(model_folder, tmp_path, capsys):
    """One row a line, whatever the line, in the digits of the library; what is refused says why."""
    file = tmp_path / "texts.txt"
    file.write_text("\n".join(TEXTS) + "\n")
    assert main(["score", str(model_folder("bert")), str(file), "--quantity", "pll"]) == 1
    printed = capsys.readouterr()
    text = pd.read_csv(io.StringIO(printed.out), keep_default_na=False, dtype=str)
    expected = herbarium.score(TEXTS, model_folder("bert"), "pll")
    assert text.columns.tolist() == ["text", "value", "note"]
    assert text["text"].tolist() == TEXTS
    assert text["value"].tolist() == ["" if pd.isna(value) else repr(float(value)) for value in expected]
    assert expected.isna().tolist() == [False, True, False, True]
    assert text["note"].str.startswith("refused").tolist() == expected.isna().tolist()
    assert tells(printed.err, None, 2, 4, "note")


@pytest.mark.slow
def test_it_scores_what_it_is_given_and_says_the_rest_on_standard_error(model_folder):
    done = command("score", model_folder("gpt2"), "-", input="People in Peru are weak.\n")
    assert done.returncode == 0, done.stderr
    header, row = done.stdout.splitlines()
    assert header == "text,value,note"
    value = herbarium.score(["People in Peru are weak."], model_folder("gpt2"), "ll", kind="causal").item()
    assert row == f"People in Peru are weak.,{value!r},"


def piped(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


WINDOWS = "\ufeffPeople in Peru are weak.\r\nLima\r\n".encode()


@pytest.mark.parametrize("content", [b"People in Peru are weak.\nLima\n", WINDOWS, WINDOWS.replace(b"\n", b"")])
def test_standard_input_is_read_as_a_file_is(model_folder, tmp_path, monkeypatch, capsys, content):
    (tmp_path / "texts").write_bytes(content)
    printed = []
    for place in (str(tmp_path / "texts"), "-"):
        piped(monkeypatch, content)
        assert main(["score", str(model_folder("bert")), place]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert pd.read_csv(io.StringIO(printed[1]))["text"].tolist() == ["People in Peru are weak.", "Lima"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("Peru\nPerú\n".encode("latin-1"), ", line 2: not UTF-8"),
        ("Peru\n".encode("utf-16"), ", line 1: this is UTF-16"),
        ("Peru\n".encode("utf-16-le"), ": it has zero bytes"),
        (b"Lima\nPe\x07ru\n", ", line 2: it has the control character U+0007"),
    ],
)
def test_what_a_file_may_not_have_standard_input_may_not_have(tmp_path, monkeypatch, capsys, content, why):
    (tmp_path / "texts").write_bytes(content)
    for place, called in ((str(tmp_path / "texts"), tmp_path / "texts"), ("-", "standard input")):
        piped(monkeypatch, content)
        assert main(["score", "not used", place]) == 1
        assert f"Error: {called}{why}" in capsys.readouterr().err


@pytest.mark.parametrize("quantity", _QUANTITIES)
def test_a_sentence_by_itself_has_each_quantity(model_folder, tmp_path, capsys, quantity):
    kind = "masked" if Kind.masked in QUANTITIES[quantity] else "causal"
    family = {"masked": "bert", "causal": "gpt2"}[kind]
    (tmp_path / "texts").write_text("People in Peru are weak.")
    given = [str(model_folder(family)), str(tmp_path / "texts"), "--quantity", quantity, "--kind", kind]
    assert main(["score", *given]) == 0
    assert np.isfinite(pd.read_csv(io.StringIO(capsys.readouterr().out))["value"].item())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no such folder", "-"], "'no such folder' is neither a folder here nor a hub id (organisation/name)."),
        (["org/name", "-"], "a hub model needs its commit"),
        (["MODEL", "no/such/file"], "no/such/file: no such file."),
        (["MODEL", "-", "--quantity", "ll"], "a masked model cannot give 'll'; a causal model can."),
    ],
)
def test_what_is_wrong_is_said_in_a_line(model_folder, capsys, monkeypatch, arguments, message):
    piped(monkeypatch, b"A cat.\n")
    status = main(
        ["score", *(str(model_folder("bert")) if argument == "MODEL" else argument for argument in arguments)]
    )
    captured = capsys.readouterr()
    assert (status, captured.out) == (1, "")
    assert captured.err.startswith("Error: ")
    assert message in captured.err


# --- new ---


def test_a_new_study_is_valid_and_takes_the_workflow_as_a_module(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my study"]) == 0
    assert "herbarium run" in capsys.readouterr().out
    assert {file.name for file in Path("my study").iterdir()} == {"config.yaml", "Snakefile", "README.md"}
    monkeypatch.chdir("my study")
    study = config.load(yaml.safe_load(Path("config.yaml").read_text()), ["config.yaml"])
    assert study.results == "results"
    assert study.herb.models == ["planted-none", "planted-strong"]
    assert study.herb.descriptions["occupation"] == CLONE / "resources/herb/descriptions/occupation.txt"
    assert Path(herbarium.SNAKEFILE) == Path(SNAKEFILE) == CLONE / "workflow/Snakefile"


def test_a_study_that_cannot_be_made_is_an_error_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    for name in ("file/study", "x" * 300):
        assert main(["new", name]) == 1
        assert re.fullmatch(f"Error: {name}.* cannot be made: .*\n", capsys.readouterr().err)


@pytest.mark.skipif(AS_ANYONE != [] and not shutil.which("setpriv"), reason="root may write anywhere")
@pytest.mark.slow
def test_a_study_in_a_folder_that_is_closed_is_an_error_in_one_line(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(0o555)
    done = subprocess.run(
        [*AS_ANYONE, sys.executable, "-m", "herbarium", "new", str(closed / "study")],
        env={**os.environ, "PYTHONPATH": "workflow/scripts"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr == f"Error: {closed / 'study'} cannot be made: Permission denied. Choose another folder.\n"


@pytest.mark.parametrize(("family", "kind"), [("bert", "masked"), ("gpt2", "causal"), ("bart", "seq2seq")])
def test_a_new_study_of_a_model_measures_it(tmp_path, monkeypatch, model_folder, family, kind):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine", "--model", str(model_folder(family))]) == 0
    monkeypatch.chdir("mine")
    study = config.load(yaml.safe_load(Path("config.yaml").read_text()), ["config.yaml"])
    assert (study.models["mine"].path, study.models["mine"].kind) == (model_folder(family), kind)
    assert study.results == "results"


def test_nothing_is_overwritten_and_nothing_is_made_in_part(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/config.yaml").write_text("mine\n")
    with refused("mine"):
        studies.make(tmp_path / "mine")
    assert (tmp_path / "mine/config.yaml").read_text() == "mine\n"
    with refused("not a model"):
        studies.make(tmp_path / "other", "not a model")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


# --- run ---


@pytest.mark.parametrize("subcommand", ["run", "estimate"])
def test_what_is_no_study_is_not_run(tmp_path, capsys, subcommand):
    assert main([subcommand, str(tmp_path)]) == 1
    assert f"{tmp_path}/Snakefile: no such file. `herbarium new" in capsys.readouterr().err


def test_only_what_starts_snakemake_takes_its_arguments(tmp_path, capsys):
    with pytest.raises(SystemExit) as end:
        main(["verify", str(tmp_path), "--", "-n"])
    assert end.value.code == 2
    assert "takes nothing after `--`" in capsys.readouterr().err


def test_verify_wants_the_record_of_a_run(tmp_path, capsys):
    assert main(["verify", str(tmp_path)]) == 1
    assert "run.json" in capsys.readouterr().err


LONG = "x" * 5000


@pytest.mark.parametrize(
    "arguments",
    [["score", LONG, "a"], ["score", "m", LONG], ["verify", LONG], ["new", LONG], ["run", LONG], ["sets", LONG]],
)
def test_a_name_that_is_too_long_is_an_error_in_one_line(capsys, arguments):
    assert main(arguments) == 1
    assert capsys.readouterr().err.startswith("Error: ")


def faults(fault):
    def run(_):
        raise fault

    return run


@pytest.mark.parametrize(
    ("fault", "fact"),
    [
        (MemoryError(), "not enough memory"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried …"), "not enough memory"),
        (ImportError("libtorch_cpu.so: failed to map segment from shared object"), "not enough memory"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left"),
        (OSError(errno.ENAMETOOLONG, "File name too long", LONG), "File name too long"),
        ("é".encode, "PYTHONIOENCODING"),
    ],
)
def test_what_the_machine_lacks_is_an_error_in_one_line(monkeypatch, capsys, fault, fact):
    run = faults(fault) if isinstance(fault, Exception) else lambda _: fault("ascii")
    monkeypatch.setattr("herbarium.command.main._doctor", run)
    assert main(["doctor"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert fact in line
    assert len(line) < 400


def test_a_fault_of_ours_is_a_traceback(monkeypatch):
    monkeypatch.setattr("herbarium.command.main._doctor", faults(ValueError("ours")))
    with pytest.raises(ValueError, match="ours"):
        main(["doctor"])


@pytest.mark.slow
def test_a_full_disk_and_a_closed_pipe_end_in_one_line():
    with open("/dev/full", "w") as full:
        run = [sys.executable, "-m", "herbarium", "sets"]
        environment = {**os.environ, "PYTHONPATH": "workflow/scripts"}
        done = subprocess.run(run, env=environment, text=True, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "No space left" in done.stderr
