"""The numbers of a model in the format of lm-evaluation-harness 0.4.

A task is what is measured, `metric / unit / group`; its metrics are the definitions, each with the variant as the
filter. Numbers without an estimate are left out: the summary says why they have none.
"""

import pandas as pd

_NO_VARIANT = "none"
_NO_ERROR = "N/A"


def results(rows: pd.DataFrame, name: str, record: dict | None, libraries: dict[str, str], seed: int) -> dict:
    """rows: of the summary, all of one model, with their "signature". name: of the model. record: of the model,
    with the number format that it ran in; None if it is not a model. libraries: their versions, including herbarium."""
    version = libraries["herbarium"]
    tasks, lines, counts = {}, {}, {}
    for row in rows[rows["estimate"].notna()].to_dict("records"):
        task = " / ".join(row[key] for key in ("metric", "unit", "group"))
        variant = _NO_VARIANT if pd.isna(row["variant"]) else row["variant"]
        error = _NO_ERROR if pd.isna(row["std_error"]) else row["std_error"]
        of_task = tasks.setdefault(task, {"alias": task})
        of_task |= {f"{row['definition']},{variant}": row["estimate"], f"{row['definition']}_stderr,{variant}": error}
        lines.setdefault(task, {})[f"{row['definition']},{variant}"] = row["signature"]
        if not pd.isna(row["n"]):
            counts.setdefault(task, {"original": int(row["n"]), "effective": int(row["n"])})
    return {
        "results": tasks,
        "group_subtasks": {task: [] for task in tasks},
        "configs": {
            task: {"task": task, "num_fewshot": 0, "metadata": {"version": version, "signatures": lines[task]}}
            for task in tasks
        },
        "versions": dict.fromkeys(tasks, version),
        "n-shot": dict.fromkeys(tasks, 0),
        # for a signed difference, neither is better
        "higher_is_better": {task: {measure.partition(",")[0]: None for measure in lines[task]} for task in tasks},
        "n-samples": counts,
        "config": _config(name, record)
        | {f"{library}_seed": seed for library in ("random", "numpy", "torch", "fewshot")},
        "git_hash": None,
        "model_source": "hf",
        "model_name": _source(name, record),
        "herbarium_version": version,
        "transformers_version": libraries.get("transformers"),
    }


def _source(name: str, record: dict | None) -> str:
    return record["hub"] if record and record["hub"] else name


def _config(name: str, record: dict | None) -> dict:
    arguments = [f"pretrained={_source(name, record)}"]
    if record is None:
        return {"model": "hf", "model_args": arguments[0]}
    arguments += [f"revision={record['revision']}"] if record["revision"] else []
    return {
        "model": "hf",
        "model_args": ",".join([*arguments, f"dtype={record['dtype']}"]),
        "model_num_parameters": record["n_parameters"],
        "model_dtype": record["dtype"],
        "model_revision": record["revision"],
    }
