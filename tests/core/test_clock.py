"""A clock that is behind is noticed while nothing is lost."""

import os

import pytest
from tests.refusals import refused

from herbarium.core import clock


@pytest.mark.parametrize("ahead", [-86400, -1, 0, 1])
def test_files_of_the_past_and_of_this_moment_are_no_fault(tmp_path, ahead):
    at = clock.now(tmp_path / "new")
    file = tmp_path / "a.parquet"
    file.touch()
    os.utime(file, (at + ahead, at + ahead))
    clock.require_past([str(file), str(tmp_path / "missing")], at)
    assert not list((tmp_path / "new").iterdir())


@pytest.mark.parametrize(("ahead", "fact"), [(5, "5 seconds"), (1800, "30 minutes"), (86400, "1,440 minutes")])
def test_a_file_of_the_future_is_named(tmp_path, ahead, fact):
    at = clock.now(tmp_path)
    for name, more in (("first.parquet", 0), ("last.parquet", ahead)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (at + more, at + more))
    with refused("last.parquet", fact):
        clock.require_past([str(path) for path in tmp_path.iterdir()], at)


def test_where_nothing_can_be_written_the_machines_own_clock_counts(tmp_path):
    (tmp_path / "file").touch()
    assert clock.now(tmp_path / "file") > 0
