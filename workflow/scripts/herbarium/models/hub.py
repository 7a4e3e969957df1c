"""The Hugging Face hub and its local cache."""

import hashlib
import itertools
import re
from collections.abc import Iterable
from pathlib import Path

from herbarium.core import kept
from herbarium.core.errors import HerbariumError, RefusedError

MODEL, DATASET = "model", "dataset"
OFFLINE = "HF_HUB_OFFLINE is set"
# Where models are now that the hub once listed without an organisation, by how their names begin.
_ORGANISATIONS = {
    "albert-": "albert",
    "bert-": "google-bert",
    "camembert-": "almanach",
    "distilbert-": "distilbert",
    "distilgpt2": "distilbert",
    "distilroberta-": "distilbert",
    "gpt2": "openai-community",
    "openai-gpt": "openai-community",
    "roberta-": "FacebookAI",
    "t5-": "google-t5",
    "xlm-": "FacebookAI",
    "xlnet-": "xlnet",
}
COMMIT = r"[0-9a-f]{40}"
_ADDRESS = r"(?:https?://)?(?:huggingface\.co|hf\.co)/([\w.-]+/[\w.-]+)(?:/.*)?"


def meant(name: str) -> str | None:
    """The id of the model that is meant by the address of its page, or by its name alone; None if neither is known."""
    if address := re.fullmatch(_ADDRESS, name):
        return address[1]
    return next(
        (f"{organisation}/{name}" for start, organisation in _ORGANISATIONS.items() if name.startswith(start)), None
    )


def hint(name: str) -> str:
    """A further sentence for a message about a model that is not given by its id; empty if none is meant."""
    likely = meant(name)
    return f" Did you mean '{likely}'?" if likely else ""


def is_offline() -> bool:
    """Whether the environment forbids the network."""
    from huggingface_hub import constants

    return constants.HF_HUB_OFFLINE


def fetch(name: str, commit: str, kind: str, files: list[str]) -> Path:
    """The local folder of a repository at a commit, downloaded unless the cache has it; so is a file of the cache that
    is not what the hub gave.

    kind: MODEL or DATASET. files: patterns of those that are wanted. Raises HerbariumError if it is not available.
    """
    from huggingface_hub import hf_hub_download, snapshot_download
    from huggingface_hub.utils import filter_repo_objects

    where = f"'{name}' at {commit[:12]}"
    try:
        folder = Path(snapshot_download(name, repo_type=kind, revision=commit, allow_patterns=files))
    except Exception as error:
        raise HerbariumError(f"{where} could not be fetched: {error}") from error
    held = [file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()]
    for file in filter_repo_objects(held, allow_patterns=files):
        if not _is_as_given(folder / file):
            try:
                hf_hub_download(name, file, repo_type=kind, revision=commit, force_download=True)
            except Exception as error:
                raise HerbariumError(
                    f"{where}: {folder / file} is not the file that the hub gave, and could not be fetched again: "
                    f"{error}"
                ) from error
    return folder


def small_file(name: str, commit: str | None, file: str) -> Path:
    """One file of a model at a commit or branch (None: the latest), downloaded unless the cache has it.

    It is kept apart from models: a folder of one file would be taken for a complete model.
    Raises HerbariumError if it is not available.
    """
    from huggingface_hub import HfApi, constants, hf_hub_download, try_to_load_from_cache

    apart = Path(constants.HF_HOME, "configurations")
    was_edited = False
    for cache in (None, apart):
        if isinstance(cached := try_to_load_from_cache(name, file, cache, commit), str):
            if _is_as_given(Path(cached)):
                return Path(cached)
            was_edited = True
    if is_offline():
        raise HerbariumError(f"{OFFLINE}.")
    try:
        # without a network, a download would be tried for half a minute
        latest = HfApi().model_info(name, revision=commit, timeout=5).sha
        return Path(hf_hub_download(name, file, revision=latest, cache_dir=apart, force_download=was_edited))
    except Exception as error:
        raise HerbariumError(f"the hub did not provide it ({type(error).__name__}).") from error


def _is_as_given(file: Path) -> bool:
    """Whether a file of the cache is what the hub gave, as far as its cache says so: it names a content by what the hub
    calls it, its sha256 or that of Git. True of a file that is elsewhere."""
    from huggingface_hub import constants

    content = file.resolve()
    if content.parent.name != "blobs" or not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", content.name):
        return True
    note = Path(constants.HF_HOME, "kept", f"{content.name}.json")
    return kept.is_kept(content, note, content.name, kept.digest_of if len(content.name) == 64 else _digest_of_git)


def _digest_of_git(file: Path) -> str:
    """What Git calls the content of a file."""
    with open(file, "rb") as content:
        digest = hashlib.sha1(f"blob {file.stat().st_size}\0".encode(), usedforsecurity=False)
        return hashlib.file_digest(content, lambda: digest).hexdigest()


def fetch_missing(name: str, commit: str, kind: str, files: list[str]) -> int:
    """Complete a repository in the local cache, as `fetch` does, and return how many files were missing."""
    before = _n_cached(name, commit, kind)
    fetch(name, commit, kind, files)
    return _n_cached(name, commit, kind) - before


def _n_cached(name: str, commit: str, kind: str) -> int:
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name

    # snapshot_download would call it empty as long as files that nobody needs are missing (README.md)
    folder = Path(constants.HF_HUB_CACHE, repo_folder_name(repo_id=name, repo_type=kind), "snapshots", commit)
    return sum(path.is_file() for path in folder.rglob("*"))


def held_instead(name: str, commit: str | None, files: list[str]) -> list[str]:
    """What a model's repository at a commit or branch (None: the latest) holds instead if it has none of these files;
    empty if it has one, or if nobody can say."""
    from huggingface_hub import HfApi, try_to_load_from_cache

    if is_offline() or any(isinstance(try_to_load_from_cache(name, file, revision=commit), str) for file in files):
        return []
    try:
        held = [file.rfilename for file in HfApi().model_info(name, revision=commit, timeout=5).siblings or ()]
    except Exception:  # of any kind: whoever fetches the files says why there are none
        return []
    return [] if {*files} & {*held} else held


def is_cached(name: str, commit: str, kind: str, files: list[str]) -> bool:
    """Whether the local cache has all of a repository that is wanted. Raises `RefusedError` for an impossible name."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        snapshot_download(name, repo_type=kind, revision=commit, allow_patterns=files, local_files_only=True)
    except HFValidationError as error:
        raise RefusedError(f"that is not the name of a repository ({error})") from error
    except (LocalEntryNotFoundError, HfHubHTTPError):
        return False
    return True


def require(name: str, commit: str, kind: str, files: list[str]) -> None:
    """Raise HerbariumError unless the hub gives a repository now; `RefusedError` if it refuses.

    Everybody may read what a gated repository contains: only asking for a file tells whether it is given.
    """
    from huggingface_hub import HfApi, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils import filter_repo_objects

    if is_offline():
        raise HerbariumError(OFFLINE)
    try:
        held = HfApi().repo_info(name, repo_type=kind, revision=commit, timeout=5).siblings or ()
        wanted = filter_repo_objects([file.rfilename for file in held], allow_patterns=files)
        for file in itertools.islice(wanted, 1):
            get_hf_file_metadata(hf_hub_url(name, file, repo_type=kind, revision=commit), timeout=5)
    except Exception as error:
        raise _as_ours(error) from error


def latest(name: str, branch: str | None, kind: str) -> str:
    """The commit that a repository, or a branch or tag of it, points to now. kind: MODEL or DATASET.

    Raises HerbariumError; `RefusedError` if the hub has none."""
    from huggingface_hub import HfApi

    try:
        return HfApi().repo_info(name, repo_type=kind, revision=branch, timeout=10).sha
    except Exception as error:
        raise _as_ours(error) from error


def _as_ours(error: Exception) -> HerbariumError:
    """An error of the hub's library as one of ours, without its place: `RefusedError`, or that there was no answer."""
    from huggingface_hub import errors

    answers = {  # a gated repository is reported as a kind of one that is not found
        errors.GatedRepoError: "the hub gives it only to those who have accepted its terms: accept them on its page "
        "there, and set HF_TOKEN to a token of yours",
        errors.RepositoryNotFoundError: "the hub has no such repository, or only for others",
        errors.RevisionNotFoundError: "the hub does not have this commit or branch of it",
        errors.DisabledRepoError: "the hub has disabled it",
    }
    for refusal, words in answers.items():
        if isinstance(error, refusal):
            return RefusedError(words)
    return HerbariumError(f"the hub did not provide it ({type(error).__name__})")


def commit_of(files: Iterable[Path]) -> str | None:
    """The commit of the files of a folder, as the hub's library recorded it when it fetched them: in its cache, or with
    `hf download --local-dir`. None if it fetched one of them not or from another commit, or if one was written to
    since."""
    commits = {_cached_from(file) or _downloaded_from(file) for file in files}
    return commits.pop() if len(commits) == 1 else None


def _cached_from(file: Path) -> str | None:
    """By its place in the cache, where it is a link to its content."""
    snapshot = file.parent.resolve()
    is_of_cache = snapshot.parent.name == "snapshots" and re.fullmatch(COMMIT, snapshot.name)
    is_fetched = file.is_symlink() and file.resolve().parent == snapshot.parents[1] / "blobs"
    return snapshot.name if is_of_cache and is_fetched else None


def _downloaded_from(file: Path) -> str | None:
    """By what is kept beside it: commit, digest, and when these were true, in seconds since 1970."""
    try:
        text = (file.parent / f".cache/huggingface/download/{file.name}.metadata").read_text(encoding="utf-8")
        commit, _, when = text.split()
        is_same = file.stat().st_mtime - 1 <= float(when)  # with the tolerance of the library
    except (OSError, ValueError):
        return None
    return commit if is_same and re.fullmatch(COMMIT, commit) else None


def fault(name: str, commit: str, kind: str, files: list[str]) -> str | None:
    """Why a repository is not available, in words; None if the cache has all of it, or the hub has it."""
    try:
        if not is_cached(name, commit, kind, files):
            require(name, commit, kind, files)
    except HerbariumError as error:
        return str(error)
    return None


def absent(place: str, name: str, commit: str, why: str, instead: str) -> HerbariumError:
    """The error for one that is not available. place: its key in the configuration. instead: what could be given
    there."""
    return HerbariumError(
        f"{place}: '{name}' at {commit[:12]} is not in the local cache, and {why}. Connect to the network once, or set "
        f"HF_HOME to a cache that holds it, or give your own copy in the configuration: {place}: {{{instead}}}. The "
        "demo needs no network: `make demo`."
    )
