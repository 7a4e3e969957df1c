"""The keys of the configuration on texts from elsewhere: of tasks, and corpora."""

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from herbarium.core.downloads import local
from herbarium.core.errors import HerbariumError
from herbarium.core.section import COMMIT, HUB, LocalPath, Section, read_by
from herbarium.models import sources


def _without_secret(address: str) -> str:
    try:
        sources.require_no_secret(address)
    except HerbariumError as error:
        raise ValueError(str(error)) from None
    return address


GitAddress = Annotated[str, Field(pattern=r"^[^-]"), AfterValidator(_without_secret)]


def found(path: Path, info: ValidationInfo) -> Path:
    """Where a path leads: on this machine or, with the keys `git` and `revision`, in a repository at that commit.

    ValueError if only one of the two keys is given, or the repository has no such file.
    """
    git, revision = info.data.get("git"), info.data.get("revision")
    if (git is None) != (revision is None):
        raise ValueError("'git' and 'revision', the commit of 40 hex digits, belong together")
    try:
        return sources.in_repository(git, revision, path) if git else local(path)
    except HerbariumError as error:
        raise ValueError(str(error)) from error


Place = Annotated[Path, AfterValidator(found)]


class Pinned(Section):
    """Files on this machine, or in a Git repository at a commit: their paths are of the type `Place`."""

    called: ClassVar[str] = "Repository"

    git: GitAddress | None = Field(None, description="Git repository of the path; empty: it is on this machine.")
    revision: str | None = Field(None, pattern=COMMIT, description="Its commit, 40 hex digits; needed with `git`.")


# What keys on the division of rows mean, whatever has them.
SPLIT_COLUMN = "Column of the split; empty: the splits of the hub."
TRAIN = "Values of `column`, hub splits or files to train on."
TEST = "Those to test on; others are left out."
TEST_SHARE = "Without `train`: share of rows to test on, stratified."

DataFile = Annotated[LocalPath, read_by(sources.require_format)]


class HubData(Section):
    """Exactly one of `SOURCES` says where the texts come from."""

    SOURCES: ClassVar[tuple[str, ...]] = ("hub", "path")
    # Keys that belong to some sources only.
    OWNED: ClassVar[dict[str, tuple[str, ...]]] = {"revision": ("hub",), "subset": ("hub",)}

    hub: str | None = Field(None, pattern=HUB, description="Hub id of a data set, `organisation/name`.")
    revision: str | None = Field(
        None, pattern=COMMIT, description="Commit, 40 hex digits; empty with `hub`: the first run pins the latest."
    )
    subset: str | None = Field(
        None, pattern=r"^[^./\\][^/\\]*$", description="Configuration of the hub data set, if it has several."
    )

    @model_validator(mode="after")
    def _one_source(self) -> "HubData":
        (owner, *others) = [name for name in self.SOURCES if getattr(self, name) is not None] or [None]
        if owner is None or others:
            *first, last = map(repr, self.SOURCES)
            raise ValueError(f"give exactly one of {', '.join(first)} and {last}")
        if owner in self.OWNED["revision"] and self.revision is None:
            from_lock = " (a run with a network writes it to the lock file)" if owner == "hub" else ""
            raise ValueError(
                f"'{owner}' needs its 'revision', the commit of 40 hex digits, so that every run has the same "
                f"texts{from_lock}"
            )
        for key, owners in self.OWNED.items():
            if getattr(self, key) != type(self).model_fields[key].default and owner not in owners:
                raise ValueError(f"'{key}' belongs to {' and '.join(repr(name) for name in owners)}")
        return self


class Data(HubData):
    """As `HubData`, or a table in a Git repository."""

    called: ClassVar[str] = "Source of texts"

    SOURCES: ClassVar[tuple[str, ...]] = ("hub", "git", "path")
    OWNED: ClassVar[dict[str, tuple[str, ...]]] = {
        "revision": ("hub", "git"),
        "subset": ("hub",),
        "table": ("git",),
        "texts_in": ("git",),
        "folders": ("git",),
    }

    git: GitAddress | None = Field(None, description="Git repository with a table of the texts; needs `revision`.")
    table: DataFile | None = Field(None, description="Table in the repository, one row per text.")
    texts_in: str | None = Field(
        None,
        description="File of a row's text, with columns in braces: `all_files/{file_id}.txt`; empty: texts are in the "
        "table.",
    )
    folders: list[str] = Field([], description="Folders of these files; the column `folder` says which.")
    path: DataFile | None = Field(
        None, description=f"Local table: {', '.join(sources.FORMATS)}; of `.txt`, each line is a text."
    )

    @model_validator(mode="after")
    def _whole_address(self) -> "Data":
        if self.git is not None and self.table is None:
            raise ValueError("'git' needs 'table'")
        if self.folders and self.texts_in is None:
            raise ValueError("'folders' belongs to 'texts_in'")
        return self
