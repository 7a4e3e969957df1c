"""The study of every metric: whatever has run once has nothing more to do."""

import pytest

pytestmark = pytest.mark.slow


def test_a_second_run_has_nothing_to_do(measured):
    assert measured.jobs() == {}
