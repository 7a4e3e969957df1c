"""The section of the configuration: every fault of it is named with its key."""

import pytest
from tests.refusals import tells
from tests.study.configurations import faults

from herbarium.study import config


def test_it_has_bootstrap_and_tests_of_its_own(values):
    given = {**values, "propagation": {"bootstrap": {"replicates": 10}, "tests": {"correction": "holm"}}}
    section = config.load(given).propagation
    assert (section.bootstrap.replicates, section.bootstrap.level, section.tests.correction) == (10, 0.95, "holm")
    assert config.load(given).downstream.bootstrap.replicates == 1000


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ({"bootstrap": {"replicates": -1}}, (None, "propagation.bootstrap.replicates")),
        ({"tests": {"correction": "hol"}}, (None, "propagation.tests.correction")),
        ({"test": {}}, (None, "'propagation.test'", "'tests'")),
    ],
)
def test_faults_of_the_section(values, section, told):
    assert tells(faults({**values, "propagation": section}), *told)
