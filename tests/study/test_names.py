"""A metric is a folder: few files outside its own name it."""

import re
import subprocess
from pathlib import Path

import pytest

METRICS = sorted(path.parent.name for path in Path("workflow/scripts/herbarium").glob("metrics/*/section.py"))
MOST = 5
# What is a metric's own, beside its folder of the library.
OWN = (
    r"workflow/scripts/herbarium/metrics/{0}/|workflow/rules/{0}\.smk|workflow/scripts/\w*\.py|workflow/report/{0}\.rst"
    r"|resources/{0}/|docs/metrics/{0}\.md|tests/metrics/{0}/"
)
# Tidy rows of every mixed model, of whatever metric, are called "mixed_effects", as they were before it had a method.
NAMES_ROWS = Path("workflow/scripts/herbarium/statistics/fits_overview.py")
# How code and configuration name a metric: as a key, a module, a path, or a value by itself.
NAMED = r"(?<![\w-]){0}(?![\w-])"
# A metric that is called by an everyday word, a key of other sections too: as a module, a rules file or a section.
EVERYDAY = {"languages": r"metrics[./ ]languages|rules/languages|^languages:|^ {4}languages: Languages"}


# What `make docs` writes from the metrics' own declarations.
WRITTEN = re.compile(r"<!-- ([\w ]+): `make \w+` -->.*?<!-- end of \1 -->", re.DOTALL)


def shared_files(metric: str) -> list[Path]:
    """Every file that is no metric's own, of code, configuration or front page; the changes are those of the past."""
    tracked = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.split("\n")
    kinds = r"(workflow|profiles|config|envs)/.*\.(py|smk|j2|css|js|yaml|md)|[A-Z][\w.]*|workflow/Snakefile"
    metric_files = "|".join(OWN.format(name) for name in METRICS)
    return [
        Path(file) for file in tracked if re.fullmatch(kinds, file) and not re.match(rf"{metric_files}|CHANGELOG", file)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_few_shared_files_name_a_metric(metric):
    # the configuration counts once
    files = [file for file in shared_files(metric) if file.is_file() and file != NAMES_ROWS]
    named = {
        "config" if file.parts[0] == "config" else str(file)
        for file in files
        if re.search(
            EVERYDAY.get(metric, NAMED.format(metric)), WRITTEN.sub("", file.read_text(encoding="utf-8")), re.MULTILINE
        )
    }
    assert len(named) <= MOST, sorted(named)
