"""A results folder is one run's at a time."""

import subprocess
import sys

from tests.refusals import refused

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
