"""A step imports what it uses: one that runs no model starts without torch and transformers."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path("workflow/scripts")
# Those that make tensors. Every other step starts without any of `HEAVY`.
RUN_A_MODEL = {
    *(
        *("tune_scoring", "embed_herb", "complete_honest", "embed_local_group_bias", "predict_downstream"),
        "resolve_downstream",
    ),
    *(
        *("convert_weights", "merge_adapter", "train_testbed", "finetune_downstream", "finetune_biographies"),
        *("project_model", "sample_projection"),
    ),
    "fit_rotation",
}
HEAVY = ("torch", "transformers", "pydantic", "datasets", "scipy.stats", "statsmodels", "sklearn", "umap", "accelerate")
IMPORT_EACH = """
import sys
heavy = sys.argv[1].split()
for statements in sys.stdin.read().split("\\n\\n"):
    script, _, imports = statements.partition("\\n")
    exec(imports, {})
    if found := [name for name in heavy if name in sys.modules]:
        sys.exit(f"{script} imports {' and '.join(found)} before it does anything")
"""


def imports(script):
    """What a script imports when it starts, as statements."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    return [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


@pytest.mark.slow
def test_a_step_that_runs_no_model_starts_without_what_runs_one():
    scripts = {script.stem: script for script in sorted(SCRIPTS.glob("*.py"))}
    assert scripts.keys() >= RUN_A_MODEL
    light = [name for name in scripts if name not in RUN_A_MODEL and not name.startswith("train_")]
    assert {"plan_scoring", "resolve_model", "gather_scores", "summarize", "write_report"} <= set(light)
    given = "\n\n".join("\n".join([name, *imports(scripts[name])]) for name in light)
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH, " ".join(HEAVY)],
        input=given,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SCRIPTS.absolute())},
    )
    assert run.returncode == 0, run.stderr


def test_what_starts_heavily_is_noticed():
    run = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH, "json wave"],
        input="one\nimport ast\n\ntwo\nimport wave",
        capture_output=True,
        text=True,
    )
    assert "two imports wave" in run.stderr
