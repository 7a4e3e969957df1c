"""Tests of mixed models run workflows too."""

from tests.workflow.conftest import project  # noqa: F401
