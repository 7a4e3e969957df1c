"""Rows of several models, in every metric: see tests/assembly.py."""

from importlib import import_module
from pathlib import Path

import pytest
from tests.assembly import assert_assembled

ASSEMBLED = [
    assembly
    for path in sorted(Path("tests/metrics").glob("*/assembly.py"))
    for assembly in import_module(".".join(path.with_suffix("").parts)).ASSEMBLED
]


@pytest.mark.parametrize("assembly", ASSEMBLED, ids=lambda assembly: assembly.name)
def test_what_stands_beside_it_changes_no_row(assembly):
    assert_assembled(assembly)
