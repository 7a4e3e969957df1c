"""The sentence sets of a study in Croissant 1.0: their files and columns.

https://docs.mlcommons.org/croissant/docs/croissant-spec-1.0.html
"""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote_plus

import pyarrow as pa

from herbarium.core.files import WORK
from herbarium.study.exchange.crate import RELEASED

STIMULI = f"{WORK}/stimuli"
CROISSANT = f"{STIMULI}/croissant.json"
_VERSION = "http://mlcommons.org/croissant/1.0"
_PARQUET = "application/x-parquet"  # what mlcroissant reads
_CITE = "Herbarium: a reproducible workflow for measuring social bias in language models (CITATION.cff)"
# The context that every Croissant file has, by the specification.
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


class Shards(NamedTuple):
    """The files of a sentence set: sha256 by path relative to the description, and the columns of all."""

    files: dict[str, str]
    columns: pa.Schema


def croissant(sets: Mapping[str, Shards], settings: dict, version: str) -> dict:
    """The content of `croissant.json`. sets: by their names. settings: the section `exchange` of the configuration.
    version: of Herbarium."""
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _VERSION,
        "name": "sentences",
        "description": "The sentences that models scored, one row each, by metric. Many contain "
        "stereotypes and insults.",
        "url": settings["url"] or "./",
        "version": version,
        "license": f"https://spdx.org/licenses/{settings['license']}"
        if settings["license"]
        else "No licence was chosen",
        "creator": [
            {"@type": "sc:Person", "name": name} | ({"url": url} if url else {})
            for name, url in settings["authors"].items()
        ]
        or [{"@type": "sc:Organization", "name": "The Herbarium authors"}],
        "datePublished": settings["date"] or RELEASED,
        "citeAs": _CITE,
        "distribution": [_file(file, shards.files[file]) for shards in sets.values() for file in sorted(shards.files)],
        "recordSet": [
            _records(name, file, shards.columns) for name, shards in sets.items() for file in sorted(shards.files)
        ],
    }


def _file(file: str, sha256: str) -> dict:
    return {
        "@type": "cr:FileObject",
        "@id": file,
        "name": file,
        "contentUrl": file,
        "encodingFormat": _PARQUET,
        "sha256": sha256,
    }


def _records(name: str, file: str, columns: pa.Schema) -> dict:
    rows = f"{file.removesuffix('.parquet')}/sentences"
    return {
        "@type": "cr:RecordSet",
        "@id": rows,
        "name": rows,
        "description": f"Sentences of {name}.",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{rows}/{quote_plus(column.name)}",
                "name": column.name,
                "dataType": _type(column.type),
                **({"repeated": True} if pa.types.is_list(column.type) else {}),
                "source": {"fileObject": {"@id": file}, "extract": {"column": column.name}},
            }
            for column in columns
        ],
    }


def _type(data_type: pa.DataType) -> str:
    if pa.types.is_list(data_type):
        return _type(data_type.value_type)
    if pa.types.is_boolean(data_type):
        return "sc:Boolean"
    if pa.types.is_integer(data_type):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(data_type) else "sc:Text"
