"""Whether what a study measures is what published figures were measured with: models by hub id and commit, data by a
digest of their contents, never by the names that a study gives them. The hub's library also records the commit of what
it downloads into a folder.

Every function gives reasons: why something is another than the one that published tables call so, "" if it is the same.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from herbarium.core import resources
from herbarium.core.places import CLONE
from herbarium.core.provenance import text_hash, value_hash
from herbarium.models import folders, hub, loading

if TYPE_CHECKING:
    from herbarium.models.section import Model

_FOLDER = CLONE / "resources/published"
_SHORT = 12  # digits of a commit in messages


def models(study) -> dict[str, str]:
    """Reasons for each model of a study; for one derived from another, those of the changed model itself."""
    table = resources.read_text_table(_FOLDER / "models.csv", ["name", "hub", "revision", "kind"])
    known = table.set_index("name").to_dict("index")
    return {name: model_reason(name, model, study.lock, known.get(name)) for name, model in study.models.items()}


def model_reason(name: str, model: "Model", lock: Path, original: Mapping[str, str] | None) -> str:
    """The reason for one model. original: its `hub`, `revision` and `kind` in the tables; None if that is unknown."""
    if original is None:
        return f"it is not recorded which commit '{name}' of the table is"
    wanted = f"{original['hub']} at {original['revision'][:_SHORT]}"
    changes = {
        f"an adapter on {model.hub or model.path}": model.adapter,
        f"the GGUF file {model.gguf}": model.gguf,
        "asked in conversations": model.chat_template,
        "lower-casing its sentences": model.lowercase,
        "a server whose weights are not compared": model.served and not model.served.compare,
        f"a {model.kind} model": model.kind != original["kind"],
    }
    if model.path:
        commit = hub.commit_of(folders.read_files(model.path, loading.source_file(model.model_dump())))
        version = f"of commit {commit[:_SHORT]}" if commit else "for whose files the hub recorded no common commit"
        reasons = {f"the folder {model.path}, {version}": commit != original["revision"]}
    elif model.hub is None:
        reasons = {
            "a planted bias": model.planted is not None,
            "changed from another model": model.derived is not None,
        }
    else:
        commit = loading.pinned(model.model_dump(mode="json"), lock)
        is_other = (model.hub, commit) != (original["hub"], original["revision"])
        reasons = {f"{model.hub} at {str(commit)[:_SHORT]}": is_other}
    difference = next((words for words, is_so in (reasons | changes).items() if is_so), None)
    return f"'{name}' of the table is {wanted}, here it is {difference}" if difference else ""


def data(metric: str, digests: Mapping[str, str]) -> dict[str, str]:
    """The reasons for the data of a metric. digests: of what a study uses, by the names of the tables."""
    table = resources.read_text_table(_FOLDER / "data.csv", ["metric", "data", "digest"])
    known = table[table["metric"] == metric].set_index("data")["digest"]
    return {name: data_reason(name, digest, known.get(name)) for name, digest in digests.items()}


def data_reason(name: str, digest: str, original: str | None) -> str:
    """The reason for one set of data. original: its digest; None if that is unknown."""
    if original is None:
        return f"the contents of '{name}' that the figure is of are not recorded"
    return "" if digest == original else f"'{name}' here has other contents than that of the figure"


def texts_digest(files: Iterable[str | Path], *settings: object) -> str:
    """The digest of handwritten tables or lists, and of settings that change what is made from them."""
    return value_hash([{Path(file).name: text_hash(Path(file)) for file in files}, *settings])
