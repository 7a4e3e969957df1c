import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from herbarium.core import provenance

SCRIPTS = Path("workflow/scripts").resolve()


@pytest.fixture
def tree(tmp_path):
    """script -> package.used.f -> package.deep (inside a function); package.unused stands beside them."""
    package = tmp_path / "package"
    package.mkdir()
    (tmp_path / "script.py").write_text("from package import used\nimport json\nused.f()\n")
    (package / "__init__.py").write_text("")
    (package / "used.py").write_text("def f():\n    from package.deep import x\n    return x\n")
    (package / "deep.py").write_text("x = 1\n")
    (package / "unused.py").write_text("y = 1\n")
    (package / "typed.py").write_text("z = 1\n")
    return tmp_path


def test_closure_follows_imports_wherever_they_stand(tree):
    paths = [path.relative_to(tree).as_posix() for path in provenance.closure(tree / "script.py")]
    assert paths == ["package/__init__.py", "package/deep.py", "package/used.py", "script.py"]


def test_a_script_from_elsewhere_reaches_what_is_beside_it_and_the_library(tmp_path):
    script, library_file = tmp_path / "elsewhere/mine.py", tmp_path / "elsewhere/lean/score.py"
    library_file.parent.mkdir(parents=True)
    library_file.write_text("from herbarium import used\ndef lean():\n    return used.f()\n")
    script.write_text("from lean import score\nscore.lean()\n")  # a folder without __init__.py
    library = tmp_path / "library"
    used = library / "herbarium/used.py"
    used.parent.mkdir(parents=True)
    used.write_text("def f():\n    x = 1\n    return x\n")
    assert {library_file, used} <= set(provenance.closure(script, library))
    before = provenance.code_hash(script, library)
    used.write_text(used.read_text().replace("return x", "return x + 1"))
    after_library = provenance.code_hash(script, library)
    library_file.write_text(library_file.read_text().replace("used.f()", "-used.f()"))
    assert len({before, after_library, provenance.code_hash(script, library)}) == 3


@pytest.mark.parametrize("bad", [f"x = {'-' * 3000}1\n", "not Python", "x = 1\n"])
def test_what_is_installed_beside_the_library_is_not_read(tmp_path, bad):
    """Herbarium's code is hashed, not that of libraries, whose versions are recorded."""
    library = tmp_path / "site-packages"
    for package, text in (("herbarium", "import torch\nfrom torch import x\nx"), ("torch", bad)):
        (library / package).mkdir(parents=True)
        (library / package / "__init__.py").write_text(text)
    script = tmp_path / "mine.py"
    script.write_text("import herbarium\nfrom torch import x\nherbarium.x(x)\n")
    assert provenance.closure(script, library) == [script, library / "herbarium/__init__.py"]
    before = provenance.code_hash(script, library), provenance.use_hash(["herbarium:x"], library)
    (library / "torch/__init__.py").write_text("x = 2\n")
    assert (provenance.code_hash(script, library), provenance.use_hash(["herbarium:x"], library)) == before


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
        ("script.py", "from package import used\nimport json\nused.f()\nprint()\n", True),
        ("script.py", "import json\nfrom package import (used)\nused.f()\n", False),
        ("package/used.py", "from package.deep import x\n\ndef f():\n    return x\n", False),
        ("package/used.py", "from . import deep\n\ndef f():\n    return deep.x\n", True),  # another text
        ("package/page.j2", "a template", False),  # which nothing names
    ],
)
def test_the_hash_follows_what_the_code_says(tree, file, text, changes):
    before = provenance.code_hash(tree / "script.py")
    (tree / file).write_text(text)
    assert (provenance.code_hash(tree / "script.py") != before) is changes


def written(folder, **files):
    """A folder with files; `__` in a name stands for a subfolder. Gives the hash of its script."""
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if path.parent != folder:
            (path.parent / "__init__.py").touch()
    return provenance.code_hash(folder / "script.py")


LIBRARY = """
import json
import math
from functools import cache

LEVEL = 0.9
OTHER = [name for name in "ab"]
registry = {}

def quantile(x, level=LEVEL):
    return x * level

@cache
def mean(x):
    return math.fsum(x)

def unused():
    return json.dumps(OTHER)

class Sheet:
    size = 1

    def head(self):
        return quantile(self.size)

class Unused(Exception):
    of = Sheet
"""
SCRIPT = "from package import library\nprint(library.Sheet().head())\nprint(library.mean([1]))\n"


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("json.dumps(OTHER)", "json.dumps([OTHER])", False),
        ('for name in "ab"', 'for name in "abc"', False),
        ("of = Sheet", "of = OTHER", False),
        ("import json\n", "import json\nimport csv\n", True),  # which nothing here uses: it may be for what it does
        ("x * level", "x + level", True),
        ("LEVEL = 0.9", "LEVEL = 0.8", True),  # a default argument
        ("level=LEVEL", "level=0.5", True),
        ("size = 1", "size = 2", True),
        ("@cache\n", "", True),  # a decorator
        ("import cache", "import lru_cache as cache", True),
        ("import math", "import cmath as math", True),  # what a name stands for
        ("registry = {}", "registry = {'a': 1}", False),
        ("registry = {}", "registry = {}\nregistry['a'] = unused", True),  # others may see that
        ("registry = {}", "registry = {}\nLEVEL += 0", True),
        ("registry = {}", "import warnings\nregistry = warnings.simplefilter('ignore')", True),
        ("def unused", "@print\ndef unused", True),
        ("def unused():", "def unused(x=print()):", True),
        ("class Unused(Exception)", "class Unused(Exception, metaclass=print)", True),
        ("class Unused(Exception)", "class Unused(Sheet)", True),  # which may know its subclasses
        ("def unused", "if LEVEL:\n    print()\n\ndef unused", True),
        ("def unused", "def __getattr__(name):\n    return 1\n\ndef unused", True),
        ("x * level", "x * eval('level')", True),
    ],
)
def test_only_definitions_that_are_used_count(tmp_path, old, new, changes):
    before = written(tmp_path / "a", script=SCRIPT, package__library=LIBRARY)
    assert LIBRARY.count(old) == 1
    assert (written(tmp_path / "b", script=SCRIPT, package__library=LIBRARY.replace(old, new)) != before) is changes


@pytest.mark.parametrize(
    ("script", "used"),
    [
        ("from package.library import quantile\nquantile(1)", {"quantile", "LEVEL"}),
        ("from package.library import quantile as q\nq(1)", {"quantile", "LEVEL"}),
        ("import package.library as of\nof.quantile(1)", {"quantile", "LEVEL"}),
        ("from package import library\ndef f(): return library.unused", {"unused", "OTHER"}),
        ("from package import library\nlibrary.Unused", {"Unused", "Sheet", "quantile", "LEVEL"}),
        ("from package.library import quantile", set()),
        # not clear what of it
        ("import package.library\npackage.library.quantile(1)", None),
        ("from package import library\ngetattr(library, 'quantile')", None),
        ("from package import library\nprint(library)", None),
        ("from package import library\nlibrary.nowhere", None),
        ("import package\npackage.library.quantile(1)\nfrom package import library", None),
        ("from package.library import *\nquantile(1)", None),
        ("from package.within import quantile\nquantile(1)", {"quantile", "LEVEL"}),  # by way of another
    ],
)
def test_the_definitions_that_an_import_reaches(tmp_path, script, used):
    files = {"package__library": LIBRARY, "package__within": "from package.library import quantile\n"}
    before = written(tmp_path / "before", script=script, **files)
    edits = {
        "quantile": ("x * level", "x + level"),
        "LEVEL": ("LEVEL = 0.9", "LEVEL = 0.8"),
        "OTHER": ('for name in "ab"', 'for name in "abc"'),
        "mean": ("fsum(x)", "fsum(1)"),
        "unused": ("json.dumps(OTHER)", "json.dumps([OTHER])"),
        "Sheet": ("def head", "def tail"),
        "Unused": ("of = Sheet", "of = Sheet or 1"),
        "registry": ("registry = {}", "registry = {'a': 1}"),
    }
    changed = {
        name
        for name, edit in edits.items()
        if before != written(tmp_path / name, script=script, **files | {"package__library": LIBRARY.replace(*edit)})
    }
    assert changed == (edits.keys() if used is None else used)


TOLD = "from package.one import f\nfrom package.two import g\nprint(f(), g())\n"
ONE = "import math\nfrom package.two import g\n\nE = math.e\n\ndef f():\n    return g() + E\n"
TWO = "def g(n=1):\n    return f'{n}' and h\n\ndef h():\n    return 2\n"


@pytest.mark.parametrize(
    "moved",
    [
        # a module that has another name, and imports in another order
        {
            "script": "from package.two import g\nfrom package.uno import f\nprint(f(), g())\n",
            "package__uno": ONE,
            "package__two": TWO,
        },
        # a module in a folder of its own, with relative imports
        {
            "script": "from package.inner.one import f\nfrom package.two import g\nprint(f(), g())\n",
            "package__inner__one": ONE.replace("package.two", "..two"),
            "package__two": TWO,
        },
        # a folder that has another name
        {
            "script": TOLD.replace("package", "folder"),
            "folder__one": ONE.replace("package", "folder"),
            "folder__two": TWO,
        },
        # a definition in another module, and all in one
        {
            "script": TOLD,
            "package__one": ONE,
            "package__two": "from package.three import h\n" + TWO.partition("def h")[0],
            "package__three": "def h():\n    return 2\n",
        },
        {
            "script": "from package.all import f, g\nprint(f(), g())\n",
            "package__all": TWO + ONE.replace("from package.two import g", ""),
        },
        # an import where it is used
        {
            "script": TOLD,
            "package__one": ONE.partition("def")[0].replace("from package.two import g\n", "")
            + "def f():\n    from package.two import g\n    return g() + E\n",
            "package__two": TWO,
        },
        # what is not used
        {"script": TOLD, "package__one": ONE + "def i(): return E\n", "package__two": "import os\nX = os.sep\n" + TWO},
    ],
)
def test_code_that_moves_leaves_the_hash_as_it_is(tmp_path, moved):
    before = written(tmp_path / "before", script=TOLD, package__one=ONE, package__two=TWO)
    assert written(tmp_path / "after", **moved) == before


@pytest.mark.slow
def test_a_room_of_the_library_that_moves_reruns_nothing(tmp_path):
    shutil.copytree(SCRIPTS, tmp_path / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    library = tmp_path / "scripts/herbarium"
    (library / "statistics").rename(library / "core/inferring")
    for path in (tmp_path / "scripts").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("herbarium.statistics", "herbarium.core.inferring"), encoding="utf-8")
    scripts = ("measure_herb", "measure_mixed_effects", "compare_herb", "summarize", "score_shard")
    files = {script for script in scripts if any("statistics" in path for path in reached(script))}
    assert files == {*scripts} - {"score_shard"}
    for script in scripts:
        before, after = (provenance.code_hash(folder / f"{script}.py") for folder in (SCRIPTS, tmp_path / "scripts"))
        assert after == before, script


def test_what_a_class_inherits_and_a_function_is_given_count(tmp_path):
    script = "from package.library import Sheet, f\nTable(f())\n"
    code = "def make(): return 1\nclass Base: x = 1\nclass Sheet(Base): y = 2\ndef f(x=make()): return x\n"
    hashes = {
        written(tmp_path / str(at), script=script, package__library=code.replace(*edit))
        for at, edit in enumerate([("", ""), ("return 1", "return 2"), ("x = 1", "x = 2"), ("y = 2", "y = 3")])
    }
    assert len(hashes) == 4


def test_names_that_change_places_do_not(tmp_path):
    """All that is reached is the same as before, and each text, but not what the names stand for."""
    code = {"package__one": "def f(): return 1\n", "package__two": "def f(): return 2\n"}
    first = "from package import one, two\nfrom package.one import f\nfrom package.two import f as g\n"
    other = "from package import one, two\nfrom package.two import f\nfrom package.one import f as g\n"
    used = "print(one.f, two.f, f() - g())\n"
    assert written(tmp_path / "a", script=first + used, **code) != written(tmp_path / "b", script=other + used, **code)


def test_files_beside_a_script_and_those_of_the_library_are_found(tmp_path):
    written(tmp_path / "library", herbarium__library=LIBRARY, script="")
    (tmp_path / "mine").mkdir()
    script = tmp_path / "mine" / "script.py"
    script.write_text("from herbarium.library import quantile\nfrom own import f\nf(quantile)\n")
    (tmp_path / "mine/own.py").write_text("def f(x): return x\n")
    names = [path.name for path in provenance.closure(script, tmp_path / "library")]
    assert sorted(names) == ["__init__.py", "library.py", "own.py", "script.py"]
    before = provenance.code_hash(script, tmp_path / "library")
    assert before != provenance.code_hash(script)
    library = tmp_path / "library/herbarium/library.py"
    library.write_text(LIBRARY.replace("x * level", "x + level"))
    assert provenance.code_hash(script, tmp_path / "library") != before


@pytest.mark.parametrize(
    ("code", "counts"),
    [
        ("def f(): return open('page.html.j2')", True),
        ("def f(): return open('templates/page.html.j2')", True),
        ("def f(part): return open(f'{part}.html.j2')", True),
        ("def f(part): return open(part + '.j2')", True),
        ("def f(folder): return folder.glob('*.j2')", True),
        ("def f(kind): return 'j2' if kind else 'txt'", True),
        ("def f(): return open('outer.html')", True),  # which includes it
        ("def f(): return open('other.html')", False),
        ("def f(): return 1\ndef g(): return open('page.html.j2')", False),
        ("def f():\n    'Not of page.html.j2.'\n    return 1", False),
    ],
)
def test_files_that_are_not_code_count_where_they_are_named(tmp_path, code, counts):
    written(tmp_path, script="from package.pages import f\nf()\n", package__pages=code)
    texts = {"outer.html": "{% include 'page.html.j2' %}", "other.html": "", "page.html.j2": "a page"}
    for name, text in texts.items():
        (tmp_path / "package" / name).write_text(text)
    before = provenance.code_hash(tmp_path / "script.py")
    (tmp_path / "package/page.html.j2").write_text("another page")
    assert (provenance.code_hash(tmp_path / "script.py") != before) is counts


def test_what_a_file_is_called_counts(tmp_path):
    hashes = set()
    for first, second in (("a", "b"), ("b", "a")):
        folder = tmp_path / first
        written(
            folder, script="from package.pages import f\nf()\n", package__pages="def f(): return ('1.css', '2.css')\n"
        )
        (folder / "package/1.css").write_text(first)
        (folder / "package/2.css").write_text(second)
        hashes.add(provenance.code_hash(folder / "script.py"))
    assert len(hashes) == 2


# What editors and systems leave beside a file.
STRAYS = ("._{}", ".{}.swp", "{}~", "#{}#", "{}.orig")


def test_only_files_that_are_read_count(tmp_path):
    written(tmp_path, script="from package.pages import f\nf()\n", package__pages="def f(a): return f'{a}.html.j2'\n")
    (tmp_path / "package/page.html.j2").write_text("a page")
    before = provenance.code_hash(tmp_path / "script.py")
    strays = [spoil.format(name) for name in ("page.html.j2", "pages.py") for spoil in STRAYS]
    for stray in (*strays, ".DS_Store", "notes.txt"):
        (tmp_path / "package" / stray).write_text("a stray")
    assert provenance.code_hash(tmp_path / "script.py") == before


SPEAKING = """
from herbarium.core.console import log
from herbarium.core.errors import HerbariumError, check_all

def f(x):
    if x < 0:
        raise HerbariumError(f"{x} is too small.")
    log.info("It is %s.", x)
    if x > 9:
        raise OverflowError("Too large.", x)
    with told_by(f"{x} is too odd"):
        return x
"""


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ('    log.info("It is %s.", x)\n', '    log.info("It was %s.", x)\n    log.warning("So.")\n', False),
        ('    log.info("It is %s.", x)\n', "", False),
        ("is too small", "must be larger", False),
        ('f"{x} is too small.")', '"Too small.") from None', False),
        ("x < 0", "x < 1", True),
        ("raise HerbariumError", "raise ValueError", True),
        ("        raise HerbariumError", "        HerbariumError", True),
        ('log.info("It is %s.", x)', 'log.append("It is %s.", x)', True),
        ('log.info("It is %s.", x)', 'x = log.info("It is %s.", x)', True),
        ("return x", "return check_all(x)", True),
        ("Too large", "Much too large", False),
        ('"Too large.", x', '"Too large."', True),
        ("is too odd", "is odd", False),
        ("told_by", "kept_from", True),
    ],
)
def test_what_people_see_does_not_count(tmp_path, old, new, counts):
    """Lines of the log and words of errors; whether there is an error does."""
    assert old in SPEAKING
    hashes = set()
    for at, (text, told) in enumerate([(SPEAKING, ""), (SPEAKING.replace(old, new), "def g(): return 1\n")]):
        folder = tmp_path / str(at)
        script = "from package.library import f\nf(1)\n"
        core = {"herbarium__core__console": f"log = 1\n{told}", "herbarium__core__errors": f"check_all = 1\n{told}"}
        hashes.add(written(folder, script=script, package__library=text, **core))
    assert (len(hashes) > 1) is counts


@pytest.mark.parametrize(
    ("module", "old", "new", "counts"),
    [
        ("one", "1", "2", True),
        ("two", "x + 1", "x + 2", True),
        ("two", "def unused(): return 1", "def unused(): return 2", False),
        ("two", "LIST = []", "LIST = []\nLIST.append(1)", True),  # something else in the module is used
        ("three", "LIST = []", "LIST = []\nLIST.append(1)", False),  # nothing is, though it is imported
        ("three", "LIST = []", "LIST = [1]", False),
    ],
)
def test_the_code_that_functions_use(tmp_path, module, old, new, counts):
    modules = {
        "one": "from herbarium import three\nfrom herbarium.two import step\ndef f(): return step(1)\n",
        "two": "LIST = []\ndef step(x): return x + 1\ndef unused(): return 1\n",
        "three": "LIST = []\ndef g(): return 1\n",
    }
    assert old in modules[module]
    hashes = set()
    for at, edited in enumerate([{}, {module: modules[module].replace(old, new)}]):
        texts = {f"herbarium__{name}": text for name, text in {**modules, **edited}.items()}
        written(tmp_path / str(at), script="", **texts)
        hashes.add(provenance.use_hash(["herbarium.one:f"], tmp_path / str(at)))
    assert (len(hashes) > 1) is counts


@pytest.mark.slow
def test_what_people_see_changes_nothing_else():
    """So that it need not count: the lines of the log and the words of errors bind no name and use nothing up."""
    for path in SCRIPTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Expr(ast.Call(ast.Attribute(ast.Name("log"))) as content):
                    pass
                case ast.Raise(ast.Call(ast.Name("HerbariumError")) as content):
                    pass
                case _:
                    continue
            text = ast.unparse(content)
            assert not any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(content)), text
            assert not re.search(r"\b(next|pop|append|update|add|remove|clear)\(", text), text


@pytest.mark.slow
def test_no_script_reaches_what_people_see():
    for script in SCRIPTS.glob("*.py"):
        files = {file.relative_to(SCRIPTS).as_posix() for file, _ in provenance._reached(script, None)}
        assert not files & {f"herbarium/core/{name}.py" for name in ("console", "errors", "baseline")}, script


def test_a_string_that_is_called_like_a_module_does_not_stand_for_it(tmp_path):
    script = "from package import tidy\nprint(tidy.f, 'tidy')\n"
    before = written(tmp_path, script=script, package__tidy="def f(): return 1\n")
    assert written(tmp_path, script=script, package__tidy="def f(): return 1\ndef g(): return 2\n") == before
    assert written(tmp_path, script=script, package__tidy="def f(): return 2\n") != before


@pytest.mark.slow
def test_a_function_more_reruns_nothing(tmp_path):
    """In each module of the library but figures, some of which are handed on as modules, and what pins models."""
    shutil.copytree(SCRIPTS, tmp_path, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)

    def hashes():
        return {path.name: provenance.code_hash(path) for path in tmp_path.glob("*.py") if path.stem != "pin_models"}

    before = hashes()
    modules = [path for path in (tmp_path / "herbarium").rglob("*.py") if path.parent.name != "figures"]
    assert len(modules) > 150
    for path in modules:
        path.write_text(f"{path.read_text(encoding='utf-8')}\n\ndef quite_new(x):\n    return x\n", encoding="utf-8")
    assert hashes() == before


def pythons():
    """The Pythons on this machine that can run the project."""
    paths = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    return [path for path in paths if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0]


@pytest.mark.slow
def test_the_hash_does_not_depend_on_the_version_of_python():
    """Else a newer Python, in a clone with the results of an older one, would score everything again."""
    script = SCRIPTS / "score_shard.py"
    say = (
        "import pathlib, sys; from herbarium.core import provenance as p; print(p.code_hash(pathlib.Path(sys.argv[1])))"
    )
    for python in pythons():
        # and not on the order of sets
        done = subprocess.run([python, "-c", say, script], cwd=SCRIPTS, capture_output=True, text=True)
        assert done.stdout.strip() == provenance.code_hash(script), python + done.stderr

    def recorded(statement):
        return provenance._statement(statement, []).text

    # fields that are empty, of which newer ones have more
    assert "[]" not in recorded(ast.parse("def f(x): return None").body[0])
    # an empty string in the form of a number, which Python 3.12 sees
    (statement,) = ast.parse("f'{x:{form}}'").body
    before = recorded(statement)
    statement.value.values[0].format_spec.values.append(ast.Constant(""))
    assert recorded(statement) == before


@pytest.mark.slow
def test_nothing_is_imported_or_read_past_the_hash():
    """What the hash cannot follow: a module that is imported by name, data that no code names."""
    by_name = [path for path in SCRIPTS.rglob("*.py") if "import_module(" in path.read_text(encoding="utf-8")]
    assert by_name == [SCRIPTS / "herbarium/__init__.py"]  # `herbarium.score`, which no script calls
    assert not [path for path in SCRIPTS.glob("*.py") if "herbarium.score" in path.read_text(encoding="utf-8")]
    data = [path for path in SCRIPTS.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert data
    reached = [place for script in SCRIPTS.glob("*.py") for place in provenance._reached(script, None).items()]
    words = {word for _, statement in reached for word in statement.words}
    named = {name for name, _ in provenance._named({file.parent for (file, _), _ in reached}, words)}
    assert [path for path in data if path.name not in named] == []
    reads_resources = [path for path in SCRIPTS.rglob("*.py") if "resources/" in _strings(path)]
    # as defaults of keys, and as error rates of metrics: inputs of rules; what published figures are of: parameters
    of_studies = {"stand_ins.py", "stand_in_sources.py", "catalogue.py"}  # which make a study, and are part of none
    checked = {"packages.py"}  # where else a file with a pinned digest is to be had
    assert {path.name for path in reads_resources} == {
        "section.py",
        "targets.py",
        "originals.py",
    } | of_studies | checked


def _strings(path):
    """The strings of a Python file that are no docstrings."""
    return "\n".join(statement.text for statement in provenance._module(path).statements)


def reached(script):
    return {path.relative_to(SCRIPTS).as_posix() for path in provenance.closure(SCRIPTS / f"{script}.py")}


def test_no_gpu_stage_depends_on_metrics_figures_or_configuration():
    rooms = ("metrics/", "drawing/", "report/", "page/", "study/", "training/", "api.py")
    for script in ("resolve_model", "plan_scoring", "score_shard"):
        assert not [path for path in reached(script) if path.removeprefix("herbarium/").startswith(rooms)], script


def test_metrics_depend_on_no_model_code():
    files = reached("measure_herb")
    assert "herbarium/metrics/herb/score.py" in files
    assert not files & {f"herbarium/scoring/{name}.py" for name in ("answering", "planning")}
    assert "herbarium/models/loading.py" not in files


def test_the_library_knows_nothing_of_snakemake():
    for path in (SCRIPTS / "herbarium").rglob("*.py"):
        assert not re.search(r"(?<!//)\bsnakemake\.", path.read_text(encoding="utf-8")), path  # but for its address


@pytest.fixture
def remembered(tmp_path):
    """Hashes of a folder with one script, `step`, that runs a library's `f`: a function that works them out."""
    scripts, library = tmp_path / "scripts", tmp_path / "library"
    (library / "herbarium").mkdir(parents=True)
    scripts.mkdir()
    (scripts / "step.py").write_text("from herbarium.used import f\nf()\n")
    (library / "herbarium/__init__.py").write_text("")
    (library / "herbarium/used.py").write_text("def f():\n    return 1\n")
    return lambda: provenance.code_hashes(scripts, library, tmp_path / "memo/code.json")


def test_hashes_are_worked_out_once(remembered, monkeypatch):
    hashes = remembered()
    monkeypatch.delattr(provenance, "code_hash")
    assert remembered() == hashes


def test_what_is_remembered_holds_for_a_copy(remembered, tmp_path, monkeypatch):
    hashes = remembered()
    there = tmp_path / "elsewhere"
    for part in ("scripts", "library", "memo"):
        shutil.copytree(tmp_path / part, there / part)
    monkeypatch.delattr(provenance, "code_hash")
    assert provenance.code_hashes(there / "scripts", there / "library", there / "memo/code.json") == hashes


@pytest.mark.parametrize(
    ("file", "text", "names"),
    [
        ("library/herbarium/used.py", "def f():\n    return 2\n", ["step"]),
        ("scripts/step.py", "from herbarium.used import f\nf() + 1\n", ["step"]),
        ("scripts/further.py", "1\n", ["further", "step"]),
    ],
)
def test_what_is_remembered_is_what_would_be_worked_out(remembered, tmp_path, file, text, names):
    before = remembered()
    (tmp_path / file).write_text(text)
    after = remembered()
    (tmp_path / "memo/code.json").unlink()
    assert after == remembered()
    assert list(after) == names
    assert (after["step"] == before["step"]) == (file == "scripts/further.py")


@pytest.mark.parametrize("damaged", ["", "{", "[]", "{}", '{"state": 1}', "null"])
def test_a_damaged_memo_is_written_anew(remembered, tmp_path, damaged):
    hashes = remembered()
    whole = (tmp_path / "memo/code.json").read_bytes()
    (tmp_path / "memo/code.json").write_text(damaged)
    assert remembered() == hashes
    assert (tmp_path / "memo/code.json").read_bytes() == whole


def test_where_nothing_can_be_remembered_hashes_are_worked_out(remembered, tmp_path):
    (tmp_path / "memo").write_text("a file, where the folder would be")
    assert remembered().keys() == {"step"}


def test_value_hash_ignores_the_order_of_keys():
    assert provenance.value_hash({"a": 1, "b": [1, 2]}) == provenance.value_hash({"b": [1, 2], "a": 1})
    assert provenance.value_hash({"a": 1}) != provenance.value_hash({"a": 2})


def test_file_hash_is_sha256(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    assert provenance.file_hash(tmp_path / "x") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
