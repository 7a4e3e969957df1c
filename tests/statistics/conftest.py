"""Tests of mixed models run workflows too."""

from tests.workflow.conftest import project, untouched  # noqa: F401
