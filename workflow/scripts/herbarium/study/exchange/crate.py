"""The results as an RO-Crate that describes a run of a workflow: Workflow Run Crate 0.5, on RO-Crate 1.1.

https://w3id.org/ro/wfrun/workflow/0.5, https://w3id.org/ro/crate/1.1
"""

import os
from collections.abc import Iterable
from pathlib import PurePosixPath
from urllib.parse import quote

from herbarium.study import run

CRATE = "ro-crate-metadata.json"
WORKFLOW = "exchange/Snakefile"
RELEASED = "2026-11-28"  # this version of Herbarium, as CITATION.cff says
HUB = "https://huggingface.co"
_CONTEXT = ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"]
_PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
_SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
_NO_LICENSE = "#no-license"
_FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
# The files of a record that are results to look at; all others lead to them.
_RESULTS = ("summary.", "tables/", "figures/", "report/", "exchange/")


def crate(record: dict, terms: dict, given: dict[str, str]) -> dict:
    """The content of `ro-crate-metadata.json`.

    record: of the run (`run.read`). terms: the section `exchange` of the configuration. given: sha256 of the other
    files for exchange by their paths, including the workflow.
    """
    version = record["libraries"]["herbarium"]
    checksums = {
        place: entry["sha256"] for place, entry in record["files"].items() if place.startswith(_RESULTS)
    } | given
    files = [_file(place, checksums.get(place)) for place in sorted({*checksums, "run.json"} - {WORKFLOW})]
    people = [_person(name, orcid) for name, orcid in terms["authors"].items()]
    license_ = _license(terms["license"])
    used = [*_models(record["models"].values()), *_texts(record)]
    settings = _setting("configuration", record["run"])
    workflow = {
        "@id": WORKFLOW,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "Herbarium",
        "description": "Entry point of the workflow. Its rules and scripts are in this version's release of Herbarium.",
        "version": version,
        "programmingLanguage": _to(_SNAKEMAKE),
        "license": _to("https://spdx.org/licenses/Apache-2.0"),
        "encodingFormat": "text/plain",
        "sha256": given[WORKFLOW],
    }
    action = {
        "@id": f"#run-{record['run']}",
        "@type": "CreateAction",
        "name": f"Run {record['run']} of Herbarium {version}",
        "description": "run.json has the configuration and, for every file, its checksum and what made it.",
        "instrument": _to(WORKFLOW),
        "object": [_to(entity["@id"]) for entity in [*used, settings]],
        "result": [_to(entity["@id"]) for entity in files],
        "actionStatus": "http://schema.org/CompletedActionStatus",
    } | ({"agent": [_to(entity["@id"]) for entity in people]} if people else {})
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": terms["title"],
        "description": f"Numbers with their uncertainty, tables, figures and a report, made by Herbarium {version}."
        + ("" if terms["date"] else " The date is that of its release, as no date of publication was chosen."),
        "datePublished": terms["date"] or RELEASED,
        "license": _to(license_["@id"]),
        "conformsTo": [_to(profile) for profile in _PROFILES],
        "mainEntity": _to(WORKFLOW),
        "mentions": _to(action["@id"]),
        "hasPart": [_to(entity["@id"]) for entity in [workflow, *files]],
    } | ({"author": [_to(entity["@id"]) for entity in people]} if people else {})
    descriptor = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "about": _to("./"),
        "conformsTo": [_to("https://w3id.org/ro/crate/1.1"), _to("https://w3id.org/workflowhub/workflow-ro-crate/1.0")],
    }
    profiles = [
        {"@id": profile, "@type": "CreativeWork", "name": name, "version": version}
        for profile, (name, version) in _PROFILES.items()
    ]
    language = {
        "@id": _SNAKEMAKE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "identifier": _to("https://doi.org/10.1093/bioinformatics/bts480"),
        "url": _to("https://snakemake.readthedocs.io"),
    }
    licenses = [_license("Apache-2.0"), *([license_] if terms["license"] != "Apache-2.0" else [])]
    first = [descriptor, root, workflow, action, language, *licenses, *profiles, *people]
    return {"@context": _CONTEXT, "@graph": list(map(_single, [*first, *files, *used, settings]))}


def _to(entity: str) -> dict[str, str]:
    return {"@id": entity}


def _single(entity: dict) -> dict:
    """An entity with each list of one value as that value, which is how JSON-LD is compacted."""
    return {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in entity.items()}


def _file(place: str, sha256: str | None) -> dict:
    """A file of the results; the record itself has no checksum, as it cannot contain its own."""
    entity = {"@id": quote(place), "@type": "File", "name": place}
    if kind := _FORMATS.get(PurePosixPath(place).suffix):
        entity["encodingFormat"] = kind
    return entity | ({"sha256": sha256} if sha256 else {})


def _person(name: str, orcid: str) -> dict:
    return {"@id": orcid or f"#{quote(name)}", "@type": "Person", "name": name}


def _license(spdx: str | None) -> dict:
    if spdx is None:
        return {
            "@id": _NO_LICENSE,
            "@type": "CreativeWork",
            "name": "No licence was chosen",
            "description": "Ask the authors what you may do with these results.",
        }
    return {"@id": f"https://spdx.org/licenses/{spdx}", "@type": "CreativeWork", "name": spdx}


def _setting(name: str, value: str) -> dict:
    return {"@id": f"#{name}", "@type": "PropertyValue", "name": name, "value": value}


def _models(records: Iterable[dict]) -> list[dict]:
    """Each model and classifier, with the checksums of its files. A hub model is identified by its commit on the
    hub."""
    by_place = {}
    for record in records:
        hub = record.get("hub")
        place = f"{HUB}/{hub}/tree/{record['revision']}" if hub else f"#model/{quote(record['name'])}"
        files = [f"{name} sha256 {checksum}" for name, checksum in sorted(record["files"].items())]
        by_place[place] = {
            "@id": place,
            "@type": "CreativeWork",
            "name": record["name"],
            "description": "A model, identified by the files that it is loaded from.",
            "identifier": files,
        } | ({"version": record["revision"]} if hub else {})
    return [by_place[place] for place in sorted(by_place)]


def _texts(record: dict) -> list[dict]:
    """Word lists and tables outside the results, and what was read from the hub and repositories."""
    given = run.outside(record["files"], record["files"], record["study"]["results"])
    texts = [
        {
            "@id": f"#text/{quote(os.path.normpath(place))}",
            "@type": "CreativeWork",
            "name": place,
            "identifier": checksum if ":" in checksum else f"sha256 {checksum}",
        }
        for place, checksum in sorted(given.items())
    ]
    read = {}
    for source in record["sources"].values():
        data, files = source["data"], source["files"]
        if where := url(data):
            read[where] = {
                "@id": where,
                "@type": "CreativeWork",
                "name": data.get("hub") or data["git"],
                "version": data["revision"],
                "identifier": [f"{name} sha256 {checksum}" for name, checksum in sorted(files.items())],
            }
    return [*texts, *(read[where] for where in sorted(read))]


def url(data: dict) -> str | None:
    """The address of texts on the hub or in a repository, at their commit; None for a local table."""
    if data.get("hub"):
        return f"{HUB}/datasets/{data['hub']}/tree/{data['revision']}"
    return f"{data['git']}#{data['revision']}" if data.get("git") else None
