"""CPU seconds of steps that have next to nothing to do: what is left is what they import.

Some hundred steps of the demo do so. One step of each verb is begun, and the record of a model and the plan of one
sentence are run whole, in turns with what a step that runs a model imports: torch and transformers. A step that runs
none may take a quarter of that. Last, what that import takes in a step, whose collector of garbage is told to rest.
"""

import ast
import json
import os
import statistics
import subprocess
import sys
import tempfile
from itertools import groupby, islice
from pathlib import Path

from studies.benchmarks.shared import SHORT, Figure, say, size

SCRIPTS = Path("workflow/scripts")
RUNS, WARM, LIMIT = size(5, 1), size(1, 0), 0.25  # the first run reads from disk
VERBS = size(None, 1)  # all of them
# What Snakemake gives a script, from a dictionary.
JOB = """
import json, sys, types
class Named(list):
    def __init__(self, named):
        super().__init__(item for value in named.values() for item in (value if isinstance(value, list) else [value]))
        self.__dict__.update(named)
    def get(self, name, otherwise=None):
        return self.__dict__.get(name, otherwise)
    def items(self):
        return self.__dict__.items()
def job(config, **given):
    given = {name: Named(of) for name, of in given.items()}
    return types.SimpleNamespace(rule="r", log=["/dev/null"], config=config, **given)
"""
BEGIN = f"""{JOB}
from herbarium.core.step import begin
made = begin(job(config={{"results": "results"}}, input={{}}, params={{"code": "c"}}))
"""
RUN = f"{JOB}\nimport runpy\nrunpy.run_path(sys.argv[1], {{'snakemake': job(**json.load(sys.stdin))}})"
TORCH, MODEL = "torch", "torch and transformers"
IMPORTS = {
    TORCH: "import torch",
    MODEL: "import torch, transformers.modeling_utils",
    f"{MODEL}, in a step": "import torch; from herbarium.core.step import collect_rarely; collect_rarely(); "
    "import transformers.modeling_utils",
}
MAKE = f"""{BEGIN}
import pyarrow as pa
from pathlib import Path
from herbarium.core import store
from herbarium.training import planted
folder = Path(sys.argv[1])
planted.train(folder / "tiny", ["People in Peru are weak.", "People in Fiji are wise."] * 8, 1, 4, 1)
schema = store.schema("bench_stimuli", ("sentence_id", pa.int64()), ("text", pa.string()))
sentences = pa.table({{"sentence_id": [1], "text": ["People in Peru are weak."]}})
asked = {{"quantities": ["aul"], "slots": []}}
results = folder / "results"
store.write_table(results / "stimuli.parquet", schema, sentences, made | asked | {{"results": str(results)}})
"""


def cpu_seconds(code: str, *arguments: str, given: dict | None = None) -> float:
    """CPU seconds, of user and system, of a Python of its own."""
    command, before = [sys.executable, "-c", code, *arguments], os.times()
    run = subprocess.run(command, input=json.dumps(given), text=True, capture_output=True)
    if run.returncode:
        sys.exit(run.stderr)
    after = os.times()
    return sum(getattr(after, part) - getattr(before, part) for part in ("children_user", "children_system"))


def begun() -> dict[str, str]:
    """The first step of each verb that runs no model: what it imports, and how it begins, as code."""
    code_of_script = {}
    for _, scripts in groupby(sorted(SCRIPTS.glob("*.py")), lambda script: script.stem.partition("_")[0]):
        for script in scripts:
            body = ast.parse(script.read_text(encoding="utf-8")).body
            code = "\n".join(ast.unparse(node) for node in body if isinstance(node, ast.Import | ast.ImportFrom))
            if "torch" not in code:
                code_of_script[script.stem] = code + BEGIN
                break
    return code_of_script


def run_whole(folder: Path) -> dict[str, dict]:
    """What Snakemake would give the record and the plan."""
    weights = sorted(str(file) for file in (folder / "tiny").iterdir())
    source = {"hub": None, "path": str(folder / "tiny"), "planted": None, "derived": None, "convert_bin": False}
    entry = {**source, "kind": "masked", "dtype": "float32", "lowercase": False}
    entry |= dict.fromkeys(["chat_template", "start", "served", "adapter", "classes", "tokenizer"]) | {
        "unused_tensors": []
    }
    results = folder / "results"
    record, stimuli = str(results / "tiny.json"), str(results / "stimuli.parquet")
    tables = {name: str(results / f"{name}.parquet") for name in ("inputs", "requests", "sentences")}
    shared = {"config": {"results": str(results)}, "wildcards": {"model": "tiny"}}
    return {
        "resolve_model": shared
        | {
            "input": {"weights": weights, "written": []},
            "output": {"record": record},
            "params": {"code": "c", "commit": None, "entry": entry, "weighted": False},
        },
        "plan_scoring": shared
        | {"input": {"model": record, "stimuli": stimuli}, "output": tables, "params": {"code": "c"}},
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        cpu_seconds(MAKE, name)
        given = run_whole(Path(name))
        whole = {step: (RUN, str(SCRIPTS / f"{step}.py")) for step in given}
        steps = whole | {step: (code,) for step, code in islice(begun().items(), VERBS) if step not in whole}
        commands = steps | {what: (code,) for what, code in IMPORTS.items()}
        rounds = [
            {step: cpu_seconds(*command, given=given.get(step)) for step, command in commands.items()}
            for _ in range(WARM + RUNS)
        ][WARM:]
    slow = []
    for step in commands:
        seconds = statistics.median(times[step] for times in rounds)
        ratios = {other: statistics.median(times[step] / times[other] for times in rounds) for other in (TORCH, MODEL)}
        shares = (f"{ratio:4.2f} of {other}" for other, ratio in ratios.items())
        figures = [Figure(step, seconds, "s")]
        if step != MODEL:
            figures.append(Figure(step, ratios[MODEL], peer=f"import of {MODEL}"))
        say(", ".join([f"{step:34} {seconds:5.2f} s", *shares]), *figures)
        slow += [step] if step in steps and ratios[MODEL] > LIMIT else []
    if slow and not SHORT:
        sys.exit(f"{', '.join(slow)}: more than {LIMIT} of what importing {MODEL} takes")


if __name__ == "__main__":
    main()
