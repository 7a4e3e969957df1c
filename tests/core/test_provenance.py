import ast
import shutil
import subprocess
from pathlib import Path

import pytest

from herbarium.core import provenance

SCRIPTS = Path("workflow/scripts").resolve()


@pytest.fixture
def tree(tmp_path):
    """script -> package.used -> package.deep (inside a function); package.unused stands beside them."""
    package = tmp_path / "package"
    package.mkdir()
    (tmp_path / "script.py").write_text("from package import used\nimport json\n")
    (package / "__init__.py").write_text("")
    (package / "used.py").write_text("def f():\n    from package.deep import x\n    return x\n")
    (package / "deep.py").write_text("x = 1\n")
    (package / "unused.py").write_text("y = 1\n")
    (package / "typed.py").write_text("z = 1\n")
    return tmp_path


def test_closure_follows_imports_wherever_they_stand(tree):
    found = [path.relative_to(tree).as_posix() for path in provenance.closure(tree / "script.py")]
    assert found == ["package/__init__.py", "package/deep.py", "package/used.py", "script.py"]


def test_what_only_a_type_checker_imports_is_not_reached(tree):
    used = tree / "package" / "used.py"
    of_checker = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package import typed\n"
    used.write_text(of_checker)
    assert tree / "package" / "typed.py" not in provenance.closure(tree / "script.py")
    used.write_text(of_checker + "else:\n    from package import unused\n")
    assert tree / "package" / "unused.py" in provenance.closure(tree / "script.py")


@pytest.mark.parametrize(
    ("file", "text", "reached"),
    [
        ("script.py", "from package import inner\n", "package/inner/__init__.py"),
        ("script.py", "import package.inner.far\n", "package/inner/__init__.py"),  # runs what stands above
        (
            "script.py",
            "from package.inner.far import y\n",
            "package/unused.py",
        ),  # through a relative import of two dots
        ("script.py", "import other\n", "package/deep.py"),  # a script that another imports
        ("package/used.py", "from . import unused\n", "package/unused.py"),
        ("package/used.py", "from .unused import y\n", "package/unused.py"),
        ("package/used.py", "from package.unused import *\n", "package/unused.py"),
        (
            "package/used.py",
            "try:\n    import package.unused\nfinally:\n    u = 0\n",
            "package/unused.py",
        ),
    ],
)
def test_every_way_to_import_is_followed(tree, file, text, reached):
    inner = tree / "package" / "inner"
    inner.mkdir()
    (inner / "__init__.py").write_text("")
    (inner / "far.py").write_text("from ..unused import y\n")
    (tree / "other.py").write_text("from package import used\n")
    (tree / file).write_text(text)
    assert tree / reached in provenance.closure(tree / "script.py")


@pytest.mark.parametrize(
    ("file", "text", "changes"),
    [
        ("package/deep.py", "x = 2\n", True),
        ("package/deep.py", "# a comment\n\nx   =  1\n", False),
        ("package/deep.py", '"""A docstring."""\nx = 1\n', False),
        ("package/deep.py", "x = 1\n", False),
        ("package/unused.py", "y = 2\n", False),
        ("script.py", "from package import used\nimport json\nprint()\n", True),
        ("package/page.j2", "a template", True),
    ],
)
def test_the_hash_follows_what_the_code_says(tree, file, text, changes):
    before = provenance.code_hash(tree / "script.py")
    (tree / file).write_text(text)
    assert (provenance.code_hash(tree / "script.py") != before) is changes


def pythons():
    """The Pythons on this machine that can run the project."""
    found = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    return [path for path in found if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0]


def test_the_hash_does_not_hang_on_the_version_of_python():
    """Else a newer Python, in a clone with the results of an older one, would score everything again."""
    script = SCRIPTS / "score_shard.py"
    say = (
        "import pathlib, sys; from herbarium import provenance; print(provenance.code_hash(pathlib.Path(sys.argv[1])))"
    )
    for python in pythons():
        done = subprocess.run([python, "-c", say, script], cwd=SCRIPTS, capture_output=True, text=True)
        assert done.stdout.strip() == provenance.code_hash(script), python + done.stderr
    # fields that are empty, of which newer ones have more
    assert "[]" not in provenance._said(ast.parse("def f(x): return None"))


def test_nothing_is_imported_or_read_past_the_hash():
    """What the hash cannot follow: a module that is imported by name, data in a folder without modules."""
    by_name = [path for path in SCRIPTS.rglob("*.py") if "import_module(" in path.read_text(encoding="utf-8")]
    assert by_name == [SCRIPTS / "herbarium/__init__.py"]  # `herbarium.score`, which no script calls
    assert not [path for path in SCRIPTS.glob("*.py") if "herbarium.score" in path.read_text(encoding="utf-8")]
    data = [path for path in SCRIPTS.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert data
    assert [path for path in data if not (path.parent / "__init__.py").exists()] == []
    reads_resources = [path for path in SCRIPTS.rglob("*.py") if "resources/" in _strings(path)]
    assert reads_resources == [SCRIPTS / "herbarium/study/config.py"]  # as defaults of keys: inputs of rules


def _strings(path):
    """The strings of a Python file that are no docstrings."""
    nodes = ast.walk(provenance._without_docstrings(ast.parse(path.read_text(encoding="utf-8"))))
    return "\n".join(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def reached(script):
    return {path.relative_to(SCRIPTS).as_posix() for path in provenance.closure(SCRIPTS / f"{script}.py")}


def test_no_gpu_stage_hangs_on_metrics_figures_or_configuration():
    for script in ("resolve_model", "plan_scoring", "score_shard"):
        rooms = ("metrics/", "figures/", "report/", "probes/", "config.py", "testbed.py", "api.py")
        assert not [path for path in reached(script) if path.removeprefix("herbarium/").startswith(rooms)], script


def test_metrics_hang_on_no_model_code():
    assert "herbarium/metrics/herb/score.py" in reached("measure_herb")
    assert not reached("measure_herb") & {f"herbarium/{name}.py" for name in ("models", "planning", "scoring")}


def test_arrows_of_the_library_go_one_way():
    forbidden = {
        "metrics": ("scoring", "models", "planning"),
        "scoring": ("probes", "metrics"),
        "planning": ("probes",),
    }
    for path in (SCRIPTS / "herbarium").rglob("*.py"):
        room = path.relative_to(SCRIPTS / "herbarium").parts[0].removesuffix(".py")
        text = path.read_text()
        assert "snakemake." not in text, path
        for other in forbidden.get(room, ()):
            assert f"herbarium.{other}" not in text, path
            assert f"herbarium import {other}" not in text, path


def test_value_hash_ignores_the_order_of_keys():
    assert provenance.value_hash({"a": 1, "b": [1, 2]}) == provenance.value_hash({"b": [1, 2], "a": 1})
    assert provenance.value_hash({"a": 1}) != provenance.value_hash({"a": 2})


def test_file_hash_is_sha256(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    assert provenance.file_hash(tmp_path / "x") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
