"""The page of a study of full size (tests/page/large.py). How soon it opens: studies/benchmarks/page.py."""

import pytest
from tests.page import large
from tests.page.length import length
from tests.reports import opened

pytestmark = pytest.mark.nightly  # draws a page of many megabytes


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return large.write(tmp_path_factory.mktemp("large"))


def test_a_page_of_full_size_is_light(browser, file):
    measured_length = length(browser, file)
    assert measured_length["bytes"] < 26e6
    assert measured_length["words"] < 20_000


def test_models_are_chosen_on_it(browser, file):
    with opened(browser, file, folded=True) as page:
        page.get_by_text("Choose models").click()
        page.get_by_role("checkbox", name="model-00").uncheck()
        assert page.locator("[data-model=model-00]:visible").count() == 0
        assert page.locator("[data-model=model-01]:visible").count() > 0
