"""The page: one HTML file that contains everything it shows and loads nothing from the network.

It puts together the parts that metrics have written (`report.part`) and the rooms on the whole study. Each room has its
facts in a module of this folder and its sentences in the template of the same name.
"""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from herbarium.drawing import style
from herbarium.page.glossary import terms, with_tooltips
from herbarium.report.part import Part, heading, render

HERE = Path(__file__).parent
_CAPTIONS = {"<caption><span>": "Table", "<figcaption>": "Figure"}


class Room(NamedTuple):
    """One titled block of the page (no title: no entry in the contents): its sections as (id, title), and its HTML."""

    title: str
    sections: list[tuple[str, str]]
    html: str


class Block(NamedTuple):
    """A room, or a part of a metric with its name. `lead` is always visible, `html` of a part only when the reader asks
    for all numbers; its headings are one level below the heading of the part."""

    name: str
    title: str
    heading: str
    sections: list[tuple[str, str]]
    lead: str
    html: str
    inside: str


def block(entry: Room | Part) -> Block:
    if isinstance(entry, Room):
        return Block("", entry.title, entry.title, entry.sections, "", entry.html, "")
    counts = {"tables": entry.html.count("<table"), "figures": entry.html.count("<figure")}
    inside = ", ".join(f"{n} {kind if n > 1 else kind[:-1]}" for kind, n in counts.items() if n)
    lead, html = entry.lead, f"{entry.overview}{entry.html}"
    if not (entry.lead or entry.answers):  # then its findings are all that it can show first
        lead, html = entry.overview, entry.html
    return Block(entry.name, entry.title, heading(entry) or entry.title, entry.sections, lead, _lowered(html), inside)


def with_terms(page_block: Block) -> Block:
    """The block with the first use of each term of the glossary explained."""
    lead, html = with_tooltips(page_block.lead, page_block.html)
    return page_block._replace(lead=lead, html=html)


def _lowered(page: str) -> str:
    return re.sub(r"(</?h)([2-5])\b", lambda tag: f"{tag[1]}{int(tag[2]) + 1}", page)


def room(section: str, title: str, facts: dict) -> Room:
    """A room on the whole study: its template is named after its section."""
    return Room("", [(section, title)], render(HERE, f"{section}.html.j2", facts))


def build(
    rooms: list[Room | Part],
    models: list[dict],
    study: dict,
    header: dict,
    countries: dict | None = None,
    looks: Sequence[dict] = (),
) -> str:
    """The page as text. Equal input gives equal text: nothing in it depends on the time.

    rooms: in their order. models: records of all models, which say what loaded them. study: the effective
    configuration, plain data. header: the header of the page itself (`store.header`), with the "libraries" that
    measured and drew. countries: GeoJSON, for interactive maps. looks: of `overview.looks`.
    """
    # The page has only the scripts that something on it needs.
    glossary = room("glossary", "Glossary", {"terms": terms()})
    blocks = [with_terms(block(page_room)) for page_room in rooms] + [block(glossary)]
    page = "".join(f"{page_block.lead}{page_block.html}" for page_block in blocks)
    scripts = [_read("choice.js")]
    scripts += [get_plotlyjs(), _read("plots.js")] if ' class="plot">' in page else []
    scripts += [_read("tables.js"), _read("search.js")]
    facts = {
        "style": Markup(_read("page.css")),  # noqa: S704 (ours, as the scripts are)
        "scripts": [{"text": Markup(script), "hash": _hash(script)} for script in scripts],  # noqa: S704
        "outlines": countries if "choropleth" in page else None,
        "blocks": [
            page_block._asdict() | {"lead": Markup(page_block.lead), "html": Markup(page_block.html)}  # noqa: S704 (escaped there)
            for page_block in blocks
        ],
        "looks": list(looks),
        "topics": list(
            dict.fromkeys(topic for page_room in rooms if isinstance(page_room, Part) for topic in page_room.topics)
        ),
        "models": [_model(model) for model in style.by_strength(models)],
        "seed": study["seed"],
        "versions": _versions([header["libraries"], *(model["libraries"] for model in models)]),
        "said": json.dumps(header, sort_keys=True),
        "configuration": yaml.safe_dump(study, sort_keys=False, allow_unicode=True),
    }
    return numbered(render(HERE, "page.html.j2", facts))


def numbered(page: str) -> str:
    """The page with its tables and figures numbered in their captions, in their order. Links
    `<a class="number" href="#ID"></a>` get as their text the number of the table that they lead to. This is safe:
    nothing that a template is given counts as markup.
    """
    counts: Counter[str] = Counter()

    def with_number(opening: re.Match) -> str:
        kind = _CAPTIONS[opening[0]]
        counts[kind] += 1
        return f"{opening[0]}<strong>{kind} {counts[kind]}.</strong> "

    head, main, rest = page.partition("<main>")
    body, end, scripts = rest.partition("</main>")  # a changed script would not match its hash in the policy
    body = re.sub("|".join(_CAPTIONS), with_number, body)
    names = dict(re.findall(r'<table[^>]* id="([^"]+)">\s*<caption><span><strong>(Table \d+)', body))
    links = re.compile(r'(?<=<a class="number" href="#)([^"]+)">')
    body = links.sub(lambda link: link[0] + names[link[1]], body)
    return head + main + body + end + scripts


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """The hash by which the page's content security policy allows a script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _choices(model: dict) -> Iterator[str]:
    """What the study accepted of a model whose folder says something else, and what its folder leaves open."""
    merged = model.get("merged")
    if merged and merged["made_for"] not in (None, merged["base"]["hub"], merged["base"]["path"]):
        yield f"which was made for {merged['made_for']}"
    if model["classes"]:
        yield "read with the classes of transformers instead of its own"
    if model["tokenizer"]:
        yield f"with the tokenizer of the {model['tokenizer']}, as the study chose"
    if model["unused_tensors"]:
        yield f"without its tensors {', '.join(model['unused_tensors'])}"
    yield from model["tokenizer_notes"]


def _model(model: dict) -> dict:
    """A model record, as the page shows it."""
    origin = {"hub": model["hub"], "path": str(model["path"]), "planted": "trained by this workflow"}
    if model["source"] == "derived":
        origin["derived"] = "{from}, then recipe {by[recipe]}".format_map(model["derived"])
    if merged := model.get("merged"):
        base, adapter = (_place(merged[part]) for part in ("base", "adapter"))
        origin[model["source"]] = f"{base}, with the adapter {adapter}"
    if gguf := model.get("gguf"):
        origin[model["source"]] += f", GGUF file {gguf['file']} ({gguf['file_type']}, sha256 {gguf['sha256'][:12]}). "
        origin[model["source"]] += gguf["note"] or ""
    origin[model["source"]] += "".join(f", {choice}" for choice in _choices(model))
    weights = {name: digest for name, digest in model["files"].items() if name.endswith(".safetensors")}
    return model | {
        "label": style.label(model["name"], model["planted"]),
        "origin": origin[model["source"]],
        "weights": [(name, digest[:12]) for name, digest in sorted(weights.items())],
        "strength": "–" if model["planted"] is None else f"{model['planted']:g}",
    }


def _place(part: dict) -> str:
    """Where a base or an adapter comes from."""
    return f"{part['hub']} at {part['revision'][:12]}" if part["hub"] else part["path"]


def _versions(used: list[dict[str, str]]) -> dict[str, str]:
    """Version by library; several if not all steps used the same one."""
    names = {name for versions in used for name in versions}
    return {name: " and ".join(sorted({versions[name] for versions in used if name in versions})) for name in names}
