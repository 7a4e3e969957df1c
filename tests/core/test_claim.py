"""A results folder is one run's at a time."""

import os
import subprocess
import sys
import tempfile
from itertools import takewhile
from pathlib import Path

import pytest
from tests.refusals import refused, tells
from tests.users import AS_NOBODY

from herbarium.core.claim import claim

# Claims a folder, says so, and holds it until its input ends.
HOLDER = "import sys; from herbarium.core.claim import claim; print(claim(sys.argv[1]), flush=True); sys.stdin.read()"


def test_a_folder_is_claimed_until_its_process_ends(tmp_path):
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "None\n"
        with refused(None, tmp_path):
            claim(tmp_path)
        other.stdin.close()
    assert claim(tmp_path) is None


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "results").write_text("a file")
    with refused(".snakemake", "`results:`"):
        claim(tmp_path / "results")


def claims(folder):
    """What a user who owns nothing is told; None if it is all right."""
    code = (
        "import sys; sys.path.insert(0, 'workflow/scripts')\n"
        "from herbarium.core.claim import claim; from herbarium.core.errors import HerbariumError\n"
        "try: claim(sys.argv[1])\nexcept HerbariumError as error: print(error)"
    )
    done = subprocess.run([*AS_NOBODY, sys.executable, "-c", code, str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("made_by", ["this version", "an earlier one"])
def test_a_second_user_of_a_folder_is_told_whose_it_is_or_claims_it(tmp_path, made_by):
    for folder in takewhile(lambda folder: folder != Path(tempfile.gettempdir()), (tmp_path, *tmp_path.parents)):
        folder.chmod(0o755)
    results = tmp_path / "results"
    subprocess.run([sys.executable, "-c", "from herbarium.core.claim import claim; claim(__import__('sys').argv[1])",
                    str(results)], check=True, umask=0o022)  # fmt: skip
    if made_by == "an earlier one":
        (results / ".snakemake/lock").chmod(0o644)
        (results / ".snakemake").chmod(0o755)
        assert tells(claims(results), "lock", "root", "umask 002", results)
    for folder in (results, results / ".snakemake"):
        folder.chmod(0o777)
    assert claims(results) == ""
    assert claim(results) is None
    assert "Another run" in claims(results)
