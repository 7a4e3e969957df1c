"""The Hugging Face hub and its local cache."""

from pathlib import Path

from herbarium.core.errors import HerbariumError

MODEL, DATASET = "model", "dataset"
OFFLINE = "HF_HUB_OFFLINE is set"


def is_offline() -> bool:
    """Whether the environment forbids the network."""
    from huggingface_hub import constants

    return constants.HF_HUB_OFFLINE


def fetch(name: str, commit: str, kind: str, files: list[str]) -> Path:
    """The local folder of a repository at a commit, downloaded unless the cache has it.

    kind: MODEL or DATASET. files: patterns of those that are wanted. Raises HerbariumError if it is not available.
    """
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, repo_type=kind, revision=commit, allow_patterns=files))
    except Exception as error:
        raise HerbariumError(f"'{name}' at {commit[:12]} could not be fetched: {error}") from error


def small_file(name: str, commit: str | None, file: str) -> Path:
    """One file of a model at a commit or branch (None: the latest), downloaded unless the cache has it.

    It is kept apart from models: a folder of one file would be taken for a complete model.
    Raises HerbariumError if it is not available.
    """
    from huggingface_hub import HfApi, constants, hf_hub_download, try_to_load_from_cache

    apart = Path(constants.HF_HOME, "configurations")
    for cache in (None, apart):
        if isinstance(cached := try_to_load_from_cache(name, file, cache, commit), str):
            return Path(cached)
    if is_offline():
        raise HerbariumError(f"{OFFLINE}.")
    try:
        # without a network, a download would be tried for half a minute
        latest = HfApi().model_info(name, revision=commit, timeout=5).sha
        return Path(hf_hub_download(name, file, revision=latest, cache_dir=apart))
    except Exception as error:
        raise HerbariumError(f"the hub did not provide it ({type(error).__name__}).") from error


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


def fault(name: str, commit: str, kind: str, files: list[str]) -> str | None:
    """Why a repository is not available, in words; None if the cache has all of it, or the hub has it."""
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        snapshot_download(name, repo_type=kind, revision=commit, allow_patterns=files, local_files_only=True)
        return None
    except HFValidationError as error:
        return f"that is not the name of a repository ({error})"
    except (LocalEntryNotFoundError, HfHubHTTPError):
        pass
    if is_offline():
        return OFFLINE
    try:
        HfApi().repo_info(name, repo_type=kind, revision=commit, timeout=5)
        return None
    except Exception as error:
        return f"the hub did not provide it ({type(error).__name__})"


def absent(place: str, name: str, commit: str, why: str, instead: str) -> HerbariumError:
    """The error for one that is not available. place: its key in the configuration. instead: what could be given
    there."""
    return HerbariumError(
        f"{place}: '{name}' at {commit[:12]} is not in the local cache, and {why}. Connect to the network once, or set "
        f"HF_HOME to a cache that holds it, or give your own copy in the configuration: {place}: {{{instead}}}. The "
        "demo needs no network: `make demo`."
    )
