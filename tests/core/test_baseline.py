"""What a run was planned from: any other content stops a step, and nothing else does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.refusals import refused

from herbarium.core import baseline, provenance
from herbarium.core.baseline import Baseline

LIBRARY = Path(baseline.__file__).parents[2]


@pytest.fixture
def code(tmp_path):
    """A script that reaches one module of two, with the folder of a library, and what was planned."""
    library = tmp_path / "library"
    (library / "herbarium").mkdir(parents=True)
    (library / "herbarium/__init__.py").write_text("")
    (library / "herbarium/used.py").write_text("def f():\n    return 1\n")
    (library / "herbarium/unused.py").write_text("def f():\n    return 1\n")
    script = tmp_path / "scripts/measure.py"
    script.parent.mkdir()
    script.write_text("from herbarium.used import f\nf()\n")
    states = baseline.states(provenance.code_files(script.parent, library))
    planned = Baseline({}, states, {"measure": provenance.code_hash(script, library)}, {})
    return lambda rule="measure": baseline.require_same_code(planned, rule, script, library)


def rewrite(file, text):
    """As many editors do: another file in the place of the first; with its date, as `cp -p` may do."""
    date = file.stat().st_mtime_ns
    file.with_suffix(".new").write_text(text)
    file.with_suffix(".new").rename(file)
    os.utime(file, ns=(date, date))


@pytest.mark.parametrize("write", [rewrite, Path.write_text])
@pytest.mark.parametrize(
    ("file", "text", "is_other"),
    [
        ("library/herbarium/used.py", "def f():\n    return 2\n", True),
        ("library/herbarium/used.py", "def f():\n    return\n", True),
        ("library/herbarium/used.py", "def f(:\n", True),  # half written
        ("library/herbarium/used.py", "def f():\n    return 1  # as it was\n", False),
        ("library/herbarium/used.py", "def f():\n    return 1\n", False),
        ("library/herbarium/unused.py", "def f():\n    return 2\n", False),
        ("scripts/measure.py", "from herbarium.used import f\nf() + 1\n", True),
    ],
)
def test_other_code_stops_the_steps_that_reach_it(code, tmp_path, file, text, is_other, write):
    code()
    write(tmp_path / file, text)
    if is_other:
        with refused(Path(file).name):
            code()
    else:
        code()
    code("a rule that does not say its code")


def test_a_module_that_is_gone_stops_them(code, tmp_path):
    (tmp_path / "library/herbarium/used.py").unlink()
    with refused("herbarium/used.py"):
        code()


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        ("weak\nwise\n", ()),  # touched
        ("# of us\nweak\nwise\n", ("table",)),
        ("weak\nwily\n", ("table", "list")),
        (None, ("table", "list")),
    ],
)
def test_other_content_of_a_source_stops_the_steps_that_read_it(tmp_path, text, stops):
    files = {name: tmp_path / name for name in ("table", "list", "unread")}
    for file in files.values():
        file.write_text("weak\nwise\n")
    sources = {str(files[name]): name == "list" for name in files}
    planned = Baseline({}, {}, {}, baseline.examine(sources, None))
    for file in files.values():
        rewrite(file, text) if text else file.unlink()
    for name in ("table", "list"):
        if name in stops:
            with refused(files[name]):
                baseline.require_same_sources(planned, [str(files[name]), "of a job"])
        else:
            baseline.require_same_sources(planned, [str(files[name]), "of a job"])


def test_what_nobody_has_written_to_is_not_read_again(tmp_path, monkeypatch):
    file = tmp_path / "weights"
    file.write_text("1")
    first = Baseline({}, {}, {}, baseline.examine({str(file): False}, None))
    with monkeypatch.context() as patched:
        patched.delattr(baseline, "file_hash")
        assert baseline.examine({str(file): False}, first) == first.sources
    as_text = baseline.examine({str(file): True}, first)
    assert as_text[str(file)][1] == provenance.text_hash(file)
    rewrite(file, "2")
    assert baseline.examine({str(file): False}, first)[str(file)][1] == provenance.file_hash(file)


def test_another_study_is_named():
    planned = Baseline({"the configuration": "1", "lock": "1", "a.smk": "1"}, {}, {}, {})
    baseline.require_same_study(planned, dict(planned.study))
    for name in planned.study:
        with refused(name):
            baseline.require_same_study(planned, planned.study | {name: "2"})
    with refused("b.smk"):
        baseline.require_same_study(planned, planned.study | {"b.smk": "1"})


def test_what_was_written_is_read(tmp_path):
    assert baseline.read(tmp_path) is None
    planned = Baseline({"a": "1"}, {"b.py": [1, 2, 3]}, {"c": "2"}, {"d": [[1, 2, 3], "3"]})
    baseline.write(tmp_path, planned)
    assert baseline.read(tmp_path) == planned


STEP = """
import sys
from pathlib import Path
from types import SimpleNamespace
from snakemake.iocontainers import InputFiles, Params
from herbarium.core.step import begin

results, words = sys.argv[1:3]
job = SimpleNamespace(
    rule="measure",
    log=[f"{results}/log"],
    config={"results": results},
    input=InputFiles([words]),
    params=Params(fromdict={"code": "c0de"}),
)
begin(job)
exec(sys.argv[3])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("meanwhile", "fails"), [("", False), ("Path(words).write_text('wise')", True), ("Path(words).touch()", False)]
)
def test_a_step_that_sees_its_input_change_fails(tmp_path, meanwhile, fails):
    words, script, results = tmp_path / "words.txt", tmp_path / "measure.py", tmp_path / "results"
    words.write_text("weak\n")
    script.write_text(STEP)
    baseline.write(results, Baseline({}, {}, {}, baseline.examine({str(words): False}, None)))
    done = subprocess.run(
        [sys.executable, script, results, words, meanwhile],
        env={**os.environ, "PYTHONPATH": str(LIBRARY)},
        text=True,
        capture_output=True,
    )
    assert done.returncode == fails, done.stderr
    (message, *further) = done.stderr.splitlines() or [""]
    assert ("words.txt: changed" in message) == fails
    assert further == []
    told = [line for line in (results / "log").read_text().splitlines() if not line.endswith(" Ended.")]
    assert told == list(filter(None, [message]))


def test_what_is_written_while_a_job_runs_is_warned_of_and_only_that(tmp_path):
    kept, read, saved, restored = (tmp_path / f"{name}.txt" for name in ("kept", "read", "saved", "restored"))
    script, other = tmp_path / "script.py", tmp_path / "other.py"
    for file in (kept, read, saved, restored, script, other):
        file.write_text("7\n")
    sources = [str(file) for file in (kept, read, saved, restored)]
    examined = baseline.examine(dict.fromkeys(sources, True), None)
    planned = Baseline({}, baseline.states([script, other]), {}, examined)
    before = baseline.in_use(planned, [*sources, "made by a job"])
    read.read_text()
    saved.write_text("7\n")
    rewrite(restored, "8\n")
    rewrite(restored, "7\n")
    other.touch()
    baseline.require_same_sources(planned, sources)
    warning = baseline.written_meanwhile(planned, before, script, tmp_path)
    assert warning.startswith(f"{restored}, {saved}: written to")
    script.touch()
    warning = baseline.written_meanwhile(planned, before, script, tmp_path)
    assert warning.startswith(f"{restored}, {saved}, {script}: written to")
    assert baseline.written_meanwhile(planned, baseline.in_use(planned, sources), script, tmp_path) is None
