"""Two results folders side by side: their summaries joined model by model, and their files that pair numbers.

Base is the earlier run, or that of the model to compare with; new is the other one.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from herbarium.core import store
from herbarium.core.errors import HerbariumError
from herbarium.core.files import WORK
from herbarium.statistics.influences import INFLUENCES
from herbarium.statistics.items import ITEMS
from herbarium.statistics.replicates import REPLICATES
from herbarium.study import pairing, run
from herbarium.study.changes import ONE_TRAINING

# The files that pair numbers, and their schemas.
_PLACES = {
    pairing.INFLUENCES: (f"{WORK}/influences/", INFLUENCES),
    pairing.ITEMS: (f"{WORK}/items/", ITEMS),
    pairing.DRAWS: (f"{WORK}/replicates/", REPLICATES),
}


class Run(NamedTuple):
    """A results folder and the record of its run."""

    folder: Path
    record: dict

    @classmethod
    def read(cls, folder: str | Path) -> "Run":
        record = run.read(Path(folder))
        if any(place.startswith("stimuli/") for place in record["files"]):
            raise HerbariumError(
                f"{folder} was made by an earlier release, whose files have other places: run its study with this one."
            )
        return cls(Path(folder), record)

    @property
    def files(self) -> dict[str, dict]:
        return self.record["files"]

    @property
    def models(self) -> dict[str, dict]:
        """Records of models by their names."""
        places = {name: Path(name) for name in self.record["models"]}
        return {
            path.stem: self.record["models"][name]
            for name, path in places.items()
            if path.parent == Path(WORK, "models")
        }

    def model(self, name: str) -> dict | None:
        return self.models.get(name)

    def frame(self, place: str, schema: str) -> pd.DataFrame:
        """A table that the run left; HerbariumError, with its name, if it is damaged or was replaced."""
        return store.read_frame(run.left(self.folder, self.record, place), schema)


def checksums(base: Run, new: Run) -> dict[str, str]:
    """The checksums of the files that a comparison is made from, by path."""
    return {str(side.folder / run.SUMMARY): side.files[run.SUMMARY]["checksum"] for side in (base, new)}


def summaries(base: Run, new: Run, against: Mapping[str, str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tidy numbers of both runs, those of base under the names of new.

    against: model of new -> model of base that it is compared with, and no others; empty: all, by their names.
    Raises HerbariumError if a run has no number of a model, or there is no model to compare.
    """
    tables = [side.frame(run.SUMMARY, "tidy") for side in (base, new)]
    for side, table, models in zip((base, new), tables, (against.values(), against), strict=True):
        if unknown := sorted(set(models) - set(table["model"])):
            known = ", ".join(sorted(table["model"].unique()))
            raise HerbariumError(f"against: {side.folder} has no numbers of '{unknown[0]}'. It has numbers of {known}.")
    if not against and not set(tables[0]["model"]) & set(tables[1]["model"]):
        raise HerbariumError(
            f"{base.folder} and {new.folder} have no model in common. Say which to compare: "
            "--config 'against={new: old}'."
        )
    return renamed(tables[0], against), _only(tables[1], against)


def renamed(table: pd.DataFrame, against: Mapping[str, str]) -> pd.DataFrame:
    """A table of base with the names under which its models are compared."""
    if not against:
        return table
    tables = [table[table["model"] == old].assign(model=new) for new, old in against.items()]
    return pd.concat(tables, ignore_index=True)


def _only(table: pd.DataFrame, models: Mapping[str, str]) -> pd.DataFrame:
    return table[table["model"].isin(list(models))].reset_index(drop=True) if models else table


def left(base: Run, new: Run, against: Mapping[str, str]) -> Iterator[tuple[str, pairing.Left]]:
    """What pairs the numbers of both runs (`pairing.paired_by`), file by file.

    A file can pair numbers if both runs scored the same sentences and, for random draws, if their steps also had the
    same parameters (seed, replicates) and lists.
    """
    for kind, (folder, schema) in _PLACES.items():
        for place in sorted(file for file in new.files if file.startswith(folder)):
            for pair in against.items() or [("", "")]:
                other = _renamed_place(place, *pair)
                if other not in base.files or not _asked_alike(base, other, new, place):
                    continue
                if kind == pairing.DRAWS and _drawn_from(base, other) != _drawn_from(new, place):
                    continue
                one = dict([pair]) if against else {}
                before, after = (side.frame(at, schema.name) for side, at in ((base, other), (new, place)))
                if len(before) and len(after):
                    yield kind, pairing.Left(renamed(before, one), _only(after, one))


def _renamed_place(place: str, new: str, old: str) -> str:
    """The path of one model's file, given that of another model: names of folders and files contain those of models."""
    path = Path(place)
    return "/".join(old if part == new else part for part in path.with_suffix("").parts) + path.suffix


def _drawn_from(side: Run, place: str) -> tuple:
    """The rule, parameters and lists of the step that drew."""
    making = side.files[place]
    lists = {name: checksum for name, checksum in making["inputs"].items() if name not in side.files}
    return making["rule"], making["config"], lists


def _asked_alike(base: Run, other: str, new: Run, place: str) -> bool:
    """Whether both files come from the same sentences. Unknown, and so false, for a file that comes from none."""
    before, after = (
        {Path(at).parent for at in run.behind(side.files, name) if at.startswith(f"{WORK}/stimuli/")}
        for side, name in ((base, other), (new, place))
    )
    both = sorted(map(str, before & after))
    return bool(both) and all(_sentences(base, stimuli) == _sentences(new, stimuli) for stimuli in both)


def _sentences(side: Run, stimuli: str) -> tuple[int, int]:
    shards = sorted(place for place in side.files if str(Path(place).parent) == stimuli)
    return _digest(*(run.left(side.folder, side.record, place) for place in shards))


@lru_cache(maxsize=1024)
def _digest(*shards: Path) -> tuple[int, int]:
    """The number of sentences, and a sum over their contents that does not depend on shards or order."""
    n, total = 0, np.uint64(0)
    for piece in store.read_pieces(shards):
        sentences = piece.select(["sentence_id", "text"]).to_pandas()
        n += len(sentences)
        total += pd.util.hash_pandas_object(sentences, index=False).to_numpy().sum(dtype=np.uint64)
    return n, int(total)


# --- the models ---


def noted(changes: pd.DataFrame, base: Run, new: Run, against: Mapping[str, str]) -> pd.DataFrame:
    """Rows of `comparison.changes` with `model_base`, and a note for models that the workflow trained to other weights
    in each run."""
    of_base = changes["model"].map(lambda model: against.get(model, model))
    table = changes.copy()
    table.insert(1, "model_base", of_base)
    pairs = set(zip(table["model"], table["model_base"], strict=True))
    trained = {model for model, other in pairs if _are_trained_apart(base.model(other), new.model(model))}
    is_noted = table["model"].isin(trained) & table["p_value"].notna()
    notes = table["note"].where(table["note"].notna(), "") + "; " + ONE_TRAINING
    table["note"] = table["note"].mask(is_noted, notes.str.removeprefix("; "))
    return table


def _are_trained_apart(one: dict | None, other: dict | None) -> bool:
    if one is None or other is None or one["files"] == other["files"]:
        return False
    return any(model["source"] in ("planted", "derived") for model in (one, other))


def models(base: Run, new: Run, against: Mapping[str, str]) -> list[dict]:
    """Records of the models that are compared, for the page; names in base are marked as such."""
    of_new = [model for name, model in new.models.items() if not against or name in against]
    of_base = [model for name, model in base.models.items() if not against or name in against.values()]
    return [*of_new, *(model | {"name": f"{model['name']}, in {base.folder.name}"} for model in of_base)]
