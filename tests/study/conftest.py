"""The studies of config/, and all of the default one on stand-ins, whose texts and vectors are there."""

import pytest
import yaml

from herbarium.study import config, extension, stand_ins


def whole(name):
    """The configuration of a study that stand-ins are made for, with what it extends."""
    values = yaml.safe_load(stand_ins.SIZES[name].file.read_text(encoding="utf-8"))
    extension.extend(values, [])
    return values


@pytest.fixture(scope="session")
def everything(tmp_path_factory):
    """The configuration of the default study, and the same on stand-ins."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stand_ins, "FOLDER", tmp_path_factory.mktemp("everything"))
        full, folder = whole("everything"), stand_ins.FOLDER / "everything/data"
        values = stand_ins.study(full, "everything")
    stand_ins.make_vectors(values, folder)
    stand_ins.make_corpora(values, config.load(values), folder)
    return full, values
