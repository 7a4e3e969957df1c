"""One GPU, one job: with made-up names of GPUs, since what is locked is a name."""

import ast
import errno
import logging
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from tests.refusals import refused

from herbarium.models import devices

SCRIPTS = Path("workflow/scripts")
# Takes a GPU, leaves a file there that may be there only once, and lets go of both.
JOB = """
import logging, os, sys, time
from pathlib import Path
from herbarium.models import devices
logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
folder, gpus, seconds = Path(sys.argv[1]), sys.argv[2].split(","), float(sys.argv[3])
gpu = devices.take(gpus, folder)
busy = folder / f"{gpu}.busy"
busy.open("x").close()
print(gpu, flush=True)
time.sleep(seconds)
busy.unlink()
"""


@pytest.fixture
def start(tmp_path):
    """Starts jobs that want one of some GPUs; those that live on are killed in the end."""
    jobs = []

    def start(gpus, seconds, **environment):
        command = [sys.executable, "-c", JOB, str(tmp_path), gpus, str(seconds)]
        environment = {**os.environ, "PYTHONPATH": str(SCRIPTS.absolute()), **environment}
        jobs.append(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        )
        return jobs[-1]

    yield start
    for job in jobs:
        job.kill()
        job.communicate()


@pytest.mark.slow
def test_no_two_jobs_have_one_gpu_and_all_get_one(start):
    jobs = [start("a,b,c", 0.6) for _ in range(8)]
    ends = [job.communicate() for job in jobs]
    assert [job.returncode for job in jobs] == [0] * 8, ends  # a second one on a GPU finds its file there
    assert {out.strip() for out, _ in ends} == {"a", "b", "c"}
    assert any("Waiting for a GPU: other jobs have all 3." in end for _, end in ends)


@pytest.mark.slow
def test_a_killed_job_frees_its_gpu_and_the_next_one_gets_it(start, tmp_path):
    holder = start("a", 600)
    assert holder.stdout.readline() == "a\n"
    waiting = start("a", 0)
    assert waiting.stderr.readline() == "Waiting for a GPU: other jobs have the only one.\n"
    time.sleep(3 * devices._PAUSE)
    assert waiting.poll() is None
    (tmp_path / "a.busy").unlink()
    holder.kill()
    out, text = waiting.communicate()
    assert (out, waiting.returncode) == ("a\n", 0), text


def test_jobs_of_slurm_do_not_wait_for_one_another(start, tmp_path):
    # on two nodes, or in two containers of one, GPU 0 is not one GPU
    assert start("0", 600, SLURM_JOB_ID="1").stdout.readline() == "0\n"
    (tmp_path / "0.busy").unlink()
    assert start("0", 600, SLURM_JOB_ID="2").stdout.readline() == "0\n"
    (tmp_path / "0.busy").unlink()
    # several steps inside one job of Slurm do
    assert "Waiting for a GPU" in start("0", 0, SLURM_JOB_ID="1").stderr.readline()


GPUS = ["GPU-aaaa-1", "GPU-bbbb-2", "GPU-cccc-3"]


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """Gives a machine with some GPUs, whose driver tells their UUIDs if it is asked as documented."""

    def make(n, visible=None, told=True):
        command = tmp_path / "nvidia-smi"
        uuids = "".join(f"echo {gpu}\n" for gpu in GPUS)
        command.write_text(f'#!/bin/sh\n[ "$*" = "--query-gpu=uuid --format=csv,noheader" ] || exit 1\n{uuids}')
        command.chmod(0o755 if told else 0o644)
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setattr(torch.cuda, "device_count", lambda: n)
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        if visible is not None:
            monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)

    return make


@pytest.mark.parametrize(
    ("n", "visible", "expected"),
    [
        (3, None, GPUS),
        (2, "2,0", [GPUS[2], GPUS[0]]),
        (1, " 1", [GPUS[1]]),
        (1, "1,-1,0", [GPUS[1]]),  # CUDA stops at what is no GPU
        (1, "GPU-bbbb-2", [GPUS[1]]),
        (1, "GPU-bb", [GPUS[1]]),
        (0, "", []),
        (0, None, []),
    ],
)
def test_what_is_visible_goes_by_uuid(machine, n, visible, expected):
    machine(n, visible)
    assert devices.visible() == expected


def test_without_uuids_numbers_must_do(machine):
    machine(2, "3,1", told=False)
    assert devices.visible() == ["3", "1"]


def test_parts_of_a_gpu_are_taken_one_by_one(machine, monkeypatch):
    machine(1, "MIG-x,MIG-y")
    monkeypatch.setattr(torch.cuda, "device_count", never)
    assert devices.visible() == ["MIG-x", "MIG-y"]


def never(*_, **__):
    raise AssertionError("CUDA was touched")


@pytest.fixture
def no_cuda(monkeypatch):
    for function in ("is_available", "device_count", "init", "get_device_name", "current_device"):
        monkeypatch.setattr(torch.cuda, function, never)


def test_a_job_without_gpu_never_touches_one(machine, no_cuda, monkeypatch, caplog):
    monkeypatch.setattr(devices, "visible", never)
    monkeypatch.setattr(devices, "take", never)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    with caplog.at_level(logging.INFO, "herbarium"):
        assert devices.choose(0) == "cpu"
    assert os.environ["CUDA_VISIBLE_DEVICES"] == ""  # whatever a library does then, it finds none
    assert devices.name("cpu").startswith("CPU (")
    assert "Running on the CPU" in caplog.text
    assert "this job takes no GPU" in caplog.text


NAME = "import torch; from herbarium.models import devices; print(devices.name('cpu'))"


def name_with(**environment):
    """The name of the CPU to a process of its own: kernels are chosen as PyTorch is loaded."""
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS.absolute()), **environment}
    return subprocess.run([sys.executable, "-c", NAME], capture_output=True, text=True, env=environment).stdout.strip()


@pytest.mark.nightly
def test_the_name_of_a_cpu_says_what_its_kernels_are_chosen_by():
    usual = devices.name("cpu")
    assert torch.backends.cpu.get_cpu_capability() in usual
    for flag in ("avx2", "avx512_bf16", "amx_bf16"):
        assert (flag in usual.split("(")[1].rstrip(")").split()) == bool(torch.cpu.get_capabilities().get(flag))
    plain = name_with(ATEN_CPU_CAPABILITY="default")
    assert plain != usual
    assert plain.endswith(", ATEN_CPU_CAPABILITY=default")
    capped = {"ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
    assert name_with(**capped) == f"{usual}, ONEDNN_MAX_CPU_ISA=AVX2, MKL_ENABLE_INSTRUCTIONS=AVX2"


@pytest.mark.parametrize(
    ("message", "vendor"),
    [
        ("processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t: 1\n", "AuthenticAMD"),
        ("processor\t: 0\nCPU implementer\t: 0x41\n", "0x41"),
        ("nothing", "Elsewhere"),
    ],
)
def test_the_vendor_of_a_cpu(monkeypatch, message, vendor):
    monkeypatch.setattr(devices.Path, "read_text", lambda *_, **__: message)
    monkeypatch.setattr(devices.platform, "system", lambda: "Elsewhere")
    assert f"CPU ({vendor} " in devices.name("cpu")


def test_a_job_narrows_down_what_is_visible_before_cuda_starts(machine, monkeypatch, tmp_path):
    machine(3, "1,2")
    monkeypatch.setattr(devices.tempfile, "tempdir", str(tmp_path))
    seen = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: seen.append(os.environ["CUDA_VISIBLE_DEVICES"]) or True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "NVIDIA T")
    assert devices.choose(1) == "cuda"
    assert seen == ["GPU-bbbb-2"]


def test_a_gpu_that_is_not_there_is_said(machine, caplog):
    machine(0)
    with caplog.at_level(logging.INFO, "herbarium"):
        assert devices.choose(1) == "cpu"
    assert "Running on the CPU" in caplog.text
    assert "CUDA finds no GPU" in caplog.text


def test_a_folder_of_locks_that_is_not_ones_own_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(devices.tempfile, "tempdir", str(tmp_path))
    rows = devices.lock_folder()
    assert rows == devices.lock_folder()  # a second time it is there
    assert rows.stat().st_mode & 0o777 == 0o700
    rows.rmdir()
    rows.symlink_to(tmp_path)
    with refused(rows.name, "TMPDIR"):
        devices.lock_folder()


ON_GPU = [path for path in sorted(SCRIPTS.glob("*.py")) if "devices.choose(" in path.read_text()]


@pytest.mark.parametrize("script", ON_GPU, ids=lambda path: path.stem)
def test_a_script_takes_its_device_before_anything_can_start_cuda(script):
    asked = []
    for node in ast.walk(ast.parse(script.read_text())):
        if isinstance(node, ast.Call):
            asked.append((node.lineno, node.col_offset, ast.unparse(node.func), [*map(ast.unparse, node.args)]))
    line, _, _, arguments = next(call for call in asked if call[2] == "devices.choose")
    rule = (
        next(
            text
            for file in Path("workflow/rules").glob("*.smk")
            for text in [file.read_text()]
            if f"rule {script.stem}:" in text
        )
        .partition(f"rule {script.stem}:")[2]
        .partition("\nrule ")[0]
    )
    assert arguments == (["snakemake.resources.gpu"] if "gpu=" in rule else ["0"])
    loading = ("models.", "classifiers.", "scoring.", "planning.", "tasks.", "perturbation.")
    assert not [call for call in asked if call[0] < line and call[2].startswith(loading)]


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EINVAL, errno.EIO, errno.ENOLCK, errno.EOPNOTSUPP])
def test_without_locks_a_job_takes_a_gpu_and_says_so(tmp_path, monkeypatch, caplog, number):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", refuse)
    assert devices.take(["a", "b"], tmp_path) in ("a", "b")
    assert "has no locks" in caplog.text
    assert os.strerror(number) in caplog.text
    assert "TMPDIR" in caplog.text
