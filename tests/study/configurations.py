"""The demo's configuration, to be spoiled, and what is said of it then."""

from pathlib import Path

import pytest
import yaml

from herbarium.core.errors import HerbariumError
from herbarium.study import config

GOOD = yaml.safe_load(Path("config/demo_full.yaml").read_text())


def faults(values, files=()):
    with pytest.raises(HerbariumError) as caught:
        config.load(values, files)
    return str(caught.value)
