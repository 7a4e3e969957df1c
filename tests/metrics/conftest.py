"""Tests of metrics run workflows too; what they compare with files is text, a file for each."""

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from tests.workflow.conftest import finished, project, untouched  # noqa: F401


class Text(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture
def text_snapshot(snapshot):
    return snapshot.use_extension(Text)
