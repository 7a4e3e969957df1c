"""The smallest study of a model that refuses every sentence: it is planned, tuned and scored, and the page says so."""

import json

import pytest
import yaml
from tests.metrics.test_degenerate import LONE, study

from herbarium.core import store

pytestmark = pytest.mark.nightly  # runs a workflow (a minute)


def test_the_smallest_study_of_a_model_that_refuses_everything(project):
    for path, text in LONE.items():
        project.write(path, text)
    tokenizer = project.folder / "tiny/tokenizer_config.json"
    tokenizer.write_text(json.dumps(json.loads(tokenizer.read_text()) | {"model_max_length": 2}))  # [CLS] and [SEP]
    values = study({"tiny": {"path": "tiny", "kind": "masked", "dtype": "auto"}}, countries=1)
    settings = {
        key: values[key] for key in ("results", "seed", "shards", "models", "regions", "herb", "categorical_bias")
    }
    settings["herb"] |= {"released": {"pad_mean": False}}
    del settings["categorical_bias"]["languages"]["two"]
    settings["mixed_models"] = {"engine": "none"}
    project.write("study.yaml", yaml.safe_dump(settings, sort_keys=False))
    log = project.run()
    assert "Traceback" not in log
    results = project.folder / "results"
    summary = store.read_frame(results / "summary.parquet", "tidy")
    assert {"herb", "categorical_bias"} <= set(summary["metric"])
    assert summary["estimate"].isna().all()
    assert summary["note"].notna().all()
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert "not measured: sentences about every region were refused" in page
    assert "more tokens than the 2 that the model takes" in page
