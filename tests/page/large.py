"""The page of a study of full size, with made-up numbers: 25 models, 17 metrics, maps of countries, a million rows."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
from tests.page.test_rooms import EMPTY, STUDY

from herbarium.drawing import panels as interactive
from herbarium.drawing import style
from herbarium.drawing.printed import printed
from herbarium.page import answers as drawn
from herbarium.page.build import build
from herbarium.page.overview import looks, overview
from herbarium.page.uncertainty import uncertainty
from herbarium.report.answers import answer, table
from herbarium.report.part import Tested, render
from herbarium.report.pictures import Picture, shown
from herbarium.scoring.refusals import REFUSALS
from herbarium.statistics.tidy import TIDY

COUNTRIES = json.loads(Path("resources/maps/countries.geojson").read_text())
MODELS = [f"model-{i:02}" for i in range(22)] + ["none", "weak", "strong"]
PLANTED = {"none": 0.0, "weak": 1.0, "strong": 2.0}
METRICS, ROWS = 17, 1_000_000
PART = """{% from "macros.html.j2" import cell_of, figure %}
<section aria-labelledby="{{ name }}-all"><h2 id="{{ name }}-all">{{ name }}</h2>
{% for of in pictures %}{% call figure(of, "Shown") %}Shown.{% endcall %}{% endfor %}
<div class="wide" tabindex="0" role="region" aria-label="Numbers of {{ name }}">
<table class="plain" id="table-{{ name }}"><caption><span>Numbers.</span></caption>
<thead><tr><th scope="col" class="row">Region</th>
{% for model in models %}<th scope="col">{{ model }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in rows %}<tr><th scope="row">{{ loop.index }}</th>
{% for cell in row %}<td>{{ cell_of(cell) }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table></div></section>"""


def numbers(random, n):
    """So many numbers of each model."""
    rows = pd.DataFrame({"model": np.repeat(MODELS, n), "estimate": random.normal(size=n * len(MODELS))})
    return rows.assign(
        ci_low=rows["estimate"] - 0.3, ci_high=rows["estimate"] + 0.3, planted=rows["model"].map(PLANTED), note=None
    )


def part(name, random, png, folder):
    """A part with a map of every model, a forest of ten lines of them, and a table of 200 regions."""
    chosen = [feature["properties"]["name"] for feature in COUNTRIES["features"]]
    codes = [feature["properties"]["iso2"] for feature in COUNTRIES["features"]]
    of_map = numbers(random, len(chosen)).assign(iso2=codes * len(MODELS), has_polygon=True, name=chosen * len(MODELS))
    maps = [interactive.map_(label, rows, "estimate", 2, "nats") for label, rows in interactive.by_model(of_map)]
    lines = numbers(random, 10)
    lines = lines.assign(line=[f"line {i}" for i in range(10)] * len(MODELS), series=interactive.labels(lines))
    forest = interactive.forest(name, lines, "nats", style.looks(lines["series"]))
    pictures = [
        shown(Picture(png, side.to_csv(index=False).encode()), "Numbers of all models.", f"{name}_{kind}", panels)
        for kind, side, panels in (("map", of_map, maps), ("forest", lines, [forest]))
        if kind == "forest" or name in ("metric-0", "metric-1")
    ]
    cells = numbers(random, 200)["estimate"].to_numpy().reshape(200, -1)
    rows = [[{"value": f"{x:.3f}", "low": f"{x - 0.3:.3f}", "high": f"{x + 0.3:.3f}"} for x in row] for row in cells]
    (folder / "part.html.j2").write_text(PART)
    facts = {"name": name, "pictures": pictures, "models": MODELS, "rows": rows}
    return EMPTY._replace(
        name=name,
        title=f"{name} of all models",
        sections=[(f"{name}-all", name)],
        html=render(folder, "part.html.j2", facts),
        overview=f"<h3>{name.capitalize()}</h3><p>Found.</p>",
        tested=[Tested(name, name, f"{name}-all")],
        answers=[answer(name.capitalize(), "How much.", "nats", f"{name}-all", numbers(random, 1), PLANTED)],
    )


def write(folder: Path, metrics: int = METRICS) -> Path:
    """metrics: how many there are; the file that was written."""
    random = np.random.default_rng(0)
    answered = table([answer(f"Metric {i}", "", "", "", numbers(random, 1), PLANTED) for i in range(metrics)])
    style.save(printed(drawn.panels(answered), drawn.EMPTY), [folder / "figure.png"])
    png = (folder / "figure.png").read_bytes()
    parts = [part(f"metric-{i}", random, png, folder) for i in range(metrics)]
    result = table([item for part in parts for item in part.answers])
    summary = pd.DataFrame(
        {"metric": random.choice([part.name for part in parts], ROWS), "estimate": random.normal(size=ROWS)}
    )
    summary = summary.reindex(columns=TIDY.fields.names).astype({"converged": object, "note": object})
    rooms = [
        overview(parts, [], [], Picture(png, result.to_csv(index=False).encode()), {}),
        *parts,
        uncertainty(summary, pd.DataFrame(columns=REFUSALS.fields.names).astype({"n": int, "of": int}), parts),
    ]
    file = folder / "index.html"
    file.write_text(build(rooms, [], STUDY, {"libraries": {}}, COUNTRIES, looks(parts)))
    return file
