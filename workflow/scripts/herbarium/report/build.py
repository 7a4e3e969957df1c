"""The report: one HTML page that holds everything it shows and asks nothing of the network.

Facts of each part are worked out in a module of its name, sentences are written in its template.
"""

import json
from pathlib import Path
from typing import NamedTuple

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from herbarium.figures import style


class Part(NamedTuple):
    """A part of the page: a line that says what it is, its sections as (id, title), its template and what that says."""

    title: str
    sections: list[tuple[str, str]]
    template: str
    facts: dict


def build(parts: list[Part], models: list[dict], study: dict, said: dict) -> str:
    """The page as text. Equal input gives equal text: nothing in it is of the hour.

    models: records of all models, which say what loaded them. study: the effective configuration, plain data. said:
    what the page says of itself (`store.header`), with the "libraries" that measured and drew.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rendered = [
        {
            "title": part.title,
            "sections": part.sections,
            "html": environment.get_template(part.template).render(part.facts),
        }
        for part in parts
    ]
    return environment.get_template("report.html.j2").render(
        parts=rendered,
        models=[_model(model) for model in style.by_strength(models)],
        seed=study["seed"],
        versions=_versions([said["libraries"], *(model["libraries"] for model in models)]),
        said=json.dumps(said, sort_keys=True),
        configuration=yaml.safe_dump(study, sort_keys=False, allow_unicode=True),
    )


def _model(model: dict) -> dict:
    """A model record as the page shows it."""
    origin = {"hub": model["hub"], "path": str(model["path"]), "planted": "trained by this workflow"}[model["source"]]
    weights = {name: digest for name, digest in model["files"].items() if name.endswith(".safetensors")}
    return model | {
        "label": style.label(model["name"], model["planted"]),
        "origin": origin,
        "weights": [(name, digest[:12]) for name, digest in sorted(weights.items())],
        "strength": "–" if model["planted"] is None else f"{model['planted']:g}",
    }


def _versions(used: list[dict[str, str]]) -> dict[str, str]:
    """Version by library; more than one where they were not the same all the time."""
    names = {name for versions in used for name in versions}
    return {name: " and ".join(sorted({versions[name] for versions in used if name in versions})) for name in names}
