"""The numbers of a model as a record of Every Eval Ever, schema 0.2.2.

https://github.com/evaleval/every_eval_ever, every_eval_ever/schemas/eval.schema.json
"""

import uuid
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime

import pandas as pd

from herbarium.core.errors import HerbariumError, did_you_mean

SCHEMA = "0.2.2"
_LOCAL = "local"  # developer of a model that is not on a hub


def require_measured(metrics: Iterable[str], measured: Collection[str]) -> None:
    """Raise HerbariumError if the configuration names a metric that the summary does not have."""
    for metric in metrics:
        if metric not in measured:
            raise HerbariumError(
                f"exchange.every_eval_ever.lower_is_better: the summary has no metric '{metric}'"
                f"{did_you_mean(metric, measured)}"
            )


def record(rows: pd.DataFrame, model: dict, settings: dict, libraries: dict[str, str]) -> tuple[str, dict]:
    """The path of a record in the collection, below its `data`, and the record.

    rows: of the summary, all of one model, for metrics of which the configuration says whether lower is better, with
    their "signature". model: its record, with the number format that it ran in. settings: the section `exchange` of the
    configuration, with `every_eval_ever`. libraries: their versions. Numbers without an estimate are left out.
    """
    options = settings["every_eval_ever"]
    name = model["hub"] or f"{_LOCAL}/{model['name']}"
    time = f"{datetime.fromisoformat(settings['date']).replace(tzinfo=UTC).timestamp():.0f}"
    results = list(_results(rows[rows["estimate"].notna()], options["lower_is_better"]))
    evaluation = f"herbarium/{name}/{time}"
    # the collection names files by UUID; the same numbers get the same one
    signed = "\n".join([evaluation, *(result["evaluation_result_id"] for result in results)])
    more = {key: model[key] for key in ("revision", "dtype", "architecture") if model.get(key)}
    engine = {"name": "transformers", "version": libraries["transformers"]} if "transformers" in libraries else {}
    return f"herbarium/{name}/{uuid.uuid5(uuid.NAMESPACE_URL, signed)}.json", {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation,
        "retrieved_timestamp": time,
        "source_metadata": {
            "source_name": settings["title"],
            "source_type": "evaluation_run",
            "source_organization_name": options["organization"],
            "evaluator_relationship": options["relationship"],
        },
        "eval_library": {"name": "herbarium", "version": libraries["herbarium"]},
        "model_info": {
            "name": model["name"],
            "id": name,
            "developer": name.partition("/")[0],
            "inference_engine": engine,
            "additional_details": more,
        },
        "evaluation_results": results,
    }


def _results(rows: pd.DataFrame, lower_is_better: dict[str, bool]) -> Iterator[dict]:
    for row in rows.to_dict("records"):
        parameters = {key: None if pd.isna(row[key]) else row[key] for key in ("definition", "variant")}
        yield {
            "evaluation_result_id": row["signature"],
            "evaluation_name": " / ".join(row[key] for key in ("metric", "unit", "group")),
            "source_data": {"dataset_name": row["metric"], "source_type": "other"},
            "metric_config": {
                "metric_id": f"herbarium.{row['metric']}",
                "metric_name": ", ".join(value for value in parameters.values() if value),
                "metric_parameters": parameters,
                "lower_is_better": lower_is_better[row["metric"]],
            },
            "score_details": {"score": row["estimate"], "uncertainty": _uncertainty(row)},
        }


def _uncertainty(row: dict) -> dict:
    uncertainty = {} if pd.isna(row["std_error"]) else {"standard_error": {"value": row["std_error"]}}
    if not pd.isna(row["ci_low"]) and not pd.isna(row["ci_high"]):
        uncertainty["confidence_interval"] = {"lower": row["ci_low"], "upper": row["ci_high"]}
    return uncertainty if pd.isna(row["n"]) else uncertainty | {"num_samples": int(row["n"])}
