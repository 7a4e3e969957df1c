"""Tests of metrics run workflows too."""

from tests.workflow.conftest import finished, project, untouched  # noqa: F401
