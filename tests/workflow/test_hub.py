"""Hub models, end to end, from a hub that runs in the test: pinning, fetching, and the cache without a network."""

import pytest
import yaml
from tests.hub import COMMIT, serve
from tests.workflow.conftest import reruns

from herbarium import store

pytestmark = pytest.mark.slow  # runs part of the workflow three times (half a minute)


@pytest.fixture
def hub(model_folder):
    """The address of a hub that has the tiny BERT as org/name."""
    with serve({"models/org/name": model_folder("bert")}) as address:
        yield address


def test_a_hub_model_is_pinned_fetched_and_then_used_without_a_network(project, hub, tmp_path):
    online = {"HF_ENDPOINT": hub, "HF_HOME": str(tmp_path / "cache"), "HF_HUB_DISABLE_XET": "1"}
    project.configure(models={"m": {"hub": "org/name", "kind": "masked"}})

    done = project.snakemake("pin_models", **online)
    assert done.returncode == 0, done.stdout
    assert yaml.safe_load((project.folder / "config/models.lock.yaml").read_text()) == {"org/name": COMMIT}

    done = project.snakemake("results/plans/m/herb/sentences-0.parquet", **online)
    assert done.returncode == 0, done.stdout
    record = store.read_json(project.folder / "results/models/m.json")
    assert (record["source"], record["hub"], record["revision"]) == ("hub", "org/name", COMMIT)
    assert record["path"] is None  # the cache lies elsewhere on every machine

    offline = {**online, "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "1"}
    done = project.snakemake("herb", **offline)
    assert done.returncode == 0, done.stdout
    assert (project.folder / "results/metrics/herb/m.parquet").exists()

    # another revision in the lock file
    project.edit("config/models.lock.yaml", COMMIT, "d" * 40)
    _, rules = reruns()["the revision of a hub model"]
    assert project.jobs("herb").keys() == (rules & project.jobs("herb", "--forceall").keys()) | {"herb"}
