"""The report: one HTML page that holds everything it shows and asks nothing of the network.

Facts of each part are worked out in a module of its name, sentences are written in its template.
"""

import base64
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from herbarium.drawing import style

_HERE = Path(__file__).parent


class Part(NamedTuple):
    """A part of the page: a line that says what it is, its sections as (id, title), its template and what that says."""

    title: str
    sections: list[tuple[str, str]]
    template: str
    facts: dict


def build(parts: list[Part], models: list[dict], study: dict, said: dict, countries: dict | None = None) -> str:
    """The page as text. Equal input gives equal text: nothing in it is of the hour.

    models: records of all models, which say what loaded them. study: the effective configuration, plain data. said:
    what the page says of itself (`store.header`), with the "libraries" that measured and drew. countries: GeoJSON, for
    interactive maps.
    """
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rendered = [
        {
            "title": part.title,
            "sections": part.sections,
            "html": Markup(environment.get_template(part.template).render(part.facts)),  # noqa: S704 (escaped there)
        }
        for part in parts
    ]
    # What is not on the page is not needed on it: no script where there is nothing that it serves.
    page = "".join(part["html"] for part in rendered)
    scripts = [get_plotlyjs(), _read("plots.js")] if '<figure class="plot">' in page else []
    scripts += [_read("tables.js")]
    return environment.get_template("report.html.j2").render(
        style=Markup(_read("report.css")),  # noqa: S704 (ours, as the scripts are)
        scripts=[{"text": Markup(script), "hash": _hash(script)} for script in scripts],  # noqa: S704
        outlines=countries if "choropleth" in page else None,
        parts=rendered,
        models=[_model(model) for model in style.by_strength(models)],
        seed=study["seed"],
        versions=_versions([said["libraries"], *(model["libraries"] for model in models)]),
        said=json.dumps(said, sort_keys=True),
        configuration=yaml.safe_dump(study, sort_keys=False, allow_unicode=True),
    )


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """What the content policy of the page knows a script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


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
