"""How long a step takes to import what it scores with, and to end: as steps do it, and as Python does it by itself.

Each of some sixty steps of the demo does so. The two are run in turns.
"""

import statistics
import subprocess
import sys
import time

RUNS = 7
IMPORT = "import torch; from herbarium.step import collect_rarely; {}; import transformers.modeling_utils"


def seconds(before: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", IMPORT.format(before)], check=True)
    return time.perf_counter() - start


def main() -> None:
    seconds("pass")  # the first reads from disk
    pairs = [(seconds("collect_rarely()"), seconds("pass")) for _ in range(RUNS)]
    ours, usual = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for one, other in pairs)
    print(f"imports and exit of a scoring step: {ours:.1f} s, {usual:.1f} s by itself, ratio {ratio:.2f}, {RUNS} pairs")


if __name__ == "__main__":
    main()
