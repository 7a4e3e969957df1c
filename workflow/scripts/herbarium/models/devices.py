"""Devices: what a job runs on. No two jobs of a user share a GPU.

Snakemake counts GPUs but assigns no ids, so each job takes one itself: it locks the file of that GPU, in one folder per
user and machine, whatever the study. The kernel releases a lock however its process ends.
"""

import fcntl
import os
import platform
import re
import stat
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from herbarium.core.console import log
from herbarium.core.errors import HerbariumError

CPU, CUDA = "cpu", "cuda"
# What PyTorch's libraries (ATen, oneDNN, MKL) choose their CPU kernels by, and thereby how sums are rounded.
_INSTRUCTIONS = (
    *("avx2", "fma3", "avx512_f", "avx512_vnni", "avx512_bf16", "avx512_fp16", "avx10_1", "avx10_2"),
    *("amx_bf16", "amx_fp16", "asimd", "neon", "sve", "sve2", "bf16"),
)
_OVERRIDES = (
    *("ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "ONEDNN_CPU_ISA_HINTS"),
    *("ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE", "TORCH_MKLDNN_MATMUL_MIN_DIM"),
    *("MKL_ENABLE_INSTRUCTIONS", "MKL_CBWR", "MKL_DEBUG_CPU_TYPE"),
)
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_PAUSE = 0.5  # seconds between two checks for a free GPU


def choose(gpus: int) -> str:
    """The device of a job: "cuda" for a GPU that is its own until its process ends, else "cpu".

    gpus: how many it may use, 0 or 1. Call it before anything starts CUDA, which reads only once what is visible.
    Waits for as long as every GPU is taken.
    """
    if not gpus:
        os.environ[_VISIBLE] = ""  # so that no library finds one on its own
        return _cpu("this job takes no GPU")
    if gpus_here := visible():
        os.environ[_VISIBLE] = take(gpus_here, lock_folder())
    return available()


def available() -> str:
    """The device "cuda" if a GPU is visible, even if others use it, else "cpu". Products of float32 are exact."""
    import torch

    if not torch.cuda.is_available():
        return _cpu("CUDA finds no GPU")
    log.info("Running on %s.", name(CUDA))
    torch.backends.cuda.matmul.allow_tf32 = False
    # partial sums stay float32, so that a product does not depend on how it was split
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    return CUDA


def _cpu(why: str) -> str:
    import torch

    log.info("Running on the CPU (%d threads): %s.", torch.get_num_threads(), why)
    return CPU


def name(device: str) -> str:
    """The model of a device, as records name it: what is measured on one holds for others of that name.

    For a CPU, it is what its kernels are chosen by: vendor, instructions, and overrides in the environment.
    """
    import torch

    if device == CUDA:
        return torch.cuda.get_device_name()
    able = torch.cpu.get_capabilities()
    instructions = [able.get("architecture") or platform.machine(), torch.backends.cpu.get_cpu_capability()]
    instructions += [instruction for instruction in _INSTRUCTIONS if able.get(instruction)]
    overrides = [f"{key}={os.environ[key]}" for key in _OVERRIDES if key in os.environ]
    return ", ".join([f"CPU ({_vendor()} {' '.join(instructions)})", *overrides])


def _vendor() -> str:
    """The maker of the processor, if the system says it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.system()
    match = re.search(r"^(?:vendor_id|CPU implementer)\s*:\s*(\S+)", text, re.MULTILINE)
    return match[1] if match else platform.system()


def visible() -> list[str]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES takes them: by UUID if the driver gives it.

    What is visible is numbered from 0, on every node and in every container; a UUID means the same GPU everywhere. CUDA
    is not started, so that what is visible can still be narrowed down.
    """
    import torch

    given = os.environ.get(_VISIBLE)
    if given is not None and given.startswith("MIG-"):
        return given.split(",")  # parts of a GPU by UUID: PyTorch would have to start CUDA to count them
    n = torch.cuda.device_count()
    entries = map(str, range(n)) if given is None else map(str.strip, given.split(",")[:n])
    uuids = _uuids() if n else []
    uuid_of = {str(number): uuid for number, uuid in enumerate(uuids)}

    def full(entry: str) -> str:  # CUDA takes the beginning of a UUID, too
        return uuid_of.get(entry) or next((uuid for uuid in uuids if uuid.startswith(entry)), entry)

    return [full(entry) for entry in entries]


def _uuids() -> list[str]:
    """UUIDs of the GPUs by their number; empty if the driver does not give them."""
    query = ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"]
    try:
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return []


def lock_folder() -> Path:
    """The folder of this user's locks on this machine.

    Raises HerbariumError if another user has put something in its place.
    """
    folder = Path(tempfile.gettempdir(), f"herbarium-gpus-{os.getuid()}")
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise HerbariumError(
                f"{folder} should be the folder of your GPU locks, but is not yours. Remove it, or set TMPDIR."
            ) from None
    return folder


def take(gpus: Sequence[str], folder: Path) -> str:
    """One of the GPUs, once no other process has it, and for as long as this one lives.

    Slurm jobs never wait for those of another: Slurm has separated them already, or means them to share. If the file
    system has no locks, any of the GPUs, with a warning: no number depends on which.
    """
    slurm = os.environ.get("SLURM_JOB_ID")
    scope = f"slurm-{slurm}-" if slurm else ""
    waiting = False
    while True:
        for gpu in gpus:
            lock = os.open(folder / f"{scope}{gpu}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
            except OSError as error:
                os.close(lock)
                log.warning(
                    "%s: its file system has no locks (%s), so jobs may share a GPU; set TMPDIR to a local folder.",
                    folder,
                    error.strerror,
                )
                return gpus[os.getpid() % len(gpus)]
            else:  # never closed: the lock is this process's until it ends
                os.utime(lock)  # keeps the lock from being cleaned up as an old temporary file
                return gpu
        if not waiting:
            log.info("Waiting for a GPU: other jobs have %s.", "the only one" if len(gpus) == 1 else f"all {len(gpus)}")
            waiting = True
        time.sleep(_PAUSE)
